/*
 * Copies between the GPU's memory and far memory by size: by the copy engine,
 * or by SMs that load and store; one way, or both ways at once.
 */
#include <string.h>

#include "bench/memory.h"

#define LANE_BYTES  16u
#define WARP_BYTES  (LANE_BYTES * PROGRAM_WARP_LANES)
#define THREADS     1024u
#define BLOCK_BYTES (LANE_BYTES * THREADS)
#define UNROLL      4

static const struct bench_option options[] = {
	{"by", OPTION_CHOICE, "engine", "engine|sms",
		"what copies: the copy engine, or SMs by loads and stores"},
	{"memory", OPTION_CHOICE, "peer", "device|peer|host",
		"the far end: another GPU's memory, or the host's"},
	{"way", OPTION_CHOICE, "to", "to|from|both",
		"to the far end, from there, or both at the same time"},
	{"sms", OPTION_COUNT, "0", NULL, "SMs that copy; 0: all", 0, 512},
	{0},
};

static const struct axis size = {"copied_bytes", AXIS_BYTES, "4KiB:256MiB:1",
	"bytes that are copied, each way"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &size;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_COPY_GB_PER_S | 1u << METRIC_COPY_NS;
}

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

/* Buffers of one way: from, and to. */
struct way {
	unsigned from, to;
};

static struct way add_way(struct program *p, const struct bench_args *args,
	bool towards, uint64_t bytes)
{
	const enum memory_kind far = memory_option(args);
	struct buffer from = {.bytes = bytes,
		.fill = FILL_RANDOM,
		.seed = args->seed,
		.memory = (uint8_t)(towards ? MEMORY_PLAIN : far)};
	struct buffer to = {.bytes = bytes,
		.memory = (uint8_t)(towards ? far : MEMORY_PLAIN)};

	strcpy(from.name, towards ? "out" : "source");
	strcpy(to.name, towards ? "target" : "in");
	return (struct way){program_buffer(p, &from), program_buffer(p, &to)};
}

static void copy(
	struct program *p, const struct way *ways, size_t count, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct step *step = program_step(p, STEP_COPY);

		step->buffer = (uint8_t)ways[i].from;
		step->target = (uint8_t)ways[i].to;
		step->bytes = bytes;
	}
}

static void access_memory(struct program *p, const char *spelling,
	unsigned buffer, uint32_t blocks)
{
	struct insn *insn = program_ptx(p, spelling);

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)buffer;
	insn->address.lane_bytes = LANE_BYTES;
	insn->address.warp_bytes = WARP_BYTES;
	insn->address.block_bytes = BLOCK_BYTES;
	insn->address.loop_bytes[0] = (uint64_t)blocks * BLOCK_BYTES;
}

/* Blocks of as many SMs as the bytes keep busy. */
static void launch(struct program *p, const struct way *ways, size_t count,
	uint32_t sms, uint64_t bytes, bool timed)
{
	uint64_t rounds = bytes / BLOCK_BYTES / sms;
	struct insn *repeat;
	struct role *role;
	size_t i;

	program_launch(p, timed ? "measure" : "warm");
	role = program_role(p, "copy");
	role->place = PLACE_SMS;
	role->sm_count = sms;
	role->threads = THREADS;
	repeat = timed ? program_timed(p, rounds, TIMING_REGION, "measure")
		       : program_repeat(p, rounds);
	repeat->unroll = rounds % UNROLL ? 1 : UNROLL;
	for (i = 0; i < count; i++) {
		access_memory(p, "ld.global.cg.v4.b32", ways[i].from, sms);
		access_memory(p, "st.global.wb.v4.b32", ways[i].to, sms);
	}
	program_end(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	const bool engine = is(args, "by", "engine");
	uint64_t bytes = (uint64_t)x, blocks = bytes / BLOCK_BYTES;
	uint64_t sms = (uint64_t)bench_number(args, "sms");
	struct way ways[2];
	size_t count = 0;

	if (!bytes)
		return error_set(error, ERR_USAGE, "a copy is at least a byte");
	if (!sms)
		sms = device->sm_count;
	if (sms > device->sm_count)
		return error_set(error, ERR_SKIPPED, "the device has %u SMs",
			device->sm_count);
	if (!engine && !blocks)
		return error_set(error, ERR_SKIPPED,
			"SMs copy %u bytes at least", BLOCK_BYTES);
	sms = sms < blocks ? sms : blocks;
	if (!engine) /* whole rounds of all SMs */
		bytes = blocks / sms * sms * BLOCK_BYTES;
	program_init(p, "remote", args->seed);
	if (!is(args, "way", "from"))
		ways[count++] = add_way(p, args, true, bytes);
	if (!is(args, "way", "to"))
		ways[count++] = add_way(p, args, false, bytes);
	/* Once before, for what a first copy prepares. */
	if (engine) {
		copy(p, ways, count, bytes);
		program_step(p, STEP_FLUSH);
		copy(p, ways, count, bytes);
		return 0;
	}
	launch(p, ways, count, (uint32_t)sms, bytes, false);
	program_step(p, STEP_FLUSH);
	launch(p, ways, count, (uint32_t)sms, bytes, true);
	return 0;
}

const struct bench bench_remote = {
	.name = "remote",
	.summary = "copies to and from far memory, by the engine or by SMs",
	.about = "Memory is copied between the GPU and another GPU, or the "
		 "host: by the copy engine, or by SMs that load and store; one "
		 "way, or both ways at once.",
	.examples = {"remote -m h200-sxm-x2 -x 1MiB",
		"remote -m h200-sxm-x2 --by sms --way from --sms 8 -x 1MiB"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
