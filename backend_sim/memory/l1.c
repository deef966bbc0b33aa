#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/core/memory.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/l1_parts.h"
#include "backend_sim/core/stale.h"

/* ---- life cycle ---- */

static uint32_t lines_of(uint64_t bytes)
{
	return (uint32_t)(bytes / PROGRAM_LINE_BYTES);
}

/* Sets are a power of two, of this degree, that has ways for all lines. */
static unsigned degree_of(uint64_t bytes, uint32_t ways)
{
	unsigned degree = 0;

	while (((uint64_t)ways << degree) < lines_of(bytes))
		degree++;
	return degree;
}

static int make_cache(struct cache *c, const struct remainders *index,
	uint64_t bytes, uint32_t ways, double random_share)
{
	c->index = index;
	c->lines_max = lines_of(bytes);
	return cache_init(c, 1u << degree_of(bytes, ways), ways, random_share);
}

static int make_caches(struct l1 *l, struct l1_caches *sm)
{
	const struct costs *cost = &l->core->cost;
	uint32_t i;

	if (make_cache(&sm->l1, &l->l1_index, cost->l1_cache_bytes,
		    cost->l1_ways, cost->l1_random_share))
		return -1;
	for (i = 0; i < cost->texture_caches; i++)
		if (make_cache(&sm->texture[i], &l->texture_index,
			    cost->texture_cache_bytes, cost->texture_ways, 0))
			return -1;
	return 0;
}

int l1_init(struct l1 *l, struct core *core, struct network *network,
	struct translation *translation)
{
	const struct costs *cost = &core->cost;
	uint32_t sm;

	l->core = core;
	l->network = network;
	l->translation = translation;
	l->protects = cost->l1_protected_share > 0;
	remainders_init(
		&l->l1_index, degree_of(cost->l1_cache_bytes, cost->l1_ways));
	remainders_init(&l->texture_index,
		degree_of(cost->texture_cache_bytes, cost->texture_ways));
	l->sms = calloc(cost->sm_count, sizeof(*l->sms));
	if (!l->sms)
		return -1;
	for (sm = 0; sm < cost->sm_count; sm++)
		if (make_caches(l, &l->sms[sm]))
			return -1;
	return 0;
}

void l1_free(struct l1 *l)
{
	uint32_t sm, i;

	for (sm = 0; l->sms && sm < l->core->cost.sm_count; sm++) {
		cache_free(&l->sms[sm].l1);
		for (i = 0; i < TEXTURE_CACHES_MAX; i++)
			cache_free(&l->sms[sm].texture[i]);
	}
	free(l->sms);
}

static void clear(struct l1 *l, struct l1_caches *sm)
{
	uint32_t i;

	if (!sm->used)
		return;
	cache_clear(&sm->l1);
	for (i = 0; i < l->core->cost.texture_caches; i++)
		cache_clear(&sm->texture[i]);
	if (l->core->stale)
		stale_empty(l->core->stale, (uint32_t)(sm - l->sms));
	sm->used = false;
}

void l1_cold(struct l1 *l)
{
	uint32_t i;

	for (i = 0; i < l->core->cost.sm_count; i++) {
		struct l1_caches *sm = &l->sms[i];

		clear(l, sm);
		sm->pipe = (struct server){0};
		memset(sm->texture_pipes, 0, sizeof(sm->texture_pipes));
		sm->l1.random_state = i + 1;
	}
}

bool l1_is_settled(const struct l1 *l)
{
	return !l->core->fetches.count[WAIT_L1];
}

void l1_servers(struct l1 *l, struct books *books)
{
	const struct costs *cost = &l->core->cost;
	uint32_t sm, i;

	for (sm = 0; sm < cost->sm_count; sm++) {
		books_add(books, SERVER_L1, sm, &l->sms[sm].pipe);
		for (i = 0; i < cost->texture_caches; i++)
			books_add(books, SERVER_TEXTURE, sm,
				&l->sms[sm].texture_pipes[i]);
	}
}

/* Ways of a set for evict_last lines: a share of those that it has on average,
   rounded up. */
static uint32_t last_max(const struct l1 *l, uint32_t lines)
{
	const struct costs *cost = &l->core->cost;
	const uint32_t sets = l->sms[0].l1.sets.by;
	const uint32_t ways = (lines + sets - 1) / sets;

	return l->protects ? machine_whole(cost->l1_protected_share * ways)
			   : cost->l1_ways;
}

void l1_launch(struct l1 *l, uint32_t lines)
{
	uint32_t sm;

	l->last_max = last_max(l, lines);

	for (sm = 0; sm < l->core->cost.sm_count; sm++)
		l1_launch_on(l, sm, lines);
}

void l1_launch_on(struct l1 *l, uint32_t sm, uint32_t lines)
{
	clear(l, &l->sms[sm]);
	l->sms[sm].l1.lines_max = lines;
}

/* ---- races ---- */

static bool writes(const struct request *r)
{
	return r->kind == REQUEST_STORE || request_is_atomic(r) ||
	       r->kind == REQUEST_DISCARD;
}

/* Other SMs keep what was there before. */
static void write_elsewhere(
	struct l1 *l, const struct request *r, uint32_t words)
{
	uint32_t sm;

	for (sm = 0; sm < l->core->cost.sm_count; sm++) {
		struct cache *c = &l->sms[sm].l1;

		if (sm != r->sm && l->sms[sm].used &&
			cache_find(c, l1_set(c, r->line), r->line))
			stale_add(l->core->stale, sm, r->line, words);
	}
	stale_renew(l->core->stale, r->sm, r->line, words);
}

static void find_races(
	struct l1 *l, const struct request *r, unsigned found, uint32_t words)
{
	struct core *core = l->core;
	const uint32_t stale = stale_words(core->stale, r->sm, r->line);

	core->notes[r - core->requests].stale = (uint16_t)__builtin_popcount(
		stale & words & stale_of_sectors(found));
}

/* ---- lookups ---- */

static void count_access(struct l1 *l, const struct request *r)
{
	struct core *core = l->core;

	if (r->texture) {
		core->counts.texture_sectors += sector_count(r->demand);
	} else if (r->kind == REQUEST_LOAD) {
		core->counts.l1_sectors += sector_count(r->demand);
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
static bool found_all(struct l1 *l, struct request *r, uint32_t words)
{
	struct core *core = l->core;
	const struct cache *c = l1_cache_of(l, r);
	cache_entry *entry = l1_find(c, l1_set(c, r->line), r);
	unsigned found =
		entry ? (ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) & r->demand) |
				found_words(*entry, r, words)
		      : 0;

	*(r->texture ? &core->counts.texture_hits : &core->counts.l1_hits) +=
		sector_count(found);
	if (core->stale && found && !r->texture)
		find_races(l, r, found, words);
	if (found != r->demand) {
		r->demand &= ~found & SECTORS_ALL;
		if (core->notes)
			core->notes[r - core->requests].in_l1 =
				(uint16_t)sector_count(found);
		return false;
	}
	/* Measured on an H200: a normal line that is hit again stays, up to a
	   share of the ways, whatever is read once. */
	if (r->l1_hit != HIT_KEEPS && l->protects && !r->texture &&
		ENTRY_CLASS(*entry) == CLASS_NORMAL)
		*entry ^= (uint64_t)(CLASS_NORMAL ^ CLASS_LAST)
			  << ENTRY_CLASS_SHIFT;
	return true;
}

static void drop(struct l1 *l, const struct request *r)
{
	struct l1_caches *sm = &l->sms[r->sm];

	if (sm->used)
		cache_drop(&sm->l1, l1_set(&sm->l1, r->line), r->line);
}

/* ---- stores ---- */

/* A store's bytes: whole sectors, and of those written in part the words of
   the last one. */
static void write_through(
	struct l1 *l, const struct request *r, const struct access *access)
{
	struct l1_caches *sm = &l->sms[r->sm];
	uint32_t set = l1_set(&sm->l1, r->line);
	cache_entry *entry = cache_touch(&sm->l1, set, r->line), victim;
	unsigned partial, sector, valid;
	uint64_t words;

	if (!entry && access->effect != EFFECT_WRITES)
		return;
	sm->used = true;
	if (!entry)
		entry = cache_insert(&sm->l1, set, r->line, r->l1_class,
			l->last_max, &victim);
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

void l1_empty(struct l1 *l, uint32_t sm)
{
	struct cache *c = &l->sms[sm].l1;

	if (l->sms[sm].used && (c->lines || c->turns))
		cache_clear(c);
	if (l->core->stale)
		stale_empty(l->core->stale, sm);
}

void l1_prefetch(const struct l1 *l, uint32_t sm, uint32_t line)
{
	const struct cache *c = &l->sms[sm].l1;

	memory_prefetch(cache_set(c, l1_set(c, line)));
}

void l1_pass(struct l1 *l, uint32_t request, uint32_t words)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];

	if (core->stale && writes(r))
		write_elsewhere(l, r, words);
	l1_miss(l, request, core_now(core));
}

bool l1_lookup(struct l1 *l, uint32_t request, const struct access *access)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	struct l1_caches *sm = &l->sms[r->sm];
	uint64_t now = core_now(core), cycle, hit;

	if (r->texture) {
		cycle = serve(&sm->texture_pipes[r->texture - 1],
			sender_of_request(request), now,
			core->cost.texture_line_ticks);
		hit = core->cost.texture_hit_cycles;
	} else {
		cycle = serve(&sm->pipe, sender_of_request(request), now,
			access->ticks);
		hit = core->cost.l1_hit_cycles + access->hit_late;
	}
	count_access(l, r);
	if (access->effect == EFFECT_DROPS)
		drop(l, r);
	else if (access->effect != EFFECT_NONE)
		write_through(l, r, access);
	if (core->stale && writes(r))
		write_elsewhere(l, r, access->words);
	if (access->looks && found_all(l, r, access->words)) {
		event_push(core, request, AT_DONE, cycle + hit);
		return true;
	}
	if (access->joins)
		event_push(core, request, AT_DONE, cycle + access->miss_late);
	else {
		if (r->l1_allocate)
			r->ready = (uint32_t)(cycle + hit);
		l1_miss(l, request, cycle + access->miss_late);
	}
	return false;
}
