/* Loads of a GPC that wait for the reply to another SM's. */
#include "backend_sim/core/fetch.h"
#include "backend_sim/memory/merge.h"

static void remember(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	const uint32_t now = (uint32_t)core_now(core);

	r->gpc_owner = true;
	r->sent = (uint16_t)now;
	r->number = n->gpcs[r->gpc].loads_sent++;
	fetch_add(core, WAIT_GPC, request);
	if (n->recent_end - n->recent_first < RECENT_MAX)
		n->recent[n->recent_end++ % RECENT_MAX] =
			(struct recent){request, now, r->number};
}

static bool is_recent(const struct network *n, uint32_t sent)
{
	const struct core *core = n->core;

	return (uint32_t)core_now(core) - sent <= core->cost.gpc_merge_cycles;
}

/* The same of what is in the table, where nothing is older by much. */
static bool was_sent_recently(const struct network *n, const struct request *r)
{
	const uint32_t now = (uint32_t)core_now(n->core);

	return is_recent(n, now - (uint16_t)(now - r->sent));
}

#define RECENT_AHEAD 8u

/* Takes those out of the table for whom nobody can begin to wait: as long as
   there is only what is recent, it stays in the host's caches. */
static void forget_old(struct network *n)
{
	struct core *core = n->core;
	struct recent old;

	while (n->recent_first != n->recent_end) {
		old = n->recent[n->recent_first % RECENT_MAX];
		if (is_recent(n, old.sent))
			return;
		memory_prefetch(
			&core->requests[n->recent[(n->recent_first +
							  RECENT_AHEAD) %
						  RECENT_MAX]
						.request]);
		n->recent_first++;
		/* It may have ended, and be another one. */
		if (!core->requests[old.request].gpc_owner ||
			core->requests[old.request].sent !=
				(uint16_t)old.sent ||
			core->requests[old.request].number != old.number)
			continue;
		core->requests[old.request].gpc_owner = false;
		fetch_hide(core, WAIT_GPC, old.request);
	}
}

/* For a part of a line the GPC knows the loads that it sent last, for a whole
   line all. */
static bool is_known(const struct network *n, const struct request *r,
	const struct request *owner)
{
	return r->demand == SECTORS_ALL ||
	       (uint16_t)(n->gpcs[r->gpc].loads_sent - owner->number) <=
		       n->core->cost.gpc_merge_requests;
}

/* An SM that loads what another one of its GPC has asked for a moment ago waits
   for that reply: all SMs reading the same data get more than the slices
   give. One that asks again for a line of its own goes to the slice: measured
   on an H200 as SMs that load their lines again and again. */
bool merge_waits(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	const struct request *r = &core->requests[request];
	uint32_t owner;

	if (!core->cost.gpc_merge_cycles || r->kind != REQUEST_LOAD)
		return false;
	forget_old(n);
	owner = fetch_find(core, WAIT_GPC, r->gpc, r->line, r->demand);
	if (owner != NONE && core->requests[owner].sm != r->sm &&
		!(r->demand & ~core->requests[owner].demand) &&
		was_sent_recently(n, &core->requests[owner]) &&
		is_known(n, r, &core->requests[owner])) {
		fetch_wait(core, WAIT_GPC, owner, request);
		return true;
	}
	remember(n, request);
	return false;
}
