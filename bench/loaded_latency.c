/*
 * Queueing: one SM chases a ring while others load the memory system, from
 * not at all to all that they can. The latency of the chase against the
 * bandwidth that the loading SMs reach is the curve by which a memory system
 * is told from a fixed delay.
 *
 * Of the loading SMs one is timed (region "load") and runs as long as the
 * chase is expected to; the others run the same body in the background until
 * both have ended. So the load never thins out by more than that one SM.
 */
#include <string.h>

#include "bench/memory.h"

#define LINK_UNROLL 16
#define LEAD_LINKS  64 /* untimed, while the load builds up */
#define UNROLL      4
#define LANE_BYTES  16u
#define WARP_BYTES  (LANE_BYTES * PROGRAM_WARP_LANES)
#define SAMPLES_MAX 8192

static const struct bench_option options[] = {
	{"level", OPTION_CHOICE, "l2", "l2|dram",
		"where the chase and the load find their data"},
	{"access", OPTION_CHOICE, "read", "read|write",
		"what the loading SMs do"},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that chases (%smid)", 0, 511},
	{"warps", OPTION_COUNT, "32", NULL, "warps of each loading SM", 1, 32},
	{"delay", OPTION_COUNT, "0", NULL,
		"cycles between the accesses of a loading warp", 0, 0x1p20},
	{"loads", OPTION_COUNT, "1024", NULL, "timed loads of the chase", 1,
		0x1p20},
	{"chunk", OPTION_COUNT, "64", NULL, "loads in one sample", 1, 65536},
	MEMORY_OPTION,
	{0},
};

/* The other SM of the chase's TPC stays idle: it shares the port. */
static const struct axis load_sms = {"load_sms", AXIS_COUNT,
	"0,1,2,4,8,16,32,64,96,%S-2",
	"SMs that load the memory system; all but the chasing TPC at most"};

/*
 * What to expect, roughly, to make the timed load last as long as the chase:
 * latencies in cycles, and the ceilings of one SM and of the chip in bytes a
 * cycle. They decide how long the load runs and nothing else.
 */
static const struct expected {
	double idle_cycles, loaded_cycles;
	double sm_bytes_per_cycle[2], chip_bytes_per_cycle[2]; /* read, write */
} expected[] = {
	{290, 340, {100, 30}, {4500, 2800}},
	{700, 1400, {80, 30}, {2300, 1800}},
};
/* The same of far memory, where the link is what fills up: by a pair of H200s
   and PCIe 5. */
static const struct expected expected_far[] = {
	[MEMORY_PEER] = {1700, 3400, {38, 25}, {95, 187}},
	[MEMORY_HOST] = {2300, 4600, {12, 25}, {12, 26}},
};

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &load_sms;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS |
	       1u << METRIC_LOAD_GB_PER_S;
}

struct shape {
	uint32_t sm_count, chaser, sms, warps;
	uint64_t ring_bytes, load_bytes;
	uint64_t links, chunk, samples; /* of the chase */
	uint64_t timed, body;           /* accesses of a loading warp */
	uint64_t delay_cycles;
	bool dram, write;
	enum memory_kind memory;
	unsigned ring, load; /* buffers */
};

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

static uint64_t round_down(uint64_t value, uint64_t multiple)
{
	return value > multiple ? value / multiple * multiple : multiple;
}

/* Accesses of a loading warp while the chase runs, and a little more. */
static uint64_t accesses(const struct shape *s)
{
	const struct expected *e = memory_is_far(s->memory)
					   ? &expected_far[s->memory]
					   : &expected[s->dram];
	double chip = e->chip_bytes_per_cycle[s->write] / s->sms;
	double sm = e->sm_bytes_per_cycle[s->write];
	bool full = chip < sm;
	double latency = full ? e->loaded_cycles : e->idle_cycles;
	double rate = full ? chip : sm;
	double offered = (double)s->warps * UNROLL * WARP_BYTES /
			 ((double)s->delay_cycles * UNROLL + latency);
	double cycles = (double)(LEAD_LINKS + s->links) * latency;
	uint64_t count;

	if (offered < rate)
		rate = offered;
	count = (uint64_t)(1.1 * cycles * rate / WARP_BYTES / s->warps);
	return round_up(count ? count : 1, UNROLL);
}

static void plan_load(const struct device *device, struct shape *s)
{
	uint64_t pass;

	if (!s->sms)
		return;
	pass = (uint64_t)s->sms * s->warps * WARP_BYTES;
	/* Whole unrolled rounds of all warps: no address needs a wrap. */
	s->load_bytes = round_down(
		s->dram ? 4 * device->l2_bytes : device->l2_bytes / 4,
		pass * UNROLL);
	s->timed = accesses(s);
	/* A pass of the background leaves nothing of itself in L2; or it is a
	   part of the whole, so that it ends soon after the others. */
	s->body = s->dram ? s->load_bytes / pass
			  : round_down(s->timed / 4, UNROLL);
	if (s->body > s->timed)
		s->body = s->timed;
}

static int plan(const struct bench_args *args, const struct device *device,
	double x, struct shape *s, struct error *error)
{
	s->sm_count = device->sm_count;
	s->chaser = (uint32_t)bench_number(args, "sm");
	s->warps = (uint32_t)bench_number(args, "warps");
	s->delay_cycles = (uint64_t)bench_number(args, "delay");
	s->dram = is(args, "level", "dram");
	s->write = is(args, "access", "write");
	s->memory = memory_option(args);
	if (s->chaser >= s->sm_count || x + 2 > s->sm_count)
		return error_set(error, ERR_SKIPPED,
			"%.0f SMs beside the TPC of SM %u are not there: the "
			"device has %u",
			x, s->chaser, s->sm_count);
	s->sms = (uint32_t)x;
	s->ring_bytes = s->dram ? 8 * device->l2_bytes : device->l2_bytes / 8;
	s->chunk = (uint64_t)bench_number(args, "chunk");
	if (s->chunk > 1)
		s->chunk = round_up(s->chunk, LINK_UNROLL);
	s->samples = (uint64_t)bench_number(args, "loads") / s->chunk;
	if (s->samples > SAMPLES_MAX)
		s->samples = SAMPLES_MAX;
	s->links = s->samples * s->chunk;
	if (!s->samples)
		return error_set(
			error, ERR_USAGE, "--loads must be at least --chunk");
	plan_load(device, s);
	return 0;
}

/* ---- the loading SMs ---- */

/* They follow the chase's TPC and go round: the one that is timed, those up
   to the last SM, and those from SM 0 on. */
struct part {
	const char *name;
	uint32_t sm_first, sm_count, block; /* of the load's address */
};

static size_t split(const struct shape *s, struct part parts[3])
{
	uint32_t first = (s->chaser / 2 * 2 + 2) % s->sm_count;
	uint32_t left = s->sms, room = s->sm_count - first;
	size_t count = 0;

	if (!left)
		return 0;
	parts[count++] = (struct part){"load", first, 1, 0};
	room = room < left ? room : left;
	if (room > 1)
		parts[count++] = (struct part){"more", first + 1, room - 1, 1};
	if (left > room)
		parts[count++] = (struct part){"rest", 0, left - room, room};
	return count;
}

static struct role *place(
	struct program *p, const char *name, uint32_t first, uint32_t count)
{
	struct role *role = program_role(p, name);

	role->place = PLACE_SMS;
	role->sm_first = first;
	role->sm_count = count;
	return role;
}

/* The body of a loop: each SM walks through its blocks of the buffer. */
static void access_load(struct program *p, const struct shape *s,
	const struct part *part, bool write)
{
	struct insn *insn = program_ptx(
		p, write ? "st.global.wb.v4.b32" : "ld.global.cg.v4.b32");
	uint64_t block = (uint64_t)s->warps * WARP_BYTES;

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)s->load;
	insn->address.base_bytes = part->block * block;
	insn->address.lane_bytes = LANE_BYTES;
	insn->address.warp_bytes = WARP_BYTES;
	insn->address.block_bytes = block;
	insn->address.loop_bytes[0] = s->sms * block;
}

static void load_roles(struct program *p, const struct shape *s)
{
	struct part parts[3];
	size_t count = split(s, parts), i;

	for (i = 0; i < count; i++) {
		struct role *role = place(
			p, parts[i].name, parts[i].sm_first, parts[i].sm_count);

		role->threads = s->warps * PROGRAM_WARP_LANES;
		role->background = i > 0;
		if (i == 0)
			program_timed(p, s->timed, TIMING_REGION, "load")
				->unroll = UNROLL;
		else
			program_repeat(p, s->body)->unroll = UNROLL;
		access_load(p, s, &parts[i], s->write);
		if (s->delay_cycles)
			program_insn(p, OP_DELAY)->count = s->delay_cycles;
		program_end(p);
	}
}

/* Each SM reads what it will use, twice, so that both sides hold it. */
static void warm_load(struct program *p, const struct shape *s)
{
	uint64_t pass =
		s->load_bytes / ((uint64_t)s->sms * s->warps * WARP_BYTES);
	struct part parts[3];
	size_t count = split(s, parts), i;

	program_launch(p, "warm-load");
	for (i = 0; i < count; i++) {
		place(p, parts[i].name, parts[i].sm_first, parts[i].sm_count)
			->threads = s->warps * PROGRAM_WARP_LANES;
		program_repeat(p, 2 * pass)->unroll = UNROLL;
		access_load(p, s, &parts[i], false);
		program_end(p);
	}
}

/* ---- the chasing SM ---- */

static void warm_ring(struct program *p, const struct shape *s)
{
	uint64_t round = (uint64_t)PROGRAM_WARP_LANES * WARP_BYTES;
	struct insn *insn;

	program_launch(p, "warm-ring");
	place(p, "chase", s->chaser, 1)->threads = 1024;
	program_repeat(p, round_up(2 * s->ring_bytes / round, UNROLL))->unroll =
		UNROLL;
	insn = program_ptx(p, "ld.global.cg.v4.b32");
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)s->ring;
	insn->address.lane_bytes = LANE_BYTES;
	insn->address.warp_bytes = WARP_BYTES;
	insn->address.loop_bytes[0] = round;
	program_end(p);
}

static void link(struct program *p, const struct shape *s)
{
	struct insn *insn = program_ptx(p, "ld.global.cg.b64");

	insn->address.mode = ADDRESS_CHASE;
	insn->address.buffer = (uint8_t)s->ring;
}

static void links(struct program *p, const struct shape *s, uint64_t count)
{
	program_repeat(p, count)->unroll = LINK_UNROLL;
	link(p, s);
	program_end(p);
}

static void chase(struct program *p, const struct shape *s)
{
	struct role *role = place(p, "chase", s->chaser, 1);

	role->threads = PROGRAM_WARP_LANES;
	role->lanes = 1;
	links(p, s, LEAD_LINKS);
	program_timed(p, s->samples, TIMING_EACH, "measure");
	if (s->chunk == 1)
		link(p, s);
	else
		links(p, s, s->chunk);
	program_end(p);
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct shape s = {0};
	int code = plan(args, device, x, &s, error);

	if (code)
		return code;
	program_init(p, "loaded-latency", args->seed);
	s.ring = program_buffer(p, &(struct buffer){.name = "ring",
					   .bytes = s.ring_bytes,
					   .memory = (uint8_t)s.memory,
					   .fill = FILL_RING,
					   .order = ORDER_SHUFFLE,
					   .seed = args->seed,
					   .slot_bytes = PROGRAM_LINE_BYTES});
	if (s.sms)
		s.load = program_buffer(p, &(struct buffer){.name = "data",
						   .bytes = s.load_bytes,
						   .memory = (uint8_t)s.memory,
						   .fill = FILL_RANDOM,
						   .seed = args->seed});
	if (!s.dram) {
		if (s.sms)
			warm_load(p, &s);
		warm_ring(p, &s);
	}
	program_launch(p, "measure");
	chase(p, &s);
	load_roles(p, &s);
	return 0;
}

const struct bench bench_loaded_latency = {
	.name = "loaded-latency",
	.summary = "latency of a chase while other SMs load the memory system",
	.about = "One SM chases a ring while others load the memory system, "
		 "from none to all. Latency of the chase against the bandwidth "
		 "of the others tells a memory system with queues from a fixed "
		 "delay.",
	.examples = {"loaded-latency -x 0,8 --loads 256",
		"loaded-latency --level dram -x 4 --loads 128 --access write"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
