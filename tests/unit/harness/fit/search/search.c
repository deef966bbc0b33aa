#include <criterion/criterion.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/search/parts.h"
#include "harness/measures/rows.h"
#include "harness/run/plan.h"
#include "harness/run/opened.h"
#include "harness/run/rebuild.h"
#include "harness/run/registry.h"
#include "harness/run/runner.h"
#include "tests/unit/series_fixture.h"
#include "harness/series/io.h"

TestSuite(search, .timeout = 120);

/* Four SMs of the tests' machine, behind few slices and slow DRAM. */
static const char machine[] =
	"schema: nearfar-machine/1\n"
	"name: narrow\n"
	"base: tests/golden/machines/small.yaml\n"
	"parameters:\n"
	"  slice_bytes_per_cycle: {value: 20, unit: bytes/cycle, origin: "
	"assumed}\n"
	"  dram_bytes_per_s: {value: 2e11, unit: bytes/s, origin: assumed}\n"
	"  atomic_kept_cycles: {value: 1.4, unit: cycles, origin: assumed}\n";

/* ---- targets that the model itself makes ---- */

static char folder[] = "/tmp/nearfar-search-XXXXXX";
static char paths[64][128];
static size_t path_count;

static const char *path_of(const char *name)
{
	char *path = paths[path_count++ % 64];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static const char *machine_path(void)
{
	return path_of("narrow.yaml");
}

static void prepare(void)
{
	FILE *out;

	cr_assert(mkdtemp(folder));
	out = fopen(machine_path(), "w");
	cr_assert(out);
	fputs(machine, out);
	fclose(out);
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

/* Runs a bench on the small machine with `sets`, and writes its series. */
static const char *measure(const char *name, const char *bench,
	const char *sweep, const struct given_option *given, size_t count,
	const char *const *sets, size_t set_count)
{
	struct opened opened;
	struct run_config config = {
		.opened = &opened,
		.backend = {machine_path(), sets, set_count, 0},
		.jobs = 1,
		.repeats.count = 1,
		.seed = 1,
	};
	const char *path = path_of(name);
	struct facts facts = {0};
	struct series_list list = {0};
	struct run_report report;
	struct plan plan;
	struct error error = {""};

	cr_assert_eq(opened_open(&opened, backend_find("sim"), &config.backend,
			     &error),
		0);
	cr_assert_eq(plan_bench(&plan, bench_find(bench), given, count, sweep,
			     &opened.device, &error),
		0, "%s", error.text);
	cr_assert_eq(
		runner_run(&config, &plan, 1, &list, &facts, &report, &error),
		0, "%s", error.text);
	cr_assert_eq(series_write_file(&list, FORMAT_JSON, path, &error), 0,
		"%s", error.text);
	series_list_free(&list);
	facts_free(&facts);
	plan_free(&plan);
	opened_close(&opened);
	return path;
}

static const char *chase(
	const char *name, const char *op, const char *const *sets, size_t count)
{
	const struct given_option given[] = {
		{"op", op}, {"loads", "512"}, {"chunk", "64"}};

	return measure(name, "pointer-chase", "16KiB,64KiB,256KiB,4MiB,8MiB",
		given, 3, sets, count);
}

static const char *bandwidth(const char *name, const char *sweep,
	const char *const *sets, size_t count)
{
	const struct given_option given[] = {
		{"over", "footprint"}, {"volume", "256KiB"}};

	return measure(name, "bandwidth", sweep, given, 2, sets, count);
}

static const char *atomics(
	const char *name, const char *const *sets, size_t count)
{
	const struct given_option given[] = {
		{"threads", "256"}, {"iterations", "8"}};

	return measure(
		name, "atomic-contention", "1,2,4", given, 2, sets, count);
}

/* ---- a search in memory ---- */

struct fitted {
	char machine[65536], report[65536];
	int code;
	struct error error;
};

static void read_text(const char *path, char *text, size_t bytes)
{
	FILE *in = fopen(path, "r");
	size_t got;

	cr_assert(in, "%s", path);
	got = fread(text, 1, bytes - 1, in);
	text[got] = '\0';
	fclose(in);
}

static void fit(struct search_config *config, struct fitted *fitted)
{
	char *report = NULL;
	size_t bytes;
	FILE *out = open_memstream(&report, &bytes);

	config->ops = backend_find("sim");
	config->machine = machine_path();
	if (!config->jobs)
		config->jobs = 1;
	if (!config->seed)
		config->seed = 1;
	if (!config->output)
		config->output = path_of("out.yaml");
	*fitted = (struct fitted){.code = 0};
	fitted->code = search_run(config, out, &fitted->error);
	fclose(out);
	snprintf(fitted->report, sizeof(fitted->report), "%s", report);
	free(report);
	if (!fitted->code)
		read_text(config->output, fitted->machine,
			sizeof(fitted->machine));
}

/* The value and the interval of a parameter in the machine file. */
static void find(const struct fitted *f, const char *name, double *value,
	double *low, double *high)
{
	char key[96];
	const char *at;

	snprintf(key, sizeof(key), "\n  %s: {value: ", name);
	at = strstr(f->machine, key);
	cr_assert(at, "%s", name);
	*value = strtod(at + strlen(key), NULL);
	at += 3;
	at = strstr(at, "# interval ");
	cr_assert(at && at < strchr(strstr(f->machine, key) + 1, '\n'),
		"%s has no interval:\n%s", name, f->report);
	cr_assert_eq(sscanf(at, "# interval %lf %lf", low, high), 2);
}

static void check_recovered(
	const struct fitted *f, const char *name, double truth)
{
	double value, low, high;

	find(f, name, &value, &low, &high);
	cr_expect(low <= truth && truth <= high,
		"%s: %g is not in %g .. %g around %g", name, truth, low, high,
		value);
	cr_expect(fabs(value / truth - 1) < 0.03, "%s: %g, not %g", name, value,
		truth);
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- recovery ---- */

Test(search, what_is_read_off_is_found, .init = prepare, .fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=311",
		"l1_hit_cycles=37", "dram_near_cycles=220"};
	static const char *const free_ones[] = {
		"l2_near_cycles", "l1_hit_cycles", "dram_near_cycles"};
	const char *targets[] = {chase("ca.json", "ld.ca", sets, COUNT(sets)),
		chase("cg.json", "ld.cg", sets, COUNT(sets))};
	struct search_config config = {.targets = targets,
		.target_count = 2,
		.free = free_ones,
		.free_count = COUNT(free_ones),
		.evaluations = 12};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	check_recovered(&f, "l2_near_cycles", 311);
	check_recovered(&f, "l1_hit_cycles", 37);
	check_recovered(&f, "dram_near_cycles", 220);
}

Test(search, a_knee_is_moved_to_where_it_was, .init = prepare, .fini = clean)
{
	static const char *const sets[] = {"l1_cache_bytes=96KiB"};
	static const char *const free_ones[] = {"l1_cache_bytes"};
	static const struct given_option given[] = {
		{"op", "ld.ca"}, {"loads", "1024"}, {"chunk", "64"}};
	const char *targets[] = {measure(
		"ca.json", "pointer-chase", "16KiB:1MiB:4", given, 3, sets, 1)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = COUNT(free_ones),
		.evaluations = 1};
	static struct fitted f;
	double value, low, high;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	/* A line more or less in some of the groups moves no knee. */
	find(&f, "l1_cache_bytes", &value, &low, &high);
	cr_expect_float_eq(value, 96 * 1024, 1024, "%g", value);
}

Test(search, homes_and_floor_are_read_off_near_far, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {
		"home_hash_mask=0x1cbd614000", "bridge_cycles=120"};
	static const char *const free_ones[] = {
		"home_hash_mask", "bridge_cycles"};
	const char *targets[] = {
		measure("map.json", "near-far", "4224", NULL, 0, sets, 2)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = COUNT(free_ones),
		.evaluations = 6};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	/* bits from 21 on are beyond the page and stay */
	cr_expect(strstr(f.machine, "home_hash_mask: {value: 0x1cbd614000,"),
		"%s", f.report);
	check_recovered(&f, "bridge_cycles", 120);
}

static const char *const slower[] = {"slice_bytes_per_cycle=14",
	"dram_bytes_per_s=1.5e11", "atomic_kept_cycles=1.1"};
static const char *const slower_names[] = {
	"slice_bytes_per_cycle", "dram_bytes_per_s", "atomic_kept_cycles"};

/* A fit of all three, with its targets. */
static void fit_slower(struct search_config *config, struct fitted *f)
{
	static const char *targets[3];

	targets[0] = bandwidth("l2.json", "256KiB,512KiB", slower, 3);
	targets[1] = bandwidth("dram.json", "4MiB,16MiB", slower, 3);
	targets[2] = atomics("atomics.json", slower, 3);
	config->targets = targets;
	config->target_count = COUNT(targets);
	config->free = slower_names;
	config->free_count = COUNT(slower_names);
	config->evaluations = 36;
	fit(config, f);
}

Test(search, what_is_searched_is_found, .init = prepare, .fini = clean)
{
	struct search_config config = {.jobs = 1};
	static struct fitted f;

	fit_slower(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	check_recovered(&f, "slice_bytes_per_cycle", 14);
	check_recovered(&f, "dram_bytes_per_s", 1.5e11);
	check_recovered(&f, "atomic_kept_cycles", 1.1);
}

/* One point says that slices are slow, which their group believes; a series of
   no group of theirs says by four that they are not. */
Test(search, a_group_does_not_gain_what_others_lose, .init = prepare,
	.fini = clean)
{
	static const char *const slow[] = {"slice_bytes_per_cycle=14"};
	static const char *const free_ones[] = {"slice_bytes_per_cycle"};
	static const struct given_option given[] = {
		{"over", "sms"}, {"footprint", "256KiB"}, {"volume", "256KiB"}};
	struct search_config config = {.jobs = 1};
	static const char *targets[2];
	static struct fitted alone, both;

	targets[0] = bandwidth("slow.json", "256KiB", slow, 1);
	targets[1] = measure(
		"plain.json", "bandwidth", "1,2,3,4", given, 3, NULL, 0);
	config.targets = targets;
	config.target_count = 1;
	config.free = free_ones;
	config.free_count = COUNT(free_ones);
	config.evaluations = 24;
	fit(&config, &alone);
	cr_assert_eq(alone.code, 0, "%s", alone.error.text);
	check_recovered(&alone, "slice_bytes_per_cycle", 14);
	config.target_count = 2;
	fit(&config, &both);
	cr_assert_eq(both.code, 0, "%s", both.error.text);
	cr_expect(strstr(both.report, "slices: left as it was"), "%s",
		both.report);
}

/* ---- the same result, however it came about ---- */

/* Read-offs, a search and intervals, on little. */
static void fit_atomics(struct search_config *config, struct fitted *f)
{
	static const char *const free_ones[] = {
		"atomic_kept_cycles", "atomic_sector_cycles"};
	static const char *targets[1];

	targets[0] = atomics("atomics.json", slower, 3);
	config->targets = targets;
	config->target_count = COUNT(targets);
	config->free = free_ones;
	config->free_count = COUNT(free_ones);
	config->evaluations = 16;
	fit(config, f);
}

Test(search, two_workers_give_the_bytes_of_one, .init = prepare, .fini = clean)
{
	struct search_config one = {.jobs = 1}, two = {.jobs = 2};
	static struct fitted a, b;

	fit_atomics(&one, &a);
	fit_atomics(&two, &b);
	cr_assert_eq(a.code, 0, "%s", a.error.text);
	cr_assert_str_eq(a.machine, b.machine);
	cr_assert_str_eq(a.report, b.report);
}

/* Leaves the first lines of a file, and `bytes` of the next. */
static void cut(const char *path, size_t lines, size_t bytes)
{
	static char text[1 << 22];
	char *at = text;

	read_text(path, text, sizeof(text));
	while (lines--)
		at = strchr(at, '\n') + 1;
	cr_assert(strlen(at) > bytes);
	cr_assert_eq(truncate(path, at - text + (long)bytes), 0);
}

Test(search, a_resumed_fit_is_the_uninterrupted_one, .init = prepare,
	.fini = clean)
{
	const char *state = path_of("state.json");
	struct search_config whole = {.state = state, .resume = true};
	struct search_config rest = whole;
	static struct fitted a, b;

	fit_atomics(&whole, &a);
	cr_assert_eq(a.code, 0, "%s", a.error.text);
	cut(state, 20, 17); /* the process ended within a line */
	fit_atomics(&rest, &b);
	cr_assert_eq(b.code, 0, "%s", b.error.text);
	cr_assert_str_eq(a.machine, b.machine);
	cr_assert_str_eq(a.report, b.report);
	fit_atomics(&rest, &b); /* the state is whole again */
	cr_assert_eq(b.code, 0, "%s", b.error.text);
	cr_assert_str_eq(a.machine, b.machine);
}

/* With the whole state nothing runs: what it says is believed. */
Test(search, what_was_run_is_not_run_again, .init = prepare, .fini = clean)
{
	const char *state = path_of("state.json");
	struct search_config config = {.state = state, .resume = true};
	static char before[1 << 22], after[1 << 22];
	static struct fitted f;

	fit_atomics(&config, &f);
	read_text(state, before, sizeof(before));
	fit_atomics(&config, &f);
	read_text(state, after, sizeof(after));
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_assert_str_eq(before, after);
}

/* The parameters of a machine file: what follows its head. */
static const char *parameters_of(const struct fitted *f)
{
	const char *at = strstr(f->machine, "\nparameters:");

	cr_assert(at);
	return at;
}

Test(search, what_is_held_out_is_not_used, .init = prepare, .fini = clean)
{
	static const char *const other[] = {"l2_near_cycles=600"};
	static const char *const sets[] = {"l2_near_cycles=311"};
	static const char *const free_ones[] = {"l2_near_cycles"};
	static const char *const held[] = {"pointer-chase:op=atom.*"};
	const char *good = chase("cg.json", "ld.cg", sets, 1);
	const char *first[] = {good, chase("a.json", "atom.add", sets, 1)};
	const char *second[] = {good, chase("b.json", "atom.add", other, 1)};
	struct search_config config = {.targets = first,
		.target_count = 2,
		.hold_outs = held,
		.hold_out_count = 1,
		.hold_out_every = 3,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 8};
	static struct fitted a, b;

	fit(&config, &a);
	config.targets = second;
	fit(&config, &b);
	cr_assert_eq(a.code, 0, "%s", a.error.text);
	cr_assert_eq(b.code, 0, "%s", b.error.text);
	cr_assert_str_eq(parameters_of(&a), parameters_of(&b));
	cr_assert(strstr(a.report, "cg fitted to") == NULL);
	cr_assert(strstr(b.report, "all     held out"), "%s", b.report);
	check_recovered(&b, "l2_near_cycles", 311);
}

Test(search, without_gain_on_what_is_held_out_the_start_stays, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=311"};
	static const char *const free_ones[] = {"l2_near_cycles"};
	static const char *const held[] = {"pointer-chase:op=atom.*"};
	const char *targets[] = {chase("cg.json", "ld.cg", sets, 1),
		chase("a.json", "atom.add", NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 2,
		.hold_outs = held,
		.hold_out_count = 1,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 8};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect(strstr(f.report, "no gain on what was held out: median 0.0 "
				   "% and worst 0.0 % before, "),
		"%s", f.report);
	cr_expect(
		strstr(f.report, "the values of narrow stay"), "%s", f.report);
	cr_expect(strstr(f.machine, "\n  l2_near_cycles: {value: 268.7,"), "%s",
		f.machine);
	cr_expect_null(strstr(f.machine, "# interval"), "%s", f.machine);
	cr_expect(strstr(f.machine, "about: \"narrow, which nearfar "), "%s",
		f.machine);
}

Test(search, a_fit_says_what_it_makes_worse, .init = prepare, .fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=311"};
	static const char *const free_ones[] = {"l2_near_cycles"};
	const char *targets[] = {chase("cg.json", "ld.cg", sets, 1),
		chase("ca.json", "ld.ca", NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 2,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 8};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect(strstr(f.report, "  worse\n"), "%s", f.report);
	cr_expect(strstr(f.report, "errors worse, most of all ca at "), "%s",
		f.report);
	cr_expect(strstr(f.report, ": 0.0 % before, "), "%s", f.report);
}

/* Half as much again at every `every`th point. */
static const char *spoil(const char *name, const char *path, size_t every)
{
	const char *spoilt = path_of(name);
	struct series_list list;
	struct error error;
	size_t i;

	cr_assert_eq(series_read(path, &list, &error), 0);
	for (i = every - 1; i < list.items->point_count; i += every) {
		struct summary *s = fixture_summary(
			&list.items->points[i], METRIC_LATENCY_CYCLES);

		s->median *= 1.5;
		s->low *= 1.5;
		s->high *= 1.5;
	}
	cr_assert_eq(series_write_file(&list, FORMAT_JSON, spoilt, &error), 0);
	series_list_free(&list);
	return spoilt;
}

Test(search, points_that_are_held_out_are_not_used, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=311"};
	static const char *const free_ones[] = {
		"l2_near_cycles", "dram_near_cycles", "bridge_data_cycles"};
	const char *good[] = {chase("cg.json", "ld.cg", sets, 1),
		chase("atom.json", "atom.add", sets, 1)};
	const char *bad[] = {
		spoil("cg2.json", good[0], 2), spoil("atom2.json", good[1], 2)};
	struct search_config config = {.targets = good,
		.target_count = 2,
		.hold_out_every = 2,
		.free = free_ones,
		.free_count = COUNT(free_ones),
		.evaluations = 24};
	static struct fitted a, b;
	size_t i;

	fit(&config, &a);
	config.targets = bad;
	fit(&config, &b);
	cr_assert_eq(a.code, 0, "%s", a.error.text);
	cr_assert_eq(b.code, 0, "%s", b.error.text);
	for (i = 0; i < COUNT(free_ones); i++) {
		double x[3], y[3];

		find(&a, free_ones[i], &x[0], &x[1], &x[2]);
		find(&b, free_ones[i], &y[0], &y[1], &y[2]);
		cr_expect_arr_eq(x, y, sizeof(x), "%s", free_ones[i]);
	}
	cr_assert_str_neq(a.report, b.report);
}

/* The series at `path` as one of a row of the suite of `nearfar fit`. */
static const char *of_row(const char *name, const char *path, const char *row)
{
	const char *made = path_of(name);
	struct series_list list;
	struct error error;

	cr_assert_eq(series_read(path, &list, &error), 0);
	facts_add(&list.items->provenance, MEASURE_ROW, "%s", row);
	cr_assert_eq(series_write_file(&list, FORMAT_JSON, made, &error), 0);
	series_list_free(&list);
	return made;
}

/* Each parameter is read off once. */
static void fit_once(const char *const *targets, size_t target_count,
	const char *const *free_ones, size_t free_count, struct fitted *f)
{
	struct search_config config = {.targets = targets,
		.target_count = target_count,
		.free = free_ones,
		.free_count = free_count,
		.rounds = 1,
		.evaluations = 1};

	fit(&config, f);
	cr_assert_eq(f->code, 0, "%s", f->error.text);
}

/* One parameter, once, to a row that is a chase on a machine with `sets`. */
static void fit_one(const char *free_one, const char *row,
	const char *const *sets, size_t set_count, struct fitted *f)
{
	const char *targets[] = {of_row(
		"row.json", chase("cg.json", "ld.cg", sets, set_count), row)};

	fit_once(targets, 1, &free_one, 1, f);
}

/* dram_near_cycles is what DRAM adds to L2, whose latency is 42 cycles more
   here than the machine's. */
Test(search, a_difference_leaves_out_what_both_share, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {
		"l2_near_cycles=311", "dram_near_cycles=220"};
	static struct fitted f;
	double value, low, high;

	fit_one("dram_near_cycles", "chase-cg-each", sets, COUNT(sets), &f);
	find(&f, "dram_near_cycles", &value, &low, &high);
	cr_expect_float_eq(value, 220, 10, "%g", value);
}

/* The plan of a chip's floor is chosen in the first round; others are as good
   within the noise. */
Test(search, what_moves_all_else_is_chosen_first, .init = prepare,
	.fini = clean, .timeout = 30)
{
	static const char *const sets[] = {"floor_seed=7"};
	static struct fitted f;

	fit_one("floor_seed", "chase-cg", sets, COUNT(sets), &f);
	cr_expect(strstr(f.machine, "\n  floor_seed: {value: 7,"), "%s",
		f.report);
	cr_expect(strstr(f.report, "not constrained: floor_seed\n"), "%s",
		f.report);
}

/* What slices bind is 0.9 % slower than the machine; a narrower crossbar would
   explain it, and is not what the row shows. */
Test(search, a_limit_that_binds_nothing_is_not_read_off, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"slice_bytes_per_cycle=19.77"};
	static const char *const free_ones[] = {"crossbar_bytes_per_cycle"};
	const char *targets[] = {of_row("row.json",
		bandwidth("slices.json", "512KiB", sets, COUNT(sets)),
		"chip-read")};
	static struct fitted f;

	fit_once(targets, 1, free_ones, 1, &f);
	cr_expect(strstr(f.report, "crossbar_bytes_per_cycle: left as it was, "
				   "for what it is read off is so without it"),
		"%s", f.report);
	cr_expect(strstr(f.report, "not constrained: crossbar_bytes_per_cycle"),
		"%s", f.report);
}

/* Nor is it said how much may be under way, where less is. */
Test(search, what_is_not_under_way_is_not_read_off, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"slice_bytes_per_cycle=20.15"};
	static const char *const free_ones[] = {"sm_inflight_sectors"};
	const char *targets[] = {of_row("row.json",
		bandwidth("slices.json", "512KiB", sets, COUNT(sets)),
		"dram-some")};
	static struct fitted f;

	fit_once(targets, 1, free_ones, 1, &f);
	cr_expect(strstr(f.report, "sm_inflight_sectors: left as it was, for "
				   "what it is read off is so without it"),
		"%s", f.report);
}

/* Where the steps of a TLB are says how many entries and ways it has; the level
   of the curve, which is 2 % off, says nothing of it. */
Test(search, a_step_is_found_at_any_level, .init = prepare, .fini = clean)
{
	static const char *const sets[] = {
		"l2_near_cycles=275", "tlb_entries=24", "tlb_ways=2"};
	static const char *const free_ones[] = {"tlb_ways", "tlb_entries"};
	static const struct given_option given[] = {
		{"stride", "256MiB"}, {"loads", "1024"}};
	const char *targets[] = {of_row("row.json",
		measure("tlb.json", "tlb-reach", "4,12,16,20,24,32,48,64,96",
			given, 2, sets, COUNT(sets)),
		"tlb-entries")};
	static struct fitted f;
	double value, low, high;

	fit_once(targets, 1, free_ones, 2, &f);
	find(&f, "tlb_entries", &value, &low, &high);
	cr_expect(value == 24 && low == 24 && high == 24, "%s", f.report);
	find(&f, "tlb_ways", &value, &low, &high);
	cr_expect(value == 2 && low == 2 && high == 2, "%s", f.report);
}

/* No row here is made for it, and no value lies between 64 and 128. */
Test(search, between_few_values_there_is_no_interval, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=269"};
	static struct fitted f;

	fit_one("l2_fetch_bytes", "chase-cg", sets, COUNT(sets), &f);
	cr_expect(strstr(f.report, "not constrained: l2_fetch_bytes\n"), "%s",
		f.report);
}

/* Latencies are counted in whole cycles: a miss of a TLB that takes 5 may be
   read as 4 or as 6, which is no reason to leave the 11 of the start. */
Test(search, a_difference_of_few_cycles_is_met_to_one, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"tlb_miss_cycles=5"};
	static const char *const free_ones[] = {"tlb_miss_cycles"};
	static const struct given_option given[] = {
		{"stride", "256MiB"}, {"loads", "1024"}};
	const char *targets[] = {
		of_row("all.json",
			measure("many.json", "tlb-reach", "192", given, 2, sets,
				COUNT(sets)),
			"tlb-all"),
		of_row("few.json",
			measure("some.json", "tlb-reach", "4", given, 2, NULL,
				0),
			"tlb-few")};
	static struct fitted f;

	fit_once(targets, 2, free_ones, 1, &f);
	cr_expect_not(strstr(f.report, "left as it was"), "%s", f.report);
}

/* One row says that a word's atomics are slow, two other series that they are
   not: what is read off the row is kept only without them. */
Test(search, a_read_off_is_taken_back_where_others_lose, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"atomic_kept_cycles=2.2"};
	static const char *const free_ones[] = {"atomic_kept_cycles"};
	static const struct given_option given[] = {
		{"threads", "256"}, {"iterations", "12"}};
	const char *targets[] = {
		of_row("row.json", atomics("slow.json", sets, 1),
			"atomics-word"),
		atomics("plain.json", NULL, 0),
		measure("longer.json", "atomic-contention", "1,2,4", given, 2,
			NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = 1,
		.rounds = 2};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	check_recovered(&f, "atomic_kept_cycles", 2.2);
	config.target_count = COUNT(targets);
	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect(strstr(f.report, "atomic_kept_cycles: left as it was"), "%s",
		f.report);
	cr_expect(strstr(f.machine, "\n  atomic_kept_cycles: {value: 1.4,"),
		"%s", f.report);
	cr_expect(strstr(f.report, "not constrained: atomic_kept_cycles\n"),
		"%s", f.report);
}

/* A word's atomics are slower than any value within the bounds makes them. */
Test(search, a_row_that_no_value_gives_is_not_read_off, .init = prepare,
	.fini = clean)
{
	static const char *const sets[] = {"atomic_kept_cycles=9"};
	static const char *const free_ones[] = {"atomic_kept_cycles"};
	const char *targets[] = {of_row(
		"row.json", atomics("slow.json", sets, 1), "atomics-word")};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = 1,
		.rounds = 1};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect(strstr(f.report, "atomic_kept_cycles: left as it was, for no "
				   "value"),
		"%s", f.report);
	cr_expect(strstr(f.machine, "\n  atomic_kept_cycles: {value: 1.4,"),
		"%s", f.report);
}

/* ---- what is known, and what is not ---- */

/* A flit that takes longer makes atomics slower at once; one that takes less
   has nothing to wait for. */
Test(search, one_end_of_an_interval_may_be_open, .init = prepare, .fini = clean)
{
	static const char *const free_ones[] = {"atomic_flit_cycles"};
	const char *targets[] = {atomics("atomics.json", NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 1};
	double value, low, high;
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect_not(strstr(f.report, "not constrained"), "%s", f.report);
	find(&f, free_ones[0], &value, &low, &high);
	cr_expect_float_eq(low, value / 4, 1e-6);
	cr_expect_gt(high, value);
	cr_expect_lt(high, 1.5 * value);
}

/* l1_hit_cycles is read off a chase without samples: one with samples says
   the sum of it and of what timing adds. */
Test(search, other_series_do_not_stand_in_for_what_is_read_off, .init = prepare,
	.fini = clean)
{
	static const struct given_option given[] = {{"op", "ld.ca"},
		{"loads", "512"}, {"chunk", "64"}, {"samples", "yes"}};
	static const char *const free_ones[] = {"l1_hit_cycles"};
	const char *targets[] = {measure("ca.json", "pointer-chase",
		"16KiB,64KiB", given, COUNT(given), NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 1};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_expect(strstr(f.report, "not constrained: l1_hit_cycles\n"), "%s",
		f.report);
}

Test(search, what_nothing_informs_is_not_constrained, .init = prepare,
	.fini = clean)
{
	static const char *const free_ones[] = {"l2_near_cycles",
		"dram_turnaround_cycles", "bridge_bytes_per_cycle",
		"l1_cache_bytes"};
	const char *targets[] = {chase("cg.json", "ld.cg", NULL, 0)};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = COUNT(free_ones),
		.evaluations = 6};
	static struct fitted f;

	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	cr_assert(strstr(f.report, "not constrained: l1_cache_bytes, "
				   "bridge_bytes_per_cycle, "
				   "dram_turnaround_cycles\n"),
		"%s", f.report);
}

/* CSV keeps no programs: it is refused, and what rebuild_programs() makes of it
   is what ran. */
Test(search, programs_come_from_the_series, .init = prepare, .fini = clean)
{
	static const char *const sets[] = {"l2_near_cycles=311"};
	static const char *const free_ones[] = {"l2_near_cycles"};
	const char *csv = path_of("cg.csv"), *rebuilt = path_of("again.json");
	const char *targets[] = {csv};
	const struct backend_config config_of_it = {.machine = machine_path()};
	struct search_config config = {.targets = targets,
		.target_count = 1,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 6};
	struct series_list list, read;
	struct opened opened;
	struct error error;
	static struct fitted f;

	cr_assert_eq(
		series_read(chase("cg.json", "ld.cg", sets, 1), &list, &error),
		0);
	cr_assert_eq(series_write_file(&list, FORMAT_CSV, csv, &error), 0);
	fit(&config, &f);
	cr_assert_eq(f.code, ERR_USAGE);
	cr_expect(strstr(f.error.text, "hold no program"), "%s", f.error.text);
	cr_assert_eq(series_read(csv, &read, &error), 0);
	cr_assert_eq(opened_open(&opened, backend_find("sim"), &config_of_it,
			     &error),
		0);
	cr_assert_eq(rebuild_programs(&read, &opened.device, &error), 0);
	for (size_t i = 0; i < read.items[0].point_count; i++)
		cr_expect_str_eq(read.items[0].points[i].program,
			list.items[0].points[i].program);
	cr_assert_eq(series_write_file(&read, FORMAT_JSON, rebuilt, &error), 0);
	targets[0] = rebuilt;
	fit(&config, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	check_recovered(&f, "l2_near_cycles", 311);
	opened_close(&opened);
	series_list_free(&list);
	series_list_free(&read);
}

/* ---- errors ---- */

static void check_refused(struct search_config *config, const char *sentence)
{
	static const char *targets[1];
	static struct fitted f;

	targets[0] = chase("cg.json", "ld.cg", NULL, 0);
	config->targets = targets;
	config->target_count = 1;
	config->evaluations = 1;
	fit(config, &f);
	cr_expect_eq(f.code, ERR_USAGE);
	cr_expect(strstr(f.error.text, sentence), "'%s' is not in '%s'",
		sentence, f.error.text);
	cr_expect_neq(access(config->output, F_OK), 0);
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	cr_assert(out);
	fputs(text, out);
	fclose(out);
}

Test(search, refuses_what_cannot_be, .init = prepare, .fini = clean)
{
	static const char *const unknown[] = {"no_such_*"};
	static const char *const no_bench[] = {"no-bench"};
	static const char *const no_option[] = {"pointer-chase:color=red"};
	static const char *const absent[] = {"bandwidth"};
	static const char *const all[] = {"pointer-chase"};
	const struct {
		struct search_config config;
		const char *sentence;
	} cases[] = {
		{{.free = unknown, .free_count = 1}, "'no_such_*'"},
		{{.hold_outs = no_bench, .hold_out_count = 1},
			"does not name series"},
		{{.hold_outs = no_option, .hold_out_count = 1},
			"does not name series"},
		{{.hold_outs = absent, .hold_out_count = 1},
			"cannot be held out"},
		{{.hold_outs = all, .hold_out_count = 1}, "no point to fit"},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		struct search_config config = cases[i].config;

		check_refused(&config, cases[i].sentence);
	}
}

Test(search, refuses_states_of_other_calibrations, .init = prepare,
	.fini = clean)
{
	static const char *const free_ones[] = {"l2_near_cycles"};
	static const char *const sets[] = {"l2_near_cycles=311"};
	const char *state = path_of("state.json");
	const char *targets[] = {chase("cg.json", "ld.cg", sets, 1)};
	struct search_config config = {.state = state,
		.resume = true,
		.free = free_ones,
		.free_count = 1,
		.evaluations = 1};
	struct search_config first = config;
	static struct fitted f;
	FILE *out;

	first.targets = targets;
	first.target_count = 1;
	first.output = path_of("first.yaml");
	fit(&first, &f);
	cr_assert_eq(f.code, 0, "%s", f.error.text);
	/* cg.json is measured anew, without the setting */
	check_refused(&config, "belongs to other work: its target");
	write_text(state, "{}\n");
	check_refused(&config, "is no journal");
	remove(state);
	chase("cg.json", "ld.cg", sets, 1);
	fit(&first, &f);
	out = fopen(state, "a");
	cr_assert(out);
	fputs("{\"settings\": 1}\n", out);
	fclose(out);
	fit(&first, &f);
	cr_expect_eq(f.code, ERR_USAGE);
	cr_expect(strstr(f.error.text, "the journal is damaged"), "%s",
		f.error.text);
}

/* ---- parts ---- */

/* A bench with its options, or rows of the suite of `nearfar fit`. */
static bool names_series(const char *word)
{
	struct error error;
	size_t i;

	if (word[0] != '@')
		return !pattern_check(word, &error);
	for (i = 0; i < measure_count; i++)
		if (!fnmatch(word + 1, measures[i].name, 0))
			return true;
	return false;
}

/* The tables speak of parameters and benches that there are. */
Test(search, tables_name_what_there_is)
{
	struct tuning tuning;
	struct error error;
	char word[256];
	const char *list;
	size_t i;

	cr_assert_eq(
		tuning_read(backend_find("sim"), NULL, &tuning, &error), 0);
	for (i = 0; i < readoff_count; i++) {
		cr_expect(tuning_find(&tuning, readoffs[i].parameter) >= 0,
			"%s", readoffs[i].parameter);
		cr_expect(names_series(readoffs[i].series), "%s",
			readoffs[i].series);
		cr_expect(!readoffs[i].less_series ||
				  names_series(readoffs[i].less_series),
			"%s", readoffs[i].parameter);
	}
	for (i = 0; i < choice_count; i++) {
		cr_expect(tuning_find(&tuning, choices[i].parameter) >= 0, "%s",
			choices[i].parameter);
		list = choices[i].series;
		while (next_word(&list, word, sizeof(word)))
			cr_expect(names_series(word), "%s", word);
	}
	for (i = 0; i < group_count; i++) {
		list = groups[i].parameters;
		while (next_word(&list, word, sizeof(word)))
			cr_expect(tuning_find(&tuning, word) >= 0, "%s", word);
		list = groups[i].series;
		while (next_word(&list, word, sizeof(word)))
			cr_expect(names_series(word), "%s", word);
	}
	tuning_free(&tuning);
}

/* Entries fill whole ways, bytes whole lines, and rates have five digits. */
Test(search, values_are_rounded_to_what_a_machine_can_say)
{
	static const struct {
		const char *name;
		double value, rounded;
	} cases[] = {
		{"tlb_entries", 33, 35},
		{"tlb_ways", 7.2, 7},
		{"tlb2_entries", 33, 35},
		{"l1_cache_bytes", 1000, 1024},
		{"l1_hit_cycles", 1.23456789, 1.2346},
	};
	struct tuning tuning;
	struct error error;
	double values[256];
	size_t i;

	cr_assert_eq(
		tuning_read(backend_find("sim"), NULL, &tuning, &error), 0);
	cr_assert_leq(tuning.count, 256);
	for (i = 0; i < tuning.count; i++)
		values[i] = 7;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int index = tuning_find(&tuning, cases[i].name);

		cr_assert(index >= 0, "%s", cases[i].name);
		cr_expect_eq(tuning_round(&tuning, values, (size_t)index,
				     cases[i].value),
			cases[i].rounded, "%s: %g", cases[i].name,
			tuning_round(&tuning, values, (size_t)index,
				cases[i].value));
	}
	tuning_free(&tuning);
}

Test(search, patterns_match_options)
{
	char bench[] = "pointer-chase", op[] = "op", cg[] = "ld.cg";
	char warps[] = "warps", count[] = "16";
	struct fact options[] = {{op, cg}, {warps, count}};
	const struct series series = {.bench = bench, .options = {options, 2}};

	cr_expect(pattern_matches("pointer-chase", &series));
	cr_expect(pattern_matches("a b *", &series));
	cr_expect(pattern_matches("pointer-chase:op=ld.*:warps=16", &series));
	cr_expect(pattern_matches("x pointer-chase:warps=1?", &series));
	cr_expect_not(pattern_matches("pointer", &series));
	cr_expect_not(pattern_matches("pointer-chase:op=ld", &series));
	cr_expect_not(pattern_matches("pointer-chase:lanes=1", &series));
	cr_expect(pattern_matches("pointer-chase:lanes=", &series));
	cr_expect_not(pattern_matches("pointer-chase:warps=", &series));
	cr_expect_not(pattern_matches("", &series));
}

static struct residuals residuals_of(double *items, size_t *series, size_t n)
{
	return (struct residuals){items, series, n};
}

Test(search, rise_grows_with_misfit_and_correlation)
{
	size_t one[8] = {0}, i;
	double flat[8] = {0}, waves[8], steps[8];
	struct residuals r;

	for (i = 0; i < 8; i++) {
		waves[i] = i % 2 ? 3 : -3;
		steps[i] = i < 4 ? 3 : -3;
	}
	r = residuals_of(flat, one, 8);
	cr_expect_float_eq(residuals_rise(&r), 1, 1e-9);
	r = residuals_of(waves, one, 8); /* neighbours do not agree */
	cr_expect_float_eq(residuals_rise(&r), 9, 1e-9);
	r = residuals_of(steps, one, 8); /* a = 5/8 */
	cr_expect_float_eq(residuals_rise(&r), 9.0 * 13 / 3, 1e-9);
}
