/*
 * The interpreter of a warp: it issues instructions in order until it must
 * wait, as the execution rules of program.h say.
 */
#include "backend_sim/core/events.h"
#include "backend_sim/sm/bulk.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/slots.h"
#include "backend_sim/sm/touch.h"
#include "backend_sim/sm/warp_parts.h"

static bool is_global(const struct insn *insn)
{
	return insn->address.mode != ADDRESS_NONE &&
	       insn->address.mode != ADDRESS_SHARED &&
	       insn->op != OP_CREATEPOLICY;
}

static bool drained(const struct warp *w)
{
	return !w->values && !w->links && !w->loose;
}

/* What has left the chip is there for the GPU, not for the system. */
static enum verdict wait_for_writes(struct warp *w, const struct insn *insn)
{
	if (insn->q[Q_SCOPE] == QV_SCOPE_sys && (w->far || !drained(w)))
		return warp_wait(w, WARP_REACHED);
	return drained(w) ? GO_ON : warp_wait(w, WARP_DRAINED);
}

/* ---- orders ---- */

static bool within_cta(const struct insn *insn)
{
	return insn->q[Q_SCOPE] == QV_SCOPE_cta;
}

/* A fence without an order is .acq_rel. */
static bool acquires(const struct insn *insn)
{
	uint8_t sem = insn->q[Q_SEM];

	return sem == QV_SEM_acquire || sem == QV_SEM_acq_rel ||
	       sem == QV_SEM_sc || (insn->op == OP_FENCE && sem == QV_NONE);
}

static bool releases(const struct insn *insn)
{
	return insn->q[Q_SEM] == QV_SEM_release ||
	       insn->q[Q_SEM] == QV_SEM_acq_rel;
}

/* Measured on an H200: what acquires beyond the block empties L1. */
static void acquire(struct execution *x, const struct warp *w, bool within)
{
	if (!within)
		l1_empty(x->l1, w->sm);
}

/* ---- memory ---- */

static uint32_t words_to_use(const struct insn *insn)
{
	return (insn->op == OP_LD || insn->op == OP_ATOM) &&
			       insn->address.mode != ADDRESS_CHASE
		       ? (insn_lane_bytes(insn) + 3) / 4
		       : 0;
}

static bool executes(const struct warp *w, const struct insn *insn)
{
	return insn->guard != GUARD_THREAD0 || w->index == 0;
}

/* When a server takes up what arrives now. */
static uint64_t turn(struct server *s, uint64_t now, uint32_t ticks)
{
	return serve(s, SENDER_NOBODY, now, ticks) - ticks_over(ticks);
}

/* In a loop, addresses are drawn in the iteration before. */
static bool draws_ahead(const struct execution *x, const struct warp *w)
{
	return x->making_of[w->pc] >= MAKES_DRAW && w->depth;
}

/* Slots of the scheduler to make the address; the first copy of a body has the
   one with which its iteration begins. */
static uint32_t making(const struct execution *x, const struct warp *w)
{
	unsigned how = x->making_of[w->pc], depth = w->depth - 1u;

	if (how == MAKES_WRAP &&
		w->loop[depth] % x->p->insns[w->loop_pc[depth]].unroll == 0)
		how = MAKES_NOTHING;
	return draws_ahead(x, w) ? 0 : x->making_ticks[how];
}

static bool carries_data(const struct insn *insn)
{
	return insn->op == OP_ST || insn->op == OP_ATOM || insn->op == OP_RED;
}

/* Time of the way from or to the registers for all lanes' data. */
static uint32_t data_ticks(const struct execution *x, const struct warp *w,
	const struct insn *insn)
{
	return execution_data_ticks(
		x, touch_lanes(w, insn), insn_lane_bytes(insn));
}

/* The scheduler's slot, behind those that make the address, and a place for the
   data on the way from or to the registers. */
static uint64_t take_slot(
	struct execution *x, struct warp *w, const struct insn *insn)
{
	struct sm *sm = &x->sms[w->sm];
	uint64_t now = core_now(x->core), data = now;
	uint64_t start = slots_take(sm, w, SENDER_NOBODY, now,
				 making(x, w) + TICKS_A_CYCLE) -
			 1;

	if (insn->op == OP_LD || carries_data(insn)) {
		uint32_t ticks = data_ticks(x, w, insn);

		w->way_ticks = ticks;
		data = turn(&sm->data[w->scheduler], now, ticks);
		if (words_to_use(insn))
			w->way_cycles = ticks / TICKS_A_CYCLE;
	}
	return data > start ? data : start;
}

static uint32_t lsu_ticks(const struct execution *x, const struct warp *w,
	const struct insn *insn)
{
	if (insn->op != OP_ST)
		return x->core->cost.lsu_ticks;
	return execution_store_ticks(
		x, touch_lanes(w, insn), insn_lane_bytes(insn));
}

/* When the instruction may go out: the slot, then the load/store pipe's. */
static uint64_t take_turn(
	struct execution *x, struct warp *w, const struct insn *insn)
{
	const struct core *core = x->core;
	struct sm *sm = &x->sms[w->sm];
	uint64_t now = core_now(core), start = now;

	if (!w->issued) {
		w->issued = true;
		w->asked = now;
		start = take_slot(x, w, insn);
	}
	if (start == now && !w->booked && !x->asks[w->pc].texture) {
		w->booked = true;
		start = turn(&sm->lsu, now, lsu_ticks(x, w, insn));
	}
	return start;
}

/* A memory instruction: its turn in the pipe, a credit, then out. */
static enum verdict run_memory(
	struct execution *x, uint32_t warp, const struct insn *insn)
{
	const struct core *core = x->core;
	struct warp *w = &x->warps[warp];
	uint64_t now = core_now(core), start, over;

	if (insn->address.mode == ADDRESS_CHASE && w->links)
		return warp_wait(w, WARP_CHASE);
	if (releases(insn) && wait_for_writes(w, insn) == STOP)
		return STOP;
	if (w->ready > now)
		return warp_until(x, warp, w->ready);
	start = take_turn(x, w, insn);
	if (start > now)
		return warp_until(x, warp, start);
	if (is_global(insn) && !warp_has_room(x, w->sm)) {
		warp_queue(x, warp, SENDER_NONE);
		return STOP;
	}
	w->issued = w->booked = false;
	w->ready = now + (carries_data(insn) ? core->cost.store_issue_cycles
					     : core->cost.issue_cycles);
	if (carries_data(insn)) {
		w->wraps |= x->wraps[w->pc];
		over = w->ready + data_ticks(x, w, insn) / TICKS_A_CYCLE;
		w->data_read = w->data_read ? w->data_read : over;
	}
	w->words += words_to_use(insn);
	w->wide |= words_to_use(insn) > 1;
	if (draws_ahead(x, w)) {
		w->draws += x->making_ticks[x->making_of[w->pc]];
		w->draws_from = w->ready;
	}
	w->moves |= insn->op == OP_ATOM && insn->address.mode == ADDRESS_CHASE;
	if (is_global(insn))
		issue_global(x, warp, insn);
	else
		issue_shared(x, warp, insn);
	if (acquires(insn))
		w->acquiring = !is_global(insn)   ? ACQUIRES_NOTHING
			       : within_cta(insn) ? ACQUIRES_WITHIN
						  : ACQUIRES_BEYOND;
	w->pc++;
	return GO_ON;
}

/* Before anything follows an access that acquires. */
static enum verdict settle_acquire(struct execution *x, struct warp *w)
{
	if (w->values || w->links)
		return warp_wait(w, WARP_ANSWERED);
	acquire(x, w, w->acquiring == ACQUIRES_WITHIN);
	w->acquiring = ACQUIRES_NOTHING;
	return GO_ON;
}

/* The next instruction; STOP when the warp waits or has ended. */
static enum verdict run_insn(struct execution *x, uint32_t warp)
{
	const struct core *core = x->core;
	struct warp *w = &x->warps[warp];
	const struct insn *insn = &x->p->insns[w->pc];

	if (w->acquiring && settle_acquire(x, w) == STOP)
		return STOP;
	switch (insn->op) {
	case OP_REPEAT:
		return loop_begin(x, w);
	case OP_END:
		return loop_end(x, w);
	case OP_BARRIER:
		return warp_barrier(x, warp);
	case OP_FENCE:
		if (wait_for_writes(w, insn) == STOP)
			return STOP;
		if (acquires(insn))
			acquire(x, w, within_cta(insn));
		break;
	case OP_DELAY:
		return warp_delay(x, w, insn->count);
	case OP_CREATEPOLICY:
		w->policy[insn->policy] = (uint8_t)(w->pc + 1);
		w->ready = warp_time(x, w) + core->cost.issue_cycles;
		break;
	default:
		if (executes(w, insn))
			return run_memory(x, warp, insn);
		break;
	}
	w->pc++;
	return GO_ON;
}

/* ---- the end of a warp, and who follows it ---- */

static void end_warp(struct execution *x, uint32_t warp)
{
	struct warp *w = &x->warps[warp];
	struct block *b = &x->blocks[w->block_index];

	slots_spare(&x->sms[w->sm], w, core_now(x->core),
		x->core->cost.epilogue_issue_ticks);
	records_behind(x, w);
	w->state = WARP_DONE;
	x->live--;
	if (!x->p->roles[w->role].background)
		x->foreground_live--;
	if (--b->live == 0)
		launch_block_ended(x, w->block_index);
	else if (b->arrived == b->live)
		warp_release_barrier(x, b);
}

/* The first instructions, in parts: the warps of a scheduler take turns. */
static void begin(struct execution *x, uint32_t warp)
{
	struct warp *w = &x->warps[warp];
	uint32_t part = x->core->cost.prologue_turn_ticks;

	if (w->first_ticks < part || !part)
		part = w->first_ticks;
	w->first_ticks -= part;
	w->ready = slots_spare(&x->sms[w->sm], w, core_now(x->core), part);
	if (!w->first_ticks)
		records_before(x, w);
	warp_until(x, warp, w->ready);
}

static void run(struct execution *x, uint32_t warp)
{
	const struct core *core = x->core;
	struct warp *w = &x->warps[warp];
	const struct role *role = &x->p->roles[w->role];
	uint32_t end = role->insn_first + role->insn_count;

	if (w->first_ticks) {
		begin(x, warp);
		return;
	}
	for (;;) {
		while (w->pc < end)
			if (run_insn(x, warp) == STOP)
				return;
		if (w->acquiring && settle_acquire(x, w) == STOP)
			return;
		if (w->ready > core_now(core)) {
			warp_until(x, warp, w->ready);
			return;
		}
		if (!role->background || !x->foreground_live)
			break;
		w->pc = role->insn_first;
		w->ready = core_now(core) + core->cost.poll_cycles;
	}
	end_warp(x, warp);
}

void warp_arrive(struct execution *x, uint32_t warp, uint32_t datum)
{
	(void)datum;
	x->is_event = !x->streams;
	x->sequencer->run(x, warp);
	x->is_event = false;
}

/* ---- answers ---- */

/* A request of the warp is answered; wakes it if that is what it needs. */
static void take_value(struct execution *x, const struct request *r)
{
	struct warp *w = &x->warps[r->warp];
	bool wakes;

	--*warp_outstanding(w, r->waits);
	if (w->wrote_in && r->waits == WAITS_LOOSE)
		loop_wrote(x, w);
	wakes = (w->state == WARP_VALUES && !w->values) ||
		(w->state == WARP_CHASE && !w->links) ||
		(w->state == WARP_ANSWERED && !w->values && !w->links) ||
		(w->state == WARP_DRAINED && drained(w)) ||
		(w->state == WARP_REACHED && !w->far && drained(w));
	if (wakes) {
		w->state = WARP_READY;
		run(x, r->warp);
	}
}

void warp_posted(struct execution *x, uint32_t request, uint32_t datum)
{
	struct request *r = &x->core->requests[request];

	(void)datum;
	if (r->warp & BULK_OWNER) /* a bulk copy is over when all is there */
		return;
	x->warps[r->warp].far++;
	x->sequencer->answered(x, r);
	r->waits = x->grid ? WAITS_LEFT : WAITS_FAR;
}

void warp_answered(struct execution *x, uint32_t request, uint32_t datum)
{
	struct core *core = x->core;
	struct request *r = &core->requests[request];
	uint32_t sm = r->sm;

	(void)datum;
	if (r->l1_owner && !l1_fill(x->l1, request))
		return;
	if (r->warp != NONE)
		x->sequencer->answered(x, r);
	network_arrived(x->network, r);
	x->sms[sm].held--;
	request_free(core, request);
	warp_give_room(x, sm, request);
}

static void foresee(const struct execution *x, uint32_t warp)
{
	memory_prefetch(&x->warps[warp]);
}

const struct sequencer sequencer_program = {
	.run = run,
	.answered = take_value,
	.foresee = foresee,
	.refill = launch_refill,
};
