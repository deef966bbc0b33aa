/* Warps that replay a trace: what they executed, in the machine's own order,
   with the addresses that they touched. */
#include "backend_sim/grid/reach.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/run_parts.h"

void replay_open(struct grid *g, uint32_t slot)
{
	const struct trace_kernel *t = g->trace;
	uint64_t first = g->blocks[slot].number * g->block_warps;
	uint32_t i;

	for (i = 0; i < g->block_warps; i++) {
		const struct trace_warp *w = &t->warps[first + i];

		g->replays[slot * g->block_warps + i] =
			(struct replay){.at = w->at, .left = w->insns};
	}
}

/* The warp's next instruction; NULL: there is none. The text was read before
   the run, and without an error. */
static const struct code_insn *next_insn(
	struct grid *g, struct replay *p, struct kernel_warp *k)
{
	if (!p->has_insn) {
		if (!p->left ||
			trace_read_insn(&p->at, &g->trace->head, &p->insn))
			return NULL;
		p->left--;
		p->has_insn = true;
		kernel_path(k)->pc = trace_kernel_insn(g->trace, p->insn.pc);
	}
	return &g->code.insns[kernel_path(k)->pc];
}

/* ---- memory ---- */

static void find_lanes(struct access_of *a, const struct trace_insn *insn)
{
	const struct space *s = a->g->space;
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t address = insn->address[l];

		switch (trace_kernel_space(a->g->trace, a->c, &address)) {
		case PTX_SHARED:
			a->shared |= 1u << l;
			break;
		case PTX_LOCAL:
			a->local |= 1u << l;
			break;
		default:
			address = s->traced_first +
				  trace_pages_offset(&s->pages, address);
			a->global |= 1u << l;
			break;
		}
		a->address[l] = address;
	}
}

static void access_memory(struct execution *x, uint32_t warp,
	const struct code_insn *c, const struct trace_insn *insn)
{
	struct access_of a;

	reach_begin(&a, x, warp, c, kernel_path(&x->grid->warps[warp])->pc,
		insn->mask);
	find_lanes(&a, insn);
	if (c->kind == CODE_COPY)
		memory_copy_cost(&a);
	else
		memory_cost(&a, c->bytes);
}

/* ---- instructions ---- */

static enum pace execute(struct execution *x, uint32_t warp,
	const struct code_insn *c, const struct trace_insn *insn)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t now = core_now(x->core);

	switch (c->kind) {
	case CODE_MEMORY:
	case CODE_COPY:
		access_memory(x, warp, c, insn);
		return ON;
	case CODE_BRANCH:
		/* Most are taken. */
		x->warps[warp].ready = now + c->latency_cycles + TAKEN_CYCLES;
		return ON;
	case CODE_BARRIER:
		return run_barrier(x, warp, c, paths_alive(k));
	case CODE_FENCE:
		return run_fence(x, warp, c);
	case CODE_GROUP:
		return run_group(x, warp, c);
	default:
		write_later(k, c, now);
		return ON;
	}
}

static enum pace replay_insn(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	struct replay *p = &g->replays[warp];
	const struct code_insn *c = next_insn(g, p, k);
	enum pace pace = ON;

	if (!c) {
		k->depth = 0;
		return ON;
	}
	if (x->warps[warp].ready > core_now(x->core))
		return wait_until(
			x, warp, x->warps[warp].ready, JOB_WAIT_ISSUE);
	if (wait_rows(x, warp, c) == OFF)
		return OFF;
	if (issue_insn(x, warp, c, kernel_path(k)->pc, p->insn.mask) == OFF)
		return OFF;
	if (p->insn.mask)
		pace = execute(x, warp, c, &p->insn);
	/* A fence and a wait for copies are tried again when they may go on. */
	if (pace == ON || c->kind == CODE_BARRIER)
		p->has_insn = false;
	return pace;
}

enum pace replay_insns(struct execution *x, uint32_t warp)
{
	while (x->grid->warps[warp].depth)
		if (replay_insn(x, warp) == OFF)
			return OFF;
	return ON;
}
