/*
 * What a load brings along. A touch with a qualifier, then a probe of a
 * sector at an offset: was it found in L1, near, far, or in DRAM? Each line is
 * measured in every state first, so that it is its own yardstick (levels.h).
 * The second form measures what a size costs or gains in bandwidth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memory.h"
#include "bench/probe.h"

#define BLOCK_BYTES   512u /* offsets within it are probed */
#define GATHER_UNROLL 4

static const struct bench_option options[] = {
	{"qualifier", OPTION_CHOICE, "none",
		"none|L2::64B|L2::128B|L2::256B|prefetch.L1|prefetch.L2",
		"how the touch asks for more"},
	{"op", OPTION_CHOICE, "ld.cg", "ld.ca|ld.cg|ld.cs|ld.nc",
		"operator of the touching load"},
	{"probe", OPTION_CHOICE, "ld.cg", "ld.ca|ld.cg",
		"operator of the probing load; ld.ca sees L1"},
	{"touched", OPTION_BYTES, "0", NULL, "offset that is touched", 0, 508},
	{"granularity", OPTION_CHOICE, "64", "32|64|128",
		"device limit on what L2 fetches, in bytes"},
	{"lines", OPTION_COUNT, "1024", NULL, "lines that are probed", 1, 8192},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that touches and probes", 0,
		511},
	{"form", OPTION_CHOICE, "residency", "residency|gather|stream",
		"where the probe is found; or bandwidth of random sectors, "
		"of dense reads"},
	{"footprint", OPTION_BYTES, "1GiB", NULL,
		"memory of the bandwidth forms", 0x1p20, 0x1p40},
	{"volume", OPTION_BYTES, "32MiB", NULL,
		"bytes asked for in the bandwidth forms", 0x1p20, 0x1p40},
	MEMORY_OPTION,
	{0},
};

static const struct axis probed = {"probed_offset_bytes", AXIS_BYTES,
	"0,32,64,96,128,160,192,224,256,288,320,352,384,416,448,480",
	"offset of the probed sector"};
static const struct axis size = {"prefetch_bytes", AXIS_BYTES, "0,64,128,256",
	"prefetch-size qualifier of every load; 0: none"};

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

static const struct axis *axis(const struct bench_args *args)
{
	return is(args, "form", "residency") ? &probed : &size;
}

static uint32_t metrics(const struct bench_args *args)
{
	if (!is(args, "form", "residency"))
		return 1u << METRIC_USEFUL_GB_PER_S |
		       1u << METRIC_BYTES_PER_CYCLE;
	return 1u << METRIC_SHARE_L1 | 1u << METRIC_SHARE_NEAR |
	       1u << METRIC_SHARE_FAR | 1u << METRIC_SHARE_DRAM;
}

/* "ld.cg" and "L2::128B" -> "ld.global.cg.L2::128B.b32" */
static void spell_load(
	const char *op, const char *qualifier, char *text, size_t bytes)
{
	bool sized = !strncmp(qualifier, "L2::", 4);

	snprintf(text, bytes, "ld.global.%s%s%s.b32", op + strlen("ld."),
		sized ? "." : "", sized ? qualifier : "");
}

static void spell_touch(const struct bench_args *args, char *text, size_t bytes)
{
	const char *qualifier = bench_text(args, "qualifier");

	if (!strncmp(qualifier, "prefetch.", 9))
		snprintf(text, bytes, "prefetch.global.%s", qualifier + 9);
	else
		spell_load(bench_text(args, "op"), qualifier, text, bytes);
}

static void build_residency(
	const struct bench_args *args, double x, struct program *p)
{
	struct probe_lines lines = {
		.count = (uint64_t)bench_number(args, "lines"),
		.stride_bytes = PROBE_STRIDE_BYTES,
		.sm = (unsigned)bench_number(args, "sm"),
		.memory = memory_option(args),
	};
	char touch[64], probe[64];

	spell_touch(args, touch, sizeof(touch));
	spell_load(bench_text(args, "probe"), "none", probe, sizeof(probe));
	probe_buffer(p, &lines, "lines");
	program_step(p, STEP_GRANULARITY)->bytes =
		strtoull(bench_text(args, "granularity"), NULL, 10);
	probe_yardsticks(p, &lines, (uint64_t)x);
	probe_launch(p, &lines, "probe", 1);
	probe_touch(p, &lines, touch, (uint64_t)bench_number(args, "touched"));
	probe_settle(p);
	probe_time(p, &lines, "measure", probe, (uint64_t)x);
}

/* Random sectors, or dense lines, by the whole chip. */
static void build_bandwidth(const struct bench_args *args,
	const struct device *device, double x, struct program *p)
{
	bool gather = is(args, "form", "gather");
	uint64_t threads = (uint64_t)device->sm_count * 1024;
	uint64_t bytes = gather ? PROGRAM_SECTOR_BYTES : 4;
	uint64_t count =
		(uint64_t)bench_number(args, "volume") / bytes / threads;
	char qualifier[16] = "none", spelling[64];
	struct role *role;
	struct insn *insn;

	if (x > 0)
		snprintf(qualifier, sizeof(qualifier), "L2::%.0fB", x);
	spell_load(
		bench_text(args, "op"), qualifier, spelling, sizeof(spelling));
	program_buffer(
		p, &(struct buffer){.name = "data",
			   .bytes = (uint64_t)bench_number(args, "footprint"),
			   .memory = (uint8_t)memory_option(args),
			   .fill = FILL_RANDOM,
			   .seed = args->seed});
	program_step(p, STEP_GRANULARITY)->bytes =
		strtoull(bench_text(args, "granularity"), NULL, 10);
	program_launch(p, "read");
	role = program_role(p, "read");
	role->place = PLACE_BLOCKS;
	role->blocks = device->sm_count;
	role->threads = 1024;
	role->lanes = 32;
	count = (count + GATHER_UNROLL) / GATHER_UNROLL * GATHER_UNROLL;
	program_timed(p, count, TIMING_REGION, "measure")->unroll =
		GATHER_UNROLL;
	insn = program_ptx(p, spelling);
	insn->address.mode = gather ? ADDRESS_RANDOM : ADDRESS_AFFINE;
	insn->address.slot_bytes = gather ? PROGRAM_SECTOR_BYTES : 0;
	if (!gather) {
		insn->address.lane_bytes = 4;
		insn->address.warp_bytes = 128;
		insn->address.block_bytes = 4096;
		insn->address.loop_bytes[0] = threads * 4;
	}
	program_end(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	bool residency = is(args, "form", "residency");

	if (residency && ((uint64_t)x % 4 || x > BLOCK_BYTES - 4))
		return error_set(error, ERR_USAGE,
			"a probed offset is a multiple of 4 below %u bytes",
			BLOCK_BYTES);
	if (!residency && x != 0 && x != 64 && x != 128 && x != 256)
		return error_set(error, ERR_USAGE,
			"a prefetch size is 0, 64, 128 or 256 bytes");
	program_init(p, "prefetch-size", args->seed);
	if (residency)
		build_residency(args, x, p);
	else
		build_bandwidth(args, device, x, p);
	return 0;
}

const struct bench bench_prefetch_size = {
	.name = "prefetch-size",
	.summary = "what loads and prefetches bring along, and its price",
	.about = "A load or a prefetch with a qualifier touches each line; a "
		 "probe at an offset then says where that sector is: in L1, in "
		 "the near or the far part of L2, or in DRAM. A second form "
		 "measures what a prefetch size costs or gains in bandwidth.",
	.examples =
		{"prefetch-size --qualifier L2::128B --lines 64 -x 0,32,128",
			"prefetch-size --form stream -x 0,128 --volume 1MiB"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
