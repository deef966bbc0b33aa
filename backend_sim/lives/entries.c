/* What the log of the books says of an event: who stood in line and was served.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/lives/parts.h"

#define WHO(sender) ((sender).who & ~(SENDER_BESIDE | SENDER_BEGINS))

struct entry {
	const struct server_book *book;
	const char *name;
	double begin, start, over; /* it came, was taken up, was over */
	bool is_work;
	bool waits;   /* somebody waits for it: it is a part of a life */
	uint32_t who; /* the request; NONE: none */
};

/* Where the end is told without work, all of it is a wait. */
static struct entry read_entry(
	const struct lives *l, const struct server_entry *e)
{
	const double cycle = (double)server_ticks(e->book->id);
	const uint32_t who = WHO(e->sender);
	struct entry entry = {
		.book = e->book,
		.name = server_kinds[e->book->id].name,
		.begin = (double)e->arrival / cycle,
		.over = (double)e->over / cycle,
		.is_work = e->ticks && e->ticks != SERVER_PAUSED,
		.waits = !(e->sender.who & SENDER_BESIDE),
		.who = who < l->core->request_count ? who : NONE,
	};

	entry.start =
		entry.is_work
			? fmax(entry.begin,
				  ((double)e->over - (double)e->ticks) / cycle)
			: fmax(entry.begin, entry.over);
	return entry;
}

/* Servers of other SMs than those that are asked for do not count. */
static bool counts(const struct lives *l, const struct server_book *book)
{
	const char *of = server_kinds[book->id].of;

	if (!l->timeline->some_sms)
		return true;

	if (!strcmp(of, "SM"))
		return timeline_has_sm(l->timeline, book->key);
	if (!strcmp(of, "scheduler"))
		return timeline_has_sm(
			l->timeline, book->key / l->core->cost.schedulers);
	return true;
}

static void count_work(struct lives *l, const struct entry *e)
{
	const uint32_t id = e->book->id;

	if (!counts(l, e->book))
		return;
	timeline_server(l->timeline, id, e->name, server_kinds[id].of);
	timeline_queued(l->timeline, id, 1, e->begin, e->start);
	if (e->is_work)
		timeline_served(l->timeline, id, e->start, e->over);
}

static void count_queue(struct lives *l, const struct entry *e, bool comes)
{
	const uint32_t id = e->book->id;

	if (!counts(l, e->book))
		return;
	timeline_server(l->timeline, id, e->name, server_kinds[id].of);
	timeline_queued(
		l->timeline, id, l->standing[id], l->since[id], e->begin);
	l->since[id] = e->begin;
	l->standing[id] += comes ? 1 : UINT32_MAX;
}

/* NULL without memory. */
static double *shown_of(struct lives *l, const struct server_book *book)
{
	uint32_t *count = &l->shown_count[book->id];
	const uint32_t larger = 2 * book->key + 16;
	double *shown;

	if (book->key < *count)
		return &l->shown[book->id][book->key];
	shown = reallocarray(l->shown[book->id], larger, sizeof(*shown));
	if (!shown) {
		l->timeline->failed = true;
		return NULL;
	}
	l->shown[book->id] = shown;
	for (; *count < larger; ++*count)
		shown[*count] = 0;
	return &shown[book->key];
}

/* The work of a server at the request; jobs of closed form can overlap: then
   the later one is shown from where the earlier one ends. */
static void show_work(struct lives *l, const struct entry *e,
	const struct request *r, const struct course *life)
{
	struct timeline_span span = {.warp = TIMELINE_NONE};
	double *shown = shown_of(l, e->book);

	if (!shown)
		return;
	if (life)
		span = lives_span(l, life, TIMELINE_WORK, 0, 0);
	else
		span.address = (uint64_t)r->line << LINE_SHIFT;
	span.what = TIMELINE_WORK;
	span.name = lives_requests[r->kind];
	span.place = r->sm;
	span.thread = e->book->key;
	span.server = e->book->id;
	span.begin = fmax(e->start, *shown);
	span.end = e->over;
	if (span.end <= span.begin)
		return;
	*shown = span.end;
	timeline_add(l->timeline, &span);
}

/* It has left the queue where it stood, if this is that server's. */
static void leave_queue(
	struct lives *l, struct course *life, const struct entry *e)
{
	if (life->queue != e->book->id)
		return;
	life->queue = SERVER_COUNT;
	lives_show(l, life, TIMELINE_QUEUE, e->name, e->book->id, life->queued,
		e->begin);
}

static void take_work(struct lives *l, const struct entry *e)
{
	const struct request *r = &l->core->requests[e->who];
	const uint32_t id = e->book->id;
	struct course *life = lives_of(l, e->who);

	if (life && e->waits) {
		leave_queue(l, life, e);
		lives_show(l, life, TIMELINE_WAY, e->name, id, life->over,
			e->begin);
		lives_show(l, life, TIMELINE_QUEUE, e->name, id, e->begin,
			e->start);
		if (e->is_work)
			lives_show(l, life, TIMELINE_SERVICE, e->name, id,
				e->start, e->over);
	}
	if (e->is_work && (life || l->all_selected))
		show_work(l, e, r, life);
}

static void take_queue(struct lives *l, const struct entry *e, bool comes)
{
	struct course *life = e->who == NONE ? NULL : lives_of(l, e->who);

	count_queue(l, e, comes);
	if (life && comes) {
		lives_show(l, life, TIMELINE_WAY, e->name, e->book->id,
			life->over, e->begin);
		life->queued = e->begin;
		life->queue = e->book->id;
	} else if (life) {
		leave_queue(l, life, e);
	}
}

static void take_entry(struct lives *l, const struct server_entry *entry)
{
	struct entry e;

	if (!entry->book) {
		if (entry->ticks == LIFE_SENT)
			lives_sent(l, entry->sender.who);
		return;
	}
	if (entry->ticks == SERVER_HELD || entry->ticks == SERVER_HOLDS)
		return;
	e = read_entry(l, entry);
	if (entry->ticks == SERVER_QUEUED || entry->ticks == SERVER_UNQUEUED) {
		take_queue(l, &e, entry->ticks == SERVER_QUEUED);
		return;
	}
	count_work(l, &e);
	if (e.who != NONE)
		take_work(l, &e);
}

void lives_after(struct lives *l)
{
	const struct server_entry *const end = l->core->books->log.next;

	for (; l->taken != end; l->taken++)
		take_entry(l, l->taken);
}
