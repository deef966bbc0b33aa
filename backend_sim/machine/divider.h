#ifndef NEARFAR_DIVIDER_H
#define NEARFAR_DIVIDER_H

/*
 * Division by what the machine file says, by multiplication with a reciprocal
 * of 64 bits: exact for numerators of 32 bits (Lemire, Kaser and Kurz, "Faster
 * remainder by direct computation", 2019).
 */
#include <stdint.h>

struct divider {
	uint64_t reciprocal; /* 2^64 / by, rounded up; 0 for 1 */
	uint32_t by;         /* at least 1 */
	uint32_t one;        /* all bits if `by` is 1, for the quotient */
};

__extension__ typedef unsigned __int128 divider_wide;

static inline struct divider divider_of(uint32_t by)
{
	return (struct divider){.reciprocal = UINT64_MAX / by + 1,
		.by = by,
		.one = by == 1 ? UINT32_MAX : 0};
}

static inline uint64_t divider_quotient(const struct divider *d, uint64_t n)
{
	if (n > UINT32_MAX)
		return n / d->by;
	return (uint64_t)((divider_wide)d->reciprocal * n >> 64) + (n & d->one);
}

static inline uint32_t divider_remainder(const struct divider *d, uint32_t n)
{
	return (uint32_t)((divider_wide)(d->reciprocal * n) * d->by >> 64);
}

#endif
