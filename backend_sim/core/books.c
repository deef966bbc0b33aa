#include <stdlib.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/memory.h"
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
	struct server_book books[BOOKS_CHUNK];
	struct books_chunk *before;
	uint32_t count;
};

/* Of BOOKS_EVENTS events: each has a few, one of a warp some hundred. */
#define LOG_ENTRIES (UINT32_C(1) << 18)

void books_open(struct books *b)
{
	*b = (struct books){
		.entries = malloc(LOG_ENTRIES * sizeof(*b->entries))};
	b->failed = !b->entries;
	b->log.next = b->entries;
	b->log.end = b->failed ? NULL : b->entries + LOG_ENTRIES;
}

static struct server_book *next_book(struct books *b)
{
	struct books_chunk *chunk = b->last;

	if (!chunk || chunk->count == BOOKS_CHUNK) {
		chunk = memory_table(1, sizeof(*chunk));
		if (!chunk) {
			b->failed = true;
			return NULL;
		}
		chunk->count = 0;
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
		.server = server, .id = id, .key = key, .log = &b->log};
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
	free(b->entries);
	*b = (struct books){0};
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

	if (!over)
		return false;
	for (i = 0; i < book->there; i++)
		over[i] = book->over[(book->first + i) & (book->room - 1)];
	free(book->over);
	book->over = over;
	book->first = 0;
	book->room = room;
	return true;
}

/* A job comes behind those that are still there. False: without memory. */
static bool stand_in_line(struct server_book *book, uint64_t arrival)
{
	while (book->there && book->over[book->first] <= arrival) {
		book->first = (book->first + 1) & (book->room - 1);
		book->there--;
	}
	found_there(book, book->there + 1);
	if (book->there == book->room && !grow(book))
		return false;
	book->over[(book->first + book->there++) & (book->room - 1)] =
		book->last;
	return true;
}

/* What waits in a queue waits as long as it stands there: all together the area
   under their number. Of room, whoever leaves the queue has got it, and all of
   it is taken while something stands there. */
static void stand_in_queue(
	struct server_book *book, const struct server_entry *entry)
{
	const bool comes = entry->ticks == SERVER_QUEUED;
	const uint64_t ticks = entry->arrival - book->since;

	book->waited += book->standing * ticks;
	book->since = entry->arrival;
	if (server_kinds[book->id].order == ORDER_ROOM) {
		book->busy += book->standing ? ticks : 0;
		book->served += !comes;
	}
	if (comes)
		found_there(book, book->standing++);
	else
		book->standing--;
}

/* Where the end is told it is a whole cycle: so is the wait. */
static uint64_t wait_of(
	const struct server_book *book, const struct server_entry *entry)
{
	const uint64_t start = entry->arrival + entry->ticks;
	const uint64_t wait = entry->over > start ? entry->over - start : 0;

	return wait && server_kinds[book->id].order == ORDER_SHARE
		       ? wait / TICKS_A_CYCLE * TICKS_A_CYCLE
		       : wait;
}

static bool take_up(struct server_book *book, const struct server_entry *entry)
{
	bool done = true;

	if (entry->ticks >= SERVER_UNQUEUED) {
		stand_in_queue(book, entry);
		return true;
	}
	book->waited += wait_of(book, entry);
	if (!entry->ticks)
		return true;
	book->served++;
	book->busy += entry->ticks;
	if (entry->arrival < book->last)
		done = stand_in_line(book, entry->arrival);
	else if (book->there)
		book->there = 0;
	if (entry->over > book->last) /* those told are not in order */
		book->last = entry->over;
	return done;
}

#define AHEAD 8 /* entries whose books are on their way */

void books_read(struct books *b)
{
	const struct server_entry *const end = b->log.next;
	const struct server_entry *e;

	for (e = b->entries; e != end; e++) {
		if (end - e > AHEAD)
			memory_prefetch(e[AHEAD].book);
		b->failed |= !take_up(e->book, e);
	}
	b->failed |= b->log.full;
	b->log.next = b->entries;
}
