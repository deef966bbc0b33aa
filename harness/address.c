#include "address.h"

/* Without the lane and the draw. */
static uint64_t first_offset(
	const struct address *a, const struct whereabouts *w)
{
	uint64_t offset = a->base_bytes + w->warp * a->warp_bytes +
			  w->block * a->block_bytes;
	int depth;

	for (depth = 0; depth < PROGRAM_DEPTH_MAX; depth++)
		offset += w->loop[depth] * a->loop_bytes[depth];
	return offset;
}

static uint64_t within(uint64_t offset, uint64_t span)
{
	return span && offset >= span ? offset % span : offset;
}

void address_offsets(const struct program *p, const struct address *a,
	const struct whereabouts *first, uint32_t lanes, uint64_t *offsets)
{
	struct whereabouts w = *first;
	uint64_t span = address_span(p, a), offset = first_offset(a, &w);
	uint32_t count = 0, i;

	if (a->mode == ADDRESS_RANDOM)
		count = (uint32_t)(span / a->slot_bytes);
	for (i = 0; i < lanes; i++, w.lane++) {
		offsets[i] = offset + w.lane * a->lane_bytes;
		if (a->mode == ADDRESS_RANDOM)
			offsets[i] +=
				a->slot_bytes * address_draw(p, a, &w, count);
		offsets[i] = within(offsets[i], span);
	}
}

uint64_t address_offset(const struct program *p, const struct address *a,
	const struct whereabouts *w)
{
	uint64_t offset;

	address_offsets(p, a, w, 1, &offset);
	return offset;
}
