#ifndef NEARFAR_SERVER_H
#define NEARFAR_SERVER_H

/*
 * A server does one job after the other. It is kept as the time at which it is
 * next free, in ticks, so that a rate need not be a whole number of cycles;
 * events happen at whole cycles. servers.def says which servers there are. A
 * run that asks for it has a book of each (books.h): what the server did, and
 * who waited how long. A book changes no time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend_sim/machine/costs.h"

struct server {
	uint64_t free_at;         /* ticks */
	struct server_book *book; /* who asks for it owns it; or NULL */
};

struct server_log;

/* Ticks are the server's. What most entries look at lies in one line of the
   host's cache. */
struct server_book {
	_Alignas(64) struct server_log *log;
	uint64_t served;
	uint64_t busy, waited;
	uint64_t last;     /* when the last job in line is over */
	uint32_t id;       /* enum server_id (books.h) */
	uint32_t longest;  /* jobs that a newcomer found there, at most */
	uint32_t standing; /* in a queue that is simulated, */
	uint32_t there;    /* and jobs before the last one: */
	uint64_t *over;    /* when each is over, a ring; owned */
	uint32_t first, room;
	uint64_t since; /* so many have stood in the queue */
	struct server *server;
	uint32_t key; /* which of them it is */
	double shown; /* cycles: a trace has its work until then (lives.h) */
};

_Static_assert(sizeof(struct server_book) == 128, "two lines of the cache");

/* What a book is told, in the order in which it happens: a job came, with so
   much work, and is over then. What happens is put into a log, which
   books_read() empties now and then: a call here would cost those instructions
   who ask for no book. */
struct server_entry {
	struct server_book *book;
	uint64_t arrival, over; /* ticks */
	uint64_t ticks;         /* 0: it waited for no work of its own */
};

/* No work, but one more in a queue, or one less: `over` is then the request, or
   NONE. */
#define SERVER_QUEUED   UINT64_MAX
#define SERVER_UNQUEUED (UINT64_MAX - 1)

struct server_log {
	struct server_entry *next, *end;
	bool full; /* something is missing */
};

/* ---- for the inline functions only ---- */

static inline void server_log(
	const struct server *s, uint64_t arrival, uint64_t over, uint64_t ticks)
{
	struct server_log *log = s->book->log;
	struct server_entry *e = log->next;

	if (e == log->end) {
		log->full = true;
		return;
	}
	e->book = s->book;
	e->arrival = arrival;
	e->over = over;
	e->ticks = ticks;
	log->next = e + 1;
}

/* ---- lines of jobs ---- */

/* Puts a job behind what is in line until `*over`; when it is over. All in
   ticks. */
static inline uint64_t line_add(uint64_t *over, uint64_t start, uint64_t ticks)
{
	if (*over > start)
		start = *over;
	*over = start + ticks;
	return *over;
}

/* The cycle at which a tick is over. */
static inline uint64_t ticks_over(uint64_t ticks)
{
	return (ticks + TICKS_A_CYCLE - 1) / TICKS_A_CYCLE;
}

/* A line that no server has: what one would be without a part of the jobs. */
static inline uint64_t line_serve(uint64_t *over, uint64_t now, uint64_t ticks)
{
	return ticks_over(line_add(over, now * TICKS_A_CYCLE, ticks));
}

/* ---- servers ---- */

/* Books `ticks` of a server at cycle `now`; the cycle at which they are
   over. */
static inline uint64_t serve(struct server *s, uint64_t now, uint64_t ticks)
{
	uint64_t over = line_add(&s->free_at, now * TICKS_A_CYCLE, ticks);

	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, now * TICKS_A_CYCLE, over, ticks);
	return ticks_over(over);
}

/* The same of a job whose end is told by server_told(). */
static inline uint64_t serve_untold(
	struct server *s, uint64_t now, uint64_t ticks)
{
	return line_serve(&s->free_at, now, ticks);
}

/* A job came at cycle `now`, and is over at cycle `over`. */
static inline void server_told(
	const struct server *s, uint64_t now, uint64_t over, uint64_t ticks)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, now * TICKS_A_CYCLE, over * TICKS_A_CYCLE, ticks);
}

/* Something waited for the server without being its job, until `over`. */
static inline void server_delays(
	const struct server *s, uint64_t now, uint64_t over)
{
	server_told(s, now, over, 0);
}

/* Where what waits stands in a queue: SERVER_QUEUED, SERVER_UNQUEUED; `who` is
   the request, or NONE for a warp. */
static inline void server_queue(
	const struct server *s, uint64_t now, uint64_t how, uint32_t who)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, now * TICKS_A_CYCLE, who, how);
}

/* It is free, and keeps its book. */
static inline void server_clear(struct server *s)
{
	s->free_at = 0;
}

#endif
