/*
 * Atomics on the same or on different words, from one SM to all: how L2
 * serialises them, and what partial sums in shared memory save.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

#define WARM_ITERATIONS 4
#define LONE_SAMPLES    256

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
	       1u << METRIC_LATENCY_NS;
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

static struct role *role(
	struct program *p, const char *name, uint32_t sms, uint32_t threads)
{
	struct role *r = program_role(p, name);

	r->place = PLACE_SMS;
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

/* One block: partial sums in shared memory, then one atomic for them all. */
static void privatised(struct program *p, const struct bench_args *args,
	const struct address *where, uint64_t count)
{
	struct address sums = *where, total = {.mode = ADDRESS_AFFINE};

	sums.mode = ADDRESS_SHARED;
	sums.block_bytes = 0;
	program_timed(p, 1, TIMING_REGION, "measure");
	loop(p, args, "red", &sums, count);
	program_insn(p, OP_BARRIER);
	atomic(p, args, "red", &total)->guard = GUARD_THREAD0;
	program_end(p);
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
	uint32_t threads = (uint32_t)bench_number(args, "threads"), sms;
	uint64_t count = (uint64_t)bench_number(args, "iterations"), bytes;
	struct address where, one = {.mode = ADDRESS_AFFINE};
	int code;

	sms = is(args, "over", "sms") ? (uint32_t)x
				      : (uint32_t)bench_number(args, "sms");
	if (is(args, "over", "addresses") && !sms)
		sms = device->sm_count;
	code = check(args, device, sms, error);
	if (code)
		return code;
	where = place(args, x, threads, sms, &bytes);
	program_init(p, "atomic-contention", args->seed);
	program_buffer(p, &(struct buffer){.name = "words",
				  .bytes = bytes,
				  .memory = (uint8_t)memory_option(args),
				  .fill = FILL_ZERO});
	program_launch(p, "contend");
	role(p, "contend", sms, threads);
	if (bench_number(args, "privatised") > 0) {
		p->roles[0].shared_bytes =
			(uint32_t)(where.block_bytes ? where.block_bytes
						     : PROGRAM_LINE_BYTES);
		privatised(p, args, &where, count);
	} else {
		loop(p, args, bench_text(args, "form"), &where,
			WARM_ITERATIONS);
		program_ptx(p, "fence.acq_rel.gpu"); /* nothing left over */
		program_timed(p, count, TIMING_REGION, "measure");
		atomic(p, args, bench_text(args, "form"), &where);
		program_end(p);
	}
	/* One thread alone: the latency of an atomic that returns. */
	program_launch(p, "lone");
	role(p, "lone", 1, 1);
	loop(p, args, "atom", &one, WARM_ITERATIONS);
	program_timed(p, LONE_SAMPLES, TIMING_EACH, "latency");
	atomic(p, args, "atom", &one);
	program_end(p);
	return 0;
}

const struct bench bench_atomic_contention = {
	.name = "atomic-contention",
	.summary = "rate and latency of atomics as SMs and words vary",
	.about = "Blocks on a number of SMs execute atomics on the same words, "
		 "or on words of their own. The rate shows how L2 serialises "
		 "them, and what partial sums in shared memory save.",
	.examples = {"atomic-contention -x 1,8,64",
		"atomic-contention --over addresses -x 1,64 --sms 8"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
