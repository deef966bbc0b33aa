/* Products of a warpgroup's four warps, which are over later. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/constants.h"

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

/* Who reads D before its group was waited for is found by these. */
static void mark_products(const struct grid *g, struct kernel_warp *k,
	const struct code_insn *c, uint32_t pc)
{
	const struct mark mark = {
		.board = BOARD_OF_PRODUCTS(k->products_group) & 15,
		.cause = JOB_WAIT_ARITHMETIC,
	};
	const uint32_t group = k->products_group % PRODUCT_GROUPS;
	uint32_t i;

	k->products_pending |= (uint8_t)(1u << group);
	k->product_pc[group] = pc;
	for (i = 0; i < c->fragment_counts[0]; i++)
		k->marks[matrix_row(g, c, 0, i)->slot] = mark;
}

void products_begin(
	struct kernel_warp *k, const struct code_insn *c, uint64_t now)
{
	k->product_over = now + c->pipe_cycles + PRODUCT_OVER_CYCLES;
}

void products_commit(struct kernel_warp *k)
{
	k->products_over[k->products_group++ % PRODUCT_GROUPS] =
		k->product_over;
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
	if (!c->idle && !matrix_multiply_shared(&s, w->index % 4, d, &beyond)) {
		grid_fail(x, warp, pc,
			"block %" PRIu64 ", warp %u: a descriptor leads to "
			"shared memory, offset %u, of %" PRIu64 " bytes",
			b->number, w->index, beyond, g->shared_bytes);
		return;
	}
	mark_products(g, k, c, pc);
	if (g->order)
		order_chunks(x, warp, pc, chunks);
	products_begin(k, c, core_now(x->core));
}

static void note_wait(struct grid *g, const struct code_insn *c, uint32_t line)
{
	if (g->note[0])
		return;
	snprintf(g->note, sizeof(g->note),
		"%s:%u: '%s' reads a register that the product of line %u "
		"leaves, and no wgmma.wait_group for its group comes between: "
		"the assembler inserts the wait",
		g->file, c->insn->place.line, ptx_ops[c->insn->op].text, line);
}

/* The group and those before it are over. */
static void end_up_to(struct kernel_warp *k, uint32_t group)
{
	uint32_t age = (k->products_group - group) % PRODUCT_GROUPS;

	for (; age < PRODUCT_GROUPS; age++)
		k->products_pending &= (uint8_t) ~(
			1u << (k->products_group - age) % PRODUCT_GROUPS);
}

/* PTX leaves undefined what is read there. The assembler (13.0) puts a wait
   before it, and says so (C7517), or makes each product wait for the one before
   (C7514): what is read is the product. */
enum pace products_touched(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	const uint32_t group = k->waits_board - BOARDS - 1u;
	const uint64_t over = group == k->products_group % PRODUCT_GROUPS
				      ? k->product_over
				      : k->products_over[group];

	note_wait(g, c, g->code.insns[k->product_pc[group]].insn->place.line);
	end_up_to(k, group);
	if (over > core_now(x->core))
		return wait_until(x, warp, over, JOB_WAIT_ARITHMETIC);
	return wait_rows(x, warp, c);
}

/* Those of the open group, and of the last so many that were committed, are
   still under way. */
static void end_products(struct kernel_warp *k, uint64_t but)
{
	uint8_t under_way = 0;
	uint32_t i;

	for (i = 0; i <= but && i < PRODUCT_GROUPS; i++)
		under_way |= (uint8_t)(1u << (k->products_group - i) %
						     PRODUCT_GROUPS);
	k->products_pending &= under_way;
}

enum pace products_group(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint64_t over = 0;

	if (c->insn->op == PTXO_WGMMA_COMMIT)
		products_commit(k);
	else if (c->offset < PRODUCT_GROUPS && c->offset < k->products_group)
		over = k->products_over[(k->products_group - 1 - c->offset) %
					PRODUCT_GROUPS];
	if (over > core_now(x->core))
		return wait_until(x, warp, over, JOB_WAIT_ARITHMETIC);
	if (c->insn->op == PTXO_WGMMA_WAIT)
		end_products(k, c->offset);
	paths_next(k);
	return ON;
}
