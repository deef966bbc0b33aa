/* Warps that replay a trace: what they executed, in the machine's own order,
   with the addresses that they touched. */
#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/access.h"
#include "backend_sim/kernel/cost.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/constants.h"

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
	const uint32_t own =
		cluster_rank(a->g, a->x->warps[a->warp].block_index);
	uint32_t rest, rank;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t address = insn->address[l];

		switch (trace_kernel_space(
			a->g->trace, a->c, &address, &rank)) {
		case PTX_SHARED:
			if (rank == TRACE_OWN_RANK || rank == own)
				a->shared |= 1u << l;
			else
				a->remote |= 1u << l;
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

	access_begin(&a, x, warp, c, kernel_path(&x->grid->warps[warp])->pc,
		insn->mask);
	find_lanes(&a, insn);
	if (c->kind == CODE_TILES)
		shared_tiles(&a, c->moved / 4u);
	else if (c->kind == CODE_COPY)
		memory_copy_cost(&a);
	else
		memory_cost(&a, c->bytes);
}

/* ---- instructions ---- */

/* A warpgroup's is over later; who waits for its group waits for it. */
static void multiply(
	struct kernel_warp *k, const struct code_insn *c, uint64_t now)
{
	if (c->insn->op != PTXO_WGMMA) {
		write_later(k, c, now);
		return;
	}
	products_begin(k, c, now);
	if (c->has_base)
		products_commit(k);
}

static enum pace execute(struct execution *x, uint32_t warp,
	const struct code_insn *c, const struct trace_insn *insn)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t now = core_now(x->core);

	switch (c->kind) {
	case CODE_MEMORY:
	case CODE_COPY:
	case CODE_TILES:
		access_memory(x, warp, c, insn);
		return ON;
	case CODE_MATRIX:
		multiply(k, c, now);
		return ON;
	case CODE_PRODUCTS:
	case CODE_CLUSTER:
	case CODE_REGISTERS:
		return run_asynchronous(
			x, warp, c, kernel_path(k)->pc, paths_alive(k));
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
		cluster_without(x, warp, paths_alive(k));
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
	/* What waits is tried again when it may go on, but at a barrier. */
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
