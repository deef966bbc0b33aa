/* What L1 does not have: who fetches it, and what comes. */
#include "backend_sim/core/events.h"
#include "backend_sim/memory/l1_parts.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/rules/rules.h"

/* Of a request that has been translated, for it has left the SM: what is at its
   page's place is another number by then. */
#define TRANSLATED UINT32_MAX

/* ---- misses ---- */

/* Who fetches some of its sectors, the last one; those that nobody does. */
static uint32_t find_fetches(
	const struct core *core, const struct request *r, unsigned *rest)
{
	uint32_t last = NONE, owner;

	*rest = r->demand;
	while (*rest) {
		owner = fetch_find(
			core, WAIT_L1, request_cache(r), r->line, *rest);
		if (owner == NONE)
			break;
		*rest &= ~(unsigned)core->requests[owner].demand;
		last = last == NONE ? owner : last;
	}
	return last;
}

/* Fetches what nobody does yet; false: it waits for others alone. */
static bool fetches(struct l1 *l, uint32_t request)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	unsigned rest;
	uint32_t last = find_fetches(core, r, &rest);

	if (!rest) {
		fetch_wait(core, WAIT_L1, last, request);
		return false;
	}
	if (core->cost.l1_promotes_lines && !r->texture)
		rest = SECTORS_ALL;
	r->later = r->demand & ~rest & SECTORS_ALL;
	r->demand = rest & SECTORS_ALL;
	r->l1_owner = true;
	fetch_add(core, WAIT_L1, request);
	return true;
}

static void leave(struct l1 *l, uint32_t request, uint64_t cycle, uint32_t late)
{
	const struct costs *cost = &l->core->cost;
	const struct request *r = &l->core->requests[request];

	network_leave_sm(l->network, request,
		cycle + (r->texture ? cost->texture_miss_cycles
				    : cost->l1_miss_cycles),
		late);
}

void l1_miss(struct l1 *l, uint32_t request, uint64_t cycle)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];
	uint32_t late;

	if (r->l1_allocate && !fetches(l, request))
		return;
	late = r->page == TRANSLATED
		       ? 0
		       : translation_cycles(l->translation, r->sm, r->page);
	if (late && core->notes)
		core->notes[request].late = late;
	leave(l, request, cycle, late);
}

/* ---- fills ---- */

static unsigned last_max(const struct l1 *l, const struct request *r)
{
	return r->texture ? UINT32_MAX : l->last_max;
}

/* What its line does not have of the sectors that others were to bring is
   fetched, on its own way. */
static bool has_later(struct l1 *l, uint32_t request, unsigned valid)
{
	struct request *r = &l->core->requests[request];

	if (!(r->later & ~valid))
		return true;
	r->demand = r->later & ~valid & SECTORS_ALL;
	r->later = 0;
	r->l1_owner = false;
	network_arrived(l->network, r);
	r->credit = 0;
	r->ready = (uint32_t)core_now(l->core);
	r->page = TRANSLATED;
	if (fetches(l, request))
		leave(l, request, core_now(l->core), 0);
	return false;
}

/* What has come is there for who waited, not before a hit's data would be: its
   turn in the pipe may come later. */
static uint64_t done(const struct core *core, const struct request *waiter)
{
	const uint64_t now = core_now(core);
	const int32_t left = (int32_t)(waiter->ready - (uint32_t)now);

	return now + (RULE(PENDING_HITS) && left > 1 ? (uint32_t)left : 1);
}

bool l1_fill(struct l1 *l, uint32_t request)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	struct cache *c = l1_cache_of(l, r);
	uint32_t set = l1_set(c, r->line), waiter, next;
	cache_entry *entry = l1_find(c, set, r), victim;
	unsigned valid;

	l->sms[r->sm].used = true;
	if (!entry)
		entry = cache_insert(
			c, set, r->line, r->l1_class, last_max(l, r), &victim);
	*entry |= (uint64_t)r->demand << ENTRY_VALID_SHIFT;
	*entry &= ~((uint64_t)r->demand << ENTRY_PARTIAL_SHIFT);
	valid = ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT);
	if (core->stale && !r->texture)
		stale_renew(core->stale, r->sm, r->line,
			stale_of_sectors(r->demand));
	for (waiter = fetch_end(core, WAIT_L1, request); waiter != NONE;
		waiter = next) {
		struct request *w = &core->requests[waiter];

		next = w->wait_next;
		w->demand &= ~valid & SECTORS_ALL;
		if (!w->demand) {
			l1_find(c, set, w);
			request_found(w, r->operands);
			event_push(core, waiter, AT_DONE, done(core, w));
			continue;
		}
		l1_miss(l, waiter, core_now(core));
	}
	return has_later(l, request, valid);
}
