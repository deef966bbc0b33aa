/* The ports of SMs and GPCs, the bridge between the sides, the way back. */
#include <math.h>

#include "tests/reference/ref.h"

/* Of a sector, where a cycle is too short for ticks. */
static uint64_t finer_ticks(double bytes_per_cycle)
{
	return (uint64_t)lround(32 / bytes_per_cycle * REF_TICKS * REF_TICKS);
}

bool ref_is_atomic(const struct ref_request *q)
{
	return q->kind == REF_ATOMIC || q->kind == REF_REDUCTION;
}

/* Sectors of data that travel to L2, and back. */
static uint32_t up(const struct ref_request *q)
{
	return q->kind == REF_STORE || ref_is_atomic(q)
		       ? sectors_count(q->demand)
		       : 0;
}

static uint32_t down(const struct ref_request *q)
{
	return q->kind == REF_LOAD || q->kind == REF_ATOMIC
		       ? sectors_count(q->demand)
		       : 0;
}

static struct ref_slice *near_slice(
	struct reference *r, const struct ref_request *q)
{
	return &r->sides[q->side].slices[q->slice];
}

/* ---- towards L2 ---- */

/* A request takes a slot of the SM's port; one with data takes the time of the
   data, if that is longer, and a slot more if it must say which bytes of a
   sector are meant, which a store to far memory always does. An atomic takes a
   slot a pass, and time for each sector where a pass has a head. */
static uint64_t port_ticks(
	const struct reference *r, const struct ref_request *q)
{
	uint64_t slot = REF_TICKS_OF(r, sm_request_cycles), data;

	if (ref_is_atomic(q))
		return q->passes *
		       (slot + (q->headed ? up(q) : 0) *
				       (uint64_t)REF_TICKS_OF(
					       r, atomic_port_flit_cycles));
	data = up(q) * REF_MOVE_TICKS(r, 32, sm_request_bytes_per_cycle);
	if (q->kind == REF_STORE &&
		(ref_plan_owner(r, q->line) != MEMORY_PLAIN ||
			sectors_any(sectors_less(q->demand, q->whole))))
		data += slot;
	return data > slot ? data : slot;
}

void ref_net_leave_sm(
	struct reference *r, struct ref_request *q, uint64_t cycle)
{
	ref_plan_place(r, q);
	q->side = q->sm->side;
	q->room = sectors_count(q->demand);
	if (ref_plan_owner(r, q->line) == MEMORY_PLAIN)
		q->sm->sectors_under_way += q->room;
	else
		q->sm->sectors_away += q->room;
	cycle = ref_serve(&q->sm->port, cycle,
		port_ticks(r, q) +
			(q->tlb_cycles ? REF_TICKS_OF(r, tlb_port_cycles) : 0));
	ref_send(r, q, REF_GPC, cycle + q->tlb_cycles);
}

/* It is back, and no longer counts. */
void ref_net_arrived(const struct reference *r, struct ref_request *q)
{
	if (ref_plan_owner(r, q->line) == MEMORY_PLAIN)
		q->sm->sectors_under_way -= q->room;
	else
		q->sm->sectors_away -= q->room;
	q->room = 0;
	q->crossed = false;
}

static bool differ(struct sectors a, struct sectors b)
{
	return sectors_any(sectors_less(a, b)) ||
	       sectors_any(sectors_less(b, a));
}

/* A load that has come to its slice waits for the reply to another one of its
   GPC that came a short time ago for the same sectors, or that the slice has no
   answer for as yet, if not enough do. One
   that wants other sectors of the line than somebody that a load of the side
   could wait for is alone, and nobody waits for those any longer. */
bool ref_net_merges(struct reference *r, struct ref_request *q)
{
	uint64_t window = REF_CYCLES_OF(r, gpc_merge_cycles);
	uint32_t most = REF_CYCLES_OF(r, gpc_merge_requests);
	struct ref_request *owner = NULL;
	bool clash = false;

	if (!window || most == 1 || q->kind != REF_LOAD)
		return false;
	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *o = r->requests[i];

		if (!o->fetching[REF_BY_GPC] || o->line != q->line ||
			o->side != q->side)
			continue;
		if (r->now - o->came_cycle > window && o->answered) {
			ref_fetch_end(REF_BY_GPC, o);
			continue;
		}
		clash = clash || differ(o->demand, q->demand);
		if (o->sm->gpc == q->sm->gpc)
			owner = o;
	}
	for (uint32_t i = 0; clash && i < r->request_count; i++) {
		struct ref_request *o = r->requests[i];

		if (o->fetching[REF_BY_GPC] && o->line == q->line &&
			o->side == q->side)
			ref_fetch_end(REF_BY_GPC, o);
	}
	if (clash)
		return false;
	if (owner) {
		q->apart = sectors_count(q->demand) == 1 || owner->sm == q->sm;
		for (uint32_t i = 0; i < r->request_count; i++)
			if (r->requests[i]->behind == owner &&
				r->requests[i]->behind_by == REF_BY_GPC &&
				r->requests[i]->sm == q->sm)
				q->apart = true;
		ref_wait(r, REF_BY_GPC, owner, q);
		if (++owner->shared == most)
			ref_fetch_end(REF_BY_GPC, owner);
		return true;
	}
	q->came_cycle = r->now;
	q->shared = 1;
	ref_fetch_begin(r, REF_BY_GPC, q);
	return false;
}

static void leave_gpc(struct reference *r, struct ref_request *q)
{
	uint64_t over;

	over = ref_serve(&r->gpcs[q->sm->gpc].request_port, r->now,
		REF_TICKS_OF(r, gpc_request_cycles));
	if (up(q)) /* what carries nothing passes what does */
		over = ref_serve(
			&r->gpcs[q->sm->gpc].stores[q->sm->tpc % REF_CPCS],
			over,
			(uint64_t)up(q) * REF_MOVE_TICKS(r, 32,
						  cpc_request_bytes_per_cycle));
	if (ref_plan_owner(r, q->line) != MEMORY_PLAIN) {
		/* It is behind no slice, but counts at the crossbar. */
		near_slice(r, q)->pending[q->sm->number]++;
		ref_send(r, q, REF_FAR_OUT, over);
		return;
	}
	ref_send(r, q, REF_SLICE, over + ref_plan_route(r, q) / 2);
}

/* Whose turn it is on the way of a side to the slices: of the GPCs the one
   whose last turn was first, of its CPCs the same, of a CPC who came first. */
static bool is_sooner(const struct ref_side *side, const struct ref_request *a,
	const struct ref_request *b)
{
	uint32_t gpc_a = a->sm->gpc, gpc_b = b->sm->gpc;
	uint32_t cpc_a = a->sm->tpc % REF_CPCS, cpc_b = b->sm->tpc % REF_CPCS;
	const uint64_t *cpcs = side->cpc_turns[gpc_a];

	if (gpc_a != gpc_b)
		return side->gpc_turns[gpc_a] != side->gpc_turns[gpc_b]
			       ? side->gpc_turns[gpc_a] < side->gpc_turns[gpc_b]
			       : gpc_a < gpc_b;
	if (cpc_a != cpc_b)
		return cpcs[cpc_a] != cpcs[cpc_b] ? cpcs[cpc_a] < cpcs[cpc_b]
						  : cpc_a < cpc_b;
	return a->wait_stamp < b->wait_stamp;
}

static struct ref_request *first_at_way(struct reference *r, uint32_t side)
{
	struct ref_request *first = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->at_way && q->side == side &&
			(!first || is_sooner(&r->sides[side], q, first)))
			first = q;
	}
	return first;
}

#define FINER ((uint64_t)REF_TICKS * REF_TICKS)

/* Who finds the way free within this cycle takes it, for all of its data and
   for a head: which bytes are meant, if not all of its sectors, or, of several
   operands, what becomes of them. */
static bool takes_way(struct reference *r, const struct ref_request *q)
{
	uint64_t *way = &r->sides[q->side].way;
	double rate = r->machine->value[PARAMETER_side_store_bytes_per_cycle];

	if (*way / FINER > r->now)
		return false;
	if (*way < r->now * FINER)
		*way = r->now * FINER;
	*way += up(q) * finer_ticks(rate);
	if (q->kind == REF_STORE
			? sectors_any(sectors_less(q->demand, q->whole))
			: q->headed)
		*way += (uint64_t)lround(
			r->machine->value[PARAMETER_side_store_head_bytes] /
			rate * REF_TICKS * REF_TICKS);
	return true;
}

void ref_net_gpc(struct reference *r, struct ref_request *q)
{
	bool others;

	if (up(q) && ref_plan_owner(r, q->line) == MEMORY_PLAIN) {
		others = first_at_way(r, q->side) != NULL;
		if (others || !takes_way(r, q)) {
			q->at_way = true;
			q->wait_stamp = ++r->stamp;
			if (!others)
				ref_send(r, q, REF_WAY,
					r->sides[q->side].way / FINER);
			return;
		}
	}
	leave_gpc(r, q);
}

/* The way is free again: as many go as find room in this cycle. */
void ref_net_way(struct reference *r, struct ref_request *q)
{
	struct ref_side *side = &r->sides[q->side];
	uint32_t number = q->side;

	while ((q = first_at_way(r, number))) {
		if (!takes_way(r, q)) {
			ref_send(r, q, REF_WAY, side->way / FINER);
			return;
		}
		q->at_way = false;
		side->gpc_turns[q->sm->gpc] = ++r->stamp;
		side->cpc_turns[q->sm->gpc][q->sm->tpc % REF_CPCS] = r->stamp;
		leave_gpc(r, q);
	}
}

static uint64_t cross(
	struct reference *r, unsigned from, uint32_t sectors, double share)
{
	uint64_t data = (uint64_t)sectors *
			REF_MOVE_TICKS(r, 32, bridge_bytes_per_cycle) *
			ref_ticks(share) / ref_ticks(1);

	r->counts.bridge_sectors += sectors;
	return ref_serve(&r->sides[from].bridge, r->now,
		       REF_TICKS_OF(r, bridge_request_cycles) + data) +
	       REF_CYCLES_OF(r, bridge_cycles);
}

void ref_net_bridge(struct reference *r, struct ref_request *q)
{
	uint64_t cycle = cross(r, q->side, up(q), 1);

	if (up(q))
		cycle += REF_CYCLES_OF(r, bridge_data_cycles);
	ref_send(r, q, REF_HOME, cycle);
}

/* ---- and back ---- */

/* The reply to a load brings all that it leaves on the near side. */
void ref_net_bridge_back(struct reference *r, struct ref_request *q)
{
	uint32_t sectors = q->copies ? sectors_count(q->bring) : down(q);
	double share =
		q->kind == REF_LOAD ? ref_plan_compressed(r, q->buffer) : 1;

	ref_send(r, q, REF_NEAR_FILL, cross(r, 1 - q->side, sectors, share));
}

/* SMs with sectors under way. */
uint64_t ref_net_busy_sms(const struct reference *r)
{
	uint64_t busy = 0;

	for (uint32_t i = 0; i < r->sm_count; i++)
		busy += r->sms[i].sectors_under_way + r->sms[i].sectors_away >
			0;
	return busy;
}

static uint64_t busy_of_gpc(const struct reference *r, uint32_t gpc)
{
	uint64_t busy = 0;

	for (uint32_t i = 0; i < r->sm_count; i++)
		busy += r->sms[i].gpc == gpc &&
			r->sms[i].sectors_under_way + r->sms[i].sectors_away >
				0;
	return busy;
}

/* SMs are taken in turn: nobody waits longer than each busy SM's turn takes,
   for each request that its own SM has at the slice. */
uint64_t ref_net_longest(
	struct reference *r, const struct ref_request *q, uint64_t turn_ticks)
{
	return (uint64_t)near_slice(r, q)->pending[q->sm->number] *
		       ref_net_busy_sms(r) * turn_ticks / REF_TICKS +
	       1;
}

/* Data of loads leave a slice. Before each load there are at most the loads
   that came earlier, a store of as many sectors as these and it have, and some
   lines that are being stored; storing takes twice as long as reading. */
uint64_t ref_net_leaves(struct reference *r, struct ref_slice *slice,
	uint64_t cycle, uint32_t sectors)
{
	uint64_t sector = REF_MOVE_TICKS(r, 32, slice_bytes_per_cycle);
	uint64_t over = ref_serve(&slice->data, cycle, sectors * sector);
	uint64_t alone =
		ref_serve(&slice->loads, cycle, sectors * sector) - cycle;
	uint64_t lines = REF_CYCLES_OF(r, slice_store_lines);
	uint64_t longest = cycle + 3 * alone + lines * 8 * sector / REF_TICKS;

	return over < longest ? over : longest;
}

void ref_net_reply(struct reference *r, struct ref_request *q, uint64_t cycle)
{
	struct ref_slice *slice = near_slice(r, q);
	uint32_t route = ref_plan_route(r, q);

	if (down(q)) /* what brings nothing needs nothing */
		cycle = ref_net_leaves(r, slice, cycle, down(q));
	q->answered = true;
	ref_send(r, q, REF_GPC_REPLY, cycle + route - route / 2);
}

static void to_sm(struct reference *r, struct ref_request *q)
{
	uint64_t ticks =
		REF_MOVE_TICKS(r,
			r->machine->value[PARAMETER_reply_header_bytes],
			gpc_reply_bytes_per_cycle) +
		(uint64_t)down(q) *
			REF_MOVE_TICKS(r, 32, gpc_reply_bytes_per_cycle);

	if (q->kind == REF_LOAD)
		r->counts.reply_sectors += down(q);
	ref_send(r, q, REF_SM_REPLY,
		ref_serve(&r->gpcs[q->sm->gpc].reply_port, r->now, ticks));
}

/* The crossbar brings the data of all slices, and each GPC takes it at a rate
   of its own; both count finer ticks. */
static bool has_left_over(const struct reference *r, uint32_t gpc)
{
	for (uint32_t i = 0; i < r->sm_count; i++)
		if (r->sms[i].gpc == gpc && r->sms[i].left_over)
			return true;
	return false;
}

/* The end of a job in finer ticks: in the order of arrival, or as soon as the
   SM's own jobs would be done with its share of the rate. */
static uint64_t shared(struct reference *r, struct ref_server *all,
	struct ref_server *share, uint64_t ticks, uint64_t sharers)
{
	uint64_t over = ref_serve(all, r->now * REF_TICKS, ticks);
	uint64_t alone = ref_serve(share, r->now * REF_TICKS, ticks * sharers);

	return over < alone ? over : alone;
}

static uint64_t through_crossbar(struct reference *r, struct ref_request *q)
{
	const double *value = r->machine->value;
	uint32_t gpc = q->sm->gpc;
	uint64_t chip = finer_ticks(value[PARAMETER_crossbar_bytes_per_cycle]);
	uint64_t mine = finer_ticks(
		has_left_over(r, gpc)
			? value[PARAMETER_crossbar_rest_bytes_per_cycle]
			: value[PARAMETER_crossbar_gpc_bytes_per_cycle]);
	uint64_t over, here;

	if (!down(q))
		return r->now;
	over = shared(r, &r->crossbar, &q->sm->of_crossbar, down(q) * chip,
		ref_net_busy_sms(r));
	here = shared(r, &r->gpcs[gpc].crossbar, &q->sm->of_gpc, down(q) * mine,
		busy_of_gpc(r, gpc));
	return (here > over ? here : over) / REF_TICKS; /* whole cycles only */
}

void ref_net_gpc_reply(struct reference *r, struct ref_request *q)
{
	struct ref_request *waiter;

	if (!q->crossed) {
		uint64_t cycle = through_crossbar(r, q);

		q->crossed = true;
		if (cycle > r->now) {
			ref_send(r, q, REF_GPC_REPLY, cycle);
			return;
		}
	}
	near_slice(r, q)->pending[q->sm->number]--;
	to_sm(r, q);
	if (q->fetching[REF_BY_GPC])
		ref_fetch_end(REF_BY_GPC, q);
	while ((waiter = ref_next_waiter(r, REF_BY_GPC, q))) {
		if (!waiter->apart) {
			to_sm(r, waiter);
			continue;
		}
		near_slice(r, waiter)->pending[waiter->sm->number]++;
		ref_send(r, waiter, REF_GPC_REPLY, r->now);
	}
}

void ref_net_sm_reply(struct reference *r, struct ref_request *q)
{
	uint64_t by_pass =
		(uint64_t)q->passes * REF_TICKS_OF(r, atomic_reply_pass_cycles);
	uint64_t by_value = (uint64_t)q->operands *
			    REF_TICKS_OF(r, atomic_reply_lane_cycles);
	uint64_t ticks;

	if (q->in_row)
		by_pass -= REF_TICKS_OF(r, atomic_reply_join_cycles);
	if (q->kind == REF_ATOMIC)
		ticks = by_pass > by_value ? by_pass : by_value;
	else
		ticks = REF_MOVE_TICKS(r,
				r->machine->value[PARAMETER_reply_header_bytes],
				sm_reply_bytes_per_cycle) +
			(uint64_t)down(q) *
				REF_MOVE_TICKS(r, 32, sm_reply_bytes_per_cycle);
	ref_send(r, q, REF_DONE, ref_serve(&q->sm->reply_port, r->now, ticks));
}
