/* What a warp's next event will look at is fetched into the host's caches. */
#include "backend_sim/core/memory.h"
#include "backend_sim/grid/access.h"
#include "backend_sim/kernel/run_parts.h"

void lookahead_warp(const struct execution *x, uint32_t warp)
{
	const struct grid *g = x->grid;
	const struct kernel_warp *k = &g->warps[warp];
	const uint8_t *marks = g->memory + warp * g->warp_bytes;
	size_t i;

	memory_prefetch(&x->warps[warp]);
	memory_prefetch(k);
	memory_prefetch(&k->marks);
	for (i = 0; i < g->marks_bytes; i += 64)
		memory_prefetch(marks + i);
}

static void prefetch_row(const uint8_t *row, uint32_t bytes)
{
	uint32_t i;

	for (i = 0; i < bytes; i += 64)
		memory_prefetch(row + i);
}

static void prefetch_sources(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t i;

	for (i = 0; i < c->sources; i++)
		prefetch_row(kernel_row(g, k, &c->s[i]), LANES * 4);
}

static void prefetch_elements(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t i;

	for (i = 0; i < c->count; i++)
		prefetch_row(kernel_row(g, k, &c->rows[i]),
			c->wide_rows ? LANES * 8 : LANES * 4);
}

/* A warp that begins writes to registers that the last warp of its place left
   long ago: to all of them, where they are few. */
#define FEW_BYTES 4096

static void prefetch_registers(
	const struct grid *g, const struct kernel_warp *k)
{
	if (g->code.register_bytes <= FEW_BYTES)
		prefetch_row(kernel_rows(g, k), g->code.register_bytes);
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
	/* Its values are there. */
	if (k->computed)
		return;
	if (!k->begun)
		prefetch_registers(g, k);
	if (c->guarded)
		memory_prefetch(kernel_row(g, k, &c->guard));
	if (c->kind == CODE_MEMORY) {
		dense_foresee(x, warp, pc);
		if (!c->idle)
			prefetch_elements(g, k, c);
	} else if (c->plain_end && k->begun && !c->idle) {
		prefetch_sources(g, k, c);
	}
}
