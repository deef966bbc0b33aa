#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/network.h"
#include "backend_sim/rules/rules.h"

static uint32_t bytes_ticks(double bytes, double bytes_per_cycle)
{
	return costs_ticks(TICKS_A_CYCLE * bytes / bytes_per_cycle);
}

static uint32_t sector_ticks(double bytes_per_cycle)
{
	return bytes_ticks(PROGRAM_SECTOR_BYTES, bytes_per_cycle);
}

void crossbar_init(struct network *n)
{
	const struct costs *cost = &n->core->cost;
	const struct floor *floor = &n->core->floor;
	uint32_t gpc, side;

	n->crossbar_sector = sector_ticks(cost->crossbar_bytes_per_cycle);
	for (side = 0; side < PARTITIONS_MAX; side++) {
		n->store_turns[side].sector =
			sector_ticks(cost->side_store_bytes_per_cycle);
		n->store_turns[side].head =
			bytes_ticks(cost->side_store_head_bytes,
				cost->side_store_bytes_per_cycle);
	}
	for (gpc = 0; gpc < floor->gpc_count; gpc++)
		n->gpcs[gpc].crossbar_sector =
			sector_ticks(cost->crossbar_gpc_bytes_per_cycle);
	if (floor->sms[floor->sm_count - 1].rest)
		n->gpcs[cost->gpc_of_rest].crossbar_sector =
			sector_ticks(cost->crossbar_rest_bytes_per_cycle);
}

/* ---- to the slices ---- */

static void turn_later(struct network *n, uint32_t request, uint32_t side)
{
	event_push_with(n->core, request, AT_STORE_TURN,
		store_turns_free(&n->store_turns[side]), side);
}

bool crossbar_waits(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];
	struct store_turns *turns = &n->store_turns[r->side];

	if (!network_data_up(r) || network_goes_far(n, r))
		return false;
	if (!turns->waiting) {
		if (!store_turns_taken(turns, core)) {
			store_turns_go(turns, core, request);
			return false;
		}
		turn_later(n, request, r->side);
	}
	store_turns_add(turns, core, request);
	server_queued(&turns->way, sender_of_request(request),
		core_now(core) * TICKS_A_CYCLE);
	return true;
}

/* Those that wait go, as many as there is room for in a cycle; the others wait
   for the next one. */
void network_store_turn(struct network *n, uint32_t request, uint32_t side)
{
	struct core *core = n->core;
	struct store_turns *turns = &n->store_turns[side];

	while (turns->waiting) {
		const struct store_turn turn = store_turns_next(turns);

		request = turn.request;
		if (store_turns_taken(turns, core)) {
			turn_later(n, request, side);
			return;
		}
		store_turns_take(turns, core, &turn);
		server_unqueued(&turns->way, sender_of_request(request),
			core_now(core) * TICKS_A_CYCLE, SENDER_NOBODY);
		store_turns_go(turns, core, request);
		network_leave_gpc(n, request);
	}
}

/* ---- and back ---- */

/* SMs take turns: who has asked for little does not wait for what others have
   asked for. So an SM waits for all that is in line, or as if the SMs that are
   at work each had as much in line as it has. Times are finer ticks. */
static inline __attribute__((always_inline)) uint64_t in_turn(struct server *s,
	struct sender sender, uint64_t *own, uint64_t now, uint64_t ticks,
	uint32_t active)
{
	uint64_t all = serve_untold(s, now, ticks);
	uint64_t turn = line_serve(own, now, ticks * active);

	all = !RULE(CROSSBAR_TURNS) || all < turn ? all : turn;
	server_told(s, sender, now, all, ticks);
	return all;
}

/* Through the crossbar, by which all slices' data come, to a GPC, which takes
   so much of it: the cycle at which they are there. */
uint64_t crossbar_time(struct network *n, const struct request *r)
{
	struct gpc_port *gpc = &n->gpcs[r->gpc];
	struct sm_port *sm = &n->sms[r->sm];
	uint64_t sectors = network_data_down(r), cycle = core_now(n->core);
	uint64_t now = cycle * TICKS_A_CYCLE, all, own;

	if (!sectors)
		return cycle;
	all = in_turn(&n->crossbar, request_sender(n->core, r),
		&sm->crossbar_turn, now, sectors * n->crossbar_sector,
		n->active);
	own = in_turn(&gpc->crossbar, request_sender(n->core, r), &sm->gpc_turn,
		now, sectors * gpc->crossbar_sector, gpc->active);
	return (own > all ? own : all) / TICKS_A_CYCLE; /* whole ones */
}
