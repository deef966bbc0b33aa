#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/calendar.h"

void calendar_init(struct calendar *c)
{
	c->now = 0;
	c->first = c->over = 0;
	c->busy = 0;
	c->chunk_free = CALENDAR_END;
	c->chunk_top = 0;
	c->follow = c->follows = 0;
	c->solo = CALENDAR_NONE;
	c->far_count = 0;
	c->far_order = 0;
	c->failed = false;
	memset(c->used, 0, sizeof(c->used));
	memset(c->buckets, 0, sizeof(c->buckets));
}

void calendar_free(struct calendar *c)
{
	free(c->far);
	free(c->words);
	free(c->events);
}

/* A bucket has no more chunks than full ones and one that it fills. Pages of
   them are touched only as events wait at once. */
int calendar_reserve(struct calendar *c, uint32_t events)
{
	size_t chunk_bytes = CALENDAR_CHUNK * sizeof(*c->words);
	size_t chunks = events / (CALENDAR_CHUNK - 1) + CALENDAR_BUCKETS;
	uint64_t *words, *array;

	if (events <= c->reserved)
		return 0;
	words = memory_table(chunks, chunk_bytes);
	array = malloc(2 * (size_t)events * sizeof(*array));
	if (!words || !array) {
		free(words);
		free(array);
		return -1;
	}
	free(c->words);
	free(c->events);
	c->words = words;
	c->events = array;
	c->reserved = events;
	c->chunk_free = CALENDAR_END;
	c->chunk_top = 0;
	return 0;
}

static uint32_t take_chunk(struct calendar *c)
{
	uint32_t chunk = c->chunk_free;

	c->busy++;
	if (chunk == CALENDAR_END)
		return c->chunk_top++;
	c->chunk_free = (uint32_t)c->words[(size_t)chunk * CALENDAR_CHUNK];
	return chunk;
}

static void give_chunk(struct calendar *c, uint32_t chunk)
{
	c->busy--;
	c->words[(size_t)chunk * CALENDAR_CHUNK] = c->chunk_free;
	c->chunk_free = chunk;
}

/* The chunk of the last event of a bucket that has one. */
static uint32_t last_chunk(const struct calendar_bucket *bucket)
{
	return (bucket->end - 1) / CALENDAR_CHUNK;
}

/* For a bucket that is empty, or whose last chunk is full. */
void calendar_add_chunk(struct calendar *c, struct calendar_bucket *bucket)
{
	uint32_t chunk = take_chunk(c), index;

	if (bucket->end) {
		c->words[(size_t)last_chunk(bucket) * CALENDAR_CHUNK] = chunk;
	} else {
		index = (uint32_t)(bucket - c->buckets);
		c->used[index / 64] |= UINT64_C(1) << (index % 64);
		bucket->head = chunk;
	}
	bucket->end = chunk * CALENDAR_CHUNK + 1;
}

/* The array has twice the places that the events of all cycles need. */
void calendar_make_room(struct calendar *c)
{
	c->over -= c->first;
	memmove(c->events, c->events + c->first, c->over * sizeof(*c->events));
	c->first = 0;
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
	if (c->solo_cycle == c->now)
		calendar_push_now(c, event);
	else
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

/* Cycles from `now` to the next bucket that holds something; one does. */
static uint32_t distance(const struct calendar *c)
{
	const uint32_t words = CALENDAR_BUCKETS / 64;
	uint32_t start = (uint32_t)c->now & (CALENDAR_BUCKETS - 1);
	uint32_t word = start / 64;
	uint64_t bits = c->used[word] & (UINT64_MAX << (start % 64));

	while (!bits) {
		word = (word + 1) % words;
		bits = c->used[word];
	}
	return (word * 64 + (uint32_t)__builtin_ctzll(bits) - start) &
	       (CALENDAR_BUCKETS - 1);
}

/* The bucket of `now` into the array, which is empty. */
static void empty_bucket(struct calendar *c)
{
	struct calendar_bucket *bucket = calendar_bucket(c, c->now);
	uint32_t index = (uint32_t)(bucket - c->buckets), chunk, next;
	uint32_t last = last_chunk(bucket), count = 0;

	for (chunk = bucket->head; chunk != last; chunk = next) {
		const uint64_t *words =
			&c->words[(size_t)chunk * CALENDAR_CHUNK];

		next = (uint32_t)words[0];
		memcpy(c->events + count, words + 1,
			(CALENDAR_CHUNK - 1) * sizeof(*words));
		count += CALENDAR_CHUNK - 1;
		give_chunk(c, chunk);
	}
	for (next = last * CALENDAR_CHUNK + 1; next < bucket->end; next++)
		c->events[count++] = c->words[next];
	give_chunk(c, last);
	bucket->end = 0;
	c->used[index / 64] &= ~(UINT64_C(1) << (index % 64));
	c->first = 0;
	c->over = count;
}

/* The host's caches shall have the buckets that are likely to follow. */
static void prefetch_next(struct calendar *c)
{
	const struct calendar_bucket *bucket = calendar_bucket(c, c->now + 3);

	memory_prefetch(calendar_bucket(c, c->now + 8));
	if (bucket->end)
		calendar_prefetch(c, bucket->head);
	bucket = calendar_bucket(c, c->now + 1);
	c->follow = bucket->end ? bucket->head : 0;
	c->follows = bucket->end ? last_chunk(bucket) : 0;
}

bool calendar_advance_ring(struct calendar *c)
{
	if (c->busy)
		c->now += distance(c);
	else if (c->far_count)
		c->now = c->far[0].cycle;
	else
		return false;
	admit_far(c);
	empty_bucket(c);
	prefetch_next(c);
	return true;
}

/* ---- all events ---- */

/* Those of a bucket, in order, behind `count` others; how many are there
   then. */
static uint32_t list_bucket(const struct calendar *c, uint64_t cycle,
	struct calendar_entry *to, uint32_t count, uint32_t most)
{
	const struct calendar_bucket *bucket =
		&c->buckets[cycle & (CALENDAR_BUCKETS - 1)];
	uint32_t chunk = bucket->head, at;

	for (at = chunk * CALENDAR_CHUNK + 1; at != bucket->end; at++) {
		if (at % CALENDAR_CHUNK == 0) {
			chunk = (uint32_t)c
					->words[(size_t)chunk * CALENDAR_CHUNK];
			at = chunk * CALENDAR_CHUNK + 1;
		}
		if (count >= most)
			return most + 1;
		to[count++] = (struct calendar_entry){c->words[at], cycle};
	}
	return count;
}

uint32_t calendar_list(
	const struct calendar *c, struct calendar_entry *to, uint32_t most)
{
	const uint64_t start = c->now & (CALENDAR_BUCKETS - 1);
	uint32_t count = 0, i;
	uint64_t ahead = 1;

	for (i = c->first; i != c->over && count <= most; i++, count++)
		if (count < most)
			to[count] =
				(struct calendar_entry){c->events[i], c->now};
	if (c->solo != CALENDAR_NONE && count++ < most)
		to[count - 1] = (struct calendar_entry){c->solo, c->solo_cycle};
	while (c->busy && ahead < CALENDAR_BUCKETS && count <= most) {
		const uint64_t at = (start + ahead) & (CALENDAR_BUCKETS - 1);
		const uint64_t bits = c->used[at / 64] >> (at % 64);

		if (!bits) {
			ahead += 64 - at % 64;
			continue;
		}
		ahead += (uint64_t)__builtin_ctzll(bits);
		if (ahead < CALENDAR_BUCKETS)
			count = list_bucket(
				c, c->now + ahead++, to, count, most);
	}
	return count;
}

/* Takes all of a bucket away. */
static void drop_bucket(struct calendar *c, uint64_t cycle)
{
	struct calendar_bucket *bucket = calendar_bucket(c, cycle);
	const uint32_t index = (uint32_t)(bucket - c->buckets);
	uint32_t chunk = bucket->head, last, next;

	if (!bucket->end)
		return;
	for (last = last_chunk(bucket); chunk != last; chunk = next) {
		next = (uint32_t)c->words[(size_t)chunk * CALENDAR_CHUNK];
		give_chunk(c, chunk);
	}
	give_chunk(c, last);
	bucket->end = 0;
	c->used[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

void calendar_delay(struct calendar *c, const struct calendar_entry *list,
	uint32_t count, uint64_t cycles)
{
	const uint32_t first = c->over - c->first;
	uint32_t i;

	if (c->solo != CALENDAR_NONE)
		c->solo_cycle += cycles;
	else
		for (i = first; i < count; i++)
			drop_bucket(c, list[i].cycle);
	c->follow = c->follows = 0;
	c->now += cycles;
	for (i = first; i < count && c->solo == CALENDAR_NONE; i++)
		calendar_push_ring(c, list[i].event, list[i].cycle + cycles);
}
