/* The life of a run: when it is called, starts, lets others go and is over. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/job_steps.h"
#include "backend_sim/streams.h"
#include "backend_sim/rules/constants.h"

/*
 * Not fitted yet. On H200s, one block a launch, launches in a graph: from the
 * end of a launch 1,030 cycles to the first instruction of the next one, or 790
 * if that is after=programmatic, and 780 to the first one behind
 * griddepcontrol.wait. results/probes/dependent_launches.tsv has 1,710, 820 and
 * 760, from a trigger 760, and in streams, without a graph, 3,290, 1,520, 950
 * and 1,270. A launch's first block takes kernel_warm_cycles and
 * kernel_first_cycles of that, an end kernel_fence_cycles.
 */

/* Until a run that finds too many alive looks again. */
#define RETRY_CYCLES 1000u

enum { TURN_STARTS, TURN_DEALS };

/* ---- calls ---- */

void streams_call(struct streams *s, uint32_t run, uint64_t cycle)
{
	const uint64_t now = core_now(&s->e->core);

	s->runs[run].state = RUN_CALLED;
	event_push_with(&s->e->core, run, AT_STREAM,
		cycle > now ? cycle : now + 1, TURN_STARTS);
}

static void call_dependent(struct streams *s, struct run *run)
{
	const uint64_t now = core_now(&s->e->core);
	struct run *next = run->next == NO_RUN ? NULL : &s->runs[run->next];

	if (next && next->state == RUN_WAITS && run_is_programmatic(next))
		streams_call(s, run->next,
			(run->last_trigger > now ? run->last_trigger : now) +
				LAUNCH_AFTER_TRIGGER_CYCLES);
}

/* ---- what runs say ---- */

static void triggered(struct execution *x, uint32_t warp, uint64_t cycle)
{
	struct run *run = x->grid->run;

	run->rushes |= !x->grid->blocks[x->warps[warp].block_index].waited;
	run->last_trigger =
		cycle > run->last_trigger ? cycle : run->last_trigger;
	if (++run->triggered == run->grid.block_count)
		call_dependent(x->streams, run);
}

static void begin_draining(struct execution *x, struct run *run)
{
	const struct grid *g = &run->grid;
	uint32_t i = g->first_slot * g->block_warps;

	run->drains = true;
	x->streams->draining++;
	for (; i < g->end_slot * g->block_warps; i++)
		run->loose += x->warps[i].loose;
}

static void vacated(struct execution *x, uint32_t slot, uint64_t cycle)
{
	struct streams *s = x->streams;
	struct run *run = x->grid->run;
	const uint32_t end = slot + run->grid.cluster_blocks;
	uint32_t i;

	streams_leave(s, run, slot, cycle);
	for (i = slot; i < end; i++)
		if (!run->grid.blocks[i].triggered)
			triggered(x, x->blocks[i].first_warp, 0);
	run->ended += run->grid.cluster_blocks;
	if (run->ended == run->grid.block_count)
		begin_draining(x, run);
}

static bool waits(struct execution *x, uint32_t warp)
{
	struct streams *s = x->streams;
	struct run *run = x->grid->run;

	if (!run_is_programmatic(run) || run->before == NO_RUN ||
		s->runs[run->before].state == RUN_OVER) {
		streams_waited(x, warp);
		return false;
	}
	x->warps[warp].next = run->waiting;
	run->waiting = warp;
	return true;
}

static const struct beside beside = {
	.vacated = vacated,
	.triggered = triggered,
	.waits = waits,
	.touches = streams_touch,
};

/* ---- starts ---- */

static enum finds finds_of(const struct streams *s, const struct run *run)
{
	return s->is_cold && run->before == NO_RUN
		       ? FINDS_NOTHING
		       : job_finds(s->e, s->job, run->launch, run->repeat);
}

/* A place among those that are alive. */
static void take_place(struct streams *s, struct run *run)
{
	uint32_t number = 0;

	while (s->places[number])
		number++;
	s->places[number] = run;
	s->alive[s->alive_count++] = (uint32_t)(run - s->runs);
	run->grid.number = number;
	run->state = RUN_ALIVE;
}

static int hold(struct streams *s, struct run *run)
{
	struct execution *x = &s->e->execution;
	struct grid *g = &run->grid;
	int code;

	g->beside = &beside;
	g->run = run;
	g->sms = s->sms;
	g->ends = &s->ends;
	code = streams_slots(s, run, s->error);
	if (!code)
		code = grid_hold(g, x, s->wishes, s->error);
	if (!code)
		code = streams_check_begin(s, run);
	return code;
}

static int start(struct streams *s, struct run *run)
{
	struct execution *x = &s->e->execution;
	const struct costs *cost = &s->e->core.cost;
	struct grid *g = &run->grid;
	int code;

	run->window =
		job_window_at(s->job, s->space, run->launch, &run->own_window);
	streams_enter(s, run);
	run->waiting = NONE;
	code = grid_make(g, x, s->space, s->job, run->launch, s->wishes,
		finds_of(s, run), s->error);
	x->sequencer = &sequencer_streams;
	take_place(s, run);
	if (!code)
		code = hold(s, run);
	if (code)
		return code;
	g->first_cycle = core_now(&s->e->core);
	grid_count_code(g, &s->e->core);
	run->first = core_now(&s->e->core) + 1 +
		     (g->finds == FINDS_NOTHING ? cost->kernel_cold_cycles
						: cost->kernel_warm_cycles);
	streams_enter(s, NULL);
	streams_deal(s);
	return 0;
}

void streams_turn(struct execution *x, uint32_t index, uint32_t datum)
{
	struct streams *s = x->streams;

	if (x->core->failed)
		return;
	if (datum == TURN_DEALS) {
		s->has_round = false;
		streams_deal(s);
	} else if (s->alive_count == GRIDS_MAX) {
		s->runs[index].looked = core_now(x->core);
		s->put_off++;
	} else {
		s->code = start(s, &s->runs[index]);
		if (s->code)
			core_fail(x->core);
	}
}

void streams_deal_later(struct streams *s)
{
	struct core *core = &s->e->core;
	const uint64_t apart = core->cost.launch_round_cycles
				       ? core->cost.launch_round_cycles
				       : 1;

	if (s->has_round)
		return;
	s->has_round = true;
	event_push_with(core, 0, AT_STREAM,
		(core_now(core) / apart + 1) * apart, TURN_DEALS);
}

/* ---- ends ---- */

void streams_free_run(struct streams *s, struct run *run)
{
	uint32_t i = 0;

	while (&s->runs[s->alive[i]] != run)
		i++;
	s->alive_count--;
	memmove(&s->alive[i], &s->alive[i + 1],
		(s->alive_count - i) * sizeof(*s->alive));
	s->places[run->grid.number] = NULL;
	s->last = (uint32_t)(run - s->runs);
	s->draining--;
	if (s->owner == run)
		s->owner = NULL;
	grid_end(&run->grid);
	free(run->on_sm);
	free(run->seen);
	free(run->free);
	run->on_sm = NULL;
	run->seen = NULL;
	run->free = NULL;
	run->state = RUN_OVER;
}

/* Warps that have waited for the end of the run before find nothing old in
   their L1. */
static void wake(struct streams *s, struct run *run, uint64_t cycle)
{
	struct execution *x = &s->e->execution;
	uint32_t warp = run->waiting, next;

	streams_enter(s, run);
	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		l1_empty(x->l1, x->warps[warp].sm);
		streams_waited(x, warp);
		event_push(x->core, warp, AT_WARP, cycle);
	}
	run->waiting = NONE;
}

static int report(struct streams *s, struct run *run, uint64_t *end)
{
	struct job_launch_result result = {.launch = 0}, *r = &result;
	int code;

	if (run->result != SIZE_MAX)
		r = &s->result->launches[run->result];
	run->executed = run->grid.executed;
	r->repeat = (uint32_t)run->repeat;
	code = job_report(s->e, &run->grid, &run->counts, r, s->error);
	*end = run->grid.first_cycle + (uint64_t)r->cycles -
	       s->e->core.cost.kernel_cycles;
	if (!r->assumed)
		r->assumed = "launches that overlap";
	if (r == &result && result.profile)
		job_profile_free(result.profile);
	return code;
}

/* Those that found too many alive look again. Until then they have no event:
   else runs that wait for what cannot come would wait forever. */
static void call_again(struct streams *s)
{
	const uint64_t now = core_now(&s->e->core);
	uint32_t i;

	for (i = 0; s->put_off && i < s->run_count; i++) {
		const uint64_t looked = s->runs[i].looked;

		if (!looked)
			continue;
		s->runs[i].looked = 0;
		s->put_off--;
		streams_call(s, i,
			looked + ((now - looked) / RETRY_CYCLES + 1) *
					 RETRY_CYCLES);
	}
}

static void end(struct streams *s, struct run *run)
{
	const uint64_t now = core_now(&s->e->core);
	struct run *next = run->next == NO_RUN ? NULL : &s->runs[run->next];
	uint64_t over;

	streams_keep_counts(s);
	s->code = report(s, run, &over);
	if (s->code) {
		core_fail(&s->e->core);
		return;
	}
	over = over > now ? over : now;
	if (run->before != NO_RUN && s->runs[run->before].over > over)
		over = s->runs[run->before].over;
	run->over = over;
	streams_free_run(s, run);
	call_again(s);
	if (next && next->state == RUN_WAITS)
		streams_call(s, run->next, over + LAUNCH_AFTER_END_CYCLES);
	else if (next && next->state == RUN_ALIVE)
		wake(s, next, over + LAUNCH_WAIT_OVER_CYCLES);
}

/* Runs of a stream are over in their order. */
static bool is_next(const struct streams *s, const struct run *run)
{
	return run->before == NO_RUN || s->runs[run->before].state == RUN_OVER;
}

void streams_after(struct streams *s)
{
	uint32_t i;

	for (i = 0; s->draining && i < s->alive_count; i++) {
		struct run *run = &s->runs[s->alive[i]];

		if (!run->drains || run->loose ||
			!copies_are_over(&run->grid) || !is_next(s, run))
			continue;
		end(s, run);
		i = UINT32_MAX; /* from the first on */
		if (s->e->core.failed)
			return;
	}
}
