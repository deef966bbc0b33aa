/* The first level: sectored, write-through, not coherent across SMs. */
#include <string.h>

#include "engine.h"

/* In order, so that contiguous memory fills all sets evenly; each round is
   turned by a hash of its number, so that no stride prefers a set. */
static uint32_t l1_set(const struct cache *c, uint32_t line)
{
	return (line + permute_mix(line / c->sets)) % c->sets;
}

/* Cycles that the translation of a line adds: 0 if its page is at hand. */
uint32_t l1_translate(struct engine *e, struct sm *sm, uint32_t line)
{
	uint32_t page = (line >> (e->cost.page_shift - LINE_SHIFT)) + 1;
	uint32_t ways = e->tlb_ways, way;
	uint32_t *set = sm->tlb + (page % e->tlb_sets) * (size_t)ways;

	if (set[0] == page)
		return 0;
	for (way = 1; way < ways && set[way] != page; way++)
		;
	if (way == ways) {
		e->counts.tlb_misses++;
		memmove(set + 1, set, (ways - 1) * sizeof(*set));
		set[0] = page;
		return e->cost.tlb_miss;
	}
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = page;
	return 0;
}

static void miss(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];
	uint32_t owner;

	if (r->l1_allocate) {
		owner = fetch_find(e, WAIT_L1, r->sm, r->line, r->demand);
		if (owner != NONE) {
			fetch_wait(e, WAIT_L1, owner, request);
			return;
		}
		r->l1_owner = true;
		fetch_add(e, WAIT_L1, request);
	}
	r->late = (uint16_t)l1_translate(e, sm, r->line);
	network_leave_sm(e, request, cycle + e->cost.l1_miss);
}

/* A request enters the pipe; `looks`: its operator may hit in L1. */
void l1_lookup(struct engine *e, uint32_t request, bool looks)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];
	uint64_t cycle = serve(&sm->l1_free, e->calendar.now, e->cost.l1_line);
	cache_entry *entry;
	unsigned found;

	if (r->kind == REQUEST_LOAD) {
		e->counts.l1_requests++;
		e->counts.l1_sectors += sector_count(r->demand);
	}
	if (looks) {
		entry = cache_touch(&sm->l1, l1_set(&sm->l1, r->line), r->line);
		found = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) &
					r->demand
			      : 0;
		e->counts.l1_hits += sector_count(found);
		if (found == r->demand) {
			engine_push_request(
				e, request, AT_DONE, cycle + e->cost.l1_hit);
			return;
		}
		r->demand &= (uint8_t)~found;
	}
	miss(e, request, cycle);
}

/* What a load brought; those who waited for it are served from L1. */
void l1_fill(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];
	uint32_t set = l1_set(&sm->l1, r->line), waiter, next;
	cache_entry *entry = cache_touch(&sm->l1, set, r->line), victim;

	sm->l1_used = true;
	if (!entry)
		entry = cache_insert(&sm->l1, set, r->line, r->l1_class,
			sm->l1.ways, &victim);
	*entry |= (uint64_t)r->demand << ENTRY_VALID_SHIFT;
	for (waiter = fetch_end(e, WAIT_L1, request); waiter != NONE;
		waiter = next) {
		struct request *w = &e->requests[waiter];

		next = w->wait_next;
		w->demand &= (uint8_t)~r->demand;
		if (!w->demand) {
			engine_push_request(
				e, waiter, AT_DONE, e->calendar.now + 1);
			continue;
		}
		miss(e, waiter, e->calendar.now);
	}
}
