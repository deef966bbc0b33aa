/*
 * What compressible memory gains or loses: the whole chip reads or writes
 * data of which a part of every sector is random, the rest zero, in plain or
 * compressible memory. Over the footprint, it shows whether compressed lines
 * take less room in L2.
 */
#include <string.h>

#include "harness/contract/bench.h"

#define UNROLL     8
#define LANE_BYTES 16u
#define THREADS    1024u

static const struct bench_option options[] = {
	{"over", OPTION_CHOICE, "entropy", "entropy|footprint", "axis"},
	{"memory", OPTION_CHOICE, "compressible", "plain|compressible",
		"how the memory is allocated"},
	{"access", OPTION_CHOICE, "read", "read|write", "loads or stores"},
	{"random-bytes", OPTION_COUNT, "0", NULL,
		"random bytes of each 32 B sector, with --over footprint", 0,
		32},
	{"footprint", OPTION_BYTES, "1GiB", NULL, "memory in use", 0x1p20,
		0x1p40},
	{"volume", OPTION_BYTES, "64MiB", NULL,
		"bytes that the chip moves, timed", 0x1p20, 0x1p40},
	{0},
};

static const struct axis axes[] = {
	{"random_bytes_per_sector", AXIS_COUNT, "0,4,8,12,16,20,24,28,32",
		"bytes of each 32 that are random, the others zero"},
	{"footprint_bytes", AXIS_BYTES, "8MiB:256MiB:2", "memory in use"},
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

static void launch(struct program *p, const char *name)
{
	struct role *role;

	program_launch(p, name);
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->threads = THREADS;
}

static void access_memory(struct program *p, const struct bench_args *args,
	uint64_t sm_count, uint64_t start)
{
	bool read = !strcmp(bench_text(args, "access"), "read");
	struct insn *insn = program_ptx(
		p, read ? "ld.global.cg.v4.b32" : "st.global.v4.b32");

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.base_bytes = start;
	insn->address.lane_bytes = LANE_BYTES;
	insn->address.warp_bytes = LANE_BYTES * PROGRAM_WARP_LANES;
	insn->address.block_bytes = LANE_BYTES * THREADS;
	insn->address.loop_bytes[0] = LANE_BYTES * THREADS * sm_count;
	program_end(p);
}

static uint64_t rounds(uint64_t bytes, uint64_t round)
{
	uint64_t count = (bytes + round - 1) / round;

	return (count + UNROLL - 1) / UNROLL * UNROLL;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	bool over_entropy = bench_number(args, "over") == 0;
	unsigned entropy =
		(unsigned)(over_entropy ? x
					: bench_number(args, "random-bytes"));
	uint64_t bytes =
		(uint64_t)(over_entropy ? bench_number(args, "footprint") : x);
	uint64_t round = (uint64_t)LANE_BYTES * THREADS * device->sm_count;
	uint64_t volume = (uint64_t)bench_number(args, "volume");
	uint64_t warm =
		bytes < 2 * device->l2_bytes ? 2 * bytes : device->l2_bytes;

	if (entropy % 4 || entropy > PROGRAM_SECTOR_BYTES)
		return error_set(error, ERR_USAGE,
			"random bytes of a sector are a multiple of 4 up to "
			"32");
	if (!bytes)
		return error_set(
			error, ERR_USAGE, "a footprint is at least a byte");
	/* Whole rounds, so that no address needs a wrap. */
	bytes = (bytes + round * UNROLL - 1) / (round * UNROLL) * round *
		UNROLL;
	program_init(p, "compression", args->seed);
	program_buffer(p,
		&(struct buffer){
			.name = "data",
			.bytes = bytes,
			.memory = !strcmp(bench_text(args, "memory"), "plain")
					  ? MEMORY_PLAIN
					  : MEMORY_COMPRESSIBLE,
			.fill = entropy ? FILL_RANDOM : FILL_ZERO,
			.random_bytes =
				(uint8_t)(entropy % PROGRAM_SECTOR_BYTES),
			.seed = entropy ? args->seed : 0,
		});
	launch(p, "warm");
	program_repeat(p, rounds(warm, round))->unroll = UNROLL;
	access_memory(p, args, device->sm_count, 0);
	launch(p, "measure");
	program_timed(p, rounds(volume, round), TIMING_REGION, "measure")
		->unroll = UNROLL;
	access_memory(
		p, args, device->sm_count, rounds(warm, round) * round % bytes);
	return 0;
}

const struct bench bench_compression = {
	.name = "compression",
	.summary = "bandwidth of plain and compressible memory, by entropy",
	.about = "The whole chip reads or writes data of which a part of every "
		 "sector is random and the rest zero, in plain or compressible "
		 "memory. Over the footprint it shows whether compressed lines "
		 "take less room in L2.",
	.examples = {"compression -x 0,32 --footprint 16MiB --volume 4MiB",
		"compression --over footprint -x 8MiB --volume 4MiB --memory "
		"plain"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
