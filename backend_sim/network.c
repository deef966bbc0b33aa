/* Ports and links between the SMs, the slices and the two partitions. */
#include "engine.h"

static unsigned sectors(unsigned mask)
{
	return (unsigned)__builtin_popcount(mask);
}

/* Data that travels towards L2. */
static unsigned data_up(const struct request *r)
{
	return r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC ||
			r->kind == REQUEST_REDUCTION
		? sectors(r->demand)
		: 0;
}

/* Data that travels back. */
static unsigned data_down(const struct request *r)
{
	return r->kind == REQUEST_LOAD || r->kind == REQUEST_ATOMIC
		? sectors(r->demand)
		: 0;
}

static unsigned route(const struct engine *e, const struct request *r)
{
	return e->route[r->sm * e->slices + r->slice];
}

void network_leave_sm(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];

	chip_place(e, r);
	r->side = sm->side;
	r->counted = true;
	sm->inflight++;
	cycle = serve(&sm->port_free, cycle,
		e->cost.sm_request + data_up(r) * e->cost.sm_data);
	engine_push_request(e, request, AT_GPC, cycle + r->late);
}

void network_gpc(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->gpc_free[e->sms[r->sm].gpc],
		e->calendar.now,
		e->cost.gpc_request + data_up(r) * e->cost.gpc_data);

	engine_push_request(e, request, AT_SLICE, cycle + route(e, r) / 2);
}

void network_bridge(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->bridge_free[r->side], e->calendar.now,
		e->cost.bridge_request + data_up(r) * e->cost.bridge_sector);

	e->counts.bridge_sectors += data_up(r);
	engine_push_request(e, request, AT_HOME, cycle + e->cost.bridge);
}

void network_bridge_back(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->bridge_free[!r->side], e->calendar.now,
		e->cost.bridge_request + data_down(r) * e->cost.bridge_sector);

	e->counts.bridge_sectors += data_down(r);
	engine_push_request(e, request, AT_NEAR_FILL, cycle + e->cost.bridge);
}

/* From the data port of the slice on the SM's side. */
void network_reply(struct engine *e, uint32_t request, uint64_t cycle)
{
	const struct request *r = &e->requests[request];
	unsigned down = route(e, r) - route(e, r) / 2;

	cycle = serve(&e->data_free[r->side * e->slices + r->slice], cycle,
		data_down(r) * e->cost.slice_sector);
	engine_push_request(e, request, AT_GPC_REPLY, cycle + down);
}

void network_gpc_reply(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->gpc_reply_free[e->sms[r->sm].gpc],
		e->calendar.now,
		e->cost.gpc_reply_header +
			data_down(r) * e->cost.gpc_reply_sector);

	engine_push_request(e, request, AT_SM_REPLY, cycle);
}

void network_sm_reply(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->sms[r->sm].reply_free, e->calendar.now,
		e->cost.sm_reply_header +
			data_down(r) * e->cost.sm_reply_sector);

	engine_push_request(e, request, AT_DONE, cycle);
}
