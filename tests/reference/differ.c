/*
 * Runs random programs on random small machines, by the model and by the
 * reference (ref.h), and says where they differ.
 * usage: differ FIRST-SEED CASES [quick]
 *        differ print SEED
 *
 * Compared, exactly: every sample, every span, every counter but the number of
 * events, and how the run ends. The completion of a single request is seen only
 * where a load is timed for itself, or by what comes after it: the model has no
 * observer.
 *
 * Covered: all rules of the model, as far as program_random.h and
 * machine_random.h draw them. Not covered: what leaves the reference's maxima
 * (12 SMs and GPCs, 100 slices, some 10,000 requests a run), a pass through L1
 * of more than 8 cycles and a TLB miss of more than 1100, which the model's
 * narrow fields cut off, and programs that end in an error. Left out, and
 * counted, are programs that do not fit the machine and runs that take too
 * long.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/reference/case.h"
#include "harness/program/legality/legality.h"
#include "tests/reference/ref.h"
#include "harness/program/text/text.h"

enum verdict { SAME, DIFFERENT, LEFT_OUT, NO_MACHINE, VERDICTS };

struct run {
	struct result result;
	struct error error;
	int code;
};

static char alarm_text[64]; /* for the handler alone */

static void on_alarm(int number)
{
	(void)number;
	if (write(2, alarm_text, strlen(alarm_text)) < 0)
		_exit(3);
	_exit(1);
}

/* ---- comparing ---- */

static const struct counter *find_counter(
	const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->counter_count; i++)
		if (!strcmp(result->counters[i].name, name))
			return &result->counters[i];
	return NULL;
}

static double counter(const struct result *result, const char *name)
{
	const struct counter *found = find_counter(result, name);

	return found ? found->value : -1;
}

static bool same_samples(
	const struct result *model, const struct result *ref, FILE *out)
{
	if (model->sample_count != ref->sample_count) {
		fprintf(out, "%zu samples, reference %zu\n",
			model->sample_count, ref->sample_count);
		return false;
	}
	for (size_t i = 0; i < model->sample_count; i++) {
		const struct sample *a = &model->samples[i];
		const struct sample *b = &ref->samples[i];

		if (a->cycles == b->cycles && a->iteration == b->iteration &&
			a->warp == b->warp && a->sm == b->sm &&
			a->region == b->region)
			continue;
		fprintf(out,
			"sample %zu: region %u warp %u iteration %u SM %u: "
			"%.0f cycles, reference region %u warp %u iteration %u "
			"SM %u: %.0f\n",
			i, a->region, a->warp, a->iteration, a->sm, a->cycles,
			b->region, b->warp, b->iteration, b->sm, b->cycles);
		return false;
	}
	return true;
}

static bool same_counters(
	const struct result *model, const struct result *ref, FILE *out)
{
	bool same = true;

	for (size_t i = 0; i < model->counter_count; i++) {
		const struct counter *a = &model->counters[i];
		const struct counter *b = find_counter(ref, a->name);

		if (!strcmp(a->name, "nearfar__events.sum"))
			continue;
		if (!b || a->value != b->value) {
			fprintf(out, "%s: %.0f, reference %.0f\n", a->name,
				a->value, b ? b->value : -1);
			same = false;
		}
	}
	return same;
}

static bool same_runs(const struct run *model, const struct run *ref,
	const struct program *p, FILE *out)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	bool same;

	if (model->code != ref->code) {
		fprintf(out, "ends with %d '%s', reference %d '%s'\n",
			model->code, model->error.text, ref->code,
			ref->error.text);
		return false;
	}
	if (model->code)
		return true;
	same = same_samples(&model->result, &ref->result, out);
	if (model->result.copied.bytes != ref->result.copied.bytes ||
		model->result.copied.ns != ref->result.copied.ns) {
		fprintf(out,
			"copied %.0f B in %.17g ns, reference %.0f, %.17g\n",
			model->result.copied.bytes, model->result.copied.ns,
			ref->result.copied.bytes, ref->result.copied.ns);
		same = false;
	}
	for (size_t i = 0; i < program_regions(p, regions); i++) {
		double a = model->result.spans[i].cycles;
		double b = ref->result.spans[i].cycles;

		if (a == b)
			continue;
		fprintf(out, "span of region %zu: %.0f, reference %.0f\n", i, a,
			b);
		same = false;
	}
	return same_counters(&model->result, &ref->result, out) && same;
}

static bool keeps_laws(
	const struct machine *machine, const struct result *r, FILE *out)
{
	double l1 =
		counter(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
		counter(r, "nearfar__texture_sectors.sum");
	double l1_hits =
		counter(r,
			"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit"
			".sum") +
		counter(r, "nearfar__texture_sectors_hit.sum");
	double reads = counter(r, "lts__t_sectors_op_read.sum");
	double atomics = counter(r, "lts__t_sectors_op_atom.sum") +
			 counter(r, "lts__t_sectors_op_red.sum");
	double looked = counter(r, "lts__t_sectors_lookup_hit.sum") +
			counter(r, "lts__t_sectors_lookup_miss.sum");
	double writes = counter(r, "lts__t_sectors_op_write.sum") + atomics;
	const char *broken = NULL;

	if (l1_hits > l1)
		broken = "L1 has more hits than it was asked for";
	if (!machine->value[PARAMETER_l1_promotes_lines] &&
		reads > 5 * (l1 - l1_hits))
		broken = "L2 is read for more than the lines that L1 missed, "
			 "twice";
	if (looked < reads + writes)
		broken = "L2 was asked for more sectors than hit or missed";
	if (counter(r, "dram__sectors_write.sum") > writes)
		broken = "more is written to DRAM than was written";
	if (broken)
		fprintf(out, "%s\n", broken);
	return !broken;
}

/* ---- running a case ---- */

/* A file that holds the machine. */
static void write_machine(
	const struct machine_random *m, char *path, size_t size)
{
	static int fd = -1;
	FILE *file;

	if (fd < 0)
		fd = memfd_create("machine", 0);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	file = fopen(path, "w");
	if (!file || machine_random_print(m, file) || fclose(file)) {
		perror("machine");
		exit(2);
	}
}

static bool is_legal(struct backend *model, const struct program *p)
{
	struct device device;
	struct facts facts = {0};
	struct error error;
	bool legal;

	legal = !backend_sim.describe(model, &device, &facts, &error) &&
		!program_check(p, &error) && !program_fits(p, &device, &error);
	facts_free(&facts);
	return legal;
}

static bool is_small(const struct machine *m)
{
	return m->value[PARAMETER_sm_count] <= REF_SMS &&
	       m->value[PARAMETER_gpc_count] <= REF_GPCS &&
	       m->value[PARAMETER_l2_slices_used] <= REF_SLICES &&
	       m->value[PARAMETER_dram_channels_per_slice] <= REF_CHANNELS &&
	       m->value[PARAMETER_dram_banks] <= REF_BANKS &&
	       m->value[PARAMETER_tlb_entries] <= REF_TLB &&
	       m->value[PARAMETER_tlb2_entries] <= REF_TLB;
}

static double requests; /* of all runs that were compared */

static enum verdict compare(struct backend *model,
	const struct machine *machine, const struct program *p, FILE *out)
{
	struct run a = {0}, b = {0};
	struct reference *r = malloc(sizeof(*r));
	enum verdict verdict = LEFT_OUT;

	/* The reference first: it gives up what does not end. */
	b.code = ref_run(r, machine, p, &b.result, &b.error);
	if (b.code != ERR_INTERRUPTED) {
		a.code = backend_sim.run(model, p, &a.result, &a.error);
		verdict = same_runs(&a, &b, p, out) ? SAME : DIFFERENT;
		if (!a.code && !keeps_laws(machine, &a.result, out))
			verdict = DIFFERENT;
		requests += (double)r->made;
	}
	ref_free(r);
	free(r);
	result_free(&a.result);
	result_free(&b.result);
	return verdict;
}

/* A case may take half a minute of the processor, however busy that is. */
static enum verdict run_case(const struct test_case *c, FILE *out)
{
	static const struct itimerval limit = {.it_value = {.tv_sec = 30}};
	struct machine machine;
	struct backend_config config = {0};
	struct backend *model;
	struct error error = {""};
	enum verdict verdict = LEFT_OUT;
	char path[64];

	snprintf(alarm_text, sizeof(alarm_text),
		"seed %u does not come to an end\n", c->seed);
	setitimer(ITIMER_PROF, &limit, NULL);
	write_machine(&c->machine, path, sizeof(path));
	config.machine = path;
	if (machine_load(path, &machine, &error)) {
		fprintf(out, "%s\n", error.text);
		return NO_MACHINE;
	}
	if (!is_small(&machine))
		return LEFT_OUT;
	if (backend_sim.open(&model, &config, &error)) {
		fprintf(out, "%s\n", error.text);
		return NO_MACHINE;
	}
	if (is_legal(model, &c->program))
		verdict = compare(model, &machine, &c->program, out);
	backend_sim.close(model);
	return verdict;
}

/* ---- making a case smaller ---- */

static bool differs(const struct test_case *c, FILE *nowhere)
{
	return run_case(c, nowhere) == DIFFERENT;
}

static void shrink(struct test_case *c)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct test_case *smaller = malloc(sizeof(*smaller));
	bool changed = true;
	uint32_t i;

	while (changed && nowhere && smaller) {
		changed = false;
		for (i = 0; i < 1000; i++) {
			*smaller = *c;
			if (!case_shrink(&smaller->program, i))
				break;
			if (!memcmp(smaller, c, sizeof(*c)) ||
				!differs(smaller, nowhere))
				continue;
			*c = *smaller;
			changed = true;
		}
		/* Settings that do not matter fall back to the base. */
		for (i = c->machine.count; i-- > 0;) {
			*smaller = *c;
			smaller->machine.set[i] =
				smaller->machine.set[--smaller->machine.count];
			if (!differs(smaller, nowhere))
				continue;
			*c = *smaller;
			changed = true;
		}
	}
	free(smaller);
	if (nowhere)
		fclose(nowhere);
}

static void print_case(const struct test_case *c)
{
	char *text = program_text(&c->program);

	machine_random_print(&c->machine, stdout);
	printf("%s", text ? text : "");
	free(text);
}

static void report(struct test_case *c)
{
	printf("not ok seed %u\n", c->seed);
	run_case(c, stdout);
	printf("the smallest like it that was found:\n");
	fflush(stdout);
	shrink(c);
	run_case(c, stdout);
	print_case(c);
}

/* Whether all were alike, but for a few that were left out. `quick` makes
   nothing smaller and does not stop at the fifth difference. */
static bool run_cases(
	struct test_case *c, uint32_t first, uint32_t cases, bool quick)
{
	uint32_t count[VERDICTS] = {0}, done;
	FILE *nowhere = fopen("/dev/null", "w");
	enum verdict verdict;
	bool good;

	for (done = 0; nowhere && done < cases; done++) {
		memset(c, 0, sizeof(*c));
		case_make(c, first + done);
		verdict = run_case(c, nowhere);
		count[verdict]++;
		if (verdict == DIFFERENT && !quick)
			report(c);
		if (verdict == NO_MACHINE)
			run_case(c, stdout);
		if (verdict == NO_MACHINE || (!quick && count[DIFFERENT] == 5))
			break;
	}
	if (nowhere)
		fclose(nowhere);
	good = done == cases && !count[DIFFERENT] && count[SAME] * 2 >= cases;
	printf("%s reference: %u cases, %u alike, %u different, %u left out; "
	       "%.0f requests\n",
		good ? "ok" : "not ok", done, count[SAME], count[DIFFERENT],
		count[LEFT_OUT], requests);
	return good;
}

int main(int argc, char **argv)
{
	struct test_case *c = calloc(1, sizeof(*c));
	bool good = true;

	if (argc < 3 || !c) {
		free(c);
		return 2;
	}
	signal(SIGPROF, on_alarm);
	if (!strcmp(argv[1], "print")) {
		case_make(c, (uint32_t)strtoul(argv[2], NULL, 10));
		print_case(c);
	} else {
		good = run_cases(c, (uint32_t)strtoul(argv[1], NULL, 10),
			(uint32_t)strtoul(argv[2], NULL, 10), argc > 3);
	}
	free(c);
	return !good;
}
