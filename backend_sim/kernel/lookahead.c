/* What a warp's next event will look at is fetched into the host's caches. */
#include "backend_sim/core/memory.h"
#include "backend_sim/kernel/reach.h"
#include "backend_sim/kernel/run_parts.h"

void lookahead_warp(const struct execution *x, uint32_t warp)
{
	const struct grid *g = x->grid;
	const struct kernel_warp *k = &g->warps[warp];
	const uint8_t *marks = g->memory + warp * g->warp_bytes;

	memory_prefetch(&x->warps[warp]);
	memory_prefetch(k);
	memory_prefetch(&k->marks);
	memory_prefetch(marks);
	if (g->marks_bytes > 64)
		memory_prefetch(marks + 64);
}

static void prefetch_rows(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t i;

	for (i = 0; i < c->sources; i++) {
		const uint8_t *row = kernel_row(g, k, &c->s[i]);

		memory_prefetch(row);
		memory_prefetch(row + 64);
	}
}

void lookahead_next(const struct execution *x, uint32_t warp)
{
	const struct grid *g = x->grid;
	const struct kernel_warp *k = &g->warps[warp];
	const struct code_insn *c;
	uint32_t pc;

	if (!k->depth || k->paths[k->depth - 1].pc >= g->code.count)
		return;
	pc = k->paths[k->depth - 1].pc;
	c = &g->code.insns[pc];
	if (c->guarded)
		memory_prefetch(kernel_row(g, k, &c->guard));
	if (c->kind == CODE_MEMORY)
		dense_foresee(x, warp, pc);
	else if (c->plain_end && !k->computed)
		prefetch_rows(g, k, c);
}
