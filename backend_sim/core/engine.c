#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/engine.h"
#include "backend_sim/core/memory.h"

/* Requests that no SM's credit bounds: write-backs and second lines. */
#define UNCOUNTED_REQUESTS 65536u

int engine_init(
	struct engine *e, const struct machine *machine, struct error *error)
{
	*e = (struct engine){.machine = machine};
	if (chip_init(e, error))
		return ERR_FAILED;
	e->request_count = e->sm_count * (HELD_MAX + 2 * PROGRAM_WARP_LANES) +
			   UNCOUNTED_REQUESTS;
	/* Pages of it are touched only as requests are under way at once. */
	e->requests = memory_table(e->request_count, sizeof(*e->requests));
	e->free_requests = malloc(e->request_count * sizeof(uint32_t));
	e->links = memory_table(e->request_count, sizeof(*e->links));
	if (!e->requests || !e->free_requests || !e->links)
		return error_set(error, ERR_FAILED,
			"out of memory for %u requests", e->request_count);
	return 0;
}

static void free_rings(struct engine *e)
{
	unsigned i;

	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++) {
		free(e->permutations[i]);
		e->permutations[i] = NULL;
	}
}

void engine_free(struct engine *e)
{
	chip_free(e);
	free_rings(e);
	calendar_free(&e->calendar);
	free(e->requests);
	free(e->free_requests);
	free(e->links);
	free(e->warps);
	free(e->blocks);
	free(e->positions);
}

void engine_push_request(struct engine *e, uint32_t request,
	enum station station, uint64_t cycle)
{
	calendar_push(&e->calendar, EVENT(station, request, 0), cycle);
}

void engine_push_with(struct engine *e, uint32_t request, enum station station,
	uint64_t cycle, uint32_t datum)
{
	calendar_push(&e->calendar, EVENT(station, request, datum), cycle);
}

void engine_push_warp(struct engine *e, uint32_t warp, uint64_t cycle)
{
	calendar_push(&e->calendar, EVENT(AT_WARP, warp, 0), cycle);
}

/* A request is back at its SM. */
static void finish_request(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct sm *sm = &e->sms[r->sm];

	if (r->l1_owner)
		l1_fill(e, request);
	if (r->warp != NONE)
		warp_value(e, r);
	sm->inflight -= r->credit;
	e->active -= r->credit && !sm->inflight;
	sm->held--;
	request_free(e, request);
	warp_credit(e, sm);
}

static void run_event(struct engine *e, uint64_t event)
{
	uint32_t index = EVENT_INDEX(event), datum = EVENT_DATUM(event);

	switch (EVENT_STATION(event)) {
	case AT_WARP:
		warp_run(e, index);
		break;
	case AT_GPC:
		network_gpc(e, index);
		break;
	case AT_SLICE:
		l2_slice(e, index);
		break;
	case AT_BRIDGE:
		network_bridge(e, index, datum);
		break;
	case AT_HOME:
		l2_home(e, index);
		break;
	case AT_ATOMIC:
		l2_atomic(e, index);
		break;
	case AT_ATOMIC_DONE:
		l2_atomic_done(e, index);
		break;
	case AT_BANK:
		dram_bank(e, index, datum);
		break;
	case AT_ACTIVATE:
		dram_activate(e, index, datum);
		break;
	case AT_BUS:
		dram_bus(e, index, datum);
		break;
	case AT_WRITTEN:
		l2_written(e, index);
		break;
	case AT_FILL:
		l2_fill(e, index);
		break;
	case AT_BRIDGE_BACK:
		network_bridge_back(e, index, datum);
		break;
	case AT_NEAR_FILL:
		l2_near_fill(e, index);
		break;
	case AT_GPC_REPLY:
		network_gpc_reply(e, index, datum);
		break;
	case AT_SM_REPLY:
		network_sm_reply(e, index, datum);
		break;
	case AT_DONE:
		finish_request(e, index);
		break;
	}
}

#define AHEAD 14u

/* What the station of a request will look at, on its way into the host's
   caches. */
#define LOOKS_BEYOND                                                           \
	(1u << AT_GPC | 1u << AT_SLICE | 1u << AT_HOME | 1u << AT_FILL |       \
		1u << AT_BANK | 1u << AT_NEAR_FILL | 1u << AT_DONE)

static void prefetch_station(const struct engine *e, uint64_t event)
{
	const struct request *r = &e->requests[EVENT_INDEX(event)];
	const struct cache *l2 = e->l2;
	bool two = e->partitions == 2;

	switch (EVENT_STATION(event)) {
	case AT_GPC:
		fetch_prefetch(e, WAIT_GPC, r);
		break;
	case AT_SLICE:
		cache_prefetch(&l2[two & r->side], r->set);
		fetch_prefetch(
			e, r->home == r->side ? WAIT_HOME : WAIT_NEAR, r);
		if (two && r->home == r->side && r->kind != REQUEST_LOAD)
			cache_prefetch(&l2[!r->side], r->set);
		break;
	case AT_HOME:
	case AT_FILL:
		cache_prefetch(&l2[two & r->home], r->set);
		fetch_prefetch(e, WAIT_HOME, r);
		break;
	case AT_BANK:
		dram_prefetch(e, EVENT_DATUM(event));
		break;
	case AT_NEAR_FILL:
		cache_prefetch(&l2[two & r->side], r->set);
		fetch_prefetch(e, WAIT_NEAR, r);
		break;
	case AT_DONE:
		if (r->l1_owner)
			fetch_prefetch(e, WAIT_L1, r);
		if (r->warp != NONE)
			memory_prefetch(&e->warps[r->warp].values);
		break;
	default:
		break;
	}
}

/* With few events in the queue nothing is seen ahead there: a request has all
   that it will look at fetched when it leaves its SM. */
#define FEW_CHUNKS 64u

void engine_foresee(const struct engine *e, const struct request *r)
{
	if (e->calendar.busy >= FEW_CHUNKS)
		return;
	cache_prefetch(&e->l2[0], r->set);
	if (e->partitions == 2)
		cache_prefetch(&e->l2[1], r->set);
	dram_prefetch(e, dram_place(e, r));
}

/* The stations that look at the request itself. */
#define LOOKS_AT_REQUEST                                                       \
	(~(1u << AT_WARP | 1u << AT_BRIDGE | 1u << AT_ACTIVATE |               \
		1u << AT_BRIDGE_BACK | 1u << AT_SM_REPLY))

static void prefetch_request(const struct engine *e, uint64_t event)
{
	if (LOOKS_AT_REQUEST >> EVENT_STATION(event) & 1)
		memory_prefetch(&e->requests[EVENT_INDEX(event)]);
}

/* Of a chip full of requests most are far from the host's core when their turn
   comes: those of the next events are fetched ahead and, nearer to their turn,
   what they will look at. */
static void look_ahead(struct engine *e)
{
	uint64_t later = calendar_ahead(&e->calendar, AHEAD);
	uint64_t soon = calendar_ahead(&e->calendar, AHEAD / 2);

	if (later != CALENDAR_NONE)
		prefetch_request(e, later);
	if (soon != CALENDAR_NONE && LOOKS_BEYOND >> EVENT_STATION(soon) & 1)
		prefetch_station(e, soon);
}

/* The first events of a cycle have none before them there: where each cycle has
   some, they are fetched as the cycles before begin. */
#define MANY_CHUNKS 128u

static void look_beyond(struct engine *e)
{
	const uint64_t *events;
	uint32_t count, i;

	events = calendar_later(&e->calendar, 2, &count);
	for (i = 0; i < count && i <= AHEAD; i++)
		prefetch_request(e, events[i]);
	events = calendar_later(&e->calendar, 1, &count);
	for (i = 0; i < count && i <= AHEAD / 2; i++)
		prefetch_station(e, events[i]);
}

static void run_events(struct engine *e)
{
	struct calendar *c = &e->calendar;
	uint64_t event;

	while (calendar_advance(c)) {
		if (c->busy >= MANY_CHUNKS)
			look_beyond(e);
		while (calendar_has_more(c)) {
			event = calendar_take(c);
			e->counts.events++;
			look_ahead(e);
			run_event(e, event);
			if (e->failed)
				return;
		}
	}
}

/* What must hold when nothing is left to do: each request has ended, once, each
   sector that was asked for has come, and no station holds anything. */
static bool is_settled(const struct engine *e)
{
	size_t i, slices = (size_t)e->slices * e->partitions;
	bool settled = e->free_count == e->request_top && !e->active;

	for (i = 0; i < e->sm_count; i++)
		settled = settled && !e->sms[i].inflight && !e->sms[i].held &&
			  e->sms[i].credit_head == NONE;
	for (i = 0; i < slices; i++)
		settled = settled && !e->writes[i].count &&
			  e->writes[i].head == NONE;
	for (i = 0; i < (size_t)e->sm_count * e->slices; i++)
		settled = settled && !e->pending[i];
	return settled;
}

static int run_step(
	struct engine *e, const struct step *step, struct error *error)
{
	switch (step->kind) {
	case STEP_FLUSH:
		chip_flush(e);
		return 0;
	case STEP_RESET:
		chip_reset_persisting(e);
		return 0;
	case STEP_GRANULARITY:
		e->fetch_bytes = (uint32_t)step->bytes;
		return 0;
	case STEP_CARVEOUT:
		chip_carveout(e, step->bytes);
		return 0;
	case STEP_WINDOW:
		e->window = step->bytes ? step : NULL;
		return 0;
	default:
		break;
	}
	if (launch_start(e, step, error))
		return ERR_FAILED;
	run_events(e);
	if (e->failed || e->calendar.failed)
		return error_set(error, ERR_FAILED,
			"the model ran out of requests or memory in launch "
			"'%s'",
			step->name);
	if (e->live)
		return error_set(error, ERR_FAILED,
			"launch '%s' of program '%s' never ends: %u warps "
			"wait for what cannot come",
			step->name, e->p->name, e->live);
	if (!is_settled(e))
		return error_set(error, ERR_FAILED,
			"the model lost a request in launch '%s'", step->name);
	return 0;
}

/* ---- the program ---- */

/* What zeros in each sector save; data that stores change keep their share. */
static uint16_t compressed_share(
	const struct machine *machine, const struct buffer *b)
{
	unsigned random = b->fill == FILL_ZERO     ? 0
			  : b->fill == FILL_RANDOM ? b->random_bytes
						   : PROGRAM_SECTOR_BYTES;
	double share = 1;

	if (b->memory != MEMORY_COMPRESSIBLE)
		return TICKS;
	if (b->fill == FILL_RANDOM && !b->random_bytes)
		random = PROGRAM_SECTOR_BYTES;
	if (random < PROGRAM_SECTOR_BYTES / 4)
		share = machine_get(machine, PARAMETER_compressed_share);
	else if (random < PROGRAM_SECTOR_BYTES / 2)
		share = machine_get(machine, PARAMETER_compressed_half_share);
	return (uint16_t)lround(share * TICKS);
}

static int prepare_buffers(struct engine *e, struct error *error)
{
	uint64_t page = UINT64_C(1) << e->cost.page_shift, first = 0;
	uint32_t i, ring;

	for (i = 0; i < e->p->buffer_count; i++) {
		const struct buffer *b = &e->p->buffers[i];

		e->page_base[i] = (uint32_t)first;
		e->compressed[i] = compressed_share(e->machine, b);
		first += (b->bytes + page - 1) / page;
		if (first > e->page_count)
			return error_set(error, ERR_SKIPPED,
				"buffer '%s' does not fit in the machine's "
				"memory",
				b->name);
		if (b->fill != FILL_RING)
			continue;
		e->permutations[i] =
			malloc(b->rings * sizeof(*e->permutations[i]));
		if (!e->permutations[i])
			return error_set(
				error, ERR_FAILED, "out of memory for rings");
		for (ring = 0; ring < b->rings; ring++)
			permutation_init(&e->permutations[i][ring],
				(uint32_t)buffer_ring_slots(b), b->seed + ring);
	}
	return 0;
}

static void prepare_regions(struct engine *e)
{
	size_t i;

	e->region_count = program_regions(e->p, e->regions);
	for (i = 0; i < e->p->insn_count; i++)
		if (e->p->insns[i].op == OP_REPEAT)
			e->end_of[i] = program_matching_end(e->p, (uint32_t)i);
	for (i = 0; i < e->region_count; i++) {
		e->region_of[e->regions[i].insn_index] = (uint8_t)i;
		e->region_first[i] = UINT64_MAX;
		e->region_last[i] = 0;
	}
}

static void prepare_pool(struct engine *e)
{
	e->request_top = e->free_count = 0;
	e->counts = (struct counts){0};
	e->failed = false;
	calendar_init(&e->calendar);
	e->recent_first = e->recent_end = 0;
}

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->warp != b->warp)
		return a->warp < b->warp ? -1 : 1;
	return (a->iteration > b->iteration) - (a->iteration < b->iteration);
}

static void collect(struct engine *e)
{
	static const char *const names[] = {
#define ENGINE_NAME(field, name) name,
		ENGINE_COUNTERS(ENGINE_NAME)
#undef ENGINE_NAME
	};
	const uint64_t *values = (const uint64_t *)&e->counts;
	struct result *result = e->result;
	size_t i;

	result->clock_hz = machine_get(e->machine, PARAMETER_clock_hz);
	for (i = 0; i < e->region_count; i++) {
		double cycles = e->region_last[i] > e->region_first[i]
					? (double)(e->region_last[i] -
						   e->region_first[i])
					: 0;

		result->spans[i].cycles = cycles;
		result->spans[i].ns = cycles / result->clock_hz * 1e9;
	}
	result->counter_count = sizeof(names) / sizeof(names[0]);
	for (i = 0; i < result->counter_count; i++) {
		result->counters[i].name = names[i];
		result->counters[i].value = (double)values[i];
	}
	if (result->sample_count)
		qsort(result->samples, result->sample_count,
			sizeof(*result->samples), compare_samples);
}

int engine_run(struct engine *e, const struct program *p, struct result *result,
	struct error *error)
{
	uint32_t i;
	int code;

	result_clear(result);
	e->p = p;
	e->result = result;
	e->compressed[PROGRAM_BUFFERS_MAX] = TICKS;
	chip_cold(e);
	prepare_pool(e);
	prepare_regions(e);
	code = prepare_buffers(e, error);
	for (i = 0; !code && i < p->step_count; i++)
		code = run_step(e, &p->steps[i], error);
	free_rings(e);
	if (!code)
		collect(e);
	return code;
}
