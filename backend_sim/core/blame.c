/* What servers did, for whom, and who waited. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/blame.h"
#include "backend_sim/core/books.h"
#include "backend_sim/core/memory.h"
#include "backend_sim/core/waiting.h"

/* ---- life cycle ---- */

int blame_open(
	struct blame *b, uint32_t lines, uint32_t requests, uint32_t warps)
{
	*b = (struct blame){
		.line_count = lines, .life_count = requests + warps};
	b->lives = memory_table(b->life_count, sizeof(*b->lives));
	b->sums = calloc((size_t)lines + 1, SERVER_COUNT * sizeof(*b->sums));
	b->took = calloc((size_t)lines + 1, sizeof(*b->took));
	if (!b->lives || !b->sums || !b->took)
		return -1;
	/* Lives of requests begin when they are sent. */
	memset(&b->lives[requests], 0, warps * sizeof(*b->lives));
	return 0;
}

void blame_close(struct blame *b)
{
	free(b->lives);
	free(b->sums);
	free(b->took);
	*b = (struct blame){0};
}

/* ---- lives ---- */

#define LIFE_DETAILS (BLAME_DETAILS / TICKS_A_CYCLE) /* of a tick of lives */

static struct life *life_of(const struct blame *b, struct sender sender)
{
	const uint32_t who = sender.who & ~(SENDER_BESIDE | SENDER_BEGINS);

	return who < b->life_count ? &b->lives[who] : NULL;
}

/* A request has its line from its begin. */
static uint32_t line_of(const struct blame *b, struct sender sender)
{
	const struct life *life = life_of(b, sender);

	return sender.line == SENDER_OF_LIFE && life ? life->line : sender.line;
}

static bool is_waited_for(struct sender sender)
{
	return sender.who == SENDER_NONE || !(sender.who & SENDER_BESIDE);
}

/* It is served until `over`, which counts where it has no other account. */
static inline void serve_life(
	struct life *life, struct sender sender, uint64_t from, uint64_t over)
{
	if (!(sender.who & SENDER_BEGINS) && over > from) {
		life->service += (uint32_t)(over - from);
		from = over;
	}
	life->cursor = from;
}

/* It stands in line until `begin`: ticks of lives that count. */
static inline uint64_t live(struct life *life, struct sender sender,
	uint64_t arrival, uint64_t begin, uint64_t over)
{
	uint64_t from = arrival > life->cursor ? arrival : life->cursor;
	uint64_t queue = begin > from ? begin - from : 0;

	life->queue += queue;
	serve_life(life, sender, from + queue, over);
	return queue;
}

static void add_parts(struct blame_parts *to, const struct blame_parts *from)
{
	to->requests++;
	to->way += from->way;
	to->queue += from->queue;
	to->service += from->service;
}

static void end_life(
	struct blame *b, const struct life *life, uint64_t over, uint64_t kind)
{
	const uint64_t all = over - life->since;
	struct blame_parts p = {1, 0, life->queue, life->service};

	if (p.queue + p.service > all) {
		b->overdrawn++;
		return;
	}
	p.way = all - p.queue - p.service;
	add_parts(&b->took[blame_row(b, life->line)], &p);
	add_parts(&b->answers[kind % BLAME_ANSWERS], &p);
}

static void take_life(struct blame *b, const struct server_entry *e)
{
	struct life *life = life_of(b, e->sender);

	if (life && e->ticks == LIFE_ANSWERED)
		end_life(b, life, e->arrival, e->over);
	else if (life)
		*life = (struct life){
			.since = e->arrival,
			.cursor = e->arrival,
			.line = e->ticks == LIFE_SENT
					? e->sender.line
					: b->lives[e->over % b->life_count]
						  .line,
		};
}

/* ---- queues that are simulated ---- */

/* What waits in a queue waits as long as it stands there: all together the area
   under their number. Of room all is taken while something stands there. */
static void wait_on(struct server_book *book, uint64_t now)
{
	const uint64_t ticks = now > book->since ? now - book->since : 0;

	book->waited += book->standing * ticks;
	book->pending += book->standing * ticks;
	if (book->standing && book->order == ORDER_ROOM)
		book->busy += ticks;
	book->since += ticks;
}

static void charge_pending(
	const struct blame *b, struct server_book *book, uint32_t line)
{
	blame_cause(
		b, book, line, book->pending * (LIFE_DETAILS >> book->finer));
	book->pending = 0;
}

/* Who waits for others waits for one of them: the one that lets it go. */
static bool is_meeting(const struct server_book *book)
{
	return book->id == SERVER_MEETING;
}

static void leave(const struct blame *b, struct server_book *book,
	const struct server_entry *e)
{
	const struct sender by = sender_unpack(e->over);
	const uint32_t line = by.line == SENDER_NONE && by.who == SENDER_NONE
				      ? book->last
				      : line_of(b, by);
	const uint64_t now = e->arrival >> book->finer;
	struct life *life = life_of(b, e->sender);
	uint64_t details = 0;

	if (life && now > life->cursor) {
		details = (now - life->cursor) * LIFE_DETAILS;
		life->queue += now - life->cursor;
		life->cursor = now;
	}
	blame_suffer(b, book, line_of(b, e->sender), details);
	if (is_meeting(book)) {
		book->pending = 0;
		blame_cause(b, book, line, details);
	} else {
		charge_pending(b, book, line);
	}
}

/* Of the last server's time less than a cycle may be left. */
static void stop(struct life *life, uint64_t now)
{
	const uint64_t left = life->cursor > now ? life->cursor - now : 0;

	life->service -= left < life->service ? (uint32_t)left : life->service;
	life->cursor = now;
}

static void take_queue(const struct blame *b, struct server_book *book,
	const struct server_entry *e)
{
	struct life *life = life_of(b, e->sender);

	wait_on(book, e->arrival);
	switch (e->ticks) {
	case SERVER_QUEUED:
		if (book->standing++ >= book->longest)
			book->longest = book->standing - 1;
		if (!life)
			break;
		stop(life, e->arrival >> book->finer);
		if (e->sender.line != SENDER_OF_LIFE) /* of a warp */
			life->line = e->sender.line;
		break;
	case SERVER_UNQUEUED:
		book->standing--;
		book->served += book->order == ORDER_ROOM;
		leave(b, book, e);
		break;
	default:
		charge_pending(b, book, book->last);
		book->last = line_of(b, e->sender);
		break;
	}
}

/* ---- jobs ---- */

/* Where the end is told it is a whole cycle: so is the wait. */
static inline uint64_t wait_of(
	const struct server_entry *e, uint64_t ticks, bool is_told)
{
	const uint64_t start = e->arrival + ticks;
	const uint64_t wait = e->over > start ? e->over - start : 0;

	return is_told ? wait / TICKS_A_CYCLE * TICKS_A_CYCLE : wait;
}

/* Details that it suffers. */
static inline uint64_t suffers(const struct server_entry *e, struct life *life,
	uint64_t wait, unsigned finer)
{
	const uint64_t arrival = e->arrival >> finer;
	const uint64_t begin = (e->arrival + wait) >> finer;

	if (!is_waited_for(e->sender))
		return 0;
	return LIFE_DETAILS *
	       (life ? live(life, e->sender, arrival, begin, e->over >> finer)
		     : begin - arrival);
}

/* Of any server, or no job at all. */
static bool stand_in_line(
	const struct blame *b, const struct server_entry *e, uint64_t ticks)
{
	struct server_book *book = e->book;
	const uint64_t wait = wait_of(e, ticks, book->order == ORDER_SHARE);
	const uint32_t line = line_of(b, e->sender);
	const uint64_t details =
		suffers(e, life_of(b, e->sender), wait, book->finer);

	book->waited += wait;
	if (ticks)
		book->last = line;
	blame_suffer(b, book, line, details);
	return waiting_come(b, book, e->arrival, ticks, line, details);
}

/* It finds nothing in line. */
static inline void take_idle(struct server_book *book,
	const struct server_entry *e, struct life *life, uint32_t line)
{
	const uint64_t arrival = e->arrival >> book->finer;

	if (life && !(e->sender.who & SENDER_BESIDE))
		serve_life(life, e->sender,
			arrival > life->cursor ? arrival : life->cursor,
			e->over >> book->finer);
	waiting_is_served(book, e->arrival, e->ticks, line);
}

/* All that is in line is of the job's own line. */
static inline void take_alike(const struct blame *b, struct server_book *book,
	const struct server_entry *e, struct life *life, uint32_t line)
{
	const uint64_t wait = wait_of(e, e->ticks, book->order == ORDER_SHARE);
	const uint64_t details = suffers(e, life, wait, book->finer);

	book->waited += wait;
	if (details && b->sums) {
		struct blame_sums *sums = blame_sums(b, book->id, line);

		sums->suffered += details;
		sums->caused += details;
	}
	waiting_join(book, e->arrival, e->ticks);
}

/* Nothing stands in a queue there. */
static inline bool take_job(const struct blame *b, const struct server_entry *e)
{
	struct server_book *book = e->book;
	struct life *life = life_of(b, e->sender);
	const uint32_t line = e->sender.line == SENDER_OF_LIFE && life
				      ? life->line
				      : e->sender.line;

	book->served++;
	book->busy += e->ticks;
	book->last = line;
	if (waiting_is_idle(book, e->arrival) &&
		e->over == e->arrival + e->ticks)
		take_idle(book, e, life, line);
	else if (waiting_is_alike(book, e->arrival, line))
		take_alike(b, book, e, life, line);
	else
		return stand_in_line(b, e, e->ticks);
	return true;
}

/* The server does nothing, for nobody's sake. */
static void pause(const struct blame *b, const struct server_entry *e)
{
	const uint64_t wait = wait_of(e, 0, false);
	struct server_book *book = e->book;
	const uint64_t details =
		suffers(e, life_of(b, e->sender), wait, book->finer);

	book->waited += wait;
	blame_suffer(b, book, line_of(b, e->sender), details);
	blame_cause(b, book, SENDER_NONE, details);
}

/* Whatever is no job, or comes while something stands in a queue. */
static __attribute__((noinline)) bool take_other(
	const struct blame *b, const struct server_entry *e)
{
	struct server_book *book = e->book;

	if (e->ticks == SERVER_HELD)
		return waiting_hold(book, e->over, line_of(b, e->sender));
	if (e->ticks >= SERVER_HOLDS && e->ticks != SERVER_PAUSED) {
		take_queue(b, book, e);
		return true;
	}
	if (book->standing) {
		wait_on(book, e->arrival);
		charge_pending(b, book, book->last);
	}
	if (e->ticks == SERVER_PAUSED) {
		pause(b, e);
		return true;
	}
	return e->ticks ? take_job(b, e) : stand_in_line(b, e, 0);
}

#define AHEAD 16 /* entries whose lives and books are on their way */

static inline void foresee(const struct blame *b, const struct server_entry *e)
{
	const uint32_t who = e->sender.who & ~(SENDER_BESIDE | SENDER_BEGINS);

	if (who < b->life_count)
		memory_prefetch(&b->lives[who]);
	if (e->book)
		memory_prefetch(e->book);
}

bool blame_read(struct blame *b, const struct server_entry *e,
	const struct server_entry *end)
{
	bool good = true;

	for (; e != end; e++) {
		if (end - e > AHEAD)
			foresee(b, &e[AHEAD]);
		if (!e->book)
			take_life(b, e);
		else if (e->ticks && e->ticks < SERVER_HOLDS &&
			 !e->book->standing)
			good &= take_job(b, e);
		else if (e->ticks || e->over > e->arrival)
			good &= take_other(b, e);
	}
	return good;
}

void blame_end(const struct blame *b, struct server_book *book)
{
	waiting_advance(b, book, book->chain);
}
