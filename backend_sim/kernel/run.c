/* The interpreter of a kernel's warp: in order, until it must wait. */
#include "backend_sim/core/memory.h"
#include "backend_sim/flow/flat.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/meet.h"
#include "backend_sim/rules/rules.h"

static const char *const traps[] = {
	[FLAT_TRAP_WRITTEN] = "the kernel executed 'trap'",
	[FLAT_TRAP_DEEP] = "a function calls itself more often than is "
			   "modelled where it does so at many places",
	[FLAT_TRAP_POINTER] = "a call of what a register holds: it is none of "
			      "the functions that the call can be of",
};

/* When its pipe has it. */
static inline uint64_t begins(struct goer t, const struct code_insn *c)
{
	const uint64_t now = core_now(t.x->core);

	return RULE(SPECIALS_IN_LINE) && c->pipe == PIPE_QUEUE
		       ? serve(&t.x->sms[t.w->sm].lsu,
				 sender_of_line(
					 (uint32_t)(c - t.g->code.insns)),
				 now, TICKS_A_CYCLE) -
				 1
		       : now;
}

/* What needs no more than registers and parameters: its values, and those of
   such as follow it, are computed together, before its turn at cycle `at`. */
static inline void run_plain(
	struct goer t, const struct code_insn *c, uint32_t pc, uint64_t at)
{
	struct kernel_warp *k = t.k;
	uint32_t i;

	if (!k->computed)
		ahead_compute(t.x, t.warp, pc);
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
		write_later(k, c, begins(goer_of(x, warp), c));
	else
		write_with(k, c);
}

static enum pace execute(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	const uint32_t pc = kernel_path(&x->grid->warps[warp])->pc;
	enum pace pace = ON;

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
		pace = memory_is_acquiring(x, warp, c) ? OFF : ON;
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
	return pace;
}

static inline uint32_t executing(const struct grid *g,
	const struct kernel_warp *k, uint32_t mask, const struct code_insn *c)
{
	uint32_t guard;

	if (!c->guarded)
		return mask;
	if (c->is_told) /* its predicate is not computed, and never holds */
		return 0;
	guard = *(const uint32_t *)kernel_row(g, k, &c->guard);
	return mask & (c->guard_negated ? ~guard : guard);
}

static bool uses_memory_pipe(const struct code_insn *c)
{
	return c->pipe == PIPE_MEMORY && c->slots;
}

/* For its line of the profile. A branch is executed by all lanes that come to
   it, which way they go. */
static __attribute__((noinline)) void count(
	struct goer t, const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct job_line *line = &t.g->lines[pc];

	if (c->kind == CODE_BRANCH)
		mask = kernel_path(t.k)->mask;
	line->executions++;
	line->lanes += lane_count(mask);
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
	mask = executing(x->grid, k, kernel_path(k)->mask, c);
	return !mask || meet_gather(x, warp, c, mask);
}

/* It has its turn at cycle `at`. */
static inline void go_out(struct goer t, const struct code_insn *c, uint32_t pc,
	uint32_t mask, uint64_t at)
{
	t.k->pipe_booked = 0;
	t.k->known = 0;
	t.w->issued = t.w->booked = false;
	if (c->slots)
		t.w->ready = at + c->slots;
	t.g->executed += c->slots;
	if (__builtin_expect(t.g->lines != NULL, 0))
		count(t, c, pc, mask);
}

static inline enum pace issue(struct goer t, const struct code_insn *c,
	uint32_t pc, uint32_t mask, bool may_wait)
{
	const uint64_t now = core_now(t.x->core);
	uint64_t start = c->slots ? slots_from(t, c, now) : now;

	if (start > now)
		return may_wait
			       ? goer_waits(t, start, JOB_WAIT_ISSUE)
			       : wait_until(t.x, t.warp, start, JOB_WAIT_ISSUE);
	if (mask && uses_memory_pipe(c) &&
		take_pipe(t.x, t.warp, c, mask) == OFF)
		return OFF;
	go_out(t, c, pc, mask, now);
	return ON;
}

enum pace issue_insn(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	return issue(goer_of(x, warp), c, pc, mask, false);
}

/* What it needs is under way, and can't come before it would look for it. */
static inline enum pace waits_for_load(struct goer t, uint64_t at)
{
	const struct core *core = t.x->core;

	if (t.k->waits_board > BOARDS || core->books || core->lives ||
		!calendar_is_quiet(&core->calendar, at))
		return goer_waits(t, at, JOB_WAIT_ISSUE);
	return wait_for(t.x, t.warp, WARP_VALUES, JOB_WAIT_L1);
}

/* The warp has issued one that is not over, and knows what is next. What needs
   its own registers alone, and is ready in time, follows at once; a wait for
   values begins behind the one before. */
static inline enum pace run_behind(struct goer t, uint32_t pc)
{
	struct grid *g = t.g;
	struct kernel_warp *k = t.k;
	const struct code_insn *c = &g->code.insns[pc];
	uint64_t at = t.w->ready, ready, start;
	uint8_t cause;

	if (!RULE(SAME_WARP) || pc >= g->code.count || c->part != k->part)
		return goer_waits(t, at, JOB_WAIT_ISSUE);
	ready = needs_values(c) ? rows_ready(k, c, &cause) : 0;
	if (ready == ROWS_UNDER_WAY)
		return waits_for_load(t, at);
	k->known = pc + 1;
	if (ready > at) {
		waited_until(t, at, JOB_WAIT_ISSUE, pc);
		return goer_waits(t, ready, cause);
	}
	start = c->slots ? slots_from(t, c, at) : at;
	if (start > at || !c->plain_end || c->pipe == PIPE_QUEUE)
		return goer_waits(t, start, JOB_WAIT_ISSUE);
	waited_until(t, at, JOB_WAIT_ISSUE, pc);
	go_out(t, c, pc, kernel_path(k)->mask, at);
	run_plain(t, c, pc, at);
	return ON;
}

/* All its lanes have left it. */
static enum pace run_over(struct goer t)
{
	const uint32_t mask = kernel_path(t.k)->mask;

	paths_exit(t.k, mask);
	cluster_without(t.x, t.warp, mask);
	return ON;
}

static inline enum pace run_insn(struct goer t)
{
	struct grid *g = t.g;
	struct kernel_warp *k = t.k;
	const struct path *path = kernel_path(k);
	const struct code_insn *c;
	uint32_t mask, pc = path->pc;
	enum pace pace;

	if (t.w->ready > core_now(t.x->core))
		return run_behind(t, pc);
	if (pc >= g->code.count)
		return run_over(t);
	c = &g->code.insns[pc];
	if (c->part != k->part && wait_code(t.x, t.warp, c) == OFF)
		return OFF;
	if (needs_values(c) && k->known != pc + 1 &&
		wait_rows(t.x, t.warp, c) == OFF)
		return OFF;
	if (c->gathers && !gathered(t.x, t.warp, c)) {
		k->known = 0;
		return t.x->core->failed ? OFF : ON;
	}
	mask = executing(g, k, path->mask, c);
	pace = issue(t, c, pc, mask, true);
	if (pace != ON)
		return pace;
	if (c->plain_end) {
		run_plain(t, c, pc, begins(t, c));
		return ON;
	}
	if (!mask && c->kind != CODE_BRANCH) {
		paths_next(k);
		return ON;
	}
	return execute(t.x, t.warp, c, mask);
}

enum pace run_insns(struct execution *x, uint32_t warp)
{
	const struct goer t = goer_of(x, warp);
	enum pace pace;

	while (t.k->depth) {
		pace = run_insn(t);
		if (pace == OFF || (pace == WAITED && !may_go(t)))
			return OFF;
	}
	return ON;
}
