#ifndef NEARFAR_BLAME_H
#define NEARFAR_BLAME_H

/*
 * Who waited in line for whom. The books' log (server.h) says what happens at
 * servers, and for which request or warp. From that come, by line of the code
 * and kind of server, what its requests and instructions suffered in line, and
 * what they caused: each cycle in line belongs to the line that is served in
 * it. Rules:
 *
 * - Who comes first is served first, in the account: COME servers do so. Where
 *   a wait is told in closed form (SHARE), and is a part of that time, those
 *   before it in line are charged that part of theirs.
 * - In a queue (TURN) the one that was served last is charged; of room (ROOM)
 *   the one that leaves, and lets the others go on: of a full queue its head.
 * - A life has one place at a time: what it stands in line while it still is
 *   at another server does not count.
 * - What nobody waits for (SENDER_BESIDE) suffers nothing, and is charged what
 *   waits for it.
 *
 * Amounts are details: 2^24 to a cycle. Both columns add up to the same, of
 * each server, to the detail.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/server.h"

#define BLAME_DETAILS (UINT64_C(1) << 24)

/* A line of code at the servers of a kind: details. */
struct blame_sums {
	uint64_t suffered, caused;
};

/* Of requests that were answered: ticks. */
struct blame_parts {
	uint64_t requests, way, queue, service;
};

#define BLAME_ANSWERS 8u /* kinds of answers, by number, for who asks */

/* Of a request, or of a warp, which stays. Half a cache line of the host. */
struct life {
	uint64_t since;   /* it was sent, */
	uint64_t cursor;  /* and has an account until then: ticks */
	uint64_t queue;   /* of this; what neither is is way */
	uint32_t service; /* no server takes 2^24 cycles for a request */
	uint32_t line;
};

_Static_assert(sizeof(struct life) == 32, "two lives are a cache line");

struct blame {
	uint32_t line_count, life_count;
	struct life *lives;       /* owned, as the others; NULL: closed */
	struct blame_sums *sums;  /* [enum server_id][line + 1]; 0: no line's */
	struct blame_parts *took; /* [line + 1] */
	struct blame_parts answers[BLAME_ANSWERS];
	uint64_t overdrawn; /* requests that were answered before their account
			       ends, which must not be */
};

/* For so many lines of the code, and lives of requests and of warps, which come
   behind them; -1 without memory, blame_close() then, too. One that is zero is
   closed, and charges nobody; books are kept all the same. */
int blame_open(
	struct blame *b, uint32_t lines, uint32_t requests, uint32_t warps);
void blame_close(struct blame *b);

/* ---- what the log has ---- */

/* Entries without a book, as ticks: a request is sent by a line; another one
   begins, with `over` for its parent, of the same line; one is answered, with
   `over` for the kind of answer. */
#define LIFE_SENT     1u
#define LIFE_FOLLOWS  2u
#define LIFE_ANSWERED 3u

/* Takes up what happened, from `entry` to `end`. False: without memory. */
bool blame_read(struct blame *b, const struct server_entry *entry,
	const struct server_entry *end);
/* Whatever stands in line there waits for its turn. */
void blame_end(const struct blame *b, struct server_book *book);

/* ---- sums, of a blame that is open ---- */

static inline uint32_t blame_row(const struct blame *b, uint32_t line)
{
	return line < b->line_count ? line + 1 : 0;
}

/* Of a line of the code, or, SENDER_NONE, of none. */
static inline struct blame_sums *blame_sums(
	const struct blame *b, uint32_t server_id, uint32_t line)
{
	return &b->sums[server_id * ((size_t)b->line_count + 1) +
			blame_row(b, line)];
}

/* Nothing where it is closed. */
static inline void blame_cause(const struct blame *b,
	const struct server_book *book, uint32_t line, uint64_t details)
{
	if (details && b->sums)
		blame_sums(b, book->id, line)->caused += details;
}

static inline void blame_suffer(const struct blame *b,
	const struct server_book *book, uint32_t line, uint64_t details)
{
	if (details && b->sums)
		blame_sums(b, book->id, line)->suffered += details;
}

#endif
