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

#include "backend_sim/core/memory.h"
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
	struct blame_sums *sums;  /* [line + 1][enum server_id]; 0: none's */
	struct blame_parts *took; /* [line + 1] */
	struct blame_parts answers[BLAME_ANSWERS];
	uint64_t overdrawn; /* requests that were answered before their account
			       ends, which must not be */
};

/* For so many lines of the code, and lives of requests and of warps, which come
   behind them; -1 without memory, blame_close() then, too. One that is zero is
   closed, and charges nobody. */
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

/* Some entries before one is taken up: what it looks at, and then what its book
   looks at. */
static inline void blame_foresee(
	const struct blame *b, const struct server_entry *entry)
{
	const uint32_t who =
		entry->sender.who & ~(SENDER_BESIDE | SENDER_BEGINS);

	if (entry->book) {
		memory_prefetch(entry->book);
		memory_prefetch((const char *)entry->book + 64);
	}
	if (who < b->life_count)
		memory_prefetch(&b->lives[who]);
}

static inline void blame_foresee_line(const struct server_entry *entry)
{
	const struct server_book *book = entry->book;

	if (!book || !book->there)
		return;
	memory_prefetch(&book->jobs[book->first]);
	memory_prefetch(
		&book->jobs[(book->first + book->there) & (book->room - 1)]);
}

void blame_life(struct blame *b, const struct server_entry *entry);
/* A job, or what waited without being one; it waited so long. False: without
   memory. */
bool blame_job(struct blame *b, struct server_book *book,
	const struct server_entry *entry, uint64_t wait);
/* One comes into a queue that is simulated, or leaves it. */
void blame_queue(struct blame *b, struct server_book *book,
	const struct server_entry *entry);
/* Whatever stands in line there waits for its turn. */
void blame_end(struct blame *b, struct server_book *book);

#endif
