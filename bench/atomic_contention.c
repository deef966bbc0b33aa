/*
 * Atomics on the same or on different words, from one SM to all: how L2
 * serialises them, and what partial sums in shared memory save.
 *
 * The rate and the latency are measured one after the other, because what
 * times its atomics one by one waits for each. For the latency the warps of
 * one contending SM do so, and the others repeat their atomics in the
 * background until that SM has ended.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

#define WARM_ITERATIONS   4
#define LONE_SAMPLES      256
#define CONTENDED_SAMPLES 64 /* few: each waits for all that contend */

static const struct bench_option options[] = {
	{"form", OPTION_CHOICE, "red", "red|atom",
		"without or with a returned value"},
	{"operation", OPTION_CHOICE, "add", "add|exch|cas|min|max",
		"what the atomic does"},
	{"bits", OPTION_CHOICE, "32", "32|64", "width of a word"},
	{"scope", OPTION_CHOICE, "none", "none|cta|gpu|sys",
		"scope; none: as PTX has it by default, gpu"},
	{"pattern", OPTION_CHOICE, "word",
		"word|sector|line|warp-line|thread-word|thread-line|lines",
		"one word; the words of one sector; of one line; a line a "
		"warp; a word a thread; a line a thread; --lines shared ones"},
	{"lines", OPTION_COUNT, "8", NULL, "lines of --pattern lines", 1,
		0x1p20},
	{"over", OPTION_CHOICE, "sms", "sms|addresses",
		"axis: contending SMs, or distinct words used by --sms SMs"},
	{"sms", OPTION_COUNT, "0", NULL,
		"SMs of --over addresses; 0: all of them", 0, 512},
	{"spacing", OPTION_BYTES, "128", NULL,
		"bytes between the words of --over addresses", 4, 0x1p30},
	{"threads", OPTION_COUNT, "1024", NULL, "threads of an SM's block", 1,
		1024},
	{"iterations", OPTION_COUNT, "64", NULL, "atomics of one thread", 1,
		0x1p20},
	{"privatised", OPTION_FLAG, "no", NULL,
		"partial sums in shared memory, then one atomic a block"},
	MEMORY_OPTION,
	{0},
};

/* Who contends, and on what. */
struct crowd {
	uint32_t sms, threads; /* of a block, one on each SM */
	uint32_t shared_bytes; /* of partial sums; 0: there are none */
	uint64_t count;        /* atomics of a thread */
	struct address where;
};

static const struct axis over_sms = {"contending_sms", AXIS_COUNT,
	"1,2,4,8,16,32,64,%S", "SMs that contend"};
static const struct axis over_addresses = {"distinct_addresses", AXIS_COUNT,
	"1,2,4,8,16,32,64,128,256,1024,4096,16384", "words in use"};

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

static const struct axis *axis(const struct bench_args *args)
{
	return is(args, "over", "sms") ? &over_sms : &over_addresses;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_ATOMICS_PER_CYCLE | 1u << METRIC_LATENCY_CYCLES |
	       1u << METRIC_LATENCY_NS | 1u << METRIC_LONE_LATENCY_CYCLES;
}

/* The words a pattern uses: an affine address and the memory it needs. */
static struct address place(const struct bench_args *args, double x,
	uint32_t threads, uint32_t blocks, uint64_t *bytes)
{
	uint64_t word = is(args, "bits", "32") ? 4 : 8;
	uint64_t warps = threads / 32 ? threads / 32 : 1;
	struct address a = {.mode = ADDRESS_AFFINE};

	if (is(args, "over", "addresses")) {
		a.lane_bytes = (uint64_t)bench_number(args, "spacing");
		a.warp_bytes = 32 * a.lane_bytes;
		a.block_bytes = threads * a.lane_bytes;
		a.wrap_bytes = (uint64_t)x * a.lane_bytes;
	} else if (is(args, "pattern", "sector")) {
		a.lane_bytes = word;
		a.wrap_bytes = PROGRAM_SECTOR_BYTES;
	} else if (is(args, "pattern", "line")) {
		a.lane_bytes = word;
		a.wrap_bytes = PROGRAM_LINE_BYTES;
	} else if (is(args, "pattern", "warp-line")) {
		a.warp_bytes = PROGRAM_LINE_BYTES;
		a.block_bytes = warps * PROGRAM_LINE_BYTES;
	} else if (is(args, "pattern", "thread-word")) {
		a.lane_bytes = word;
		a.warp_bytes = 32 * word;
		a.block_bytes = threads * word;
	} else if (is(args, "pattern", "thread-line")) {
		a.lane_bytes = PROGRAM_LINE_BYTES;
		a.warp_bytes = 32 * PROGRAM_LINE_BYTES;
		a.block_bytes = (uint64_t)threads * PROGRAM_LINE_BYTES;
	} else if (is(args, "pattern", "lines")) {
		a.lane_bytes = PROGRAM_LINE_BYTES;
		a.warp_bytes = 32 * PROGRAM_LINE_BYTES;
		a.block_bytes = (uint64_t)threads * PROGRAM_LINE_BYTES;
		a.wrap_bytes = (uint64_t)bench_number(args, "lines") *
			       PROGRAM_LINE_BYTES;
	}
	*bytes = a.wrap_bytes ? a.wrap_bytes : blocks * a.block_bytes;
	if (*bytes < PROGRAM_LINE_BYTES)
		*bytes = PROGRAM_LINE_BYTES;
	return a;
}

/* "red.global.add.u32": cas and exch have bit types, the others integers. */
static void spell(const struct bench_args *args, const char *form,
	const char *space, char *text, size_t bytes)
{
	const char *operation = bench_text(args, "operation");
	bool bitwise = !strcmp(operation, "cas") || !strcmp(operation, "exch");
	bool scoped = !is(args, "scope", "none") && !strcmp(space, "global");

	snprintf(text, bytes, "%s%s%s.%s.%s.%c%s", form,
		scoped ? ".relaxed." : "",
		scoped ? bench_text(args, "scope") : "", space, operation,
		bitwise ? 'b' : 'u', bench_text(args, "bits"));
}

static struct insn *atomic(struct program *p, const struct bench_args *args,
	const char *form, const struct address *where)
{
	struct insn *insn;
	char text[64];

	spell(args, form, where->mode == ADDRESS_SHARED ? "shared" : "global",
		text, sizeof(text));
	insn = program_ptx(p, text);
	insn->address = *where;
	return insn;
}

static struct role *role(struct program *p, const char *name, uint32_t first,
	uint32_t sms, uint32_t threads)
{
	struct role *r = program_role(p, name);

	r->place = PLACE_SMS;
	r->sm_first = first;
	r->sm_count = sms;
	r->threads = threads;
	r->lanes = threads < 32 ? threads : 32;
	return r;
}

/* A loop of `count` of the bench's atomic. */
static void loop(struct program *p, const struct bench_args *args,
	const char *form, const struct address *where, uint64_t count)
{
	program_repeat(p, count);
	atomic(p, args, form, where);
	program_end(p);
}

/* Partial sums in shared memory, then one atomic of each block for them all. */
static void sums(struct program *p, const struct bench_args *args,
	const struct address *where, uint64_t count)
{
	struct address partial = *where, total = {.mode = ADDRESS_AFFINE};

	partial.mode = ADDRESS_SHARED;
	partial.block_bytes = 0;
	loop(p, args, "red", &partial, count);
	program_insn(p, OP_BARRIER);
	atomic(p, args, "red", &total)->guard = GUARD_THREAD0;
}

/* What the rate is of: all contending SMs at once. */
static void contend(
	struct program *p, const struct bench_args *args, const struct crowd *c)
{
	const char *form = bench_text(args, "form");

	program_launch(p, "contend");
	role(p, "contend", 0, c->sms, c->threads)->shared_bytes =
		c->shared_bytes;
	if (c->shared_bytes) {
		program_timed(p, 1, TIMING_REGION, "measure");
		sums(p, args, &c->where, c->count);
	} else {
		loop(p, args, form, &c->where, WARM_ITERATIONS);
		program_ptx(p, "fence.acq_rel.gpu"); /* nothing left over */
		program_timed(p, c->count, TIMING_REGION, "measure");
		atomic(p, args, form, &c->where);
	}
	program_end(p);
}

/* One atomic after the other, each of which returns a value and is timed. */
static void timed(struct program *p, const struct bench_args *args,
	const struct address *where, uint64_t count, const char *region)
{
	loop(p, args, "atom", where, WARM_ITERATIONS);
	program_timed(p, count, TIMING_EACH, region);
	atomic(p, args, "atom", where);
	program_end(p);
}

/* The other contending SMs, for as long as the timed one takes. */
static void background(
	struct program *p, const struct bench_args *args, const struct crowd *c)
{
	struct role *others = role(p, "others", 1, c->sms - 1, c->threads);
	struct address where = c->where;

	others->background = true;
	others->shared_bytes = c->shared_bytes;
	where.base_bytes = where.wrap_bytes
				   ? where.block_bytes % where.wrap_bytes
				   : where.block_bytes;
	if (c->shared_bytes)
		sums(p, args, &c->where, c->count);
	else
		loop(p, args, bench_text(args, "form"), &where,
			WARM_ITERATIONS);
}

/* What an atomic takes while the others contend: as many samples of one SM as
   its warps' atomics are, up to CONTENDED_SAMPLES. With partial sums it is one
   thread that times atomics on the word of the totals. */
static void contended(
	struct program *p, const struct bench_args *args, const struct crowd *c)
{
	struct address total = {.mode = ADDRESS_AFFINE};
	uint32_t threads = c->shared_bytes ? 1 : c->threads;
	uint64_t count = CONTENDED_SAMPLES / ((threads + 31) / 32);

	program_launch(p, "contended");
	role(p, "timed", 0, 1, threads);
	timed(p, args, c->shared_bytes ? &total : &c->where,
		count < c->count ? count : c->count, "latency");
	if (c->sms > 1)
		background(p, args, c);
}

/* One thread, and no other anywhere. */
static void lone(struct program *p, const struct bench_args *args)
{
	struct address one = {.mode = ADDRESS_AFFINE};

	program_launch(p, "lone");
	role(p, "lone", 0, 1, 1);
	timed(p, args, &one, LONE_SAMPLES, "lone");
}

static int check(const struct bench_args *args, const struct device *device,
	uint32_t sms, struct error *error)
{
	bool folds =
		!is(args, "operation", "cas") && !is(args, "operation", "exch");

	if (!folds && is(args, "form", "red"))
		return error_set(error, ERR_USAGE,
			"--operation %s returns a value: it needs --form atom",
			bench_text(args, "operation"));
	if (bench_number(args, "privatised") > 0 &&
		(!folds || is(args, "over", "addresses") ||
			is(args, "pattern", "thread-line")))
		return error_set(error, ERR_USAGE,
			"--privatised goes with add, min or max, with --over "
			"sms, and with words that fit in shared memory");
	if (sms < 1 || sms > device->sm_count)
		return error_set(error, ERR_SKIPPED,
			"the device has %u SMs, not %u", device->sm_count, sms);
	return 0;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct crowd c = {
		.threads = (uint32_t)bench_number(args, "threads"),
		.count = (uint64_t)bench_number(args, "iterations"),
	};
	uint64_t bytes;
	int code;

	c.sms = is(args, "over", "sms") ? (uint32_t)x
					: (uint32_t)bench_number(args, "sms");
	if (is(args, "over", "addresses") && !c.sms)
		c.sms = device->sm_count;
	code = check(args, device, c.sms, error);
	if (code)
		return code;
	c.where = place(args, x, c.threads, c.sms, &bytes);
	if (bench_number(args, "privatised") > 0)
		c.shared_bytes =
			(uint32_t)(c.where.block_bytes ? c.where.block_bytes
						       : PROGRAM_LINE_BYTES);
	program_init(p, "atomic-contention", args->seed);
	program_buffer(p, &(struct buffer){.name = "words",
				  .bytes = bytes,
				  .memory = (uint8_t)memory_option(args),
				  .fill = FILL_ZERO});
	contend(p, args, &c);
	contended(p, args, &c);
	lone(p, args);
	return 0;
}

const struct bench bench_atomic_contention = {
	.name = "atomic-contention",
	.summary = "rate and latency of atomics as SMs and words vary",
	.about = "Blocks on a number of SMs execute atomics on the same words, "
		 "or on words of their own. The rate shows how L2 serialises "
		 "them, and what partial sums in shared memory save. "
		 "latency_cycles is that of atomics of one of these SMs while "
		 "the others go on; lone_latency_cycles that of a thread "
		 "alone.",
	.examples = {"atomic-contention -x 1,8,64",
		"atomic-contention --over addresses -x 1,64 --sms 8"},
	.options = options,
	.axis = axis,
	.headline = METRIC_ATOMICS_PER_CYCLE,
	.metrics = metrics,
	.build = build,
};
