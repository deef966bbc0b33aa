#ifndef NEARFAR_SLICES_H
#define NEARFAR_SLICES_H

/*
 * Where a line lives: its home partition, its slice there, and its number in
 * the slice.
 *
 * The home is the parity of some address bits. A line has one of 64 hash
 * values, the parities of six sets of address bits, and of the slices of its
 * home
 *
 *   (64 * block + hash) mod slices
 *
 * where a block is 128 KiB. Measured on two H200s, with 47 slices in each
 * partition: all 8192 groups of 256 bytes in a page of 2 MiB are where this
 * says. So are those of 80 pages that lie 2 MiB to 64 GiB apart on a third
 * (results/slices/h200-pages.csv): the address is the physical one, and
 * contiguous memory is contiguous there. A copy lies in the slice that is the
 * home slice's pair: of the other partition, and slice_pair ahead or behind.
 * Numbers here are those of pairs: the second partition's are moved back by
 * slice_pair. Lines of a block with home and hash alike follow one another in
 * their slice in the order of their addresses, so that contiguous memory fills
 * it evenly.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/machine/divider.h"
#include "backend_sim/machine/machine.h"

#define SLICES_BLOCK_LINES 1024u /* of 128 B: a block */
#define SLICES_BLOCK_SHIFT 10
#define SLICES_HASH_BITS   6
#define SLICES_HOME        (1u << SLICES_HASH_BITS) /* beside the hash */

struct slices {
	uint8_t fold[4][256]; /* by byte of a line's number: what it flips of
				 home and hash */
	uint16_t position[SLICES_BLOCK_LINES]; /* among those alike */
	uint32_t alike; /* lines of a block with home and hash alike, less 1;
			   all bits of a power of two */
	uint32_t alike_shift;
	struct divider in_slices;   /* of a partition */
	struct divider in_sets;     /* of L2, of a slice */
	uint32_t partitions, count; /* count: slices of a partition */
	uint32_t moved[2];          /* what a home's numbers are ahead */
};

struct slices_place {
	unsigned home;
	uint32_t slice, round; /* lines alike of a slice are a round */
	uint32_t copy_round;   /* the same by hash alone: alike for a line and
				  those at home where its copy is */
	uint32_t position;     /* among those alike */
	uint32_t number;       /* in its slice */
};

/* False if the hash's masks do not tell the lines of a block apart. */
bool slices_init(struct slices *s, const struct machine *machine);

static inline struct slices_place slices_find(
	const struct slices *s, uint32_t line)
{
	unsigned fold = s->fold[0][line & 255] ^ s->fold[1][line >> 8 & 255] ^
			s->fold[2][line >> 16 & 255] ^ s->fold[3][line >> 24];
	uint32_t n = (line >> SLICES_BLOCK_SHIFT << SLICES_HASH_BITS |
			     (fold & (SLICES_HOME - 1))) +
		     s->moved[fold / SLICES_HOME];
	uint32_t round = (uint32_t)divider_quotient(&s->in_slices, n);
	uint32_t slice = n - round * s->in_slices.by;
	uint32_t position = s->position[line & (SLICES_BLOCK_LINES - 1)];

	return (struct slices_place){
		.home = fold / SLICES_HOME,
		.slice = slice,
		.round = round,
		.copy_round = round - (slice < s->moved[fold / SLICES_HOME]),
		.position = position,
		.number = round << s->alike_shift | position,
	};
}

/* A slice's number on the chip: those of side 0 first. */
static inline uint32_t slices_number(
	const struct slices *s, unsigned side, uint32_t slice)
{
	return side * s->count + slice;
}

#endif
