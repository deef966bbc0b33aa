/*
 * Which SM is near to which line. Every SM in turn times atomics on the same
 * lines: atomics always go home, so each SM and line is near or far. Then one
 * SM touches the lines from DRAM, and the SMs in turn read a share each, once
 * and once more: where does a load find what an SM of either side brought in?
 *
 * The first iteration of a timed loop also waits for its code, so it leads:
 * regions begin with an iteration on a line that `map` leaves out. Each SM
 * loads a line of every page first, beside the timed ones, so that no timed
 * line bears the cost of its page's translation.
 */
#include "harness/contract/bench.h"

#define PAGE_BYTES 2097152u
#define LEAD_LINES 1
/* Beside each timed line lies one that is not timed. */
#define UNTIMED_BYTES    PROGRAM_LINE_BYTES
#define STRIDE_BYTES_MIN 256

static const struct bench_option options[] = {
	{"lines", OPTION_COUNT, "1024", NULL, "lines that every SM times", 1,
		8191},
	{"toucher", OPTION_COUNT, "0", NULL,
		"the SM that loads the lines first after the flush", 0, 511},
	{0},
};

static const struct axis stride = {"line_stride_bytes", AXIS_BYTES, "4224",
	"from line to line; the default varies every bit from 7 up"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &stride;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS;
}

struct layout {
	uint64_t stride_bytes, lines; /* the lead included */
	uint64_t page_step_bytes;     /* at most a page; whole strides */
	uint64_t pages, share_lines;  /* pages: touched; share: of one SM, its
					 lead included */
	uint32_t toucher;
};

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct layout *l, struct error *error)
{
	l->stride_bytes = (uint64_t)x;
	if (l->stride_bytes < STRIDE_BYTES_MIN ||
		l->stride_bytes % PROGRAM_LINE_BYTES)
		return error_set(error, ERR_USAGE,
			"a line stride is a multiple of %d from %d bytes on",
			PROGRAM_LINE_BYTES, STRIDE_BYTES_MIN);
	l->lines = (uint64_t)bench_number(args, "lines") + LEAD_LINES;
	l->toucher = (uint32_t)bench_number(args, "toucher");
	l->share_lines = l->lines / device->sm_count;
	if (l->share_lines <= LEAD_LINES)
		return error_set(error, ERR_USAGE,
			"--lines must be at least %u, so that each of %u SMs "
			"has lines of its own",
			(1 + LEAD_LINES) * device->sm_count - LEAD_LINES,
			device->sm_count);
	l->page_step_bytes =
		l->stride_bytes > PAGE_BYTES
			? l->stride_bytes
			: PAGE_BYTES / l->stride_bytes * l->stride_bytes;
	/* Steps are a little less than pages: the last is past the lines. */
	l->pages = l->lines * l->stride_bytes / l->page_step_bytes + 2;
	return 0;
}

/* A launch of one SM, or of all in turn (`turns`). */
static void launch(struct program *p, const char *name, bool turns, uint32_t sm)
{
	struct role *role;

	program_launch(p, name)->turns = turns;
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->sm_first = turns ? 0 : sm;
	role->sm_count = turns ? 0 : 1;
	role->threads = 1;
	role->lanes = 1;
}

static struct insn *access_lines(
	struct program *p, const char *spelling, uint64_t loop_bytes)
{
	struct insn *insn = program_ptx(p, spelling);

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.loop_bytes[0] = loop_bytes;
	return insn;
}

static void translate_pages(struct program *p, const struct layout *l)
{
	program_repeat(p, l->pages);
	access_lines(p, "ld.global.cg.b32", l->page_step_bytes)
		->address.base_bytes = UNTIMED_BYTES;
	program_end(p);
}

static void time_lines(struct program *p, const struct layout *l,
	const char *region, const char *spelling)
{
	translate_pages(p, l);
	program_timed(p, l->lines, TIMING_EACH, region);
	access_lines(p, spelling, l->stride_bytes);
	program_end(p);
}

static void time_share(
	struct program *p, const struct layout *l, const char *region)
{
	launch(p, region, true, 0);
	translate_pages(p, l);
	program_timed(p, l->share_lines, TIMING_EACH, region);
	access_lines(p, "ld.global.cg.b32", l->stride_bytes)
		->address.block_bytes = l->share_lines * l->stride_bytes;
	program_end(p);
}

/* Atomics bring the lines to their homes and leave no copies. */
static void bring_home(struct program *p, const struct layout *l)
{
	launch(p, "bring", false, l->toucher);
	program_repeat(p, l->lines);
	access_lines(p, "atom.global.add.u32", l->stride_bytes);
	program_end(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct layout l = {0};
	int code = plan(args, device, x, &l, error);

	if (code)
		return code;
	program_init(p, "near-far", args->seed);
	program_buffer(p, &(struct buffer){.name = "lines",
				  .bytes = l.pages * l.page_step_bytes,
				  .fill = FILL_ZERO});
	bring_home(p, &l);
	launch(p, "measure", true, 0);
	time_lines(p, &l, "measure", "atom.global.add.u32");
	program_step(p, STEP_FLUSH);
	launch(p, "cold", false, l.toucher);
	time_lines(p, &l, "cold", "ld.global.cg.b32");
	time_share(p, &l, "first");
	time_share(p, &l, "second");
	return 0;
}

const struct bench bench_near_far = {
	.name = "near-far",
	.summary = "every SM against every line: sides, homes, floor plan",
	.about = "Every SM in turn times atomics on the same lines: an atomic "
		 "goes to a line's home, so each SM is near to the line or far "
		 "from it. Then one SM touches the lines, and the others look "
		 "for copies. `nearfar map` reads the samples.",
	.examples = {"near-far --lines 264 -o near-far.json --force",
		"near-far -m h100-sxm --lines 264 --toucher 1"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
