/* What the log of the books says of an event: who stood in line and was served.
 */
#include <math.h>
#include <string.h>

#include "backend_sim/core/lives_parts.h"

struct entry {
	struct server_book *book;
	const char *name;
	double begin, start, over; /* it came, was taken up, was over */
	bool is_work;
};

static struct entry read_entry(const struct server_entry *e)
{
	const double cycle = (double)server_ticks(e->book->id);
	struct entry entry = {
		.book = e->book,
		.name = server_kinds[e->book->id].name,
		.begin = (double)e->arrival / cycle,
		.over = (double)e->over / cycle,
		.is_work = e->ticks != 0,
	};

	entry.start =
		fmax(entry.begin, ((double)e->over - (double)e->ticks) / cycle);
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

/* The work of a server at the request; jobs of closed form can overlap: then
   the later one is shown from where the earlier one ends. */
static void show_work(struct lives *l, const struct entry *e,
	const struct request *r, const struct life *life)
{
	struct timeline_span span = {.warp = TIMELINE_NONE};

	if (life)
		span = lives_span(l, life, TIMELINE_WORK, 0, 0);
	else
		span.address = (uint64_t)r->line << LINE_SHIFT;
	span.what = TIMELINE_WORK;
	span.name = lives_requests[r->kind];
	span.place = r->sm;
	span.thread = e->book->key;
	span.server = e->book->id;
	span.begin = fmax(e->start, e->book->shown);
	span.end = e->over;
	if (span.end <= span.begin)
		return;
	e->book->shown = span.end;
	timeline_add(l->timeline, &span);
}

static void take_work(struct lives *l, uint32_t request, const struct entry *e)
{
	const struct request *r = &l->core->requests[request];
	const uint32_t id = e->book->id;
	struct life *life = lives_of(l, request);

	if (life) {
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

/* Who comes to a queue, or leaves it, is in the entry. */
static void take_queue(
	struct lives *l, const struct server_entry *entry, struct entry *e)
{
	const bool comes = entry->ticks == SERVER_QUEUED;
	const uint32_t request = (uint32_t)entry->over;
	struct life *life = request == NONE ? NULL : lives_of(l, request);

	count_queue(l, e, comes);
	if (!comes)
		l->subject = request;
	if (life && comes) {
		lives_show(l, life, TIMELINE_WAY, e->name, e->book->id,
			life->over, e->begin);
		life->queued = e->begin;
	} else if (life) {
		lives_show(l, life, TIMELINE_QUEUE, e->name, e->book->id,
			life->queued, e->begin);
	}
}

/* Of a simulated queue the work is logged just before the leaving of it. */
static bool leaves_next(
	const struct server_entry *entry, const struct server_entry *end)
{
	return entry + 1 != end && entry[1].ticks == SERVER_UNQUEUED &&
	       entry[1].book == entry->book;
}

static void take_turn(struct lives *l, uint32_t request, const struct entry *e)
{
	struct life *life = lives_of(l, request);

	if (life)
		lives_show(l, life, TIMELINE_QUEUE, e->name, e->book->id,
			life->queued, e->begin);
	take_work(l, request, e);
}

void lives_after(struct lives *l)
{
	const struct server_entry *const end = l->core->books->log.next;

	for (; l->taken != end; l->taken++) {
		struct entry e = read_entry(l->taken);

		if (l->taken->ticks >= SERVER_UNQUEUED) {
			take_queue(l, l->taken, &e);
			continue;
		}
		count_work(l, &e);
		if (l->subject != NONE)
			take_work(l, l->subject, &e);
		else if (leaves_next(l->taken, end))
			take_turn(l, (uint32_t)l->taken[1].over, &e);
	}
}
