#ifndef NEARFAR_CALENDAR_H
#define NEARFAR_CALENDAR_H

/*
 * The event queue: a ring of one-cycle buckets, each a first-in-first-out list
 * of events in chunks of two lines of the host's cache, so that what comes next
 * can be seen ahead without walking a chain. An event is a word that says what
 * happens, which the queue only carries. Events beyond the ring wait in a heap,
 * by cycle and order of pushing, until the ring reaches them: long delays, and
 * the queue in front of a very busy server.
 *
 * A single event in the queue is kept in `solo` and never touches the ring:
 * a chase with one request in flight costs no queue at all, and because the
 * order of pops is the same either way, gives the same cycles.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

#define CALENDAR_BUCKETS 16384u
#define CALENDAR_NONE    UINT64_MAX /* no event */
#define CALENDAR_END     UINT32_MAX /* no chunk */
#define CALENDAR_CHUNK   15u        /* events */

struct calendar_far {
	uint64_t cycle, order, event;
};

struct calendar_chunk {
	uint32_t next; /* of the bucket, or of those that are free */
	uint64_t events[CALENDAR_CHUNK];
};

struct calendar_bucket {
	uint32_t head, tail; /* chunks; head: END if it is empty */
	uint8_t first, end;  /* places: in the head, behind the last */
	uint32_t count;
};

struct calendar {
	uint64_t now;
	uint64_t count; /* in the ring */
	struct calendar_bucket buckets[CALENDAR_BUCKETS];
	uint64_t used[CALENDAR_BUCKETS / 64]; /* one bit a bucket */
	struct calendar_chunk *chunks;        /* owned */
	uint32_t events;                      /* for which they suffice */
	uint32_t chunk_free, chunk_top;       /* used ones lie below */
	uint64_t solo, solo_cycle;
	struct calendar_far *far; /* a heap, the earliest first; owned */
	size_t far_count, far_capacity;
	uint64_t far_order;
	bool failed; /* out of memory for `far` */
};

/* Empty, at cycle 0; a zeroed calendar has no chunks yet. */
void calendar_init(struct calendar *c);
void calendar_free(struct calendar *c);

/* Room for so many events at once; the queue is empty. Less than 0 without
   memory. */
int calendar_reserve(struct calendar *c, uint32_t events);

/* For calendar_push and calendar_pop only. */
void calendar_push_far(struct calendar *c, uint64_t event, uint64_t cycle);
void calendar_push_solo(struct calendar *c); /* it is no longer alone */
uint64_t calendar_pop_ring(struct calendar *c);

static inline uint32_t calendar_take_chunk(struct calendar *c)
{
	uint32_t chunk = c->chunk_free;

	if (chunk == CALENDAR_END)
		return c->chunk_top++;
	c->chunk_free = c->chunks[chunk].next;
	return chunk;
}

static inline void calendar_give_chunk(struct calendar *c, uint32_t chunk)
{
	c->chunks[chunk].next = c->chunk_free;
	c->chunk_free = chunk;
}

static inline void calendar_push_ring(
	struct calendar *c, uint64_t event, uint64_t cycle)
{
	uint32_t index = (uint32_t)cycle & (CALENDAR_BUCKETS - 1), chunk;
	struct calendar_bucket *bucket = &c->buckets[index];

	if (cycle - c->now >= CALENDAR_BUCKETS) {
		calendar_push_far(c, event, cycle);
		return;
	}
	if (bucket->head == CALENDAR_END) {
		chunk = calendar_take_chunk(c);
		*bucket = (struct calendar_bucket){chunk, chunk, 0, 0, 0};
		c->used[index / 64] |= UINT64_C(1) << (index % 64);
	} else if (bucket->end == CALENDAR_CHUNK) {
		chunk = calendar_take_chunk(c);
		c->chunks[bucket->tail].next = chunk;
		bucket->tail = chunk;
		bucket->end = 0;
	}
	c->chunks[bucket->tail].events[bucket->end++] = event;
	bucket->count++;
	c->count++;
}

/* `cycle` is now or later. */
static inline void calendar_push(
	struct calendar *c, uint64_t event, uint64_t cycle)
{
	assert(cycle >= c->now);
	if (c->count == 0) {
		if (c->solo == CALENDAR_NONE && c->far_count == 0) {
			c->solo = event;
			c->solo_cycle = cycle;
			return;
		}
		if (c->solo != CALENDAR_NONE)
			calendar_push_solo(c);
	}
	calendar_push_ring(c, event, cycle);
}

static inline const struct calendar_bucket *calendar_bucket(
	const struct calendar *c)
{
	return &c->buckets[c->now & (CALENDAR_BUCKETS - 1)];
}

/* Takes the first one of the bucket of `now`. */
static inline uint64_t calendar_take(struct calendar *c)
{
	struct calendar_bucket *bucket =
		&c->buckets[c->now & (CALENDAR_BUCKETS - 1)];
	uint32_t chunk = bucket->head;
	uint64_t event = c->chunks[chunk].events[bucket->first++];

	c->count--;
	if (--bucket->count == 0) {
		bucket->head = CALENDAR_END;
		calendar_give_chunk(c, chunk);
	} else if (bucket->first == CALENDAR_CHUNK) {
		bucket->head = c->chunks[chunk].next;
		bucket->first = 0;
		calendar_give_chunk(c, chunk);
		if (bucket->head != bucket->tail)
			memory_prefetch(
				&c->chunks[c->chunks[bucket->head].next]);
	}
	return event;
}

/* The next event in order of time, then of pushing; advances `now`.
   CALENDAR_NONE when empty. */
static inline uint64_t calendar_pop(struct calendar *c)
{
	if (c->solo != CALENDAR_NONE) {
		uint64_t event = c->solo;

		c->solo = CALENDAR_NONE;
		c->now = c->solo_cycle;
		return event;
	}
	if (calendar_bucket(c)->head != CALENDAR_END)
		return calendar_take(c);
	return calendar_pop_ring(c);
}

/* The first ones of a cycle that is `cycles` > 0 ahead, as far as is known and
   they are in its first chunk. */
static inline const uint64_t *calendar_later(
	const struct calendar *c, uint32_t cycles, uint32_t *count)
{
	const struct calendar_bucket *bucket =
		&c->buckets[(c->now + cycles) & (CALENDAR_BUCKETS - 1)];

	if (bucket->head == CALENDAR_END) {
		*count = 0;
		return NULL;
	}
	*count =
		bucket->count < CALENDAR_CHUNK ? bucket->count : CALENDAR_CHUNK;
	return c->chunks[bucket->head].events;
}

/* How many follow in the same cycle, as far as is known. */
static inline uint32_t calendar_following(const struct calendar *c)
{
	const struct calendar_bucket *bucket;

	if (!c->count)
		return 0;
	bucket = calendar_bucket(c);
	return bucket->head == CALENDAR_END ? 0 : bucket->count;
}

/* The one that follows `ahead` others of them; less than CALENDAR_CHUNK. */
static inline uint64_t calendar_ahead(const struct calendar *c, uint32_t ahead)
{
	const struct calendar_bucket *bucket = calendar_bucket(c);
	const struct calendar_chunk *chunk = &c->chunks[bucket->head];
	uint32_t at = bucket->first + ahead;

	return at < CALENDAR_CHUNK
		       ? chunk->events[at]
		       : c->chunks[chunk->next].events[at - CALENDAR_CHUNK];
}

#endif
