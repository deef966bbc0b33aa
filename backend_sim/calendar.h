#ifndef NEARFAR_CALENDAR_H
#define NEARFAR_CALENDAR_H

/*
 * The event queue: a ring of one-cycle buckets, each a first-in-first-out
 * list threaded through one `next` word per entity (an entity is in the queue
 * at most once). Events beyond the ring wait in a heap, by cycle and order of
 * pushing, until the ring reaches them: long delays, and the queue in front of
 * a very busy server.
 *
 * A single event in the queue is kept in `solo` and never touches the ring:
 * a chase with one request in flight costs no queue at all, and because the
 * order of pops is the same either way, gives the same cycles.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALENDAR_BUCKETS 16384u
#define CALENDAR_NONE    UINT32_MAX

struct calendar_far {
	uint64_t cycle, order;
	uint32_t entity;
};

struct calendar {
	uint64_t now;
	uint64_t count; /* in the ring */
	uint32_t *next; /* by entity; owned by the caller */
	struct calendar_bucket {
		uint32_t head, tail;
	} buckets[CALENDAR_BUCKETS];
	uint64_t used[CALENDAR_BUCKETS / 64]; /* one bit a bucket */
	uint32_t solo;
	uint64_t solo_cycle;
	struct calendar_far *far; /* a heap, the earliest first; owned */
	size_t far_count, far_capacity;
	uint64_t far_order;
	bool failed; /* out of memory for `far` */
};

void calendar_init(struct calendar *c, uint32_t *next);
void calendar_free(struct calendar *c);

/* For calendar_push and calendar_pop only. */
void calendar_push_far(struct calendar *c, uint32_t entity, uint64_t cycle);
void calendar_push_solo(struct calendar *c); /* it is no longer alone */
uint32_t calendar_pop_ring(struct calendar *c);

static inline void calendar_push_ring(
	struct calendar *c, uint32_t entity, uint64_t cycle)
{
	uint32_t index = (uint32_t)cycle & (CALENDAR_BUCKETS - 1);
	struct calendar_bucket *bucket = &c->buckets[index];

	if (cycle - c->now >= CALENDAR_BUCKETS) {
		calendar_push_far(c, entity, cycle);
		return;
	}
	c->next[entity] = CALENDAR_NONE;
	if (bucket->head == CALENDAR_NONE) {
		bucket->head = entity;
		c->used[index / 64] |= UINT64_C(1) << (index % 64);
	} else {
		c->next[bucket->tail] = entity;
	}
	bucket->tail = entity;
	c->count++;
}

/* `cycle` is now or later. */
static inline void calendar_push(
	struct calendar *c, uint32_t entity, uint64_t cycle)
{
	if (c->count == 0) {
		if (c->solo == CALENDAR_NONE && c->far_count == 0) {
			c->solo = entity;
			c->solo_cycle = cycle;
			return;
		}
		if (c->solo != CALENDAR_NONE)
			calendar_push_solo(c);
	}
	calendar_push_ring(c, entity, cycle);
}

static inline struct calendar_bucket *calendar_bucket(struct calendar *c)
{
	return &c->buckets[c->now & (CALENDAR_BUCKETS - 1)];
}

/* Takes the first one of the bucket of `now`. */
static inline uint32_t calendar_take(struct calendar *c)
{
	struct calendar_bucket *bucket = calendar_bucket(c);
	uint32_t entity = bucket->head;

	bucket->head = c->next[entity];
	c->count--;
	return entity;
}

/* The next entity in order of time, then of pushing; advances `now`.
   CALENDAR_NONE when empty. */
static inline uint32_t calendar_pop(struct calendar *c)
{
	if (c->solo != CALENDAR_NONE) {
		uint32_t entity = c->solo;

		c->solo = CALENDAR_NONE;
		c->now = c->solo_cycle;
		return entity;
	}
	if (calendar_bucket(c)->head != CALENDAR_NONE)
		return calendar_take(c);
	return calendar_pop_ring(c);
}

/* What follows in the same cycle, as far as is known, or CALENDAR_NONE. */
static inline uint32_t calendar_ahead(struct calendar *c)
{
	return calendar_bucket(c)->head;
}

#endif
