#include <stdlib.h>
#include <string.h>

#include "calendar.h"

void calendar_init(struct calendar *c, uint32_t *next)
{
	c->now = 0;
	c->count = 0;
	c->next = next;
	memset(c->head, 0xff, sizeof(c->head));
	memset(c->used, 0, sizeof(c->used));
	c->solo = CALENDAR_NONE;
	c->far = NULL;
	c->far_count = c->far_capacity = 0;
	c->far_order = 0;
	c->failed = false;
}

void calendar_free(struct calendar *c)
{
	free(c->far);
	c->far = NULL;
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

void calendar_push_far(struct calendar *c, uint32_t entity, uint64_t cycle)
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
		.cycle = cycle, .order = c->far_order++, .entity = entity};
	rise(c->far, c->far_count++);
}

/* Moves what has come within the ring. */
static void admit_far(struct calendar *c)
{
	while (c->far_count && c->far[0].cycle - c->now < CALENDAR_BUCKETS) {
		calendar_push_ring(c, c->far[0].entity, c->far[0].cycle);
		c->far[0] = c->far[--c->far_count];
		if (c->far_count)
			sink(c->far, c->far_count);
	}
}

/* Cycles from `now` to the next used bucket; the ring is not empty. */
static uint32_t distance(const struct calendar *c)
{
	const uint32_t words = CALENDAR_BUCKETS / 64;
	uint32_t start = (uint32_t)c->now & (CALENDAR_BUCKETS - 1);
	uint32_t word = start / 64, i;
	uint64_t bits = c->used[word] & (UINT64_MAX << (start % 64));

	for (i = 0; i <= words; i++) {
		if (bits) {
			uint32_t bucket =
				word * 64 + (uint32_t)__builtin_ctzll(bits);

			return (bucket - start) & (CALENDAR_BUCKETS - 1);
		}
		word = (word + 1) % words;
		bits = c->used[word];
	}
	return 0;
}

uint32_t calendar_pop_ring(struct calendar *c)
{
	uint32_t bucket, entity;

	if (c->count == 0) {
		if (c->far_count == 0)
			return CALENDAR_NONE;
		c->now = c->far[0].cycle;
	}
	admit_far(c);
	c->now += distance(c);
	bucket = (uint32_t)c->now & (CALENDAR_BUCKETS - 1);
	entity = c->head[bucket];
	c->head[bucket] = c->next[entity];
	if (c->head[bucket] == CALENDAR_NONE)
		c->used[bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
	c->count--;
	return entity;
}
