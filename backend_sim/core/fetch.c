/* The tables of what is being fetched. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/core.h"
#include "backend_sim/core/words.h"
#include "harness/program/permute.h"

/* Whose fetch it is, beside the line: a cache's of an SM, a side's, the chip's.
 */
static uint32_t place_of(const struct request *r, unsigned table)
{
	return table == WAIT_L1     ? request_cache(r)
	       : table == WAIT_HOME ? 0
				    : r->side;
}

/* A fetch in its bucket: which request, and some bits of what it fetches, that
   others need not be looked at. */
#define REQUEST_BITS 22
#define REQUEST_MASK ((1u << REQUEST_BITS) - 1)

static uint32_t hash(uint32_t place, uint32_t line)
{
	return permute_mix(line + 0x9e3779b1u * place);
}

static struct fetch_bucket *bucket_of(
	const struct core *core, unsigned table, uint32_t hash)
{
	return &core->fetches
			.table[table][hash >> (32 - core->fetches.bits[table])];
}

static uint32_t entry_of(uint32_t hash, uint32_t request)
{
	return hash << REQUEST_BITS | request;
}

/* What a fetch will bring: the sectors asked for, or all that DRAM sends; to
   which GPC. */
static unsigned coming(const struct request *r, unsigned table)
{
	return table == WAIT_GPC    ? 1u << r->gpc
	       : table == WAIT_HOME ? r->fetch
				    : r->demand;
}

void fetch_prefetch(
	const struct core *core, unsigned table, const struct request *r)
{
	memory_prefetch(
		bucket_of(core, table, hash(place_of(r, table), r->line)));
}

static bool brings(const struct request *r, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors)
{
	return r->line == line && place_of(r, table) == place &&
	       (coming(r, table) & sectors);
}

/* The entries of a bucket that agree with one in the bits of `mask`, as a
   set. */
static uint32_t entries_like(
	const struct fetch_bucket *b, uint32_t entry, uint32_t mask)
{
	return words_like(b, entry, mask) & b->live;
}

/* The last one that was added is the first that is found: those of the chain
   came when the bucket was full. */
uint32_t fetch_find(const struct core *core, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors)
{
	uint32_t h = hash(place, line), i, k, like;
	const struct fetch_bucket *b = bucket_of(core, table, h);

	for (i = b->chain - 1; i != NONE; i = core->links[i].next[table])
		if (brings(&core->requests[i], table, place, line, sectors))
			return i;
	like = entries_like(b, entry_of(h, 0), ~REQUEST_MASK);
	for (; like; like &= ~(1u << k)) {
		k = 31 - (uint32_t)__builtin_clz(like);
		i = b->entries[k] & REQUEST_MASK;
		if (brings(&core->requests[i], table, place, line, sectors))
			return i;
	}
	return NONE;
}

/* Those in use to the front; how many. */
static uint32_t compact(struct fetch_bucket *b)
{
	uint32_t k, count = 0;

	for (k = 0; k < FETCH_ENTRIES; k++) {
		b->entries[count] = b->entries[k];
		count += b->live >> k & 1;
	}
	b->live = (1u << count) - 1;
	return count;
}

/* Behind all others; false if there is no room. */
static bool put(struct fetch_bucket *b, uint32_t entry)
{
	uint32_t at = 31 - (uint32_t)__builtin_clz(2 * b->live + 1);

	if (at == FETCH_ENTRIES)
		at = compact(b);
	if (at == FETCH_ENTRIES)
		return false;
	b->entries[at] = entry;
	b->live |= 1u << at;
	return true;
}

static void insert(struct core *core, unsigned table, uint32_t request)
{
	const struct request *r = &core->requests[request];
	uint32_t h = hash(place_of(r, table), r->line);
	struct fetch_bucket *b = bucket_of(core, table, h);

	if (put(b, entry_of(h, request)))
		return;
	core->links[request].next[table] = b->chain - 1;
	b->chain = request + 1;
}

/* A bucket of the smaller table becomes two, with the fetches in the order in
   which they were added; a chain has the last one first. */
static void split(struct core *core, unsigned table, uint32_t bucket)
{
	struct fetch_bucket old = core->fetches.table[table][bucket];
	struct fetch_bucket *halves = &core->fetches.table[table][2 * bucket];
	uint32_t i, k, next, chain = NONE;

	halves[0] = halves[1] = (struct fetch_bucket){0};
	for (k = 0; k < FETCH_ENTRIES; k++)
		if (old.live >> k & 1)
			insert(core, table, old.entries[k] & REQUEST_MASK);
	for (i = old.chain - 1; i != NONE; i = next) {
		next = core->links[i].next[table];
		core->links[i].next[table] = chain;
		chain = i;
	}
	for (i = chain; i != NONE; i = next) {
		next = core->links[i].next[table];
		insert(core, table, i);
	}
}

/* The host's caches shall have the requests in a bucket. */
static void prefetch_fetches(
	const struct core *core, const struct fetch_bucket *b)
{
	uint32_t k;

	for (k = 0; k < FETCH_ENTRIES; k++)
		if (b->live >> k & 1)
			memory_prefetch(
				&core->requests[b->entries[k] & REQUEST_MASK]);
}

/* A table is as large as what is under way needs: a small one stays in the
   host's caches. */
static void grow(struct core *core, unsigned table)
{
	uint32_t bucket = 1u << core->fetches.bits[table]++;

	while (bucket-- > 0) {
		if (bucket)
			prefetch_fetches(
				core, &core->fetches.table[table][bucket - 1]);
		split(core, table, bucket);
	}
}

int fetch_init(struct fetches *f)
{
	unsigned table;

	for (table = 0; table < FETCH_TABLES; table++) {
		f->table[table] =
			memory_table(1u << TABLE_BITS_MAX, sizeof(**f->table));
		if (!f->table[table])
			return -1;
	}
	return 0;
}

void fetch_free(struct fetches *f)
{
	unsigned table;

	for (table = 0; table < FETCH_TABLES; table++)
		free(f->table[table]);
}

void fetch_reset(struct fetches *f)
{
	unsigned table;

	for (table = 0; table < FETCH_TABLES; table++) {
		f->bits[table] = TABLE_BITS_MIN;
		f->count[table] = 0;
		memset(f->table[table], 0,
			sizeof(**f->table) << TABLE_BITS_MIN);
	}
}

void fetch_add(struct core *core, unsigned table, uint32_t request)
{
	if (core->fetches.count[table]++ >> core->fetches.bits[table] >=
			FETCH_ENTRIES / 2 &&
		core->fetches.bits[table] < TABLE_BITS_MAX)
		grow(core, table);
	insert(core, table, request);
}

/* The place of a fetch among a bucket's entries; FETCH_ENTRIES: it is in the
   chain. */
static uint32_t place_in(
	const struct fetch_bucket *b, uint32_t hash, uint32_t request)
{
	uint32_t found = entries_like(b, entry_of(hash, request), UINT32_MAX);

	return (uint32_t)__builtin_ctz(found | 1u << FETCH_ENTRIES);
}

void fetch_wait(
	struct core *core, unsigned table, uint32_t owner, uint32_t request)
{
	struct request *r = &core->requests[request],
		       *o = &core->requests[owner];
	uint32_t *last = &core->links[owner].waiters[table];

	if (o->waited & 1u << table) {
		r->wait_next = core->requests[*last].wait_next;
		core->requests[*last].wait_next = request;
	} else {
		r->wait_next = request;
		o->waited |= (uint8_t)(1u << table);
	}
	*last = request;
}

/* Takes a request, or the one that was chained first (NONE), out of a bucket's
   chain. */
static uint32_t unchain(struct core *core, unsigned table,
	struct fetch_bucket *b, uint32_t request)
{
	uint32_t i = b->chain - 1, before = NONE;
	uint32_t next = core->links[i].next[table];

	while (request == NONE ? next != NONE : i != request) {
		before = i;
		i = next;
		next = core->links[i].next[table];
	}
	if (before == NONE)
		b->chain = next + 1;
	else
		core->links[before].next[table] = next;
	return i;
}

/* The first of the chain comes into the bucket, where there is room. */
static void move_up(struct core *core, unsigned table, struct fetch_bucket *b)
{
	uint32_t request = unchain(core, table, b, NONE);
	const struct request *r = &core->requests[request];

	put(b, entry_of(hash(place_of(r, table), r->line), request));
}

void fetch_hide(struct core *core, unsigned table, uint32_t request)
{
	const struct request *r = &core->requests[request];
	uint32_t h = hash(place_of(r, table), r->line), k;
	struct fetch_bucket *b = bucket_of(core, table, h);

	core->fetches.count[table]--;
	k = place_in(b, h, request);
	if (k == FETCH_ENTRIES) {
		unchain(core, table, b, request);
	} else {
		b->live &= ~(1u << k);
		if (b->chain)
			move_up(core, table, b);
	}
}

uint32_t fetch_waiters(struct core *core, unsigned table, uint32_t request)
{
	struct request *r = &core->requests[request];
	uint32_t last, first;

	if (!(r->waited & 1u << table))
		return NONE;
	r->waited &= (uint8_t) ~(1u << table);
	last = core->links[request].waiters[table];
	first = core->requests[last].wait_next;
	core->requests[last].wait_next = NONE;
	return first;
}

uint32_t fetch_end(struct core *core, unsigned table, uint32_t request)
{
	fetch_hide(core, table, request);
	return fetch_waiters(core, table, request);
}
