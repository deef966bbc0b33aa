/* Tensor maps that kernels build: fields that are replaced, and copies. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/bulk/bulk_parts.h"

/* What a map's address is a multiple of, for whoever reads it. */
#define MAP_UNIT 64u

static uint8_t *nowhere(
	const struct bulk_issue *s, uint64_t address, const char *what)
{
	const struct warp *w = &s->x->warps[s->warp];

	grid_fail(s->x, s->warp, s->pc,
		"block %" PRIu64 ", thread %u: a tensor map at address "
		"0x%" PRIx64 " %s",
		s->x->grid->blocks[w->block_index].number,
		w->index * LANES + s->lane, address, what);
	return NULL;
}

uint8_t *map_place(const struct bulk_issue *s, uint8_t space, uint64_t address,
	bool is_written)
{
	struct grid *g = s->x->grid;
	const uint64_t window = address & WINDOW_BITS;
	const uint64_t offset = address & ~WINDOW_BITS;
	uint32_t slot, shared;

	if (address % MAP_UNIT)
		return nowhere(s, address, "needs a multiple of 64");
	if (is_written && (space == PTX_SHARED || window == WINDOW_SHARED)) {
		if (!bulk_find_shared(
			    s, address, 1, TENSOR_MAP_BYTES, &slot, &shared))
			return NULL;
		return g->blocks[slot].shared + shared;
	}
	if (!is_written && window == WINDOW_PARAM)
		return offset + TENSOR_MAP_BYTES <= g->parameter_bytes
			       ? g->parameters + offset
			       : nowhere(s, address,
					 "is not all among the parameters");
	if (!is_written && window == WINDOW_CONST)
		address = offset;
	if (address < SPACE_BASE ||
		!space_take(g->space, address - SPACE_BASE, TENSOR_MAP_BYTES))
		return nowhere(s, address,
			is_written ? "is not in shared or global memory"
				   : "is not in global memory or among "
				     "parameters");
	return g->space->bytes + (address - SPACE_BASE);
}

static enum tensor_field field_of(const struct ptx_insn *insn)
{
	static const uint8_t fields[PTXW_COUNT] = {
		[PTXW_FIELD_global_address] = TENSOR_FIELD_ADDRESS,
		[PTXW_FIELD_rank] = TENSOR_FIELD_RANK,
		[PTXW_FIELD_box_dim] = TENSOR_FIELD_BOX,
		[PTXW_FIELD_global_dim] = TENSOR_FIELD_DIM,
		[PTXW_FIELD_global_stride] = TENSOR_FIELD_STRIDE,
		[PTXW_FIELD_element_stride] = TENSOR_FIELD_ELEMENT,
		[PTXW_FIELD_elemtype] = TENSOR_FIELD_TYPE,
		[PTXW_FIELD_interleave_layout] = TENSOR_FIELD_INTERLEAVE,
		[PTXW_FIELD_swizzle_mode] = TENSOR_FIELD_SWIZZLE,
		[PTXW_FIELD_fill_mode] = TENSOR_FIELD_FILL,
	};

	return (enum tensor_field)fields[insn->word[PTX_CLASS_FIELD]];
}

/* The thread reads or writes a map, in shared or global memory. */
static bool tell_order(
	const struct bulk_issue *s, const uint8_t *map, bool writes)
{
	const struct space *space = s->x->grid->space;

	if (map < space->bytes || map >= space->bytes + space->size)
		return order_map_touched(
			s->x, s->warp, s->lane, s->pc, map, writes);
	if (writes)
		order_map_made(
			s->x, s->warp, s->pc, (uint64_t)(map - space->bytes));
	return !s->x->core->failed;
}

static bool replace(const struct bulk_issue *s)
{
	const struct code_insn *c = s->c;
	const struct grid *g = s->x->grid;
	const void *row = kernel_row(g, &g->warps[s->warp], &c->s[1]);
	uint8_t *map = map_place(
		s, c->space, bulk_address(s, &c->s[0], c->offset, 0), true);

	if (!map || !tell_order(s, map, true))
		return false;
	tensor_map_replace(map, field_of(c->insn), (uint32_t)c->third_offset,
		ptx_types[c->insn->type].bytes == 8
			? ((const row_u64 *)row)[s->lane]
			: ((const row_u32 *)row)[s->lane]);
	return true;
}

/* The warp's lanes have the same addresses. */
static bool copy(const struct bulk_issue *s)
{
	const struct code_insn *c = s->c;
	uint8_t *to = map_place(
		s, PTX_GLOBAL, bulk_address(s, &c->s[0], c->offset, 0), true);
	const uint8_t *from =
		to ? map_place(s, PTX_SHARED,
			     bulk_address(s, &c->s[1], c->second_offset, 1),
			     true)
		   : NULL;

	if (!from || !tell_order(s, from, false) || !tell_order(s, to, true))
		return false;
	memmove(to, from, TENSOR_MAP_BYTES);
	return true;
}

void map_acquire(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask)
{
	struct bulk_issue s = {.x = x, .c = c, .warp = warp};
	uint64_t address, last = 0;

	if (c->insn->word[PTX_CLASS_ORDER] != PTXW_ORDER_acquire)
		return;
	for (; mask; mask &= mask - 1) {
		s.lane = (unsigned)__builtin_ctz(mask);
		address = bulk_address(&s, &c->s[0], c->offset, 0);
		if (address != last && address >= SPACE_BASE)
			order_map_acquired(x, warp, address - SPACE_BASE);
		last = address;
	}
}

enum pace run_map(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask)
{
	const bool copies = c->insn->op == PTXO_MAP_COPY;
	const uint32_t all = mask;
	bool goes_on = true;

	if (copies) {
		order_meet(x, warp, all);
		mask &= ~mask + 1;
	}
	for (; goes_on && mask; mask &= mask - 1) {
		struct bulk_issue s = {.x = x,
			.c = c,
			.warp = warp,
			.pc = pc,
			.lane = (unsigned)__builtin_ctz(mask)};

		if (copies)
			goes_on = copy(&s);
		else if (c->insn->op == PTXO_MAP_REPLACE)
			goes_on = replace(&s);
	}
	if (copies)
		order_meet(x, warp, all);
	if (!goes_on)
		return OFF;
	paths_next(&x->grid->warps[warp]);
	return ON;
}
