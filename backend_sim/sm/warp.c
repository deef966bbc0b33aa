/*
 * The interpreter of a warp: it issues instructions in order until it must
 * wait, as the execution rules of program.h say.
 */
#include "backend_sim/core/engine.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/touch.h"

enum verdict { GO_ON, STOP };

static bool is_global(const struct insn *insn)
{
	return insn->address.mode != ADDRESS_NONE &&
	       insn->address.mode != ADDRESS_SHARED &&
	       insn->op != OP_CREATEPOLICY;
}

static enum verdict wait_in(struct warp *w, enum warp_state state)
{
	w->state = (uint8_t)state;
	return STOP;
}

static enum verdict wait_until(struct engine *e, uint32_t warp, uint64_t cycle)
{
	e->warps[warp].state = WARP_READY;
	engine_push_warp(e, warp, cycle);
	return STOP;
}

static bool drained(const struct warp *w)
{
	return !w->values && !w->links && !w->loose;
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
	uint8_t sem = insn->q[Q_SEM];

	return sem == QV_SEM_release || sem == QV_SEM_acq_rel;
}

/* Measured on an H200: what acquires beyond the block empties L1. */
static void acquire(struct engine *e, const struct warp *w, bool within)
{
	if (!within)
		l1_empty(&e->sms[w->sm]);
}

/* ---- timed regions ---- */

static void add_sample(struct engine *e, const struct warp *w, uint32_t insn,
	uint32_t iteration, uint64_t cycles)
{
	struct sample sample = {
		.cycles = (double)cycles,
		.iteration = iteration,
		.warp = w->global,
		.sm = w->sm,
		.region = e->region_of[insn],
	};

	if (result_add(e->result, &sample))
		e->failed = true;
}

static void note_span(
	struct engine *e, uint32_t insn, uint64_t first, uint64_t last)
{
	unsigned region = e->region_of[insn];

	if (first < e->region_first[region])
		e->region_first[region] = first;
	if (last > e->region_last[region])
		e->region_last[region] = last;
}

static uint64_t time_of(const struct engine *e, const struct warp *w)
{
	return w->ready > e->calendar.now ? w->ready : e->calendar.now;
}

/* ---- instructions ---- */

static enum verdict run_repeat(struct engine *e, struct warp *w)
{
	unsigned depth = w->depth++;

	w->loop[depth] = 0;
	w->loop_pc[depth] = w->pc++;
	w->entered[depth] = w->started[depth] = time_of(e, w);
	return GO_ON;
}

static bool loose_matters(const struct engine *e, uint32_t repeat)
{
	uint32_t i;

	for (i = repeat + 1; i < e->end_of[repeat]; i++)
		if (e->p->insns[i].op == OP_ST || e->p->insns[i].op == OP_RED)
			return true;
	return false;
}

static bool unanswered(
	const struct engine *e, const struct warp *w, uint32_t repeat)
{
	return w->values || w->links || (w->loose && loose_matters(e, repeat));
}

static enum verdict leave_loop(
	struct engine *e, struct warp *w, uint32_t repeat)
{
	const struct insn *insn = &e->p->insns[repeat];
	unsigned depth = w->depth - 1u;

	if (insn->timing != TIMING_NONE) {
		if (unanswered(e, w, repeat))
			return wait_in(w, loose_matters(e, repeat)
						  ? WARP_DRAINED
						  : WARP_ANSWERED);
		note_span(e, repeat, w->entered[depth], time_of(e, w));
		if (insn->timing == TIMING_REGION)
			add_sample(e, w, repeat, 0,
				time_of(e, w) - w->entered[depth]);
	}
	w->depth--;
	w->pc = e->end_of[repeat] + 1;
	return GO_ON;
}

/* The end of an iteration: the counter, and what the warp loaded and did not
   chase, all of which is used there; the addresses of the next iteration wait
   for it. It begins when the slots that the scheduler's warps have taken by
   then are over, and takes some itself. */
static void end_iteration(struct engine *e, struct warp *w)
{
	uint64_t *slots = &e->sms[w->sm].issue_free[w->scheduler];
	uint64_t words = w->words, ready = time_of(e, w), over;

	over = (*slots + TICKS - 1) / TICKS;
	ready = (over > ready ? over : ready) + e->cost.loop +
		(words ? e->cost.renew : 0);
	over = serve(slots, e->calendar.now,
		e->cost.loop_issue + words * e->cost.use_issue);
	w->words = 0;
	w->ready = over > ready ? over : ready;
}

static uint32_t words_to_use(const struct insn *insn)
{
	return (insn->op == OP_LD || insn->op == OP_ATOM) &&
			       insn->address.mode != ADDRESS_CHASE
		       ? (insn_lane_bytes(insn) + 3) / 4
		       : 0;
}

static enum verdict run_end(struct engine *e, struct warp *w)
{
	unsigned depth = w->depth - 1u;
	uint32_t repeat = w->loop_pc[depth];
	const struct insn *insn = &e->p->insns[repeat];
	uint32_t unroll = insn->unroll ? insn->unroll : 1;
	bool boundary = (w->loop[depth] + 1) % unroll == 0;

	if (w->loop[depth] == insn->count) /* only the way out is left */
		return leave_loop(e, w, repeat);
	if (boundary && w->values)
		return wait_in(w, WARP_VALUES);
	if (boundary && w->shared_until > w->ready)
		w->ready = w->shared_until;
	if (insn->timing == TIMING_EACH) {
		if (unanswered(e, w, repeat))
			return wait_in(w, loose_matters(e, repeat)
						  ? WARP_DRAINED
						  : WARP_ANSWERED);
		add_sample(e, w, repeat, w->loop[depth],
			time_of(e, w) - w->started[depth] + e->cost.timing);
	}
	if (boundary)
		end_iteration(e, w);
	w->started[depth] = time_of(e, w);
	if (++w->loop[depth] == insn->count)
		return leave_loop(e, w, repeat);
	w->pc = repeat + 1;
	return GO_ON;
}

static bool executes(const struct warp *w, const struct insn *insn)
{
	return insn->guard != GUARD_THREAD0 || w->index == 0;
}

/* When a server takes up what arrives now. */
static uint64_t turn(uint64_t *free_at, uint64_t now, uint32_t ticks)
{
	return serve(free_at, now, ticks) - (ticks + TICKS - 1) / TICKS;
}

/* Slots of the scheduler to make the address; the first copy of a body has the
   one with which its iteration begins. */
static uint32_t making(const struct engine *e, const struct warp *w)
{
	unsigned how = e->making_of[w->pc], depth = w->depth - 1u;

	if (how == MAKES_WRAP &&
		w->loop[depth] % e->p->insns[w->loop_pc[depth]].unroll == 0)
		how = MAKES_NOTHING;
	return e->cost.making[how];
}

static bool carries_data(const struct insn *insn)
{
	return insn->op == OP_ST || insn->op == OP_ATOM || insn->op == OP_RED;
}

/* The scheduler's slot, behind those that make the address, and a place for the
   data on the way from or to the registers. */
static uint64_t take_slot(
	struct engine *e, const struct warp *w, const struct insn *insn)
{
	struct sm *sm = &e->sms[w->sm];
	uint64_t now = e->calendar.now, data = now;
	uint64_t start = serve(&sm->issue_free[w->scheduler], now,
				 making(e, w) + TICKS) -
			 1;

	if (insn->op == OP_LD || carries_data(insn))
		data = turn(&sm->data_free[w->scheduler], now,
			touch_lanes(w, insn) * insn_lane_bytes(insn) *
				e->cost.lane_byte / TICKS);
	return data > start ? data : start;
}

/* When the instruction may go out: the slot, then the load/store pipe's. */
static uint64_t take_turn(
	struct engine *e, struct warp *w, const struct insn *insn)
{
	struct sm *sm = &e->sms[w->sm];
	uint64_t now = e->calendar.now, start = now;

	if (!w->issued) {
		w->issued = true;
		start = take_slot(e, w, insn);
	}
	if (start == now && !w->booked && !qualifiers_texture(e, insn)) {
		w->booked = true;
		start = turn(&sm->lsu_free, now, e->cost.lsu);
	}
	return start;
}

/* A memory instruction: its turn in the pipe, a credit, then out. */
static enum verdict run_memory(
	struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct sm *sm = &e->sms[w->sm];
	uint64_t now = e->calendar.now, start;

	if (insn->address.mode == ADDRESS_CHASE && w->links)
		return wait_in(w, WARP_CHASE);
	if (releases(insn) && !drained(w))
		return wait_in(w, WARP_DRAINED);
	if (w->ready > now)
		return wait_until(e, warp, w->ready);
	start = take_turn(e, w, insn);
	if (start > now)
		return wait_until(e, warp, start);
	if (is_global(insn) && !sm_has_room(e, sm)) {
		w->next = NONE;
		if (sm->credit_head == NONE)
			sm->credit_head = warp;
		else
			e->warps[sm->credit_tail].next = warp;
		sm->credit_tail = warp;
		return wait_in(w, WARP_CREDIT);
	}
	w->issued = w->booked = false;
	w->ready = now +
		   (carries_data(insn) ? e->cost.store_issue : e->cost.issue);
	w->words += words_to_use(insn);
	if (is_global(insn))
		issue_global(e, warp, insn);
	else
		issue_shared(e, warp, insn);
	if (acquires(insn))
		w->acquiring = !is_global(insn)   ? ACQUIRES_NOTHING
			       : within_cta(insn) ? ACQUIRES_WITHIN
						  : ACQUIRES_BEYOND;
	w->pc++;
	return GO_ON;
}

static void release_barrier(struct engine *e, struct block *b)
{
	uint32_t warp = b->waiting, next;

	b->waiting = NONE;
	b->arrived = 0;
	for (; warp != NONE; warp = next) {
		next = e->warps[warp].next;
		e->warps[warp].state = WARP_READY;
		engine_push_warp(e, warp, e->calendar.now + e->cost.barrier);
	}
}

static enum verdict run_barrier(struct engine *e, uint32_t warp)
{
	struct warp *w = &e->warps[warp];
	struct block *b = &e->blocks[w->block_index];

	if (w->shared_until > w->ready)
		w->ready = w->shared_until;
	if (w->ready > e->calendar.now)
		return wait_until(e, warp, w->ready);
	w->pc++;
	w->next = b->waiting;
	b->waiting = warp;
	w->state = WARP_BARRIER;
	if (++b->arrived == b->live)
		release_barrier(e, b);
	return STOP;
}

/* Before anything follows an access that acquires. */
static enum verdict settle_acquire(struct engine *e, struct warp *w)
{
	if (w->values || w->links)
		return wait_in(w, WARP_ANSWERED);
	acquire(e, w, w->acquiring == ACQUIRES_WITHIN);
	w->acquiring = ACQUIRES_NOTHING;
	return GO_ON;
}

/* The next instruction; STOP when the warp waits or has ended. */
static enum verdict run_insn(struct engine *e, uint32_t warp)
{
	struct warp *w = &e->warps[warp];
	const struct insn *insn = &e->p->insns[w->pc];

	if (w->acquiring && settle_acquire(e, w) == STOP)
		return STOP;
	switch (insn->op) {
	case OP_REPEAT:
		return run_repeat(e, w);
	case OP_END:
		return run_end(e, w);
	case OP_BARRIER:
		return run_barrier(e, warp);
	case OP_FENCE:
		if (!drained(w))
			return wait_in(w, WARP_DRAINED);
		if (acquires(insn))
			acquire(e, w, within_cta(insn));
		break;
	case OP_DELAY:
		w->ready = time_of(e, w) + insn->count + e->cost.delay;
		break;
	case OP_CREATEPOLICY:
		w->policy[insn->policy] = (uint8_t)(w->pc + 1);
		w->ready = time_of(e, w) + e->cost.issue;
		break;
	default:
		if (executes(w, insn))
			return run_memory(e, warp, insn);
		break;
	}
	w->pc++;
	return GO_ON;
}

/* ---- the end of a warp, and who follows it ---- */

static void end_warp(struct engine *e, uint32_t warp)
{
	struct warp *w = &e->warps[warp];
	struct block *b = &e->blocks[w->block_index];

	w->state = WARP_DONE;
	e->live--;
	if (!e->p->roles[w->role].background)
		e->foreground_live--;
	if (--b->live == 0)
		launch_block_ended(e, b);
	else if (b->arrived == b->live)
		release_barrier(e, b);
}

void warp_run(struct engine *e, uint32_t warp)
{
	struct warp *w = &e->warps[warp];
	const struct role *role = &e->p->roles[w->role];
	uint32_t end = role->insn_first + role->insn_count;

	for (;;) {
		while (w->pc < end)
			if (run_insn(e, warp) == STOP)
				return;
		if (w->acquiring && settle_acquire(e, w) == STOP)
			return;
		if (w->ready > e->calendar.now) {
			wait_until(e, warp, w->ready);
			return;
		}
		if (!role->background || !e->foreground_live)
			break;
		w->pc = role->insn_first;
		w->ready = e->calendar.now + e->cost.poll;
	}
	end_warp(e, warp);
}

/* A request of the warp is answered; wakes it if that is what it needs. */
void warp_value(struct engine *e, const struct request *r)
{
	struct warp *w = &e->warps[r->warp];
	bool wakes;

	--*warp_outstanding(w, r->waits);
	wakes = (w->state == WARP_VALUES && !w->values) ||
		(w->state == WARP_CHASE && !w->links) ||
		(w->state == WARP_ANSWERED && !w->values && !w->links) ||
		(w->state == WARP_DRAINED && drained(w));
	if (wakes) {
		w->state = WARP_READY;
		warp_run(e, r->warp);
	}
}

/* Room on the SM: those in line go on until there is none again. One that
   turns out to need no room, hitting in L1, leaves it to the next. */
void warp_credit(struct engine *e, struct sm *sm)
{
	while (sm->credit_head != NONE && sm_has_room(e, sm)) {
		uint32_t warp = sm->credit_head;

		sm->credit_head = e->warps[warp].next;
		e->warps[warp].state = WARP_READY;
		warp_run(e, warp);
	}
}
