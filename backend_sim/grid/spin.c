/* Periods in which warps only wait for the clock, skipped. */
#include <stdlib.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/paths.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/grid/spin_parts.h"

/* Another warp looks where the one that does has not for so long. */
#define LOOKS_CYCLES 4096u
/* Where something else goes on, so many rounds pass at most before the next
   look. */
#define PASSES_MAX 255u

/* ---- life cycle ---- */

static void mark(struct code *code, const struct spin_loop *loop, uint8_t spin)
{
	uint32_t i;

	for (i = loop->first; i <= loop->last; i++)
		code->insns[i].spin = spin;
}

static uint32_t find_loops(
	struct code *code, struct spin_loop loops[SPIN_LOOPS_MAX])
{
	uint32_t count = 0, i;

	for (i = 0; i < code->count && count < SPIN_LOOPS_MAX; i++)
		if (spin_find(code, i, &loops[count])) {
			count++;
			mark(code, &loops[count - 1], (uint8_t)count);
		}
	return count;
}

int spins_make(struct grid *g, const struct execution *x)
{
	const uint32_t warps = g->end_slot * g->block_warps + 1;
	struct spin_loop loop;
	struct spins *s;
	bool all;
	uint32_t i;

	if (g->trace || g->beside || g->profile)
		return 0;
	for (i = 0; i < g->code.count && !spin_find(&g->code, i, &loop); i++)
		;
	if (i == g->code.count)
		return 0;
	g->spins = s = calloc(1, sizeof(*s));
	if (!s)
		return -1;
	s->loop_count = find_loops(&g->code, s->loops);
	s->room = warps;
	s->leader = NONE;
	s->list = calloc(warps, sizeof(*s->list));
	s->delayed = calloc(x->core->cost.sm_count, SCHEDULERS_MAX);
	all = standing_make(&s->kept, &g->code, s, warps);
	all = standing_make(&s->now, &g->code, s, warps) && all;
	return all && s->list && s->delayed ? 0 : -1;
}

void spins_free(struct spins *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->delayed);
	standing_free(&s->kept);
	standing_free(&s->now);
	free(s);
}

/* ---- skipping ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* So many periods, of which the last one was from `kept` to `now`, until a warp
   may leave its loop, or something else happens. */
static uint64_t periods(const struct execution *x, const struct spins *s)
{
	const struct grid *g = x->grid;
	const struct calendar *c = &x->core->calendar;
	const uint64_t now = s->now.cycle, cycles = now - s->kept.cycle;
	uint64_t until = CORE_CYCLES_MAX + cycles, most;
	uint32_t i;

	for (i = 0; i < s->now.events; i++) {
		const struct kernel_warp *k =
			&g->warps[EVENT_INDEX(s->list[i].event)];

		until = least(until,
			spin_until(g, k, spin_loop_of(g, k), s->kept.cycle));
	}
	if (g->max_cycles)
		until = least(until, g->first_cycle + g->max_cycles);
	if (c->far_count)
		until = least(
			until, c->far[0].cycle - CALENDAR_BUCKETS - cycles);
	most = until > now ? (until - now) / cycles : 0;
	for (i = 0; i < s->now.events; i++) {
		const uint32_t turns = s->now.turns[i] - s->kept.turns[i];

		if (turns)
			most = least(most,
				(PATHS_SPINS_MAX - s->now.turns[i]) / turns);
	}
	return most;
}

static void delay(uint64_t *time, uint64_t now, uint64_t by)
{
	*time += *time > now ? by : 0;
}

/* What the loop's instructions before `pc` write, too, has been delayed. */
static bool is_delayed(const struct code *code, const struct spin_loop *loop,
	uint32_t pc, uint16_t slot)
{
	uint32_t i, n;

	for (i = loop->first; i < pc; i++)
		for (n = 0; n < code->insns[i].write_count; n++)
			if (code->insns[i].writes[n] == slot)
				return true;
	return false;
}

static void delay_warp(struct execution *x, uint32_t warp, uint64_t by)
{
	const struct code *code = &x->grid->code;
	struct kernel_warp *k = &x->grid->warps[warp];
	const struct spin_loop *loop = spin_loop_of(x->grid, k);
	const uint64_t now = core_now(x->core);
	uint32_t i, n;

	delay(&x->warps[warp].ready, now, by);
	for (i = loop->first; i <= loop->last; i++)
		for (n = 0; n < code->insns[i].write_count; n++) {
			const uint16_t slot = code->insns[i].writes[n];

			if (k->marks[slot].ready > now &&
				!is_delayed(code, loop, i, slot))
				k->marks[slot].ready += by;
		}
}

static void delay_scheduler(
	struct execution *x, const struct warp *w, uint64_t by)
{
	uint8_t *delayed =
		&x->grid->spins->delayed[w->sm * SCHEDULERS_MAX + w->scheduler];
	struct server *pipes = x->grid->sms[w->sm].pipes[w->scheduler];
	const uint64_t now = core_now(x->core) * TICKS_A_CYCLE;
	uint32_t i;

	if (*delayed)
		return;
	*delayed = 1;
	by *= TICKS_A_CYCLE;
	delay(&x->sms[w->sm].issue[w->scheduler].free_at, now, by);
	for (i = 0; i < PIPE_COUNT; i++)
		delay(&pipes[i].free_at, now, by);
}

static void skip(struct execution *x, struct spins *s, uint64_t count)
{
	const uint64_t by = count * (s->now.cycle - s->kept.cycle);
	uint32_t i;

	for (i = 0; i < s->now.events; i++) {
		const uint32_t warp = EVENT_INDEX(s->list[i].event);

		delay_warp(x, warp, by);
		delay_scheduler(x, &x->warps[warp], by);
		x->grid->warps[warp].spins +=
			(uint32_t)count * (s->now.turns[i] - s->kept.turns[i]);
	}
	for (i = 0; i < s->now.events; i++) {
		const struct warp *w = &x->warps[EVENT_INDEX(s->list[i].event)];

		s->delayed[w->sm * SCHEDULERS_MAX + w->scheduler] = 0;
	}
	x->grid->executed += count * (s->now.executed - s->kept.executed);
	x->core->counts.events +=
		count * (s->now.events_done - s->kept.events_done);
	calendar_delay(&x->core->calendar, s->list + 1, s->now.events - 1, by);
}

/* ---- turns ---- */

static bool has_passed(struct spins *s, uint32_t warp, uint64_t now)
{
	if (s->leader != warp && s->leader != NONE &&
		now - s->looked < LOOKS_CYCLES)
		return true;
	if (s->leader != warp) {
		s->kept.count = 0;
		s->pass = 0;
	}
	s->leader = warp;
	s->looked = now;
	s->pass -= s->pass > 0;
	return s->pass > 0;
}

/* What is now is kept, and compared with what comes in twice as many rounds as
   the one before: however long a period is, it is found. */
static void keep(struct spins *s)
{
	const struct standing kept = s->kept;

	s->renew = s->kept.count ? 2 * s->renew : 1;
	s->looks = 0;
	s->kept = s->now;
	s->now = kept;
}

void spin_turn(struct execution *x, uint32_t warp)
{
	struct spins *s = x->grid->spins;
	uint64_t count;

	if (!s || has_passed(s, warp, core_now(x->core)))
		return;
	if (!standing_look(x, warp, &s->now)) {
		s->kept.count = 0;
		s->passes = 2 * s->passes + 1 < PASSES_MAX ? 2 * s->passes + 1
							   : PASSES_MAX;
		s->pass = s->passes;
		return;
	}
	s->passes = 0;
	if (!s->kept.count || !standing_is_same(&s->kept, &s->now)) {
		if (!s->kept.count || ++s->looks >= s->renew)
			keep(s);
		return;
	}
	count = periods(x, s);
	s->kept.count = 0;
	if (!count)
		return;
	skip(x, s, count);
	if (core_now(x->core) > CORE_CYCLES_MAX) {
		x->core->too_long = true;
		core_fail(x->core);
	}
}
