/*
 * What an operator leaves behind. The first operator touches a word of each
 * line, the second, a load or an atomic, is timed at an offset from it: the
 * same word, the same sector, the same line, the next line. Where it was
 * found says what the first one left in L1 and L2.
 */
#include <string.h>

#include "bench/memory.h"
#include "bench/probe.h"

#define OFFSET_MAX 508u

static const struct bench_option options[] = {
	{"first", OPTION_CHOICE, "ld.ca",
		"none" PROBE_LOAD_CHOICES PROBE_OTHER_CHOICES,
		"operator that touches"},
	{"then", OPTION_CHOICE, "ld.ca", "atom.add" PROBE_LOAD_CHOICES,
		"operator that is timed"},
	{"before", OPTION_CHOICE, "none",
		"none" PROBE_LOAD_CHOICES PROBE_OTHER_CHOICES,
		"operator that touched the word earlier still"},
	{"span", OPTION_CHOICE, "4", "4|32|128",
		"bytes that the first operator touches, 4 by each lane"},
	{"lines", OPTION_COUNT, "512", NULL, "lines that are probed", 1, 8192},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that touches and probes", 0,
		511},
	MEMORY_OPTION,
	{0},
};

static const struct axis offset = {"probed_offset_bytes", AXIS_BYTES,
	"0,4,32,64,128", "offset of the timed word from the touched one"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &offset;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_SHARE_L1 | 1u << METRIC_SHARE_NEAR |
	       1u << METRIC_SHARE_FAR | 1u << METRIC_SHARE_DRAM;
}

static bool starts(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

/* An operator that moves no data of its lanes has no lanes to spread. */
static bool takes_lanes(const char *word)
{
	return starts(word, "ld.") || starts(word, "st.") ||
	       starts(word, "atom.") || starts(word, "red.");
}

static void touch(struct program *p, const struct probe_lines *lines,
	const char *word, unsigned lanes)
{
	struct insn *insn;

	if (!strcmp(word, "none"))
		return;
	if (starts(word, "fence.")) {
		program_ptx(p, probe_spelling(word));
		return;
	}
	program_repeat(p, lines->count);
	insn = probe_access(p, lines, probe_spelling(word), 0);
	if (takes_lanes(word))
		insn->address.lane_bytes = 4;
	else if (lanes > 1)
		insn->guard = GUARD_LANE0;
	program_end(p);
	probe_settle(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct probe_lines lines = {
		.count = (uint64_t)bench_number(args, "lines"),
		.stride_bytes = PROBE_STRIDE_BYTES,
		.sm = (unsigned)bench_number(args, "sm"),
		.memory = memory_option(args),
	};
	static const unsigned spans[] = {4, 32, 128};
	unsigned lanes = spans[(int)bench_number(args, "span")] / 4;

	(void)device;
	if ((uint64_t)x % 4 || x > OFFSET_MAX)
		return error_set(error, ERR_USAGE,
			"a probed offset is a multiple of 4 up to %u bytes",
			OFFSET_MAX);
	program_init(p, "cache-ops", args->seed);
	probe_buffer(p, &lines, "lines");
	probe_yardsticks(p, &lines, (uint64_t)x);
	probe_launch(p, &lines, "probe", lanes);
	touch(p, &lines, bench_text(args, "before"), lanes);
	touch(p, &lines, bench_text(args, "first"), lanes);
	probe_time(p, &lines, "measure",
		probe_spelling(bench_text(args, "then")), (uint64_t)x);
	return 0;
}

const struct bench bench_cache_ops = {
	.name = "cache-ops",
	.summary = "what each operator leaves in L1 and L2",
	.about = "A first operator touches a word of each line; a second one "
		 "is timed at an offset from it: the same word, the same "
		 "sector, the same line, the next line. Where the second one "
		 "is answered says what the first one left in L1 and L2.",
	.examples = {"cache-ops --first ld.ca --then ld.cg --lines 64",
		"cache-ops --first all --then ld.ca --lines 32 -x 0,32"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
