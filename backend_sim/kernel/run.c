/* The interpreter of a kernel's warp: in order, until it must wait. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/kernel/grid.h"

/* Branches back after which a path that polls memory lets others go on. */
#define SPINS_MAX 64u

enum pace { ON, OFF }; /* the warp goes on, or waits */

/* Cycles of a pipe for an instruction of 32 lanes. Source: lanes a cycle and
   SM of compute capability 9.0, CUDA C++ Programming Guide, over the four
   schedulers. */
static const uint8_t pipe_cycles[PIPE_COUNT] = {
	[PIPE_ALU] = 2,
	[PIPE_FMA] = 1,
	[PIPE_FMA_INT] = 2,
	[PIPE_F64] = 2,
	[PIPE_SPECIAL] = 8,
};

static enum pace wait_until(
	struct execution *x, uint32_t warp, uint64_t cycle, uint8_t why)
{
	profile_why(&x->grid->warps[warp], why,
		kernel_path(&x->grid->warps[warp])->pc);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP, cycle);
	return OFF;
}

static enum pace wait_for(
	struct execution *x, uint32_t warp, enum warp_state state, uint8_t why)
{
	profile_why(&x->grid->warps[warp], why,
		kernel_path(&x->grid->warps[warp])->pc);
	x->warps[warp].state = (uint8_t)state;
	return OFF;
}

/* ---- before an instruction ---- */

/* The rows that it reads and writes. */
static enum pace wait_rows(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t ready = 0;
	uint8_t cause = JOB_WAIT_ARITHMETIC, i;

	for (i = 0; i < c->wait_count; i++) {
		uint16_t slot = c->waits[i];

		if (k->board[slot]) {
			if (k->boards[k->board[slot] - 1]) {
				k->waits_board = k->board[slot];
				return wait_for(
					x, warp, WARP_VALUES, JOB_WAIT_L1);
			}
			k->board[slot] = 0;
		}
		if (k->ready[slot] > ready) {
			ready = k->ready[slot];
			cause = k->cause[slot];
		}
	}
	return ready > core_now(x->core) ? wait_until(x, warp, ready, cause)
					 : ON;
}

static uint64_t turn(uint64_t *free_at, uint64_t now, uint32_t ticks)
{
	return serve(free_at, now, ticks) -
	       (ticks + TICKS_A_CYCLE - 1) / TICKS_A_CYCLE;
}

/* Its pipe, then the scheduler's slots. */
static enum pace take_slots(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct warp *w = &x->warps[warp];
	struct kernel_warp *k = &x->grid->warps[warp];
	struct sm *sm = &x->sms[w->sm];
	uint64_t *pipe = &x->grid->sms[w->sm].pipe_free[w->scheduler][c->pipe];
	uint64_t now = core_now(x->core), start = now;
	uint32_t ticks = pipe_cycles[c->pipe] * c->slots * TICKS_A_CYCLE;

	if (!k->pipe_booked) {
		k->pipe_booked = 1;
		if (ticks)
			start = turn(pipe, now, ticks);
		if (start > now)
			return wait_until(x, warp, start, JOB_WAIT_ISSUE);
	}
	if (!w->issued) {
		w->issued = true;
		start = turn(&sm->issue_free[w->scheduler], now,
			c->slots * TICKS_A_CYCLE);
		if (start > now)
			return wait_until(x, warp, start, JOB_WAIT_ISSUE);
	}
	return ON;
}

static bool carries_data(const struct code_insn *c)
{
	return c->insn->op != PTXO_LD && c->kind == CODE_MEMORY;
}

/* The way from and to the registers, the load/store pipe, room on the SM. */
static enum pace take_pipe(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	const struct core *core = x->core;
	struct warp *w = &x->warps[warp];
	struct sm *sm = &x->sms[w->sm];
	uint64_t now = core_now(core), start, data;

	if (!w->booked) {
		w->booked = true;
		start = turn(&sm->lsu_free, now, core->cost.lsu_ticks);
		data = turn(&sm->data_free[w->scheduler], now,
			(uint32_t)__builtin_popcount(mask) * c->bytes *
				c->count * x->lane_byte / TICKS_A_CYCLE);
		start = data > start ? data : start;
		if (start > now)
			return wait_until(x, warp, start, JOB_WAIT_ISSUE);
	}
	if (memory_is_global(c) && !warp_has_room(x, w->sm)) {
		profile_why(&x->grid->warps[warp],
			carries_data(c) ? JOB_WAIT_WRITE : JOB_WAIT_L1,
			kernel_path(&x->grid->warps[warp])->pc);
		warp_queue(x, warp);
		return OFF;
	}
	return ON;
}

/* ---- barriers ---- */

static void release(struct execution *x, struct kernel_block *b, unsigned n)
{
	struct core *core = x->core;
	uint32_t warp = b->waiting[n], next;

	b->waiting[n] = NONE;
	b->arrived[n] = 0;
	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		event_push(core, warp, AT_WARP,
			core_now(core) + core->cost.barrier_cycles);
	}
}

/* Warps that a barrier of a block waits for. */
static uint32_t expected(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const struct grid *g = x->grid;
	const struct kernel_warp *k = &g->warps[warp];
	const row_u32 *row;

	if (!c->has_base)
		return x->blocks[x->warps[warp].block_index].live;
	row = kernel_row(g, k, &c->s[0]);
	return (row[__builtin_ctz(paths_alive(k))] + LANES - 1) / LANES;
}

static enum pace run_barrier(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	struct kernel_block *b = &x->grid->blocks[w->block_index];
	unsigned n = c->count;

	if (mask != paths_alive(k)) {
		grid_fail(x, warp, kernel_path(k)->pc,
			"a barrier is reached by some of a warp's threads "
			"while others are elsewhere, which is not modelled");
		return OFF;
	}
	profile_why(k, JOB_WAIT_BARRIER, kernel_path(k)->pc);
	paths_next(k);
	w->next = b->waiting[n];
	b->waiting[n] = warp;
	w->state = WARP_BARRIER;
	if (++b->arrived[n] >= expected(x, warp, c))
		release(x, b, n);
	return OFF;
}

/* A warp that ends may be the last one that others wait for. */
static void release_without(struct execution *x, uint32_t block)
{
	struct kernel_block *b = &x->grid->blocks[block];
	unsigned n;

	for (n = 0; n < BARRIERS; n++)
		if (b->arrived[n] && b->arrived[n] >= x->blocks[block].live)
			release(x, b, n);
}

/* ---- instructions ---- */

static bool under_way(const struct kernel_warp *k)
{
	unsigned i;

	for (i = 0; i < BOARDS; i++)
		if (k->boards[i])
			return true;
	return false;
}

static bool copies_under_way(const struct kernel_warp *k, uint64_t but)
{
	uint32_t last = k->group > but ? (uint32_t)(k->group - but) : 0, g;

	/* Of groups that share a counter the older one is waited for. */
	for (g = last > GROUPS ? last - GROUPS : 0; g < last; g++)
		if (k->copies[g % GROUPS])
			return true;
	return false;
}

static enum pace run_group(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (c->count) {
		k->group++;
	} else if (copies_under_way(k, c->offset) ||
		   (c->has_base && k->copies[k->group % GROUPS])) {
		return wait_for(x, warp, WARP_ANSWERED, JOB_WAIT_L1);
	}
	paths_next(k);
	return ON;
}

static enum pace run_fence(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct warp *w = &x->warps[warp];
	bool cta = c->insn->word[PTX_CLASS_LEVEL] == PTXW_LEVEL_cta ||
		   c->insn->qualifiers[Q_SCOPE] == QV_SCOPE_cta;

	if (!cta && (w->loose || under_way(&x->grid->warps[warp])))
		return wait_for(x, warp, WARP_DRAINED, JOB_WAIT_WRITE);
	if (!cta)
		l1_empty(x->l1, w->sm);
	paths_next(&x->grid->warps[warp]);
	return ON;
}

static void run_branch(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (paths_branch(k, c, mask))
		grid_fail(x, warp, kernel_path(k)->pc,
			"the threads of a warp go more than %u ways at once, "
			"which is not modelled",
			PATHS_MAX);
	else if (k->depth && k->spins > SPINS_MAX)
		paths_yield(k);
}

static void run_exit(struct execution *x, uint32_t warp, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	bool all = mask == kernel_path(k)->mask;

	if (!all)
		kernel_path(k)->pc++;
	paths_exit(k, mask);
	(void)x;
}

/* When what the instruction writes can be read. */
static void write_later(
	struct kernel_warp *k, const struct code_insn *c, uint64_t now)
{
	uint64_t ready = c->slots ? now + c->slots - 1 + c->latency_cycles : 0;
	uint8_t i;

	for (i = 0; i < c->write_count; i++) {
		k->board[c->writes[i]] = 0;
		k->ready[c->writes[i]] = ready;
		k->cause[c->writes[i]] = c->kind == CODE_WARP
						 ? JOB_WAIT_SHARED
						 : JOB_WAIT_ARITHMETIC;
	}
}

/* What costs nothing can be read when what it was made of can. */
static void write_with(struct kernel_warp *k, const struct code_insn *c)
{
	uint64_t ready = 0;
	uint8_t board = 0, cause = JOB_WAIT_ARITHMETIC, i;

	for (i = 0; i < c->wait_count; i++) {
		uint16_t slot = c->waits[i];

		if (k->board[slot] && k->boards[k->board[slot] - 1])
			board = k->board[slot];
		if (k->ready[slot] > ready) {
			ready = k->ready[slot];
			cause = k->cause[slot];
		}
	}
	for (i = 0; i < c->write_count; i++) {
		k->board[c->writes[i]] = board;
		k->ready[c->writes[i]] = ready;
		k->cause[c->writes[i]] = cause;
	}
}

static enum pace execute(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	uint64_t now = core_now(x->core);
	uint32_t pc = kernel_path(k)->pc;
	const row_u32 *row;

	switch (c->kind) {
	case CODE_BRANCH:
		run_branch(x, warp, c, mask);
		w->ready = now + c->latency_cycles;
		return ON;
	case CODE_EXIT:
		run_exit(x, warp, mask);
		return ON;
	case CODE_BARRIER:
		return run_barrier(x, warp, c, mask);
	case CODE_FENCE:
		return run_fence(x, warp, c);
	case CODE_GROUP:
		return run_group(x, warp, c);
	case CODE_TRAP:
		grid_fail(x, warp, pc, "the kernel executed 'trap'");
		return OFF;
	case CODE_SLEEP:
		row = kernel_row(x->grid, k, &c->s[0]);
		w->ready = now + (uint64_t)(row[__builtin_ctz(mask)] *
					    x->core->cost.clock_hz / 1e9);
		break;
	case CODE_MEMORY:
		memory_access(x, warp, c, pc, mask);
		break;
	case CODE_COPY:
		memory_copy(x, warp, c, pc, mask);
		break;
	default:
		operate(x, warp, c, mask);
		if (c->slots)
			write_later(k, c, now);
		else
			write_with(k, c);
		break;
	}
	if (x->core->failed)
		return OFF;
	paths_next(k);
	return ON;
}

static uint32_t executing(const struct execution *x, struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t mask = kernel_path(k)->mask, guard;

	if (!c->guarded)
		return mask;
	guard = *(const uint32_t *)kernel_row(x->grid, k, &c->guard);
	return mask & (c->guard_negated ? ~guard : guard);
}

static bool uses_memory_pipe(const struct code_insn *c)
{
	return c->pipe == PIPE_MEMORY && c->slots;
}

static void count(const struct execution *x, uint32_t pc, uint32_t mask)
{
	struct job_line *line;

	x->grid->executed++;
	if (!x->grid->lines)
		return;
	line = &x->grid->lines[pc];
	line->executions++;
	line->lanes += (uint32_t)__builtin_popcount(mask);
}

/* What costs nothing is a part of what uses it, which waits. */
static bool needs_values(const struct code_insn *c)
{
	return c->slots || c->kind == CODE_MEMORY || c->kind == CODE_BRANCH;
}

static enum pace run_insn(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	struct warp *w = &x->warps[warp];
	const uint64_t now = core_now(x->core);
	const struct code_insn *c;
	uint32_t mask, pc = kernel_path(k)->pc;

	if (pc >= g->code.count) {
		paths_exit(k, kernel_path(k)->mask);
		return ON;
	}
	c = &g->code.insns[pc];
	if (w->ready > now)
		return wait_until(x, warp, w->ready, JOB_WAIT_ISSUE);
	if (needs_values(c) && wait_rows(x, warp, c) == OFF)
		return OFF;
	if (c->slots && take_slots(x, warp, c) == OFF)
		return OFF;
	mask = executing(x, k, c);
	if (mask && uses_memory_pipe(c) && take_pipe(x, warp, c, mask) == OFF)
		return OFF;
	k->pipe_booked = 0;
	w->issued = w->booked = false;
	if (c->slots)
		w->ready = now + c->slots;
	count(x, pc, mask);
	if (!mask && c->kind != CODE_BRANCH) {
		paths_next(k);
		return ON;
	}
	return execute(x, warp, c, mask);
}

static bool too_long(const struct execution *x)
{
	const struct grid *g = x->grid;

	return g->max_cycles &&
	       core_now(x->core) - g->first_cycle > g->max_cycles;
}

static void run(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	uint32_t block = x->warps[warp].block_index;

	profile_wait(x, warp);
	if (too_long(x)) {
		grid_fail(x, warp, k->depth ? kernel_path(k)->pc : 0,
			"the kernel runs for more than %llu cycles",
			(unsigned long long)g->max_cycles);
		return;
	}
	while (k->depth)
		if (run_insn(x, warp) == OFF)
			return;
	/* Registers are held until every load has come back. */
	if (under_way(k)) {
		profile_why(k, JOB_WAIT_L1, k->why_pc);
		x->warps[warp].state = WARP_ANSWERED;
		return;
	}
	grid_warp_ended(x, warp);
	release_without(x, block);
}

/* ---- answers ---- */

static const uint8_t wait_of[] = {
	[FOUND_L1] = JOB_WAIT_L1,
	[FOUND_NEAR] = JOB_WAIT_NEAR,
	[FOUND_FAR] = JOB_WAIT_FAR,
	[FOUND_DRAM] = JOB_WAIT_DRAM,
};

static bool wakes(const struct execution *x, uint32_t warp)
{
	const struct kernel_warp *k = &x->grid->warps[warp];
	const struct warp *w = &x->warps[warp];

	switch (w->state) {
	case WARP_VALUES:
		return !k->boards[k->waits_board - 1];
	case WARP_ANSWERED:
		return k->depth ? true : !under_way(k);
	case WARP_DRAINED:
		return !w->loose && !under_way(k);
	default:
		return false;
	}
}

static void answered(struct execution *x, const struct request *r)
{
	struct kernel_warp *k = &x->grid->warps[r->warp];
	struct warp *w = &x->warps[r->warp];

	if (r->waits == WAITS_LOOSE)
		w->loose--;
	else if (r->waits >= WAITS_COPY)
		k->copies[r->waits - WAITS_COPY]--;
	else
		k->boards[r->waits - WAITS_BOARD]--;
	if (!wakes(x, r->warp))
		return;
	if (w->state != WARP_DRAINED)
		k->why = request_is_atomic(r) ? JOB_WAIT_ATOMIC
					      : wait_of[r->operands & 3];
	w->state = WARP_READY;
	run(x, r->warp);
}

const struct sequencer sequencer_kernel = {
	.run = run,
	.answered = answered,
};
