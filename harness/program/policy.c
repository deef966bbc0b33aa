#include <math.h>

#include "harness/program/policy.h"
#include "harness/program/program.h"

#define MODE_SHIFT      59
#define MODE_FRACTION   UINT64_C(2)
#define MODE_RANGE      UINT64_C(3)
#define PRIMARY_SHIFT   57
#define SECONDARY_SHIFT 56
#define SIZE_SHIFT      52 /* of a block; sixteenths - 1 */
#define FIRST_SHIFT     44
#define COUNT_SHIFT     37

#define BLOCK_SHIFT_LEAST 12u
#define BLOCK_SIZE_MOST   13u /* of totals below 4 GiB: 32 MiB */
#define BLOCKS            128u

/* By the two bits of the primary priority. */
static const uint8_t primaries[] = {QV_L2_evict_unchanged, QV_L2_evict_first,
	QV_L2_evict_last, QV_L2_evict_normal};

static uint64_t head(uint64_t mode, uint8_t primary, uint8_t secondary)
{
	uint64_t first = 0;

	while (first < 3 && primaries[first] != primary)
		first++;
	return mode << MODE_SHIFT | first << PRIMARY_SHIFT |
	       (uint64_t)(secondary == QV_SECONDARY_evict_first)
		       << SECONDARY_SHIFT;
}

uint64_t policy_of_fraction(uint8_t primary, uint8_t secondary, float fraction)
{
	const float scaled = fraction * 15.99f;
	uint32_t whole = 0; /* rounded to zero, as a conversion to u32 does */

	if (scaled >= 0x1p32f)
		whole = UINT32_MAX;
	else if (scaled > 0)
		whole = (uint32_t)scaled;
	return head(MODE_FRACTION, primary, secondary) | (uint64_t)(whole & 15)
								 << SIZE_SHIFT;
}

/* Of a block: the total has 128 at the most. */
static uint32_t block_shift(uint32_t total_bytes)
{
	const uint32_t bits = (uint32_t)ceilf(log2f((float)total_bytes));

	return bits > BLOCK_SHIFT_LEAST + 7 ? bits - 7 : BLOCK_SHIFT_LEAST;
}

uint64_t policy_of_range(uint8_t primary, uint8_t secondary, uint64_t address,
	uint32_t primary_bytes, uint32_t total_bytes)
{
	uint32_t shift, reach;
	uint64_t first, count;

	if (!total_bytes)
		return MODE_RANGE << MODE_SHIFT;
	shift = block_shift(total_bytes);
	reach = primary_bytes - 1 + (1u << shift); /* of 32 bits, too */
	first = address >> shift;
	count = ((address + reach) >> shift) - first;
	if (count >= BLOCKS)
		count = BLOCKS - 1;
	return head(MODE_RANGE, primary, secondary) |
	       (uint64_t)(shift - BLOCK_SHIFT_LEAST) << SIZE_SHIFT |
	       (first & (BLOCKS - 1)) << FIRST_SHIFT | count << COUNT_SHIFT;
}

bool policy_read(uint64_t bits, struct policy *policy)
{
	const uint64_t mode = bits >> MODE_SHIFT;
	const uint8_t size = bits >> SIZE_SHIFT & 15;
	const bool is_range = mode == MODE_RANGE;
	const uint64_t rest =
		is_range
			? UINT64_C(1) << 51 | ((UINT64_C(1) << COUNT_SHIFT) - 1)
			: (UINT64_C(1) << SIZE_SHIFT) - 1;

	if ((!is_range && mode != MODE_FRACTION) || bits & rest ||
		(is_range && size > BLOCK_SIZE_MOST))
		return false;
	*policy = (struct policy){
		.primary = primaries[bits >> PRIMARY_SHIFT & 3],
		.secondary = bits >> SECONDARY_SHIFT & 1
				     ? QV_SECONDARY_evict_first
				     : QV_SECONDARY_evict_unchanged,
		.sixteenths = (uint8_t)(is_range ? 0 : size + 1),
		.block_shift = (uint8_t)(BLOCK_SHIFT_LEAST + size),
		.block_first = bits >> FIRST_SHIFT & (BLOCKS - 1),
		.block_count = bits >> COUNT_SHIFT & (BLOCKS - 1),
	};
	return true;
}

bool policy_covers(const struct policy *range, uint64_t address)
{
	const uint64_t block = address >> range->block_shift;

	return ((block - range->block_first) & (BLOCKS - 1)) <
	       range->block_count;
}
