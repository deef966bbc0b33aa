/*
 * What survives in a cache: a hot set is read, a stream goes by, and lines of
 * the hot set are looked for. Either can ask for an eviction priority, by its
 * own qualifier or by a policy; L2 can be set up by a carve-out and an
 * access-policy window.
 */
#include <stdio.h>
#include <string.h>

#include "bench/memory.h"
#include "bench/probe.h"

#define LINES           512u /* of the hot set that are looked for */
#define THREADS         1024u
#define UNROLL          4
#define RANGE_MAX_BYTES (UINT64_C(1) << 32)
#define L1_WARP                                                                \
	512u /* bytes that the one warp of the L1 form reads at once           \
	      */

#define PRIORITIES                                                             \
	"normal|cs|lu|L1::evict_normal|L1::evict_first|L1::evict_last|"        \
	"L1::evict_unchanged|L1::no_allocate|L2::evict_normal|"                \
	"L2::evict_first|L2::evict_last|L2::evict_unchanged"

static const struct bench_option options[] = {
	{"cache", OPTION_CHOICE, "l2", "l2|l1",
		"cache in which the hot set is probed"},
	{"hot", OPTION_BYTES, "16MiB", NULL, "size of the hot set", 128,
		0x1p34},
	{"hot-as", OPTION_CHOICE, "normal", PRIORITIES,
		"how the hot set is read"},
	{"stream-as", OPTION_CHOICE, "normal", PRIORITIES,
		"how the stream is read"},
	{"policy", OPTION_CHOICE, "fractional", "fractional|range|cvt",
		"the form of createpolicy that carries an L2 priority"},
	{"fraction", OPTION_REAL, "1", NULL,
		"share of the hot set that gets the policy's priority", 0, 1},
	{"secondary", OPTION_CHOICE, "evict_unchanged",
		"evict_unchanged|evict_first",
		"priority of the rest of the hot set"},
	{"carveout", OPTION_BYTES, "0", NULL,
		"L2 set aside for persisting lines", 0, 0x1p34},
	{"window", OPTION_BYTES, "0", NULL,
		"access-policy window on the hot set; 0: none", 0, 0x1p34},
	{"hit-ratio", OPTION_REAL, "1", NULL,
		"share of the window that gets the hit property", 0, 1},
	{"hit", OPTION_CHOICE, "persisting", "normal|streaming|persisting",
		"property of that share of the window"},
	{"miss", OPTION_CHOICE, "streaming", "normal|streaming|persisting",
		"property of the rest of the window"},
	{"after", OPTION_CHOICE, "none", "none|applypriority|discard|reset",
		"what is done to the hot set before the stream"},
	{"sm", OPTION_COUNT, "0", NULL, "the SM that reads and probes", 0, 511},
	MEMORY_OPTION,
	{0},
};

static const struct axis stream = {"stream_bytes", AXIS_BYTES,
	"0,1MiB,4MiB,8MiB,16MiB,32MiB,64MiB,128MiB", "stream size"};

static const struct axis *axis(const struct bench_args *args)
{
	(void)args;
	return &stream;
}

static uint32_t metrics(const struct bench_args *args)
{
	(void)args;
	return 1u << METRIC_SHARE_L1 | 1u << METRIC_SHARE_NEAR |
	       1u << METRIC_SHARE_FAR | 1u << METRIC_SHARE_DRAM;
}

static bool is(
	const struct bench_args *args, const char *option, const char *value)
{
	return !strcmp(bench_text(args, option), value);
}

/* ---- policies ---- */

static bool needs_policy(const char *priority)
{
	return !strncmp(priority, "L2::", 4);
}

static int make_cvt(
	struct program *p, const char *priority, struct error *error)
{
	static const struct {
		const char *priority;
		enum access_property property;
	} rows[] = {
		{"L2::evict_normal", PROPERTY_NORMAL},
		{"L2::evict_first", PROPERTY_STREAMING},
		{"L2::evict_last", PROPERTY_PERSISTING},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].priority, priority)) {
			program_ptx(p, "createpolicy.cvt.L2.b64")->total =
				rows[i].property;
			return 0;
		}
	return error_set(error, ERR_USAGE,
		"--policy cvt has no property for %s", priority);
}

/* Policy 0, for the buffer that the priority is for. */
static int make_policy(struct program *p, const struct bench_args *args,
	const char *priority, unsigned buffer, struct error *error)
{
	bool hot = buffer == 0;
	uint64_t bytes = hot ? (uint64_t)bench_number(args, "hot")
			     : p->buffers[buffer].bytes;
	char spelling[96];
	struct insn *insn;

	if (!needs_policy(priority))
		return 0;
	if (is(args, "policy", "cvt"))
		return make_cvt(p, priority, error);
	snprintf(spelling, sizeof(spelling), "createpolicy.%s.%s.L2::%s.b64",
		is(args, "policy", "range") && hot ? "range.global"
						   : "fractional",
		priority,
		hot ? bench_text(args, "secondary") : "evict_unchanged");
	insn = program_ptx(p, spelling);
	if (!is(args, "policy", "range") || !hot) {
		insn->fraction = hot ? bench_number(args, "fraction") : 1;
		return 0;
	}
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)buffer;
	insn->total = bytes;
	insn->count =
		(uint64_t)((double)bytes * bench_number(args, "fraction"));
	return 0;
}

static void spell_read(const char *priority, char *text, size_t bytes)
{
	const char *middle = !strcmp(priority, "normal") ? ""
			     : needs_policy(priority)    ? ".L2::cache_hint"
							 : ".";

	snprintf(text, bytes, "ld.global%s%s.v4.b32", middle,
		*middle && !needs_policy(priority) ? priority : "");
}

/* ---- passes over a buffer ---- */

static void read_all(struct program *p, const struct bench_args *args,
	const char *priority, unsigned buffer, uint64_t sm_count,
	unsigned times)
{
	bool l1 = is(args, "cache", "l1");
	uint64_t bytes = buffer ? p->buffers[buffer].bytes
				: (uint64_t)bench_number(args, "hot");
	uint64_t block = l1 ? L1_WARP : THREADS * 16;
	uint64_t round = l1 ? block : block * sm_count;
	uint64_t count = times * ((bytes + round - 1) / round);
	char spelling[64];
	struct insn *insn;

	spell_read(priority, spelling, sizeof(spelling));
	count = (count + UNROLL - 1) / UNROLL * UNROLL;
	program_repeat(p, count)->unroll = UNROLL;
	insn = program_ptx(p, spelling);
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)buffer;
	insn->address.lane_bytes = 16;
	insn->address.warp_bytes = L1_WARP;
	insn->address.block_bytes = l1 ? 0 : block;
	insn->address.loop_bytes[0] = round;
	insn->address.wrap_bytes = bytes < p->buffers[buffer].bytes ? bytes : 0;
	program_end(p);
}

static void whole_chip(struct program *p, const char *name)
{
	struct role *role;

	program_launch(p, name);
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->threads = THREADS;
}

/* applypriority or discard on every line of the hot set. */
static void change_all(struct program *p, const struct bench_args *args,
	const char *spelling, uint64_t sm_count)
{
	uint64_t lines =
		(uint64_t)bench_number(args, "hot") / PROGRAM_LINE_BYTES;
	uint64_t threads = THREADS * sm_count;
	struct insn *insn;

	whole_chip(p, "after");
	program_repeat(p, (lines + threads - 1) / threads);
	insn = program_ptx(p, spelling);
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.lane_bytes = PROGRAM_LINE_BYTES;
	insn->address.warp_bytes = PROGRAM_LINE_BYTES * PROGRAM_WARP_LANES;
	insn->address.block_bytes = PROGRAM_LINE_BYTES * THREADS;
	insn->address.loop_bytes[0] = PROGRAM_LINE_BYTES * threads;
	program_end(p);
}

static void set_up(struct program *p, const struct bench_args *args)
{
	static const enum access_property properties[] = {
		PROPERTY_NORMAL, PROPERTY_STREAMING, PROPERTY_PERSISTING};
	struct step *step;

	program_step(p, STEP_CARVEOUT)->bytes =
		(uint64_t)bench_number(args, "carveout");
	if (bench_number(args, "window") > 0) {
		step = program_step(p, STEP_WINDOW);
		step->bytes = (uint64_t)bench_number(args, "window");
		step->hit_ratio = bench_number(args, "hit-ratio");
		step->hit = (uint8_t)properties[(int)bench_number(args, "hit")];
		step->miss =
			(uint8_t)properties[(int)bench_number(args, "miss")];
	}
}

static int build_l2(struct program *p, const struct bench_args *args,
	const struct probe_lines *lines, uint64_t sm_count, struct error *error)
{
	const char *hot = bench_text(args, "hot-as");
	const char *stream_as = bench_text(args, "stream-as");

	set_up(p, args);
	whole_chip(p, "warm");
	if (make_policy(p, args, hot, 0, error))
		return ERR_USAGE;
	read_all(p, args, hot, 0, sm_count, 2);
	if (is(args, "after", "applypriority"))
		change_all(p, args, probe_spelling("applypriority"), sm_count);
	else if (is(args, "after", "discard"))
		change_all(p, args, probe_spelling("discard.L2"), sm_count);
	else if (is(args, "after", "reset"))
		program_step(p, STEP_RESET);
	if (p->buffer_count > 1) {
		whole_chip(p, "stream");
		if (make_policy(p, args, stream_as, 1, error))
			return ERR_USAGE;
		read_all(p, args, stream_as, 1, sm_count, 1);
	}
	probe_launch(p, lines, "probe", 1);
	probe_time(p, lines, "measure", probe_spelling("ld.cg"), 0);
	return 0;
}

static int build_l1(struct program *p, const struct bench_args *args,
	const struct probe_lines *lines, struct error *error)
{
	const char *hot = bench_text(args, "hot-as");
	const char *stream_as = bench_text(args, "stream-as");

	probe_launch(p, lines, "probe", PROGRAM_WARP_LANES);
	if (make_policy(p, args, hot, 0, error))
		return ERR_USAGE;
	read_all(p, args, hot, 0, 1, 2);
	if (p->buffer_count > 1) {
		if (make_policy(p, args, stream_as, 1, error))
			return ERR_USAGE;
		read_all(p, args, stream_as, 1, 1, 1);
	}
	probe_settle(p);
	probe_time(p, lines, "measure", probe_spelling("ld.ca"), 0);
	return 0;
}

/* The lines that are looked for lie evenly in the hot set; one line less from
   one to the next where there is room, so that they fall into all sets. */
static void choose_lines(uint64_t hot_bytes, struct probe_lines *lines)
{
	uint64_t all = hot_bytes / PROGRAM_LINE_BYTES, step;

	lines->count = all < LINES ? all : LINES;
	step = all / lines->count;
	lines->stride_bytes = (step > 8 ? step - 1 : step) * PROGRAM_LINE_BYTES;
}

static int build(const struct bench_args *args, const struct device *device,
	double x, struct program *p, struct error *error)
{
	struct probe_lines lines = {.sm = (unsigned)bench_number(args, "sm"),
		.memory = memory_option(args)};
	uint64_t hot = (uint64_t)bench_number(args, "hot");
	uint64_t window = (uint64_t)bench_number(args, "window");

	if (bench_number(args, "carveout") >
		(double)device->persisting_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"the device sets aside at most %llu bytes of L2",
			(unsigned long long)device->persisting_bytes_max);
	if (hot % PROGRAM_LINE_BYTES || (uint64_t)x % PROGRAM_LINE_BYTES)
		return error_set(error, ERR_USAGE,
			"--hot and -x are multiples of %d bytes",
			PROGRAM_LINE_BYTES);
	if (is(args, "cache", "l1") &&
		(!is(args, "after", "none") || window ||
			bench_number(args, "carveout") > 0))
		return error_set(error, ERR_USAGE,
			"--cache l1 has no --after, --window or --carveout: "
			"they are of L2");
	if (is(args, "policy", "range") && hot > RANGE_MAX_BYTES)
		return error_set(error, ERR_SKIPPED,
			"a range policy covers at most 4 GiB");
	if (bench_number(args, "fraction") <= 0)
		return error_set(
			error, ERR_USAGE, "--fraction must be above 0");
	choose_lines(hot, &lines);
	program_init(p, "residency", args->seed);
	program_buffer(p, &(struct buffer){.name = "hot",
				  .bytes = window > hot ? window : hot,
				  .memory = (uint8_t)lines.memory});
	if ((uint64_t)x)
		program_buffer(p, &(struct buffer){.name = "stream",
					  .bytes = (uint64_t)x,
					  .memory = (uint8_t)lines.memory});
	probe_yardsticks(p, &lines, 0);
	return is(args, "cache", "l1")
		       ? build_l1(p, args, &lines, error)
		       : build_l2(p, args, &lines, device->sm_count, error);
}

const struct bench bench_residency = {
	.name = "residency",
	.summary = "share of a hot set that stays cached after a stream",
	.about = "A hot set is read, a stream goes by, and lines of the hot "
		 "set are looked for. Either can have an eviction priority, by "
		 "its own qualifier or by a policy; L2 can have a carve-out "
		 "and an access-policy window.",
	.examples = {"residency --hot 1MiB -x 0,4MiB",
		"residency --hot 1MiB --hot-as L2::evict_last -x 4MiB"},
	.options = options,
	.axis = axis,
	.metrics = metrics,
	.build = build,
};
