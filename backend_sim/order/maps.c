/* Tensor maps that a launch makes in global memory. */
#include <inttypes.h>
#include <stdlib.h>

#include "backend_sim/order/parts.h"

#define MAP_UNIT 64u /* of a map's address */

bool order_map_touched(struct execution *x, uint32_t warp, unsigned lane,
	uint32_t pc, const uint8_t *map, bool writes)
{
	const struct order *o = x->grid->order;
	struct look l = {.by = {.x = x,
				 .warp = warp,
				 .pc = pc,
				 .lane = lane,
				 .who = A_THREAD,
				 .writes = writes},
		.bytes = TENSOR_MAP_BYTES,
		.notes = true};
	uint32_t i;

	if (!o || !o->has_threads)
		return true;
	l.slot = cluster_first(x->grid, x->warps[warp].block_index);
	for (i = 0; i < x->grid->cluster_blocks; i++, l.slot++) {
		const uint8_t *first = x->grid->blocks[l.slot].shared;

		if (map < first || map >= first + x->grid->shared_bytes ||
			l.slot / o->ranks !=
				x->warps[warp].block_index / o->ranks)
			continue;
		l.offset = (uint32_t)(map - first);
		return order_look(&l);
	}
	return true;
}

/* Where the map is in the table, or would be. */
static struct map_order *find(
	struct map_order *maps, uint32_t capacity, uint64_t offset)
{
	uint32_t at = (uint32_t)(offset / MAP_UNIT * 0x9e3779b1u);

	for (;; at++) {
		struct map_order *m = &maps[at & (capacity - 1)];

		if (!m->is_there || m->offset == offset)
			return m;
	}
}

static bool grow(struct order *o)
{
	const uint32_t capacity = o->map_capacity ? 2 * o->map_capacity : 64;
	struct map_order *maps;
	uint32_t i;

	if (2 * (o->map_count + 1) <= o->map_capacity)
		return true;
	maps = calloc(capacity, sizeof(*maps));
	if (!maps)
		return false;
	for (i = 0; i < o->map_capacity; i++)
		if (o->maps[i].is_there)
			*find(maps, capacity, o->maps[i].offset) = o->maps[i];
	free(o->maps);
	o->maps = maps;
	o->map_capacity = capacity;
	return true;
}

/* What the warp does now, and goes on. */
static struct map_event event_of(const struct execution *x, uint32_t warp)
{
	const uint32_t slot = x->warps[warp].block_index;
	const uint32_t peer = peer_of(x, warp);

	return (struct map_event){x->grid->blocks[slot].number, slot, peer,
		clock_of(x, warp)[KNOWN(peer)]++};
}

void order_map_made(
	struct execution *x, uint32_t warp, uint32_t pc, uint64_t offset)
{
	struct order *o = x->grid->order;
	struct map_order *m;

	if (!o)
		return;
	if (!grow(o)) {
		grid_fail(x, warp, pc, "out of memory to look at tensor maps");
		return;
	}
	m = find(o->maps, o->map_capacity, offset);
	o->map_count += !m->is_there;
	*m = (struct map_order){.offset = offset,
		.pc = pc,
		.is_there = true,
		.made = event_of(x, warp)};
}

void order_map_acquired(struct execution *x, uint32_t warp, uint64_t offset)
{
	struct order *o = x->grid->order;
	struct map_order *m;

	if (!o || !o->map_count)
		return;
	m = find(o->maps, o->map_capacity, offset);
	if (m->is_there)
		m->acquired[m->acquired_count++ % ACQUIRES_KEPT] =
			event_of(x, warp);
}

/* Those of blocks that this one does not know are left out. */
static bool is_of_group(
	const struct execution *x, uint32_t warp, const struct map_event *e)
{
	const struct order *o = x->grid->order;

	return e->slot / o->ranks == x->warps[warp].block_index / o->ranks &&
	       x->grid->blocks[e->slot].number == e->block;
}

static bool knows(
	const struct execution *x, uint32_t warp, const struct map_event *e)
{
	return is_of_group(x, warp, e) &&
	       clock_of(x, warp)[KNOWN(e->peer)] >= e->epoch;
}

static bool accuse(struct execution *x, uint32_t warp, unsigned lane,
	uint32_t pc, const struct map_order *m, const char *missing)
{
	const struct warp *w = &x->warps[warp];

	grid_fail(x, warp, pc,
		"block %" PRIu64
		", thread %u: a copy by a tensor map that block %" PRIu64
		" has made at line %u: no %s comes between",
		x->grid->blocks[w->block_index].number, w->index * LANES + lane,
		m->made.block, order_line(x->grid, m->pc), missing);
	return false;
}

bool order_map_used(struct execution *x, uint32_t warp, unsigned lane,
	uint32_t pc, uint64_t offset)
{
	const struct order *o = x->grid->order;
	const struct map_order *m;
	uint32_t i;

	if (!o || !o->map_count)
		return true;
	m = find(o->maps, o->map_capacity, offset);
	if (!m->is_there)
		return true;
	if (is_of_group(x, warp, &m->made) && !knows(x, warp, &m->made))
		return accuse(
			x, warp, lane, pc, m, "barrier that both threads pass");
	for (i = 0; i < m->acquired_count && i < ACQUIRES_KEPT; i++)
		if (knows(x, warp, &m->acquired[i]))
			return true;
	return accuse(x, warp, lane, pc, m,
		"fence.proxy.tensormap::generic.acquire that this thread has "
		"waited for");
}
