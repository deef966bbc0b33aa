/* The requests that an SM may have under way, and the warps that wait for room
   among them. */
#include "backend_sim/sm/execution.h"

bool warp_has_room(const struct execution *x, uint32_t sm)
{
	const struct sm_port *port = &x->network->sms[sm];
	const struct costs *cost = &x->core->cost;

	return port->inflight < cost->sm_inflight_sectors &&
	       port->far < cost->sm_far_sectors &&
	       port->reductions < cost->sm_inflight_reductions &&
	       x->sms[sm].held < SM_REQUESTS_MAX;
}

void warp_queue(struct execution *x, uint32_t warp, uint32_t line)
{
	struct warp *w = &x->warps[warp];
	struct sm *sm = &x->sms[w->sm];

	w->next = NONE;
	if (sm->credit_head == NONE)
		sm->credit_head = warp;
	else
		x->warps[sm->credit_tail].next = warp;
	sm->credit_tail = warp;
	w->state = WARP_CREDIT;
	server_queued(&sm->room, warp_sender(x, warp, line), core_now(x->core));
}

/* Room on the SM: those in line go on until there is none again. One that
   turns out to need no room, hitting in L1, leaves it to the next. */
void warp_give_room(struct execution *x, uint32_t number, uint32_t request)
{
	struct sm *sm = &x->sms[number];

	while (sm->credit_head != NONE && warp_has_room(x, number)) {
		uint32_t warp = sm->credit_head;

		sm->credit_head = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		server_unqueued(&sm->room, warp_sender(x, warp, SENDER_OF_LIFE),
			core_now(x->core), sender_of_request(request));
		x->sequencer->run(x, warp);
	}
}
