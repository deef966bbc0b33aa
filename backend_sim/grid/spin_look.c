/* How all that goes on stands, where it is warps that wait for the clock. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/grid/spin_parts.h"

/* Words of a warp beside its marks, its code's parts and its scheduler's pipes.
 */
#define WARP_WORDS 9u

/* ---- life cycle ---- */

static uint32_t marks_of(const struct code *code, const struct spin_loop *loop)
{
	uint32_t count = 0, i;

	for (i = loop->first; i <= loop->last; i++)
		count += 1 + code->insns[i].wait_count +
			 code->insns[i].write_count;
	return count;
}

bool standing_make(struct standing *s, const struct code *code,
	const struct spins *spins, uint32_t warps)
{
	uint32_t most = 0, i, marks;

	for (i = 0; i < spins->loop_count; i++) {
		marks = marks_of(code, &spins->loops[i]);
		most = marks > most ? marks : most;
	}
	s->words = calloc(warps,
		(WARP_WORDS + most + PIPE_COUNT + 2) * sizeof(*s->words));
	s->turns = calloc(warps, sizeof(*s->turns));
	return s->words && s->turns;
}

void standing_free(struct standing *s)
{
	free(s->words);
	free(s->turns);
}

/* ---- how things stand ---- */

static uint64_t from(uint64_t time, uint64_t now)
{
	return time > now ? time - now : 0;
}

static uint64_t *put_mark(
	uint64_t *to, const struct kernel_warp *k, uint16_t slot, uint64_t now)
{
	const struct mark *mark = &k->marks[slot];

	*to = from(mark->ready, now) << 8 | (uint64_t)mark->board << 4 |
	      mark->cause;
	return to + 1;
}

/* When a part of the code is there. */
static uint64_t there(const struct fetched *f, uint32_t sm, uint32_t part)
{
	return f->count ? f->there[(size_t)sm * f->count + part - 1] : 0;
}

static uint64_t *put_marks(uint64_t *to, const struct grid *g,
	const struct kernel_warp *k, const struct spin_loop *loop, uint64_t now)
{
	uint32_t i, n;

	for (i = loop->first; i <= loop->last; i++) {
		const struct code_insn *c = &g->code.insns[i];

		for (n = 0; n < c->wait_count; n++)
			to = put_mark(to, k, c->waits[n], now);
		for (n = 0; n < c->write_count; n++)
			to = put_mark(to, k, c->writes[n], now);
	}
	return to;
}

/* Of two pipes that are free the one is taken that was free first. */
static uint64_t *put_scheduler(uint64_t *to, const struct execution *x,
	const struct warp *w, uint64_t ticks)
{
	const struct server *pipes = x->grid->sms[w->sm].pipes[w->scheduler];
	const uint64_t heavy = pipes[PIPE_HEAVY].free_at;
	uint32_t i;

	*to++ = from(x->sms[w->sm].issue[w->scheduler].free_at, ticks);
	for (i = 0; i < PIPE_COUNT; i++)
		*to++ = from(pipes[i].free_at, ticks);
	*to++ = (heavy < pipes[PIPE_ALU].free_at) |
		(heavy < pipes[PIPE_LITE].free_at) << 1;
	return to;
}

/* NULL: the event is not of a warp that only waits for the clock. */
static uint64_t *put_warp(uint64_t *to, const struct execution *x,
	const struct calendar_entry *entry)
{
	const struct grid *g = x->grid;
	const uint64_t now = core_now(x->core);
	const uint32_t warp = EVENT_INDEX(entry->event);
	const struct kernel_warp *k;
	const struct spin_loop *loop;
	const struct warp *w;
	uint32_t i;

	if (EVENT_STATION(entry->event) != AT_WARP)
		return NULL;
	k = &g->warps[warp];
	w = &x->warps[warp];
	loop = spin_loop_of(g, k);
	if (!loop || w->state != WARP_READY)
		return NULL;
	*to++ = entry->event;
	*to++ = entry->cycle - now;
	*to++ = from(w->ready, now);
	*to++ = (uint64_t)k->depth << 32 | k->paths[k->depth - 1].mask;
	*to++ = k->paths[k->depth - 1].pc;
	*to++ = k->known;
	*to++ = k->computed;
	*to++ = w->issued | w->booked << 1 | k->pipe_booked << 2 |
		k->awaited << 3 | k->polled << 4 | (uint64_t)k->part << 32;
	*to++ = g->fetched.count ? g->fetched.asked[w->sm] : 0;
	for (i = loop->first; i <= loop->last; i++)
		*to++ = from(
			there(&g->fetched, w->sm, g->code.insns[i].part), now);
	to = put_marks(to, g, k, loop, now);
	return put_scheduler(to, x, w, now * TICKS_A_CYCLE);
}

static uint64_t events_done(const struct core *core)
{
	return core->counts.events + core->look_up - core->left;
}

bool standing_look(struct execution *x, uint32_t warp, struct standing *to)
{
	struct spins *s = x->grid->spins;
	const struct core *core = x->core;
	uint64_t *at = to->words;
	uint32_t i;

	s->list[0] = (struct calendar_entry){
		EVENT(AT_WARP, warp, 0), core_now(core)};
	to->events =
		1 + calendar_list(&core->calendar, s->list + 1, s->room - 1);
	if (to->events > s->room)
		return false;
	for (i = 0; i < to->events; i++) {
		at = put_warp(at, x, &s->list[i]);
		if (!at)
			return false;
		to->turns[i] =
			x->grid->warps[EVENT_INDEX(s->list[i].event)].spins;
	}
	to->count = (uint32_t)(at - to->words);
	to->cycle = core_now(core);
	to->events_done = events_done(core);
	to->executed = x->grid->executed;
	return true;
}

bool standing_is_same(const struct standing *a, const struct standing *b)
{
	return a->events == b->events && a->count == b->count &&
	       !memcmp(a->words, b->words, a->count * sizeof(*a->words));
}
