#ifndef NEARFAR_LOWER_RECORDS_H
#define NEARFAR_LOWER_RECORDS_H

/* What a kernel wrote about a region, record by record (lower.h). */
#include <string.h>

#include "harness/lower/samples.h"

/* The item `index` of those that begin at an offset. */
static inline void read_at(const struct samples_output *output, uint64_t offset,
	uint64_t index, size_t size, void *item)
{
	memcpy(item, output->bytes + offset + index * size, size);
}

static inline struct ptx_warp_record record_at(
	const struct samples_output *output, const struct ptx_region *r,
	uint32_t warp)
{
	struct ptx_warp_record record;

	read_at(output, r->record_offset, warp, sizeof(record), &record);
	return record;
}

static inline struct ptx_block_record block_at(
	const struct samples_output *output, const struct ptx_region *r,
	uint32_t block)
{
	struct ptx_block_record record;

	read_at(output, r->block_offset, block, sizeof(record), &record);
	return record;
}

static inline uint32_t block_of(const struct ptx_region *r, uint32_t warp)
{
	return warp / (r->warps / r->blocks);
}

static inline uint32_t cycles_at(const struct samples_output *output,
	const struct ptx_region *r, uint32_t warp, uint32_t sample)
{
	uint64_t index = (uint64_t)warp * r->samples + sample;
	uint32_t cycles;

	read_at(output, r->sample_offset, index, sizeof(cycles), &cycles);
	return cycles;
}

#endif
