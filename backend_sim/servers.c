/* What the servers of the chip did in a launch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/engine.h"

void servers_open(struct engine *e, struct books *books)
{
	books_open(books);
	books->lines.begin = core_now(&e->core) * TICKS_A_CYCLE;
	e->core.left = e->core.look_up = BOOKS_EVENTS;
#define PART(name, ...) name##_servers(&e->name, books);
#include "backend_sim/parts.def"
#undef PART
	e->core.books = books;
	e->core.log = &books->log;
}

void servers_close(struct engine *e)
{
	if (e->core.books)
		books_close(e->core.books);
	e->core.books = NULL;
	e->core.log = NULL;
}

static double cycles_of(const struct server_book *book, uint64_t ticks)
{
	return (double)ticks / (double)server_ticks((enum server_id)book->id);
}

static void add_up(struct job_server *all, const struct server_book *book)
{
	struct job_server *s = &all[book->id];
	const double busy = cycles_of(book, book->busy);

	s->count++;
	s->busy_cycles += busy;
	if (busy > s->busiest_cycles ||
		(busy == s->busiest_cycles && book->key < s->busiest)) {
		s->busiest_cycles = busy;
		s->busiest = book->key;
	}
	s->served += book->served;
	s->waited_cycles += cycles_of(book, book->waited);
	if (book->longest > s->longest_line)
		s->longest_line = book->longest;
}

/* On the mean of a span. */
static void add_lines(
	const struct waiting_spans *l, size_t id, struct job_server *s)
{
	const double ticks = ldexp(1, (int)l->shift);
	size_t i;

	for (i = 0; i < JOB_SPANS; i++)
		s->in_line[i] = (double)l->waited[id][i] / ticks;
}

static void name(struct job_server *s, const struct server_kind *kind)
{
	strncpy(s->name, kind->name, sizeof(s->name) - 1);
	strncpy(s->of, kind->of, sizeof(s->of) - 1);
	strncpy(s->unit, kind->unit, sizeof(s->unit) - 1);
	strncpy(s->nsight, kind->nsight, sizeof(s->nsight) - 1);
	s->is_room = kind->order == ORDER_ROOM;
}

/* Servers before room, the busiest one first. */
static int by_busiest(const void *left, const void *right)
{
	const struct job_server *a = left, *b = right;

	if (a->is_room != b->is_room)
		return a->is_room - b->is_room;
	if (a->busiest_cycles != b->busiest_cycles)
		return a->busiest_cycles < b->busiest_cycles ? 1 : -1;
	return strcmp(a->name, b->name);
}

int servers_collect(const struct engine *e, double cycles,
	struct job_profile *profile, struct error *error)
{
	const struct books *books = e->core.books;
	struct books_place place = books_begin(books);
	struct job_server *all = calloc(SERVER_COUNT, sizeof(*all));
	const struct server_book *book;
	size_t i;

	if (!all || books->failed) {
		free(all);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	while ((book = books_next(&place)))
		add_up(all, book);
	profile->server_cycles = cycles;
	profile->line_cycles =
		ldexp(1, (int)books->lines.shift) / TICKS_A_CYCLE;
	profile->servers = all;
	for (i = 0; i < SERVER_COUNT; i++) {
		if (!all[i].served)
			continue;
		name(&all[i], &server_kinds[i]);
		add_lines(&books->lines, i, &all[i]);
		all[i].rate = server_rate(
			(enum server_id)i, &e->core.cost, all[i].count);
		all[profile->server_count++] = all[i];
	}
	qsort(all, profile->server_count, sizeof(*all), by_busiest);
	return 0;
}
