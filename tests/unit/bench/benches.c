/* What the programs of single benches promise, and the metrics they bring. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/account.h"
#include "harness/program/address.h"
#include "harness/run/metrics.h"
#include "harness/run/plan.h"
#include "harness/run/registry.h"

TestSuite(benches, .timeout = 120);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OPTIONS_MAX  4

static const struct device device = {
	.name = "test",
	.sm_count = 132,
	.sm_arch = 90,
	.ptx_version = 80,
	.warps_per_sm_max = 64,
	.l1_bytes = 256 << 10,
	.shared_bytes_per_block_max = 227 << 10,
	.l2_bytes = 60 << 20,
	.memory_bytes = 140ull << 30,
	.persisting_bytes_max = 30 << 20,
	.clock_hz = 1.98e9,
};

/* `given` ends where a name is NULL. */
static int build(const char *name, const struct given_option *given, double x,
	struct program *p, struct error *error)
{
	struct plan plan = {0};
	size_t i, count = 0;
	int code = ERR_FAILED;

	while (count < OPTIONS_MAX && given && given[count].name)
		count++;
	for (i = 0; benches[i]; i++) {
		if (strcmp(benches[i]->name, name))
			continue;
		code = plan_bench(
			&plan, benches[i], given, count, NULL, &device, error);
		cr_assert_eq(code, 0, "%s", error->text);
		code = plan_build(&plan, &device, x, 1, p, error);
		plan_free(&plan);
	}
	return code;
}

static void must_build(const char *name, const struct given_option *given,
	double x, struct program *p)
{
	struct error error = {""};

	cr_assert_eq(0, build(name, given, x, p, &error), "%s: %s", name,
		error.text);
}

/* A metric of a program whose regions all took 1000 cycles of a ns each. */
static double metric_of(const struct program *p, enum metric metric)
{
	struct values values[METRIC_COUNT] = {0};
	struct result result = {.clock_hz = 1e9};
	struct error error = {""};
	double value;
	size_t i;

	for (i = 0; i < PROGRAM_REGIONS_MAX; i++)
		result.spans[i] = (struct span){1000, 1000};
	cr_assert_eq(0,
		metrics_add(p, &result, &device, 1u << metric, values, &error),
		"%s", error.text);
	cr_assert_eq(values[metric].count, 1);
	value = values[metric].items[0];
	values_free(&values[metric]);
	return value;
}

/* ---- coalescing ---- */

Test(benches, coalescing_is_as_counted_by_hand)
{
	static const struct {
		const char *width, *offset, *spread;
		double stride, sectors, share;
	} rows[] = {
		{"4", "0", "stride", 4, 4, 1},
		{"4", "0", "stride", 8, 8, 0.5},
		{"4", "0", "stride", 12, 12, 1.0 / 3},
		{"4", "0", "stride", 16, 16, 0.25},
		{"4", "0", "stride", 32, 32, 0.125},
		{"4", "0", "stride", 128, 32, 0.125},
		{"8", "0", "stride", 8, 8, 1},
		{"16", "0", "stride", 16, 16, 1},
		{"16", "0", "stride", 128, 32, 0.5},
		/* a word further: one sector more where lanes are dense */
		{"4", "4", "stride", 4, 5, 0.8},
		{"4", "28", "stride", 4, 5, 0.8},
		{"4", "32", "stride", 4, 4, 1},
		{"4", "4", "stride", 32, 32, 0.125},
		/* the last lane's word is the last of its sector */
		{"4", "4", "stride", 8, 8, 0.5},
		/* all at one word: 128 useful bytes of one sector */
		{"4", "0", "stride", 0, 1, 4},
		{"4", "0", "same", 128, 1, 4},
	};
	static const char *const ops[] = {"ld.cg", "ld.ca", "st.wb"};
	struct program p;
	size_t i, k;

	for (i = 0; i < COUNT(rows); i++)
		for (k = 0; k < COUNT(ops); k++) {
			const struct given_option given[OPTIONS_MAX] = {
				{"width", rows[i].width},
				{"offset", rows[i].offset},
				{"spread", rows[i].spread},
				{"op", ops[k]},
			};

			must_build("coalescing", given, rows[i].stride, &p);
			cr_expect_float_eq(
				metric_of(&p, METRIC_SECTORS_PER_REQUEST),
				rows[i].sectors, 1e-9, "row %zu, %s", i,
				ops[k]);
			cr_expect_float_eq(metric_of(&p, METRIC_USEFUL_SHARE),
				rows[i].share, 1e-9, "row %zu, %s", i, ops[k]);
		}
}

/* Random words of 32 strides: never more sectors than the window has, and
   more as it grows. */
Test(benches, coalescing_random_words_stay_in_their_window)
{
	static const struct given_option given[OPTIONS_MAX] = {
		{"spread", "random"}};
	double before = 0, sectors;
	uint64_t stride;
	struct program p;

	for (stride = 4; stride <= 256; stride *= 2) {
		must_build("coalescing", given, (double)stride, &p);
		sectors = metric_of(&p, METRIC_SECTORS_PER_REQUEST);
		cr_expect_leq(sectors, (double)stride);
		cr_expect_leq(sectors, 32);
		cr_expect_gt(sectors, before);
		before = sectors;
	}
}

/* The offset of lane `w->lane` in the first instruction with an address. */
static uint64_t offset_of(
	const struct program *p, uint32_t insn, struct whereabouts w)
{
	w.insn = insn;
	return address_offset(p, &p->insns[insn].address, &w);
}

static uint32_t access_in(const struct program *p, const char *region)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	int number = program_region(p, region);
	uint32_t i;

	cr_assert_geq(number, 0);
	program_regions(p, regions);
	for (i = regions[number].insn_index; i < p->insn_count; i++)
		if (p->insns[i].address.mode != ADDRESS_NONE)
			break;
	return i;
}

/* No SM leaves its part of the buffer, and no two loads that an unrolled
   iteration has under way are at one address. */
Test(benches, coalescing_keeps_each_sm_in_its_part)
{
	static const struct given_option given[OPTIONS_MAX] = {
		{"sms", "0"}, {"footprint", "160KiB"}};
	static const double strides[] = {4, 12, 64, 128, 512, 1024};
	struct program p;
	size_t i;
	uint32_t lane, warp, copy;

	for (i = 0; i < COUNT(strides); i++) {
		uint32_t insn;
		uint64_t before = UINT64_MAX;

		must_build("coalescing", given, strides[i], &p);
		insn = access_in(&p, "measure");
		for (warp = 0; warp < 32; warp++)
			for (copy = 0; copy < 8; copy++)
				for (lane = 0; lane < 32; lane += 31) {
					struct whereabouts w = {.lane = lane,
						.warp = warp,
						.block = 7,
						.warps_per_block = 32,
						.loop = {0, copy}};
					uint64_t at = offset_of(&p, insn, w);

					cr_expect_eq(at / (160 << 10), 7,
						"stride %g", strides[i]);
					cr_expect_neq(at, before);
					before = at;
				}
	}
}

/* ---- loaded-latency ---- */

/* How often the roles of the last launch name each SM. */
static void name_sms(const struct program *p, unsigned named[132])
{
	const struct step *step = &p->steps[p->step_count - 1];
	uint32_t r, i;

	memset(named, 0, 132 * sizeof(*named));
	for (r = 0; r < step->role_count; r++) {
		const struct role *role = &p->roles[step->role_first + r];

		for (i = 0; i < role->sm_count; i++)
			named[role->sm_first + i]++;
	}
}

Test(benches, loading_sms_are_all_but_the_chasing_tpc)
{
	static const char *const chasers[] = {"0", "5", "130", "131"};
	static const double loads[] = {0, 1, 2, 3, 96, 130};
	unsigned named[132], sum, sm;
	struct program p;
	size_t i, k;

	for (i = 0; i < COUNT(chasers); i++)
		for (k = 0; k < COUNT(loads); k++) {
			const struct given_option given[OPTIONS_MAX] = {
				{"sm", chasers[i]}};
			unsigned chaser = (unsigned)atoi(chasers[i]);

			must_build("loaded-latency", given, loads[k], &p);
			name_sms(&p, named);
			for (sum = sm = 0; sm < 132; sm++) {
				cr_expect_leq(named[sm], 1);
				sum += named[sm];
			}
			cr_expect_eq(sum, 1 + (unsigned)loads[k]);
			cr_expect_eq(named[chaser], 1);
			cr_expect_eq(named[chaser ^ 1], 0);
		}
}

/* Timed and background roles together walk through every block once. */
Test(benches, loading_sms_share_the_blocks)
{
	static const struct given_option given[OPTIONS_MAX] = {
		{"sm", "100"}, {"level", "dram"}};
	unsigned seen[130] = {0};
	const struct step *step;
	struct program p;
	uint32_t r, i, b;

	must_build("loaded-latency", given, 130, &p);
	step = &p.steps[p.step_count - 1];
	for (r = 1; r < step->role_count; r++) {
		const struct role *role = &p.roles[step->role_first + r];

		for (i = role->insn_first; !p.insns[i].address.mode; i++)
			;
		cr_expect_eq(p.insns[i].address.loop_bytes[0], 130 * 16384);
		for (b = 0; b < role->sm_count; b++) {
			struct whereabouts w = {
				.block = b, .warps_per_block = 32};

			seen[offset_of(&p, i, w) / 16384]++;
		}
	}
	for (b = 0; b < 130; b++)
		cr_expect_eq(seen[b], 1, "block %u", b);
}

/* 1000 ns: the timed SM's bytes, times all that run its body. */
Test(benches, load_counts_the_background)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct account a;
	struct program p;

	must_build("loaded-latency", NULL, 0, &p);
	cr_expect_eq(metric_of(&p, METRIC_LOAD_GB_PER_S), 0);
	must_build("loaded-latency", NULL, 64, &p);
	program_regions(&p, regions);
	account_region(&p, (size_t)program_region(&p, "load"), 132, &a);
	cr_expect_eq(a.useful_bytes,
		512.0 * 32 *
			(double)regions[program_region(&p, "load")]
				.repeat->count);
	cr_expect_float_eq(metric_of(&p, METRIC_LOAD_GB_PER_S),
		64 * a.useful_bytes / 1000, 1e-6);
}

/* ---- tlb-reach ---- */

Test(benches, a_page_has_one_slot)
{
	static const uint64_t strides[] = {64 << 10, 2 << 20, 512 << 20};
	static const char *const words[] = {"64KiB", "2MiB", "512MiB"};
	struct error error = {""};
	struct program p;
	size_t i;

	for (i = 0; i < COUNT(strides); i++) {
		const struct given_option given[OPTIONS_MAX] = {
			{"stride", words[i]}};
		uint64_t most = (UINT64_C(140) << 30) / strides[i], slot;

		must_build("tlb-reach", given, 100, &p);
		cr_expect_eq(buffer_ring_slots(&p.buffers[0]), 100);
		slot = p.buffers[0].slot_bytes;
		cr_expect_eq(slot, strides[i] + PROGRAM_LINE_BYTES);
		cr_expect_leq(100 * slot, p.buffers[0].bytes);
		cr_expect_eq(ERR_SKIPPED,
			build("tlb-reach", given, (double)most, &p, &error));
		cr_expect(strstr(error.text, words[i]), "%s", error.text);
	}
}

/* ---- sharing ---- */

static void shares(const char *machine, const char *bench,
	const struct given_option *given, double consumer, double share[4])
{
	struct values values[METRIC_COUNT] = {0};
	struct backend_config config = {.machine = machine};
	struct backend *model = NULL;
	struct result result = {0};
	struct error error = {""};
	struct program p;
	int i;

	must_build(bench, given, consumer, &p);
	cr_assert_eq(0, backend_sim.open(&model, &config, &error));
	cr_assert_eq(0, backend_sim.run(model, &p, &result, &error), "%s",
		error.text);
	cr_assert_eq(0,
		metrics_add(&p, &result, &device, 15u << METRIC_SHARE_L1,
			values, &error),
		"%s", error.text);
	for (i = 0; i < 4; i++) {
		share[i] = values[METRIC_SHARE_L1 + i].items[0];
		values_free(&values[METRIC_SHARE_L1 + i]);
	}
	result_free(&result);
	backend_sim.close(model);
}

/* On the model SM 1 is on the side of SM 0, and SM 123 on the other. */
Test(benches, sharing_finds_what_was_left)
{
	static const struct {
		const char *produce, *consume, *form;
		double consumer, share[4]; /* L1, near, far, DRAM */
	} rows[] = {
		{"none", "ld.cg", "fresh", 1, {0, 0, 0, 1}},
		/* a load leaves a copy on its own side, and fills the homes */
		{"ld.cg", "ld.cg", "fresh", 1, {0, 1, 0, 0}},
		{"ld.cg", "ld.cg", "fresh", 123, {0, 0.5, 0.5, 0}},
		/* a store goes home and leaves a copy, which an atomic at its
		   home must take back first; as far as DRAM, or so it seems */
		{"st.wb", "ld.cg", "fresh", 1, {0, 1, 0, 0}},
		{"st.wb", "ld.cg", "fresh", 123, {0, 0.5, 0, 0.5}},
		{"st.wb", "atom.add", "fresh", 123, {0, 0, 0.5, 0.5}},
		/* an atomic from afar brings one sector, too little to send */
		{"atom.add", "ld.cg", "fresh", 1, {0, 0.5, 0, 0.5}},
		{"atom.add", "ld.cg", "fresh", 123, {0, 0.5, 0.5, 0}},
		/* L1 keeps the old value; L2 has the new one, at home */
		{"st.wb", "ld.ca", "stale", 1, {1, 0, 0, 0}},
		{"st.wb", "ld.cg", "stale", 123, {0, 0.5, 0.5, 0}},
	};
	double share[4];
	size_t i, k;

	for (i = 0; i < COUNT(rows); i++) {
		const struct given_option given[OPTIONS_MAX] = {
			{"produce", rows[i].produce},
			{"consume", rows[i].consume}, {"form", rows[i].form},
			{"lines", "256"}};

		shares(NULL, "sharing", given, rows[i].consumer, share);
		for (k = 0; k < 4; k++)
			cr_expect_float_eq(share[k], rows[i].share[k], 0.03,
				"row %zu, level %zu: %g", i, k, share[k]);
	}
}

/* Of far memory "near" is the peer's L2, "DRAM" the memory behind it; the
   host's has no cache but L1. */
Test(benches, cache_ops_tell_the_levels_of_far_memory)
{
	static const struct {
		const char *memory, *first, *then;
		double share[4];
	} rows[] = {
		{"peer", "none", "ld.cg", {0, 0, 0, 1}},
		{"peer", "ld.ca", "ld.ca", {1, 0, 0, 0}},
		{"peer", "ld.ca", "ld.cg", {0, 1, 0, 0}},
		{"peer", "prefetch.L2", "ld.ca", {0, 0, 0, 1}},
		{"host", "ld.ca", "ld.ca", {1, 0, 0, 0}},
		{"host", "ld.ca", "ld.cg", {0, 0, 0, 1}},
	};
	double share[4];
	size_t i, k;

	for (i = 0; i < COUNT(rows); i++) {
		const struct given_option given[OPTIONS_MAX] = {
			{"memory", rows[i].memory}, {"first", rows[i].first},
			{"then", rows[i].then}, {"lines", "64"}};

		shares("h200-sxm-x2", "cache-ops", given, 0, share);
		for (k = 0; k < 4; k++)
			cr_expect_float_eq(share[k], rows[i].share[k], 0.03,
				"row %zu, level %zu: %g", i, k, share[k]);
	}
}

/* The producer of the stale form stores when the consumer has read all lines,
   which takes it as long as the memory is far. */
Test(benches, a_producer_waits_for_the_consumer)
{
	static const struct {
		const char *memory;
		uint64_t line_cycles; /* of a load */
	} rows[] = {{"device", 700}, {"peer", 2000}, {"host", 2400}};
	const uint64_t lines = 256;
	struct program p;
	uint32_t insn;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct given_option given[OPTIONS_MAX] = {
			{"memory", rows[i].memory}, {"form", "stale"},
			{"lines", "256"}};

		must_build("sharing", given, 4, &p);
		for (insn = 0; p.insns[insn].op != OP_DELAY; insn++)
			;
		cr_expect_gt(p.insns[insn].count, lines * rows[i].line_cycles,
			"%s", rows[i].memory);
	}
}

/* ---- remote ---- */

static double copy_metric(const struct given_option *given, double x,
	enum metric metric, struct program *p)
{
	struct values values[METRIC_COUNT] = {0};
	struct backend_config config = {.machine = "h200-sxm-x2"};
	struct backend *model = NULL;
	struct result result = {0};
	struct error error = {""};
	double value;

	must_build("remote", given, x, p);
	cr_assert_eq(0, backend_sim.open(&model, &config, &error));
	cr_assert_eq(0, backend_sim.run(model, p, &result, &error), "%s",
		error.text);
	cr_assert_eq(0,
		metrics_add(p, &result, &device, 1u << metric, values, &error),
		"%s", error.text);
	value = values[metric].items[0];
	values_free(&values[metric]);
	result_free(&result);
	backend_sim.close(model);
	return value;
}

/* As a pair of H200s was measured: 4 KiB at 0.24 GB/s, and 394 of large ones,
   also where both ways share the engine; SMs start sooner. */
Test(benches, remote_copies_by_engine_and_by_sms)
{
	const struct given_option engine[OPTIONS_MAX] = {{"by", "engine"}};
	const struct given_option sms[OPTIONS_MAX] = {{"by", "sms"}};
	const struct given_option both[OPTIONS_MAX] = {
		{"by", "engine"}, {"way", "both"}};
	struct program p;
	double large;

	cr_expect_float_eq(copy_metric(engine, 4096, METRIC_COPY_GB_PER_S, &p),
		0.24, 0.01);
	cr_expect_eq(p.steps[0].kind, STEP_COPY);
	large = copy_metric(engine, 1 << 30, METRIC_COPY_GB_PER_S, &p);
	cr_expect_float_eq(large, 394, 4, "%g", large);
	cr_expect_float_eq(
		copy_metric(both, 1 << 30, METRIC_COPY_GB_PER_S, &p), large, 4);
	cr_expect_eq(p.buffer_count, 4);
	cr_expect_lt(copy_metric(sms, 1 << 16, METRIC_COPY_NS, &p),
		copy_metric(engine, 1 << 16, METRIC_COPY_NS, &p) / 4);
	/* each byte is loaded and stored, and copied once */
	cr_expect_lt(copy_metric(sms, 1 << 24, METRIC_COPY_GB_PER_S, &p), 387);
}

Test(benches, remote_sms_copy_no_less_than_a_block)
{
	const struct given_option sms[OPTIONS_MAX] = {{"by", "sms"}};
	struct error error = {""};
	struct program p;

	cr_expect_eq(build("remote", sms, 4096, &p, &error), ERR_SKIPPED);
	cr_expect_str_eq(error.text, "SMs copy 16384 bytes at least");
}

/* cvt makes a policy of the property of an access window, of which there are
   three. */
Test(benches, a_converted_policy_needs_a_property)
{
	const struct given_option last[OPTIONS_MAX] = {
		{"hot-as", "L2::evict_last"}, {"policy", "cvt"}};
	const struct given_option unchanged[OPTIONS_MAX] = {
		{"hot-as", "L2::evict_unchanged"}, {"policy", "cvt"}};
	struct error error = {""};
	struct program p;

	cr_expect_eq(
		build("residency", last, 0, &p, &error), 0, "%s", error.text);
	cr_expect_eq(build("residency", unchanged, 0, &p, &error), ERR_USAGE);
	cr_expect_str_eq(error.text,
		"--policy cvt has no property for L2::evict_unchanged");
}

/* ---- extremes ---- */

/* Every option of every bench at its ends, at every end of its axis, is built,
   skipped or refused. UBSan sees a number that does not fit (`make asan`). */
static void build_extremes(const struct bench *bench,
	const struct given_option *given, size_t count)
{
	static const double ends[] = {
		0, 1, 3, 4096, UINT32_MAX, 0x1p33, 0x1p40 - 1, 0x1p40};
	struct plan plan = {0};
	struct error error = {""};
	struct program p;
	size_t i;
	int code =
		plan_bench(&plan, bench, given, count, NULL, &device, &error);

	cr_expect(!code || code == ERR_USAGE, "%s", error.text);
	for (i = 0; !code && i < COUNT(ends); i++) {
		int built;

		if (bench->axis(&plan.args)->unit == AXIS_COUNT &&
			ends[i] > UINT32_MAX)
			continue;
		built = plan_build(&plan, &device, ends[i], 1, &p, &error);
		cr_expect(!built || built == ERR_USAGE || built == ERR_SKIPPED,
			"%s %s=%s at %g: %s", bench->name,
			count ? given[0].name : "", count ? given[0].text : "",
			ends[i], error.text);
	}
	plan_free(&plan);
}

static void end_text(const struct bench_option *option, bool greatest,
	char *text, size_t bytes)
{
	double end = greatest ? option->maximum > 0 ? option->maximum : 0x1p40
			      : option->minimum;

	snprintf(text, bytes, option->type == OPTION_REAL ? "%g" : "%.0f", end);
}

Test(benches, extremes_of_options_and_axes)
{
	const struct bench_option *option;
	char text[64], *word, *rest;
	size_t i;
	int end;

	for (i = 0; benches[i]; i++) {
		build_extremes(benches[i], NULL, 0);
		for (option = benches[i]->options; option->name; option++) {
			struct given_option given = {option->name, text};
			char *choices =
				strdup(option->choices ? option->choices : "");

			rest = choices;
			while (option->choices && (word = strsep(&rest, "|")))
				build_extremes(benches[i],
					&(struct given_option){
						option->name, word},
					1);
			free(choices);
			for (end = 0; !option->choices && end < 2; end++) {
				end_text(option, end, text, sizeof(text));
				if (option->type == OPTION_FLAG)
					strcpy(text, end ? "yes" : "no");
				build_extremes(benches[i], &given, 1);
			}
		}
	}
}

/* ---- bandwidth ---- */

/* Of 60 MiB of L2 reads have half of it for sure, and an L1 has 256 KiB. */
Test(benches, bandwidth_names_the_level_that_serves)
{
	static const struct {
		struct given_option given[OPTIONS_MAX];
		double x;
		const char *level;
	} rows[] = {
		{{{"over", "footprint"}}, 16 << 20, "L2"},
		{{{"over", "footprint"}}, 40 << 20, "L2 and DRAM"},
		{{{"over", "footprint"}}, 512 << 20, "DRAM"},
		{{{"over", "footprint"}, {"access", "write"}}, 40 << 20, "L2"},
		{{{"over", "footprint"}, {"access", "copy"}}, 40 << 20,
			"L2 and DRAM"},
		{{{"over", "footprint"}, {"cop", "ca"}}, 8 << 20, "L1"},
		{{{"over", "footprint"}, {"cop", "ca"}, {"shared", "yes"}},
			8 << 20, "L2"},
		{{{"footprint", "16MiB"}}, 8, "L2"},
		{{{"footprint", "16MiB"}, {"memory", "host"}}, 8, NULL},
	};
	const struct bench *bench = bench_find("bandwidth");
	struct error error = {""};
	size_t i, count;

	for (i = 0; i < COUNT(rows); i++) {
		struct bench_args args;
		const char *level;

		for (count = 0;
			count < OPTIONS_MAX && rows[i].given[count].name;)
			count++;
		cr_assert_eq(0,
			plan_args(bench, rows[i].given, count, &args, &error));
		level = bench->served_by(&args, &device, rows[i].x);
		cr_expect(!level == !rows[i].level &&
				  (!level || !strcmp(level, rows[i].level)),
			"%zu: %s", i, level ? level : "none");
	}
}

/* ---- atomics ---- */

/* Of the contending SMs the first times its atomics, and the others go on with
   theirs: on the words that are theirs. */
Test(benches, one_contending_sm_times_its_atomics)
{
	static const struct given_option own[OPTIONS_MAX] = {
		{"pattern", "thread-word"}, {"form", "red"}};
	static const struct given_option shared[OPTIONS_MAX] = {
		{"pattern", "lines"}, {"lines", "8"}};
	const struct role *timed, *others;
	struct program p;

	must_build("atomic-contention", own, 8, &p);
	cr_assert_eq(p.role_count, 4);
	timed = &p.roles[1];
	others = &p.roles[2];
	cr_expect_str_eq(p.steps[1].name, "contended");
	cr_expect_eq(p.steps[1].role_count, 2);
	cr_expect_eq(timed->sm_first, 0);
	cr_expect_eq(timed->sm_count, 1);
	cr_expect_eq(timed->threads, 1024);
	cr_expect(others->background);
	cr_expect_eq(others->sm_first, 1);
	cr_expect_eq(others->sm_count, 7);
	cr_expect_eq(p.insns[others->insn_first + 1].op, OP_RED);
	cr_expect_eq(p.insns[others->insn_first + 1].address.base_bytes, 4096);
	must_build("atomic-contention", shared, 8, &p);
	cr_expect_eq(p.insns[p.roles[2].insn_first + 1].address.base_bytes, 0);
	must_build("atomic-contention", own, 1, &p);
	cr_expect_eq(p.role_count, 3); /* it contends with itself */
	cr_expect_geq(program_region(&p, "latency"), 0);
	cr_expect_geq(program_region(&p, "lone"), 0);
}

/* Regions of 100, 3000 and 300 cycles an atomic: none is another's metric. */
Test(benches, latencies_of_atomics_are_kept_apart)
{
	static const struct given_option given[OPTIONS_MAX] = {
		{"threads", "32"}};
	struct values values[METRIC_COUNT] = {0};
	struct sample samples[] = {
		{.cycles = 6400}, {.cycles = 3000}, {.cycles = 300}};
	struct result result = {
		.clock_hz = 1e9, .samples = samples, .sample_count = 3};
	struct error error = {""};
	struct program p;

	must_build("atomic-contention", given, 4, &p);
	samples[0].region = program_region(&p, "measure");
	samples[1].region = program_region(&p, "latency");
	samples[2].region = program_region(&p, "lone");
	cr_assert_eq(0, metrics_add(&p, &result, &device,
				1u << METRIC_LATENCY_CYCLES |
					1u << METRIC_LONE_LATENCY_CYCLES,
				values, &error));
	cr_assert_eq(values[METRIC_LATENCY_CYCLES].count, 1);
	cr_assert_eq(values[METRIC_LONE_LATENCY_CYCLES].count, 1);
	cr_expect_eq(values[METRIC_LATENCY_CYCLES].items[0], 3000);
	cr_expect_eq(values[METRIC_LONE_LATENCY_CYCLES].items[0], 300);
	values_free(&values[METRIC_LATENCY_CYCLES]);
	values_free(&values[METRIC_LONE_LATENCY_CYCLES]);
}

/* Each bench with --memory puts all of its buffers there, and no other does. */
Test(benches, memory_is_where_the_option_says)
{
	static const struct {
		const char *word;
		enum memory_kind memory;
	} rows[] = {{"device", MEMORY_PLAIN}, {"peer", MEMORY_PEER},
		{"host", MEMORY_HOST}};
	static const struct {
		const char *bench;
		double x;
	} far[] = {{"pointer-chase", 65536}, {"stride-sweep", 4},
		{"atomic-contention", 4}, {"bandwidth", 4},
		{"loaded-latency", 4}, {"cache-ops", 4}, {"coalescing", 4},
		{"sharing", 4}, {"tlb-reach", 64}, {"prefetch-size", 0},
		{"residency", 1 << 20}};
	struct program p;
	size_t i, k;
	uint32_t b;

	for (i = 0; i < COUNT(far); i++)
		for (k = 0; k < COUNT(rows); k++) {
			const struct given_option given[OPTIONS_MAX] = {
				{"memory", rows[k].word}};

			must_build(far[i].bench, given, far[i].x, &p);
			for (b = 0; b < p.buffer_count; b++)
				cr_expect_eq(p.buffers[b].memory,
					rows[k].memory, "%s, %s", far[i].bench,
					p.buffers[b].name);
		}
}

Test(benches, a_copy_goes_from_memory_to_memory)
{
	const struct given_option given[OPTIONS_MAX] = {
		{"access", "copy"}, {"memory", "peer"}, {"to", "device"}};
	const struct given_option wrong[OPTIONS_MAX] = {{"to", "host"}};
	struct error error = {""};
	struct program p;

	must_build("bandwidth", given, 4, &p);
	cr_assert_eq(p.buffer_count, 2);
	cr_expect_eq(p.buffers[0].memory, MEMORY_PEER);
	cr_expect_eq(p.buffers[1].memory, MEMORY_PLAIN);
	cr_expect_eq(build("bandwidth", wrong, 4, &p, &error), ERR_USAGE);
	cr_expect_str_eq(error.text, "--to host goes with --access copy only");
}

Test(benches, the_headline_is_a_metric_that_a_run_has)
{
	struct error error;
	size_t i;

	for (i = 0; benches[i]; i++) {
		struct plan plan = {0};
		int headline = (int)benches[i]->headline;

		cr_assert_eq(plan_bench(&plan, benches[i], NULL, 0, NULL,
				     &device, &error),
			0, "%s", error.text);
		/* What a warp's access costs in a cache is no part of all runs.
		 */
		if (!strcmp(benches[i]->name, "coalescing"))
			headline = METRIC_USEFUL_GB_PER_S;
		cr_expect(plan.metrics >> headline & 1, "%s", benches[i]->name);
		plan_free(&plan);
	}
}

Test(benches, a_series_shows_the_headline_of_its_bench)
{
	char name[] = "atomic-contention", other[] = "mine";
	struct series series = {.bench = name,
		.metrics = METRIC_BIT(METRIC_LATENCY_CYCLES) |
			   METRIC_BIT(METRIC_ATOMICS_PER_CYCLE)};

	cr_expect_eq(series_primary(&series), METRIC_ATOMICS_PER_CYCLE);
	series.bench = other;
	cr_expect_eq(series_primary(&series), METRIC_LATENCY_CYCLES);
	series.bench = name;
	series.metrics = METRIC_BIT(METRIC_LATENCY_NS);
	cr_expect_eq(series_primary(&series), METRIC_LATENCY_NS);
}
