/* What the servers of the chip did in a launch. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/engine.h"

void servers_open(struct engine *e, struct books *books)
{
	books_open(books);
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
	struct books_place place = books_begin(e->core.books);
	struct job_server *all = calloc(SERVER_COUNT, sizeof(*all));
	const struct server_book *book;
	size_t i;

	if (!all || e->core.books->failed) {
		free(all);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	while ((book = books_next(&place)))
		add_up(all, book);
	profile->server_cycles = cycles;
	profile->servers = all;
	for (i = 0; i < SERVER_COUNT; i++) {
		if (!all[i].served)
			continue;
		name(&all[i], &server_kinds[i]);
		all[i].rate = server_rate(
			(enum server_id)i, &e->core.cost, all[i].count);
		all[profile->server_count++] = all[i];
	}
	qsort(all, profile->server_count, sizeof(*all), by_busiest);
	return 0;
}
