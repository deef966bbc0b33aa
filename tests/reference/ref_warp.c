/*
 * A warp executes its instructions in order until it must wait. What waits is
 * looked at again when what it waits for has come, from the same instruction.
 */
#include "tests/reference/ref.h"

enum verdict { GO_ON, STOP };

static enum verdict wait_for(struct ref_warp *w, enum ref_state state)
{
	w->state = state;
	return STOP;
}

static enum verdict sleep_until(
	struct reference *r, struct ref_warp *w, uint64_t cycle)
{
	w->state = REF_SENT;
	ref_send_warp(r, w, cycle);
	return STOP;
}

static bool all_answered(const struct ref_warp *w)
{
	return w->values + w->links + w->loose == 0;
}

/* What the warp has waited for is here. */
static bool may_run(const struct ref_warp *w)
{
	switch (w->state) {
	case REF_FOR_VALUES:
		return !w->values;
	case REF_FOR_LINKS:
		return !w->links;
	case REF_FOR_ANSWERS:
		return !w->values && !w->links;
	case REF_FOR_ALL:
		return all_answered(w);
	case REF_FOR_AWAY:
		return all_answered(w) && !w->away;
	default:
		return false;
	}
}

/* All that the order is about is where it says: for the system's, in the far
   memory, too. */
static bool is_written(const struct ref_warp *w, const struct insn *insn)
{
	return all_answered(w) &&
	       (insn->q[Q_SCOPE] != QV_SCOPE_sys || !w->away);
}

static enum verdict wait_for_writes(struct ref_warp *w, const struct insn *insn)
{
	return wait_for(w,
		insn->q[Q_SCOPE] == QV_SCOPE_sys ? REF_FOR_AWAY : REF_FOR_ALL);
}

/* Its own time: it may be ahead of the chip's. */
static uint64_t time_of(const struct reference *r, const struct ref_warp *w)
{
	return w->ready > r->now ? w->ready : r->now;
}

static bool is_global(const struct insn *insn)
{
	return insn->op <= OP_APPLYPRIORITY &&
	       insn->address.mode != ADDRESS_SHARED;
}

/* ---- orders ---- */

static bool acquires(const struct insn *insn)
{
	switch (insn->q[Q_SEM]) {
	case QV_SEM_acquire:
	case QV_SEM_acq_rel:
	case QV_SEM_sc:
		return true;
	case QV_NONE:
		return insn->op == OP_FENCE;
	default:
		return false;
	}
}

static bool releases(const struct insn *insn)
{
	return insn->q[Q_SEM] == QV_SEM_release ||
	       insn->q[Q_SEM] == QV_SEM_acq_rel;
}

/* Beyond the block, an acquire empties the SM's L1. */
static void acquire(struct ref_warp *w, const struct insn *insn)
{
	if (insn->q[Q_SCOPE] != QV_SCOPE_cta)
		ref_cache_clear(&w->block->sm->l1);
}

/* ---- loops ---- */

/* A timed loop that writes is over when its writes are answered, too. */
static bool writes(const struct reference *r, uint32_t repeat)
{
	uint32_t end = program_matching_end(r->p, repeat);

	for (uint32_t i = repeat; i < end; i++)
		if (r->p->insns[i].op == OP_ST || r->p->insns[i].op == OP_RED)
			return true;
	return false;
}

static bool answered_for(const struct ref_warp *w, bool with_writes)
{
	return !w->values && !w->links && (!w->loose || !with_writes);
}

static size_t region_of(const struct reference *r, uint32_t repeat)
{
	size_t i = 0;

	while (r->regions[i].insn_index != repeat)
		i++;
	return i;
}

static void add_sample(struct reference *r, const struct ref_warp *w,
	const struct ref_loop *loop, uint32_t iteration, uint64_t cycles)
{
	struct sample sample = {
		.cycles = (double)cycles,
		.iteration = iteration,
		.warp = w->number,
		.sm = (uint16_t)w->block->sm->number,
		.region = (uint16_t)region_of(r, loop->repeat),
	};

	result_add(r->result, &sample);
}

/* Of a grid with more blocks than there is room for the last ones fence. */
static bool fences(const struct reference *r, const struct ref_warp *w)
{
	uint64_t room = (uint64_t)ref_blocks_of_sm(r) * r->sm_count;

	return w->role->place != PLACE_BLOCKS || r->launch->role_count > 1 ||
	       w->block->index + room >= ref_blocks(r, w->role);
}

/* When the fence is over that a block does when the last of its warps leaves a
   region that writes; the others count as if they had their own. Of an SM so
   many are under way at once, if they come within some time of the first one;
   all others wait for the end of those, and are under way together then, which
   takes less than a fence alone. */
static uint64_t fence(struct reference *r, struct ref_warp *w, uint64_t now)
{
	uint64_t over = now + REF_CYCLES_OF(r, fence_round_cycles);
	uint64_t more = REF_CYCLES_OF(r, fence_next_cycles);
	uint32_t most = REF_CYCLES_OF(r, fences_at_once);
	struct ref_sm *sm = w->block->sm;

	w->block->left++;
	if (!most || w->block->left % w->block->warp_count || !fences(r, w))
		return over;
	if (sm->fences && sm->fence_end <= now) {
		sm->fences = sm->fences_waiting;
		sm->fences_waiting = 0;
		sm->fence_begin = sm->fence_end;
		if (sm->fences)
			sm->fence_end += more;
	}
	if (sm->fence_end <= now)
		sm->fences = 0;
	if (!sm->fences)
		sm->fence_begin = now;
	if (sm->fences >= most ||
		now > sm->fence_begin + REF_CYCLES_OF(r, fence_join_cycles)) {
		sm->fences_waiting++;
		if (over < sm->fence_end + more)
			over = sm->fence_end + more;
		return over;
	}
	sm->fences++;
	if (sm->fence_end < over)
		sm->fence_end = over;
	return over;
}

static enum verdict leave(struct reference *r, struct ref_warp *w)
{
	struct ref_loop *loop = &w->loops[w->depth - 1];
	const struct insn *insn = &r->p->insns[loop->repeat];
	uint64_t now = time_of(r, w), over = now;
	size_t region;
	bool more;

	if (insn->timing == TIMING_REGION && !answered_for(w, false))
		return wait_for(w, REF_FOR_ANSWERS);
	w->pc = program_matching_end(r->p, loop->repeat) + 1;
	w->depth--;
	if (insn->timing == TIMING_NONE)
		return GO_ON;
	region = region_of(r, loop->repeat);
	/* the fence behind writes */
	if (insn->timing == TIMING_REGION && writes(r, loop->repeat))
		over = fence(r, w, now);
	if (loop->entered < r->region_first[region])
		r->region_first[region] = loop->entered;
	if (over > r->region_last[region])
		r->region_last[region] = over;
	if (insn->timing != TIMING_REGION)
		return GO_ON;
	add_sample(r, w, loop, 0, now - loop->entered);
	more = w->pc < w->role->insn_first + w->role->insn_count;
	if (more)
		w->ready = over;
	if (!writes(r, loop->repeat) || !w->loose)
		return GO_ON;
	/* the span goes on, and what follows waits */
	w->arriving = &r->region_last[region];
	return more ? wait_for(w, REF_FOR_ALL) : GO_ON;
}

uint64_t ref_beside(struct reference *r, struct ref_warp *w, uint64_t ticks)
{
	struct ref_sm *sm = w->block->sm;

	w->work += ticks;
	sm->work[w->scheduler] += ticks;
	return ref_serve(&sm->left_slots[w->scheduler], r->now, ticks);
}

/* What the scheduler's other warps have issued so far. */
static uint64_t work_of_others(const struct ref_warp *w)
{
	return w->block->sm->work[w->scheduler] - w->work;
}

/* A new pass begins, for which this counts. */
static void begin_pass(const struct reference *r, struct ref_warp *w)
{
	w->pass_began = r->now;
	w->others_began = work_of_others(w);
}

/* A queue for the slots, in which each job is as long as the next: what comes
   finds one at work as often as others took slots of this pass, 7 of 8 at most,
   has half of that one before it, and that again for each behind which it
   queues. */
static uint64_t late(
	const struct reference *r, const struct ref_warp *w, uint64_t chain)
{
	uint64_t slots = REF_TICKS * (r->now - w->pass_began), free_slots;
	uint64_t others = work_of_others(w) - w->others_began;

	if (slots == 0)
		return 0;
	free_slots = others < slots ? slots - others : 0;
	if (free_slots < slots / 8)
		free_slots = slots / 8;
	return (chain * (slots - free_slots) / free_slots / 2 + REF_TICKS / 2) /
	       REF_TICKS;
}

/* In order with what the scheduler's other warps issue. */
static uint64_t in_order(
	struct reference *r, struct ref_warp *w, uint64_t ticks)
{
	ref_beside(r, w, ticks);
	return ref_serve(&w->block->sm->slots[w->scheduler], r->now, ticks);
}

/* What the scheduler issues to draw a random address. */
static uint64_t draw_work(const struct reference *r, const struct insn *insn)
{
	uint64_t work = REF_TICKS_OF(r, draw_cycles);

	if (insn->address.wrap_bytes)
		work += REF_TICKS_OF(r, draw_wrap_cycles);
	return work;
}

/* The same for all of the loop's own body, with its copies. */
static uint64_t draw_work_of(const struct reference *r, uint32_t repeat)
{
	uint32_t end = program_matching_end(r->p, repeat), nested = 0;
	uint32_t copies = r->p->insns[repeat].unroll;
	uint64_t work = 0;

	for (uint32_t i = repeat + 1; i < end; i++) {
		if (r->p->insns[i].op == OP_REPEAT)
			nested++;
		else if (r->p->insns[i].op == OP_END)
			nested--;
		else if (!nested &&
			 r->p->insns[i].address.mode == ADDRESS_RANDOM)
			work += draw_work(r, &r->p->insns[i]);
	}
	return copies ? work * copies : work;
}

/* The loop's first addresses are drawn before it, unless a loop around it has
   come back. */
static enum verdict enter(struct reference *r, struct ref_warp *w)
{
	struct ref_loop *loop = &w->loops[w->depth];
	uint64_t draws = draw_work_of(r, w->pc), over;

	for (unsigned i = 0; i < w->depth; i++)
		if (w->loops[i].count)
			draws = 0;
	if (draws) {
		over = ref_beside(r, w, draws);
		if (w->ready < over)
			w->ready = over;
	}
	begin_pass(r, w);
	w->depth++;
	w->arriving = NULL;
	loop->repeat = w->pc++;
	loop->count = 0;
	loop->entered = loop->started = loop->branched = time_of(r, w);
	return GO_ON;
}

/* The next access at a computed address that is the loop's own, from `i` on;
   the loop's end: there is none. */
static uint32_t own_access(
	const struct reference *r, uint32_t repeat, uint32_t i)
{
	uint32_t end = program_matching_end(r->p, repeat);

	for (; i < end; i++) {
		const struct insn *insn = &r->p->insns[i];

		if (insn->op == OP_REPEAT)
			i = program_matching_end(r->p, i);
		else if ((insn->op == OP_LD || insn->op == OP_ST ||
				 insn->op == OP_ATOM || insn->op == OP_RED) &&
			 insn->address.mode == ADDRESS_AFFINE)
			return i;
	}
	return end;
}

/* The last loop in the body; 0: it has none. */
static uint32_t inner_loop(const struct reference *r, uint32_t repeat)
{
	uint32_t end = program_matching_end(r->p, repeat), last = 0;

	for (uint32_t i = repeat + 1; i < end; i++)
		if (r->p->insns[i].op == OP_REPEAT) {
			last = i;
			i = program_matching_end(r->p, i);
		}
	return last;
}

/* What the loop's addresses depend on outside of it: `around` loops, and who
   asks. */
static uint32_t terms_of(
	const struct reference *r, uint32_t repeat, uint32_t around)
{
	uint32_t end = program_matching_end(r->p, repeat), terms = 0;
	uint32_t i = own_access(r, repeat, repeat + 1);

	for (; i < end; i = own_access(r, repeat, i + 1)) {
		const struct address *a = &r->p->insns[i].address;

		terms += a->lane_bytes ? 1 : 0;
		terms += a->warp_bytes ? 1 : 0;
		terms += a->block_bytes ? 1 : 0;
		for (uint32_t k = 0; k < around; k++)
			terms += a->loop_bytes[k] ? 1 : 0;
	}
	return terms;
}

/* Addresses for which an unrolled loop's end looks whether they wrap. */
static uint32_t wraps_at_end(
	struct reference *r, const struct ref_warp *w, uint32_t repeat)
{
	uint32_t end = program_matching_end(r->p, repeat), wraps = 0;
	uint32_t blocks = ref_blocks(r, w->role);
	uint32_t i = own_access(r, repeat, repeat + 1);

	if (r->p->insns[repeat].unroll < 2)
		return 0;
	for (; i < end; i = own_access(r, repeat, i + 1))
		wraps += address_wraps(r->p, w->role, blocks, i) &&
			 address_is_straight(r->p, w->role, blocks, i);
	return wraps;
}

/* The end of one pass through the body: words loaded by value in it are used
   when those of the last load have come to the registers, and the scheduler
   issues what that takes. */
static uint64_t time_to_go_on(
	struct reference *r, struct ref_warp *w, bool more)
{
	struct ref_server *slots = &w->block->sm->slots[w->scheduler];
	uint64_t words = w->words_loaded, cycle = time_of(r, w), work;
	uint64_t nest = 0;
	uint32_t inner;
	uint64_t issued = (slots->over + REF_TICKS - 1) / REF_TICKS;
	bool needed = w->drawn && (more || !words || w->depth > 1);

	/* the draw for the next pass is one instruction after another */
	if (needed) {
		uint64_t drawn = w->drew + REF_CYCLES_OF(r, draw_chain_cycles);

		cycle = cycle < drawn ? drawn : cycle;
	}
	/* behind what the scheduler's warps have to issue, and behind the
	   registers that the first store reads, for they get new data */
	if (issued > cycle)
		cycle = issued;
	if (w->stored > cycle)
		cycle = w->stored;
	w->stored = 0;
	cycle += REF_CYCLES_OF(r, loop_cycles);
	/* the last inner loop's addresses are computed again */
	inner = inner_loop(r, w->loops[w->depth - 1].repeat);
	if (inner) {
		cycle += REF_CYCLES_OF(r, nest_cycles);
		nest = REF_TICKS_OF(r, nest_issue_cycles) *
		       terms_of(r, inner, w->depth);
	}
	if (w->link_by_atomic)
		cycle += REF_CYCLES_OF(r, atomic_link_cycles);
	w->link_by_atomic = false;
	w->words_loaded = 0;
	if (words)
		cycle += REF_CYCLES_OF(r, renew_cycles) + w->last_way;
	work = REF_TICKS_OF(r, loop_issue_cycles) + nest +
	       (words ? REF_TICKS_OF(r, value_issue_cycles) : 0) +
	       (w->loaded_wide ? REF_TICKS_OF(r, value_wide_issue_cycles) : 0) +
	       wraps_at_end(r, w, w->loops[w->depth - 1].repeat) *
		       REF_TICKS_OF(r, loop_wrap_issue_cycles);
	w->loaded_wide = false;
	/* each of these but the uses waits for the one before */
	cycle += late(r, w, work);
	work += words * REF_TICKS_OF(r, use_issue_cycles);
	issued = ref_beside(r, w, work); /* accesses go first */
	if (issued > cycle)
		cycle = issued;
	/* however little is in the body */
	work = w->loops[w->depth - 1].branched +
	       REF_CYCLES_OF(r, loop_least_cycles);
	if (w->wrapped)
		work += REF_CYCLES_OF(r, loop_wrap_cycles);
	w->wrapped = false;
	if (work > cycle)
		cycle = work;
	/* The next pass's random addresses, of this loop or of one around it.
	   Nobody needs those behind the last one, nor waits for them. */
	issued = ref_beside(r, w, w->drawn);
	w->drawn = 0;
	begin_pass(r, w);
	return needed && issued > cycle ? issued : cycle;
}

static enum verdict iterate(struct reference *r, struct ref_warp *w)
{
	struct ref_loop *loop = &w->loops[w->depth - 1];
	const struct insn *insn = &r->p->insns[loop->repeat];
	uint32_t unroll = insn->unroll ? insn->unroll : 1;
	bool last_copy = (loop->count + 1) % unroll == 0;
	bool with_writes = writes(r, loop->repeat);

	if (loop->count == insn->count)
		return leave(r, w);
	if (last_copy) {
		if (w->values)
			return wait_for(w, REF_FOR_VALUES);
		/* the move of such a link stands before the branch */
		if (w->link_by_atomic && w->links > 0 &&
			REF_CYCLES_OF(r, atomic_link_cycles))
			return wait_for(w, REF_FOR_LINKS);
		if (w->ready < w->shared_until)
			w->ready = w->shared_until;
	}
	if (insn->timing == TIMING_EACH) {
		if (!answered_for(w, with_writes))
			return wait_for(
				w, with_writes ? REF_FOR_ALL : REF_FOR_ANSWERS);
		add_sample(r, w, loop, loop->count,
			time_of(r, w) - loop->started +
				REF_CYCLES_OF(r, timing_cycles));
	}
	if (last_copy)
		loop->branched = w->ready =
			time_to_go_on(r, w, loop->count + 1 < insn->count);
	loop->started = time_of(r, w);
	loop->count++;
	if (loop->count == insn->count)
		return leave(r, w);
	w->pc = loop->repeat + 1;
	return GO_ON;
}

/* ---- memory instructions ---- */

/* The cycle at which a server takes up a job that comes now. */
static uint64_t take(struct reference *r, struct ref_server *s, uint64_t ticks)
{
	return ref_serve(s, r->now, ticks) -
	       (ticks + REF_TICKS - 1) / REF_TICKS;
}

static bool has_room(const struct reference *r, const struct ref_sm *sm)
{
	return sm->sectors_under_way < REF_CYCLES_OF(r, sm_inflight_sectors) &&
	       sm->sectors_away < REF_CYCLES_OF(r, sm_far_sectors) &&
	       sm->held < 4096;
}

/* What the scheduler issues to make the instruction's address. */
static uint64_t making(const struct reference *r, const struct ref_warp *w,
	const struct insn *insn)
{
	uint32_t blocks = ref_blocks(r, w->role);
	const struct ref_loop *loop;

	switch (address_making(
		r->p, w->role, blocks, (uint32_t)(insn - r->p->insns))) {
	case MAKES_DRAW:
	case MAKES_DRAW_WRAP:
		return w->depth ? 0 : draw_work(r, insn);
	case MAKES_WRAP: /* within a loop, then */
		loop = &w->loops[w->depth - 1];
		return loop->count % r->p->insns[loop->repeat].unroll
			       ? REF_TICKS_OF(r, wrap_cycles)
			       : 0;
	default:
		return 0;
	}
}

static bool carries_data(const struct insn *insn)
{
	return insn->op == OP_ST || insn->op == OP_RED || insn->op == OP_ATOM;
}

/* What a warp's data takes of the way from or to its scheduler's registers. */
static uint64_t data_ticks(const struct reference *r, const struct ref_warp *w,
	const struct insn *insn)
{
	uint64_t lanes = insn->guard == GUARD_ALL ? w->lanes : 1;
	const double *value = r->machine->value;
	double rate = value[PARAMETER_scheduler_data_bytes_per_cycle];
	uint64_t byte;

	if (insn_lane_bytes(insn) < 16 &&
		value[PARAMETER_scheduler_narrow_bytes_per_cycle] > rate)
		rate = value[PARAMETER_scheduler_narrow_bytes_per_cycle];
	byte = (uint64_t)lround(REF_TICKS * REF_TICKS / rate);
	return lanes * insn_lane_bytes(insn) * byte / REF_TICKS;
}

/* A store's data go 128 bytes at a time. */
static uint32_t pipe_ticks(const struct reference *r, const struct ref_warp *w,
	const struct insn *insn)
{
	uint32_t any = REF_TICKS_OF(r, lsu_cycles);
	uint32_t store = REF_TICKS_OF(r, lsu_store_cycles);
	uint32_t lanes = insn->guard == GUARD_ALL ? w->lanes : 1;
	uint32_t bytes = lanes * insn_lane_bytes(insn);

	if (insn->op != OP_ST || any >= store)
		return any;
	for (; bytes > 128; bytes -= 128)
		store += REF_TICKS_OF(r, lsu_store_line_cycles);
	return store;
}

/* Slots of the scheduler, and then the load/store pipe, unless it goes to a
   texture cache. */
static uint64_t take_turn(
	struct reference *r, struct ref_warp *w, const struct insn *insn)
{
	struct ref_sm *sm = w->block->sm;
	uint64_t cycle = r->now;

	if (!w->has_slot) {
		w->has_slot = true;
		w->first_try = r->now;
		cycle = in_order(r, w, making(r, w, insn) + REF_TICKS) - 1;
		if (insn->op == OP_LD || carries_data(insn)) {
			uint64_t data;

			w->data_ticks = data_ticks(r, w, insn);
			data = take(
				r, &sm->registers[w->scheduler], w->data_ticks);

			cycle = data > cycle ? data : cycle;
		}
		if (cycle > r->now)
			return cycle;
	}
	if (!w->has_pipe && !ref_uses_texture(r, insn)) {
		w->has_pipe = true;
		cycle = take(r, &sm->pipe, pipe_ticks(r, w, insn));
	}
	return cycle;
}

static enum verdict access(
	struct reference *r, struct ref_warp *w, const struct insn *insn)
{
	uint64_t cycle;

	if (insn->address.mode == ADDRESS_CHASE && w->links)
		return wait_for(w, REF_FOR_LINKS);
	if (releases(insn) && !is_written(w, insn))
		return wait_for_writes(w, insn);
	if (w->ready > r->now)
		return sleep_until(r, w, w->ready);
	cycle = take_turn(r, w, insn);
	if (cycle > r->now)
		return sleep_until(r, w, cycle);
	if (is_global(insn) && !has_room(r, w->block->sm)) {
		w->wait_stamp = ++r->stamp;
		return wait_for(w, REF_FOR_ROOM);
	}
	w->has_slot = w->has_pipe = false;
	w->ready = r->now +
		   (carries_data(insn) ? REF_CYCLES_OF(r, store_issue_cycles)
				       : REF_CYCLES_OF(r, issue_cycles));
	if ((insn->op == OP_LD || insn->op == OP_ATOM) &&
		insn->address.mode != ADDRESS_CHASE) {
		w->words_loaded += (insn_lane_bytes(insn) + 3) / 4;
		w->loaded_wide |= insn_lane_bytes(insn) > 4;
		w->last_way = data_ticks(r, w, insn) / REF_TICKS;
	}
	if (insn->address.mode == ADDRESS_RANDOM && w->depth) {
		w->drawn += draw_work(r, insn);
		w->drew = w->ready;
	}
	if (insn->op == OP_ST && insn->address.mode == ADDRESS_AFFINE &&
		address_wraps(r->p, w->role, ref_blocks(r, w->role), w->pc))
		w->wrapped = true;
	if (insn->op == OP_ATOM && insn->address.mode == ADDRESS_CHASE)
		w->link_by_atomic = true;
	if (carries_data(insn) && !w->stored)
		w->stored = w->ready + data_ticks(r, w, insn) / REF_TICKS;
	if (is_global(insn)) {
		ref_issue_global(r, w, insn);
		if (acquires(insn))
			w->acquiring = insn;
	} else {
		ref_issue_shared(r, w, insn);
	}
	w->pc++;
	return GO_ON;
}

/* ---- barriers ---- */

static uint32_t at_barrier(
	struct reference *r, const struct ref_block *b, struct ref_warp **last)
{
	uint32_t count = 0;

	*last = NULL;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct ref_warp *w = &r->warps[b->warp_first + i];

		if (w->state != REF_AT_BARRIER)
			continue;
		count++;
		if (!*last || w->wait_stamp > (*last)->wait_stamp)
			*last = w;
	}
	return count;
}

/* When all warps that live are there, the last to come goes first. An SM
   notes arrivals one by one; until it has the last, nobody goes. */
static void release_barrier(struct reference *r, const struct ref_block *b)
{
	struct ref_warp *last;
	uint64_t noted = b->noted > r->now ? b->noted : r->now;

	if (at_barrier(r, b, &last) < b->live)
		return;
	for (; last; at_barrier(r, b, &last)) {
		const uint64_t on = noted + REF_CYCLES_OF(r, barrier_cycles);

		r->counts.barrier_cycles += on - last->met;
		sleep_until(r, last, on);
	}
}

static enum verdict meet(struct reference *r, struct ref_warp *w)
{
	if (w->ready < w->shared_until)
		w->ready = w->shared_until;
	if (w->ready > r->now)
		return sleep_until(r, w, w->ready);
	w->pc++;
	w->state = REF_AT_BARRIER;
	w->met = r->now;
	w->wait_stamp = ++r->stamp;
	w->block->noted = ref_serve(&w->block->sm->arrivals, r->now,
		REF_TICKS_OF(r, barrier_warp_cycles));
	release_barrier(r, w->block);
	return STOP;
}

/* ---- running ---- */

/* An access that acquires is answered before anything follows it, be it the
   end. */
static enum verdict settle(struct ref_warp *w)
{
	if (!w->acquiring)
		return GO_ON;
	if (w->values || w->links)
		return wait_for(w, REF_FOR_ANSWERS);
	acquire(w, w->acquiring);
	w->acquiring = NULL;
	return GO_ON;
}

/* A delay ends with the look at the clock that finds it over: a look for each
   warp of its block that the scheduler has, or a time of its own. */
static uint64_t last_look(const struct reference *r, const struct ref_warp *w)
{
	uint64_t own = REF_CYCLES_OF(r, delay_cycles), warps = 0, all;

	while (warps * REF_CYCLES_OF(r, schedulers) < w->block->live)
		warps++;
	all = warps * REF_TICKS_OF(r, delay_warp_cycles) / REF_TICKS;
	return all > own ? all : own;
}

static enum verdict execute(struct reference *r, struct ref_warp *w)
{
	const struct insn *insn = &r->p->insns[w->pc];

	if (settle(w) == STOP)
		return STOP;
	switch (insn->op) {
	case OP_REPEAT:
		return enter(r, w);
	case OP_END:
		return iterate(r, w);
	case OP_BARRIER:
		return meet(r, w);
	case OP_FENCE:
		if (!is_written(w, insn))
			return wait_for_writes(w, insn);
		if (acquires(insn))
			acquire(w, insn);
		break;
	case OP_DELAY:
		w->ready = time_of(r, w) + insn->count + last_look(r, w);
		break;
	case OP_CREATEPOLICY:
		w->policies[insn->policy] = insn;
		w->ready = time_of(r, w) + REF_CYCLES_OF(r, issue_cycles);
		break;
	default:
		if (insn->guard != GUARD_THREAD0 || w->index == 0)
			return access(r, w, insn);
		break;
	}
	w->pc++;
	return GO_ON;
}

/* Blocks between those that are there first and as many at the end store
   nothing, if no region has times of iterations. */
static bool stores_nothing(const struct reference *r, const struct ref_warp *w)
{
	uint64_t room = (uint64_t)ref_blocks_of_sm(r) * r->sm_count;
	uint64_t blocks = ref_blocks(r, w->role), at = w->block->index;
	size_t i;

	if (w->role->place != PLACE_BLOCKS || r->launch->role_count > 1 ||
		blocks <= 2 * room || at < room || at + room >= blocks)
		return false;
	for (i = 0; i < r->region_count; i++)
		if (r->regions[i].role == w->role &&
			r->regions[i].repeat->timing == TIMING_EACH)
			return false;
	return true;
}

/* The times of the regions of its role, so many stores each. */
static void note_times(
	struct reference *r, const struct ref_warp *w, uint32_t stores)
{
	uint64_t ticks = REF_TICKS_OF(r, lsu_store_cycles);
	size_t i;

	if (stores_nothing(r, w))
		return;
	for (i = 0; i < r->region_count; i++)
		if (r->regions[i].role == w->role)
			ref_serve(&w->block->sm->pipe, r->now, stores * ticks);
}

static void end(struct reference *r, struct ref_warp *w)
{
	struct ref_block *b = w->block;

	w->state = REF_ENDED;
	ref_beside(r, w, REF_TICKS_OF(r, epilogue_issue_cycles));
	note_times(r, w, w->index ? 1 : 2);
	b->live--;
	if (b->live)
		release_barrier(r, b);
	else
		ref_block_ended(r, b);
}

/* A warp ends with its last instruction, answered or not, unless that one
   acquires. */
void ref_warp_run(struct reference *r, struct ref_warp *w)
{
	const struct role *role = w->role;

	w->state = REF_SENT;
	if (w->to_begin > 0) { /* a turn of it */
		uint64_t turn = REF_TICKS_OF(r, prologue_turn_cycles);

		if (turn == 0 || turn > w->to_begin)
			turn = w->to_begin;
		w->to_begin -= turn;
		w->ready = ref_beside(r, w, turn);
		if (w->to_begin == 0 && w->index == 0)
			note_times(r, w, 2);
		sleep_until(r, w, w->ready);
		return;
	}
	for (;;) {
		while (w->pc < role->insn_first + role->insn_count)
			if (execute(r, w) == STOP)
				return;
		if (settle(w) == STOP)
			return;
		if (w->ready > r->now) {
			sleep_until(r, w, w->ready);
			return;
		}
		if (!role->background || !ref_foreground(r))
			break;
		w->pc = role->insn_first;
		w->ready = r->now + REF_CYCLES_OF(r, poll_cycles);
	}
	end(r, w);
}

/* A write of a region that is over: a fence sees it so much later, and so do
   the instructions that wait for it. */
static void arrive(struct reference *r, struct ref_warp *w)
{
	uint64_t seen = r->now + REF_CYCLES_OF(r, fence_cycles);

	if (w->block->sm->fences && w->block->sm->fence_end < seen)
		w->block->sm->fence_end = seen;
	if (w->block->sm->fences_waiting && w->block->sm->fence_end == seen)
		seen += REF_CYCLES_OF(r, fence_next_cycles);
	if (seen > *w->arriving)
		*w->arriving = seen;
	if (w->state == REF_FOR_ALL && w->ready < seen)
		w->ready = seen;
	if (!w->loose)
		w->arriving = NULL;
}

void ref_warp_answered(struct reference *r, const struct ref_request *q)
{
	struct ref_warp *w = q->warp;
	uint32_t *count = q->waits == REF_LINK    ? &w->links
			  : q->waits == REF_VALUE ? &w->values
			  : q->waits == REF_AWAY  ? &w->away
						  : &w->loose;

	(*count)--;
	if (w->arriving && q->waits == REF_LOOSE)
		arrive(r, w);
	if (may_run(w))
		ref_warp_run(r, w);
}

/* Those in line for room on an SM run one by one while there is any. */
void ref_warp_room(struct reference *r, struct ref_sm *sm)
{
	while (has_room(r, sm)) {
		struct ref_warp *first = NULL;

		for (uint32_t i = 0; i < r->warp_count; i++) {
			struct ref_warp *w = &r->warps[i];

			if (w->state == REF_FOR_ROOM && w->block->sm == sm &&
				(!first || w->wait_stamp < first->wait_stamp))
				first = w;
		}
		if (!first)
			return;
		ref_warp_run(r, first);
	}
}
