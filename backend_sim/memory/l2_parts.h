#ifndef NEARFAR_L2_PARTS_H
#define NEARFAR_L2_PARTS_H

/* What the files of L2 share: l2.c looks lines up, l2_lines.c installs and
   drops them, l2_atomic.c is the atomic unit, l2_count.c the counters,
   l2_state.c the life cycle. */
#include "backend_sim/memory/l2.h"

/* A chip of one partition has all its lines in side 0. */
static inline unsigned l2_side_number(const struct l2 *l, unsigned side)
{
	return l->core->slices.partitions == 2 ? side : 0;
}

static inline struct cache *l2_side(struct l2 *l, unsigned side)
{
	return &l->sides[l2_side_number(l, side)];
}

static inline struct slice *l2_slice_of(
	const struct l2 *l, unsigned side, const struct request *r)
{
	return &l->slices[slices_number(&l->core->slices, side, r->slice)];
}

/* Does the request come over the bridge? */
static inline bool l2_is_far(const struct l2 *l, const struct request *r)
{
	return l->core->slices.partitions == 2 && r->side != r->home;
}

/* ---- l2_lines.c ---- */

/* The line's entry on a side, put there if it is absent. */
cache_entry *l2_install(struct l2 *l, unsigned side, const struct request *r);
/* The line has missed on a side: an evict_first line asks for its place. */
void l2_ask(struct l2 *l, unsigned side, const struct request *r);
/* Forgets what a side has of the line; whether it had anything. */
bool l2_drop(struct l2 *l, unsigned side, const struct request *r);
/* A store or an atomic changes the line at its home; whether the other side had
   a copy, which is gone now. `parts`, if not NULL, is the set of sectors that
   are written in part and were not there. */
bool l2_write_home(struct l2 *l, const struct request *r, unsigned *parts);
/* On its way to a far home a store writes its own side's copy. */
void l2_write_near(struct l2 *l, const struct request *r);
/* The sectors a miss brings. */
unsigned l2_widen(
	const struct l2 *l, const struct request *r, unsigned missing);
/* The second line of a block that an access asks for. */
void l2_fetch_second(struct l2 *l, const struct request *r);

/* ---- l2_lookahead.c ---- */

/* The host's caches shall have what the first in line will look at, and the one
   behind it. */
void l2_foresee_line(struct l2 *l, const struct request_queue *q);

/* ---- l2_atomic.c ---- */

/* Ticks that a request waits behind those for the few lines that the unit
   holds. */
uint64_t l2_in_line(const struct l2 *l, const struct atomic_unit *unit,
	uint64_t pass_ticks);

/* The line of an atomic has come: what waits in line is looked at again. */
void l2_replay(struct l2 *l, const struct request *r);

/* Whether a reduction that misses goes on at once, and what of it stays in the
   slice for the sectors that are fetched. */
bool l2_stays(const struct l2 *l, const struct request *r);
void l2_stay(
	struct l2 *l, const struct request *of, unsigned fetch, uint64_t cycle);

/* ---- l2.c ---- */

/* An answer leaves the home slice, over the bridge if the SM is far. */
void l2_answer(struct l2 *l, uint32_t request, uint64_t cycle);

/* l2_count.c: a request has come to a slice for `sectors` of its line; it has
   looked there, and `valid` was found. */
void l2_count_request(struct l2 *l, struct request *r, unsigned sectors);
void l2_count_lookup(
	struct l2 *l, struct request *r, unsigned sectors, unsigned valid);
/* Sectors in part are written back: each is missed, and written in L2. */
void l2_count_rest(struct l2 *l, const struct request *r);

#endif
