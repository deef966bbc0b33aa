/* Matrices that the lanes of a warp hold together. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/cost.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/meet.h"
#include "backend_sim/matrix/matrix.h"

#define ROWS 8u /* of a matrix of 16-byte rows */

/* False: the run has failed, for threads are missing. */
static bool all_there(
	struct execution *x, uint32_t warp, uint32_t pc, uint32_t mask)
{
	const struct warp *w = &x->warps[warp];

	if (mask == UINT32_MAX)
		return true;
	grid_fail(x, warp, pc,
		"block %" PRIu64 ", warp %u: '%s' is executed by %d of 32 "
		"threads, and all must execute it",
		x->grid->blocks[w->block_index].number, w->index,
		ptx_ops[x->grid->code.insns[pc].insn->op].text,
		__builtin_popcount(mask));
	return false;
}

const struct row *matrix_row(const struct grid *g, const struct code_insn *c,
	uint32_t which, uint32_t i)
{
	uint32_t at = c->fragments + i, k;

	for (k = 0; k < which; k++)
		at += c->fragment_counts[k];
	return &g->code.fragments[at];
}

/* ---- products ---- */

uint8_t matrix_type(uint8_t type)
{
	switch (type) {
	case PTX_f16:
		return MATRIX_F16;
	case PTX_bf16:
		return MATRIX_BF16;
	case PTX_tf32:
		return MATRIX_TF32;
	case PTX_e4m3:
		return MATRIX_E4M3;
	case PTX_e5m2:
		return MATRIX_E5M2;
	case PTX_f64:
		return MATRIX_F64;
	case PTX_s8:
		return MATRIX_S8;
	case PTX_u8:
		return MATRIX_U8;
	case PTX_s32:
		return MATRIX_S32;
	default:
		return MATRIX_F32;
	}
}

struct matrix_product matrix_product_of(
	const struct grid *g, const struct ptx_insn *insn)
{
	return (struct matrix_product){
		.d = matrix_type(insn->type),
		.a = matrix_type(insn->from),
		.b = matrix_type(insn->more[0]),
		.c = matrix_type(insn->more[1]),
		.m = insn->shape.m,
		.n = insn->shape.n,
		.k = insn->shape.k,
		.columns = insn->shape.columns,
		.saturates = insn->word[PTX_CLASS_FINITE] != 0,
		.by_ieee = g->values_ieee,
	};
}

/* What of D is left out goes to `nowhere`. */
static void multiply(
	const struct grid *g, struct kernel_warp *k, const struct code_insn *c)
{
	const struct matrix_product p = matrix_product_of(g, c->insn);
	const void *in[3][MATRIX_REGISTERS];
	void *out[MATRIX_REGISTERS];
	uint64_t nowhere[LANES] = {0};
	uint32_t which, i;

	for (which = 0; which < 3; which++)
		for (i = 0; i < c->fragment_counts[which + 1]; i++)
			in[which][i] = kernel_row(
				g, k, matrix_row(g, c, which + 1, i));
	for (i = 0; i < c->fragment_counts[0]; i++) {
		const struct row *row = matrix_row(g, c, 0, i);

		out[i] = row->is_constant ? (void *)nowhere
					  : kernel_row(g, k, row);
	}
	if (c->insn->op == PTXO_WMMA_MMA)
		matrix_multiply_fragments(&p, in[0], in[1], in[2], out);
	else
		matrix_multiply(&p, in[0], in[1], in[2], out);
}

/* Lane l has elements 2 (l % 4) and the next of row l / 4: afterwards of the
   column. */
static void transpose(row_u32 *row)
{
	uint16_t moved[ROWS][ROWS];
	uint32_t l, j;

	for (l = 0; l < LANES; l++)
		for (j = 0; j < 2; j++)
			moved[l % 4 * 2 + j][l / 4] =
				(uint16_t)(row[l] >> 16 * j);
	for (l = 0; l < LANES; l++)
		row[l] = moved[l / 4][l % 4 * 2] |
			 (uint32_t)moved[l / 4][l % 4 * 2 + 1] << 16;
}

static void move(
	const struct grid *g, struct kernel_warp *k, const struct code_insn *c)
{
	uint32_t moved[LANES];
	const struct row *to;

	memcpy(moved, kernel_row(g, k, matrix_row(g, c, 1, 0)), sizeof(moved));
	transpose(moved);
	to = matrix_row(g, c, 0, 0);
	if (!to->is_constant)
		memcpy(kernel_row(g, k, to), moved, sizeof(moved));
}

/* ---- loads and stores ---- */

static void load(const struct access_of *a, uint32_t i)
{
	const struct row *row = matrix_row(a->g, a->c, 0, i);
	uint32_t words[LANES], l;

	for (l = 0; l < LANES; l++)
		memcpy(&words[l], a->place[ROWS * i + l / 4] + l % 4 * 4, 4);
	if (a->c->insn->word[PTX_CLASS_TRANS])
		transpose(words);
	if (!row->is_constant)
		memcpy(kernel_row(a->g, a->k, row), words, sizeof(words));
}

static void store(const struct access_of *a, uint32_t i)
{
	uint32_t words[LANES], l;

	memcpy(words, kernel_row(a->g, a->k, matrix_row(a->g, a->c, 0, i)),
		sizeof(words));
	if (a->c->insn->word[PTX_CLASS_TRANS])
		transpose(words);
	for (l = 0; l < LANES; l++)
		memcpy(a->place[ROWS * i + l / 4] + l % 4 * 4, &words[l], 4);
}

/* Lane 8 i + r has the address of row r of matrix i. */
static void run_tiles(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc)
{
	const uint32_t count = c->fragment_counts[0];
	struct access_of a;
	uint32_t i;

	access_begin(&a, x, warp, c, pc, UINT32_MAX >> (LANES - ROWS * count));
	access_addresses(&a, &c->s[0], c->has_base, c->offset, c->is_wide);
	if (!access_places(&a, PTX_SHARED, c->bytes))
		return;
	if (!order_access(&a, c->bytes, c->insn->op == PTXO_STMATRIX))
		return;
	for (i = 0; i < count; i++)
		if (c->idle)
			continue;
		else if (c->insn->op == PTXO_LDMATRIX)
			load(&a, i);
		else
			store(&a, i);
	shared_tiles(&a, count);
}

void matrix_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (!all_there(x, warp, pc, mask))
		return;
	order_meet(x, warp, mask);
	if (c->kind == CODE_TILES)
		run_tiles(x, warp, c, pc);
	else if (c->kind == CODE_FRAGMENT)
		fragment_run(x, warp, c, pc);
	else if (c->insn->op == PTXO_WGMMA)
		products_run(x, warp, c, pc);
	else if (c->insn->op == PTXO_MOVMATRIX && !c->idle)
		move(x->grid, k, c);
	else if (!c->idle)
		multiply(x->grid, k, c);
	meet_pass(x, warp, c, mask);
	if (c->kind == CODE_MATRIX)
		write_later(k, c, core_now(x->core));
}
