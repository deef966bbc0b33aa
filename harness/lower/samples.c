#include <math.h>

#include "harness/base/divisor.h"
#include "harness/lower/records.h"

/* Between the two readings of each block of a region, on average. */
static void add_clocks(const struct samples_output *output,
	const struct ptx_region *r, double *longest_ns, double *clock_hz)
{
	double cycles = 0, ns = 0;
	uint32_t blocks = 0, i;

	for (i = 0; i < r->blocks; i++) {
		struct ptx_block_record block = block_at(output, r, i);

		if (ptx_is_quiet(r, i))
			continue;
		blocks++;
		cycles += (double)(block.last_clock - block.first_clock);
		ns += (double)(block.last_ns - block.first_ns);
	}
	if (blocks && ns / blocks >= *longest_ns) {
		*longest_ns = ns / blocks;
		*clock_hz = cycles / ns * 1e9;
	}
}

double samples_clock_hz(const struct samples_output *outputs, size_t count)
{
	double longest_ns = SAMPLES_CLOCK_NS_MIN, clock_hz = 0;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < outputs[i].kernel->region_count; k++)
			add_clocks(&outputs[i], &outputs[i].kernel->regions[k],
				&longest_ns, &clock_hz);
	return clock_hz;
}

/* ---- spans ---- */

/* Clocks of different SMs have different origins; %globaltimer has one, and
   advances in steps. So a reading of both says of the SM's clock how far behind
   the timer it lies, or up to a step less: the largest of an SM's readings says
   it best. Over long regions the clock's rate is not known well enough for
   that, and a step is nothing. */
#define READINGS_APART_NS 1e6

struct origin {
	double first_ns, last_ns; /* of clock 0, by readings before and after */
	bool known;
};

/* What both are counted from: %globaltimer is the time since 1970, in which a
   double sees steps of 256 ns. */
struct base {
	uint64_t clock, ns;
	double cycle_ns;
};

static double clock_ns(const struct base *base, uint64_t clock)
{
	return (double)(int64_t)(clock - base->clock) * base->cycle_ns;
}

static double origin_ns(const struct base *base, uint64_t clock, uint64_t ns)
{
	return (double)(int64_t)(ns - base->ns) - clock_ns(base, clock);
}

static void read_origin(struct origin *o, const struct base *base,
	const struct ptx_block_record *block)
{
	double first = origin_ns(base, block->first_clock, block->first_ns);
	double last = origin_ns(base, block->last_clock, block->last_ns);

	if (!o->known || first > o->first_ns)
		o->first_ns = first;
	if (!o->known || last > o->last_ns)
		o->last_ns = last;
	o->known = true;
}

/* From the first entry to the last exit or arrival. */
struct extent {
	double first_ns, last_ns;
	uint64_t first_clock, last_clock;
};

static void extend(struct extent *e, const struct origin *o,
	const struct base *base, uint64_t start, uint64_t stop)
{
	double first = o->first_ns + clock_ns(base, start);
	double last = o->last_ns + clock_ns(base, stop);

	e->first_ns = first < e->first_ns ? first : e->first_ns;
	e->last_ns = last > e->last_ns ? last : e->last_ns;
	e->first_clock = start < e->first_clock ? start : e->first_clock;
	e->last_clock = stop > e->last_clock ? stop : e->last_clock;
}

/* Returns the number of SMs that ran the region. */
static uint32_t read_origins(const struct samples_output *output,
	const struct ptx_region *r, const struct base *base,
	struct origin *origins)
{
	double apart_ns = 0;
	uint32_t sms = 0, i;

	for (i = 0; i < r->blocks; i++) {
		struct ptx_block_record block = block_at(output, r, i);
		struct origin *o = &origins[block.sm % SAMPLES_SMS_MAX];

		if (ptx_is_quiet(r, i))
			continue;
		sms += !o->known;
		read_origin(o, base, &block);
		if ((double)(block.last_ns - block.first_ns) > apart_ns)
			apart_ns = (double)(block.last_ns - block.first_ns);
	}
	for (i = 0; apart_ns < READINGS_APART_NS && i < SAMPLES_SMS_MAX; i++) {
		struct origin *o = &origins[i];

		if (o->first_ns > o->last_ns)
			o->last_ns = o->first_ns;
		o->first_ns = o->last_ns;
	}
	return sms;
}

/* All that the timer's readings differ by is a whole number of its steps. */
static double timer_step_ns(
	const struct samples_output *output, const struct ptx_region *r)
{
	uint64_t base_ns = block_at(output, r, 0).first_ns, step_ns = 0;
	uint32_t i;

	for (i = 0; i < r->blocks; i++) {
		struct ptx_block_record block = block_at(output, r, i);
		uint64_t first_ns;

		if (ptx_is_quiet(r, i))
			continue;
		first_ns = block.first_ns > base_ns ? block.first_ns - base_ns
						    : base_ns - block.first_ns;

		step_ns = greatest_divisor(step_ns, first_ns);
		step_ns = greatest_divisor(
			step_ns, block.last_ns - block.first_ns);
	}
	return (double)step_ns;
}

static struct span span_of(const struct samples_output *output,
	const struct ptx_region *r, double clock_hz)
{
	struct ptx_block_record some = block_at(output, r, 0);
	struct base base = {some.first_clock, some.first_ns, 1e9 / clock_hz};
	struct origin origins[SAMPLES_SMS_MAX] = {{0}};
	uint32_t sms = read_origins(output, r, &base, origins), w;
	struct extent e = {INFINITY, -INFINITY, UINT64_MAX, 0};
	struct span span;
	bool one_clock;

	for (w = 0; w < r->warps; w++) {
		struct ptx_warp_record warp = record_at(output, r, w);
		struct ptx_block_record block =
			block_at(output, r, block_of(r, w));
		uint64_t stop = warp.stop_clock > block.drain_clock
					? warp.stop_clock
					: block.drain_clock;

		if (ptx_is_quiet(r, block_of(r, w)))
			continue;
		extend(&e, &origins[block.sm % SAMPLES_SMS_MAX], &base,
			warp.start_clock, stop);
	}
	one_clock = output->one_clock || sms == 1;
	span.cycles = one_clock ? (double)(e.last_clock - e.first_clock)
				: (e.last_ns - e.first_ns) / base.cycle_ns;
	span.ns = span.cycles * base.cycle_ns;
	span.step_ns = one_clock ? 0 : timer_step_ns(output, r);
	return span;
}

static int add_warp(const struct samples_output *output,
	const struct ptx_region *r, uint32_t warp, struct result *result)
{
	struct ptx_warp_record record = record_at(output, r, warp);
	struct sample sample = {
		.cycles = (double)(record.stop_clock - record.start_clock),
		.warp = warp,
		.sm = (uint16_t)block_at(output, r, block_of(r, warp)).sm,
		.region = (uint16_t)r->region,
	};
	uint32_t i;

	if (!r->samples)
		return result_add(result, &sample);
	for (i = 0; i < r->samples; i++) {
		int code;

		sample.iteration = i;
		sample.cycles = cycles_at(output, r, warp, i);
		code = result_add(result, &sample);
		if (code)
			return code;
	}
	return 0;
}

static int add_region(const struct samples_output *output,
	const struct ptx_region *r, struct result *result, struct error *error)
{
	uint32_t w;

	for (w = 0; w < r->warps; w++)
		if (!ptx_is_quiet(r, block_of(r, w)) &&
			add_warp(output, r, w, result))
			return error_set(error, ERR_FAILED,
				"no memory for the samples of %u warps",
				r->warps);
	if (r->warps)
		result->spans[r->region] = span_of(output, r, result->clock_hz);
	return 0;
}

int samples_collect(const struct samples_output *outputs, size_t count,
	struct result *result, struct error *error)
{
	uint32_t region;
	size_t i, k;

	for (region = 0; region < PROGRAM_REGIONS_MAX; region++)
		for (i = 0; i < count; i++)
			for (k = 0; k < outputs[i].kernel->region_count; k++) {
				const struct ptx_region *r =
					&outputs[i].kernel->regions[k];
				int code;

				if (r->region != region)
					continue;
				code = add_region(
					&outputs[i], r, result, error);
				if (code)
					return code;
			}
	return 0;
}

/* ---- a timeline ---- */

/* The first reading of the timer; UINT64_MAX: there is none. */
static uint64_t first_ns(const struct samples_output *outputs, size_t count)
{
	uint64_t first = UINT64_MAX;
	uint32_t block;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < outputs[i].kernel->region_count; k++) {
			const struct ptx_region *r =
				&outputs[i].kernel->regions[k];

			for (block = 0; block < r->blocks; block++) {
				uint64_t ns = block_at(&outputs[i], r, block)
						      .first_ns;

				if (!ptx_is_quiet(r, block) && ns < first)
					first = ns;
			}
		}
	return first;
}

/* To a hundredth: what was rounded is none of the chip's. */
static double whole(double cycles)
{
	return round(cycles * 100) / 100;
}

/* The warps of a region, on threads from `thread` on; `launch` is made as long
   as they take. */
static void show_region(const struct samples_output *output,
	const struct ptx_region *r, uint64_t origin, uint32_t thread,
	const char *name, struct timeline_span *launch, struct timeline *t)
{
	const double cycles_a_ns = t->clock_hz / 1e9;
	struct ptx_block_record some = block_at(output, r, 0);
	struct base base = {some.first_clock, origin, 1 / cycles_a_ns};
	struct origin origins[SAMPLES_SMS_MAX] = {{0}};
	uint32_t w;

	read_origins(output, r, &base, origins);
	for (w = 0; w < r->warps; w++) {
		struct ptx_warp_record warp = record_at(output, r, w);
		const uint32_t sm =
			(uint32_t)block_at(output, r, block_of(r, w)).sm;
		const struct origin *o = &origins[sm % SAMPLES_SMS_MAX];
		const double start = clock_ns(&base, warp.start_clock);
		const double stop = clock_ns(&base, warp.stop_clock);
		const struct timeline_span span = {
			.begin = whole(cycles_a_ns * (o->first_ns + start)),
			.end = whole(cycles_a_ns * (o->last_ns + stop)),
			.name = name,
			.what = TIMELINE_WARP,
			.place = sm,
			.thread = thread + w,
			.warp = w,
			.server = TIMELINE_NONE,
		};

		if (ptx_is_quiet(r, block_of(r, w)))
			continue;
		launch->begin = fmin(launch->begin, span.begin);
		launch->end = fmax(launch->end, span.end);
		if (timeline_has_sm(t, sm) && timeline_has_warp(t, w))
			timeline_add(t, &span);
	}
}

/* A region has the name of its repeat. */
static const char *region_name(
	const struct program *p, uint32_t region, struct timeline *t)
{
	struct region regions[PROGRAM_REGIONS_MAX];

	return region < program_regions(p, regions)
		       ? timeline_text(t, regions[region].repeat->region)
		       : "";
}

void samples_timeline(const struct program *p,
	const struct samples_output *outputs, size_t count,
	struct result *result)
{
	const uint64_t origin = first_ns(outputs, count);
	struct timeline *t = result->timeline;
	uint32_t thread = 0, step = 0;
	size_t i, k;

	if (!t)
		return;
	t->clock_hz = result->clock_hz;
	for (i = 0; i < count; i++, step++) {
		struct timeline_span launch = {
			.begin = INFINITY,
			.end = -INFINITY,
			.what = TIMELINE_LAUNCH,
			.warp = TIMELINE_NONE,
			.server = TIMELINE_NONE,
		};

		while (p->steps[step].kind != STEP_LAUNCH)
			step++;
		for (k = 0; k < outputs[i].kernel->region_count; k++) {
			const struct ptx_region *r =
				&outputs[i].kernel->regions[k];

			show_region(&outputs[i], r, origin, thread,
				region_name(p, r->region, t), &launch, t);
			thread += r->warps;
		}
		launch.name = timeline_text(t, p->steps[step].name);
		if (launch.begin <= launch.end)
			timeline_add(t, &launch);
	}
}
