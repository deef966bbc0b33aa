#ifndef NEARFAR_MBARRIER_H
#define NEARFAR_MBARRIER_H

/*
 * The 64 bits of an asynchronous barrier, and what operations make of them:
 * arithmetic alone.
 *
 *   63      the parity of the phase that is not over
 *   43..62  arrivals that the phase lacks, negated
 *   21..41  bytes that the phase lacks, negated
 *   1..20   arrivals of each later phase, negated
 *
 * A phase is over when it lacks neither arrivals nor bytes. Bytes that come
 * before they are expected make their number negative.
 *
 * Source: the states that arrivals return on an H200, and the bits that
 * mbarrier.inval leaves there. The lower half of a state that the hardware
 * returns is what the register held before: here it is 0.
 */
#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_MOST ((1u << 20) - 1) /* arrivals, and bytes either way */

struct mbarrier {
	uint32_t parity;   /* of the phase that is not over */
	uint32_t pending;  /* arrivals that it lacks */
	uint32_t expected; /* arrivals of the next phases */
	int32_t bytes;     /* that it lacks */
};

enum mbarrier_fault {
	MBARRIER_FINE,
	MBARRIER_COUNT,    /* arrivals of none, or of too many */
	MBARRIER_ARRIVALS, /* more than the phase lacks */
	MBARRIER_BYTES,    /* more than a barrier counts */
};

struct mbarrier mbarrier_read(uint64_t bits);
uint64_t mbarrier_bits(const struct mbarrier *b);

enum mbarrier_fault mbarrier_init(struct mbarrier *b, uint32_t count);
/* Arrivals; `drops`: the next phases lack them, too. *over: the phase is. */
enum mbarrier_fault mbarrier_arrive(
	struct mbarrier *b, uint32_t count, bool drops, bool *over);
/* Bytes that are expected, or, less than 0, that have come. */
enum mbarrier_fault mbarrier_expect(
	struct mbarrier *b, int64_t bytes, bool *over);

/* What an arrival returns of the barrier before it; the arrivals that such a
   state lacks. */
uint64_t mbarrier_state(const struct mbarrier *b);
uint32_t mbarrier_pending(uint64_t state);

/* Whether the phase of the parity is over: the one before, if it is not the
   current one. */
bool mbarrier_is_over(const struct mbarrier *b, uint32_t parity);
uint32_t mbarrier_parity(uint64_t state);

#endif
