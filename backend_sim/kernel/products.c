/* Products of a warpgroup's four warps, which are over later. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/run_parts.h"

/* From the end of its turn of the tensor core to the end of the wait. Measured
   on an H200: fence, one product, commit and wait take 62.7 cycles for N = 8
   and 197 for N = 256, of which the product's turn is 18 and 128. */
#define OVER_CYCLES 56u

static uint64_t descriptor(const struct grid *g, const struct kernel_warp *k,
	const struct row *row, bool is_there)
{
	return is_there ? ((const row_u64 *)kernel_row(g, k, row))[0] : 0;
}

static bool keeps(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	uint32_t bits;

	memcpy(&bits, kernel_row(g, k, &c->p), sizeof(bits));
	return ((c->p_negated ? ~bits : bits) & 1) != 0;
}

static void take_rows(const struct grid *g, struct kernel_warp *k,
	const struct code_insn *c, const void **a, void **d)
{
	uint32_t i;

	for (i = 0; i < c->fragment_counts[0]; i++)
		d[i] = kernel_row(g, k, matrix_row(g, c, 0, i));
	for (i = 0; i < c->fragment_counts[1]; i++)
		a[i] = kernel_row(g, k, matrix_row(g, c, 1, i));
}

void products_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc)
{
	const struct grid *g = x->grid;
	const struct warp *w = &x->warps[warp];
	const struct kernel_block *b = &g->blocks[w->block_index];
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t chunks[ORDER_CHUNKS / 64];
	const struct matrix_memory memory = {
		b->shared, g->shared_bytes, g->order ? chunks : NULL};
	const void *a[MATRIX_REGISTERS];
	void *d[MATRIX_REGISTERS];
	const bool in_registers = c->fragment_counts[1] > 0;
	const struct matrix_shared s = {
		.product = matrix_product_of(g, c->insn),
		.memory = &memory,
		.a = {descriptor(g, k, &c->s[0], !in_registers),
			c->offset >> 2 & 1, c->offset & 1},
		.b = {descriptor(g, k, &c->s[1], true), c->offset >> 3 & 1,
			c->offset >> 1 & 1},
		.a_rows = in_registers ? a : NULL,
		.keeps = keeps(g, k, c),
	};
	uint32_t beyond = 0;

	if (g->order)
		memset(chunks, 0, sizeof(chunks));
	take_rows(g, k, c, a, d);
	if (!matrix_multiply_shared(&s, w->index % 4, d, &beyond)) {
		grid_fail(x, warp, pc,
			"block %" PRIu64 ", warp %u: a descriptor leads to "
			"shared memory, offset %u, of %" PRIu64 " bytes",
			b->number, w->index, beyond, g->shared_bytes);
		return;
	}
	if (g->order)
		order_chunks(x, warp, pc, chunks);
	k->product_over = core_now(x->core) + c->pipe_cycles + OVER_CYCLES;
}

enum pace products_group(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t over = 0;

	if (c->insn->op == PTXO_WGMMA_COMMIT)
		k->products_over[k->products_group++ % PRODUCT_GROUPS] =
			k->product_over;
	else if (c->offset < PRODUCT_GROUPS && c->offset < k->products_group)
		over = k->products_over[(k->products_group - 1 - c->offset) %
					PRODUCT_GROUPS];
	if (over > core_now(x->core))
		return wait_until(x, warp, over, JOB_WAIT_ARITHMETIC);
	paths_next(k);
	return ON;
}
