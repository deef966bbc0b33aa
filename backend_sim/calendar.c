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
	c->far_first = UINT64_MAX;
	c->failed = false;
}

void calendar_free(struct calendar *c)
{
	free(c->far);
	c->far = NULL;
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
	c->far[c->far_count].cycle = cycle;
	c->far[c->far_count++].entity = entity;
	if (cycle < c->far_first)
		c->far_first = cycle;
}

/* Moves what has come within the ring, in the order of pushing. */
static void admit_far(struct calendar *c)
{
	size_t kept = 0, i;

	c->far_first = UINT64_MAX;
	for (i = 0; i < c->far_count; i++) {
		struct calendar_far event = c->far[i];

		if (event.cycle - c->now < CALENDAR_BUCKETS) {
			calendar_push_ring(c, event.entity, event.cycle);
			continue;
		}
		if (event.cycle < c->far_first)
			c->far_first = event.cycle;
		c->far[kept++] = event;
	}
	c->far_count = kept;
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
			uint32_t bucket = word * 64 +
				(uint32_t)__builtin_ctzll(bits);

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
		c->now = c->far_first;
	}
	if (c->far_count && c->far_first - c->now < CALENDAR_BUCKETS)
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
