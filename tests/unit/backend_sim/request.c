/* The tables of what is being fetched, against a list. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_sim/core/engine.h"

TestSuite(request, .timeout = 60);

#define REQUESTS 1000
#define LINES    11 /* so few that buckets overflow */
#define ACTIONS  40000

struct both {
	struct engine e;
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

	b->e.requests = calloc(REQUESTS, sizeof(*b->e.requests));
	b->e.links = malloc(REQUESTS * sizeof(*b->e.links));
	for (i = 0; i < FETCH_TABLES; i++)
		b->e.table[i] = malloc(
			sizeof(struct fetch_bucket)
			<< (i == WAIT_GPC ? TABLE_BITS_MAX : TABLE_BITS_MIN));
	fetch_reset(&b->e);
	for (i = 0; i < REQUESTS; i++)
		b->waits_for[i] = NONE;
}

static void both_close(struct both *b)
{
	uint32_t i;

	free(b->e.requests);
	free(b->e.links);
	for (i = 0; i < FETCH_TABLES; i++)
		free(b->e.table[i]);
}

static void set_request(struct both *b, uint32_t request)
{
	b->e.requests[request] = (struct request){
		.line = draw(b, LINES),
		.gpc = draw(b, 2) & 1,
		.demand = (1 + draw(b, 15)) & 15,
		.wait_next = NONE,
	};
}

/* The last one added that fetches any of the sectors. */
static uint32_t expected(const struct both *b, const struct request *asks)
{
	uint32_t best = NONE, i;

	for (i = 0; i < REQUESTS; i++) {
		const struct request *r = &b->e.requests[i];

		if (b->added[i] && r->line == asks->line &&
			r->gpc == asks->gpc && (r->demand & asks->demand) &&
			(best == NONE || b->added[i] > b->added[best]))
			best = i;
	}
	return best;
}

static void end(struct both *b, uint32_t request)
{
	uint32_t waiter = fetch_end(&b->e, WAIT_GPC, request);
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
		waiter = b->e.requests[next].wait_next;
	}
	cr_assert_eq(waiter, NONE);
	b->waiting_count = kept;
}

static bool overflows(const struct both *b)
{
	uint32_t i;

	for (i = 0; i < 1u << b->e.table_bits[WAIT_GPC]; i++)
		if (b->e.table[WAIT_GPC][i].chain)
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
		owner = fetch_find(&b->e, WAIT_GPC, b->e.requests[request].gpc,
			b->e.requests[request].line,
			b->e.requests[request].demand);
		cr_assert_eq(owner, expected(b, &b->e.requests[request]));
		if (owner != NONE && draw(b, 3) == 0) {
			fetch_wait(&b->e, WAIT_GPC, owner, request);
			b->waits_for[request] = owner;
			b->waiting[b->waiting_count++] = request;
		} else {
			fetch_add(&b->e, WAIT_GPC, request);
			b->added[request] = i + 1;
		}
		overflown += overflows(b);
	}
	cr_expect_gt(overflown, ACTIONS / 10);
	cr_expect_gt(b->e.table_bits[WAIT_GPC], TABLE_BITS_MIN + 1);
	for (i = 0; i < REQUESTS; i++)
		if (b->added[i])
			end(b, i);
	for (i = 0; i < 1u << b->e.table_bits[WAIT_GPC]; i++)
		cr_expect_eq(0, b->e.table[WAIT_GPC][i].live +
					b->e.table[WAIT_GPC][i].chain);
	both_close(b);
	free(b);
}
