/*
 * The first level: L1 and, on older machines, texture caches beside it. All
 * are sectored, write-through and coherent with nothing: what one of them
 * holds, none of the others sees, nor does a store reach it from another SM.
 */
#include <string.h>

#include "backend_sim/core/engine.h"

/*
 * The set is a remainder of polynomials over two, of the number of the line's
 * pair: any aligned power of two of memory, and any stride that is a power of
 * two, fills all sets evenly, and other strides fill them as chance would (Rau,
 * "Pseudo-randomly interleaved memory", 1991). An H200's L1 shows each of that:
 * 256 sets of 8 ways, and pairs.
 */
static inline uint32_t l1_set(const struct cache *c, uint32_t line)
{
	return remainder_of(c->index, line >> 1);
}

static struct cache *cache_of(struct engine *e, const struct request *r)
{
	struct sm *sm = &e->sms[r->sm];

	return r->texture ? &sm->texture[r->texture - 1] : &sm->l1;
}

/* The line's entry, after what the access does to its place and class. */
static inline cache_entry *find(
	const struct cache *c, uint32_t set, const struct request *r)
{
	cache_entry *entry = r->l1_hit == HIT_KEEPS
				     ? cache_find(c, set, r->line)
				     : cache_touch(c, set, r->line);

	if (r->l1_hit == HIT_MARKS && entry) {
		*entry &= ~(UINT64_C(3) << ENTRY_CLASS_SHIFT);
		*entry |= (uint64_t)r->l1_class << ENTRY_CLASS_SHIFT;
	}
	return entry;
}

/* Whether a TLB has what translates the page; it has from now on. */
static bool tlb_hit(struct tlb *tlb, uint32_t virtual_page)
{
	uint32_t page = (virtual_page >> tlb->shift) + 1;
	uint32_t ways = tlb->ways, before = page, way;
	uint32_t set = divider_remainder(&tlb->in_sets, permute_mix(page));
	uint32_t *first = tlb->pages + (size_t)set * ways;

	if (first[0] == page)
		return true;
	for (way = 0; way < ways; way++) {
		uint32_t other = first[way];

		first[way] = before;
		if (other == page)
			break;
		before = other;
	}
	return way < ways;
}

/* Cycles that the translation of a page adds: 0 if the SM has it at hand. */
uint32_t l1_translate(struct engine *e, struct sm *sm, uint32_t page)
{
	if (tlb_hit(&sm->tlb, page))
		return 0;
	e->counts.tlb_misses++;
	if (tlb_hit(&e->tlb2, page))
		return e->cost.tlb_miss;
	e->counts.tlb2_misses++;
	return e->cost.tlb_miss + e->cost.tlb2_miss;
}

static void miss(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];
	uint32_t owner, late;

	if (r->l1_allocate) {
		owner = fetch_find(
			e, WAIT_L1, request_cache(r), r->line, r->demand);
		if (owner != NONE) {
			fetch_wait(e, WAIT_L1, owner, request);
			return;
		}
		if (e->cost.l1_promotes && !r->texture)
			r->demand = 15;
		r->l1_owner = true;
		fetch_add(e, WAIT_L1, request);
	}
	late = l1_translate(e, sm, r->page);
	network_leave_sm(e, request,
		cycle + (r->texture ? e->cost.texture_miss : e->cost.l1_miss),
		late);
}

static void count_access(struct engine *e, const struct request *r)
{
	if (r->texture) {
		e->counts.texture_sectors += sector_count(r->demand);
	} else if (r->kind == REQUEST_LOAD) {
		e->counts.l1_requests++;
		e->counts.l1_sectors += sector_count(r->demand);
	}
}

/* The partly written sector, if the words that are asked of it are there. */
static unsigned found_words(
	cache_entry entry, const struct request *r, uint32_t words)
{
	unsigned partial = ENTRY_FIELD(entry, ENTRY_PARTIAL_SHIFT) & r->demand;
	unsigned sector, asked;

	if (!partial)
		return 0;
	sector = (unsigned)__builtin_ctz(partial);
	asked = (words >> (8 * sector)) & 255;
	return asked & ~(unsigned)(entry >> ENTRY_WORDS_SHIFT) ? 0 : partial;
}

/* Looks for the sectors; those that are there are no longer asked for. True
   if that is all of them. */
static bool found_all(struct engine *e, struct request *r, uint32_t words)
{
	const struct cache *c = cache_of(e, r);
	cache_entry *entry = find(c, l1_set(c, r->line), r);
	unsigned found =
		entry ? (ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) & r->demand) |
				found_words(*entry, r, words)
		      : 0;

	*(r->texture ? &e->counts.texture_hits : &e->counts.l1_hits) +=
		sector_count(found);
	if (found != r->demand) {
		r->demand &= ~found & 15;
		return false;
	}
	/* Measured on an H200: a normal line that is hit again stays, up to a
	   share of the ways, whatever is read once. */
	if (r->l1_hit != HIT_KEEPS && e->cost.l1_protects && !r->texture &&
		ENTRY_CLASS(*entry) == CLASS_NORMAL)
		*entry ^= (uint64_t)(CLASS_NORMAL ^ CLASS_LAST)
			  << ENTRY_CLASS_SHIFT;
	return true;
}

static void drop(struct engine *e, const struct request *r)
{
	struct sm *sm = &e->sms[r->sm];

	if (sm->l1_used)
		cache_drop(&sm->l1, l1_set(&sm->l1, r->line), r->line);
}

/* A store's bytes: whole sectors, and of those written in part the words of
   the last one. */
static void write_through(
	struct engine *e, const struct request *r, const struct access *access)
{
	struct sm *sm = &e->sms[r->sm];
	uint32_t set = l1_set(&sm->l1, r->line);
	cache_entry *entry = cache_touch(&sm->l1, set, r->line), victim;
	unsigned partial, sector, valid;
	uint64_t words;

	if (!entry && access->effect != EFFECT_WRITES)
		return;
	sm->l1_used = true;
	if (!entry)
		entry = cache_insert(&sm->l1, set, r->line, r->l1_class,
			e->cost.l1_last_max, &victim);
	if (access->effect != EFFECT_WRITES)
		return;
	*entry |= (uint64_t)(r->demand & r->whole) << ENTRY_VALID_SHIFT;
	valid = ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT);
	partial = r->demand & ~valid;
	if (!partial)
		return;
	sector = 31 - (unsigned)__builtin_clz(partial);
	words = (access->words >> (8 * sector)) & 255;
	if (ENTRY_FIELD(*entry, ENTRY_PARTIAL_SHIFT) & (1u << sector))
		words |= (*entry >> ENTRY_WORDS_SHIFT) & 255;
	*entry &= ~(UINT64_C(15) << ENTRY_PARTIAL_SHIFT |
		    UINT64_C(255) << ENTRY_WORDS_SHIFT);
	if (words == 255)
		*entry |= UINT64_C(1) << (ENTRY_VALID_SHIFT + sector);
	else
		*entry |= UINT64_C(1) << (ENTRY_PARTIAL_SHIFT + sector) |
			  words << ENTRY_WORDS_SHIFT;
}

/* What an acquire leaves of L1. */
void l1_empty(struct sm *sm)
{
	if (sm->l1_used)
		cache_clear(&sm->l1);
}

/* A request enters the pipe. */
void l1_lookup(struct engine *e, uint32_t request, const struct access *access)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];
	uint64_t now = e->calendar.now, cycle, hit;

	if (r->texture) {
		cycle = serve(&sm->texture_free[r->texture - 1], now,
			e->cost.texture_line);
		hit = e->cost.texture_hit;
	} else {
		cycle = serve(&sm->l1_free, now, access->ticks);
		hit = e->cost.l1_hit + access->hit_late;
	}
	count_access(e, r);
	if (access->effect == EFFECT_DROPS)
		drop(e, r);
	else if (access->effect != EFFECT_NONE)
		write_through(e, r, access);
	if (access->looks && found_all(e, r, access->words))
		engine_push_request(e, request, AT_DONE, cycle + hit);
	else
		miss(e, request, cycle + access->miss_late);
}

static unsigned last_max(const struct engine *e, const struct request *r)
{
	return r->texture ? UINT32_MAX : e->cost.l1_last_max;
}

/* What a load brought; those who waited for it are served from there. */
void l1_fill(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct cache *c = cache_of(e, r);
	uint32_t set = l1_set(c, r->line), waiter, next;
	cache_entry *entry = find(c, set, r), victim;

	e->sms[r->sm].l1_used = true;
	if (!entry)
		entry = cache_insert(
			c, set, r->line, r->l1_class, last_max(e, r), &victim);
	*entry |= (uint64_t)r->demand << ENTRY_VALID_SHIFT;
	*entry &= ~((uint64_t)r->demand << ENTRY_PARTIAL_SHIFT);
	for (waiter = fetch_end(e, WAIT_L1, request); waiter != NONE;
		waiter = next) {
		struct request *w = &e->requests[waiter];

		next = w->wait_next;
		w->demand &= ~r->demand & 15;
		if (!w->demand) {
			find(c, set, w);
			engine_push_request(
				e, waiter, AT_DONE, e->calendar.now + 1);
			continue;
		}
		miss(e, waiter, e->calendar.now);
	}
}
