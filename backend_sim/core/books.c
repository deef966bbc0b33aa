#include <stddef.h>
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

/* As server_log_of() finds the log. */
struct books_chunk {
	struct server_log *log;
	struct books_chunk *before;
	uint32_t count;
	struct server_book books[BOOKS_CHUNK];
};

_Static_assert(offsetof(struct books_chunk, log) == 0, "it comes first");
_Static_assert(sizeof(struct books_chunk) <= BOOKS_BYTES, "a block holds it");

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
		chunk = memory_table(1, BOOKS_BYTES);
		if (!chunk) {
			b->failed = true;
			return NULL;
		}
		chunk->log = &b->log;
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
	*book = (struct server_book){.server = server,
		.id = (uint8_t)id,
		.order = (uint8_t)server_kinds[id].order,
		.finer = server_ticks(id) > TICKS_A_CYCLE ? 8 : 0,
		.key = key,
		.line = SENDER_NONE,
		.last = SENDER_NONE};
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
			free(chunk->books[i].jobs);
		}
		free(chunk);
	}
	free(b->entries);
	blame_close(&b->blame);
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

/* Where the end is told it is a whole cycle: so is the wait. */
static uint64_t wait_of(
	const struct server_book *book, const struct server_entry *entry)
{
	const uint64_t work = entry->ticks < SERVER_HOLDS ? entry->ticks : 0;
	const uint64_t start = entry->arrival + work;
	const uint64_t wait = entry->over > start ? entry->over - start : 0;

	return wait && book->order == ORDER_SHARE
		       ? wait / TICKS_A_CYCLE * TICKS_A_CYCLE
		       : wait;
}

static bool take_up(struct books *b, const struct server_entry *entry)
{
	struct server_book *book = entry->book;
	uint64_t wait;

	if (!book) {
		blame_life(&b->blame, entry);
		return true;
	}
	switch (entry->ticks) {
	case SERVER_QUEUED:
	case SERVER_UNQUEUED:
	case SERVER_HOLDS:
		blame_queue(&b->blame, book, entry);
		return true;
	case SERVER_HELD:
		return blame_job(&b->blame, book, entry, 0);
	case SERVER_PAUSED:
	case 0:
		break;
	default:
		book->served++;
		book->busy += entry->ticks;
	}
	wait = wait_of(book, entry);
	book->waited += wait;
	return blame_job(&b->blame, book, entry, wait);
}

#define AHEAD 32 /* entries whose books are on their way */

void books_end(struct books *b)
{
	struct books_chunk *chunk;
	uint32_t i;

	books_read(b);
	for (chunk = b->last; chunk; chunk = chunk->before)
		for (i = 0; i < chunk->count; i++)
			blame_end(&b->blame, &chunk->books[i]);
}

void books_read(struct books *b)
{
	const struct server_entry *const end = b->log.next;
	const struct server_entry *e;

	for (e = b->entries; e != end; e++) {
		if (end - e > AHEAD)
			blame_foresee(&b->blame, &e[AHEAD]);
		if (end - e > AHEAD / 2)
			blame_foresee_line(&e[AHEAD / 2]);
		b->failed |= !take_up(b, e);
	}
	b->failed |= b->log.full;
	b->log.next = b->entries;
}
