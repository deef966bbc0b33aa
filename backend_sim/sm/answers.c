/* Where events of warps arrive, and answers to their requests. */
#include "backend_sim/sm/bulk.h"
#include "backend_sim/sm/execution.h"

void warp_arrive(struct execution *x, uint32_t warp, uint32_t datum)
{
	(void)datum;
	x->is_event = !x->streams;
	x->sequencer->run(x, warp);
	x->is_event = false;
}

void warp_posted(struct execution *x, uint32_t request, uint32_t datum)
{
	struct request *r = &x->core->requests[request];

	(void)datum;
	if (r->warp & BULK_OWNER) /* a bulk copy is over when all is there */
		return;
	x->warps[r->warp].far++;
	x->sequencer->answered(x, r);
	r->waits = WAITS_LEFT;
}

void warp_answered(struct execution *x, uint32_t request, uint32_t datum)
{
	struct core *core = x->core;
	struct request *r = &core->requests[request];
	uint32_t sm = r->sm;

	(void)datum;
	if (r->l1_owner && !l1_fill(x->l1, request))
		return;
	if (r->warp != NONE)
		x->sequencer->answered(x, r);
	network_arrived(x->network, r);
	x->sms[sm].held--;
	request_free(core, request);
	warp_give_room(x, sm, request);
}
