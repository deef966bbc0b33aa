/* The addresses of a warp instruction's lanes as lines and sectors. */
#include <string.h>

#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/touch.h"

#define LANES PROGRAM_WARP_LANES

static void touch_add(struct touch *t, uint64_t offset, uint32_t bytes)
{
	uint64_t line = offset >> LINE_SHIFT;
	unsigned first = (unsigned)(offset >> 5) & 3;
	unsigned last = first + (((unsigned)offset & 31) + bytes - 1) / 32;
	uint64_t bit = UINT64_C(1) << ((uint32_t)line * 0x9e3779b1u >> 26);
	uint32_t i = t->seen & bit ? t->count : 0, sector;

	if (last > 3)
		last = 3; /* what a wrap cuts off counts with its line */

	while (i-- > 0)
		if (t->lines[i].line == line)
			break;
	if (i == UINT32_MAX) {
		i = t->count++;
		t->seen |= bit;
		t->lines[i].line = line;
		t->lines[i].sectors = t->lines[i].lanes = 0;
		t->lines[i].words = t->lines[i].wide = 0;
		memset(t->lines[i].bytes, 0, sizeof(t->lines[i].bytes));
	}
	t->lines[i].sectors |= (uint8_t)(((2u << last) - (1u << first)) & 15u);
	/* Accesses are aligned: at most 32 bytes of one sector. */
	for (sector = first; sector <= last; sector++)
		t->lines[i].bytes[sector] |=
			(uint32_t)(((UINT64_C(1) << (bytes < 32 ? bytes : 32)) -
					   1)
				   << (offset & 31));
	t->lines[i].lanes++;
	t->lines[i].words |= 1u << ((offset >> 2) & 31);
	t->lines[i].wide |= (uint32_t)((UINT64_C(1) << ((bytes + 3) / 4)) - 1)
			    << ((offset >> 2) & 31);
}

/* The numbers from `first` up to and without `end`, as a set of 32. */
static uint32_t range(uint32_t first, uint32_t end)
{
	return (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << first));
}

/* Of a sector the bytes from `first` of its line up to and without `end`. */
static uint32_t bytes_of(uint32_t sector, uint32_t first, uint32_t end)
{
	uint32_t begin = sector * PROGRAM_SECTOR_BYTES;
	uint32_t over = begin + PROGRAM_SECTOR_BYTES;

	first = first > begin ? first : begin;
	end = end < over ? end : over;
	return first < end ? range(first - begin, end - begin) : 0;
}

/* Lanes side by side, of 1 to 32 bytes each and aligned: as touch_add() for
   each of them, a line at a time. */
static void touch_dense(
	struct touch *t, uint64_t offset, uint32_t lanes, uint32_t bytes)
{
	static const uint32_t starts[] = {0xffffffff, 0xffffffff, 0xffffffff,
		0x55555555, 0x11111111, 0x01010101};
	uint64_t over = offset + (uint64_t)lanes * bytes;
	uint32_t first, end, sector;

	for (; offset < over; offset += end - first) {
		struct touched_line *line = &t->lines[t->count++];

		if (!(offset & (PROGRAM_LINE_BYTES - 1)) &&
			over - offset >= PROGRAM_LINE_BYTES) {
			*line = (struct touched_line){
				.line = offset >> LINE_SHIFT,
				.sectors = 15,
				.lanes = (uint8_t)(PROGRAM_LINE_BYTES >>
						   __builtin_ctz(bytes)),
				.bytes = {UINT32_MAX, UINT32_MAX, UINT32_MAX,
					UINT32_MAX},
				.words = starts[__builtin_ctz(bytes)],
				.wide = UINT32_MAX,
			};
			first = 0;
			end = PROGRAM_LINE_BYTES;
			continue;
		}

		first = (uint32_t)offset & (PROGRAM_LINE_BYTES - 1);
		end = over - offset < PROGRAM_LINE_BYTES - first
			      ? first + (uint32_t)(over - offset)
			      : PROGRAM_LINE_BYTES;
		line->line = offset >> LINE_SHIFT;
		line->lanes = (uint8_t)((end - first) / bytes);
		line->wide = range(first / 4, (end + 3) / 4);
		line->words = line->wide & starts[__builtin_ctz(bytes)];
		line->sectors = (uint8_t)range(first / 32, (end + 31) / 32);
		for (sector = 0; sector < 4; sector++)
			line->bytes[sector] = bytes_of(sector, first, end);
	}
}

/* Are the lanes side by side, all of them? */
static bool side_by_side(const uint64_t *offsets, uint32_t mask, uint32_t bytes)
{
	uint32_t lane;

	if (mask != UINT32_MAX)
		return false;
	for (lane = 1; lane < LANES; lane++)
		if (offsets[lane] != offsets[0] + (uint64_t)lane * bytes)
			return false;
	return true;
}

static void begin(struct touch *t, uint32_t data_bytes)
{
	t->count = 0;
	t->data_bytes = data_bytes;
	t->seen = 0;
}

void touch_side_by_side(struct touch *t, uint64_t offset, uint32_t bytes)
{
	begin(t, LANES * bytes);
	touch_dense(t, offset, LANES, bytes);
}

void touch_alike(
	struct touch *t, uint64_t offset, uint32_t lanes, uint32_t bytes)
{
	begin(t, lanes * bytes);
	touch_add(t, offset, bytes);
	t->lines[0].lanes = (uint8_t)lanes;
}

void touch_offsets(
	struct touch *t, const uint64_t *offsets, uint32_t mask, uint32_t bytes)
{
	begin(t, (uint32_t)__builtin_popcount(mask) * bytes);
	if (side_by_side(offsets, mask, bytes)) {
		touch_dense(t, offsets[0], LANES, bytes);
		return;
	}
	for (; mask; mask &= mask - 1)
		touch_add(t, offsets[__builtin_ctz(mask)], bytes);
}

#define BANK_LEVELS 6

/* Counters of all banks at once, a bit of each in a word. */
uint32_t touch_bank_ways(const struct touch *t)
{
	uint32_t level[BANK_LEVELS] = {0}, most = UINT32_MAX, ways = 0, i;
	int b;

	for (i = 0; RULE(L1_BANKS) && i < t->count; i++) {
		uint32_t carry = t->lines[i].wide;

		for (b = 0; b < BANK_LEVELS && carry; b++) {
			uint32_t both = level[b] & carry;

			level[b] ^= carry;
			carry = both;
		}
	}
	for (b = BANK_LEVELS; b-- > 0;)
		if (level[b] & most) {
			most &= level[b];
			ways |= 1u << b;
		}
	return ways;
}
