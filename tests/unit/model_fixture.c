#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/legality/legality.h"
#include "tests/unit/model_fixture.h"
#include "harness/program/text/text.h"

#define SETTINGS_MAX 12

static const char *settings[SETTINGS_MAX];
static size_t setting_count;
static bool reads_no_code;

void model_set(const char *setting)
{
	cr_assert_lt(setting_count, SETTINGS_MAX);
	settings[setting_count++] = setting;
}

bool model_is_set(void)
{
	return setting_count > 0;
}

static void read_program(struct program *p, const char *text)
{
	struct error error = {""};
	int code = program_parse(text, "test", p, &error);

	if (!code)
		code = program_check(p, &error);
	cr_assert_eq(0, code, "%s in\n%s", error.text, text);
}

static void run_program(
	const char *machine, const struct program *p, struct result *result)
{
	struct backend_config config = {.machine = machine,
		.sets = settings,
		.set_count = setting_count};
	struct backend *model = NULL;
	struct error error = {""};

	cr_assert_eq(
		0, backend_sim.open(&model, &config, &error), "%s", error.text);
	cr_assert_eq(
		0, backend_sim.run(model, p, result, &error), "%s", error.text);
	backend_sim.close(model);
}

void model_run(
	const char *machine, struct result *result, const char *format, ...)
{
	struct program p;
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	cr_assert_geq(vasprintf(&text, format, arguments), 0);
	va_end(arguments);
	read_program(&p, text);
	run_program(machine, &p, result);
	free(text);
}

/* Timed repeats stay, since records are written of them, with a delay each. */
static void empty_roles(struct program *p)
{
	static const struct insn delay = {.op = OP_DELAY, .count = 1};
	uint32_t i, k, count = 0;

	for (i = 0; i < p->role_count; i++) {
		struct role *role = &p->roles[i];
		const uint32_t first = role->insn_first;

		role->insn_first = count;
		for (k = first; k < first + role->insn_count; k++)
			if (p->insns[k].timing) {
				p->insns[count] = p->insns[k];
				p->insns[count++].unroll = 1;
				p->insns[count++] = delay;
				p->insns[count++] = (struct insn){.op = OP_END};
			}
		role->insn_count = count - role->insn_first;
	}
	p->insn_count = count;
}

void model_run_added(
	const char *machine, struct result *result, const char *format, ...)
{
	struct result empty = {0};
	struct program p;
	va_list arguments;
	char *text = NULL;
	size_t i;

	if (!reads_no_code) {
		model_set("kernel_code_sectors=0");
		model_set("kernel_other_sectors=0");
		reads_no_code = true;
	}
	va_start(arguments, format);
	cr_assert_geq(vasprintf(&text, format, arguments), 0);
	va_end(arguments);
	read_program(&p, text);
	run_program(machine, &p, result);
	empty_roles(&p);
	run_program(machine, &p, &empty);
	cr_assert_eq(result->counter_count, empty.counter_count);
	for (i = 0; i < result->counter_count; i++)
		result->counters[i].value -= empty.counters[i].value;
	result_free(&empty);
	free(text);
}

double model_cycles(const char *machine, const char *format, ...)
{
	struct result r = {0};
	va_list arguments;
	char *text = NULL;
	double cycles;

	va_start(arguments, format);
	cr_assert_geq(vasprintf(&text, format, arguments), 0);
	va_end(arguments);
	model_run(
		machine, &r, "nearfar-program 1\nname test\nseed 1\n%s", text);
	free(text);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

void model_stores(const char *machine, const char *memory, unsigned first,
	unsigned sms, const unsigned sm[2], double cycles[2])
{
	struct result r = {0};
	size_t i;
	unsigned k;

	model_run(machine, &r,
		"nearfar-program 1\nname test\nseed 1\n"
		"buffer b bytes=12MiB %s\nlaunch l\n"
		"role r sms=%u:%u threads=512\n"
		"repeat 64 time=region region=m\n"
		"st.global.v4.b32 [b + lane*16 + warp*512 + block*64KiB + "
		"loop0*8KiB wrap 12MiB]\nend\n",
		memory, first, sms);
	cycles[0] = cycles[1] = 0;
	for (i = 0; i < r.sample_count; i++)
		for (k = 0; k < 2; k++)
			if (r.samples[i].sm == sm[k] &&
				r.samples[i].cycles > cycles[k])
				cycles[k] = r.samples[i].cycles;
	result_free(&r);
}

double model_parameter(const char *machine, enum parameter parameter)
{
	struct machine m;
	struct error error = {""};

	cr_assert_eq(machine_load(machine, &m, &error), 0, "%s", error.text);
	return m.value[parameter];
}

double model_counter(const struct result *result, const char *name)
{
	size_t i;

	for (i = 0; i < result->counter_count; i++)
		if (!strcmp(result->counters[i].name, name))
			return result->counters[i].value;
	cr_assert_fail("there is no counter %s", name);
	return 0;
}

double model_mean(unsigned region, const char *text)
{
	struct result r = {0};
	double sum = 0;
	size_t i, n = 0;

	model_run(NULL, &r, "nearfar-program 1\nname test\nseed 1\n%s", text);
	for (i = 0; i < r.sample_count; i++)
		if (r.samples[i].region == region) {
			sum += r.samples[i].cycles;
			n++;
		}
	result_free(&r);
	cr_assert_gt(n, 0);
	return sum / (double)n;
}
