#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/far.h"

/* ---- life cycle ---- */

static void make_links(struct far *f, const struct costs *c)
{
	f->peer = (struct far_link){
		.places = {{.most = c->link_loads}, {.most = c->link_writes}},
		.there_cycles = c->link_cycles / 2,
		.back_cycles = c->link_cycles - c->link_cycles / 2,
		.miss_cycles = c->link_miss_cycles,
		.atomic_cycles = c->link_atomic_cycles,
		.out_sector = c->link_out_sector_ticks,
		.in_sector = c->link_in_sector_ticks,
		.request_ticks = c->link_request_ticks,
		.operation_ticks = c->link_operation_ticks,
	};
	f->host = (struct far_link){
		.places = {{.most = c->host_loads}, {.most = c->host_writes}},
		.there_cycles = c->host_cycles / 2,
		.back_cycles = c->host_cycles - c->host_cycles / 2,
		.atomic_cycles = c->host_atomic_cycles,
		.out_sector = c->host_out_sector_ticks,
		.in_sector = c->host_in_sector_ticks,
		.request_ticks = c->host_request_ticks,
		.operation_ticks = c->host_operation_ticks,
	};
}

int far_init(struct far *f, struct core *core)
{
	const struct costs *cost = &core->cost;
	uint32_t lines = (uint32_t)(cost->l2_bytes / PROGRAM_LINE_BYTES);

	f->core = core;
	make_links(f, cost);
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

static void link_cold(struct far_link *link)
{
	unsigned i;

	link->out_free = link->in_free = 0;
	for (i = 0; i < FAR_PLACES; i++) {
		link->places[i].under_way = 0;
		link->places[i].head = link->places[i].tail = NONE;
	}
}

void far_cold(struct far *f)
{
	far_flush(f);
	f->l2.random_state = 1;
	link_cold(&f->peer);
	link_cold(&f->host);
}

static bool link_is_settled(const struct far_link *link)
{
	bool settled = true;
	unsigned i;

	for (i = 0; i < FAR_PLACES; i++)
		settled = settled && !link->places[i].under_way &&
			  link->places[i].head == NONE;
	return settled;
}

bool far_is_settled(const struct far *f)
{
	return link_is_settled(&f->peer) && link_is_settled(&f->host);
}

/* ---- out ---- */

static struct far_link *link_of(struct far *f, const struct request *r)
{
	return r->line >= f->core->host_line ? &f->host : &f->peer;
}

static struct far_places *places_of(
	struct far_link *link, const struct request *r)
{
	return &link->places[r->kind == REQUEST_LOAD ||
					     r->kind == REQUEST_ATOMIC
				     ? FAR_VALUES
				     : FAR_WRITES];
}

static void send(struct far *f, uint32_t request)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_link *link = link_of(f, r);
	uint64_t ticks = link->request_ticks +
			 (uint64_t)network_data_up(r) * link->out_sector;

	if (request_is_atomic(r))
		ticks += link->operation_ticks;
	places_of(link, r)->under_way++;
	event_push(core, request, AT_FAR_MEMORY,
		serve(&link->out_free, core_now(core), ticks) +
			link->there_cycles);
}

void far_out(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	struct request *r = &core->requests[request];
	struct far_places *places = places_of(link_of(f, r), r);

	(void)datum;
	if (places->under_way < places->most) {
		send(f, request);
		return;
	}
	r->wait_next = NONE;
	if (places->head == NONE)
		places->head = request;
	else
		core->requests[places->tail].wait_next = request;
	places->tail = request;
}

/* ---- there ---- */

/* The sectors that a miss brings, as in the own L2 before a step changes it. */
static unsigned block_of(const struct costs *cost, unsigned missing)
{
	if (cost->l2_fetch_bytes >= PROGRAM_LINE_BYTES)
		return SECTORS_ALL;
	if (cost->l2_fetch_bytes != 64)
		return missing;
	return missing | (missing & 5) << 1 | (missing & 10) >> 1;
}

static cache_entry *install(struct far *f, cache_entry *entry, uint32_t set,
	const struct request *r)
{
	cache_entry victim;

	return entry ? entry
		     : cache_insert(&f->l2, set, r->line, CLASS_NORMAL,
			       f->l2.ways, &victim);
}

/* Whether the peer's L2 has what the request needs; it has from now on. */
static bool found(struct far *f, const struct request *r)
{
	uint32_t set =
		divider_remainder(&f->l2.sets, r->line - f->core->far_line);
	cache_entry *entry = cache_touch(&f->l2, set, r->line);
	unsigned valid = entry ? ENTRY_FIELD(*entry, ENTRY_VALID_SHIFT) : 0;
	unsigned missing = r->demand & ~valid;

	switch (r->kind) {
	case REQUEST_PRIORITY:
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
		*entry |= (uint64_t)block_of(&f->core->cost, missing)
			  << ENTRY_VALID_SHIFT;
		return false;
	}
}

void far_memory(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	const struct far_link *link = link_of(f, r);
	uint64_t cycle = core_now(core);

	(void)datum;
	if (link == &f->peer && !found(f, r))
		cycle += link->miss_cycles;
	if (request_is_atomic(r))
		cycle += link->atomic_cycles;
	event_push(core, request, AT_FAR_BACK, cycle);
}

/* ---- and back ---- */

void far_back(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_link *link = link_of(f, r);
	uint64_t cycle = core_now(core);
	unsigned sectors = network_data_down(r);

	(void)datum;
	if (sectors) /* what brings nothing waits for nothing */
		cycle = serve(&link->in_free, cycle,
			(uint64_t)sectors * link->in_sector);
	event_push(core, request, AT_FAR_REPLY, cycle + link->back_cycles);
}

/* It goes on to its GPC, and leaves its place to the first in line. */
void far_reply(struct far *f, uint32_t request, uint32_t datum)
{
	struct core *core = f->core;
	const struct request *r = &core->requests[request];
	struct far_places *places = places_of(link_of(f, r), r);
	uint32_t first = places->head;

	(void)datum;
	event_push(core, request, AT_GPC_REPLY, core_now(core));
	places->under_way--;
	if (first == NONE)
		return;
	places->head = core->requests[first].wait_next;
	send(f, first);
}
