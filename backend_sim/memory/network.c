/* Ports and links between the SMs, the slices and the two partitions. */
#include "backend_sim/core/engine.h"

/* Data that travels towards L2. */
static unsigned data_up(const struct request *r)
{
	return r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC ||
			       r->kind == REQUEST_REDUCTION
		       ? sector_count(r->demand)
		       : 0;
}

/* Data that travels back. */
static unsigned data_down(const struct request *r)
{
	return r->kind == REQUEST_LOAD || r->kind == REQUEST_ATOMIC
		       ? sector_count(r->demand)
		       : 0;
}

static bool is_atomic(const struct request *r)
{
	return r->kind == REQUEST_ATOMIC || r->kind == REQUEST_REDUCTION;
}

/* Over the bridge, a load's reply also carries what it leaves near. */
static unsigned data_bridge(const struct request *r)
{
	return r->copies ? sector_count(r->bring) : data_down(r);
}

static unsigned route(const struct engine *e, const struct request *r)
{
	return e->route[r->sm * e->slices + r->slice];
}

/* A request without data takes a slot, one with data its bytes; which bytes of
   a sector are written takes one more slot, as the coalescing bench shows. */
static uint64_t port_ticks(const struct engine *e, const struct request *r)
{
	uint32_t data = data_up(r) * e->cost.sm_data;

	if (r->kind == REQUEST_STORE && r->demand & ~r->whole)
		data += e->cost.sm_request;
	return data > e->cost.sm_request ? data : e->cost.sm_request;
}

void network_leave_sm(
	struct engine *e, uint32_t request, uint64_t cycle, uint32_t late)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];

	chip_place(e, r);
	engine_foresee(e, r);
	r->side = sm->side;
	r->gpc = sm->gpc & 31;
	r->credit = (uint8_t)sector_count(r->demand);
	e->active += !sm->inflight;
	sm->inflight += r->credit;
	cycle = serve(&sm->port_free, cycle,
		(late ? e->cost.tlb_port : 0) +
			(is_atomic(r) ? (uint64_t)r->passes *
							e->cost.sm_request +
						(uint64_t)r->operands *
							e->cost.atomic_lane
				      : port_ticks(e, r)));
	engine_push_request(e, request, AT_GPC, cycle + late);
}

static void remember(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];

	r->gpc_owner = true;
	r->sent = (uint32_t)e->calendar.now;
	fetch_add(e, WAIT_GPC, request);
	if (e->recent_end - e->recent_first < RECENT_MAX)
		e->recent[e->recent_end++ % RECENT_MAX] =
			(struct recent){request, r->sent};
}

static bool is_recent(const struct engine *e, uint32_t sent)
{
	return (uint32_t)e->calendar.now - sent <= e->cost.gpc_merge;
}

#define RECENT_AHEAD 8u

/* Takes those out of the table for whom nobody can begin to wait: as long as
   there is only what is recent, it stays in the host's caches. */
static void forget_old(struct engine *e)
{
	struct recent old;

	while (e->recent_first != e->recent_end) {
		old = e->recent[e->recent_first % RECENT_MAX];
		if (is_recent(e, old.sent))
			return;
		memory_prefetch(&e->requests[e->recent[(e->recent_first +
							       RECENT_AHEAD) %
						       RECENT_MAX]
						     .request]);
		e->recent_first++;
		/* It may have ended, and be another one. */
		if (!e->requests[old.request].gpc_owner ||
			e->requests[old.request].sent != old.sent)
			continue;
		e->requests[old.request].gpc_owner = false;
		fetch_hide(e, WAIT_GPC, old.request);
	}
}

/* An SM that loads what another one of its GPC has asked for a moment ago waits
   for that reply: all SMs reading the same data get more than the slices
   give. */
static bool waits_in_gpc(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint32_t owner;

	if (!e->cost.gpc_merge || r->kind != REQUEST_LOAD)
		return false;
	forget_old(e);
	owner = fetch_find(e, WAIT_GPC, r->gpc, r->line, r->demand);
	if (owner != NONE && !(r->demand & ~e->requests[owner].demand) &&
		is_recent(e, e->requests[owner].sent)) {
		fetch_wait(e, WAIT_GPC, owner, request);
		return true;
	}
	remember(e, request);
	return false;
}

void network_gpc(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle;

	if (waits_in_gpc(e, request))
		return;
	cycle = serve(&e->gpc_free[r->gpc], e->calendar.now,
		e->cost.gpc_request + data_up(r) * e->cost.gpc_data);

	engine_push_request(e, request, AT_SLICE, cycle + route(e, r) / 2);
}

/* What the bridge knows of a request: how many sectors it carries, and from
   which side. */
#define CROSSING(sectors, side) ((sectors) << 1 | (side))

void network_cross(struct engine *e, uint32_t request, uint64_t cycle)
{
	const struct request *r = &e->requests[request];

	engine_push_with(e, request, AT_BRIDGE, cycle,
		CROSSING(data_up(r), (unsigned)r->side));
}

void network_cross_back(struct engine *e, uint32_t request, uint64_t cycle)
{
	const struct request *r = &e->requests[request];

	engine_push_with(e, request, AT_BRIDGE_BACK, cycle,
		CROSSING(data_bridge(r), !r->side));
}

static uint64_t cross(struct engine *e, uint32_t crossing)
{
	uint32_t sectors = crossing >> 1;

	e->counts.bridge_sectors += sectors;
	return e->cost.bridge +
	       serve(&e->bridge_free[crossing & 1], e->calendar.now,
		       e->cost.bridge_request +
			       sectors * e->cost.bridge_sector);
}

void network_bridge(struct engine *e, uint32_t request, uint32_t crossing)
{
	engine_push_request(e, request, AT_HOME,
		cross(e, crossing) + (crossing >> 1 ? e->cost.bridge_data : 0));
}

void network_bridge_back(struct engine *e, uint32_t request, uint32_t crossing)
{
	engine_push_request(e, request, AT_NEAR_FILL, cross(e, crossing));
}

/* SMs take turns at a slice and at the DRAM behind it: a request waits for a
   line or a few of each other SM, as often as its own SM has requests in line,
   and for no more, however long the others' lines are. */
uint64_t network_latest(
	const struct engine *e, const struct request *r, uint64_t turn_ticks)
{
	uint64_t turns =
		(uint64_t)e->pending[r->sm * e->slices + r->slice] * e->active;

	return turns * turn_ticks / TICKS + 1;
}

/* From the slice on the SM's side; what brings no data does not wait for it. */
void network_reply(struct engine *e, uint32_t request, uint64_t cycle)
{
	const struct request *r = &e->requests[request];
	unsigned down = route(e, r) - route(e, r) / 2;
	uint64_t ticks = data_down(r) * e->cost.slice_sector;
	uint64_t latest =
		cycle + network_latest(e, r, 4 * e->cost.slice_sector);

	if (ticks)
		cycle = serve(&e->data_free[r->side * e->slices + r->slice],
			cycle, ticks);
	if (cycle > latest)
		cycle = latest;
	engine_push_request(e, request, AT_GPC_REPLY, cycle + down);
}

/* Values of atomics go back by passes, or one by one if that takes longer. */
static uint64_t sm_reply_ticks(const struct engine *e, const struct request *r)
{
	uint64_t passes = (uint64_t)r->passes * e->cost.atomic_reply_pass;
	uint64_t values = (uint64_t)r->operands * e->cost.atomic_reply_lane;

	if (r->kind == REQUEST_ATOMIC)
		return passes > values ? passes : values;
	return e->cost.sm_reply_header + data_down(r) * e->cost.sm_reply_sector;
}

/* An SM's replies all come through its GPC's port, in the order of leaving it:
   its own port is booked here, for when they arrive. They do arrive there as
   all else does, in the order of sending. */
static void reply_to_sm(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->gpc_reply_free[r->gpc], e->calendar.now,
		e->cost.gpc_reply_header +
			data_down(r) * e->cost.gpc_reply_sector);
	uint64_t over =
		serve(&e->sms[r->sm].reply_free, cycle, sm_reply_ticks(e, r));

	engine_push_with(
		e, request, AT_SM_REPLY, cycle, (uint32_t)(over - cycle));
}

/* Through the crossbar, by which all slices' data come: the cycle at which they
   have. SMs take turns there, too. */
static uint64_t crossed_at(struct engine *e, const struct request *r)
{
	uint64_t now = e->calendar.now, latest, cycle;

	if (!data_down(r))
		return now;
	cycle = serve(&e->crossbar_free, now * TICKS,
		(uint64_t)data_down(r) * e->cost.crossbar_sector);
	cycle /= TICKS; /* less than one is none */
	if (cycle == now)
		return now;
	latest = now + network_latest(e, r, e->cost.crossbar_turn);
	return cycle < latest ? cycle : latest;
}

void network_gpc_reply(struct engine *e, uint32_t request, uint32_t crossed)
{
	struct request *r = &e->requests[request];
	uint64_t cycle = crossed ? e->calendar.now : crossed_at(e, r);
	uint32_t waiter, next;

	if (cycle > e->calendar.now) {
		engine_push_with(e, request, AT_GPC_REPLY, cycle, 1);
		return;
	}
	e->pending[r->sm * e->slices + r->slice]--;
	reply_to_sm(e, request);
	if (r->gpc_owner)
		fetch_hide(e, WAIT_GPC, request);
	r->gpc_owner = false;
	for (waiter = fetch_waiters(e, WAIT_GPC, request); waiter != NONE;
		waiter = next) {
		next = e->requests[waiter].wait_next;
		reply_to_sm(e, waiter);
	}
}

void network_sm_reply(struct engine *e, uint32_t request, uint32_t cycles)
{
	engine_push_request(e, request, AT_DONE, e->calendar.now + cycles);
}
