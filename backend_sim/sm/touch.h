#ifndef NEARFAR_TOUCH_H
#define NEARFAR_TOUCH_H

/*
 * The lines that a warp instruction touches: the addresses of its lanes,
 * coalesced into lines and sectors.
 */
#include <stdint.h>

#include "backend_sim/sm/execution.h"

/* What a warp instruction touches, line by line. */
struct touch {
	uint32_t count;
	uint32_t data_bytes; /* of all lanes together */
	uint64_t seen;       /* a bit for a hash of each line's number */
	struct touched_line {
		uint64_t line; /* of the buffer: offset / 128 */
		uint8_t sectors, lanes;
		uint32_t bytes[4]; /* touched of each sector, as a set */
		uint32_t words;    /* where lanes begin, as a set of 32 */
		uint32_t wide;     /* all words that they touch */
	} lines[PROGRAM_WARP_LANES * 2];
};

/* Those of the lanes in `mask`, `bytes` each from their offset on: of 1, 2, 4,
   8 or 16 bytes, aligned; of 32 lanes. */
void touch_offsets(struct touch *t, const uint64_t *offsets, uint32_t mask,
	uint32_t bytes);

/* The same of a whole warp whose lanes are side by side from `offset` on. */
void touch_side_by_side(struct touch *t, uint64_t offset, uint32_t bytes);

/* The same of `lanes` lanes at one offset, `bytes` each. */
void touch_alike(
	struct touch *t, uint64_t offset, uint32_t lanes, uint32_t bytes);

/* The most lines that have a word in the same of the 32 banks. */
uint32_t touch_bank_ways(const struct touch *t);

#endif
