#ifndef NEARFAR_PERMUTE_H
#define NEARFAR_PERMUTE_H

/*
 * Seeded arithmetic: the order of a ring's slots and random draws, computed
 * rather than stored, so that a ring of 1 GiB needs no memory in the model
 * and is written by a kernel on a GPU. The PTX writer mirrors both functions
 * instruction by instruction; a hardware test compares them.
 *
 * permutation: position -> slot, a bijection on [0, count). Rounds of odd
 * multiplication and xor-shift are each a bijection on [0, 2^bits); a value
 * outside [0, count) is permuted again ("cycle walking"), which keeps the
 * whole a bijection on [0, count) and takes fewer than two rounds on average.
 * One ring visits the slots in the order of their positions, so every slot
 * is visited exactly once before the first comes back.
 */
#include <stdint.h>

#define PERMUTATION_ROUNDS 3

struct permutation {
	uint32_t count; /* slots, 1 .. 2^31 */
	uint32_t mask;  /* 2^bits - 1, the smallest that covers count */
	uint32_t shift; /* of the xor-shift: half of the bits, rounded up */
	uint32_t multiply[PERMUTATION_ROUNDS]; /* odd */
	uint32_t add[PERMUTATION_ROUNDS];
};

/* A 32-bit mixer (full avalanche); the constants are Wellons' `lowbias32`. */
static inline uint32_t permute_mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	x ^= x >> 16;
	return x;
}

/* A draw in [0, count) for a stream and an index; count >= 1. */
static inline uint32_t permute_draw(
	uint32_t seed, uint32_t stream, uint32_t index, uint32_t count)
{
	uint32_t x =
		permute_mix(seed ^ permute_mix(stream ^ permute_mix(index)));

	return (uint32_t)(((uint64_t)x * count) >> 32);
}

static inline void permutation_init(
	struct permutation *p, uint32_t count, uint32_t seed)
{
	uint32_t base = seed * 8u + 0x9e3779b9u;
	uint32_t bits = 1;
	int round;

	while (bits < 32 && (UINT64_C(1) << bits) < count)
		bits++;
	p->count = count;
	p->mask = (uint32_t)((UINT64_C(1) << bits) - 1);
	p->shift = (bits + 1) / 2;
	for (round = 0; round < PERMUTATION_ROUNDS; round++) {
		p->multiply[round] =
			permute_mix(base + 2u * (uint32_t)round) | 1u;
		p->add[round] = permute_mix(base + 2u * (uint32_t)round + 1u);
	}
}

/* position in [0, count) -> slot in [0, count) */
static inline uint32_t permutation_slot(
	const struct permutation *p, uint32_t position)
{
	uint32_t x = position;
	int round;

	do {
		for (round = 0; round < PERMUTATION_ROUNDS; round++) {
			x = (x * p->multiply[round] + p->add[round]) & p->mask;
			x ^= x >> p->shift;
		}
	} while (x >= p->count);
	return x;
}

/* The inverse of an odd number modulo 2^32, by Newton's steps: each doubles
   the right bits, of which an odd number has three by itself. */
static inline uint32_t permute_inverse(uint32_t odd)
{
	uint32_t inverse = odd;
	int step;

	for (step = 0; step < 4; step++)
		inverse *= 2 - odd * inverse;
	return inverse;
}

/* slot in [0, count) -> its position. The xor-shift by half of the bits or
   more undoes itself. */
static inline uint32_t permutation_position(
	const struct permutation *p, uint32_t slot)
{
	uint32_t x = slot;
	int round;

	do {
		for (round = PERMUTATION_ROUNDS - 1; round >= 0; round--) {
			x ^= x >> p->shift;
			x = (x - p->add[round]) *
				    permute_inverse(p->multiply[round]) &
			    p->mask;
		}
	} while (x >= p->count);
	return x;
}

#endif
