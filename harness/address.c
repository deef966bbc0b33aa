#include "address.h"

uint64_t address_offset(const struct program *p, const struct address *a,
	const struct whereabouts *w)
{
	uint64_t span = address_span(p, a);
	uint64_t offset = a->base_bytes + w->lane * a->lane_bytes +
			  w->warp * a->warp_bytes + w->block * a->block_bytes;
	int depth;

	for (depth = 0; depth < PROGRAM_DEPTH_MAX; depth++)
		offset += w->loop[depth] * a->loop_bytes[depth];
	if (a->mode == ADDRESS_RANDOM) {
		uint32_t count = (uint32_t)(span / a->slot_bytes);

		offset += a->slot_bytes * address_draw(p, a, w, count);
	}
	return span && offset >= span ? offset % span : offset;
}
