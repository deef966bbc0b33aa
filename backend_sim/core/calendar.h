#ifndef NEARFAR_CALENDAR_H
#define NEARFAR_CALENDAR_H

/*
 * The event queue: a ring of one-cycle buckets, each a first-in-first-out list
 * of events in chunks of two lines of the host's cache. An event is a word that
 * says what happens, which the queue only carries. The bucket of a cycle is
 * emptied into an array when its time comes, so that what follows in the cycle
 * can be seen ahead without walking a list, and what is pushed for the cycle
 * itself is put there. Events beyond the ring wait in a heap, by cycle and
 * order of pushing, until the ring reaches them: long delays, and the queue in
 * front of a very busy server.
 *
 * A single event in the queue is kept in `solo` and never touches the ring:
 * a chase with one request in flight costs no queue at all, and because the
 * order of pops is the same either way, gives the same cycles.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend_sim/core/memory.h"

#define CALENDAR_BUCKETS 16384u
#define CALENDAR_NONE    UINT64_MAX /* no event */
#define CALENDAR_END     UINT32_MAX /* no chunk */
#define CALENDAR_CHUNK   16u        /* words; the first one: the next chunk */

struct calendar_far {
	uint64_t cycle, order, event;
};

/* A place is a chunk's number and a word of it. */
struct calendar_bucket {
	uint32_t head; /* chunk */
	uint32_t end;  /* the place behind the last; 0: it is empty */
};

struct calendar {
	uint64_t now;
	uint64_t *events;         /* of `now`; owned */
	uint32_t first, over;     /* those that are left of them */
	uint32_t reserved;        /* events for which there is room */
	uint32_t busy;            /* chunks that buckets have */
	uint64_t *words;          /* of the chunks; owned */
	uint32_t chunk_free;      /* a list, by their first words */
	uint32_t chunk_top;       /* used ones lie below */
	uint32_t follow, follows; /* chunks of the next cycle: one that is on
				     its way to the host's caches, the last */
	uint64_t solo, solo_cycle;
	struct calendar_far *far; /* a heap, the earliest first; owned */
	size_t far_count, far_capacity;
	uint64_t far_order;
	bool failed;                          /* out of memory for `far` */
	uint64_t used[CALENDAR_BUCKETS / 64]; /* one bit a bucket */
	struct calendar_bucket buckets[CALENDAR_BUCKETS];
};

/* Empty, at cycle 0; a zeroed calendar has no chunks yet. */
void calendar_init(struct calendar *c);
void calendar_free(struct calendar *c);

/* Room for so many events at once; the queue is empty. Less than 0 without
   memory. */
int calendar_reserve(struct calendar *c, uint32_t events);

struct calendar_entry {
	uint64_t event, cycle;
};

/* The events of this cycle that are left and those of the ring, in the order in
   which they come; how many, or most + 1 if they are more than `most`. Those
   beyond the ring are not among them. */
uint32_t calendar_list(
	const struct calendar *c, struct calendar_entry *to, uint32_t most);
/* All of them come so much later, and it is so much later: `list` are those
   that calendar_list() says now. None beyond the ring comes within it then. */
void calendar_delay(struct calendar *c, const struct calendar_entry *list,
	uint32_t count, uint64_t cycles);

/* For the inline functions only. */
void calendar_push_far(struct calendar *c, uint64_t event, uint64_t cycle);
void calendar_push_solo(struct calendar *c); /* it is no longer alone */
void calendar_add_chunk(struct calendar *c, struct calendar_bucket *bucket);
void calendar_make_room(struct calendar *c);
bool calendar_advance_ring(struct calendar *c);

static inline struct calendar_bucket *calendar_bucket(
	struct calendar *c, uint64_t cycle)
{
	return &c->buckets[cycle & (CALENDAR_BUCKETS - 1)];
}

static inline void calendar_push_ring(
	struct calendar *c, uint64_t event, uint64_t cycle)
{
	struct calendar_bucket *bucket = calendar_bucket(c, cycle);

	if (cycle - c->now >= CALENDAR_BUCKETS) {
		calendar_push_far(c, event, cycle);
		return;
	}
	if (bucket->end % CALENDAR_CHUNK == 0)
		calendar_add_chunk(c, bucket);
	c->words[bucket->end++] = event;
}

static inline void calendar_push_now(struct calendar *c, uint64_t event)
{
	if (c->over == 2 * c->reserved)
		calendar_make_room(c);
	c->events[c->over++] = event;
}

/* `cycle` is now or later. */
static inline void calendar_push(
	struct calendar *c, uint64_t event, uint64_t cycle)
{
	assert(cycle >= c->now);
	if (!c->busy && c->first == c->over && !c->far_count) {
		if (c->solo == CALENDAR_NONE) {
			c->solo = event;
			c->solo_cycle = cycle;
			return;
		}
		calendar_push_solo(c);
	}
	if (cycle == c->now)
		calendar_push_now(c, event);
	else
		calendar_push_ring(c, event, cycle);
}

/* The host's caches shall have a chunk. */
static inline void calendar_prefetch(const struct calendar *c, uint32_t chunk)
{
	const uint64_t *words = &c->words[(size_t)chunk * CALENDAR_CHUNK];

	memory_prefetch(words);
	memory_prefetch(words + CALENDAR_CHUNK / 2);
}

/* A chunk of the next cycle for each that this one's events would fill: one
   says where the next one is. */
static inline void calendar_follow(struct calendar *c)
{
	if (c->follow == c->follows)
		return;
	c->follow = (uint32_t)c->words[(size_t)c->follow * CALENDAR_CHUNK];
	calendar_prefetch(c, c->follow);
}

/* Is nothing in the queue that comes before a later cycle is over? False, too,
   for a cycle more than CALENDAR_NEAR cycles away while others are in the
   queue: a bucket for each would have to be looked at. */
#define CALENDAR_NEAR 8u
static inline bool calendar_is_quiet(const struct calendar *c, uint64_t cycle)
{
	uint64_t at;

	if (c->first != c->over || c->far_count)
		return false;
	if (c->solo != CALENDAR_NONE)
		return c->solo_cycle > cycle;
	if (c->busy && cycle - c->now > CALENDAR_NEAR)
		return false;
	for (at = c->now + 1; c->busy && at <= cycle; at++)
		if (c->buckets[at & (CALENDAR_BUCKETS - 1)].end)
			return false;
	return true;
}

/* To the next cycle that has events, if this one has none left; false if none
   has any. */
static inline bool calendar_advance(struct calendar *c)
{
	if (c->solo == CALENDAR_NONE)
		return c->first != c->over || calendar_advance_ring(c);
	c->now = c->solo_cycle;
	c->events[0] = c->solo;
	c->first = 0;
	c->over = 1;
	c->solo = CALENDAR_NONE;
	return true;
}

/* Does something follow in the same cycle, as far as is known? */
static inline bool calendar_has_more(const struct calendar *c)
{
	return c->first != c->over;
}

/* The next event of the cycle, in the order of pushing. */
static inline uint64_t calendar_take(struct calendar *c)
{
	if (c->first % 8 == 0)
		calendar_follow(c);
	return c->events[c->first++];
}

/* The next event in order of time, then of pushing; advances `now`.
   CALENDAR_NONE when empty. */
static inline uint64_t calendar_pop(struct calendar *c)
{
	return calendar_advance(c) ? calendar_take(c) : CALENDAR_NONE;
}

/* The first ones of a cycle that is `cycles` > 0 ahead, as far as is known and
   they are in its first chunk. */
static inline const uint64_t *calendar_later(
	const struct calendar *c, uint32_t cycles, uint32_t *count)
{
	const struct calendar_bucket *bucket =
		&c->buckets[(c->now + cycles) & (CALENDAR_BUCKETS - 1)];
	uint32_t first = bucket->head * CALENDAR_CHUNK + 1;

	*count = bucket->end ? bucket->end - first : 0;
	if (*count > CALENDAR_CHUNK - 1)
		*count = CALENDAR_CHUNK - 1;
	return c->words + first;
}

/* How many follow in the same cycle, as far as is known. */
static inline uint32_t calendar_left(const struct calendar *c)
{
	return c->over - c->first;
}

/* The one that follows `ahead` others in the same cycle; there are so many. */
static inline uint64_t calendar_ahead(const struct calendar *c, uint32_t ahead)
{
	return c->events[c->first + ahead];
}

#endif
