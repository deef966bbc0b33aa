/*
 * Where SMs meet. One SM touches lines, then another looks for them: a copy
 * that a load left on the producer's side, a store's or an atomic's line at
 * its home, or nothing. Each line is measured by the consumer in every state
 * first, so that it is its own yardstick (levels.h).
 *
 * The stale form shows that L1 is not coherent: the consumer reads the lines,
 * the producer stores to them meanwhile, and the consumer reads them again.
 * What L1 answers then is the old value.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

/* Lines a page and a bit apart: they spread over homes, slices and sets. */
#define STRIDE_BYTES 4608u
/* More than a line's touch, store or probe takes, one after the other. */
#define LINE_CYCLES     1500
#define FAR_LINE_CYCLES 5000
#define START_CYCLES    50000

static const struct bench_option options[] = {
	{"produce", OPTION_CHOICE, "st.wb", "ld.cg|st.wb|atom.add|red.add|none",
		"what the producer does to each line"},
	{"consume", OPTION_CHOICE, "ld.cg", "ld.cg|ld.ca|atom.add",
		"what the consumer does, and times"},
	{"store", OPTION_CHOICE, "32", "4|32",
		"bytes of each line that st.wb writes: a part of a sector, or "
		"all of it"},
	{"form", OPTION_CHOICE, "fresh", "fresh|stale",
		"the consumer comes after the producer; or has read the lines "
		"before"},
	{"producer", OPTION_COUNT, "0", NULL, "the SM that produces (%smid)", 0,
		511},
	{"lines", OPTION_COUNT, "1024", NULL, "lines that are probed", 1, 8192},
	MEMORY_OPTION,
	{0},
};

static const struct axis consumer_sm = {"consumer_sm", AXIS_COUNT,
	"0,1,2,3,4,5,6,7,8,16,24,32,48,64,80,96,112,%S-1",
	"the SM that consumes (%smid)"};

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &consumer_sm;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_SHARE_L1 |
	       1u << METRIC_SHARE_NEAR | 1u << METRIC_SHARE_FAR |
	       1u << METRIC_SHARE_DRAM;
}

/* NULL for an operation that does nothing. */
static const char *spelling(const char *op)
{
	static const struct {
		const char *op, *spelling;
	} rows[] = {
		{"ld.cg", "ld.global.cg.b32"},
		{"ld.ca", "ld.global.ca.b32"},
		{"st.wb", "st.global.wb.b32"},
		{"atom.add", "atom.global.add.u32"},
		{"red.add", "red.global.add.u32"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].op, op))
			return rows[i].spelling;
	return NULL;
}

struct shape {
	uint32_t producer, consumer;
	uint64_t lines, line_cycles;
	const char *produce, *consume; /* spellings */
	uint32_t sector;               /* bytes that two lanes store, or 0 */
};

static struct insn *access_line(struct program *p, const char *ptx)
{
	struct insn *insn = program_ptx(p, ptx);

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.loop_bytes[0] = STRIDE_BYTES;
	return insn;
}

static void touch_all(struct program *p, const struct shape *s, const char *ptx)
{
	program_repeat(p, s->lines);
	access_line(p, ptx);
	program_end(p);
}

static void probe_all(struct program *p, const struct shape *s,
	const char *region, const char *ptx)
{
	program_timed(p, s->lines, TIMING_EACH, region);
	access_line(p, ptx);
	program_end(p);
}

static void role(
	struct program *p, const char *name, uint32_t sm, uint32_t lanes)
{
	struct role *r = program_role(p, name);

	r->place = PLACE_SMS;
	r->sm_first = sm;
	r->sm_count = 1;
	r->threads = lanes;
	r->lanes = lanes;
}

/* The line in DRAM, near, and an atomic at home, all by the consumer. */
static void yardsticks(struct program *p, const struct shape *s)
{
	static const struct {
		const char *name, *ptx;
	} rows[] = {
		{"dram", "ld.global.cg.b32"},
		{"near", "ld.global.cg.b32"},
		{"home", "atom.global.add.u32"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		program_launch(p, rows[i].name);
		role(p, rows[i].name, s->consumer, 1);
		probe_all(p, s, rows[i].name, rows[i].ptx);
	}
	program_step(p, STEP_FLUSH);
}

static void produce(struct program *p, const struct shape *s)
{
	program_repeat(p, s->lines);
	access_line(p, s->produce)->address.lane_bytes = s->sector / 2;
	program_end(p);
	program_ptx(p, "fence.acq_rel.gpu");
}

static void build_fresh(struct program *p, const struct shape *s)
{
	if (s->produce) {
		program_launch(p, "produce");
		role(p, "produce", s->producer, s->sector ? 2 : 1);
		produce(p, s);
	}
	program_launch(p, "consume");
	role(p, "consume", s->consumer, 1);
	probe_all(p, s, "measure", s->consume);
}

/* Roles of one launch start together: delays set their order. */
static void build_stale(struct program *p, const struct shape *s)
{
	uint64_t stage = START_CYCLES + s->lines * s->line_cycles;

	program_launch(p, "meet");
	if (s->produce) {
		role(p, "produce", s->producer, s->sector ? 2 : 1);
		program_insn(p, OP_DELAY)->count = stage;
		produce(p, s);
	}
	role(p, "consume", s->consumer, 1);
	touch_all(p, s, "ld.global.ca.b32");
	program_insn(p, OP_DELAY)->count = 2 * stage;
	probe_all(p, s, "measure", s->consume);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	bool stale = is(args, "form", "stale");
	const enum memory_kind memory = memory_option(args);
	struct shape s = {
		.producer = (uint32_t)bench_number(args, "producer"),
		.consumer = (uint32_t)x,
		.lines = (uint64_t)bench_number(args, "lines"),
		.line_cycles =
			memory_is_far(memory) ? FAR_LINE_CYCLES : LINE_CYCLES,
		.produce = spelling(bench_text(args, "produce")),
		.consume = spelling(bench_text(args, "consume")),
	};

	if (x >= device->sm_count || s.producer >= device->sm_count)
		return error_set(error, ERR_SKIPPED,
			"SMs %u and %.0f are wanted, and the device has %u",
			s.producer, x, device->sm_count);
	if (stale && s.producer == s.consumer)
		return error_set(error, ERR_SKIPPED,
			"in the stale form the consumer is not the producer");
	if (stale && s.lines * PROGRAM_LINE_BYTES > device->l1_bytes / 2)
		return error_set(error, ERR_USAGE,
			"--lines %llu are more than half of L1, so it would "
			"not keep them",
			(unsigned long long)s.lines);
	if (is(args, "produce", "st.wb") && is(args, "store", "32")) {
		s.produce = "st.global.wb.v4.b32";
		s.sector = PROGRAM_SECTOR_BYTES;
	}
	program_init(p, "sharing", args->seed);
	program_buffer(p, &(struct buffer){.name = "lines",
				  .bytes = s.lines * STRIDE_BYTES,
				  .memory = (uint8_t)memory,
				  .fill = FILL_ZERO});
	yardsticks(p, &s);
	if (stale)
		build_stale(p, &s);
	else
		build_fresh(p, &s);
	return 0;
}

const struct bench bench_sharing = {
	.name = "sharing",
	.summary = "where an SM finds what another SM has touched",
	.about = "One SM touches lines, another one looks for them: it finds "
		 "the copy of a load, the home of a store or an atomic, or "
		 "nothing. The stale form shows that L1 is not coherent.",
	.examples = {"sharing -x 1,8 --lines 64",
		"sharing --form stale --consume ld.ca -x 1 --lines 64"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
