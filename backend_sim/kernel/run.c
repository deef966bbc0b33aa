/* The interpreter of a kernel's warp: in order, until it must wait. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/memory.h"
#include "backend_sim/core/server.h"
#include "backend_sim/flow/flat.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/kernel/meet.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/bulk.h"

static const char *const traps[] = {
	[FLAT_TRAP_WRITTEN] = "the kernel executed 'trap'",
	[FLAT_TRAP_DEEP] = "a function calls itself more often than is "
			   "modelled where it does so at many places",
	[FLAT_TRAP_POINTER] = "a call of what a register holds: it is none of "
			      "the functions that the call can be of",
};

/* When its pipe has it. */
static uint64_t begins(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const uint64_t now = core_now(x->core);

	return RULE(SPECIALS_IN_LINE) && c->pipe == PIPE_QUEUE
		       ? serve(&x->sms[x->warps[warp].sm].lsu,
				 sender_of_line(
					 (uint32_t)(c - x->grid->code.insns)),
				 now, TICKS_A_CYCLE) -
				 1
		       : now;
}

/* What needs no more than registers and parameters: its values, and those of
   such as follow it, are computed together, before its turn at cycle `at`. */
static void run_plain(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint64_t at)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t pc = kernel_path(k)->pc, i;

	if (!k->computed)
		ahead_compute(x, warp, pc);
	if (k->computed == pc + 1)
		k->computed = 0;
	if (c->slots)
		write_later(k, c, at);
	else if (c->kind != CODE_MEMORY)
		write_with(k, c);
	else
		for (i = 0; i < c->write_count; i++)
			k->marks[c->writes[i]] =
				(struct mark){.cause = JOB_WAIT_ARITHMETIC};
	paths_next(k);
}

static void run_value(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	operate(x, warp, c, mask);
	if (c->gathers)
		meet_pass(x, warp, c, mask);
	if (c->slots)
		write_later(k, c, begins(x, warp, c));
	else
		write_with(k, c);
}

static enum pace execute(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	const uint32_t pc = kernel_path(&x->grid->warps[warp])->pc;

	if (c->plain_end) {
		run_plain(x, warp, c, begins(x, warp, c));
		return ON;
	}
	switch (c->kind) {
	case CODE_BRANCH:
		run_branch(x, warp, c, mask);
		return ON;
	case CODE_EXIT:
		run_exit(x, warp, mask);
		return ON;
	case CODE_BARRIER:
		return run_barrier(x, warp, c, mask);
	case CODE_DEPENDENT:
		return run_dependent(x, warp, c);
	case CODE_FENCE:
		return run_fence(x, warp, c);
	case CODE_GROUP:
		return run_group(x, warp, c);
	case CODE_TRAP:
		grid_fail(x, warp, pc, "%s", traps[c->insn->access]);
		return OFF;
	case CODE_SLEEP:
		return run_sleep(x, warp, c, mask);
	case CODE_MEMORY:
		memory_access(x, warp, c, pc, mask);
		break;
	case CODE_PRINT:
		return run_print(x, warp, c, pc, mask);
	case CODE_CALL:
		return run_call(x, warp, c, pc, mask);
	case CODE_COPY:
		memory_copy(x, warp, c, pc, mask);
		break;
	case CODE_MATRIX:
	case CODE_TILES:
	case CODE_FRAGMENT:
		matrix_run(x, warp, c, pc, mask);
		break;
	case CODE_MBARRIER:
	case CODE_BULK:
	case CODE_PROXY:
	case CODE_TENSOR:
	case CODE_MAP:
	case CODE_CLUSTER:
	case CODE_REGISTERS:
	case CODE_PRODUCTS:
		return run_asynchronous(x, warp, c, pc, mask);
	default:
		run_value(x, warp, c, mask);
		break;
	}
	if (x->core->failed)
		return OFF;
	paths_next(&x->grid->warps[warp]);
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

/* A branch is executed by all lanes that come to it, which way they go. */
static void count(
	const struct execution *x, uint32_t warp, uint32_t pc, uint32_t mask)
{
	struct job_line *line;

	x->grid->executed += x->grid->code.insns[pc].slots;
	if (!x->grid->lines)
		return;
	line = &x->grid->lines[pc];
	if (x->grid->code.insns[pc].kind == CODE_BRANCH)
		mask = kernel_path(&x->grid->warps[warp])->mask;
	line->executions++;
	line->lanes +=
		mask == UINT32_MAX ? LANES : (uint32_t)__builtin_popcount(mask);
}

/* What costs nothing is a part of what uses it, which waits. */
static bool needs_values(const struct code_insn *c)
{
	return c->slots || c->kind == CODE_MEMORY || c->kind == CODE_BRANCH;
}

/* A warp with one path has all its lanes there, unless some go around. */
static bool gathered(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t mask;

	if (k->depth == 1 && !c->guarded)
		return true;
	mask = executing(x, k, c);
	return !mask || meet_gather(x, warp, c, mask);
}

/* It has its turn at cycle `at`. */
static void go_out(struct execution *x, uint32_t warp, uint32_t pc,
	uint32_t mask, uint64_t at)
{
	const struct code_insn *c = &x->grid->code.insns[pc];
	struct warp *w = &x->warps[warp];

	x->grid->warps[warp].pipe_booked = 0;
	x->grid->warps[warp].known = 0;
	w->issued = w->booked = false;
	if (c->slots)
		w->ready = at + c->slots;
	count(x, warp, pc, mask);
}

enum pace issue_insn(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	if (c->slots && take_slots(x, warp, c) == OFF)
		return OFF;
	if (mask && uses_memory_pipe(c) && take_pipe(x, warp, c, mask) == OFF)
		return OFF;
	go_out(x, warp, pc, mask, core_now(x->core));
	return ON;
}

/* The warp has issued one that is not over, and knows what is next. What needs
   its own registers alone, and is ready in time, follows at once; a wait for
   values begins behind the one before. */
static enum pace run_behind(struct execution *x, uint32_t warp, uint32_t pc)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	const struct code_insn *c = &g->code.insns[pc];
	uint64_t at = x->warps[warp].ready, ready, start;
	uint8_t cause;

	if (!RULE(SAME_WARP) || pc >= g->code.count || c->part != k->part)
		return wait_until(x, warp, at, JOB_WAIT_ISSUE);
	ready = needs_values(c) ? rows_ready(k, c, &cause) : 0;
	if (ready == ROWS_UNDER_WAY)
		return wait_until(x, warp, at, JOB_WAIT_ISSUE);
	k->known = pc + 1;
	if (ready > at) {
		profile_until(x, warp, at, JOB_WAIT_ISSUE, pc);
		return wait_until(x, warp, ready, cause);
	}
	start = c->slots ? slots_from(x, warp, c, at) : at;
	if (start > at || !c->plain_end || c->pipe == PIPE_QUEUE)
		return wait_until(x, warp, start, JOB_WAIT_ISSUE);
	profile_until(x, warp, at, JOB_WAIT_ISSUE, pc);
	go_out(x, warp, pc, kernel_path(k)->mask, at);
	run_plain(x, warp, c, at);
	return ON;
}

static inline enum pace run_insn(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	struct warp *w = &x->warps[warp];
	const uint64_t now = core_now(x->core);
	const struct code_insn *c;
	uint32_t mask, pc = kernel_path(k)->pc;

	if (w->ready > now)
		return run_behind(x, warp, pc);
	if (pc >= g->code.count) {
		mask = kernel_path(k)->mask;
		paths_exit(k, mask);
		cluster_without(x, warp, mask);
		return ON;
	}
	c = &g->code.insns[pc];
	if (c->part != k->part && wait_code(x, warp, c) == OFF)
		return OFF;
	if (needs_values(c) && k->known != pc + 1 &&
		wait_rows(x, warp, c) == OFF)
		return OFF;
	if (c->gathers && !gathered(x, warp, c)) {
		k->known = 0;
		return x->core->failed ? OFF : ON;
	}
	mask = executing(x, k, c);
	if (issue_insn(x, warp, c, pc, mask) == OFF)
		return OFF;
	if (!mask && c->kind != CODE_BRANCH) {
		paths_next(k);
		return ON;
	}
	return execute(x, warp, c, mask);
}

enum pace run_insns(struct execution *x, uint32_t warp)
{
	while (x->grid->warps[warp].depth)
		if (run_insn(x, warp) == OFF)
			return OFF;
	return ON;
}

static bool too_long(const struct execution *x)
{
	const struct grid *g = x->grid;

	return g->max_cycles &&
	       core_now(x->core) - g->first_cycle > g->max_cycles;
}

/* Its last stores leave it a little later. */
static bool drains(struct execution *x, uint32_t warp)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (!k->stored || !x->core->cost.kernel_drain_cycles)
		return false;
	k->stored = 0;
	profile_why(k, JOB_WAIT_DRAIN, k->why_pc);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP,
		core_now(x->core) + x->core->cost.kernel_drain_cycles);
	return true;
}

static void run(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	uint32_t block = x->warps[warp].block_index;

	if (x->core->failed)
		return;
	profile_wait(x, warp);
	if (too_long(x)) {
		stand_fail(x, g->max_cycles);
		return;
	}
	if (!k->begun)
		block_begin_warp(x, warp);
	if (g->go(x, warp) == OFF)
		return;
	/* Registers are held until every load has come back. */
	if (under_way(k)) {
		profile_why(k, JOB_WAIT_L1, k->why_pc);
		x->warps[warp].state = WARP_ANSWERED;
		return;
	}
	if (drains(x, warp))
		return;
	grid_warp_ended(x, warp);
	barrier_without(x, block);
}

/* ---- answers ---- */

/* What wakes it is over. */
static void go_on(struct execution *x, uint32_t warp)
{
	x->warps[warp].state = WARP_READY;
	run(x, warp);
}

static void answered(struct execution *x, const struct request *r)
{
	struct kernel_warp *k;
	struct warp *w;

	if (r->waits == WAITS_LEFT) {
		if (wait_reached(x, r->warp))
			go_on(x, r->warp);
		return;
	}
	profile_end(x, r);
	/* A kernel ends when all that it stored is where others see it. */
	x->grid->seen_cycle = core_now(x->core);
	if (r->warp & BULK_OWNER) {
		copies_answered(x, r);
		return;
	}
	k = &x->grid->warps[r->warp];
	w = &x->warps[r->warp];
	if (r->waits == WAITS_LOOSE)
		w->loose--;
	else if (r->waits >= WAITS_COPY)
		k->copies[r->waits - WAITS_COPY]--;
	else
		k->boards[r->waits - WAITS_BOARD]--;
	if (r->waits != WAITS_LOOSE)
		profile_answer(x, r);
	if (!wait_wakes(x, r->warp))
		return;
	if (w->state != WARP_DRAINED && w->state != WARP_REACHED)
		profile_waited_for(x, r);
	go_on(x, r->warp);
}

const struct sequencer sequencer_kernel = {
	.run = run,
	.answered = answered,
	.foresee = lookahead_warp,
	.foresee_next = lookahead_next,
	.refill = block_refill,
};
