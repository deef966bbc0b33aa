/* The event queue against a sorted list. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/calendar.h"
#include "backend_sim/core/events.h"
#include "harness/program/permute.h"

TestSuite(calendar, .timeout = 60);

#define ENTITIES 500

struct event {
	uint64_t cycle, order;
	bool queued;
};

struct both {
	struct calendar *calendar;
	struct event events[ENTITIES];
	uint64_t order;
	uint32_t draws, seed;
};

static void both_open(struct both *b, uint32_t seed)
{
	memset(b, 0, sizeof(*b));
	b->seed = seed;
	b->calendar = calloc(1, sizeof(*b->calendar));
	cr_assert(b->calendar);
	calendar_init(b->calendar);
	cr_assert_eq(calendar_reserve(b->calendar, ENTITIES), 0);
}

static void both_close(struct both *b)
{
	calendar_free(b->calendar);
	free(b->calendar);
}

static uint32_t draw(struct both *b, uint32_t count)
{
	return permute_draw(b->seed, 3, b->draws++, count);
}

static void push(struct both *b, uint32_t entity, uint64_t cycle)
{
	calendar_push(b->calendar, entity, cycle);
	b->events[entity] = (struct event){cycle, b->order++, true};
}

static bool before(const struct event *a, const struct event *b)
{
	return a->cycle < b->cycle ||
	       (a->cycle == b->cycle && a->order < b->order);
}

/* The entity that must come next, or CALENDAR_NONE. */
static uint64_t first(const struct both *b)
{
	uint64_t best = CALENDAR_NONE;
	uint32_t i;

	for (i = 0; i < ENTITIES; i++) {
		const struct event *e = &b->events[i];

		if (e->queued &&
			(best == CALENDAR_NONE || before(e, &b->events[best])))
			best = i;
	}
	return best;
}

static uint64_t pop(struct both *b)
{
	uint64_t expected = first(b);
	uint64_t entity = calendar_pop(b->calendar);

	if (expected == CALENDAR_NONE || entity == CALENDAR_NONE) {
		cr_assert_eq(entity, expected);
		return entity;
	}
	cr_assert_lt(entity, ENTITIES);
	cr_assert_eq(b->events[entity].cycle, b->events[expected].cycle,
		"cycle %llu before %llu",
		(unsigned long long)b->events[entity].cycle,
		(unsigned long long)b->events[expected].cycle);
	cr_assert_eq(entity, expected, "entity %u before %u of the same cycle",
		(unsigned)entity, (unsigned)expected);
	cr_assert_eq(b->calendar->now, b->events[entity].cycle);
	b->events[entity].queued = false;
	return entity;
}

Test(calendar, an_empty_queue_gives_nothing)
{
	struct both b;

	both_open(&b, 1);
	cr_expect_eq(calendar_pop(b.calendar), CALENDAR_NONE);
	push(&b, 7, 100);
	cr_expect_eq(pop(&b), 7);
	cr_expect_eq(calendar_pop(b.calendar), CALENDAR_NONE);
	both_close(&b);
}

Test(calendar, one_cycle_is_first_in_first_out)
{
	struct both b;
	uint32_t i;

	both_open(&b, 1);
	for (i = 0; i < ENTITIES; i++)
		push(&b, (i * 7) % ENTITIES, 5);
	for (i = 0; i < ENTITIES; i++)
		cr_assert_eq(pop(&b), (i * 7) % ENTITIES);
	both_close(&b);
}

/* A queue that says that it is quiet has nothing until then. */
static void check_quiet(struct both *b)
{
	const uint64_t until = b->calendar->now + 1 + draw(b, CALENDAR_NEAR);
	const uint64_t next = first(b);

	if (calendar_is_quiet(b->calendar, until))
		cr_assert(
			next == CALENDAR_NONE || b->events[next].cycle > until);
}

/* Pushes and pops by chance, `spread` cycles ahead at the most. */
static void mix(uint32_t seed, uint32_t spread, uint32_t far_one_in)
{
	struct both b;
	uint32_t i, entity;

	both_open(&b, seed);
	for (i = 0; i < 20000; i++) {
		check_quiet(&b);
		entity = draw(&b, ENTITIES);
		if (draw(&b, 2) || b.events[entity].queued) {
			pop(&b);
			continue;
		}
		push(&b, entity,
			b.calendar->now + draw(&b, spread) +
				(far_one_in && !draw(&b, far_one_in)
						? 3 * CALENDAR_BUCKETS
						: 0));
	}
	while (pop(&b) != CALENDAR_NONE)
		;
	both_close(&b);
}

Test(calendar, near_events_come_in_order)
{
	mix(1, 10, 0);
	mix(2, 300, 0);
	mix(3, CALENDAR_BUCKETS, 0);
}

Test(calendar, far_events_come_in_order)
{
	mix(4, 100, 10);
	mix(5, 10 * CALENDAR_BUCKETS, 0);
	mix(6, 2, 3);
}

Test(calendar, a_queue_is_quiet_until_its_next_event)
{
	struct both b;

	both_open(&b, 1);
	cr_expect(calendar_is_quiet(b.calendar, 1000000));
	push(&b, 1, 5);
	cr_expect(calendar_is_quiet(b.calendar, 4));
	cr_expect_not(calendar_is_quiet(b.calendar, 5));
	push(&b, 2, 7);
	cr_expect(calendar_is_quiet(b.calendar, 4));
	cr_expect_not(calendar_is_quiet(b.calendar, 5));
	pop(&b);
	cr_expect(calendar_is_quiet(b.calendar, 6));
	cr_expect_not(calendar_is_quiet(b.calendar, 7));
	push(&b, 3, 5);
	cr_expect_not(calendar_is_quiet(b.calendar, 6));
	both_close(&b);
}

/* In its place the time goes on; the loop still looks up as often. */
Test(calendar, what_nothing_comes_before_needs_no_event)
{
	struct core *core = calloc(1, sizeof(*core));

	cr_assert(core);
	calendar_init(&core->calendar);
	cr_assert_eq(calendar_reserve(&core->calendar, 4), 0);
	core->left = 3;
	event_push(core, 1, AT_WARP, 5);
	cr_expect(event_is_next(core, 4));
	cr_expect_eq(core_now(core), 4);
	cr_expect_eq(core->left, 2);
	cr_expect_not(event_is_next(core, 5));
	core->left = 1;
	calendar_pop(&core->calendar);
	cr_expect_not(event_is_next(core, 6));
	cr_expect_eq(core_now(core), 5);
	calendar_free(&core->calendar);
	free(core);
}

/* A far event and a near one that was pushed later, for the same cycle. */
Test(calendar, a_far_event_is_before_a_later_push_of_its_cycle)
{
	struct both b;

	both_open(&b, 1);
	push(&b, 1, 2 * CALENDAR_BUCKETS);
	push(&b, 2, CALENDAR_BUCKETS + 10);
	push(&b, 3, 1);
	pop(&b);
	pop(&b); /* now the far event is within the ring */
	push(&b, 4, 2 * CALENDAR_BUCKETS);
	cr_expect_eq(pop(&b), 1);
	cr_expect_eq(pop(&b), 4);
	both_close(&b);
}

/* The same, pushed at once: nothing is taken between the advance that brings
   the far event within the ring and the push. */
Test(calendar, a_far_event_is_before_a_push_right_after_an_advance)
{
	struct both b;

	both_open(&b, 1);
	push(&b, 1, CALENDAR_BUCKETS + 100);
	push(&b, 2, 200);
	cr_expect_eq(pop(&b), 2); /* now the far event is within the ring */
	push(&b, 3, CALENDAR_BUCKETS + 100);
	cr_expect_eq(pop(&b), 1);
	cr_expect_eq(pop(&b), 3);
	both_close(&b);
}

/* All that is within the ring comes later together; what is beyond it stays. */
Test(calendar, what_is_delayed_keeps_its_order)
{
	static const uint64_t cycles[] = {7, 7, 5, 9000, 9000, 5, 100};
	static const uint64_t order[] = {2, 5, 0, 1, 6, 3, 4};
	const uint64_t by = UINT64_C(123456789), far = 2 * by;
	struct calendar_entry list[40];
	struct both b;
	uint32_t i, more = 0;

	both_open(&b, 1);
	for (i = 0; i < 7; i++)
		calendar_push(b.calendar, i, cycles[i]);
	for (; more < 20; more++) /* two chunks of a bucket */
		calendar_push(b.calendar, 10 + more, 300);
	calendar_push(b.calendar, 30, far);
	cr_assert(calendar_advance(b.calendar));
	cr_expect_eq(calendar_list(b.calendar, list, 26), 27);
	cr_assert_eq(calendar_list(b.calendar, list, 40), 27);
	cr_expect_eq(list[26].cycle, 9000);
	calendar_delay(b.calendar, list, 27, by);
	for (i = 0; i < 7; i++) {
		for (more = 0; i == 5 && more < 20; more++)
			cr_expect_eq(calendar_pop(b.calendar), 10 + more);
		cr_expect_eq(calendar_pop(b.calendar), order[i]);
		cr_expect_eq(b.calendar->now, cycles[order[i]] + by);
	}
	cr_expect_eq(calendar_pop(b.calendar), 30);
	cr_expect_eq(b.calendar->now, far);
	both_close(&b);
}

Test(calendar, a_lone_event_is_delayed)
{
	struct calendar_entry list[1];
	struct both b;

	both_open(&b, 1);
	calendar_push(b.calendar, 3, 12);
	cr_assert_eq(calendar_list(b.calendar, list, 1), 1);
	cr_expect_eq(list[0].cycle, 12);
	calendar_delay(b.calendar, list, 1, 1000000);
	cr_expect_eq(calendar_pop(b.calendar), 3);
	cr_expect_eq(b.calendar->now, 1000012);
	both_close(&b);
}
