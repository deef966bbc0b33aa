#ifndef NEARFAR_BOOKS_H
#define NEARFAR_BOOKS_H

/*
 * What the servers of a chip did in a launch: a book for each, opened before it
 * begins and closed after it has ended; books_read() brings them up to now.
 * Times are ticks of the server: of the crossbar there are TICKS_A_CYCLE^2 to a
 * cycle, of the others TICKS_A_CYCLE.
 */
#include <stdbool.h>

#include "backend_sim/core/blame.h"
#include "backend_sim/core/reader.h"
#include "backend_sim/core/waiting.h"

enum server_id {
#define SERVER(id, ...) SERVER_##id,
#include "backend_sim/core/servers.def"
#undef SERVER
	SERVER_COUNT
};

/* Of servers.def. */
enum server_order { ORDER_COME, ORDER_SHARE, ORDER_TURN, ORDER_ROOM };

struct server_kind {
	const char *name, *of, *unit, *nsight;
	enum server_order order;
};

extern const struct server_kind server_kinds[SERVER_COUNT];

/* What one of `count` such servers carries in a cycle; 0: no fixed rate. */
double server_rate(enum server_id id, const struct costs *costs, double count);

/* To a cycle. */
static inline uint64_t server_ticks(enum server_id id)
{
	return id == SERVER_CROSSBAR || id == SERVER_CROSSBAR_GPC ||
			       id == SERVER_SIDE_STORES
		       ? TICKS_A_CYCLE * TICKS_A_CYCLE
		       : TICKS_A_CYCLE;
}

#define BOOKS_CHUNK 16383u

struct books_chunk;

struct books {
	struct books_chunk *last; /* owned, as those before */
	struct server_log log;
	struct server_entry *entries; /* of the part of the log that is filled;
					 owned, or the reader's */
	struct reader *reader;        /* reader.h; NULL: there is none */
	struct blame blame;           /* closed until blame_open() */
	struct waiting_spans lines;   /* of these */
	bool missing;                 /* the reader was without memory */
	bool failed;                  /* without memory; books_read() says */
};

/* books_close() then, too, also where it fails. */
void books_open(struct books *b);
/* A book of a server; `key` is its number among those of its kind. */
void books_add(struct books *b, enum server_id id, uint32_t key,
	struct server *server);
/* Makes room in the log, at least each BOOKS_EVENTS events. */
#define BOOKS_EVENTS UINT64_C(256)
void books_pass(struct books *b);
/* The books have what has happened until now. */
void books_read(struct books *b);
/* The same, and whatever still stands in line waits for its turn. */
void books_end(struct books *b);
/* The servers have none any more, and are told so: they must be there. */
void books_close(struct books *b);

/* One book after the other: the one behind `book`, or the first for NULL; NULL
   at the end. In no order that means something. */
struct books_place {
	const struct books_chunk *chunk;
	uint32_t next;
};
struct books_place books_begin(const struct books *b);
const struct server_book *books_next(struct books_place *place);

#endif
