/*
 * Every thread of the chip walks through memory with a stride: useful against
 * moved bytes as lanes spread over sectors and lines.
 */
#include <string.h>

#include "bench/memory.h"

#define UNROLL 8

static const struct bench_option options[] = {
	{"op", OPTION_CHOICE, "ld.cg",
		"ld.ca|ld.cg|ld.cs|ld.cv|ld.nc|st.wb|st.cg|st.cs|st.wt",
		"operator: loads or stores"},
	{"width", OPTION_CHOICE, "4", "4|8|16", "bytes a lane accesses"},
	{"footprint", OPTION_BYTES, "512MiB", NULL, "memory walked through",
		1024, 0x1p40},
	{"volume", OPTION_BYTES, "128MiB", NULL,
		"sectors moved in the timed region, in bytes", 1024, 0x1p40},
	{"blocks", OPTION_COUNT, "0", NULL, "blocks; 0: one an SM", 0, 0x1p20},
	{"threads", OPTION_COUNT, "1024", NULL, "threads of a block", 1, 1024},
	MEMORY_OPTION,
	{0},
};

static const struct axis stride = {"stride_bytes", AXIS_BYTES,
	"4,8,16,32,64,128,256,512,1KiB,2KiB,4KiB", "from lane to lane"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &stride;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_USEFUL_GB_PER_S | 1u << METRIC_MOVED_GB_PER_S |
	       1u << METRIC_BYTES_PER_CYCLE | 1u << METRIC_SECTORS_PER_REQUEST;
}

static const char *spelling(const char *op, const char *width)
{
	static const struct {
		const char *op, *spelling[3];
	} rows[] = {
#define ACCESS(op, middle)                                                     \
	{                                                                      \
		op,                                                            \
		{                                                              \
			middle ".b32", middle ".b64", middle ".v2.b64"         \
		}                                                              \
	}
		ACCESS("ld.ca", "ld.global.ca"),
		ACCESS("ld.cg", "ld.global.cg"),
		ACCESS("ld.cs", "ld.global.cs"),
		ACCESS("ld.cv", "ld.global.cv"),
		ACCESS("ld.nc", "ld.global.nc"),
		ACCESS("st.wb", "st.global.wb"),
		ACCESS("st.cg", "st.global.cg"),
		ACCESS("st.cs", "st.global.cs"),
		ACCESS("st.wt", "st.global.wt"),
#undef ACCESS
	};
	unsigned index = !strcmp(width, "4") ? 0 : !strcmp(width, "8") ? 1 : 2;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].op, op))
			return rows[i].spelling[index];
	return NULL;
}

/* Iterations of each thread for the wanted volume of sectors. */
static uint64_t iterations(
	const struct bench_args *args, uint64_t threads, uint64_t stride_bytes)
{
	uint64_t moved = stride_bytes < PROGRAM_SECTOR_BYTES
				 ? stride_bytes
				 : PROGRAM_SECTOR_BYTES;
	uint64_t count =
		(uint64_t)bench_number(args, "volume") / moved / threads;

	return (count + UNROLL - 1) / UNROLL * UNROLL;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	uint64_t step = (uint64_t)x, width, blocks, threads, footprint, count;
	uint64_t round;
	struct role *role;
	struct insn *insn;
	unsigned data;

	width = (uint64_t)(bench_text(args, "width")[0] == '1'
				   ? 16
				   : bench_text(args, "width")[0] - '0');
	threads = (uint64_t)bench_number(args, "threads");
	blocks = (uint64_t)bench_number(args, "blocks");
	footprint = (uint64_t)bench_number(args, "footprint");
	if (!blocks)
		blocks = device->sm_count;
	if (step < width || step % width)
		return error_set(error, ERR_SKIPPED,
			"a stride of %llu bytes is not a multiple of the "
			"width, %llu",
			(unsigned long long)step, (unsigned long long)width);
	if (step > footprint)
		return error_set(error, ERR_SKIPPED,
			"a stride of %llu bytes is longer than the footprint",
			(unsigned long long)step);
	/* Dense passes wrap after whole unrolled rounds of all threads, which
	   keeps the address arithmetic out of the loop. A sparse pass does not
	   meet the lines of the pass before: the wrap is a line longer than the
	   footprint. */
	round = step * threads * blocks * UNROLL;
	footprint = footprint / step * step;
	if (step > PROGRAM_LINE_BYTES)
		footprint += PROGRAM_LINE_BYTES;
	else if (footprint > round)
		footprint = footprint / round * round;
	count = iterations(args, blocks * threads, step);
	program_init(p, "stride-sweep", args->seed);
	data = program_buffer(p, &(struct buffer){.name = "data",
					 .bytes = footprint,
					 .memory = (uint8_t)memory_option(args),
					 .fill = FILL_RANDOM,
					 .seed = args->seed});
	program_launch(p, "sweep");
	role = program_role(p, "sweep");
	role->place = PLACE_BLOCKS;
	role->blocks = (uint32_t)blocks;
	role->threads = (uint32_t)threads;
	role->lanes = PROGRAM_WARP_LANES;
	program_timed(p, count, TIMING_REGION, "measure")->unroll = UNROLL;
	insn = program_ptx(
		p, spelling(bench_text(args, "op"), bench_text(args, "width")));
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)data;
	insn->address.lane_bytes = step;
	insn->address.warp_bytes = step * PROGRAM_WARP_LANES;
	insn->address.block_bytes = step * threads;
	insn->address.loop_bytes[0] = step * threads * blocks % footprint;
	program_end(p);
	return 0;
}

const struct bench bench_stride_sweep = {
	.name = "stride-sweep",
	.summary = "useful and moved bandwidth against the lanes' stride",
	.about = "Every thread of the chip walks through memory with a stride. "
		 "Useful against moved bandwidth shows the price of lanes that "
		 "spread over sectors and lines.",
	.examples = {"stride-sweep -x 4,32 --footprint 16MiB --volume 32MiB",
		"stride-sweep --op st.wb -x 64 --footprint 16MiB"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
