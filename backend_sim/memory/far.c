#include <math.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/memory/far.h"
#include "backend_sim/rules/rules.h"
#include "harness/program/permute.h"

/* ---- life cycle ---- */

/* Of `count` links that share the rate. */
static struct far_packet packet_of(
	uint32_t count, uint64_t header_bytes, double bytes_per_cycle)
{
	const double link = bytes_per_cycle / count;

	return (struct far_packet){
		.header = costs_ticks((double)header_bytes / link),
		.sector = costs_ticks(PROGRAM_SECTOR_BYTES / link),
	};
}

static void make_paths(struct far *f, const struct costs *c)
{
	const double link = c->link_out_bytes_per_cycle / c->link_count;

	f->peer = (struct far_path){
		.out = packet_of(c->link_count, c->link_header_bytes,
			c->link_out_bytes_per_cycle),
		.in = packet_of(c->link_count, c->link_header_bytes,
			c->link_in_bytes_per_cycle),
		.most = {c->link_loads, c->link_writes},
		.count = divider_of(c->link_count),
		.there_cycles = c->link_cycles / 2,
		.back_cycles = c->link_cycles - c->link_cycles / 2,
		.miss_cycles = c->link_miss_cycles,
		.atomic_cycles = c->link_atomic_cycles,
		.mask_ticks = costs_ticks((double)c->link_mask_bytes / link),
		.operation_ticks =
			costs_ticks((double)c->link_operation_bytes / link),
	};
	f->host = (struct far_path){
		.out = packet_of(
			1, c->host_header_bytes, c->host_out_bytes_per_cycle),
		.in = packet_of(
			1, c->host_header_bytes, c->host_in_bytes_per_cycle),
		.most = {c->host_loads, c->host_writes},
		.count = divider_of(1),
		.there_cycles = c->host_cycles / 2,
		.back_cycles = c->host_cycles - c->host_cycles / 2,
		.atomic_cycles = c->host_atomic_cycles,
		.operation_ticks = costs_ticks((double)c->host_operation_bytes /
					       c->host_out_bytes_per_cycle),
		.part_ticks = c->host_part_ticks,
		.lock_ticks = c->host_lock_cycles * TICKS_A_CYCLE,
	};
}

/* The links end at the second partition of a chip: the first is farther away,
   of the SM as of the peer's slices, as on the pairs that were measured. */
static uint32_t side_cycles(const struct costs *c, uint32_t side)
{
	return (c->l2_partitions - 1 - side) * c->link_side_cycles;
}

static void place_slices(struct far *f, const struct costs *c)
{
	const uint32_t count = c->l2_slices_used / c->l2_partitions;
	uint32_t side, slice;

	for (side = 0; side < c->l2_partitions; side++)
		for (slice = 0; slice < count; slice++)
			f->slice_cycles[side][slice] = (uint32_t)lround(
				side_cycles(c, side) +
				c->link_slice_cycles *
					(1 + floor_draw(c->floor_seed,
						     FLOOR_PEER + slice +
							     side * count)) /
					2);
}

int far_init(struct far *f, struct core *core)
{
	const struct costs *cost = &core->cost;
	uint32_t lines = (uint32_t)(cost->l2_bytes / PROGRAM_LINE_BYTES);

	f->core = core;
	make_paths(f, cost);
	place_slices(f, cost);
	return cost->link_loads ? cache_init(&f->l2, lines / cost->l2_ways,
					  cost->l2_ways, cost->l2_random_share)
				: 0;
}

void far_free(struct far *f)
{
	cache_free(&f->l2);
}

void far_flush(struct far *f)
{
	size_t count = (size_t)f->l2.sets.by * f->l2.ways, i;

	for (i = 0; f->l2.entries && i < count; i++)
		f->l2.entries[i] = ENTRY_FOREIGN;
}

static void path_cold(struct far_path *path)
{
	unsigned i, kind;

	for (i = 0; i < path->count.by; i++) {
		struct far_link *link = &path->links[i];

		*link = (struct far_link){0};
		for (kind = 0; kind < FAR_PLACES; kind++)
			far_turns_cold(&link->places[kind].turns);
	}
}

void far_cold(struct far *f)
{
	far_flush(f);
	f->l2.random_state = 1;
	path_cold(&f->peer);
	path_cold(&f->host);
	memset(f->locks, 0, sizeof(f->locks));
}

static bool path_is_settled(const struct far_path *path)
{
	bool settled = true;
	unsigned i, kind;

	for (i = 0; i < path->count.by; i++)
		for (kind = 0; kind < FAR_PLACES; kind++)
			settled = settled &&
				  !path->links[i].places[kind].under_way &&
				  !path->links[i].places[kind].turns.waiting;
	return settled;
}

bool far_is_settled(const struct far *f)
{
	return path_is_settled(&f->peer) && path_is_settled(&f->host);
}

void far_servers(struct far *f, struct books *books)
{
	const struct costs *cost = &f->core->cost;
	uint32_t i;

	for (i = 0; cost->link_loads && i < f->peer.count.by; i++) {
		books_add(books, SERVER_LINK_OUT, i, &f->peer.links[i].out);
		books_add(books, SERVER_LINK_IN, i, &f->peer.links[i].in);
	}
	for (i = 0; cost->host_loads && i < f->host.count.by; i++) {
		books_add(books, SERVER_HOST_OUT, i, &f->host.links[i].out);
		books_add(books, SERVER_HOST_IN, i, &f->host.links[i].in);
	}
}

/* ---- out ---- */

static struct far_path *path_of(struct far *f, const struct request *r)
{
	return r->line >= f->core->host_line ? &f->host : &f->peer;
}

static struct far_link *link_of(struct far_path *path, const struct request *r)
{
	return &path->links[divider_remainder(
		&path->count, permute_mix(r->line))];
}

static unsigned kind_of(const struct request *r)
{
	return r->kind == REQUEST_LOAD || r->kind == REQUEST_ATOMIC
		       ? FAR_VALUES
		       : FAR_WRITES;
}

/* What the request counts for among those of its kind. */
static unsigned weight(const struct request *r)
{
	return kind_of(r) == FAR_VALUES ? 1 : r->credit;
}

/* What the request takes of a link outwards. To the host each sector that is
   written in part is a packet of its own; to the peer one packet has all. Lanes
   that change one word go one after the other: a packet a pass. */
static uint64_t out_ticks(const struct far_path *path, const struct request *r)
{
	unsigned sectors = network_data_up(r);
	unsigned parts = r->kind == REQUEST_STORE
				 ? sector_count(r->demand & ~r->whole)
				 : 0;
	uint64_t ticks = 0;

	if (path->part_ticks) {
		ticks = (uint64_t)parts * path->part_ticks;
		if (parts && parts == sectors)
			return ticks;
		sectors -= parts;
	} else if (parts && sectors > 1) {
		ticks = path->mask_ticks;
	}
	ticks += path->out.header + (uint64_t)sectors * path->out.sector;
	return request_is_atomic(r)
		       ? r->passes * (ticks + path->operation_ticks)
		       : ticks;
}

static void send(struct far *f, uint32_t request)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_path *path = path_of(f, r);
	struct far_link *link = link_of(path, r);
	uint64_t cycle = serve(&link->out, sender_of_request(request),
		core_now(core), out_ticks(path, r));

	link->places[kind_of(r)].under_way += weight(r);
	if (kind_of(r) == FAR_WRITES)
		event_push(core, request, AT_FAR_POSTED, cycle);
	event_push(core, request, AT_FAR_MEMORY, cycle + path->there_cycles);
}

/* When it has its line for itself. */
static uint64_t lock(struct far *f, const struct request *r)
{
	const struct far_path *path = path_of(f, r);
	uint64_t now = core_now(f->core), ticks;

	if (!path->lock_ticks || !request_is_atomic(r))
		return now;
	ticks = (uint64_t)r->passes * path->lock_ticks;
	return serve(&f->locks[r->line % FAR_LOCKS], SENDER_NOBODY, now,
		       ticks) -
	       ticks / TICKS_A_CYCLE;
}

/* `locked`: it comes back here, having waited for its line. */
void far_out(struct far *f, uint32_t request, uint32_t locked)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_path *path = path_of(f, r);
	struct far_places *places = &link_of(path, r)->places[kind_of(r)];
	uint64_t start = locked ? core_now(core) : lock(f, r);

	if (start > core_now(core)) {
		event_push_with(core, request, AT_FAR_OUT, start, 1);
		return;
	}
	if (places->under_way < path->most[kind_of(r)]) {
		send(f, request);
		return;
	}
	far_turns_add(&places->turns, core, request,
		RULE(FAR_TURNS) && path == &f->peer);
	server_queued(&link_of(path, r)->out, sender_of_request(request),
		core_now(core));
}

/* ---- there ---- */

static cache_entry *install(struct far *f, cache_entry *entry, uint32_t set,
	const struct request *r)
{
	cache_entry victim;

	return entry ? entry
		     : cache_insert(&f->l2, set, r->line, CLASS_NORMAL,
			       f->l2.ways, &victim);
}

/* Whether the peer's L2 has what the request needs; it has from now on, and
   no more: a miss from far brings the sectors that it asked for. A prefetch
   brings nothing. */
static bool found(struct far *f, const struct request *r)
{
	uint32_t set =
		divider_remainder(&f->l2.sets, r->line - f->core->far_line);
	cache_entry *entry = cache_touch(&f->l2, set, r->line);
	unsigned valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	unsigned missing = r->demand & ~valid;

	switch (r->kind) {
	case REQUEST_PRIORITY:
	case REQUEST_PREFETCH:
	case REQUEST_SECOND:
		return true;
	case REQUEST_DISCARD:
		if (entry)
			*entry &= ~((uint64_t)SECTORS_ALL << ENTRY_VALID_SHIFT);
		return true;
	case REQUEST_STORE:
		entry = install(f, entry, set, r);
		*entry |= (uint64_t)(r->demand & r->whole) << ENTRY_VALID_SHIFT;
		return true;
	default:
		if (!missing)
			return true;
		entry = install(f, entry, set, r);
		*entry |= (uint64_t)missing << ENTRY_VALID_SHIFT;
		return false;
	}
}

void far_memory(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	const struct far_path *path = path_of(f, r);
	uint64_t cycle = core_now(core);

	(void)datum;
	if (path == &f->peer) {
		cycle += side_cycles(&core->cost, r->side) +
			 f->slice_cycles[r->home][r->slice];
		if (!found(f, r))
			cycle += path->miss_cycles;
	}
	if (request_is_atomic(r))
		cycle += path->atomic_cycles;
	event_push(core, request, AT_FAR_BACK, cycle);
}

/* ---- and back ---- */

void far_back(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_path *path = path_of(f, r);
	uint64_t cycle = core_now(core);
	unsigned sectors = network_data_down(r);

	(void)datum;
	if (sectors) /* what brings nothing waits for nothing */
		cycle = serve(&link_of(path, r)->in, sender_of_request(request),
			cycle,
			path->in.header + (uint64_t)sectors * path->in.sector);
	event_push(core, request, AT_FAR_REPLY, cycle + path->back_cycles);
}

/* It goes on to its GPC, and leaves its place to those whose turn it is. */
void far_reply(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_path *path = path_of(f, r);
	struct far_places *places = &link_of(path, r)->places[kind_of(r)];
	const uint32_t most = path->most[kind_of(r)];

	(void)datum;
	event_push(core, request, AT_GPC_REPLY, core_now(core));
	places->under_way -= weight(r);
	while (places->turns.waiting && places->under_way < most) {
		uint32_t next = far_turns_next(&places->turns, core);

		server_unqueued(&link_of(path, r)->out, sender_of_request(next),
			core_now(core), sender_of_request(request));
		send(f, next);
	}
}
