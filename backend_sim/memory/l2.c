/* Lookups and fills. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/l2_parts.h"
#include "backend_sim/memory/merge.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/rules/constants.h"

/* ---- the near side ---- */

/* The data of a load leave the slice on the SM's side, in the order in which
   loads come: the cycle at which they have left. Loads and stores take turns
   there: of stores a load waits for a few lines, and for as many sectors as it
   and the loads before it have. */
static uint64_t send_data(struct l2 *l, const struct request *r,
	struct sender sender, uint64_t cycle, unsigned sectors)
{
	struct slice *slice = l2_slice_of(l, r->side, r);
	uint64_t sector = l->core->cost.slice_sector_ticks;
	uint64_t all = serve_untold(&slice->data, cycle, sectors * sector);
	uint64_t loads =
		line_serve(&slice->loads_over, cycle, sectors * sector);
	uint64_t lines = l->core->cost.slice_store_lines * PROGRAM_LINE_BYTES /
			 PROGRAM_SECTOR_BYTES * READS_A_WRITE * sector /
			 TICKS_A_CYCLE;
	uint64_t turns = loads + (loads - cycle) * READS_A_WRITE + lines;

	all = !RULE(LOADS_PASS) || all < turns ? all : turns;
	server_told(&slice->data, sender, cycle, all, sectors * sector);
	return all;
}

/* Back to the SM; what brings no data does not wait for the slice. */
static void reply(struct l2 *l, uint32_t request, uint64_t cycle)
{
	const struct request *r = &l->core->requests[request];
	unsigned sectors = network_data_down(r);

	if (sectors)
		cycle = send_data(
			l, r, sender_of_request(request), cycle, sectors);
	merge_answered(l->network, request, cycle);
	network_send_back(l->network, request, cycle);
}

static void near_lookup(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	cache_entry *entry = cache_touch(l2_side(l, r->side), r->set, r->line);
	unsigned valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	uint32_t owner;

	l2_count_lookup(l, r, r->demand, valid);
	if ((r->demand & valid) == r->demand) {
		reply(l, request, cycle);
		return;
	}
	owner = fetch_find(core, WAIT_NEAR, r->side, r->line,
		l2_widen(l, r, r->demand & ~valid));
	if (owner != NONE) {
		fetch_wait(core, WAIT_NEAR, owner, request);
		return;
	}
	l2_ask(l, r->side, r);
	r->copies = true;
	r->bring = r->demand & ~valid & SECTORS_ALL;
	request_found(r, FOUND_FAR);
	fetch_add(core, WAIT_NEAR, request);
	network_cross(l->network, request, cycle);
}

void l2_near_fill(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	uint64_t now = core_now(core);
	uint32_t waiter, next;

	(void)datum;
	if (r->copies) {
		cache_entry *entry = l2_install(l, r->side, r);

		*entry |=
			ENTRY_COPY | ((uint64_t)r->bring << ENTRY_VALID_SHIFT);
		for (waiter = fetch_end(core, WAIT_NEAR, request);
			waiter != NONE; waiter = next) {
			next = core->requests[waiter].wait_next;
			request_found(&core->requests[waiter], r->operands);
			near_lookup(l, waiter, now);
		}
	}
	reply(l, request, now);
}

/* ---- the home side ---- */

void l2_answer(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];

	if (r->kind == REQUEST_SECOND)
		request_free(core, request);
	else if (r->home == r->side || core->slices.partitions == 1)
		reply(l, request, cycle);
	else
		network_cross_back(l->network, request, cycle);
}

/* A near side asks for what it lacks, and for as much as a miss would bring: a
   home that has only a part of that sends for the rest. So an H200 does and
   counts. */
static unsigned copied(const struct l2 *l, const struct request *r)
{
	return RULE(WIDE_COPIES) ? l2_widen(l, r, r->bring) : r->bring;
}

/* What of its line a request wants from its home. */
static unsigned brings(const struct l2 *l, const struct request *r)
{
	return (r->copies ? copied(l, r) : r->demand) & SECTORS_ALL;
}

static void miss(struct l2 *l, uint32_t request, unsigned valid, uint64_t cycle)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	unsigned missing = r->bring & ~valid;
	uint32_t owner = fetch_find(core, WAIT_HOME, 0, r->line, missing);

	request_found(r, FOUND_DRAM);
	if (l2_stays(l, r)) {
		if (owner == NONE)
			l2_stay(l, r, l2_widen(l, r, missing) & ~valid, cycle);
		event_push(core, request, AT_ATOMIC, cycle);
		return;
	}
	if (owner != NONE) {
		fetch_wait(core, WAIT_HOME, owner, request);
		return;
	}
	r->fetch = l2_widen(l, r, missing) & ~valid & SECTORS_ALL;
	l2_fetch_second(l, r);
	l2_ask(l, r->home, r);
	fetch_add(core, WAIT_HOME, request);
	dram_enter(l->dram, request, cycle);
}

/* A slice whose write-backs are all under way takes no more stores. */
static bool waits_for_room(struct l2 *l, uint32_t request)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];
	struct write_queue *q = &l2_slice_of(l, r->home, r)->writes;

	if (r->kind != REQUEST_STORE || q->count < core->cost.slice_writebacks)
		return false;
	request_queue_add(core, &q->queue, request);
	server_queued(&q->room, sender_of_request(request), core_now(core));
	return true;
}

/* A request with parts of sectors takes one sector's time more, however many
   they are: store_parts.cu. */
static bool takes_longer(unsigned parts)
{
	return RULE(PARTS_TAKE_WRITE) && parts != 0;
}

/* Applies a store, a discard or a priority; needs no data from DRAM. */
static void act(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	cache_entry *entry;

	if (waits_for_room(l, request))
		return;

	if (r->kind == REQUEST_STORE) {
		struct slice *slice = l2_slice_of(l, r->home, r);
		unsigned count = sector_count(r->demand);
		unsigned parts;

		l2_write_home(l, r, &parts);
		if (RULE(STORES_TAKE_DATA))
			serve(&slice->data, sender_beside(request), cycle,
				(uint64_t)count * READS_A_WRITE *
					core->cost.slice_sector_ticks);
		cycle = serve(&slice->write, sender_of_request(request), cycle,
			(uint64_t)(count + takes_longer(parts)) *
				core->cost.slice_write_sector_ticks);
	} else {
		entry = cache_find(l2_side(l, r->home), r->set, r->line);
		if (entry && r->kind == REQUEST_DISCARD)
			*entry = 0;
		else if (entry)
			*entry =
				(*entry & ~(UINT64_C(3) << ENTRY_CLASS_SHIFT)) |
				((uint64_t)CLASS_NORMAL << ENTRY_CLASS_SHIFT);
	}
	l2_answer(l, request, cycle);
}

static bool needs_data(const struct request *r)
{
	return r->kind <= REQUEST_SECOND && r->kind != REQUEST_STORE;
}

/* The home has all that the request asked for. */
static void found(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];

	if (request_stays(r)) {
		l2_slice_of(l, r->home, r)->staying -= sector_count(r->demand);
		request_free(core, request);
	} else if (request_is_atomic(r))
		event_push(core, request, AT_ATOMIC, cycle);
	else
		l2_answer(l, request, cycle);
}

static void home_lookup(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct request *r = &l->core->requests[request];
	cache_entry *entry;
	unsigned valid;

	if (!needs_data(r)) {
		act(l, request, cycle);
		return;
	}
	entry = cache_touch(l2_side(l, r->home), r->set, r->line);
	valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	r->bring = brings(l, r);
	l2_count_lookup(l, r, r->bring, valid);
	if ((r->bring & valid) != r->bring)
		miss(l, request, valid, cycle);
	else
		found(l, request, cycle);
}

/* A write-back is done: stores in line act until there is no room again. A
   store that displaces nothing dirty leaves its room to the next. */
void l2_written(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct core *core = l->core;
	const struct request *r = &core->requests[request];
	struct write_queue *q = &l2_slice_of(l, r->home, r)->writes;

	(void)datum;
	q->count--;
	request_free(core, request);
	while (q->queue.head != NONE &&
		q->count < core->cost.slice_writebacks) {
		uint32_t store = request_queue_take(core, &q->queue);

		server_unqueued(&q->room, sender_of_request(store),
			core_now(core), sender_of_request(request));
		act(l, store, core_now(core));
	}
	if (q->queue.head != NONE)
		l2_foresee_line(l, &q->queue);
}

/* The lookup of what comes to a slice. */
static uint64_t look_up(struct l2 *l, const struct request *r, unsigned side)
{
	const struct core *core = l->core;
	struct slice *slice = l2_slice_of(l, side, r);
	struct sender sender = request_sender(core, r);
	uint64_t cycle = serve(&slice->lookup, sender, core_now(core),
		core->cost.slice_request_ticks);
	uint64_t behind = core_now(core);

	/* the second line of a fetch comes of the slice's own accord */
	if (RULE(BEHIND_ATOMICS) && !request_is_atomic(r) &&
		r->kind != REQUEST_SECOND)
		behind += l2_in_line(l, &slice->atomics,
				  core->cost.atomic_kept_ticks) /
			  TICKS_A_CYCLE;
	if (behind <= cycle)
		return cycle;
	server_delays(&slice->atomics.server, sender, cycle, behind);
	return behind;
}

void l2_home(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct request *r = &l->core->requests[request];
	uint64_t cycle = look_up(l, r, r->home);

	(void)datum;
	l2_count_request(l, r, brings(l, r));
	home_lookup(l, request, cycle);
}

/* What is on its way to a far home; a discard takes the copy with it. */
static void pass_near(struct l2 *l, uint32_t request, uint64_t cycle)
{
	struct request *r = &l->core->requests[request];

	if (request_is_atomic(r) || r->kind == REQUEST_LOAD)
		l2_count_lookup(l, r, r->demand, SECTORS_ALL);
	if (r->kind == REQUEST_LOAD)
		request_found(r, FOUND_FAR);
	if (r->kind == REQUEST_STORE && !l->core->cost.l2_uncopied)
		l2_write_near(l, r);
	else if (r->kind == REQUEST_DISCARD)
		l2_drop(l, r->side, r);
	network_cross(l->network, request, cycle);
}

/* The slice sends the same data once more where the load that waits needs a
   reply of its own. */
static void send_again(struct l2 *l, const struct request *r)
{
	const struct core *core = l->core;

	if (r->passes)
		send_data(l, r, request_beside(core, r), core_now(core),
			sector_count(r->demand));
}

/* When the slice looks up what comes now. */
static uint64_t turn_of(const struct l2 *l, const struct request *r)
{
	const struct slice *slice = l2_slice_of(l, r->side, r);
	const uint64_t now = core_now(l->core);
	const uint64_t free_at = slice->lookup.free_at / TICKS_A_CYCLE;

	return now > free_at ? now : free_at;
}

void l2_slice(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	uint64_t cycle;

	(void)datum;
	if (merge_waits(l->network, request, turn_of(l, r))) {
		send_again(l, r);
		return;
	}
	++*network_pending(l->network, r);
	if (r->kind == REQUEST_LOAD)
		core->counts.l2_sm_reads += sector_count(r->demand);
	cycle = look_up(l, r, r->side);
	l2_count_request(l, r, r->demand);
	if (core->slices.partitions == 1 || r->home == r->side)
		home_lookup(l, request, cycle);
	else if (r->kind == REQUEST_LOAD && !core->cost.l2_uncopied)
		near_lookup(l, request, cycle);
	else
		pass_near(l, request, cycle);
}

/* DRAM has answered: the sectors are in the home slice. The request has seen
   the others when it missed, and does not ask for them again: in a set of few
   ways two requests would take each other's line for ever. */
void l2_fill(struct l2 *l, uint32_t request, uint32_t datum)
{
	struct core *core = l->core;
	struct request *r = &core->requests[request];
	uint64_t now = core_now(core);
	uint32_t waiter, next;
	cache_entry *entry = l2_install(l, r->home, r);

	(void)datum;
	*entry |= (uint64_t)r->fetch << ENTRY_VALID_SHIFT;
	*entry &= ~((uint64_t)r->fetch << ENTRY_PARTIAL_SHIFT);
	waiter = fetch_end(core, WAIT_HOME, request);
	if (request_is_atomic(r))
		l2_replay(l, r);
	/* Nobody waits until it is written, but stores have their turn later:
	   what an H200 reads from DRAM and what it stores add up. */
	if (RULE(FILLS_TAKE_WRITE))
		serve(&l2_slice_of(l, r->home, r)->write,
			sender_beside(request), now,
			(uint64_t)sector_count(r->fetch) *
				core->cost.slice_write_sector_ticks);
	r->fetch = 0;
	found(l, request, now);
	for (; waiter != NONE; waiter = next) {
		next = core->requests[waiter].wait_next;
		home_lookup(l, waiter, now);
	}
}
