#include <string.h>

#include "backend_cuda/samples.h"

/* A warp's record, taken apart. */
struct record {
	uint64_t sm;
	uint64_t start_clock, stop_clock, start_ns, stop_ns;
};

static struct record record_at(const struct cuda_output *output,
	const struct ptx_region *r, uint32_t w)
{
	struct ptx_warp_record record;
	uint64_t ns;

	memcpy(&record, output->bytes + r->record_offset + w * sizeof(record),
		sizeof(record));
	ns = record.sm_and_ns & ((UINT64_C(1) << PTX_SM_SHIFT) - 1);
	return (struct record){
		.sm = record.sm_and_ns >> PTX_SM_SHIFT,
		.start_clock = record.start_clock,
		.stop_clock = record.stop_clock,
		.start_ns = record.start_ns,
		.stop_ns = record.start_ns + ns,
	};
}

/* The region is over when what it wrote has arrived. */
static void add_drains(const struct cuda_output *output,
	const struct ptx_region *r, struct record *all)
{
	struct ptx_drain_record drain;
	uint32_t i;

	for (i = 0; i < r->blocks; i++) {
		memcpy(&drain,
			output->bytes + r->drain_offset + i * sizeof(drain),
			sizeof(drain));
		if (drain.clock > all->stop_clock)
			all->stop_clock = drain.clock;
		if (drain.ns > all->stop_ns)
			all->stop_ns = drain.ns;
	}
}

static uint32_t cycles_at(const struct cuda_output *output,
	const struct ptx_region *r, uint32_t warp, uint32_t sample)
{
	uint64_t index = (uint64_t)warp * r->samples + sample;
	uint32_t cycles;

	memcpy(&cycles,
		output->bytes + r->sample_offset + index * sizeof(cycles),
		sizeof(cycles));
	return cycles;
}

static int check_region(const struct program *p,
	const struct cuda_output *output, const struct ptx_region *r,
	struct error *error)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	uint32_t w;

	for (w = 0; w < r->warps; w++) {
		struct record record = record_at(output, r, w);

		if (record.stop_clock || record.stop_ns)
			continue;
		program_regions(p, regions);
		return error_set(error, ERR_FAILED,
			"warp %u of %u in region '%s' of program '%s' never "
			"ran",
			w, r->warps, regions[r->region].repeat->region,
			p->name);
	}
	return 0;
}

int cuda_samples_check(const struct program *p,
	const struct cuda_output *outputs, size_t count, struct error *error)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < outputs[i].kernel->region_count; k++) {
			int code = check_region(p, &outputs[i],
				&outputs[i].kernel->regions[k], error);

			if (code)
				return code;
		}
	return 0;
}

double cuda_samples_clock_hz(const struct cuda_output *outputs, size_t count)
{
	double longest_ns = CUDA_CLOCK_NS_MIN, clock_hz = 0;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < outputs[i].kernel->region_count; k++) {
			const struct ptx_region *r =
				&outputs[i].kernel->regions[k];
			double cycles = 0, ns = 0;
			uint32_t w;

			for (w = 0; w < r->warps; w++) {
				struct record record =
					record_at(&outputs[i], r, w);

				cycles += (double)(record.stop_clock -
						   record.start_clock);
				ns += (double)(record.stop_ns -
					       record.start_ns);
			}
			if (r->warps && ns / r->warps >= longest_ns) {
				longest_ns = ns / r->warps;
				clock_hz = cycles / ns * 1e9;
			}
		}
	return clock_hz;
}

/* Clocks of different SMs have different origins; %globaltimer has one. */
static struct span span_of(const struct cuda_output *output,
	const struct ptx_region *r, double clock_hz)
{
	struct record all = record_at(output, r, 0);
	struct span span;
	bool one_sm = true;
	uint32_t w;

	for (w = 1; w < r->warps; w++) {
		struct record record = record_at(output, r, w);

		one_sm = one_sm && record.sm == all.sm;
		if (record.start_clock < all.start_clock)
			all.start_clock = record.start_clock;
		if (record.stop_clock > all.stop_clock)
			all.stop_clock = record.stop_clock;
		if (record.start_ns < all.start_ns)
			all.start_ns = record.start_ns;
		if (record.stop_ns > all.stop_ns)
			all.stop_ns = record.stop_ns;
	}
	add_drains(output, r, &all);
	span.ns = (double)(all.stop_ns - all.start_ns);
	span.cycles = one_sm ? (double)(all.stop_clock - all.start_clock)
			     : span.ns * clock_hz / 1e9;
	return span;
}

static int add_warp(const struct cuda_output *output,
	const struct ptx_region *r, uint32_t warp, struct result *result)
{
	struct record record = record_at(output, r, warp);
	struct sample sample = {
		.cycles = (double)(record.stop_clock - record.start_clock),
		.warp = warp,
		.sm = (uint16_t)record.sm,
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

static int add_region(const struct cuda_output *output,
	const struct ptx_region *r, struct result *result, struct error *error)
{
	uint32_t w;

	for (w = 0; w < r->warps; w++)
		if (add_warp(output, r, w, result))
			return error_set(error, ERR_FAILED,
				"no memory for the samples of %u warps",
				r->warps);
	if (r->warps)
		result->spans[r->region] = span_of(output, r, result->clock_hz);
	return 0;
}

int cuda_samples_collect(const struct cuda_output *outputs, size_t count,
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
