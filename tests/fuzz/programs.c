/* Programs: parsed, printed, written as PTX, and run; and machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/contract/backend.h"
#include "harness/program/account.h"
#include "harness/program/launch.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "harness/judge/bounds.h"
#include "tests/fuzz/target.h"

#define WORK_MOST   20000.0 /* executed instructions */
#define BYTES_MOST  (UINT64_C(64) << 20)
#define CYCLES_MOST 1e6 /* of delays: others may work beside them */

static struct {
	struct backend *backend;
	struct device device;
} model;

/* Once a process: the model starts cold for each program. */
static void open_model(void)
{
	static const char *const sets[] = {
		"sm_count=8", "l2_bytes=3MiB", "sm_arch=120"};
	const struct backend_config config = {.sets = sets, .set_count = 3};
	struct facts facts = {0};
	struct error error;

	if (model.backend)
		return;
	if (backend_sim.open(&model.backend, &config, &error) ||
		backend_sim.describe(
			model.backend, &model.device, &facts, &error))
		fuzz_fail(error.text);
	facts_free(&facts);
}

/* Instructions that a role executes, and the cycles that it waits. */
static void count_role(const struct program *p, const struct role *role,
	double *work, double *cycles)
{
	double times[PROGRAM_DEPTH_MAX + 1];
	double warps = (double)role_blocks(p, role, model.device.sm_count) *
		       role_warps(role);
	uint32_t depth = 0, i;

	times[0] = warps;
	for (i = role->insn_first; i < role->insn_first + role->insn_count;
		i++) {
		const struct insn *insn = &p->insns[i];

		*work += times[depth];
		if (insn->op == OP_REPEAT) {
			times[depth + 1] = times[depth] * (double)insn->count;
			depth++;
		} else if (insn->op == OP_END) {
			depth--;
		} else if (insn->op == OP_DELAY) {
			*cycles += times[depth] * (double)insn->count;
		}
	}
}

static bool is_small(const struct program *p)
{
	double work = 0, cycles = 0;
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < p->role_count; i++)
		count_role(p, &p->roles[i], &work, &cycles);
	for (i = 0; i < p->buffer_count; i++)
		bytes += p->buffers[i].bytes;
	return work <= WORK_MOST && cycles <= CYCLES_MOST &&
	       bytes <= BYTES_MOST;
}

/* What the model runs, it could have measured. */
static void run(const struct program *p)
{
	struct result result = {0};
	struct error error = {""};
	int code = backend_sim.run(model.backend, p, &result, &error);

	if (code && code != ERR_SKIPPED)
		fuzz_fail(error.text);
	if (!code && bounds_check(p, &result, &model.device, &error))
		fuzz_fail(error.text);
	result_free(&result);
}

static void use(const struct program *p)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t i, count = program_regions(p, regions);
	FILE *out = fopen("/dev/null", "w");
	struct error error = {""};

	for (i = 0; i < count; i++) {
		struct account account;

		account_region(p, i, model.device.sm_count, &account);
	}
	if (program_fits(p, &model.device, &error)) {
		fuzz_refused(&error);
	} else {
		if (out && backend_cuda.dump(p, &model.device, out, &error))
			fuzz_refused(&error);
		if (is_small(p))
			run(p);
	}
	if (out)
		fclose(out);
}

void fuzz_program(const struct input *input)
{
	struct program p, again;
	struct error error = {""};
	char *first, *second;

	open_model();
	if (strlen(input->text) != input->bytes)
		return;
	if (program_parse(input->text, "case", &p, &error) ||
		program_check(&p, &error)) {
		fuzz_refused(&error);
		return;
	}
	first = program_text(&p);
	if (!first || program_parse(first, "again", &again, &error))
		fuzz_fail(error.text);
	second = program_text(&again);
	if (!second || strcmp(first, second) != 0)
		fuzz_fail("the text does not round-trip");
	free(first);
	free(second);
	use(&p);
}

void fuzz_machine(const struct input *input)
{
	struct machine machine;
	struct error error = {""};
	int i;

	if (machine_load(input->path, &machine, &error)) {
		fuzz_refused(&error);
		return;
	}
	for (i = 0; i < PARAMETER_COUNT; i++)
		if (!(machine.value[i] >= parameters[i].minimum &&
			    machine.value[i] <= parameters[i].maximum))
			fuzz_fail(parameters[i].name);
	machine_digest(&machine);
}
