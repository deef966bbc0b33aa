/*
 * Dense reads, writes and copies by a number of SMs and warps over a
 * footprint: the ceilings of L1, links, slices and DRAM.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

/* Loads of one iteration, all under way at once: as many as the registers of
   an SM hold for 32 warps, and for 64. */
#define UNROLL      8
#define UNROLL_FULL 4
#define LANE_BYTES  16u
#define WARP_BYTES  (LANE_BYTES * PROGRAM_WARP_LANES)

static const struct bench_option options[] = {
	{"over", OPTION_CHOICE, "sms", "sms|warps|footprint", "axis"},
	{"access", OPTION_CHOICE, "read", "read|write|copy",
		"loads, stores, or both"},
	{"cop", OPTION_CHOICE, "cg", "ca|cg",
		"cache operator of the loads; ca reads through L1"},
	{"footprint", OPTION_BYTES, "16MiB", NULL, "memory in use", 512,
		0x1p40},
	{"sms", OPTION_COUNT, "0", NULL, "SMs; 0: all", 0, 512},
	{"sm-stride", OPTION_COUNT, "1", NULL,
		"distance of the SMs in use, in %smid", 1, 512},
	{"warps", OPTION_COUNT, "32", NULL, "warps of an SM", 1, 64},
	{"volume", OPTION_BYTES, "2MiB", NULL, "bytes of one SM, timed", 512,
		0x1p40},
	{"shared", OPTION_FLAG, "no", NULL,
		"all SMs read the same data, not each its own part"},
	MEMORY_OPTION,
	{"to", OPTION_CHOICE, "same", "same|" MEMORY_CHOICES,
		"memory that a copy writes; same: the memory that it reads"},
	{0},
};

static const struct axis axes[] = {
	{"sms", AXIS_COUNT, "1,2,4,8,16,32,64,%S", "SMs in use"},
	{"warps_per_sm", AXIS_COUNT, "1,2,4,8,16,32,64", "warps of an SM"},
	{"footprint_bytes", AXIS_BYTES, "1MiB:512MiB:2", "memory in use"},
};

static const struct axis *axis(const struct bench_args *args)
{
	return &axes[(int)bench_number(args, "over")];
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_USEFUL_GB_PER_S | 1u << METRIC_BYTES_PER_CYCLE;
}

struct shape {
	uint64_t footprint, sms, warps, blocks, threads, iterations;
	unsigned unroll;
	bool together;
};

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct shape *s, struct error *error)
{
	int over = (int)bench_number(args, "over");
	uint64_t warp_volume, round;

	s->sms = (uint64_t)(over == 0 ? x : bench_number(args, "sms"));
	s->warps = (uint64_t)(over == 1 ? x : bench_number(args, "warps"));
	s->footprint =
		(uint64_t)(over == 2 ? x : bench_number(args, "footprint"));
	s->together = bench_number(args, "shared") > 0;
	if (over == 0 && !s->sms)
		return error_set(error, ERR_USAGE, "at least one SM reads");
	if (!s->sms)
		s->sms = device->sm_count;
	if (s->sms > device->sm_count || s->warps > device->warps_per_sm_max)
		return error_set(error, ERR_SKIPPED,
			"the device has %u SMs of %u warps", device->sm_count,
			device->warps_per_sm_max);
	if (!s->warps || (s->warps > 32 && s->warps % 32))
		return error_set(
			error, ERR_USAGE, "an SM runs 1 to 32 warps, or 64");
	s->blocks = s->warps > 32 ? s->warps / 32 : 1;
	s->unroll = s->warps > 32 ? UNROLL_FULL : UNROLL;
	s->threads = 32 * s->warps / s->blocks;
	warp_volume = (uint64_t)bench_number(args, "volume") / s->warps;
	s->iterations = warp_volume / WARP_BYTES / s->unroll * s->unroll;
	/* Whole unrolled rounds of all warps, where the footprint holds one:
	   every part is read alike, and no address needs a wrap. */
	round = WARP_BYTES * s->warps * (s->together ? 1 : s->sms) * s->unroll;
	s->footprint = s->footprint > round
			       ? s->footprint / round * round
			       : s->footprint / WARP_BYTES * WARP_BYTES;
	if (!s->iterations || !s->footprint)
		return error_set(error, ERR_USAGE,
			"--volume and --footprint must hold at least %u "
			"accesses of a warp",
			s->unroll);
	return 0;
}

static uint64_t block_bytes(const struct shape *s)
{
	return s->warps / s->blocks * WARP_BYTES;
}

/* From one iteration to the next. */
static uint64_t step_bytes(const struct shape *s)
{
	return block_bytes(s) * (s->together ? 1 : s->blocks * s->sms);
}

static void access_memory(struct program *p, const struct shape *s,
	const char *spelling, unsigned buffer)
{
	struct insn *insn = program_ptx(p, spelling);

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)buffer;
	insn->address.lane_bytes = LANE_BYTES;
	insn->address.warp_bytes = WARP_BYTES;
	insn->address.block_bytes = s->together ? 0 : block_bytes(s);
	insn->address.loop_bytes[0] = step_bytes(s);
}

static void body(
	struct program *p, const struct bench_args *args, const struct shape *s)
{
	const char *access = bench_text(args, "access");
	char load[48];

	snprintf(load, sizeof(load), "ld.global.%s.v4.b32",
		bench_text(args, "cop"));
	if (strcmp(access, "write"))
		access_memory(p, s, load, 0);
	if (strcmp(access, "read"))
		access_memory(p, s, "st.global.wb.v4.b32",
			strcmp(access, "copy") ? 0 : 1);
	program_end(p);
}

static void launch(struct program *p, const struct bench_args *args,
	const struct shape *s, const char *name)
{
	struct role *role;

	program_launch(p, name);
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->sm_count = (uint32_t)s->sms;
	role->sm_stride = (uint32_t)bench_number(args, "sm-stride");
	role->blocks = (uint32_t)s->blocks;
	role->threads = (uint32_t)s->threads;
	role->lanes = 32;
}

/* Iterations in which every SM reads what it will read again. */
static uint64_t lead(const struct shape *s)
{
	uint64_t step = step_bytes(s);
	uint64_t pass = (s->footprint + step - 1) / step;

	/* Else a wrap comes elsewhere each time. */
	if (s->footprint % step)
		return s->iterations;
	pass = (pass + s->unroll - 1) / s->unroll * s->unroll;
	return pass < s->iterations ? pass : s->iterations;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	const char *const names[] = {"data", "target"};
	const char *to = bench_text(args, "to");
	const bool same = !strcmp(to, "same");
	struct shape s = {0};
	uint64_t pass, cache;
	bool together;
	int i, code = plan(args, device, x, &s, error);
	int buffers = strcmp(bench_text(args, "access"), "copy") ? 1 : 2;

	if (code)
		return code;
	if (!same && buffers == 1)
		return error_set(error, ERR_USAGE,
			"--to %s goes with --access copy only", to);
	program_init(p, "bandwidth", args->seed);
	for (i = 0; i < buffers; i++)
		program_buffer(p,
			&(struct buffer){.name = "",
				.bytes = s.footprint,
				.memory =
					(uint8_t)(i && !same ? memory_named(to)
							     : memory_option(
								       args)),
				.fill = FILL_RANDOM,
				.seed = args->seed});
	for (i = 0; i < (int)p->buffer_count; i++)
		snprintf(p->buffers[i].name, sizeof(p->buffers[i].name), "%s",
			names[i]);
	launch(p, args, &s, "warm");
	together = s.together;
	s.together = false; /* each SM its part is enough */
	/* Twice, so that both sides hold what they can; of more than L2 holds
	   only as much. */
	cache = memory_cache_bytes(args, device);
	pass = s.footprint < 2 * cache ? s.footprint : cache;
	pass = pass / WARP_BYTES / s.warps / s.sms;
	program_repeat(p, (2 * pass + s.unroll) / s.unroll * s.unroll)->unroll =
		(uint8_t)s.unroll;
	body(p, args, &s);
	s.together = together;
	launch(p, args, &s, "measure");
	/* L1 is empty at a launch. No longer than it must: the longer, the
	   farther apart its warps, for they do not advance alike. */
	if (!strcmp(bench_text(args, "cop"), "ca")) {
		program_repeat(p, lead(&s))->unroll = (uint8_t)s.unroll;
		body(p, args, &s);
	}
	program_timed(p, s.iterations, TIMING_REGION, "measure")->unroll =
		(uint8_t)s.unroll;
	body(p, args, &s);
	return 0;
}

/* A line that both sides of L2 read is there twice, so that reads have half of
   it for sure; and twice of it is gone when a pass comes back. */
static const char *served_by(
	const struct bench_args *args, const struct device *device, double x)
{
	const char *access = bench_text(args, "access");
	const bool reads = !strcmp(access, "read");
	struct shape s = {0};
	struct error error;
	uint64_t bytes;

	if (memory_is_far(memory_option(args)) ||
		strcmp(bench_text(args, "to"), "same") != 0 ||
		plan(args, device, x, &s, &error))
		return NULL;
	bytes = s.footprint / (s.together ? 1 : s.sms);
	if (reads && !strcmp(bench_text(args, "cop"), "ca") &&
		bytes <= device->l1_bytes / 2)
		return "L1";
	bytes = s.footprint * (strcmp(access, "copy") ? 1 : 2);
	if (bytes <= device->l2_bytes / (reads ? 2 : 1))
		return "L2";
	return bytes < 2 * device->l2_bytes ? "L2 and DRAM" : "DRAM";
}

const struct bench bench_bandwidth = {
	.name = "bandwidth",
	.summary = "dense reads, writes and copies by SMs, warps, footprint",
	.about = "SMs read, write or copy memory with dense accesses. Few SMs "
		 "show the limits of an SM and its links, many those of L2 and "
		 "DRAM. served_by, above the table, is the level that the "
		 "data lie in, by their size.",
	.examples = {"bandwidth -x 1,8 --access read",
		"bandwidth --over footprint -x 1MiB --sms 8 -f csv"},
	.options = options,
	.axis = axis,
	.headline = METRIC_USEFUL_GB_PER_S,
	.metrics = metrics,
	.served_by = served_by,
	.build = build,
};
