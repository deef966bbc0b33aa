/*
 * One warp instruction, 32 addresses: how many sectors it becomes and what
 * they cost. The data stay in a cache, unlike those of stride-sweep, which
 * streams from DRAM: what is seen here is the SM's own address path. Lanes are
 * a stride apart, or all at one word, or at random words of the same window;
 * an offset moves the first lane off the start of a line.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

#define UNROLL       8
#define LONE_SAMPLES 256

static const struct bench_option options[] = {
	{"op", OPTION_CHOICE, "ld.cg", "ld.cg|ld.ca|st.wb",
		"operator: loads from L2, from L1, or stores"},
	{"width", OPTION_CHOICE, "4", "4|8|16", "bytes a lane accesses"},
	{"offset", OPTION_BYTES, "0", NULL,
		"bytes from the start of a line to the first lane", 0, 4096},
	{"spread", OPTION_CHOICE, "stride", "stride|same|random",
		"lanes a stride apart; all at one word; at random words of 32 "
		"strides"},
	{"footprint", OPTION_BYTES, "160KiB", NULL,
		"memory of one SM; what does not fit side by side overlaps",
		1024, 0x1p30},
	{"warps", OPTION_COUNT, "32", NULL, "warps of an SM", 1, 32},
	{"sms", OPTION_COUNT, "1", NULL, "SMs; 0: all", 0, 512},
	{"passes", OPTION_COUNT, "64", NULL,
		"times that the footprint is gone through, timed", 1, 0x1p20},
	MEMORY_OPTION,
	{0},
};

static const struct axis lane_stride = {"lane_stride_bytes", AXIS_BYTES,
	"0,4,8,12,16,20,24,32,48,64,96,128", "from lane to lane"};

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &lane_stride;
}

static uint32_t metrics(const struct bench_args *args)
{
	uint32_t all =
		1u << METRIC_SECTORS_PER_REQUEST | 1u << METRIC_USEFUL_SHARE |
		1u << METRIC_USEFUL_GB_PER_S | 1u << METRIC_MOVED_GB_PER_S;

	if (!is(args, "op", "st.wb"))
		all |= 1u << METRIC_LATENCY_CYCLES;
	return all;
}

struct shape {
	char spelling[32];
	uint64_t width, offset, stride, window; /* of one warp's access */
	uint64_t step;      /* from one warp's window to the next */
	uint64_t footprint; /* of one SM */
	uint64_t passes;
	uint32_t sms, warps;
	bool random;
};

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* "ld.cg" and 16 -> "ld.global.cg.v2.b64" */
static void spell(const struct bench_args *args, struct shape *s)
{
	const char *op = bench_text(args, "op");

	snprintf(s->spelling, sizeof(s->spelling), "%.2s.global.%s.%s", op,
		op + strlen("ld."),
		s->width == 4   ? "b32"
		: s->width == 8 ? "b64"
				: "v2.b64");
}

/* Windows of the warps, and of the copies of an unrolled iteration, which
   must differ: the assembler merges loads of one address. */
static int place(const struct shape *s, uint64_t *step)
{
	uint64_t windows = (uint64_t)s->warps * UNROLL;
	uint64_t room;

	if (s->footprint < s->window)
		return ERR_SKIPPED;
	room = s->footprint - s->window;
	*step = s->window;
	if (*step * (windows - 1) > room)
		*step = room / (windows - 1) / PROGRAM_LINE_BYTES *
			PROGRAM_LINE_BYTES;
	return *step ? 0 : ERR_SKIPPED;
}

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct shape *s, struct error *error)
{
	s->width = 4u << (unsigned)bench_number(args, "width");
	s->offset = (uint64_t)bench_number(args, "offset");
	s->stride = is(args, "spread", "same") ? 0 : (uint64_t)x;
	s->random = is(args, "spread", "random");
	s->footprint = round_up(
		(uint64_t)bench_number(args, "footprint"), PROGRAM_LINE_BYTES);
	s->warps = (uint32_t)bench_number(args, "warps");
	s->sms = (uint32_t)bench_number(args, "sms");
	s->passes = (uint64_t)bench_number(args, "passes");
	spell(args, s);
	if (!s->sms)
		s->sms = device->sm_count;
	if (s->offset % s->width)
		return error_set(error, ERR_USAGE,
			"--offset must be a multiple of --width");
	if (s->stride % s->width)
		return error_set(error, ERR_SKIPPED,
			"a stride of %.0f bytes is not a multiple of the "
			"width, %.0f",
			x, (double)s->width);
	if (s->random && s->stride < s->width)
		return error_set(error, ERR_SKIPPED,
			"random words need a window of 32 strides");
	s->window = round_up(
		s->offset + 31 * s->stride + s->width, PROGRAM_LINE_BYTES);
	if (place(s, &s->step))
		return error_set(error, ERR_SKIPPED,
			"--footprint %s is too small for the windows of %u "
			"warps, of %.0f bytes each",
			bench_text(args, "footprint"), s->warps,
			(double)s->window);
	return 0;
}

/* An access in repeat `depth`, counted from the outermost. */
static void access_lanes(
	struct program *p, const struct shape *s, unsigned depth)
{
	struct insn *insn = program_ptx(p, s->spelling);
	struct address *a = &insn->address;

	a->base_bytes = s->offset;
	if (s->random) {
		/* One window for all: a draw is a slot of what the wrap
		   leaves. */
		a->mode = ADDRESS_RANDOM;
		a->slot_bytes = s->width;
		a->wrap_bytes = 32 * s->stride;
		a->base_bytes %= a->wrap_bytes;
		return;
	}
	a->mode = ADDRESS_AFFINE;
	a->lane_bytes = s->stride;
	a->warp_bytes = s->step;
	a->block_bytes = s->footprint;
	a->loop_bytes[depth] = s->warps * s->step;
}

/* A pass: every warp once in each of its windows. */
static void pass(struct program *p, const struct shape *s, unsigned depth)
{
	program_repeat(p, UNROLL)->unroll = UNROLL;
	access_lanes(p, s, depth);
	program_end(p);
}

static struct role *launch(
	struct program *p, const char *name, uint32_t sms, uint32_t warps)
{
	struct role *role;

	program_launch(p, name);
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->sm_count = sms;
	role->threads = warps * PROGRAM_WARP_LANES;
	return role;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct shape s = {0};
	int code = plan(args, device, x, &s, error);

	if (code)
		return code;
	program_init(p, "coalescing", args->seed);
	program_buffer(p, &(struct buffer){.name = "data",
				  .bytes = s.sms * s.footprint,
				  .memory = (uint8_t)memory_option(args),
				  .fill = FILL_RANDOM,
				  .seed = args->seed});
	launch(p, "access", s.sms, s.warps);
	/* The second touch finds all where it will stay. */
	pass(p, &s, 0);
	pass(p, &s, 0);
	program_insn(p, OP_BARRIER);
	program_timed(p, s.passes, TIMING_REGION, "measure");
	pass(p, &s, 1);
	program_end(p);
	if (is(args, "op", "st.wb"))
		return 0;
	/* One warp alone: the latency of such an access. */
	launch(p, "lone", 1, 1);
	pass(p, &s, 0);
	pass(p, &s, 0);
	program_timed(p, LONE_SAMPLES, TIMING_EACH, "latency");
	access_lanes(p, &s, 0);
	if (!s.random)
		p->insns[p->insn_count - 1].address.wrap_bytes =
			UNROLL * s.warps * s.step;
	program_end(p);
	return 0;
}

const struct bench bench_coalescing = {
	.name = "coalescing",
	.summary = "sectors of a warp's access, and their price in a cache",
	.about = "One SM's warps access a cached footprint with lanes a stride "
		 "apart, at one word, or at random words. The number of "
		 "sectors and their rate show the price of a pattern in the "
		 "SM, without DRAM.",
	.examples = {"coalescing -x 4,32,128",
		"coalescing --op ld.ca --spread random -x 32"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
