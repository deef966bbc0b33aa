/* Accesses of whole warps to words side by side, which most are: a run of bytes
   of one region, that needs no look at each lane. */
#include <string.h>

#include "backend_sim/core/memory.h"
#include "backend_sim/grid/access.h"

/* Words of 32 or 64 bits, from or to registers of as many. */
static bool is_simple(const struct code_insn *c)
{
	return (c->insn->op == PTXO_LD || c->insn->op == PTXO_ST) &&
	       (c->space == PTX_GLOBAL || c->space == PTX_GENERIC) &&
	       c->has_base && c->is_wide && !c->gathered &&
	       (c->wide_rows ? c->bytes == 8 : c->bytes == 4);
}

/* The address of lane 0, if those of the others follow it; 0 otherwise. */
static uint64_t run_of(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c)
{
	const row_u64 *row = kernel_row(g, k, &c->s[0]);
	const uint64_t first = row[0] + c->offset;
	const uint32_t bytes = (uint32_t)c->bytes * c->count;
	uint64_t apart = first & (bytes - 1);
	uint32_t l;

	for (l = 1; l < LANES; l++)
		apart |= (row[l] - row[l - 1]) ^ bytes;
	return apart ? 0 : first;
}

void dense_find(const struct grid *g, struct kernel_warp *k, uint32_t pc)
{
	const struct code_insn *c = &g->code.insns[pc];

	k->run_pc = 0;
	if (pc >= g->code.count || c->kind != CODE_MEMORY || c->guarded ||
		!is_simple(c))
		return;
	k->run_first = run_of(g, k, c);
	if (k->run_first >= SPACE_BASE)
		k->run_pc = pc;
}

void dense_foresee(const struct execution *x, uint32_t warp, uint32_t pc)
{
	const struct space *space = x->grid->space;
	const struct translation *t = x->translation;
	const struct kernel_warp *k = &x->grid->warps[warp];
	const struct code_insn *c = &x->grid->code.insns[pc];
	const uint32_t bytes = LANES * (uint32_t)c->bytes * c->count;
	const uint32_t buffer = x->grid->accesses[pc].address.buffer;
	const uint64_t offset = k->run_first - SPACE_BASE;
	uint32_t i;

	if (k->run_pc != pc || !pc || offset + bytes > space->size)
		return;
	for (i = 0; i < bytes && !c->idle; i += 64)
		memory_prefetch(space->bytes + offset + i);
	for (i = 0; i < bytes; i += PROGRAM_LINE_BYTES)
		l1_prefetch(x->l1, x->warps[warp].sm,
			translation_line(t,
				translation_page(t, buffer, offset + i),
				offset + i));
}

/* Where lane 0 is, if the others follow it in one region; NULL otherwise. */
static uint8_t *find_run(const struct access_of *a, uint64_t *offset)
{
	const struct code_insn *c = a->c;
	const uint32_t bytes = LANES * (uint32_t)c->bytes * c->count;
	uint64_t first = a->k->run_pc == a->pc && a->pc ? a->k->run_first
							: run_of(a->g, a->k, c);

	a->k->run_pc = 0;
	if (first < SPACE_BASE)
		return NULL;
	*offset = first - SPACE_BASE;
	if (!(c->idle ? space_find : space_take)(a->g->space, *offset, bytes))
		return NULL;
	return a->g->space->bytes + *offset;
}

/* Every so manieth word; a number that the compiler knows lets it take several
   at once. */
static inline __attribute__((always_inline)) void load32_every(
	row_u32 *row, const row_u32 *from, uint32_t count)
{
	uint32_t l;

	for (l = 0; l < LANES; l++)
		row[l] = from[l * count];
}

static void load32(row_u32 *row, const uint8_t *run, uint32_t count)
{
	const row_u32 *from = (const row_u32 *)(const void *)run;

	if (count == 1)
		memcpy(row, run, LANES * sizeof(*row));
	else if (count == 2)
		load32_every(row, from, 2);
	else
		load32_every(row, from, count);
}

static void load64(row_u64 *row, const uint8_t *run, uint32_t count)
{
	const row_u64 *from = (const row_u64 *)(const void *)run;
	uint32_t l;

	for (l = 0; l < LANES; l++)
		row[l] = from[l * count];
}

static void store32(const row_u32 *row, uint8_t *run, uint32_t count)
{
	row_u32 *to = (row_u32 *)(void *)run;
	uint32_t l;

	if (count == 1)
		memcpy(run, row, LANES * sizeof(*row));
	else
		for (l = 0; l < LANES; l++)
			to[l * count] = row[l];
}

static void store64(const row_u64 *row, uint8_t *run, uint32_t count)
{
	row_u64 *to = (row_u64 *)(void *)run;
	uint32_t l;

	for (l = 0; l < LANES; l++)
		to[l * count] = row[l];
}

/* ---- four words a lane ---- */

typedef uint32_t __attribute__((vector_size(16), may_alias, aligned(4)))
row_four;
typedef uint32_t __attribute__((vector_size(16))) four;

/* Words of two vectors, by their places in both. */
#ifdef __clang__
#define FOUR_OF(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define FOUR_OF(a, b, ...) __builtin_shuffle(a, b, (four){__VA_ARGS__})
#endif

/* Four words of four lanes become four lanes of four words, and back. */
static inline __attribute__((always_inline)) void turn_fours(four v[4])
{
	const four a = FOUR_OF(v[0], v[1], 0, 4, 1, 5);
	const four b = FOUR_OF(v[2], v[3], 0, 4, 1, 5);
	const four c = FOUR_OF(v[0], v[1], 2, 6, 3, 7);
	const four d = FOUR_OF(v[2], v[3], 2, 6, 3, 7);

	v[0] = FOUR_OF(a, b, 0, 1, 4, 5);
	v[1] = FOUR_OF(a, b, 2, 3, 6, 7);
	v[2] = FOUR_OF(c, d, 0, 1, 4, 5);
	v[3] = FOUR_OF(c, d, 2, 3, 6, 7);
}

/* Whole vectors of the run and of the rows, in either direction. */
static inline __attribute__((always_inline)) void move_fours(
	const struct access_of *a, row_four *run, const bool loads)
{
	row_four *rows[4];
	uint32_t l, i;
	four v[4];

	for (i = 0; i < 4; i++)
		rows[i] = kernel_row(a->g, a->k, &a->c->rows[i]);
	for (l = 0; l < LANES / 4; l++) {
		for (i = 0; i < 4; i++)
			v[i] = loads ? run[4 * l + i] : rows[i][l];
		turn_fours(v);
		for (i = 0; i < 4; i++)
			*(loads ? &rows[i][l] : &run[4 * l + i]) = v[i];
	}
}

static bool has_fours(const struct code_insn *c)
{
	return c->count == 4 && !c->wide_rows &&
	       (c->insn->op != PTXO_LD ||
		       !(c->rows[0].is_constant || c->rows[1].is_constant ||
			       c->rows[2].is_constant ||
			       c->rows[3].is_constant));
}

/* ---- either way ---- */

bool dense_values(const struct access_of *a, uint64_t *offset)
{
	const struct code_insn *c = a->c;
	bool loads = c->insn->op == PTXO_LD;
	uint8_t *run;
	uint32_t i;

	if (a->mask != UINT32_MAX || !is_simple(c))
		return false;
	run = find_run(a, offset);
	if (!run)
		return false;
	if (!c->idle && has_fours(c)) {
		if (loads)
			move_fours(a, (row_four *)(void *)run, true);
		else
			move_fours(a, (row_four *)(void *)run, false);
		return true;
	}
	for (i = 0; i < c->count && !c->idle; i++, run += c->bytes) {
		void *row = kernel_row(a->g, a->k, &c->rows[i]);

		if (loads && c->rows[i].is_constant)
			continue;
		if (loads && c->wide_rows)
			load64(row, run, c->count);
		else if (loads)
			load32(row, run, c->count);
		else if (c->wide_rows)
			store64(row, run, c->count);
		else
			store32(row, run, c->count);
	}
	return true;
}
