/*
 * Dependent loads round a ring: the latency of whatever level holds the
 * footprint. With more warps and lanes, each chases a ring of its own:
 * memory-level parallelism.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"

#define UNROLL       16
#define SAMPLES_MAX  8192 /* of one block */
#define START_LINKS  4096
#define MEMORIES_MAX 3
/* One slot a page, each a line further into its page than the last, so that
   the slots spread over the sets of every cache. */
#define PAGE_STRIDE_BYTES ((2u << 20) + PROGRAM_LINE_BYTES)

static const struct bench_option options[] = {
	{"op", OPTION_CHOICE, "ld.ca",
		"ld.ca|ld.cg|ld.cs|ld.lu|ld.cv|ld.nc|ld.relaxed.gpu|atom.add|"
		"atom.add.sys",
		"operator of the chase"},
	{"slot", OPTION_BYTES, "128", NULL, "bytes from slot to slot", 4,
		0x1p30},
	{"order", OPTION_CHOICE, "shuffle", "shuffle|sequential",
		"order of the slots in the ring"},
	{"element", OPTION_CHOICE, "8", "4|8|16",
		"bytes of a link: offset, pointer, pointer and payload"},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that chases (%smid)", 0, 511},
	{"warps", OPTION_COUNT, "1", NULL, "warps that chase", 1, 32},
	{"lanes", OPTION_COUNT, "1", NULL, "lanes of each warp that chase", 1,
		32},
	{"page-stride", OPTION_FLAG, "no", NULL,
		"one slot a 2 MiB page, to see the TLB"},
	{"loads", OPTION_COUNT, "4096", NULL, "timed loads of one thread", 1,
		0x1p20},
	{"samples", OPTION_FLAG, "no", NULL,
		"time every load, not the mean over --chunk of them"},
	{"chunk", OPTION_COUNT, "256", NULL, "loads in one sample", 1, 65536},
	{"memory", OPTION_CHOICE, "device",
		MEMORY_CHOICES "|device+peer|device+host|peer+host|"
			       "device+peer+host",
		"memory that the ring lies in, or goes through in turn: the "
		"GPU's own, another GPU's, or the host's"},
	{0},
};

static const struct axis footprint = {
	"footprint_bytes", AXIS_BYTES, "4KiB:1GiB:4", "size of all rings"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &footprint;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS |
	       1u << METRIC_LOADS_PER_CYCLE;
}

/* The spelling of an operator for a link of 4, 8 or 16 bytes. */
static const char *spelling(const char *op, const char *element)
{
	static const struct {
		const char *op, *spelling[3];
	} rows[] = {
#define LOAD(op, middle)                                                       \
	{                                                                      \
		op,                                                            \
		{                                                              \
			"ld." middle ".b32", "ld." middle ".b64",              \
				"ld." middle ".v2.b64"                         \
		}                                                              \
	}
		LOAD("ld.ca", "global.ca"),
		LOAD("ld.cg", "global.cg"),
		LOAD("ld.cs", "global.cs"),
		LOAD("ld.lu", "global.lu"),
		LOAD("ld.cv", "global.cv"),
		LOAD("ld.nc", "global.nc"),
		LOAD("ld.relaxed.gpu", "relaxed.gpu.global"),
#undef LOAD
		{"atom.add",
			{"atom.global.add.u32", "atom.global.add.u64", NULL}},
		{"atom.add.sys",
			{"atom.relaxed.sys.global.add.u32",
				"atom.relaxed.sys.global.add.u64", NULL}},
	};
	unsigned width = !strcmp(element, "4")   ? 0
			 : !strcmp(element, "8") ? 1
						 : 2;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].op, op))
			return rows[i].spelling[width];
	return NULL;
}

struct chase {
	const char *spelling;
	uint32_t slot_bytes, rings, element_bytes;
	uint8_t memories[MEMORIES_MAX]; /* of the buffers */
	uint32_t memory_count;
	uint64_t slots;              /* of one ring in a buffer */
	uint64_t warm, timed, chunk; /* in links of each buffer */
};

static void find_memories(const struct bench_args *args, struct chase *c)
{
	const char *at = bench_text(args, "memory");
	char word[16];
	size_t length;

	do {
		length = strcspn(at, "+");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		c->memories[c->memory_count++] = (uint8_t)memory_named(word);
		at += length;
	} while (*at++ && c->memory_count < MEMORIES_MAX);
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct chase *c, struct error *error)
{
	uint64_t warps = (uint64_t)bench_number(args, "warps");
	uint64_t enough;

	c->spelling =
		spelling(bench_text(args, "op"), bench_text(args, "element"));
	if (!c->spelling)
		return error_set(error, ERR_USAGE,
			"--op %s has no form with --element %s",
			bench_text(args, "op"), bench_text(args, "element"));
	c->element_bytes = !strcmp(bench_text(args, "element"), "4") ? 4 : 8;
	c->slot_bytes = bench_number(args, "page-stride") > 0
				? PAGE_STRIDE_BYTES
				: (uint32_t)bench_number(args, "slot");
	c->rings = (uint32_t)(warps * (uint64_t)bench_number(args, "lanes"));
	if (!c->slot_bytes || !c->rings)
		return error_set(error, ERR_USAGE,
			"--slot, --warps and --lanes must be at least 1");
	find_memories(args, c);
	c->slots = (uint64_t)x / c->memory_count / c->rings / c->slot_bytes;
	if (c->slots < 1)
		return error_set(error, ERR_SKIPPED,
			"%.0f bytes hold no slot for each of %u rings", x,
			c->rings);
	/* Twice round; but of a ring that is twice what the caches hold
	   nothing is left when it comes round, so a start is enough. */
	enough = 2 * memory_cache_bytes(args, device) /
		 (c->slot_bytes > PROGRAM_LINE_BYTES ? PROGRAM_LINE_BYTES
						     : c->slot_bytes) /
		 c->rings;
	c->warm = c->slots < enough ? 2 * c->slots : START_LINKS;
	c->warm = round_up(c->warm, UNROLL);
	c->chunk = bench_number(args, "samples") > 0
			   ? 1
			   : round_up((uint64_t)bench_number(args, "chunk") /
					      c->memory_count,
				     UNROLL);
	if (c->chunk == 1 && c->memory_count > 1)
		return error_set(error, ERR_USAGE,
			"--samples times one load, and a ring through several "
			"memories is timed round by round");
	c->timed = (uint64_t)bench_number(args, "loads") / c->memory_count /
		   c->chunk;
	if (c->timed * warps > SAMPLES_MAX)
		c->timed = SAMPLES_MAX / warps;
	return c->timed ? 0
			: error_set(error, ERR_USAGE,
				  "--loads must be at least --chunk");
}

/* One in each buffer. */
static void link(struct program *p, const struct chase *c, unsigned ring)
{
	uint32_t i;

	for (i = 0; i < c->memory_count; i++) {
		struct insn *insn = program_ptx(p, c->spelling);

		insn->address.mode = ADDRESS_CHASE;
		insn->address.buffer = (uint8_t)(ring + i);
	}
}

static void links(
	struct program *p, const struct chase *c, unsigned ring, uint64_t count)
{
	program_repeat(p, count)->unroll = UNROLL;
	link(p, c, ring);
	program_end(p);
}

/* The number of the first. */
static unsigned buffers(
	const struct bench_args *args, const struct chase *c, struct program *p)
{
	unsigned first = p->buffer_count, i;
	char name[16] = "ring";

	for (i = 0; i < c->memory_count; i++) {
		struct buffer b = {
			.bytes = c->slots * c->slot_bytes * c->rings,
			.memory = c->memories[i],
			.fill = FILL_RING,
			.order = !strcmp(bench_text(args, "order"), "shuffle")
					 ? ORDER_SHUFFLE
					 : ORDER_SEQUENTIAL,
			.element_bytes = (uint8_t)c->element_bytes,
			.seed = args->seed,
			.slot_bytes = c->slot_bytes,
			.rings = c->rings,
		};

		if (!i && c->memory_count > 1)
			b.through = (uint8_t)c->memory_count;
		if (i)
			snprintf(name, sizeof(name), "ring%u", i + 1);
		memcpy(b.name, name, sizeof(name));
		program_buffer(p, &b);
	}
	return first;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct chase c = {0};
	struct role *role;
	unsigned ring;
	int code = plan(args, device, x, &c, error);

	if (code)
		return code;
	program_init(p, "pointer-chase", args->seed);
	ring = buffers(args, &c, p);
	program_launch(p, "chase");
	role = program_role(p, "chase");
	role->place = PLACE_SMS;
	role->sm_first = (uint32_t)bench_number(args, "sm");
	role->sm_count = 1;
	role->threads = 32 * (uint32_t)bench_number(args, "warps");
	role->lanes = (uint32_t)bench_number(args, "lanes");
	links(p, &c, ring, c.warm);
	program_timed(p, c.timed, TIMING_EACH, "measure");
	if (c.chunk == 1)
		link(p, &c, ring);
	else
		links(p, &c, ring, c.chunk);
	program_end(p);
	return 0;
}

const struct bench bench_pointer_chase = {
	.name = "pointer-chase",
	.summary = "latency of dependent loads round a ring",
	.about = "Each load of a chain gives the address of the next one, "
		 "round a ring. A small ring shows the latency of L1, a larger "
		 "one that of L2 near and far, a large one that of DRAM; more "
		 "warps and lanes chase rings of their own.",
	.examples = {"pointer-chase -x 16KiB,8MiB",
		"pointer-chase --op ld.cg --samples -x 1MiB --loads 512"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
