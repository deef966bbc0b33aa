/* From lanes' addresses to places in the memory of the job or the block. */
#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/access.h"

void access_addresses(struct access_of *a, const struct row *base,
	bool has_base, uint64_t offset, bool is_wide)
{
	/* A kernel without values has no rows. */
	const void *row = has_base ? kernel_row(a->g, a->k, base) : NULL;
	unsigned l;

	for (l = 0; l < LANES; l++)
		if (!has_base)
			a->address[l] = offset;
		else if (is_wide)
			a->address[l] = offset + ((const row_u64 *)row)[l];
		else /* an address of 32 bits wraps as such */
			a->address[l] =
				(uint32_t)(offset + ((const row_u32 *)row)[l]);
}

static void out_of_bounds(
	struct access_of *a, unsigned lane, const char *where, uint64_t offset)
{
	const struct warp *w = &a->x->warps[a->warp];
	const unsigned bytes = (unsigned)a->c->bytes * a->c->count;

	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64
		", thread %u: an access of %u bytes outside of "
		"%s offset %" PRIu64,
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		bytes ? bytes : PROGRAM_LINE_BYTES, where, offset);
}

/* Names what is nearest to an address that belongs to nothing. */
static void outside(struct access_of *a, unsigned lane)
{
	const struct space *s = a->g->space;
	uint64_t offset = a->address[lane] - SPACE_BASE;
	const struct space_region *near = NULL;
	char where[64];
	uint32_t i;

	for (i = 0; i < s->region_count; i++)
		if (s->regions[i].first <= offset)
			near = &s->regions[i];
	if (a->address[lane] < SPACE_BASE || offset >= s->size || !near) {
		const struct warp *w = &a->x->warps[a->warp];

		grid_fail(a->x, a->warp, a->pc,
			"block %" PRIu64 ", thread %u: an access at address "
			"0x%" PRIx64 ", which belongs to no buffer",
			a->g->blocks[w->block_index].number,
			w->index * LANES + lane, a->address[lane]);
		return;
	}
	snprintf(where, sizeof(where), "'%s' (%" PRIu64 " bytes),", near->name,
		near->bytes);
	out_of_bounds(a, lane, where, offset - near->first);
}

static bool misaligned(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct warp *w = &a->x->warps[a->warp];

	if (!(a->address[lane] & (bytes - 1)))
		return false;
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: address 0x%" PRIx64
		" is not a multiple of the access's %u bytes",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		a->address[lane], bytes);
	return true;
}

/* An address that leads to no block's memory. */
static void no_shared(
	struct access_of *a, unsigned lane, const struct shared_at *at)
{
	const struct warp *w = &a->x->warps[a->warp];
	const uint64_t block = a->g->blocks[w->block_index].number;
	const uint32_t thread = w->index * LANES + lane;
	char where[64];

	if (at->where == SHARED_ENDED)
		grid_fail(a->x, a->warp, a->pc,
			"block %" PRIu64 ", thread %u: an access to shared "
			"memory of block %" PRIu64 ", rank %u of its cluster, "
			"which has ended",
			block, thread, a->g->blocks[at->slot].number, at->rank);
	else if (at->rank >= a->g->cluster_blocks)
		grid_fail(a->x, a->warp, a->pc,
			"block %" PRIu64 ", thread %u: an access to shared "
			"memory of rank %u of a cluster of %u blocks",
			block, thread, at->rank, a->g->cluster_blocks);
	else if (at->rank == cluster_rank(a->g, w->block_index))
		out_of_bounds(a, lane, "shared memory,", at->offset);
	else {
		snprintf(where, sizeof(where), "shared memory of rank %u,",
			at->rank);
		out_of_bounds(a, lane, where, at->offset);
	}
}

/* The hardware calls it an illegal instruction. */
static void not_own(
	struct access_of *a, unsigned lane, const struct shared_at *at)
{
	const struct warp *w = &a->x->warps[a->warp];

	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: '.shared' is for a block's own "
		"shared memory, and the address is of rank %u of its cluster, "
		"which '.shared::cluster' reaches",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		at->rank);
}

static bool find_shared(
	struct access_of *a, uint8_t space, unsigned lane, uint32_t bytes)
{
	const struct warp *w = &a->x->warps[a->warp];
	struct shared_at at;

	cluster_shared(a->x, w->block_index, a->address[lane], bytes, &at);
	if (at.where == SHARED_OTHER && space == PTX_SHARED &&
		!a->c->insn->is_cluster) {
		not_own(a, lane, &at);
		return false;
	}
	if (at.where != SHARED_OWN && at.where != SHARED_OTHER) {
		no_shared(a, lane, &at);
		return false;
	}
	a->address[lane] = at.offset;
	a->place[lane] = at.place;
	if (at.where == SHARED_OWN)
		a->shared |= 1u << lane;
	else
		a->remote |= 1u << lane;
	return true;
}

uint32_t access_block(const struct access_of *a, unsigned lane)
{
	const uint32_t own = a->x->warps[a->warp].block_index;
	uint32_t slot = cluster_first(a->g, own), i;

	for (i = 0; i < a->g->cluster_blocks; i++, slot++) {
		const uint8_t *first = a->g->blocks[slot].shared;

		if (a->place[lane] >= first &&
			a->place[lane] < first + a->g->shared_bytes)
			return slot;
	}
	return own;
}

static bool find_local(struct access_of *a, unsigned lane, uint32_t bytes)
{
	uint64_t offset = a->address[lane] & ~WINDOW_BITS;

	if (offset + bytes > a->g->code.local_bytes) {
		out_of_bounds(a, lane, "local memory,", offset);
		return false;
	}
	a->place[lane] = a->k->local + lane * a->g->code.local_bytes + offset;
	a->local |= 1u << lane;
	return true;
}

static bool find_parameter(struct access_of *a, unsigned lane, uint32_t bytes)
{
	uint64_t offset = a->address[lane] & ~WINDOW_BITS;

	if (offset + bytes > a->g->parameter_bytes) {
		out_of_bounds(a, lane, "the parameters,", offset);
		return false;
	}
	a->place[lane] = a->g->parameters + offset;
	return true;
}

/* A load makes the words alone that it reads, where memory's content comes
   later. */
static bool looks(const struct access_of *a, const struct space_region *r)
{
	return r->looks && a->c->kind == CODE_MEMORY &&
	       a->c->insn->op == PTXO_LD;
}

static void touch_lane(struct access_of *a, const struct space_region *r,
	unsigned lane, uint64_t offset, uint32_t bytes)
{
	const struct space *s = a->g->space;

	if (!a->c->idle && looks(a, r))
		a->place[lane] = space_look(s, r, offset, bytes, a->made[lane]);
	else if (!a->c->idle)
		space_touch(s, r, offset, bytes);
}

static bool find_global(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct space *s = a->g->space;
	uint64_t offset = a->address[lane] - SPACE_BASE;
	const struct space_region *r = space_find(s, offset, bytes);

	if (!r) {
		outside(a, lane);
		return false;
	}
	a->address[lane] = offset;
	a->place[lane] = s->bytes + offset;
	a->global |= 1u << lane;
	if (r->written)
		touch_lane(a, r, lane, offset, bytes);
	return true;
}

static bool find_lane(
	struct access_of *a, uint8_t space, unsigned lane, uint32_t bytes)
{
	uint64_t window = a->address[lane] & WINDOW_BITS;

	if (misaligned(a, lane, bytes))
		return false;
	if (space == PTX_SHARED || window == WINDOW_SHARED)
		return find_shared(a, space, lane, bytes);
	if (space == PTX_LOCAL || window == WINDOW_LOCAL)
		return find_local(a, lane, bytes);
	if (space == PTX_PARAM || window == WINDOW_PARAM)
		return find_parameter(a, lane, bytes);
	/* Constants lie in global memory, too. */
	if (window == WINDOW_CONST)
		a->address[lane] &= ~WINDOW_BITS;
	return find_global(a, lane, bytes);
}

/* Pieces between lanes that are near each other are made, too. */
#define TOUCHED_TOGETHER (4 * SPACE_PIECE_BYTES)

static void touch_lanes(struct access_of *a, const struct space_region *r,
	uint64_t least, uint32_t all, uint32_t bytes)
{
	uint32_t rest;

	if (a->c->idle)
		return;
	if (all <= TOUCHED_TOGETHER && !looks(a, r)) {
		space_touch(a->g->space, r, least, all);
		return;
	}
	for (rest = a->mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		touch_lane(a, r, lane, a->address[lane], bytes);
	}
}

/* Are all lanes at the first one's address? */
static bool are_alike(const struct access_of *a, uint64_t first)
{
	uint64_t apart = 0;
	uint32_t rest = a->mask;
	unsigned l;

	if (a->address[31 - __builtin_clz(rest)] != first)
		return false;
	for (l = 0; l < LANES && a->mask == UINT32_MAX; l++)
		apart |= a->address[l] ^ first;
	for (; l < LANES && rest; rest &= rest - 1)
		apart |= a->address[__builtin_ctz(rest)] ^ first;
	return !apart;
}

/* Takes the lanes to the places of their addresses, which are global. */
static void place_lanes(struct access_of *a)
{
	uint8_t *bytes = a->g->space->bytes;
	uint32_t rest = a->mask;
	unsigned l;

	a->global = rest;
	for (l = 0; l < LANES && a->mask == UINT32_MAX; l++) {
		a->address[l] -= SPACE_BASE;
		a->place[l] = bytes + a->address[l];
	}
	for (; l < LANES && rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		a->address[lane] -= SPACE_BASE;
		a->place[lane] = bytes + a->address[lane];
	}
}

/* All lanes of a global access are often in one region, side by side or at one
   address. */
static bool find_together(struct access_of *a, uint32_t bytes)
{
	uint64_t least = a->address[__builtin_ctz(a->mask)], most = least;
	const bool alike = are_alike(a, least);
	const struct space_region *r;
	uint64_t joined = least;
	uint32_t rest;

	for (rest = alike ? 0 : a->mask; rest; rest &= rest - 1) {
		uint64_t address = a->address[__builtin_ctz(rest)];

		least = address < least ? address : least;
		most = address > most ? address : most;
		joined |= address;
	}
	if (joined & (bytes - 1) || least < SPACE_BASE ||
		most - least > UINT32_MAX / 2)
		return false;
	r = space_find(a->g->space, least - SPACE_BASE,
		(uint32_t)(most - least) + bytes);
	if (!r)
		return false;
	place_lanes(a);
	if (r->written)
		touch_lanes(a, r, least - SPACE_BASE,
			(uint32_t)(most - least) + bytes, bytes);
	a->alike = alike;
	return true;
}

bool access_places(struct access_of *a, uint8_t space, uint32_t bytes)
{
	uint32_t rest;

	if (a->mask && (space == PTX_GLOBAL || space == PTX_GENERIC) &&
		find_together(a, bytes))
		return true;
	for (rest = a->mask; rest; rest &= rest - 1)
		if (!find_lane(a, space, (unsigned)__builtin_ctz(rest), bytes))
			return false;
	return true;
}

bool access_sized(struct access_of *a, const uint32_t bytes[LANES])
{
	uint32_t rest = a->mask;

	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		if (!bytes[lane])
			a->mask &= ~(1u << lane);
		else if (misaligned(a, lane, a->c->bytes) ||
			 !find_global(a, lane, bytes[lane]))
			return false;
	}
	return true;
}

void access_drop(struct access_of *a, uint8_t space)
{
	const bool may_be_global = space == PTX_GLOBAL || space == PTX_GENERIC;
	uint32_t rest = a->mask;

	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = a->address[lane];

		if (!may_be_global || address & WINDOW_BITS ||
			!space_find(a->g->space, address - SPACE_BASE, 1))
			a->mask &= ~(1u << lane);
	}
}

bool access_lines(struct access_of *a)
{
	uint32_t rest = a->mask;

	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		if (misaligned(a, lane, PROGRAM_LINE_BYTES))
			return false;
		if (!(a->address[lane] & WINDOW_BITS)) {
			if (!find_global(a, lane, 1))
				return false;
			continue;
		}
		grid_fail(a->x, a->warp, a->pc,
			"block %" PRIu64 ", thread %u: '%s' is for global "
			"memory, and address 0x%" PRIx64 " is not there",
			a->g->blocks[a->x->warps[a->warp].block_index].number,
			a->x->warps[a->warp].index * LANES + lane,
			ptx_ops[a->c->insn->op].text, a->address[lane]);
		return false;
	}
	return true;
}
