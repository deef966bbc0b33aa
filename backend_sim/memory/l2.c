/*
 * The second level: two partitions of slices. A line has one home; the other
 * partition may hold a copy for the SMs of its side. Loads look on their own
 * side first. A store writes the copy of its own side on its way home;
 * whatever else changes a line at its home drops the copy.
 */
#include "backend_sim/core/engine.h"

static struct cache *side_cache(struct engine *e, unsigned side)
{
	return &e->l2[e->partitions == 2 ? side : 0];
}

/* A request counts once, where it looks first. */
static void count_lookup(struct engine *e, struct request *r, unsigned found)
{
	unsigned demand = r->demand;

	if (r->looked)
		return;
	r->looked = true;
	e->counts.l2_hits += sector_count(found);
	e->counts.l2_misses += sector_count(demand & ~found);
}

/* ---- what leaves ---- */

/* Write-backs of a slice wait until all of them go to DRAM, which turns from
   reading to writing for them: a chase in DRAM beside writes waits for whole
   drains, measured on an H200. Slices do so at different times. */
static uint64_t next_drain(const struct engine *e, const struct request *r)
{
	uint64_t shift = (r->home * e->slices + r->slice) * UINT64_C(977);
	uint64_t drains = (e->calendar.now + shift) / e->cost.drain;

	return (drains + 1) * e->cost.drain - shift;
}

static void evict(struct engine *e, unsigned side, cache_entry victim)
{
	uint32_t request;
	struct request *r;

	if (!ENTRY_FIELD(victim, ENTRY_DIRTY_SHIFT))
		return;
	request = request_new(e, REQUEST_WRITEBACK, ENTRY_LINE(victim));
	r = &e->requests[request];
	chip_place(e, r);
	r->side = side & 1;
	r->fetch = ENTRY_FIELD(victim, ENTRY_DIRTY_SHIFT);
	r->whole = ~ENTRY_FIELD(victim, ENTRY_PARTIAL_SHIFT) & 15;
	e->writes[side * e->slices + r->slice].count++;
	dram_enter(e, request, next_drain(e, r));
}

static cache_entry *install(
	struct engine *e, unsigned side, const struct request *r)
{
	struct cache *c = side_cache(e, side);
	cache_entry *entry = cache_touch(c, r->set, r->line), victim;
	unsigned class = r->l2_class;

	/* Only homes persist: measured on an H200, a stream takes the copies
	   of evict_last lines and leaves the lines. */
	if (class == CLASS_LAST && e->partitions == 2 && side != r->home)
		class = CLASS_NORMAL;
	if (entry) {
		*entry &= ~(UINT64_C(3) << ENTRY_CLASS_SHIFT);
		*entry |= (uint64_t) class << ENTRY_CLASS_SHIFT;
		return entry;
	}
	entry = cache_insert(c, r->set, r->line, class, e->last_max, &victim);
	if (victim)
		evict(e, side, victim);
	return entry;
}

/* ---- the near side ---- */

static void near_lookup(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	cache_entry *entry =
		cache_touch(side_cache(e, r->side), r->set, r->line);
	unsigned valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	uint32_t owner;

	count_lookup(e, r, r->demand & valid);
	if ((r->demand & valid) == r->demand) {
		network_reply(e, request, cycle);
		return;
	}
	owner = fetch_find(e, WAIT_NEAR, r->side, r->line, r->demand & ~valid);
	if (owner != NONE) {
		fetch_wait(e, WAIT_NEAR, owner, request);
		return;
	}
	r->copies = true;
	fetch_add(e, WAIT_NEAR, request);
	network_cross(e, request, cycle);
}

void l2_near_fill(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	uint64_t now = e->calendar.now;
	uint32_t waiter, next;

	if (r->copies) {
		cache_entry *entry = install(e, r->side, r);

		*entry |=
			ENTRY_COPY | ((uint64_t)r->bring << ENTRY_VALID_SHIFT);
		for (waiter = fetch_end(e, WAIT_NEAR, request); waiter != NONE;
			waiter = next) {
			next = e->requests[waiter].wait_next;
			near_lookup(e, waiter, now);
		}
	}
	network_reply(e, request, now);
}

/* ---- the home side ---- */

/* An answer leaves the home slice, over the bridge if the SM is far. */
static void answer(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];

	if (r->kind == REQUEST_SECOND)
		request_free(e, request);
	else if (r->home == r->side || e->partitions == 1)
		network_reply(e, request, cycle);
	else
		network_cross_back(e, request, cycle);
}

static bool is_atomic(const struct request *r)
{
	return r->kind == REQUEST_ATOMIC || r->kind == REQUEST_REDUCTION;
}

/* Does the request come over the bridge? */
static bool is_far(const struct engine *e, const struct request *r)
{
	return e->partitions == 2 && r->side != r->home;
}

/* The sectors a miss brings: the aligned blocks of the size that the access
   names, else of the device's granularity; what an atomic from afar misses
   comes alone, as measured on an H200. */
static unsigned widen(
	const struct engine *e, const struct request *r, unsigned missing)
{
	unsigned bytes = e->fetch_bytes;

	if (is_atomic(r) && is_far(e, r))
		return missing;
	if (r->prefetch)
		bytes = r->prefetch * 32u;
	if (bytes >= PROGRAM_LINE_BYTES)
		return 15;
	if (bytes != 64)
		return missing;
	return missing | (missing & 5) << 1 | (missing & 10) >> 1;
}

/* .L2::256B brings the block's second line too, when the first sector of the
   256 bytes is touched; it stays in its home. */
static void fetch_second(struct engine *e, const struct request *r)
{
	uint32_t line = r->line + 1, request;
	struct request *second;

	if (r->prefetch * 32u < 256 || (r->line & 1) || !(r->demand & 1))
		return;
	request = request_new(e, REQUEST_SECOND, line);
	second = &e->requests[request];
	chip_place(e, second);
	second->side = second->home;
	second->sm = r->sm;
	second->buffer = r->buffer;
	second->demand = 15;
	second->l2_class = r->l2_class;
	engine_push_request(e, request, AT_HOME, e->calendar.now + 1);
}

/* Forgets what a side has of the line; whether it had anything. */
static bool drop(struct engine *e, unsigned side, const struct request *r)
{
	cache_entry *entry = cache_find(side_cache(e, side), r->set, r->line);

	if (entry)
		*entry = 0;
	return entry;
}

/* Whether the other side had a copy, which is gone now. */
static bool write_home(struct engine *e, const struct request *r)
{
	cache_entry *entry = install(e, r->home, r);
	unsigned valid = ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT);
	unsigned partial =
		r->kind == REQUEST_STORE ? r->demand & ~r->whole & ~valid : 0;

	*entry |= (uint64_t)r->demand << ENTRY_DIRTY_SHIFT |
		  (uint64_t)(r->demand & ~partial) << ENTRY_VALID_SHIFT |
		  (uint64_t)partial << ENTRY_PARTIAL_SHIFT;
	*entry &= ~((uint64_t)(r->demand & ~partial) << ENTRY_PARTIAL_SHIFT);
	if (e->partitions == 1 || (r->kind == REQUEST_STORE && is_far(e, r)))
		return false;
	return drop(e, !r->home, r);
}

/* On its way to a far home a store writes its own side's copy: whole sectors
   are there from now on, parts go into what is there. */
static void write_near(struct engine *e, const struct request *r)
{
	cache_entry *entry;

	if (!(r->demand & r->whole))
		return;
	entry = install(e, r->side, r);
	*entry |= ENTRY_COPY | (uint64_t)(r->demand & r->whole)
				       << ENTRY_VALID_SHIFT;
}

static void miss(
	struct engine *e, uint32_t request, unsigned valid, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	unsigned missing = r->bring & ~valid;
	uint32_t owner = fetch_find(e, WAIT_HOME, 0, r->line, missing);

	if (owner != NONE) {
		fetch_wait(e, WAIT_HOME, owner, request);
		return;
	}
	r->fetch = widen(e, r, missing) & ~valid & 15;
	fetch_second(e, r);
	fetch_add(e, WAIT_HOME, request);
	dram_enter(e, request, cycle);
}

/* A slice whose write-backs are all under way takes no more stores. */
static bool waits_for_room(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct write_queue *q = &e->writes[r->home * e->slices + r->slice];

	if (r->kind != REQUEST_STORE || q->count < e->cost.writebacks_max)
		return false;
	r->wait_next = NONE;
	if (q->head == NONE)
		q->head = request;
	else
		e->requests[q->tail].wait_next = request;
	q->tail = request;
	return true;
}

/* Applies a store, a discard or a priority; needs no data from DRAM. */
static void act(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	cache_entry *entry;

	if (waits_for_room(e, request))
		return;

	if (r->kind == REQUEST_STORE) {
		unsigned count = sector_count(r->demand);
		unsigned parts = sector_count(r->demand & ~r->whole);

		e->counts.l2_writes += count;
		/* A sector is written in the time in which two are read: so an
		   H200 copies within L2 as it does. */
		serve(&e->data_free[r->home * e->slices + r->slice], cycle,
			(uint64_t)count * 2 * e->cost.slice_sector);
		cycle = serve(&e->write_free[r->home * e->slices + r->slice],
			cycle, (uint64_t)(count + parts) * e->cost.slice_write);
		write_home(e, r);
	} else {
		entry = cache_find(side_cache(e, r->home), r->set, r->line);
		if (entry && r->kind == REQUEST_DISCARD)
			*entry = 0;
		else if (entry)
			*entry =
				(*entry & ~(UINT64_C(3) << ENTRY_CLASS_SHIFT)) |
				((uint64_t)CLASS_NORMAL << ENTRY_CLASS_SHIFT);
	}
	answer(e, request, cycle);
}

static bool needs_data(const struct request *r)
{
	return r->kind <= REQUEST_SECOND && r->kind != REQUEST_STORE;
}

/* The home has all that the request asked for. */
static void found(struct engine *e, uint32_t request, uint64_t cycle)
{
	if (is_atomic(&e->requests[request]))
		engine_push_request(e, request, AT_ATOMIC, cycle);
	else
		answer(e, request, cycle);
}

static void home_lookup(struct engine *e, uint32_t request, uint64_t cycle)
{
	struct request *r = &e->requests[request];
	cache_entry *entry;
	unsigned valid;

	if (!needs_data(r)) {
		act(e, request, cycle);
		return;
	}
	entry = cache_touch(side_cache(e, r->home), r->set, r->line);
	valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	count_lookup(e, r, r->demand & valid);
	/* What crosses the bridge for a load is what a miss would bring: a
	   home that has only a part of it sends for the rest, as an H200
	   does. */
	r->bring = (r->copies ? widen(e, r, r->demand) : r->demand) & 15;
	if ((r->bring & valid) != r->bring)
		miss(e, request, valid, cycle);
	else
		found(e, request, cycle);
}

/* The host's caches shall have what the first in line will look at, and the
   one behind it. */
static void foresee(struct engine *e, const struct write_queue *q)
{
	const struct request *r = &e->requests[q->head];

	cache_prefetch(side_cache(e, r->home), r->set);
	if (r->wait_next != NONE)
		memory_prefetch(&e->requests[r->wait_next]);
}

/* A write-back is done: stores in line act until there is no room again. A
   store that displaces nothing dirty leaves its room to the next. */
void l2_written(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	struct write_queue *q = &e->writes[r->home * e->slices + r->slice];
	uint32_t first;

	q->count--;
	request_free(e, request);
	while (q->head != NONE && q->count < e->cost.writebacks_max) {
		first = q->head;
		q->head = e->requests[first].wait_next;
		act(e, first, e->calendar.now);
	}
	if (q->head != NONE)
		foresee(e, q);
}

/*
 * Measured on an H200: requests for the few lines that an atomic unit holds
 * stand in line before it, and whatever else comes to the slice stands behind
 * them, but of each SM so many passes are there, and of all so many; those for
 * many lines stop nobody else. So a request waits for those before it, in
 * ticks, and for so many passes of `pass_ticks` at most; one whose SM has more
 * at the slice waits as often.
 */
static uint64_t in_line(const struct engine *e, const struct request *r,
	const struct atomic_unit *unit, uint64_t pass_ticks)
{
	uint64_t passes = (uint64_t)e->active * e->cost.atomic_turn, most, left;
	uint64_t now = e->calendar.now * TICKS;

	if (passes > e->cost.atomic_line)
		passes = e->cost.atomic_line;
	most = e->pending[r->sm * e->slices + r->slice] * passes * pass_ticks;
	left = unit->stuck_until > now ? unit->stuck_until - now : 0;
	return left < most ? left : most;
}

/* The lookup of what comes to a slice. */
static uint64_t look_up(
	struct engine *e, const struct request *r, unsigned side)
{
	uint64_t cycle = serve(&e->slice_free[side * e->slices + r->slice],
		e->calendar.now, e->cost.slice_request);
	uint64_t behind = e->calendar.now;

	/* the second line of a fetch comes of the slice's own accord */
	if (!is_atomic(r) && r->kind != REQUEST_SECOND)
		behind += in_line(e, r,
				  &e->atomic_units[side * e->slices + r->slice],
				  e->cost.atomic_kept) /
			  TICKS;
	return behind > cycle ? behind : cycle;
}

void l2_home(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = look_up(e, r, r->home);

	home_lookup(e, request, cycle);
}

/* What is on its way to a far home; a discard takes the copy with it. */
static void pass_near(struct engine *e, uint32_t request, uint64_t cycle)
{
	const struct request *r = &e->requests[request];

	if (r->kind == REQUEST_STORE)
		write_near(e, r);
	else if (r->kind == REQUEST_DISCARD)
		drop(e, r->side, r);
	network_cross(e, request, cycle);
}

void l2_slice(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle;

	e->pending[r->sm * e->slices + r->slice]++;
	cycle = look_up(e, r, r->side);
	if (r->kind == REQUEST_LOAD)
		e->counts.l2_reads += sector_count(r->demand);
	if (e->partitions == 1 || r->home == r->side)
		home_lookup(e, request, cycle);
	else if (r->kind == REQUEST_LOAD)
		near_lookup(e, request, cycle);
	else
		pass_near(e, request, cycle);
}

/* Does the unit hold the line? It does from now on. */
static bool unit_holds(
	const struct engine *e, struct atomic_unit *unit, uint32_t line)
{
	uint32_t i = 0, last = e->cost.atomic_lines - 1;
	bool held;

	while (i < last && unit->lines[i] != line + 1)
		i++;
	held = unit->lines[i] == line + 1;
	for (; i > 0; i--)
		unit->lines[i] = unit->lines[i - 1];
	unit->lines[0] = line + 1;
	return held;
}

/* One pass of the atomic unit over all sectors. A sector of which every byte
   changes is quicker than one that its changes are merged into. */
static uint64_t pass_ticks(
	const struct engine *e, const struct request *r, bool held)
{
	unsigned all = sector_count(r->demand);
	unsigned whole = sector_count(r->demand & r->whole);

	if (!held)
		return (uint64_t)all * e->cost.atomic_sector;
	return (uint64_t)whole * e->cost.atomic_whole +
	       (uint64_t)(all - whole) * e->cost.atomic_kept;
}

/* A pass comes as a flit that holds its only operand, or as a head and a flit
   for each sector. */
static unsigned pass_flits(const struct request *r)
{
	return r->operands == 1 ? 1 : 1 + sector_count(r->demand);
}

/* Whether its SM has no other request at the slice: it is none of those that
   make the line. */
static bool is_alone(const struct engine *e, const struct request *r)
{
	return e->pending[r->sm * e->slices + r->slice] == 1;
}

/* The atomic unit of the home slice: one request at a time, and one from each
   side on its way in. */
void l2_atomic(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	unsigned count = sector_count(r->demand);
	struct atomic_unit *unit =
		&e->atomic_units[r->home * e->slices + r->slice];
	uint64_t now = e->calendar.now;
	uint64_t in = serve(&unit->port_free[is_far(e, r)], now,
		(uint64_t)r->passes * pass_flits(r) * e->cost.atomic_flit);
	bool held = unit_holds(e, unit, r->line);
	uint64_t pass = pass_ticks(e, r, held);
	uint64_t line = in_line(e, r, unit, pass), latest;
	uint64_t cycle = serve(&unit->free_at, now, r->passes * pass);

	if (held)
		serve(&unit->stuck_until, now, r->passes * pass);
	if (cycle < in)
		cycle = in;
	latest = now + (line + r->passes * pass) / TICKS;
	if (is_alone(e, r) && cycle > latest)
		cycle = latest;
	if (r->kind == REQUEST_ATOMIC)
		e->counts.l2_atomics += count;
	else
		e->counts.l2_reductions += count;
	cycle += e->cost.atomic_extra;
	/* A copy on the other side is taken back before the answer: measured
	   on an H200. An atomic from there has taken it on its way. */
	if (write_home(e, r) && !is_far(e, r) &&
		cycle < now + 2 * e->cost.bridge)
		cycle = now + 2 * e->cost.bridge;
	engine_push_request(e, request, AT_ATOMIC_DONE, cycle);
}

/* Ports on the way back are booked now, not when the unit began. */
void l2_atomic_done(struct engine *e, uint32_t request)
{
	answer(e, request, e->calendar.now);
}

/* DRAM has answered: the sectors are in the home slice. The request has seen
   the others when it missed, and does not ask for them again: in a set of few
   ways two requests would take each other's line for ever. */
void l2_fill(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	uint64_t now = e->calendar.now;
	uint32_t waiter, next;
	cache_entry *entry = install(e, r->home, r);

	*entry |= (uint64_t)r->fetch << ENTRY_VALID_SHIFT;
	*entry &= ~((uint64_t)r->fetch << ENTRY_PARTIAL_SHIFT);
	waiter = fetch_end(e, WAIT_HOME, request);
	r->fetch = 0;
	found(e, request, now);
	for (; waiter != NONE; waiter = next) {
		next = e->requests[waiter].wait_next;
		home_lookup(e, waiter, now);
	}
}
