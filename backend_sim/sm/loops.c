/* Loops: their ends, and the timed regions that they are. */
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/residency.h"
#include "backend_sim/sm/slots.h"
#include "backend_sim/sm/warp_parts.h"

/* ---- timed regions ---- */

static void add_sample(struct execution *x, const struct warp *w, uint32_t insn,
	uint32_t iteration, uint64_t cycles)
{
	struct sample sample = {
		.cycles = (double)cycles,
		.iteration = iteration,
		.warp = w->global,
		.sm = w->sm,
		.region = x->region_of[insn],
	};

	if (result_add(x->result, &sample))
		core_fail(x->core);
}

static void note_span(
	struct execution *x, uint32_t insn, uint64_t first, uint64_t last)
{
	unsigned region = x->region_of[insn];

	if (first < x->region_first[region])
		x->region_first[region] = first;
	if (last > x->region_last[region])
		x->region_last[region] = last;
}

/* ---- loops ---- */

/* Slots, in ticks, for the random addresses of the loop's first iteration;
   those of later ones are drawn at the end of the iteration before. */
static uint64_t first_draws(const struct execution *x, const struct warp *w)
{
	const struct insn *insns = x->p->insns;
	uint32_t repeat = w->pc, i;
	uint64_t draws = 0;
	unsigned depth;

	for (depth = 0; depth < w->depth; depth++)
		if (w->loop[depth])
			return 0;
	for (i = execution_next_own(x, repeat); i < x->end_of[repeat];
		i = execution_next_own(x, i))
		if (x->making_of[i] >= MAKES_DRAW)
			draws += x->making_ticks[x->making_of[i]];
	return insns[repeat].unroll ? draws * insns[repeat].unroll : draws;
}

enum verdict loop_begin(struct execution *x, struct warp *w)
{
	uint64_t draws = first_draws(x, w), over;
	unsigned depth = w->depth++;

	if (draws) {
		over = slots_spare(&x->sms[w->sm], w, core_now(x->core), draws);
		w->ready = over > w->ready ? over : w->ready;
	}
	slots_count(&x->sms[w->sm], w, core_now(x->core));
	w->wrote_in = 0;
	w->nests = NESTS_NOT;
	w->loop[depth] = 0;
	w->loop_pc[depth] = w->pc++;
	w->entered[depth] = w->started[depth] = w->turned[depth] =
		warp_time(x, w);
	return GO_ON;
}

static bool writes(const struct execution *x, uint32_t repeat)
{
	uint32_t i;

	for (i = repeat + 1; i < x->end_of[repeat]; i++)
		if (x->p->insns[i].op == OP_ST || x->p->insns[i].op == OP_RED)
			return true;
	return false;
}

/* Of a grid whose blocks follow each other those fence that are there at the
   end. */
static bool fences(const struct execution *x, const struct warp *w)
{
	const struct role *role = &x->p->roles[w->role];

	return role->place != PLACE_BLOCKS || x->step->role_count > 1 ||
	       w->block + (uint64_t)residency_blocks(x, role) *
				       x->core->cost.sm_count >=
		       role->blocks;
}

/* An SM has a few fences under way at once, which begin at nearly the same
   time. Those of further blocks wait until none is, and then go together. When
   the fence is over, if what was written has arrived by then. */
static uint64_t fence(struct sm *sm, const struct costs *cost, uint64_t now)
{
	uint64_t over = now + cost->fence_round_cycles, next;

	if (sm->fences && now >= sm->fence_over) {
		sm->fence_from = sm->fence_over;
		sm->fence_over += sm->fences_next ? cost->fence_next_cycles : 0;
		sm->fences = sm->fences_next;
		sm->fences_next = 0;
	}
	if (now >= sm->fence_over)
		sm->fences = 0;
	if (!sm->fences)
		sm->fence_from = now;
	if (sm->fences < cost->fences_at_once &&
		now <= sm->fence_from + cost->fence_join_cycles) {
		sm->fences++;
		if (over > sm->fence_over)
			sm->fence_over = over;
		return over;
	}
	sm->fences_next++;
	next = sm->fence_over + cost->fence_next_cycles;
	return over > next ? over : next;
}

/* A thread of the block fences when all its warps have left the region. */
static uint64_t fence_over(
	struct execution *x, const struct warp *w, uint64_t now)
{
	const struct costs *cost = &x->core->cost;
	struct block *b = &x->blocks[w->block_index];

	if (++b->left % role_warps(&x->p->roles[w->role]) == 0 &&
		cost->fences_at_once && fences(x, w))
		return fence(&x->sms[w->sm], cost, now);
	return now + cost->fence_round_cycles;
}

/* The region is over for the warp. If it writes, it goes on until what it wrote
   has arrived, and for as long as a fence takes; what follows waits for
   that. */
static enum verdict end_region(
	struct execution *x, struct warp *w, uint32_t repeat)
{
	const struct role *role = &x->p->roles[w->role];
	uint64_t now = warp_time(x, w), over = now;
	bool last = w->pc == role->insn_first + role->insn_count;

	if (writes(x, repeat))
		over = fence_over(x, w, now);
	note_span(x, repeat, w->entered[w->depth], over);
	add_sample(x, w, repeat, 0, now - w->entered[w->depth]);
	if (!last)
		w->ready = over;
	if (!w->loose || !writes(x, repeat))
		return GO_ON;
	w->wrote_in = (uint8_t)(x->region_of[repeat] + 1);
	return last ? GO_ON : warp_wait(w, WARP_DRAINED);
}

void loop_wrote(struct execution *x, struct warp *w)
{
	uint64_t *last = &x->region_last[w->wrote_in - 1];
	uint64_t seen = core_now(x->core) + x->core->cost.fence_cycles;
	struct sm *sm = &x->sms[w->sm];

	if (sm->fences && seen > sm->fence_over)
		sm->fence_over = seen;
	if (sm->fences_next && sm->fence_over == seen)
		seen += x->core->cost.fence_next_cycles;
	if (seen > *last)
		*last = seen;
	if (w->state == WARP_DRAINED && seen > w->ready)
		w->ready = seen;
	if (!w->loose)
		w->wrote_in = 0;
}

static enum verdict leave_loop(
	struct execution *x, struct warp *w, uint32_t repeat)
{
	enum timing timing = x->p->insns[repeat].timing;

	if (timing == TIMING_REGION && (w->values || w->links))
		return warp_wait(w, WARP_ANSWERED);
	w->depth--;
	w->nests = x->terms_of[repeat];
	w->pc = x->end_of[repeat] + 1;
	if (timing == TIMING_REGION)
		return end_region(x, w, repeat);
	if (timing == TIMING_EACH)
		note_span(x, repeat, w->entered[w->depth], warp_time(x, w));
	return GO_ON;
}

static bool unanswered(
	const struct execution *x, const struct warp *w, uint32_t repeat)
{
	return w->values || w->links || (w->loose && writes(x, repeat));
}

/* Slots, in ticks, of what makes the addresses of a loop that has ended in the
   iteration. */
static uint64_t nest_ticks(const struct costs *cost, const struct warp *w)
{
	return w->nests == NESTS_NOT ? 0 : w->nests * cost->nest_issue_ticks;
}

/* Those of the end of an iteration, but for the use of each word: its
   instructions wait for each other. */
static uint64_t end_ticks(const struct execution *x, const struct warp *w)
{
	const struct costs *cost = &x->core->cost;

	return cost->loop_issue_ticks + nest_ticks(cost, w) +
	       x->wrap_end_ticks[w->loop_pc[w->depth - 1u]] +
	       (w->words ? cost->value_issue_ticks : 0) +
	       (w->wide ? cost->value_wide_issue_ticks : 0);
}

/* The end of an iteration: the counter, and what the warp loaded and did not
   chase, all of which is used there; the addresses of the next iteration wait
   for it, and its data until the first store has read its own. It begins when
   the slots that the scheduler's accesses have taken by then are over, takes
   some of those that are left, and is late where others are in its way. Slots
   that are left also go to the random addresses of the next one, or of the
   first one when an outer loop comes back; nobody waits for those that nobody
   needs. Where a loop has ended in it, the next one makes the addresses of that
   anew. */
static void end_iteration(struct execution *x, struct warp *w, bool last)
{
	const struct core *core = x->core;
	struct sm *sm = &x->sms[w->sm];
	uint64_t words = w->words, ready = warp_time(x, w), over, drawn = 0;
	uint64_t now = core_now(core), ticks = end_ticks(x, w), least;

	/* The draws are chains of instructions, side by side: the branch
	   stands behind the end of the last one's. */
	if (w->draws && (!last || !words || w->depth > 1)) {
		drawn = w->draws_from + core->cost.draw_chain_cycles;
		ready = drawn > ready ? drawn : ready;
	}
	over = (sm->issue[w->scheduler].free_at + TICKS_A_CYCLE - 1) /
	       TICKS_A_CYCLE;
	over = over > w->data_read ? over : w->data_read;
	ready = (over > ready ? over : ready) + core->cost.loop_cycles +
		(words ? core->cost.renew_cycles + w->way_cycles : 0) +
		(w->nests != NESTS_NOT ? core->cost.nest_cycles : 0) +
		(w->moves ? core->cost.atomic_link_cycles : 0) +
		(RULE(LATE_WARPS) ? slots_late(sm, w, now, ticks) : 0);
	over = slots_spare(
		sm, w, now, ticks + words * core->cost.use_issue_ticks);
	ready = over > ready ? over : ready;
	least = w->turned[w->depth - 1u] + core->cost.loop_least_cycles +
		(w->wraps ? core->cost.loop_wrap_cycles : 0);
	ready = least > ready ? least : ready;
	over = slots_spare(sm, w, now, w->draws);
	slots_count(sm, w, now);
	w->words = w->draws = 0;
	w->nests = NESTS_NOT;
	w->moves = w->wraps = w->wide = false;
	w->data_read = 0;
	w->ready = drawn && over > ready ? over : ready;
	w->turned[w->depth - 1u] = w->ready;
}

enum verdict loop_end(struct execution *x, struct warp *w)
{
	unsigned depth = w->depth - 1u;
	uint32_t repeat = w->loop_pc[depth];
	const struct insn *insn = &x->p->insns[repeat];
	uint32_t unroll = insn->unroll ? insn->unroll : 1;
	bool boundary = (w->loop[depth] + 1) % unroll == 0;

	if (w->loop[depth] == insn->count) /* only the way out is left */
		return leave_loop(x, w, repeat);
	if (boundary && w->values)
		return warp_wait(w, WARP_VALUES);
	/* The assembler moves the link that an atomic returns to where the
	   address is, before the branch. */
	if (boundary && w->moves && w->links &&
		x->core->cost.atomic_link_cycles)
		return warp_wait(w, WARP_CHASE);
	if (boundary && w->shared_until > w->ready)
		w->ready = w->shared_until;
	if (insn->timing == TIMING_EACH) {
		if (unanswered(x, w, repeat))
			return warp_wait(w, writes(x, repeat) ? WARP_DRAINED
							      : WARP_ANSWERED);
		add_sample(x, w, repeat, w->loop[depth],
			warp_time(x, w) - w->started[depth] +
				x->core->cost.timing_cycles);
	}
	if (boundary)
		end_iteration(x, w, w->loop[depth] + 1 == insn->count);
	w->started[depth] = warp_time(x, w);
	if (++w->loop[depth] == insn->count)
		return leave_loop(x, w, repeat);
	w->pc = repeat + 1;
	return GO_ON;
}
