/* What stands in line, and who is charged for it. */
#include <stdlib.h>

#include "backend_sim/core/waiting.h"

#define WHOLE 256 /* a weight: all of the time */

/* Of a tick of the server by weight 1: details. */
static unsigned details_shift(const struct server_book *book)
{
	return 8u - book->finer;
}

_Static_assert(
	WHOLE == 1 << 8 && TICKS_A_CYCLE == 1 << 8 && BLAME_DETAILS == 1 << 24,
	"details_shift() says so");

void waiting_free(struct server_book *book)
{
	free(book->turns);
	free(book->behind);
}

/* ---- turns ---- */

static bool grow_turns(struct server_book *book)
{
	const uint32_t room = book->room ? 2 * book->room : 8;
	uint64_t *turns = malloc(room * sizeof(*turns));
	uint32_t i;

	if (!turns)
		return false;
	for (i = 0; i < book->there; i++)
		turns[i] = book->turns[(book->first + i) & (book->room - 1)];
	free(book->turns);
	book->turns = turns;
	book->first = 0;
	book->room = room;
	return true;
}

static inline bool add_turn(struct server_book *book)
{
	if (book->there == book->room && !grow_turns(book))
		return false;
	book->turns[(book->first + book->there++) & (book->room - 1)] =
		book->chain;
	return true;
}

/* What has had its turn is dropped only where the line could be the longest. */
static void find_line(struct server_book *book)
{
	if (book->there < book->longest)
		return;
	while (book->there && book->turns[book->first] <= book->at) {
		book->first = (book->first + 1) & (book->room - 1);
		book->there--;
	}
	if (book->there >= book->longest)
		book->longest = book->there + 1;
}

/* ---- runs ---- */

static struct waiting_run *run_at(const struct server_book *book, uint32_t i)
{
	struct waiting_runs *r = book->behind;

	return &r->ring[(r->first + i) & (r->room - 1)];
}

static struct waiting_run *last_run(const struct server_book *book)
{
	return run_at(book, book->runs - 1);
}

static bool grow_runs(struct server_book *book)
{
	const uint32_t room = book->behind ? 2 * book->behind->room : 4;
	struct waiting_runs *larger =
		malloc(sizeof(*larger) + room * sizeof(larger->ring[0]));
	uint32_t i;

	if (!larger)
		return false;
	for (i = 0; i < book->runs; i++)
		larger->ring[i] = *run_at(book, i);
	larger->weight = book->behind ? book->behind->weight : 0;
	larger->first = 0;
	larger->room = room;
	free(book->behind);
	book->behind = larger;
	return true;
}

static bool add_run(struct server_book *book, uint32_t line)
{
	if ((!book->behind || book->runs == book->behind->room) &&
		!grow_runs(book))
		return false;
	book->runs++;
	*last_run(book) = (struct waiting_run){book->chain, 0, line};
	return true;
}

/* The line has so much more work. */
static inline bool join(struct server_book *book, uint64_t ticks, uint32_t line)
{
	if (line != (book->runs ? last_run(book)->line : book->line) &&
		!add_run(book, line))
		return false;
	book->chain += ticks;
	return true;
}

bool waiting_hold(struct server_book *book, uint64_t over, uint32_t line)
{
	return over <= book->chain ||
	       (add_turn(book) && join(book, over - book->chain, line));
}

/* ---- who is charged ---- */

static void charge(const struct blame *b, struct server_book *book,
	uint32_t line, int64_t weight, uint64_t ticks)
{
	blame_cause(
		b, book, line, (uint64_t)weight * ticks << details_shift(book));
}

/* Who waits for all of a run is charged to it when it begins. */
void waiting_advance(
	const struct blame *b, struct server_book *book, uint64_t until)
{
	struct waiting_runs *r = book->behind;

	while (book->runs && run_at(book, 0)->begin <= until) {
		const struct waiting_run *run = run_at(book, 0);

		book->line = run->line;
		r->weight += run->more;
		r->first = (r->first + 1) & (r->room - 1);
		book->runs--;
		if (r->weight)
			charge(b, book, run->line, r->weight,
				run_at(book, 0)->begin - run->begin);
	}
}

/* What part of the time until its turn it waits, so that this amounts to the
   details. */
static uint64_t weigh(uint64_t all, uint64_t details)
{
	const uint64_t weight = details == all * WHOLE ? WHOLE : details / all;

	return weight < WHOLE ? weight : WHOLE;
}

/* Behind several runs: the rest of the one that is served, what is there of the
   last one, and all of those between. */
static void charge_runs(
	const struct blame *b, struct server_book *book, uint64_t details)
{
	const uint64_t all = (book->chain - book->at) << details_shift(book);
	const uint64_t weight = weigh(all, details);
	struct waiting_run *next = run_at(book, 0), *last = last_run(book);

	blame_cause(b, book, book->line, details - weight * all);
	charge(b, book, book->line, (int64_t)weight, next->begin - book->at);
	charge(b, book, last->line, (int64_t)weight, book->chain - last->begin);
	next->more += (int64_t)weight;
	last->more -= (int64_t)weight;
}

static bool come_behind(const struct blame *b, struct server_book *book,
	uint64_t arrival, uint64_t ticks, uint32_t line, uint64_t details)
{
	if (arrival > book->at)
		book->at = arrival;
	if (book->runs)
		waiting_advance(b, book, arrival);
	if (!book->runs)
		blame_cause(b, book, book->line, details);
	else if (details)
		charge_runs(b, book, details);
	if (ticks) {
		find_line(book);
		return add_turn(book) && join(book, ticks, line);
	}
	return details < (book->chain - book->at) << details_shift(book) ||
	       add_turn(book);
}

bool waiting_come(const struct blame *b, struct server_book *book,
	uint64_t arrival, uint64_t ticks, uint32_t line, uint64_t details)
{
	if (arrival < book->chain)
		return come_behind(b, book, arrival, ticks, line, details);
	waiting_advance(b, book, book->chain);
	blame_cause(b, book, book->line, details);
	if (ticks)
		waiting_is_served(book, arrival, ticks, line);
	return true;
}
