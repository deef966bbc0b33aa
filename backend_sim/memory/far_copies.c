/* The copy engine. */
#include <math.h>

#include "backend_sim/memory/far.h"

#define ROUNDING 1e-12 /* by which a whole number of cycles may be passed */

/* What copies wait for, each as fast as its slowest part: the own DRAM, the one
   engine that serves a peer both ways, the host's link each way. */
enum part { OWN, PEER, HOST_OUT, HOST_IN, PARTS };

/* Cycles of each part that the copy takes. False: there is no such way. */
static bool take(const struct costs *c, const struct far_copy *copy,
	double cycles[PARTS])
{
	const bool out = !memory_is_far(copy->from);
	const unsigned far = out ? copy->to : copy->from;
	const double packets = copy->bytes / (double)c->copy_packet_bytes;
	const double peer =
		copy->bytes + packets * (double)c->link_header_bytes;
	const double headers = packets * (double)c->host_header_bytes;

	if (out && !memory_is_far(far)) /* read and written */
		cycles[OWN] +=
			2 * copy->bytes / c->dram_bytes_per_s * c->clock_hz;
	else if (!out && memory_is_far(copy->to))
		return false;
	else if (far == MEMORY_PEER)
		cycles[PEER] += peer / (out ? c->link_out_bytes_per_cycle
					    : c->link_in_bytes_per_cycle);
	else if (out)
		cycles[HOST_OUT] +=
			(copy->bytes + headers) / c->host_out_bytes_per_cycle;
	else { /* a packet that asks, a packet that brings */
		cycles[HOST_OUT] += headers / c->host_out_bytes_per_cycle;
		cycles[HOST_IN] +=
			(copy->bytes + headers) / c->host_in_bytes_per_cycle;
	}
	if (far == MEMORY_PEER)
		return c->link_loads;
	return far != MEMORY_HOST || c->host_loads;
}

double far_copies(
	const struct far *f, const struct far_copy *copies, size_t count)
{
	const struct costs *c = &f->core->cost;
	double cycles[PARTS] = {0}, longest = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (!take(c, &copies[i], cycles))
			return -1;
	for (i = 0; i < PARTS; i++)
		if (cycles[i] > longest)
			longest = cycles[i];
	return ceil((c->copy_start_cycles + longest) * (1 - ROUNDING));
}
