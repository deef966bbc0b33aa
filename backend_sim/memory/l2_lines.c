/* What L2 holds of a line, what a miss brings of it, and what leaves for it. */
#include "backend_sim/core/events.h"
#include "backend_sim/memory/l2_parts.h"
#include "backend_sim/rules/rules.h"

/* Write-backs of a slice wait until all of them go to DRAM, which turns from
   reading to writing for them: a chase in DRAM beside writes waits for whole
   drains, measured on an H200. Slices do so at different times. */
static uint64_t next_drain(const struct l2 *l, const struct request *r)
{
	const struct core *core = l->core;
	uint64_t shift =
		(uint64_t)slices_number(&core->slices, r->home, r->slice) *
		core->cost.dram_stagger_cycles;
	uint64_t drains =
		(core_now(core) + shift) / core->cost.dram_drain_cycles;

	return (drains + 1) * core->cost.dram_drain_cycles - shift;
}

/* Sectors of which a part alone was written. Which bytes are there is not kept:
   a second part is taken for the rest of the sector. */
static unsigned in_part(cache_entry entry)
{
	return ENTRY_FIELD(entry, ENTRY_PARTIAL_SHIFT) &
	       ~ENTRY_FIELD(entry, ENTRY_REST_SHIFT);
}

static void evict(struct l2 *l, unsigned side, cache_entry victim,
	const struct request *by)
{
	struct core *core = l->core;
	uint32_t request;
	struct request *r;

	if (!ENTRY_FIELD(victim, ENTRY_DIRTY_SHIFT))
		return;
	request = request_new(core, REQUEST_WRITEBACK, ENTRY_LINE(victim));
	core_follows(core, request, by);
	r = &core->requests[request];
	request_place(core, r);
	r->side = side & 1;
	r->fetch = ENTRY_FIELD(victim, ENTRY_DIRTY_SHIFT);
	r->whole = ~in_part(victim) & SECTORS_ALL;
	l2_slice_of(l, side, r)->writes.count++;
	dram_enter(l->dram, request, next_drain(l, r));
}

/* What of the line is in part goes to DRAM, which reads the rest for it; the
   line is whole then. */
static void complete(struct l2 *l, unsigned side, cache_entry *entry,
	const struct request *by)
{
	struct core *core = l->core;
	uint64_t part = in_part(*entry);
	uint32_t request =
		request_new(core, REQUEST_WRITEBACK, ENTRY_LINE(*entry));
	struct request *r = &core->requests[request];

	core_follows(core, request, by);
	*entry &= ~(part << ENTRY_PARTIAL_SHIFT | part << ENTRY_DIRTY_SHIFT);
	*entry |= part << ENTRY_VALID_SHIFT;
	request_place(core, r);
	r->side = side & 1;
	r->fetch = part & SECTORS_ALL;
	l2_count_rest(l, r);
	l2_slice_of(l, side, r)->writes.count++;
	dram_enter(l->dram, request, core_now(core));
}

/* The line of the request is in part from now on. A set has few such lines:
   measured on an H200, where some 60,000 of all stay so, however long, and of
   more those stored first are read and written soon. */
static void limit_parts(struct l2 *l, unsigned side, const struct request *r)
{
	const struct cache *c = l2_side(l, side);
	cache_entry *set = cache_set(c, r->set), *oldest = NULL;
	uint32_t count = 0, way;

	for (way = 0; way < c->ways; way++)
		if (in_part(set[way])) {
			count++;
			oldest = &set[way];
		}
	if (count > l->core->cost.l2_part_ways)
		complete(l, side, oldest, r);
}

#define CLEANED 2u /* at a time */

/* A line of the set has become dirty. Those written back stay, clean; lines in
   part have a limit of their own. Measured on an H200 and an H100
   (results/probes/dirty_lines.tsv). */
static void limit_dirty(struct l2 *l, unsigned side, const struct request *r)
{
	const struct cache *c = l2_side(l, side);
	cache_entry *set = cache_set(c, r->set);
	uint32_t count = 0, way;

	for (way = 0; way < c->ways; way++)
		count += ENTRY_FIELD(set[way], ENTRY_DIRTY_SHIFT) != 0;
	if (count <= l->core->cost.l2_dirty_ways)
		return;
	for (count = CLEANED; count && way--;) {
		const uint64_t dirty = ENTRY_FIELD(set[way], ENTRY_DIRTY_SHIFT);

		if (!dirty || in_part(set[way]))
			continue;
		evict(l, side, set[way], r);
		set[way] &= ~(dirty << ENTRY_DIRTY_SHIFT);
		count--;
	}
}

cache_entry *l2_install(struct l2 *l, unsigned side, const struct request *r)
{
	struct cache *c = l2_side(l, side);
	cache_entry *entry = cache_touch(c, r->set, r->line), victim;
	unsigned class = r->l2_class;

	/* Only homes persist: measured on an H200, a stream takes the copies
	   of evict_last lines and leaves the lines. */
	if (class == CLASS_LAST && l->core->slices.partitions == 2 &&
		side != r->home)
		class = CLASS_NORMAL;
	if (entry) {
		*entry &= ~(UINT64_C(3) << ENTRY_CLASS_SHIFT);
		*entry |= (uint64_t) class << ENTRY_CLASS_SHIFT;
		return entry;
	}
	entry = cache_insert(c, r->set, r->line, class, l->last_max, &victim);
	if (victim)
		evict(l, side, victim, r);
	return entry;
}

/* Measured on an H200 and an H100 (evict_first.tsv): a warp that has few such
   lines under way leaves one of them a set, many SMs with many under way up to
   four: a line that is there gives its place to the next one that misses, one
   that is under way does not. */
void l2_ask(struct l2 *l, unsigned side, const struct request *r)
{
	cache_entry victim;

	if (!RULE(FIRST_ASKS) || r->l2_class != CLASS_FIRST ||
		cache_find(l2_side(l, side), r->set, r->line))
		return;
	victim = cache_ask(l2_side(l, side), r->set);
	if (victim)
		evict(l, side, victim, r);
}

bool l2_drop(struct l2 *l, unsigned side, const struct request *r)
{
	cache_entry *entry = cache_find(l2_side(l, side), r->set, r->line);

	if (entry)
		*entry = 0;
	return entry;
}

bool l2_write_home(struct l2 *l, const struct request *r, unsigned *parts)
{
	cache_entry *entry = l2_install(l, r->home, r);
	unsigned valid = ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT);
	unsigned partial =
		r->kind == REQUEST_STORE ? r->demand & ~r->whole & ~valid : 0;
	cache_entry before = *entry;

	if (parts)
		*parts = partial;
	*entry |= (uint64_t)r->demand << ENTRY_DIRTY_SHIFT |
		  (uint64_t)(r->demand & ~partial) << ENTRY_VALID_SHIFT |
		  (uint64_t)partial << ENTRY_PARTIAL_SHIFT |
		  (uint64_t)(partial & ENTRY_FIELD(before, ENTRY_PARTIAL_SHIFT))
			  << ENTRY_REST_SHIFT;
	*entry &= ~((uint64_t)(r->demand & ~partial) << ENTRY_PARTIAL_SHIFT);
	if (in_part(*entry) && !in_part(before))
		limit_parts(l, r->home, r);
	if (!ENTRY_FIELD(before, ENTRY_DIRTY_SHIFT))
		limit_dirty(l, r->home, r);
	if (l->core->slices.partitions == 1 ||
		(r->kind == REQUEST_STORE && l2_is_far(l, r)))
		return false;
	return l2_drop(l, !r->home, r);
}

/* Whole sectors are there from now on, parts go into what is there. */
void l2_write_near(struct l2 *l, const struct request *r)
{
	cache_entry *entry;

	if (!RULE(STORED_COPIES) || !(r->demand & r->whole))
		return;
	entry = l2_install(l, r->side, r);
	*entry |= ENTRY_COPY | (uint64_t)(r->demand & r->whole)
				       << ENTRY_VALID_SHIFT;
}

/* The size that the access names; 0: none. Atomics name none. */
static unsigned prefetch_bytes(const struct request *r)
{
	return request_is_atomic(r) ? 0 : r->prefetch * 32u;
}

/* The sectors a miss brings: the aligned blocks of the size that the access
   names, else of the device's granularity; what an atomic from afar misses
   comes alone, as measured on an H200. */
unsigned l2_widen(const struct l2 *l, const struct request *r, unsigned missing)
{
	unsigned bytes = l->fetch_bytes;

	if (RULE(NARROW_FAR_ATOMICS) && request_is_atomic(r) && l2_is_far(l, r))
		return missing;
	if (prefetch_bytes(r))
		bytes = prefetch_bytes(r);
	if (bytes >= PROGRAM_LINE_BYTES)
		return SECTORS_ALL;
	if (bytes != 64)
		return missing;
	return missing | (missing & 5) << 1 | (missing & 10) >> 1;
}

/* .L2::256B brings the block's second line too, when the first sector of the
   256 bytes is touched; it stays in its home. */
void l2_fetch_second(struct l2 *l, const struct request *r)
{
	struct core *core = l->core;
	uint32_t line = r->line + 1, request;
	struct request *second;

	if (prefetch_bytes(r) < 256 || (r->line & 1) || !(r->demand & 1))
		return;
	request = request_new(core, REQUEST_SECOND, line);
	core_follows(core, request, r);
	second = &core->requests[request];
	request_place(core, second);
	second->side = second->home;
	second->sm = r->sm;
	second->buffer = r->buffer;
	second->demand = SECTORS_ALL;
	second->l2_class = r->l2_class;
	event_push(core, request, AT_HOME, core_now(core) + 1);
}
