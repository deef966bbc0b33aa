#ifndef NEARFAR_KEPT_H
#define NEARFAR_KEPT_H

/*
 * The finished points of a run, in a journal beside its output. The work of
 * the journal is all that makes the points what they are: the build, the
 * machine or the device, the series with their options and points, seed,
 * repeats, warm-ups, and whether samples are kept. Records:
 *
 *   {"series": N, "index": N, "point": {as in series files}}
 *   {"series": N, "index": N, "failed": "the reason"}
 */
#include "harness/keep/journal.h"
#include "harness/run/runner.h"

struct kept_point {
	size_t plan, index;
	bool failed; /* it was tried, and has no data */
	struct point point;
};

struct kept {
	struct journal journal;
	const struct plan *plans; /* borrowed */
	size_t plan_count;
	struct kept_point *items; /* what the journal held, and what was added;
				     owned */
	size_t count;
};

/* Whether a journal can stand beside that output: it is a plain file, or will
   be one. */
bool kept_possible(const char *output);

/* The journal of an output: its path, links followed, and ".journal"; the
   caller frees it. NULL without memory. */
char *kept_path(const char *output);

/* The errors of journal_open(). */
int kept_open(struct kept *kept, const char *output, bool resume,
	const struct run_config *config, const struct plan *plans,
	size_t plan_count, struct error *error);

/* A digest of the work: two runs with the same one may share a journal.
   With `any_device` it is the same on each. ERR_FAILED without memory. */
int kept_work(const struct run_config *config, bool any_device,
	const struct plan *plans, size_t plan_count, uint64_t *digest);

/* The record of a point, or (`reason`) of its failure; the caller frees it.
   NULL without memory. Any thread may make one. */
char *kept_record(const struct plan *plan, size_t plan_index, size_t index,
	const struct point *point, const char *reason, size_t *bytes);

/* Whether a point is finished. */
bool kept_has(const struct kept *kept, size_t plan, size_t index);

/* Takes a point that is not finished yet, and what it owns; the journal does
   not get it. ERR_FAILED without memory: it is the caller's still. */
int kept_add(
	struct kept *kept, const struct kept_point *item, struct error *error);

/* On the disk when it returns 0; by one thread at a time. */
int kept_put(struct kept *kept, const char *record, size_t bytes,
	struct error *error);

/* `done`: the output holds everything, and the journal goes. */
void kept_close(struct kept *kept, bool done);

#endif
