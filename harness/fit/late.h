#ifndef NEARFAR_FIT_LATE_H
#define NEARFAR_FIT_LATE_H

/*
 * Atomics that come late while one slice is busy (the suite's contention): each
 * page of 2 MiB has 8192 parts of 256 bytes, and each part a vote a repeat.
 */
#include "harness/fit/chip.h"

#define LATE_PARTS      8192 /* of a page */
#define LATE_PART_BYTES 256
#define LATE_PAGE_SHIFT 21

/* By page; late_free(). */
struct late {
	size_t pages;
	uint8_t (*votes)[LATE_PARTS];
	uint32_t repeats;
};

static inline int late_parity(uint64_t bits)
{
	return __builtin_parityll(bits);
}

/* Which home it is moves from page to page. */
static inline int late_home(const struct chip *chip, uint32_t part)
{
	return chip->partitions == 2 &&
	       late_parity(
		       (uint64_t)part * LATE_PART_BYTES & chip->home_hash_mask);
}

/* Late in most of the repeats. */
static inline bool late_is(const struct late *late, size_t page, uint32_t part)
{
	return 2u * late->votes[page][part] > late->repeats;
}

/* Of the parts of a page with one home: all, and the late ones. */
void late_count(const struct chip *chip, const struct late *late, size_t page,
	int home, double *all, double *delayed);

/* By the partitions and the home hash of `chip`; without memory ERR_FAILED. */
int late_find(const struct chip *chip, const struct sample_table *samples,
	struct late *late);
void late_free(struct late *late);

/* Sets the page at which memory began, if the known machine's hash gives one
   slice to all that is late there, and the slices, if that is another number
   than was counted. */
int late_find_first(struct chip *chip, const struct model_parameters *known,
	const struct late *late);

#endif
