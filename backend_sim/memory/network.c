#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/merge.h"
#include "backend_sim/memory/network.h"
#include "backend_sim/rules/rules.h"

/* ---- life cycle ---- */

int network_init(struct network *n, struct core *core)
{
	const struct costs *cost = &core->cost;
	const struct floor *floor = &core->floor;
	uint32_t sm;

	n->core = core;
	n->sm_reply_header_ticks =
		costs_ticks((double)cost->reply_header_bytes /
			    cost->sm_reply_bytes_per_cycle);
	n->gpc_reply_header_ticks =
		costs_ticks((double)cost->reply_header_bytes /
			    cost->gpc_reply_bytes_per_cycle);
	n->sms = calloc(floor->sm_count, sizeof(*n->sms));
	n->gpcs = calloc(floor->gpc_count, sizeof(*n->gpcs));
	n->pending = calloc(
		(size_t)floor->sm_count * floor->slices, sizeof(*n->pending));
	if (!n->sms || !n->gpcs || !n->pending)
		return -1;
	for (sm = 0; sm < floor->sm_count; sm++) {
		n->sms[sm].side = floor->sms[sm].side;
		n->sms[sm].gpc = floor->sms[sm].gpc;
	}
	crossbar_init(n);
	return 0;
}

void network_free(struct network *n)
{
	free(n->sms);
	free(n->gpcs);
	free(n->pending);
}

void network_cold(struct network *n)
{
	const struct floor *floor = &n->core->floor;
	uint32_t sm, gpc, side;

	for (sm = 0; sm < floor->sm_count; sm++) {
		n->sms[sm].request = n->sms[sm].reply = (struct server){0};
		n->sms[sm].crossbar_turn = n->sms[sm].gpc_turn = 0;
		n->sms[sm].inflight = n->sms[sm].far = 0;
		n->sms[sm].reductions = 0;
	}
	for (gpc = 0; gpc < floor->gpc_count; gpc++)
		n->gpcs[gpc] = (struct gpc_port){
			.crossbar_sector = n->gpcs[gpc].crossbar_sector};
	n->crossbar = (struct server){0};
	for (side = 0; side < PARTITIONS_MAX; side++)
		store_turns_cold(&n->store_turns[side]);
	memset(n->pending, 0,
		(size_t)floor->sm_count * floor->slices * sizeof(*n->pending));
	memset(n->bridge, 0, sizeof(n->bridge));
	n->active = 0;
	n->recent_first = n->recent_end = 0;
	n->loads = 0;
}

bool network_is_settled(const struct network *n)
{
	const struct floor *floor = &n->core->floor;
	bool settled = !n->active;
	size_t i;

	for (i = 0; i < PARTITIONS_MAX; i++)
		settled = settled && !n->store_turns[i].waiting;
	for (i = 0; i < floor->sm_count; i++)
		settled = settled && !n->sms[i].inflight && !n->sms[i].far;
	for (i = 0; i < (size_t)floor->sm_count * floor->slices; i++)
		settled = settled && !n->pending[i];
	return settled;
}

void network_servers(struct network *n, struct books *books)
{
	const struct floor *floor = &n->core->floor;
	uint32_t i, cpc;

	for (i = 0; i < floor->sm_count; i++) {
		books_add(books, SERVER_SM_REQUEST, i, &n->sms[i].request);
		books_add(books, SERVER_SM_REPLY, i, &n->sms[i].reply);
	}
	for (i = 0; i < floor->gpc_count; i++) {
		struct gpc_port *gpc = &n->gpcs[i];

		books_add(books, SERVER_GPC_REQUEST, i, &gpc->request);
		books_add(books, SERVER_GPC_REPLY, i, &gpc->reply);
		books_add(books, SERVER_CROSSBAR_GPC, i, &gpc->crossbar);
		for (cpc = 0; cpc < GPC_CPCS; cpc++)
			books_add(books, SERVER_CPC_DATA, i * GPC_CPCS + cpc,
				&gpc->data[cpc]);
	}
	books_add(books, SERVER_CROSSBAR, 0, &n->crossbar);
	for (i = 0; i < n->core->slices.partitions; i++) {
		books_add(books, SERVER_SIDE_STORES, i, &n->store_turns[i].way);
		books_add(books, SERVER_BRIDGE, i, &n->bridge[i]);
	}
}

/* ---- towards the slices ---- */

/* Over the bridge, a load's reply also carries what it leaves near. */
static unsigned data_bridge(const struct request *r)
{
	return r->copies ? sector_count(r->bring) : network_data_down(r);
}

static unsigned route(const struct network *n, const struct request *r)
{
	const struct floor *floor = &n->core->floor;

	return floor->route[r->sm * floor->slices + r->slice];
}

uint32_t network_home(const struct network *n, const struct request *r)
{
	return slices_number(&n->core->slices, r->home, r->slice);
}

uint32_t network_way(const struct network *n, uint32_t sm, uint32_t slice)
{
	const struct core *core = n->core;
	const struct floor *floor = &core->floor;
	const uint32_t home = slice / core->slices.count;
	const uint32_t near =
		floor->route[sm * floor->slices + slice % core->slices.count];

	return home == floor->sms[sm].side
		       ? near
		       : near + 2 * core->cost.bridge_cycles;
}

/* A request without data takes a slot, one with data its bytes; which bytes of
   a sector are written takes one more slot, as the coalescing bench shows, and
   goes along with every store to far memory. */
static uint64_t port_ticks(const struct network *n, const struct request *r)
{
	const struct costs *cost = &n->core->cost;
	uint32_t slot = cost->sm_request_ticks;
	uint32_t data = network_data_up(r) * cost->sm_request_sector_ticks;

	if (request_is_atomic(r))
		return (uint64_t)r->passes *
		       (slot + (request_pass_flits(r) - 1) *
				       cost->atomic_port_flit_ticks);
	if (RULE(STORE_MASKS) && r->kind == REQUEST_STORE &&
		(r->demand & ~r->whole || network_goes_far(n, r)))
		data += slot;
	return data > slot ? data : slot;
}

/* With few events in the queue nothing is seen ahead there: what a request will
   look at is fetched when it leaves its SM. */
#define FEW_CHUNKS 64u

/* An SM has begun (`by` 1), or has no request under way any more (-1). */
static void count_active(struct network *n, const struct sm_port *sm, int by)
{
	n->active += (uint32_t)by;
	n->gpcs[sm->gpc & 31].active += (uint32_t)by;
}

/* One that its SM counts among its reductions. */
static bool holds_reduction(const struct network *n, const struct request *r)
{
	return r->kind == REQUEST_REDUCTION && r->credit &&
	       !network_goes_far(n, r);
}

void network_leave_sm(
	struct network *n, uint32_t request, uint64_t cycle, uint32_t late)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	struct sm_port *sm = &n->sms[r->sm];

	request_place(core, r);
	if (core->calendar.busy < FEW_CHUNKS)
		core->leaving(core, r);
	r->side = sm->side;
	r->gpc = sm->gpc & 31;
	r->credit = (uint8_t)sector_count(r->demand);
	request_found(r, FOUND_NEAR);
	if (!sm->inflight && !sm->far)
		count_active(n, sm, 1);
	*(network_goes_far(n, r) ? &sm->far : &sm->inflight) += r->credit;
	sm->reductions += holds_reduction(n, r);
	cycle = serve(&sm->request, sender_of_request(request), cycle,
		(late ? core->cost.tlb_port_ticks : 0) + port_ticks(n, r));
	event_push(core, request, AT_GPC, cycle + late);
}

/* Far memory is behind no slice: the crossbar counts the request as if it were
   one of the slice that its line would have. */
__attribute__((cold, noinline)) static void leave_chip(
	struct network *n, uint32_t request, uint64_t cycle)
{
	struct core *core = n->core;

	++*network_pending(n, &core->requests[request]);
	event_push(core, request, AT_FAR_OUT, cycle);
}

void network_leave_gpc(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];
	struct gpc_port *gpc = &n->gpcs[r->gpc];
	uint64_t data = network_data_up(r), cycle;

	cycle = serve(&gpc->request, sender_of_request(request), core_now(core),
		core->cost.gpc_request_ticks);
	if (data)
		cycle = serve(&gpc->data[request_cpc(core, r)],
			sender_of_request(request), cycle,
			data * core->cost.cpc_request_sector_ticks);
	if (network_goes_far(n, r))
		leave_chip(n, request, cycle);
	else
		event_push(core, request, AT_SLICE, cycle + route(n, r) / 2);
}

void network_gpc(struct network *n, uint32_t request, uint32_t datum)
{
	(void)datum;
	if (!crossbar_waits(n, request))
		network_leave_gpc(n, request);
}

/* What the bridge knows of a request: what its sectors take, and from which
   side. */
#define CROSSING(ticks, side) ((ticks) << 1 | (side))

/* Counts the sectors; what they take. */
static uint32_t carry(struct core *core, uint32_t sectors)
{
	core->counts.bridge_sectors += sectors;
	return sectors * core->cost.bridge_sector_ticks;
}

/* Compressed sectors that loads bring cross as such. */
static uint32_t carry_back(const struct network *n, const struct request *r)
{
	uint32_t ticks = carry(n->core, data_bridge(r));

	return r->kind == REQUEST_LOAD
		       ? ticks * n->core->compressed[r->buffer] / TICKS_A_CYCLE
		       : ticks;
}

void network_cross(struct network *n, uint32_t request, uint64_t cycle)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];

	event_push_with(core, request, AT_BRIDGE, cycle,
		CROSSING(carry(core, network_data_up(r)), (unsigned)r->side));
}

void network_cross_back(struct network *n, uint32_t request, uint64_t cycle)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];

	event_push_with(core, request, AT_BRIDGE_BACK, cycle,
		CROSSING(carry_back(n, r), !r->side));
}

static uint64_t cross(struct network *n, uint32_t request, uint32_t crossing)
{
	const struct core *core = n->core;

	return core->cost.bridge_cycles +
	       serve(&n->bridge[crossing & 1], sender_of_request(request),
		       core_now(core),
		       core->cost.bridge_request_ticks + (crossing >> 1));
}

void network_bridge(struct network *n, uint32_t request, uint32_t crossing)
{
	struct core *core = n->core;

	event_push(core, request, AT_HOME,
		cross(n, request, crossing) +
			(crossing >> 1 ? core->cost.bridge_data_cycles : 0));
}

void network_bridge_back(struct network *n, uint32_t request, uint32_t crossing)
{
	event_push(n->core, request, AT_NEAR_FILL, cross(n, request, crossing));
}

/* SMs take turns at DRAM: a request waits for a line of each other SM, as often
   as its own SM has requests at the slice, and for no more, however long the
   others' lines are. */
uint64_t network_latest(
	const struct network *n, const struct request *r, uint64_t turn_ticks)
{
	uint64_t turns = (uint64_t)*network_pending(n, r) * n->active;

	return turns * turn_ticks / TICKS_A_CYCLE + 1;
}

void network_send_back(struct network *n, uint32_t request, uint64_t cycle)
{
	struct core *core = n->core;
	unsigned way = route(n, &core->requests[request]);

	event_push(core, request, AT_GPC_REPLY, cycle + (way - way / 2));
}

void network_arrived(struct network *n, const struct request *r)
{
	struct sm_port *sm = &n->sms[r->sm];

	*(network_goes_far(n, r) ? &sm->far : &sm->inflight) -= r->credit;
	sm->reductions -= holds_reduction(n, r);
	if (r->credit && !sm->inflight && !sm->far)
		count_active(n, sm, -1);
}

/* Values of atomics go back by passes, or one by one if that takes longer. */
static uint64_t atomic_reply_ticks(
	const struct costs *cost, const struct request *r)
{
	uint64_t passes = (uint64_t)r->passes * cost->atomic_reply_pass_ticks;
	uint64_t values = (uint64_t)r->operands * cost->atomic_reply_lane_ticks;

	if (r->joins)
		passes -= cost->atomic_reply_join_ticks;
	return passes > values ? passes : values;
}

static uint64_t sm_reply_ticks(const struct network *n, const struct request *r)
{
	const struct costs *cost = &n->core->cost;

	if (r->kind == REQUEST_ATOMIC)
		return atomic_reply_ticks(cost, r);
	return n->sm_reply_header_ticks +
	       network_data_down(r) * cost->sm_reply_sector_ticks;
}

/* An SM's replies all come through its GPC's port, in the order of leaving it:
   its own port is booked here, for when they arrive. They do arrive there as
   all else does, in the order of sending. */
void network_reply_to_sm(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];
	uint64_t cycle = serve(&n->gpcs[r->gpc].reply,
		sender_of_request(request), core_now(core),
		n->gpc_reply_header_ticks +
			network_data_down(r) *
				core->cost.gpc_reply_sector_ticks);
	uint64_t over = serve(&n->sms[r->sm].reply, sender_of_request(request),
		cycle, sm_reply_ticks(n, r));

	if (r->kind == REQUEST_LOAD)
		core->counts.reply_sectors += sector_count(r->demand);
	event_push_with(
		core, request, AT_SM_REPLY, cycle, (uint32_t)(over - cycle));
}

void network_gpc_reply(struct network *n, uint32_t request, uint32_t crossed)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	uint64_t cycle = crossed ? core_now(core) : crossbar_time(n, r);

	if (cycle > core_now(core)) {
		event_push_with(core, request, AT_GPC_REPLY, cycle, 1);
		return;
	}
	--*network_pending(n, r);
	network_reply_to_sm(n, request);
	merge_reply(n, request);
}

void network_sm_reply(struct network *n, uint32_t request, uint32_t cycles)
{
	struct core *core = n->core;

	event_push(core, request, AT_DONE, core_now(core) + cycles);
}
