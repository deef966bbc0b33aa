/* What stands in line, and who is charged for it. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/blame.h"
#include "backend_sim/core/books.h"

#define WHOLE 256u /* a weight: all of the time */

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

/* ---- sums ---- */

static size_t row_of(const struct blame *b, uint32_t line)
{
	return line < b->line_count ? (size_t)line + 1 : 0;
}

static struct blame_sums *sums_of(
	const struct blame *b, const struct server_book *book, uint32_t line)
{
	return &b->sums[row_of(b, line) * SERVER_COUNT + book->id];
}

static void cause(const struct blame *b, const struct server_book *book,
	uint32_t line, uint64_t details)
{
	if (details && b->sums)
		sums_of(b, book, line)->caused += details;
}

static void suffer(const struct blame *b, const struct server_book *book,
	uint32_t line, uint64_t details)
{
	if (details && b->sums)
		sums_of(b, book, line)->suffered += details;
}

/* Of a tick of the server by weight 1. */
static unsigned details_shift(const struct server_book *book)
{
	return 8u - book->finer;
}

_Static_assert(
	WHOLE == 1 << 8 && TICKS_A_CYCLE == 1 << 8 && BLAME_DETAILS == 1 << 24,
	"details_shift() says so");

#define LIFE_DETAILS (BLAME_DETAILS / TICKS_A_CYCLE) /* of a tick of lives */

/* ---- lives ---- */

static struct life *life_of(const struct blame *b, struct sender sender)
{
	const uint32_t who = sender.who & ~(SENDER_BESIDE | SENDER_BEGINS);

	return b->lives && who < b->life_count ? &b->lives[who] : NULL;
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

/* It stands in line until `begin`, and is served until `over`, which counts
   where it has no other account: ticks of lives in line. */
static uint64_t live(struct life *life, struct sender sender, uint64_t arrival,
	uint64_t begin, uint64_t over)
{
	uint64_t from = arrival > life->cursor ? arrival : life->cursor;
	uint64_t queue = begin > from ? begin - from : 0;

	life->queue += queue;
	from += queue;
	if (!(sender.who & SENDER_BEGINS) && over > from) {
		life->service += (uint32_t)(over - from);
		from = over;
	}
	life->cursor = from;
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
	add_parts(&b->took[row_of(b, life->line)], &p);
	add_parts(&b->answers[kind % BLAME_ANSWERS], &p);
}

void blame_life(struct blame *b, const struct server_entry *e)
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

/* ---- lines of jobs ---- */

static bool grow(struct server_book *book)
{
	const uint32_t room = book->room ? 2 * book->room : 8;
	struct server_job *jobs = malloc(room * sizeof(*jobs));
	uint32_t i;

	if (!jobs)
		return false;
	for (i = 0; i < book->there; i++)
		jobs[i] = book->jobs[(book->first + i) & (book->room - 1)];
	free(book->jobs);
	book->jobs = jobs;
	book->first = 0;
	book->room = room;
	return true;
}

/* Those in line wait until then, for the one that is served. */
static void charge(
	const struct blame *b, struct server_book *book, uint64_t until)
{
	if (book->weight)
		cause(b, book, book->line,
			book->weight * (until - book->at)
				<< details_shift(book));
	book->at = until;
}

/* The next one is served. What takes no time is not. */
static void begin_next(struct server_book *book)
{
	const struct server_job *job = &book->jobs[book->first];

	book->weight -= job->weight;
	if (job->over > book->over)
		book->line = job->line;
	book->over = job->over;
	book->first = (book->first + 1) & (book->room - 1);
	book->there--;
}

static void advance(
	const struct blame *b, struct server_book *book, uint64_t until)
{
	while (book->there && book->over <= until) {
		charge(b, book, book->over);
		begin_next(book);
	}
	if (until > book->at)
		charge(b, book, until);
}

/* What part of the time until its turn it waits, so that this amounts to the
   details; what the weight leaves out is charged at once. */
static uint32_t weigh(const struct blame *b, struct server_book *book,
	uint64_t from, uint64_t details)
{
	const uint64_t all = book->chain > from ? (book->chain - from)
							  << details_shift(book)
						: 0;
	uint64_t weight;

	if (details == all * WHOLE)
		return all ? WHOLE : 0;
	weight = all ? details / all : 0;
	if (weight > WHOLE)
		weight = WHOLE;
	cause(b, book, book->line, details - weight * all);
	return (uint32_t)weight;
}

static bool put_in_line(struct server_book *book, uint64_t ticks, uint32_t line,
	uint32_t weight)
{
	if (book->there == book->room && !grow(book))
		return false;
	book->chain += ticks;
	book->weight += weight;
	book->jobs[(book->first + book->there++) & (book->room - 1)] =
		(struct server_job){book->chain, line, weight};
	return true;
}

/* A job of the line comes, and waits so many details; 0 ticks: it has none. */
static bool come(const struct blame *b, struct server_book *book,
	uint64_t arrival, uint64_t ticks, uint32_t line, uint64_t details)
{
	uint32_t weight;

	if (arrival < book->chain) {
		advance(b, book, arrival);
		if (ticks && book->there + 1 > book->longest)
			book->longest = book->there + 1;
		weight = weigh(b, book, arrival > book->at ? arrival : book->at,
			details);
		return !(ticks || weight) ||
		       put_in_line(book, ticks, line, weight);
	}
	if (book->there)
		advance(b, book, book->chain);
	cause(b, book, book->line, details);
	if (!ticks)
		return true;
	book->at = arrival;
	book->over = book->chain = arrival + ticks;
	book->line = line;
	return true;
}

void blame_end(struct blame *b, struct server_book *book)
{
	advance(b, book, book->chain);
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
	cause(b, book, line, (book->pending * WHOLE) << details_shift(book));
	book->pending = 0;
}

/* Who waits for others waits for one of them: the one that lets it go. */
static bool is_meeting(const struct server_book *book)
{
	return book->id == SERVER_MEETING;
}

static void leave(
	struct blame *b, struct server_book *book, const struct server_entry *e)
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
	suffer(b, book, line_of(b, e->sender), details);
	if (is_meeting(book)) {
		book->pending = 0;
		cause(b, book, line, details);
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

void blame_queue(
	struct blame *b, struct server_book *book, const struct server_entry *e)
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

/* Ticks of lives in line. */
static uint64_t wait_in_line(const struct blame *b,
	const struct server_book *book, const struct server_entry *e,
	uint64_t wait)
{
	const unsigned shift = book->finer;
	struct life *life = life_of(b, e->sender);
	uint64_t begin = (e->arrival + wait) >> shift;

	if (!is_waited_for(e->sender))
		return 0;
	return life ? live(life, e->sender, e->arrival >> shift, begin,
			      e->over >> shift)
		    : begin - (e->arrival >> shift);
}

bool blame_job(struct blame *b, struct server_book *book,
	const struct server_entry *e, uint64_t wait)
{
	const uint32_t line = line_of(b, e->sender);
	uint64_t details;

	if (e->ticks == SERVER_HELD)
		return e->over <= book->chain ||
		       put_in_line(book, e->over - book->chain, line, 0);
	if (book->standing) {
		wait_on(book, e->arrival);
		charge_pending(b, book, book->last);
	}
	details = wait_in_line(b, book, e, wait) * LIFE_DETAILS;
	suffer(b, book, line, details);
	if (e->ticks == SERVER_PAUSED) {
		cause(b, book, SENDER_NONE, details);
		return true;
	}
	if (e->ticks)
		book->last = line;
	return come(b, book, e->arrival, e->ticks, line, details);
}
