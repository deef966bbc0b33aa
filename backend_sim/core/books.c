#include <stddef.h>
#include <stdlib.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/memory.h"
#include "backend_sim/core/waiting.h"
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

/* A part of the log is handed over when it has so many. */
#define LOG_FILLED 4096u

static void read_log(void *books, const struct server_entry *entries,
	const struct server_entry *end)
{
	struct books *b = books;

	b->missing |= !blame_read(&b->blame, entries, end);
}

static void begin_part(struct books *b, struct server_entry *entries)
{
	b->entries = entries;
	b->log.next = entries;
	b->log.end = entries ? entries + LOG_ENTRIES : NULL;
}

void books_open(struct books *b)
{
	*b = (struct books){.failed = false};
	b->reader = reader_start(read_log, b, LOG_ENTRIES);
	if (b->reader)
		begin_part(b, reader_part(b->reader));
	else
		begin_part(b, malloc(LOG_ENTRIES * sizeof(*b->entries)));
	b->failed = !b->entries;
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

	if (b->reader)
		reader_stop(b->reader);
	else
		free(b->entries);
	for (chunk = b->last; chunk; chunk = before) {
		before = chunk->before;
		for (i = 0; i < chunk->count; i++) {
			chunk->books[i].server->book = NULL;
			waiting_free(&chunk->books[i]);
		}
		free(chunk);
	}
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

void books_pass(struct books *b)
{
	if (b->log.next - b->entries < LOG_FILLED)
		return;
	if (b->reader) {
		reader_give(b->reader, b->log.next);
		begin_part(b, reader_part(b->reader));
	} else {
		read_log(b, b->entries, b->log.next);
		begin_part(b, b->entries);
	}
}

void books_read(struct books *b)
{
	if (b->reader)
		reader_wait(b->reader);
	read_log(b, b->entries, b->log.next);
	begin_part(b, b->entries);
	b->failed |= b->missing || b->log.full;
}

void books_end(struct books *b)
{
	struct books_chunk *chunk;
	uint32_t i;

	books_read(b);
	for (chunk = b->last; chunk; chunk = chunk->before)
		for (i = 0; i < chunk->count; i++)
			blame_end(&b->blame, &chunk->books[i]);
}
