/* What events of warps will look at is fetched into the host's caches. */
#include "backend_sim/sm/execution.h"

void warp_foresee_next(const struct execution *x, uint32_t warp)
{
	if (x->sequencer->foresee_next)
		x->sequencer->foresee_next(x, warp);
}

void warp_foresee(const struct execution *x, uint32_t warp)
{
	x->sequencer->foresee(x, warp);
}

void warp_foresee_answer(
	const struct execution *x, const struct request *r, uint32_t datum)
{
	(void)datum;
	if (r->l1_owner) {
		fetch_prefetch(x->core, WAIT_L1, r);
		l1_prefetch(x->l1, r->sm, r->line);
	}
	if (r->warp < x->warp_count)
		warp_foresee(x, r->warp);
}
