/* Fragments of wmma from and to memory. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/idle/needed.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/matrix/matrix.h"

#define ROW_BYTES 16u

static struct matrix_fragment fragment_of(const struct ptx_insn *insn)
{
	return (struct matrix_fragment){
		.which = insn->op == PTXO_WMMA_LOAD_A   ? MATRIX_OF_A
			 : insn->op == PTXO_WMMA_LOAD_B ? MATRIX_OF_B
							: MATRIX_OF_C,
		.type = matrix_type(insn->type),
		.m = insn->shape.m,
		.n = insn->shape.n,
		.k = insn->shape.k,
	};
}

/* Where each lane has element `i`. */
static bool find(
	struct access_of *a, const struct matrix_fragment *f, unsigned i)
{
	const struct code_insn *c = a->c;
	const row_u32 *distance = kernel_row(a->g, a->k, &c->s[1]);
	unsigned l, row, column;

	a->shared = a->local = a->global = 0;
	access_addresses(a, &c->s[0], c->has_base, c->offset, c->is_wide);
	for (l = 0; l < LANES; l++) {
		matrix_place(f, l, i, &row, &column);
		a->address[l] +=
			(c->insn->shape.columns & 1
					? column * (uint64_t)distance[l] + row
					: row * (uint64_t)distance[l] +
						  column) *
			c->bytes;
	}
	return access_places(a, c->space, c->bytes);
}

static void load(const struct access_of *a, void *row, unsigned i)
{
	const unsigned bytes = a->c->bytes;
	const unsigned shift = bytes < 4 ? i % (4 / bytes) * 8 * bytes : 0;
	unsigned l;

	for (l = 0; l < LANES; l++) {
		const uint64_t bits = access_bits(a->place[l], bytes);

		if (bytes == 8)
			((row_u64 *)row)[l] = bits;
		else if (shift)
			((row_u32 *)row)[l] |= (uint32_t)bits << shift;
		else
			((row_u32 *)row)[l] = (uint32_t)bits;
	}
}

static void store(const struct access_of *a, const void *row, unsigned i)
{
	const unsigned bytes = a->c->bytes;
	const unsigned shift = bytes < 4 ? i % (4 / bytes) * 8 * bytes : 0;
	uint64_t bits;
	unsigned l;

	for (l = 0; l < LANES; l++) {
		bits = bytes == 8 ? ((const row_u64 *)row)[l]
				  : ((const row_u32 *)row)[l] >> shift;
		memcpy(a->place[l], &bits, bytes);
	}
}

/* The hardware faults where rows, or columns, do not lie 16 bytes apart, or a
   multiple of that. */
static bool is_spaced(const struct access_of *a)
{
	const row_u32 *distance = kernel_row(a->g, a->k, &a->c->s[1]);
	const uint64_t bytes = distance[0] * (uint64_t)a->c->bytes;

	if (bytes % ROW_BYTES == 0)
		return true;
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", warp %u: rows of a matrix are %" PRIu64
		" bytes apart, and must be a multiple of %u",
		a->g->blocks[a->x->warps[a->warp].block_index].number,
		a->x->warps[a->warp].index, bytes, ROW_BYTES);
	return false;
}

/* Element by element; their time is that of accesses of single elements. */
void fragment_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc)
{
	const struct matrix_fragment f = fragment_of(c->insn);
	const unsigned each = c->bytes < 4 ? 4 / c->bytes : 1;
	struct access_of a;
	unsigned i;

	for (i = 0; i < c->fragment_counts[0] * each; i++) {
		const struct row *r = matrix_row(x->grid, c, 0, i / each);
		void *row = kernel_row(x->grid, &x->grid->warps[warp], r);

		access_begin(&a, x, warp, c, pc, UINT32_MAX);
		if (!is_spaced(&a) || !find(&a, &f, i) ||
			!order_access(
				&a, c->bytes, c->insn->op == PTXO_WMMA_STORE) ||
			!needed_access(&a, c->insn->op != PTXO_WMMA_STORE,
				c->insn->op == PTXO_WMMA_STORE))
			return;
		if (c->idle)
			;
		else if (c->insn->op == PTXO_WMMA_STORE)
			store(&a, row, i);
		else if (!r->is_constant)
			load(&a, row, i);
		memory_cost(&a, c->bytes);
	}
}
