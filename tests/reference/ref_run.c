/* Time, arrivals, the requests, and the steps of a program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/ref.h"

uint32_t ref_ticks(double cycles)
{
	return (uint32_t)lround(cycles * REF_TICKS);
}

uint32_t ref_whole(double value)
{
	return (uint32_t)lround(value);
}

/* ---- servers ---- */

uint64_t ref_serve(struct ref_server *s, uint64_t cycle, uint64_t ticks)
{
	uint64_t begins = cycle * REF_TICKS;

	if (s->over > begins)
		begins = s->over;
	if (!s->work)
		s->first = begins;
	s->over = begins + ticks;
	s->work += ticks;
	/* Its jobs do not overlap: they take no more than the time from the
	   first one's beginning to the last one's end. */
	if (s->work > s->over - s->first)
		abort();
	return (s->over + REF_TICKS - 1) / REF_TICKS;
}

/* ---- arrivals ---- */

static void add_arrival(struct reference *r, struct ref_arrival arrival)
{
	uint32_t at = r->arrival_count++;

	if (arrival.cycle < r->now)
		abort();
	if (r->arrival_count > r->arrival_room) {
		r->arrival_room = 2 * r->arrival_count;
		r->arrivals = realloc(
			r->arrivals, r->arrival_room * sizeof(*r->arrivals));
	}
	arrival.stamp = ++r->stamp;
	for (; at && r->arrivals[at - 1].cycle > arrival.cycle; at--)
		r->arrivals[at] = r->arrivals[at - 1];
	r->arrivals[at] = arrival;
}

void ref_send(struct reference *r, struct ref_request *q,
	enum ref_station station, uint64_t cycle)
{
	add_arrival(
		r, (struct ref_arrival){
			   .cycle = cycle, .station = station, .request = q});
}

void ref_send_warp(struct reference *r, struct ref_warp *w, uint64_t cycle)
{
	add_arrival(r, (struct ref_arrival){
			       .cycle = cycle, .station = REF_WARP, .warp = w});
}

/* ---- requests ---- */

struct ref_request *ref_request_new(
	struct reference *r, enum ref_kind kind, uint32_t line)
{
	struct ref_request *q = calloc(1, sizeof(*q));

	if (r->request_count == r->request_room) {
		r->request_room = 2 * r->request_room + 64;
		r->requests = realloc(r->requests,
			r->request_room * sizeof(struct ref_request *));
	}
	r->requests[r->request_count++] = q;
	q->kind = kind;
	q->line = line;
	q->buffer = -1;
	q->texture = -1;
	q->l2_class = REF_NORMAL;
	q->issued = r->now;
	q->number = r->made;
	r->counts.requests++;
	r->made++;
	return q;
}

void ref_request_free(struct reference *r, struct ref_request *q)
{
	uint32_t i = 0;

	while (r->requests[i] != q) /* one that is not there: a crash */
		i++;
	r->requests[i] = r->requests[--r->request_count];
	r->completed++;
	free(q);
}

static bool same_fetcher(
	int by, const struct ref_request *a, const struct ref_request *b)
{
	if (a->line != b->line)
		return false;
	switch (by) {
	case REF_BY_L1:
		return a->sm == b->sm && a->texture == b->texture;
	case REF_BY_SIDE:
		return a->side == b->side;
	default:
		return true;
	}
}

struct ref_request *ref_fetch_find(const struct reference *r, int by,
	const struct ref_request *q, struct sectors sectors)
{
	struct ref_request *found = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *o = r->requests[i];
		struct sectors coming =
			by == REF_BY_HOME ? o->fetch : o->demand;

		if (o->fetching[by] && same_fetcher(by, o, q) &&
			sectors_any(sectors_both(coming, sectors)) &&
			(!found || o->fetch_stamp[by] > found->fetch_stamp[by]))
			found = o;
	}
	return found;
}

void ref_fetch_begin(struct reference *r, int by, struct ref_request *q)
{
	q->fetching[by] = true;
	q->fetch_stamp[by] = ++r->stamp;
}

void ref_fetch_end(int by, struct ref_request *q)
{
	if (!q->fetching[by])
		abort();
	q->fetching[by] = false;
}

void ref_wait(struct reference *r, int by, struct ref_request *owner,
	struct ref_request *q)
{
	q->behind = owner;
	q->behind_by = by;
	q->wait_stamp = ++r->stamp;
}

struct ref_request *ref_next_waiter(
	const struct reference *r, int by, const struct ref_request *owner)
{
	struct ref_request *next = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->behind == owner && q->behind_by == by &&
			(!next || q->wait_stamp < next->wait_stamp))
			next = q;
	}
	if (next)
		next->behind = NULL;
	return next;
}

/* ---- the end of a request ---- */

static void log_completion(struct reference *r, const struct ref_request *q)
{
	if (r->log_count == r->log_room) {
		r->log_room = 2 * r->log_room + 64;
		r->log = realloc(r->log, r->log_room * sizeof(*r->log));
	}
	r->log[r->log_count++] = (struct ref_completion){
		q->issued, r->now, q->sm->number, q->line, q->kind};
}

static void finish(struct reference *r, struct ref_request *q)
{
	struct ref_sm *sm = q->sm;

	if (q->fetching[REF_BY_L1] && !ref_l1_fill(r, q))
		return;
	log_completion(r, q);
	ref_warp_answered(r, q);
	ref_net_arrived(r, q);
	sm->held--;
	ref_request_free(r, q);
	ref_warp_room(r, sm);
}

/* ---- cycle by cycle ---- */

static void arrive(struct reference *r, const struct ref_arrival *a)
{
	static void (*const stations[])(
		struct reference *, struct ref_request *) = {
		[REF_ROUND] = ref_round,
		[REF_GPC] = ref_net_gpc,
		[REF_WAY] = ref_net_way,
		[REF_SLICE] = ref_l2_slice,
		[REF_BRIDGE] = ref_net_bridge,
		[REF_HOME] = ref_l2_home,
		[REF_ATOMIC_UNIT] = ref_l2_atomic,
		[REF_ATOMIC_DONE] = ref_l2_atomic_done,
		[REF_BANK] = ref_dram_bank,
		[REF_ACTIVATE] = ref_dram_activate,
		[REF_BUS] = ref_dram_bus,
		[REF_WRITTEN] = ref_l2_written,
		[REF_FILL] = ref_l2_fill,
		[REF_BRIDGE_BACK] = ref_net_bridge_back,
		[REF_NEAR_FILL] = ref_l2_near_fill,
		[REF_FAR_OUT] = ref_far_out,
		[REF_FAR_READY] = ref_far_ready,
		[REF_FAR_POSTED] = ref_far_posted,
		[REF_FAR_MEMORY] = ref_far_memory,
		[REF_FAR_BACK] = ref_far_back,
		[REF_FAR_REPLY] = ref_far_reply,
		[REF_GPC_REPLY] = ref_net_gpc_reply,
		[REF_SM_REPLY] = ref_net_sm_reply,
		[REF_DONE] = finish,
	};

	if (a->station == REF_WARP)
		ref_warp_run(r, a->warp);
	else
		stations[a->station](r, a->request);
}

/* Until nothing is on its way any more. */
static void step_cycles(struct reference *r)
{
	while (r->arrival_count && r->work_left) {
		struct ref_arrival a = r->arrivals[0];
		uint64_t work;

		if (a.cycle > r->now) {
			r->now++;
			continue;
		}
		memmove(r->arrivals, r->arrivals + 1,
			--r->arrival_count * sizeof(*r->arrivals));
		work = 1 + r->request_count / REF_WORK_REQUESTS;
		r->work_left -= work < r->work_left ? work : r->work_left;
		arrive(r, &a);
	}
}

static int check_end(const struct reference *r, struct error *error)
{
	uint32_t i, live = 0;

	if (!r->work_left)
		return error_set(error, ERR_INTERRUPTED, "the run is too long");
	for (i = 0; i < r->warp_count; i++)
		live += r->warps[i].state != REF_ENDED;
	if (live)
		return error_set(error, ERR_FAILED,
			"%u warps wait for what cannot come", live);
	if (r->request_count || r->made != r->completed)
		abort(); /* each request completes, once */
	return 0;
}

static void free_launch(struct reference *r)
{
	free(r->blocks);
	free(r->warps);
	r->blocks = NULL;
	r->warps = NULL;
	r->block_count = r->warp_count = 0;
}

static int run_launch(
	struct reference *r, const struct step *step, struct error *error)
{
	int code = ref_launch(r, step, error);

	if (!code) {
		step_cycles(r);
		code = check_end(r, error);
	}
	free_launch(r);
	return code;
}

static int run_step(
	struct reference *r, const struct step *step, struct error *error)
{
	switch (step->kind) {
	case STEP_FLUSH:
		ref_l2_flush(r);
		ref_far_flush(r);
		return 0;
	case STEP_RESET:
		ref_l2_reset(r);
		return 0;
	case STEP_GRANULARITY:
		r->fetch_bytes = (uint32_t)step->bytes;
		return 0;
	case STEP_CARVEOUT:
		ref_l2_carveout(r, step->bytes);
		return 0;
	case STEP_COPY:
		return ref_far_copies(r, step, error);
	case STEP_WINDOW:
		r->window = step->bytes ? step : NULL;
		return 0;
	default:
		return run_launch(r, step, error);
	}
}

/* ---- results ---- */

static int by_region_warp_iteration(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->warp != b->warp)
		return a->warp < b->warp ? -1 : 1;
	return a->iteration < b->iteration ? -1 : a->iteration > b->iteration;
}

static void add_counter(struct result *result, const char *name, uint64_t value)
{
	result->counters[result->counter_count++] =
		(struct counter){name, (double)value};
}

static void collect(struct reference *r)
{
	struct result *result = r->result;

	result->clock_hz = r->machine->value[PARAMETER_clock_hz];
	for (size_t i = 0; i < r->region_count; i++) {
		double cycles = 0;

		if (r->region_last[i] > r->region_first[i])
			cycles = (double)(r->region_last[i] -
					  r->region_first[i]);
		result->spans[i].cycles = cycles;
		result->spans[i].ns = cycles / result->clock_hz * 1e9;
	}
#define COLLECT(field, name) add_counter(result, name, r->counts.field);
	REF_COUNTERS(COLLECT)
#undef COLLECT
	if (result->sample_count)
		qsort(result->samples, result->sample_count,
			sizeof(*result->samples), by_region_warp_iteration);
	if (!r->launch) /* copies alone */
		return;
	add_counter(result, COUNTER_REGISTERS, ref_registers(r));
	add_counter(result, COUNTER_BLOCKS, ref_blocks_of_sm(r));
}

int ref_run(struct reference *r, const struct machine *machine,
	const struct program *p, struct result *result, struct error *error)
{
	uint32_t i;
	int code;

	memset(r, 0, sizeof(*r));
	result_clear(result);
	r->machine = machine;
	r->p = p;
	r->result = result;
	r->work_left = REF_WORK_MAX;
	ref_plan(r);
	ref_l2_flush(r);
	ref_far_flush(r);
	ref_l2_carveout(r, 0);
	r->region_count = program_regions(p, r->regions);
	for (i = 0; i < r->region_count; i++)
		r->region_first[i] = UINT64_MAX;
	code = ref_plan_buffers(r, error);
	for (i = 0; !code && i < p->step_count; i++)
		code = run_step(r, &p->steps[i], error);
	if (!code)
		collect(r);
	return code;
}

void ref_free(struct reference *r)
{
	uint32_t i, k;

	for (i = 0; i < r->sm_count; i++) {
		free(r->sms[i].l1.lines);
		for (k = 0; k < REF_UNITS; k++)
			free(r->sms[i].texture[k].lines);
	}
	for (i = 0; i < r->side_count; i++)
		free(r->sides[i].cache.lines);
	free(r->peer_l2.lines);
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		free(r->rings[i]);
	for (i = 0; i < r->request_count; i++)
		free(r->requests[i]);
	free(r->requests);
	free(r->arrivals);
	free(r->log);
}
