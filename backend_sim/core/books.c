#include <stdlib.h>

#include "backend_sim/core/books.h"
#include "harness/program/program.h"

const struct server_kind server_kinds[SERVER_COUNT] = {
#define SERVER(id, name, of, unit, rate, nsight, order)                        \
	[SERVER_##id] = {name, of, unit, nsight, ORDER_##order},
#include "backend_sim/core/servers.def"
#undef SERVER
};

#define PER(ticks) ((ticks) ? TICKS_A_CYCLE / (double)(ticks) : 0)

double server_rate(enum server_id id, const struct costs *c, double n)
{
	switch (id) {
#define SERVER(id, name, of, unit, rate, ...)                                  \
	case SERVER_##id:                                                      \
		return rate;
#include "backend_sim/core/servers.def"
#undef SERVER
	default:
		return 0;
	}
}

/* ---- life cycle ---- */

struct books_chunk {
	struct books_chunk *before;
	uint32_t count;
	struct server_book books[BOOKS_CHUNK];
};

void books_open(struct books *b)
{
	*b = (struct books){0};
}

static struct server_book *next_book(struct books *b)
{
	struct books_chunk *chunk = b->last;

	if (!chunk || chunk->count == BOOKS_CHUNK) {
		chunk = calloc(1, sizeof(*chunk));
		if (!chunk) {
			b->failed = true;
			return NULL;
		}
		chunk->before = b->last;
		b->last = chunk;
	}
	return &chunk->books[chunk->count++];
}

void books_add(
	struct books *b, enum server_id id, uint32_t key, struct server *server)
{
	struct server_book *book = next_book(b);

	if (!book)
		return;
	*book = (struct server_book){
		.server = server, .id = id, .key = key, .failed = &b->failed};
	server->book = book;
}

void books_close(struct books *b)
{
	struct books_chunk *chunk, *before;
	uint32_t i;

	for (chunk = b->last; chunk; chunk = before) {
		before = chunk->before;
		for (i = 0; i < chunk->count; i++) {
			chunk->books[i].server->book = NULL;
			free(chunk->books[i].over);
		}
		free(chunk);
	}
	b->last = NULL;
}

struct books_place books_begin(const struct books *b)
{
	return (struct books_place){b->last, 0};
}

const struct server_book *books_next(struct books_place *place)
{
	if (place->chunk && place->next == place->chunk->count)
		*place = (struct books_place){place->chunk->before, 0};
	return place->chunk ? &place->chunk->books[place->next++] : NULL;
}

/* ---- what happens ---- */

static void found_there(struct server_book *book, uint32_t count)
{
	book->longest = count > book->longest ? count : book->longest;
}

static bool grow(struct server_book *book)
{
	const uint32_t room = book->room ? 2 * book->room : 8;
	uint64_t *over = malloc(room * sizeof(*over));
	uint32_t i;

	if (!over) {
		*book->failed = true;
		return false;
	}
	for (i = 0; i < book->there; i++)
		over[i] = book->over[(book->first + i) % book->room];
	free(book->over);
	book->over = over;
	book->first = 0;
	book->room = room;
	return true;
}

/* A job that is over at `over` comes behind those that are still there. */
static void stand_in_line(
	struct server_book *book, uint64_t arrival, uint64_t over)
{
	while (book->there && book->over[book->first] <= arrival) {
		book->first = (book->first + 1) & (book->room - 1);
		book->there--;
	}
	found_there(book, book->there);
	if (book->there == book->room && !grow(book))
		return;
	book->over[(book->first + book->there++) & (book->room - 1)] = over;
}

void server_book_job(
	const struct server *s, uint64_t arrival, uint64_t ticks, uint64_t wait)
{
	struct server_book *book = s->book;

	if (!ticks)
		return;
	book->served++;
	book->busy += ticks;
	book->waited += wait;
	stand_in_line(book, arrival, s->free_at);
}

void server_book_wait(const struct server *s, uint64_t wait)
{
	s->book->waited += wait;
}

/* What waits in a queue waits as long as it stands there: all together the area
   under their number. Of room, whoever leaves the queue has got it, and all of
   it is taken while something stands there. */
void server_book_queue(const struct server *s, uint64_t cycle, int by)
{
	struct server_book *book = s->book;
	uint64_t ticks = (cycle - book->since_cycle) *
			 server_ticks((enum server_id)book->id);

	if (book->standing)
		book->waited += book->standing * ticks;
	book->since_cycle = cycle;
	if (server_kinds[book->id].order == ORDER_ROOM) {
		book->busy += book->standing ? ticks : 0;
		book->served += by < 0;
	}
	if (by > 0)
		found_there(book, book->standing);
	book->standing += (uint32_t)by;
}
