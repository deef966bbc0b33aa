/* Where a copy goes and comes from. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/bulk/bulk_parts.h"

uint64_t bulk_address(const struct bulk_issue *s, const struct row *row,
	uint64_t offset, unsigned i)
{
	const struct grid *g = s->x->grid;
	const void *at;

	if (row->slot == NO_SLOT)
		return offset;
	at = kernel_row(g, &g->warps[s->warp], row);
	if (s->c->count >> i & 1)
		return offset + ((const row_u64 *)at)[s->lane];
	return (uint32_t)(offset + ((const row_u32 *)at)[s->lane]);
}

bool bulk_fails(const struct bulk_issue *s, const char *what, uint64_t address)
{
	const struct warp *w = &s->x->warps[s->warp];
	char kind[48] = "tensor copy";

	if (s->c->kind != CODE_TENSOR)
		snprintf(kind, sizeof(kind), "bulk copy of %u bytes", s->bytes);
	grid_fail(s->x, s->warp, s->pc,
		"block %" PRIu64 ", thread %u: a %s %s 0x%" PRIx64,
		s->x->grid->blocks[w->block_index].number,
		w->index * LANES + s->lane, kind, what, address);
	return false;
}

bool bulk_find_shared(const struct bulk_issue *s, uint64_t address,
	uint32_t unit, uint32_t bytes, uint32_t *slot, uint32_t *offset)
{
	struct shared_at at;

	if (address % unit)
		return bulk_fails(s,
			unit == BULK_UNIT
				? "needs a multiple of 16 as address, not"
			: unit == 8 ? "needs a multiple of 8 as address, not"
				    : "needs a multiple of 4 as address, not",
			address);
	cluster_shared(
		s->x, s->x->warps[s->warp].block_index, address, bytes, &at);
	if (at.where == SHARED_ENDED)
		return bulk_fails(s,
			"goes to shared memory of a block that has ended, at",
			address);
	if (at.where == SHARED_NOWHERE)
		return bulk_fails(
			s, "is outside of shared memory, at", address);
	*slot = at.slot;
	*offset = (uint32_t)at.offset;
	return true;
}

bool bulk_find_own(
	const struct bulk_issue *s, uint64_t address, uint32_t *offset)
{
	uint32_t slot = 0;

	if (!bulk_find_shared(s, address, BULK_UNIT, s->bytes, &slot, offset))
		return false;
	return slot == s->x->warps[s->warp].block_index ||
	       bulk_fails(s, "comes from shared memory of another block, at",
		       address);
}

bool bulk_find_global(
	const struct bulk_issue *s, uint64_t address, uint64_t *offset)
{
	if (address % BULK_UNIT)
		return bulk_fails(
			s, "needs a multiple of 16 as address, not", address);
	*offset = address - SPACE_BASE;
	if (s->bytes && (address < SPACE_BASE || !space_take(s->x->grid->space,
							 *offset, s->bytes)))
		return bulk_fails(s, "is outside of all buffers, at", address);
	return true;
}
