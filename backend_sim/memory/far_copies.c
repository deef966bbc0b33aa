/* The copy engine. */
#include <math.h>

#include "backend_sim/memory/far.h"

/* The ways that data take, each as fast as its slowest part. */
enum way { OWN, PEER_OUT, PEER_IN, HOST_OUT, HOST_IN, WAYS, NO_WAY };

static enum way way_of(const struct far_copy *copy)
{
	static const enum way from_own[MEMORY_COUNT] = {
		[MEMORY_PEER] = PEER_OUT, [MEMORY_HOST] = HOST_OUT};
	static const enum way to_own[MEMORY_COUNT] = {
		[MEMORY_PEER] = PEER_IN, [MEMORY_HOST] = HOST_IN};

	if (!memory_is_far(copy->from))
		return from_own[copy->to];
	return memory_is_far(copy->to) ? NO_WAY : to_own[copy->from];
}

double far_copies(
	const struct far *f, const struct far_copy *copies, size_t count)
{
	const struct costs *c = &f->core->cost;
	const double rates[WAYS] = {
		/* read and written */
		[OWN] = c->dram_bytes_per_s / c->clock_hz / 2,
		[PEER_OUT] = c->link_loads ? c->link_out_bytes_per_cycle : 0,
		[PEER_IN] = c->link_loads ? c->link_in_bytes_per_cycle : 0,
		[HOST_OUT] = c->host_loads ? c->host_out_bytes_per_cycle : 0,
		[HOST_IN] = c->host_loads ? c->host_in_bytes_per_cycle : 0,
	};
	double bytes[WAYS] = {0}, longest = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		enum way way = way_of(&copies[i]);

		if (way == NO_WAY || !(rates[way] > 0))
			return -1;
		bytes[way] += copies[i].bytes;
	}
	for (i = 0; i < WAYS; i++)
		if (bytes[i] > 0 && bytes[i] / rates[i] > longest)
			longest = bytes[i] / rates[i];
	return ceil(c->copy_start_cycles + longest);
}
