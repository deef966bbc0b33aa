#ifndef NEARFAR_SERVER_H
#define NEARFAR_SERVER_H

/*
 * A server does one job after the other. It is kept as the time at which it is
 * next free, in ticks, so that a rate need not be a whole number of cycles;
 * events happen at whole cycles. servers.def says which servers there are. A
 * run that asks for it has a book of each (books.h): what the server did, and
 * who waited how long. A book changes no time.
 */
#include <stdint.h>

#include "backend_sim/machine/costs.h"

struct server_book;

struct server {
	uint64_t free_at;         /* ticks */
	struct server_book *book; /* who asks for it owns it; or NULL */
};

/* ---- for the inline functions only ---- */

/* A job came at `arrival`, and the server works for `ticks` on it; it waited
   for `wait`. All in the server's ticks. */
void server_book_job(const struct server *s, uint64_t arrival, uint64_t ticks,
	uint64_t wait);
void server_book_wait(const struct server *s, uint64_t wait);
void server_book_queue(const struct server *s, uint64_t cycle, int by);

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
	uint64_t arrival = now * TICKS_A_CYCLE;
	uint64_t over = line_add(&s->free_at, arrival, ticks);

	if (__builtin_expect(s->book != NULL, 0))
		server_book_job(s, arrival, ticks, over - ticks - arrival);
	return ticks_over(over);
}

/* The same of a job whose wait is said elsewhere, by server_told(). */
static inline uint64_t serve_untold(
	struct server *s, uint64_t now, uint64_t ticks)
{
	return line_serve(&s->free_at, now, ticks);
}

/* A job came at cycle `now`, and is over at cycle `over`: `ticks` of that is
   work, the rest a wait. */
static inline void server_told(
	const struct server *s, uint64_t now, uint64_t over, uint64_t ticks)
{
	uint64_t start = now + ticks_over(ticks);

	if (__builtin_expect(s->book != NULL, 0))
		server_book_job(s, now * TICKS_A_CYCLE, ticks,
			over > start ? (over - start) * TICKS_A_CYCLE : 0);
}

/* Something waited for the server without being its job. */
static inline void server_delays(const struct server *s, uint64_t cycles)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_book_wait(s, cycles * TICKS_A_CYCLE);
}

/* Where what waits stands in a queue: one more, or one less. */
static inline void server_queues(const struct server *s, uint64_t cycle, int by)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_book_queue(s, cycle, by);
}

/* It is free, and keeps its book. */
static inline void server_clear(struct server *s)
{
	s->free_at = 0;
}

#endif
