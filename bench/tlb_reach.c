/*
 * A chase with one slot a page: how many pages each level of the TLB reaches,
 * and what lies beyond. Every slot is a line that L2 holds, so what changes
 * with the number of pages and their distance is address translation alone.
 */
#include <string.h>

#include "bench/memory.h"

#define UNROLL      16
#define SAMPLES_MAX 8192

static const struct bench_option options[] = {
	{"op", OPTION_CHOICE, "ld.cg", "ld.cg|atom.add",
		"operator of the chase"},
	{"stride", OPTION_BYTES, "2MiB", NULL,
		"bytes from page to page; a line more is added", 0x1p16,
		0x1p29},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that chases (%smid)", 0, 511},
	{"loads", OPTION_COUNT, "4096", NULL, "timed loads", 1, 0x1p20},
	{"chunk", OPTION_COUNT, "256", NULL, "loads in one sample", 1, 65536},
	MEMORY_OPTION,
	{0},
};

static const struct axis pages = {
	"pages", AXIS_COUNT, "8:65536:2", "slots of the ring, one a page"};

/* What the host pins of its memory for the ring, no one else has meanwhile. */
static const struct axis pages_of_host = {
	"pages", AXIS_COUNT, "8:2048:2", "slots of the ring, one a page"};

static const struct axis *axis(const struct bench_args *args)
{
	return memory_option(args) == MEMORY_HOST ? &pages_of_host : &pages;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS;
}

struct chase {
	const char *spelling;
	/* A line more than the stride: the slots spread over the sets of every
	   cache. They drift through their pages, but as slots are never closer
	   than a stride, no two share one. */
	uint32_t slot_bytes;
	uint64_t slots, warm, samples, chunk;
};

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct chase *c, struct error *error)
{
	/* The driver and the context want some. */
	uint64_t room = device->memory_bytes / 16 * 15;
	uint64_t stride = (uint64_t)bench_number(args, "stride");

	c->spelling = strcmp(bench_text(args, "op"), "ld.cg")
			      ? "atom.global.add.u64"
			      : "ld.global.cg.b64";
	if (stride % PROGRAM_LINE_BYTES)
		return error_set(error, ERR_USAGE,
			"--stride must be a multiple of %u bytes",
			PROGRAM_LINE_BYTES);
	if (x < 1)
		return error_set(error, ERR_USAGE, "a ring has a page");
	c->slot_bytes = (uint32_t)stride + PROGRAM_LINE_BYTES;
	c->slots = (uint64_t)x;
	if (x > (double)room / c->slot_bytes)
		return error_set(error, ERR_SKIPPED,
			"%.0f pages %s apart are more than the device's memory",
			x, bench_text(args, "stride"));
	c->warm = round_up(2 * c->slots, UNROLL);
	c->chunk = (uint64_t)bench_number(args, "chunk");
	if (c->chunk > 1)
		c->chunk = round_up(c->chunk, UNROLL);
	c->samples = (uint64_t)bench_number(args, "loads") / c->chunk;
	if (c->samples > SAMPLES_MAX)
		c->samples = SAMPLES_MAX;
	return c->samples ? 0
			  : error_set(error, ERR_USAGE,
				    "--loads must be at least --chunk");
}

static void link(struct program *p, const struct chase *c)
{
	program_ptx(p, c->spelling)->address.mode = ADDRESS_CHASE;
}

static void links(struct program *p, const struct chase *c, uint64_t count)
{
	program_repeat(p, count)->unroll = UNROLL;
	link(p, c);
	program_end(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct chase c = {0};
	struct role *role;
	int code = plan(args, device, x, &c, error);

	if (code)
		return code;
	program_init(p, "tlb-reach", args->seed);
	program_buffer(p, &(struct buffer){.name = "pages",
				  .bytes = c.slots * c.slot_bytes,
				  .memory = (uint8_t)memory_option(args),
				  .fill = FILL_RING,
				  .order = ORDER_SHUFFLE,
				  .seed = args->seed,
				  .slot_bytes = c.slot_bytes});
	program_launch(p, "chase");
	role = program_role(p, "chase");
	role->place = PLACE_SMS;
	role->sm_first = (uint32_t)bench_number(args, "sm");
	role->sm_count = 1;
	role->lanes = 1;
	links(p, &c, c.warm);
	program_timed(p, c.samples, TIMING_EACH, "measure");
	if (c.chunk == 1)
		link(p, &c);
	else
		links(p, &c, c.chunk);
	program_end(p);
	return 0;
}

const struct bench bench_tlb_reach = {
	.name = "tlb-reach",
	.summary = "latency of a chase with one line a page",
	.about = "A chain of loads has one slot a page, and L2 holds every "
		 "slot: what changes with the number of pages and their "
		 "distance is address translation alone.",
	.examples = {"tlb-reach -x 8,64 --loads 512",
		"tlb-reach --stride 4MiB -x 32 --loads 512"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
