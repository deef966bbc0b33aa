/* The tables of what is being fetched, against a list. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_sim/core/core.h"
#include "harness/program/permute.h"

TestSuite(request, .timeout = 60);

#define REQUESTS 1000
#define LINES    11 /* so few that buckets overflow */
#define ACTIONS  40000

struct both {
	struct core core;
	uint64_t added[REQUESTS]; /* when, from 1; 0: fetches nothing */
	uint32_t waits_for[REQUESTS], waiting[REQUESTS]; /* in order */
	uint32_t waiting_count;
	uint32_t draws;
};

static uint32_t draw(struct both *b, uint32_t count)
{
	return permute_draw(1, 5, b->draws++, count);
}

static void both_open(struct both *b)
{
	uint32_t i;

	b->core.requests = calloc(REQUESTS, sizeof(*b->core.requests));
	b->core.links = malloc(REQUESTS * sizeof(*b->core.links));
	cr_assert_eq(0, fetch_init(&b->core.fetches));
	fetch_reset(&b->core.fetches);
	for (i = 0; i < REQUESTS; i++)
		b->waits_for[i] = NONE;
}

static void both_close(struct both *b)
{
	free(b->core.requests);
	free(b->core.links);
	fetch_free(&b->core.fetches);
}

static void set_request(struct both *b, uint32_t request)
{
	b->core.requests[request] = (struct request){
		.line = draw(b, LINES),
		.side = draw(b, 2) & 1,
		.demand = (1 + draw(b, 15)) & 15,
		.wait_next = NONE,
	};
}

/* The last one added that fetches any of the sectors. */
static uint32_t expected(const struct both *b, const struct request *asks)
{
	uint32_t best = NONE, i;

	for (i = 0; i < REQUESTS; i++) {
		const struct request *r = &b->core.requests[i];

		if (b->added[i] && r->line == asks->line &&
			r->side == asks->side && (r->demand & asks->demand) &&
			(best == NONE || b->added[i] > b->added[best]))
			best = i;
	}
	return best;
}

static void end(struct both *b, uint32_t request)
{
	uint32_t waiter = fetch_end(&b->core, WAIT_NEAR, request);
	uint32_t i, kept = 0;

	b->added[request] = 0;
	for (i = 0; i < b->waiting_count; i++) {
		uint32_t next = b->waiting[i];

		if (b->waits_for[next] != request) {
			b->waiting[kept++] = next;
			continue;
		}
		cr_assert_eq(waiter, next);
		b->waits_for[next] = NONE;
		waiter = b->core.requests[next].wait_next;
	}
	cr_assert_eq(waiter, NONE);
	b->waiting_count = kept;
}

static bool overflows(const struct both *b)
{
	uint32_t i;

	for (i = 0; i < 1u << b->core.fetches.bits[WAIT_NEAR]; i++)
		if (b->core.fetches.table[WAIT_NEAR][i].chain)
			return true;
	return false;
}

Test(request, fetches_are_found_the_last_one_first)
{
	struct both *b = calloc(1, sizeof(*b));
	uint32_t i, request, owner, overflown = 0;

	cr_assert(b);
	both_open(b);
	for (i = 0; i < ACTIONS; i++) {
		request = draw(b, REQUESTS);
		if (b->waits_for[request] != NONE)
			continue;
		if (b->added[request]) {
			end(b, request);
			continue;
		}
		set_request(b, request);
		owner = fetch_find(&b->core, WAIT_NEAR,
			b->core.requests[request].side,
			b->core.requests[request].line,
			b->core.requests[request].demand);
		cr_assert_eq(owner, expected(b, &b->core.requests[request]));
		if (owner != NONE && draw(b, 3) == 0) {
			fetch_wait(&b->core, WAIT_NEAR, owner, request);
			b->waits_for[request] = owner;
			b->waiting[b->waiting_count++] = request;
		} else {
			fetch_add(&b->core, WAIT_NEAR, request);
			b->added[request] = i + 1;
		}
		overflown += overflows(b);
	}
	cr_expect_gt(overflown, ACTIONS / 10);
	cr_expect_gt(b->core.fetches.bits[WAIT_NEAR], TABLE_BITS_MIN + 1);
	for (i = 0; i < REQUESTS; i++)
		if (b->added[i])
			end(b, i);
	for (i = 0; i < 1u << b->core.fetches.bits[WAIT_NEAR]; i++)
		cr_expect_eq(
			0, b->core.fetches.table[WAIT_NEAR][i].live +
				   b->core.fetches.table[WAIT_NEAR][i].chain);
	both_close(b);
	free(b);
}
