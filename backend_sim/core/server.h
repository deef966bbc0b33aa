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

/* For whom a server works. `who` is a place in blame.h's table of lives: a
   request, or behind these a warp; `line` is an instruction of the code. */
struct sender {
	uint32_t who, line;
};

#define SENDER_NONE    UINT32_MAX /* as who: nobody's life; as line: no line */
#define SENDER_OF_LIFE (UINT32_MAX - 1) /* as line: the one of its life */
#define SENDER_BESIDE  (1u << 31)       /* with who: nobody waits for the job */
#define SENDER_BEGINS                                                          \
	(1u << 30) /* with who: it goes on when its job begins                 \
		    */

#define SENDER_NOBODY ((struct sender){SENDER_NONE, SENDER_NONE})

struct server_log;

struct waiting_runs; /* waiting.h */

/* Ticks are the server's. What each job looks at comes first. */
struct server_book {
	_Alignas(64) uint64_t served;
	uint64_t busy, waited;
	uint64_t chain;    /* when the last job in line is over */
	uint64_t at;       /* the line is looked at as of then */
	uint32_t line;     /* whose the job is that is served */
	uint32_t last;     /* and the last one that came */
	uint32_t runs;     /* of jobs in line, of another line of code each */
	uint32_t key;      /* which of them it is */
	uint32_t standing; /* in a queue that is simulated: so many */
	uint8_t id;        /* enum server_id (books.h) */
	uint8_t order;     /* enum server_order */
	uint8_t finer; /* its ticks are so many powers of two finer than those
			  of others */

	/* when the turns are of what is in line, and of some whose turn has
	   come: a ring; owned */
	_Alignas(64) uint64_t *turns;
	uint32_t first, there, room;
	uint32_t longest; /* jobs that a newcomer found there, at most */
	struct waiting_runs *behind; /* owned; NULL: there were never any */
	struct server *server;
	uint64_t since;   /* until then */
	uint64_t pending; /* those have waited so long, and nobody is charged */
};

_Static_assert(sizeof(struct server_book) == 128, "two lines of the cache");

/* What a book is told, in the order in which it happens: a job came, with so
   much work, and is over then. What happens is put into a log, which
   books_pass() empties now and then: a call here would cost those instructions
   who ask for no book. */
struct server_entry {
	struct server_book *book; /* NULL: a life begins or ends (blame.h) */
	uint64_t arrival, over;   /* ticks */
	uint64_t ticks;           /* 0: it waited for no work of its own */
	struct sender sender;
};

/* As ticks: no work, but one more in a queue, or one less, which `over` lets
   go, a sender; it waits until `over` for nobody; the server is held until
   `over`; the sender is who the queue waits for from now on. */
#define SERVER_QUEUED   UINT64_MAX
#define SERVER_UNQUEUED (UINT64_MAX - 1)
#define SERVER_PAUSED   (UINT64_MAX - 2)
#define SERVER_HELD     (UINT64_MAX - 3)
#define SERVER_HOLDS    (UINT64_MAX - 4)

struct server_log {
	struct server_entry *next, *end;
	bool full; /* something is missing */
};

static inline struct sender sender_of_request(uint32_t request)
{
	return (struct sender){request, SENDER_OF_LIFE};
}

static inline struct sender sender_beside(uint32_t request)
{
	return (struct sender){request | SENDER_BESIDE, SENDER_OF_LIFE};
}

/* It goes on when its job begins, and does not wait for its end. */
static inline struct sender sender_begins(uint32_t request)
{
	return (struct sender){request | SENDER_BEGINS, SENDER_OF_LIFE};
}

/* What an instruction brings about without waiting for it. */
static inline struct sender sender_of_line(uint32_t line)
{
	return (struct sender){SENDER_NONE & ~SENDER_BEGINS, line};
}

static inline uint64_t sender_pack(struct sender s)
{
	return (uint64_t)s.who << 32 | s.line;
}

static inline struct sender sender_unpack(uint64_t packed)
{
	return (struct sender){(uint32_t)(packed >> 32), (uint32_t)packed};
}

/* ---- for the inline functions only ---- */

static inline void server_log_put(struct server_log *log,
	struct server_book *book, struct sender sender, uint64_t arrival,
	uint64_t over, uint64_t ticks)
{
	struct server_entry *e = log->next;

	if (e == log->end) {
		log->full = true;
		return;
	}
	e->book = book;
	e->arrival = arrival;
	e->over = over;
	e->ticks = ticks;
	e->sender = sender;
	log->next = e + 1;
}

/* Books stand in blocks of memory of this size and alignment, which begin with
   their log. */
#define BOOKS_BYTES ((size_t)2 << 20)

static inline struct server_log *server_log_of(const struct server_book *book)
{
	return *(struct server_log **)((uintptr_t)book & ~(BOOKS_BYTES - 1));
}

static inline void server_log(const struct server *s, struct sender sender,
	uint64_t arrival, uint64_t over, uint64_t ticks)
{
	server_log_put(
		server_log_of(s->book), s->book, sender, arrival, over, ticks);
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
static inline uint64_t serve(
	struct server *s, struct sender sender, uint64_t now, uint64_t ticks)
{
	uint64_t over = line_add(&s->free_at, now * TICKS_A_CYCLE, ticks);

	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, sender, now * TICKS_A_CYCLE, over, ticks);
	return ticks_over(over);
}

/* The same of a job whose end is told by server_told(). */
static inline uint64_t serve_untold(
	struct server *s, uint64_t now, uint64_t ticks)
{
	return line_serve(&s->free_at, now, ticks);
}

/* A job came at cycle `now`, and is over at cycle `over`. */
static inline void server_told(const struct server *s, struct sender sender,
	uint64_t now, uint64_t over, uint64_t ticks)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, sender, now * TICKS_A_CYCLE, over * TICKS_A_CYCLE,
			ticks);
}

/* Something waited behind what is in line without being a job, until `over`. */
static inline void server_delays(const struct server *s, struct sender sender,
	uint64_t now, uint64_t over)
{
	server_told(s, sender, now, over, 0);
}

/* The server does nothing until `over`, for nobody's sake: it waited so long.
 */
static inline void server_pauses(const struct server *s, struct sender sender,
	uint64_t now, uint64_t over)
{
	server_told(s, sender, now, over, SERVER_PAUSED);
}

/* The server can go on at tick `over` at the earliest, because of the sender.
 */
static inline void server_hold(
	struct server *s, struct sender sender, uint64_t over)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, sender, s->free_at, over, SERVER_HELD);
	s->free_at = over;
}

/* Where what waits stands in a queue: it comes, */
static inline void server_queued(
	const struct server *s, struct sender sender, uint64_t now)
{
	server_told(s, sender, now, 0, SERVER_QUEUED);
}

/* and goes; `by` has let it go, or, SENDER_NOBODY, the one that is served
   next. */
static inline void server_unqueued(const struct server *s, struct sender sender,
	uint64_t now, struct sender by)
{
	if (__builtin_expect(s->book != NULL, 0))
		server_log(s, sender, now * TICKS_A_CYCLE, sender_pack(by),
			SERVER_UNQUEUED);
}

/* What stands in the queue waits for the sender from now on. */
static inline void server_holds(
	const struct server *s, struct sender sender, uint64_t now)
{
	server_told(s, sender, now, 0, SERVER_HOLDS);
}

/* It is free, and keeps its book. */
static inline void server_clear(struct server *s)
{
	s->free_at = 0;
}

#endif
