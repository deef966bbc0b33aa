/* Copies of boxes of tensors, as threads issue them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/bulk/bulk_parts.h"
#include "backend_sim/idle/needed.h"
#include "backend_sim/tensor/box.h"

/* As in decode_tensor.c. */
enum { SHARED, MAP, RANKS };

#define SHARED_UNIT 128u /* of a box's address in shared memory */

struct tensor_issue {
	struct bulk_issue issue;
	struct tensor_map map;
	int32_t at[TENSOR_RANK_MAX];
	struct copy_order order;
	struct copy_run *runs; /* owned */
	uint32_t count, capacity;
};

static bool fails(struct tensor_issue *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fails(struct tensor_issue *t, const char *format, ...)
{
	const struct bulk_issue *s = &t->issue;
	const struct warp *w = &s->x->warps[s->warp];
	char what[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	grid_fail(s->x, s->warp, s->pc,
		"block %" PRIu64 ", thread %u: a tensor copy %s",
		s->x->grid->blocks[w->block_index].number,
		w->index * LANES + s->lane, what);
	return false;
}

/* ---- what it is about ---- */

/* A map in global memory may be one that the launch has made. */
static bool may_use(const struct bulk_issue *s, const uint8_t *map)
{
	const struct space *space = s->x->grid->space;

	return map < space->bytes || map >= space->bytes + space->size ||
	       order_map_used(s->x, s->warp, s->lane, s->pc,
		       (uint64_t)(map - space->bytes));
}

static bool take_map(struct tensor_issue *t)
{
	const struct bulk_issue *s = &t->issue;
	const struct code_insn *c = s->c;
	const uint32_t rank = c->insn->word[PTX_CLASS_DIMENSION] -
			      (uint32_t)PTXW_DIMENSION_d1 + 1;
	const uint8_t *bytes = map_place(s, PTX_GENERIC,
		bulk_address(s, &c->s[MAP], c->second_offset, MAP), false);
	uint32_t i;

	if (!bytes || !may_use(s, bytes))
		return false;
	if (!tensor_map_decode(bytes, &t->map))
		return fails(t, "has a tensor map that is none: hardware has "
				"no such type, rank or interleave");
	if (t->map.rank != rank)
		return fails(t,
			"of %u dimensions has a tensor map of %u: an illegal "
			"instruction",
			rank, t->map.rank);
	for (i = 0; i < rank; i++) {
		const row_u32 *row = kernel_row(s->x->grid,
			&s->x->grid->warps[s->warp], &c->rows[1 + i]);

		t->at[i] = (int32_t)row[s->lane];
	}
	return true;
}

/* A map that a kernel has made may break the rules that a driver has. As an
   H100 has it. */
static bool check_map(struct tensor_issue *t)
{
	struct error why;

	if (tensor_map_check_layout(&t->map, &why))
		return fails(t, "has a tensor map: %s: an illegal instruction",
			why.text);
	if (t->map.address % 16)
		return fails(t,
			"has a tensor at 0x%" PRIx64
			", which is no multiple of 16: a misaligned address",
			t->map.address);
	return true;
}

static bool loads(const struct tensor_issue *t)
{
	return t->order.kind == COPY_LOAD || t->order.kind == COPY_PREFETCH;
}

/* As an H200 has it: others are illegal instructions there. */
static bool check_place(struct tensor_issue *t)
{
	uint32_t i;

	if (!tensor_box_begins(&t->map, t->at))
		return fails(t,
			"begins at element %d of %s in dimension 0, which is "
			"no multiple of 16 bytes: an illegal instruction",
			t->at[0], tensor_types[t->map.type].name);
	for (i = 0; !loads(t) && i < t->map.rank; i++)
		if (t->at[i] < 0)
			return fails(t,
				"to global memory has coordinate %d in "
				"dimension %u, which is less than 0: an "
				"illegal instruction",
				t->at[i], i);
	return true;
}

static bool find_box(struct tensor_issue *t)
{
	const struct bulk_issue *s = &t->issue;
	const struct code_insn *c = s->c;
	uint64_t address;

	if (t->order.kind == COPY_PREFETCH)
		return true;
	address = bulk_address(s, &c->s[SHARED], c->offset, SHARED);
	if (address % SHARED_UNIT)
		return fails(t,
			"needs a multiple of 128 as address in shared memory, "
			"not 0x%" PRIx64,
			address);
	if (tensor_box_end(&t->map, 0) > UINT32_MAX)
		return fails(t, "has a box that no shared memory holds");
	return bulk_find_shared(s, address, SHARED_UNIT,
		(uint32_t)tensor_box_end(&t->map, 0), &t->order.blocks[0],
		&t->issue.bytes);
}

/* ---- what is done ---- */

static enum copy_kind kind_of(const struct ptx_insn *insn)
{
	if (insn->op == PTXO_CP_TENSOR_PREFETCH)
		return COPY_PREFETCH;
	if (insn->op == PTXO_CP_TENSOR_REDUCE)
		return COPY_REDUCE;
	return insn->word[PTX_CLASS_SPACE] == PTXW_SPACE_global ? COPY_STORE
								: COPY_LOAD;
}

/* The type that a reduction has, and which operations hardware does with it. */
#define BIT(operation) (1u << ((operation)-QV_ATOMIC_add))
#define SUMS           BIT(QV_ATOMIC_add)
#define ENDS           (BIT(QV_ATOMIC_min) | BIT(QV_ATOMIC_max))
#define STEPS          (BIT(QV_ATOMIC_inc) | BIT(QV_ATOMIC_dec))
#define LOGICS         (BIT(QV_ATOMIC_and) | BIT(QV_ATOMIC_or) | BIT(QV_ATOMIC_xor))

static const struct {
	uint8_t type; /* enum ptx_type; untyped: there is none */
	bool flushes;
	uint32_t operations;
} reductions[TENSOR_TYPE_COUNT] = {
	[TENSOR_U32] = {PTX_u32, false, SUMS | ENDS | STEPS | LOGICS},
	[TENSOR_S32] = {PTX_s32, false, SUMS | ENDS | LOGICS},
	[TENSOR_U64] = {PTX_u64, false, SUMS | ENDS | LOGICS},
	[TENSOR_S64] = {PTX_s64, false, ENDS},
	[TENSOR_F16] = {PTX_f16, false, SUMS | ENDS},
	[TENSOR_BF16] = {PTX_bf16, false, SUMS | ENDS},
	[TENSOR_F32] = {PTX_f32, false, SUMS},
	[TENSOR_F32_FTZ] = {PTX_f32, true, SUMS},
	[TENSOR_TF32] = {PTX_f32, false, SUMS},
	[TENSOR_TF32_FTZ] = {PTX_f32, true, SUMS},
	[TENSOR_F64] = {PTX_f64, false, SUMS},
};

static bool take_reduction(struct tensor_issue *t)
{
	const struct ptx_insn *insn = t->issue.c->insn;
	const uint8_t operation = insn->qualifiers[Q_ATOMIC];

	if (t->order.kind != COPY_REDUCE)
		return true;
	if (!(reductions[t->map.type].operations & BIT(operation)))
		return fails(t,
			"by .%s has elements of %s: an illegal instruction",
			ptx_words[insn->word[PTX_CLASS_REDUCE]].text,
			tensor_types[t->map.type].name);
	t->order.reduces = (struct atomic){
		.op = operation,
		.type = reductions[t->map.type].type,
		.bytes = tensor_types[t->map.type].bytes,
		.flushes = reductions[t->map.type].flushes,
	};
	return true;
}

/* ---- its runs ---- */

static bool grow(struct tensor_issue *t)
{
	const uint32_t larger = t->capacity ? 2 * t->capacity : 64;
	struct copy_run *runs = realloc(t->runs, larger * sizeof(*runs));

	if (!runs) {
		grid_fail(t->issue.x, t->issue.warp, t->issue.pc,
			"out of memory for the copies under way");
		return false;
	}
	t->runs = runs;
	t->capacity = larger;
	return true;
}

static bool take_run(void *object, const struct tensor_run *run)
{
	struct tensor_issue *t = object;
	const bool is_outside = run->global == TENSOR_OUTSIDE;
	const uint64_t offset = run->global - SPACE_BASE;

	if (is_outside && t->order.kind != COPY_LOAD)
		return true;
	if (!is_outside && (run->global < SPACE_BASE ||
				   !space_take(t->issue.x->grid->space, offset,
					   run->bytes)))
		return fails(t,
			"is outside of all buffers, at address 0x%" PRIx64,
			run->global);
	if (t->count == t->capacity && !grow(t))
		return false;
	t->runs[t->count++] =
		(struct copy_run){.global = is_outside ? COPY_FILL : offset,
			.shared = run->shared,
			.bytes = run->bytes};
	return true;
}

static bool take_runs(struct tensor_issue *t)
{
	if (!tensor_box_runs(
		    &t->map, t->at, t->issue.bytes, !loads(t), take_run, t))
		return false;
	t->order.runs = t->runs;
	t->order.run_count = t->count;
	return true;
}

static bool take_barrier(struct tensor_issue *t)
{
	const struct code_insn *c = t->issue.c;

	const uint64_t address =
		bulk_address(&t->issue, &c->rows[0], c->third_offset, BARRIER);
	uint32_t slot;

	if (t->order.kind != COPY_LOAD)
		return true;
	if (!bulk_find_shared(
		    &t->issue, address, 8, 8, &slot, &t->order.barrier))
		return false;
	return slot == t->order.blocks[0] ||
	       fails(t, "has its barrier in another block than it goes to");
}

static bool start(struct tensor_issue *t)
{
	struct copy_order *o = &t->order;

	if (!take_map(t) || !check_map(t) || !check_place(t) || !find_box(t) ||
		!take_reduction(t) || !take_runs(t) || !take_barrier(t) ||
		!bulk_spread(&t->issue, &t->issue.c->s[RANKS], o) ||
		!bulk_take_policy(&t->issue, o))
		return false;
	o->fill = t->map.fill == TENSOR_FILL_NAN ? TENSOR_NAN : 0;
	o->rounds =
		o->kind == COPY_LOAD &&
		(t->map.type == TENSOR_TF32 || t->map.type == TENSOR_TF32_FTZ);
	o->asks = grid_promoted(t->issue.x->grid, t->issue.c, t->map.promotion);
	return needed_copy(t->issue.x, o) && copies_start(t->issue.x, o);
}

enum pace run_tensor(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	bool started = true;

	for (; started && mask; mask &= mask - 1) {
		struct tensor_issue t = {
			.issue = {.x = x,
				.c = c,
				.warp = warp,
				.pc = pc,
				.lane = (unsigned)__builtin_ctz(mask)},
			.order = {.kind = (uint8_t)kind_of(c->insn),
				.warp = warp,
				.pc = pc,
				.blocks = {x->warps[warp].block_index},
				.block_count = 1,
				.from = x->warps[warp].block_index,
				.barrier = COPY_NO_BARRIER},
		};

		t.order.lane = (uint8_t)t.issue.lane;
		started = start(&t);
		free(t.runs);
	}
	if (!started)
		return OFF;
	paths_next(&x->grid->warps[warp]);
	return ON;
}
