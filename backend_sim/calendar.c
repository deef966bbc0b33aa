#include <stdlib.h>
#include <string.h>

#include "calendar.h"

void calendar_init(struct calendar *c)
{
	c->now = 0;
	c->count = 0;
	memset(c->buckets, 0xff, sizeof(c->buckets));
	memset(c->used, 0, sizeof(c->used));
	c->chunk_free = CALENDAR_END;
	c->chunk_top = 0;
	c->solo = CALENDAR_NONE;
	c->far_count = 0;
	c->far_order = 0;
	c->failed = false;
}

void calendar_free(struct calendar *c)
{
	free(c->far);
	free(c->chunks);
}

/* A bucket has no more chunks than full ones, one that it fills and one that
   it empties. Pages of them are touched only as events wait at once. */
int calendar_reserve(struct calendar *c, uint32_t events)
{
	size_t count = events / CALENDAR_CHUNK + 2 * CALENDAR_BUCKETS;
	struct calendar_chunk *chunks;

	if (events <= c->events)
		return 0;
	chunks = aligned_alloc(sizeof(*chunks), count * sizeof(*chunks));
	if (!chunks)
		return -1;
	free(c->chunks);
	c->chunks = chunks;
	c->events = events;
	c->chunk_free = CALENDAR_END;
	c->chunk_top = 0;
	return 0;
}

static bool before(const struct calendar_far *a, const struct calendar_far *b)
{
	return a->cycle < b->cycle ||
	       (a->cycle == b->cycle && a->order < b->order);
}

static void rise(struct calendar_far *heap, size_t at)
{
	struct calendar_far event = heap[at];

	while (at && before(&event, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = event;
}

static void sink(struct calendar_far *heap, size_t count)
{
	struct calendar_far event = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &event))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = event;
}

void calendar_push_far(struct calendar *c, uint64_t event, uint64_t cycle)
{
	if (c->far_count == c->far_capacity) {
		size_t capacity = c->far_capacity ? 2 * c->far_capacity : 64;
		struct calendar_far *larger =
			realloc(c->far, capacity * sizeof(*larger));

		if (!larger) {
			c->failed = true;
			return;
		}
		c->far = larger;
		c->far_capacity = capacity;
	}
	c->far[c->far_count] = (struct calendar_far){
		.cycle = cycle, .order = c->far_order++, .event = event};
	rise(c->far, c->far_count++);
}

void calendar_push_solo(struct calendar *c)
{
	uint64_t event = c->solo;

	c->solo = CALENDAR_NONE;
	calendar_push_ring(c, event, c->solo_cycle);
}

/* Moves what has come within the ring, as soon as `now` has advanced: what is
   pushed from now on comes after it. */
static void admit_far(struct calendar *c)
{
	while (c->far_count && c->far[0].cycle - c->now < CALENDAR_BUCKETS) {
		calendar_push_ring(c, c->far[0].event, c->far[0].cycle);
		c->far[0] = c->far[--c->far_count];
		if (c->far_count)
			sink(c->far, c->far_count);
	}
}

/* Cycles from `now` to the next bucket that holds something; the ring is not
   empty. The bits of those that have been emptied go on the way. */
static uint32_t distance(struct calendar *c)
{
	const uint32_t words = CALENDAR_BUCKETS / 64;
	uint32_t start = (uint32_t)c->now & (CALENDAR_BUCKETS - 1);
	uint32_t word = start / 64, i, bucket;
	uint64_t bits = c->used[word] & (UINT64_MAX << (start % 64));

	for (i = 0; i <= words; i++) {
		for (; bits; bits &= bits - 1) {
			bucket = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (c->buckets[bucket].head != CALENDAR_END)
				return (bucket - start) &
				       (CALENDAR_BUCKETS - 1);
			c->used[word] &= ~(bits & -bits);
		}
		word = (word + 1) % words;
		bits = c->used[word];
	}
	return 0;
}

/* The host's caches shall have the buckets that are likely to follow. */
static void prefetch_next(const struct calendar *c)
{
	const uint32_t mask = CALENDAR_BUCKETS - 1;
	uint32_t chunk = c->buckets[(c->now + 3) & mask].head;

	memory_prefetch(&c->buckets[(c->now + 8) & mask]);
	if (chunk != CALENDAR_END) {
		memory_prefetch(&c->chunks[chunk]);
		memory_prefetch(&c->chunks[chunk].events[8]);
	}
}

uint64_t calendar_pop_ring(struct calendar *c)
{
	if (c->count)
		c->now += distance(c);
	else if (c->far_count)
		c->now = c->far[0].cycle;
	else
		return CALENDAR_NONE;
	admit_far(c);
	prefetch_next(c);
	return calendar_take(c);
}
