#ifndef NEARFAR_OBSERVE_DELAYED_H
#define NEARFAR_OBSERVE_DELAYED_H

/*
 * Atomics that come late while one slice is busy (the suite's contention): each
 * page of 2 MiB has 8192 parts of 256 bytes, and each part a vote a repeat.
 */
#include "harness/observe/chip.h"

#define DELAYED_PARTS      8192 /* of a page */
#define DELAYED_PART_BYTES 256
#define DELAYED_PAGE_SHIFT 21

/* By page; delayed_free(). */
struct delayed {
	size_t pages;
	uint8_t (*votes)[DELAYED_PARTS];
	uint32_t repeats;
};

static inline int delayed_parity(uint64_t bits)
{
	return __builtin_parityll(bits);
}

/* Which home it is moves from page to page. */
static inline int delayed_home(const struct chip *chip, uint32_t part)
{
	return chip->partitions == 2 &&
	       delayed_parity((uint64_t)part * DELAYED_PART_BYTES &
			      chip->home_hash_mask);
}

/* Late in most of the repeats. */
static inline bool delayed_is(
	const struct delayed *late, size_t page, uint32_t part)
{
	return 2u * late->votes[page][part] > late->repeats;
}

/* Of the parts of a page with one home: all, and the late ones. */
void delayed_count(const struct chip *chip, const struct delayed *late,
	size_t page, int home, double *all, double *delayed);

/* By the partitions and the home hash of `chip`; without memory ERR_FAILED. */
int delayed_find(const struct chip *chip, const struct sample_table *samples,
	struct delayed *late);
void delayed_free(struct delayed *late);

/* Sets the page at which memory began, if the known machine's hash gives one
   slice to all that is late there, and the slices, if that is another number
   than was counted. */
int delayed_find_first(struct chip *chip, const struct model_parameters *known,
	const struct delayed *late);

#endif
