#include "backend_sim/core/server.h"
#include "backend_sim/memory/network.h"

static uint32_t sector_ticks(double bytes_per_cycle)
{
	return costs_ticks(
		TICKS_A_CYCLE * PROGRAM_SECTOR_BYTES / bytes_per_cycle);
}

void crossbar_init(struct network *n)
{
	const struct costs *cost = &n->core->cost;
	const struct floor *floor = &n->core->floor;
	uint32_t gpc;

	n->crossbar_sector = sector_ticks(cost->crossbar_bytes_per_cycle);
	for (gpc = 0; gpc < floor->gpc_count; gpc++)
		n->gpcs[gpc].crossbar_sector =
			sector_ticks(cost->crossbar_gpc_bytes_per_cycle);
	if (floor->sms[floor->sm_count - 1].rest)
		n->gpcs[cost->gpc_of_rest].crossbar_sector =
			sector_ticks(cost->crossbar_rest_bytes_per_cycle);
}

/* Through the crossbar, by which all slices' data come, to a GPC, which takes
   so much of it: the cycle at which they are there. SMs take turns there, too.
 */
uint64_t crossbar_time(struct network *n, const struct request *r)
{
	const struct core *core = n->core;
	struct gpc_port *gpc = &n->gpcs[r->gpc];
	uint64_t sectors = network_data_down(r), now = core_now(core);
	uint64_t all, own, cycle, last;

	if (!sectors)
		return now;
	all = serve(&n->crossbar_free, now * TICKS_A_CYCLE,
		sectors * n->crossbar_sector);
	own = serve(&gpc->crossbar_free, now * TICKS_A_CYCLE,
		sectors * gpc->crossbar_sector);
	cycle = (own > all ? own : all) / TICKS_A_CYCLE; /* whole ones */
	if (cycle == now)
		return now;
	last = now + network_latest(n, r, core->cost.crossbar_fair_share_ticks);
	return cycle < last ? cycle : last;
}
