/* Loads of a GPC that wait for the reply to another one. */
#include "backend_sim/core/events.h"
#include "backend_sim/memory/merge.h"
#include "backend_sim/rules/rules.h"

/* Nobody can begin to wait for it. */
static void end_sharing(struct core *core, uint32_t request)
{
	core->requests[request].gpc_owner = false;
	fetch_hide(core, WAIT_GPC, request);
}

static void remember(struct network *n, uint32_t request, uint64_t turn)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	const uint32_t now = (uint32_t)core_now(core);

	r->gpc_owner = true;
	r->sent = (uint16_t)turn;
	r->number = n->loads++;
	r->passes = 1;
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

/* The same of what is in the table, in the cycle `turn`. Nothing there is older
   by much; whose own turn is later, or data wait for theirs, is recent. */
static bool was_sent_recently(
	const struct network *n, const struct request *r, uint64_t turn)
{
	const uint16_t since = (uint16_t)(turn - r->sent);

	return since > INT16_MAX || since <= n->core->cost.gpc_merge_cycles;
}

/* As long as its slice has no answer, others may begin to wait for it, however
   long ago it came. */
static bool can_be_shared(
	const struct network *n, const struct request *r, uint64_t turn)
{
	return (RULE(SHARED_MISSES) && !r->answered) ||
	       was_sent_recently(n, r, turn);
}

#define RECENT_AHEAD 8u

/* Takes those out of the table for whom nobody can begin to wait: as long as
   there is only what is recent or misses, it stays in the host's caches. */
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
			core->requests[old.request].number != old.number)
			continue;
		if (!can_be_shared(
			    n, &core->requests[old.request], core_now(core)))
			end_sharing(core, old.request);
	}
}

#define ALL_GPCS UINT32_MAX

/* The load, of one of these GPCs of the side, that others of the line may wait
   for whose turn is then. */
static uint32_t find(const struct network *n, const struct request *r,
	uint32_t gpcs, uint64_t turn)
{
	struct core *core = n->core;
	uint32_t owner;

	for (;;) {
		owner = fetch_find(core, WAIT_GPC, r->side, r->line, gpcs);
		if (owner == NONE ||
			can_be_shared(n, &core->requests[owner], turn))
			return owner;
		end_sharing(core, owner);
	}
}

/* One reply goes to several SMs, but to each once, and not where it is of a
   single sector: then each one has its own, though it was looked up once. */
static bool needs_own(
	const struct core *core, uint32_t owner, const struct request *r)
{
	const struct request *o = &core->requests[owner];
	uint32_t last = core->links[owner].waiters[WAIT_GPC], waiter = last;

	if (!RULE(SHARED_REPLIES) || sector_count(r->demand) < 2 ||
		o->sm == r->sm)
		return true;
	if (!(o->waited & 1u << WAIT_GPC))
		return false;
	do {
		waiter = core->requests[waiter].wait_next;
		if (core->requests[waiter].sm == r->sm)
			return true;
	} while (waiter != last);
	return false;
}

/* A reply is for a few loads of a GPC, which ask for the same sectors. A load
   for other sectors of the line, of whatever GPC, ends that for all who wait to
   share, and does not begin anew. */
bool merge_waits(struct network *n, uint32_t request, uint64_t turn)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	uint32_t owner;

	if (!core->cost.gpc_merge_cycles || core->cost.gpc_merge_requests < 2 ||
		r->kind != REQUEST_LOAD)
		return false;
	if (!RULE(SHARING_TURNS))
		turn = core_now(core);
	forget_old(n);
	owner = find(n, r, ALL_GPCS, turn);
	if (owner != NONE && core->requests[owner].demand != r->demand) {
		for (; RULE(SHARING_ENDS) && owner != NONE;
			owner = find(n, r, ALL_GPCS, turn))
			end_sharing(core, owner);
		return false;
	}
	if (owner != NONE && core->requests[owner].gpc != r->gpc)
		owner = find(n, r, 1u << r->gpc, turn);
	if (owner == NONE) {
		remember(n, request, turn);
		return false;
	}
	r->passes = needs_own(core, owner, r);
	fetch_wait(core, WAIT_GPC, owner, request);
	if (++core->requests[owner].passes >= core->cost.gpc_merge_requests)
		end_sharing(core, owner);
	return true;
}

/* Data that wait for others at their slice can be shared until they leave it;
   where that is so late that r->sent can't tell it, for a part of it. */
static void share_longer(
	const struct network *n, struct request *r, uint64_t leaves)
{
	const uint64_t most = core_now(n->core) + INT16_MAX / 2;
	const uint64_t until = leaves < most ? leaves : most;

	if (RULE(SHARED_WAITS) && !was_sent_recently(n, r, until))
		r->sent = (uint16_t)(until - n->core->cost.gpc_merge_cycles);
}

void merge_answered(struct network *n, uint32_t request, uint64_t leaves)
{
	struct request *r = &n->core->requests[request];

	r->answered = true;
	if (!r->gpc_owner)
		return;
	share_longer(n, r, leaves);
	if (!can_be_shared(n, r, core_now(n->core)))
		end_sharing(n->core, request);
}

void merge_reply(struct network *n, uint32_t request)
{
	struct core *core = n->core;
	struct request *r = &core->requests[request];
	uint32_t waiter, next;

	if (r->gpc_owner)
		end_sharing(core, request);
	for (waiter = fetch_waiters(core, WAIT_GPC, request); waiter != NONE;
		waiter = next) {
		struct request *w = &core->requests[waiter];

		next = w->wait_next;
		request_found(w, r->operands);
		if (!w->passes) {
			network_reply_to_sm(n, waiter);
			continue;
		}
		++*network_pending(n, w);
		event_push(core, waiter, AT_GPC_REPLY, core_now(core));
	}
}
