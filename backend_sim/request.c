#include "engine.h"

uint32_t request_take(struct engine *e)
{
	uint32_t index = e->request_free;

	e->counts.requests++;
	if (index != NONE) {
		e->request_free = e->requests[index].wait_next;
		return index;
	}
	if (e->request_top < e->request_count)
		return e->request_top++;
	e->failed = true; /* engine_run reports it */
	return 0;
}

uint32_t request_new(struct engine *e, enum request_kind kind, uint32_t line)
{
	uint32_t index = request_take(e);

	e->requests[index] = (struct request){
		.line = line,
		.warp = NONE,
		.kind = kind,
		.buffer = PROGRAM_BUFFERS_MAX,
		.l2_class = CLASS_NORMAL,
		.wait_next = NONE,
		.waiters = {NONE, NONE, NONE, NONE},
		.table_next = {NONE, NONE, NONE, NONE},
	};
	return index;
}

void request_free(struct engine *e, uint32_t request)
{
	e->requests[request].wait_next = e->request_free;
	e->request_free = request;
}

/* Whose fetch it is, beside the line: a cache's of an SM, a GPC's, a side's,
   the chip's. */
static uint32_t place_of(const struct request *r, unsigned table)
{
	return table == WAIT_L1     ? request_cache(r)
	       : table == WAIT_GPC  ? r->gpc
	       : table == WAIT_NEAR ? r->side
				    : 0;
}

static uint32_t bucket_of(uint32_t place, uint32_t line)
{
	return permute_mix(line + 0x9e3779b1u * place) >> (32 - TABLE_BITS);
}

/* What a fetch will bring: the sectors asked for, or all that DRAM sends. */
static unsigned coming(const struct request *r, unsigned table)
{
	return table == WAIT_HOME ? r->fetch : r->demand;
}

void fetch_prefetch(
	const struct engine *e, unsigned table, const struct request *r)
{
	__builtin_prefetch(
		&e->table[table][bucket_of(place_of(r, table), r->line)]);
}

uint32_t fetch_find(const struct engine *e, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors)
{
	uint32_t i = e->table[table][bucket_of(place, line)] - 1;

	for (; i != NONE; i = e->requests[i].table_next[table]) {
		const struct request *r = &e->requests[i];

		if (r->line == line && place_of(r, table) == place &&
			(coming(r, table) & sectors))
			return i;
	}
	return NONE;
}

void fetch_add(struct engine *e, unsigned table, uint32_t request)
{
	struct request *r = &e->requests[request];
	uint32_t *head =
		&e->table[table][bucket_of(place_of(r, table), r->line)];

	r->table_next[table] = *head - 1;
	*head = request + 1;
}

void fetch_wait(
	struct engine *e, unsigned table, uint32_t owner, uint32_t request)
{
	struct request *o = &e->requests[owner];
	struct request *r = &e->requests[request];

	if (o->waiters[table] == NONE) {
		r->wait_next = request;
	} else {
		struct request *last = &e->requests[o->waiters[table]];

		r->wait_next = last->wait_next;
		last->wait_next = request;
	}
	o->waiters[table] = request;
}

/* Out of its bucket. */
static void unlink_fetch(struct engine *e, unsigned table, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint32_t *head =
		&e->table[table][bucket_of(place_of(r, table), r->line)];
	uint32_t *at;

	if (*head == request + 1) {
		*head = r->table_next[table] + 1;
		return;
	}
	at = &e->requests[*head - 1].table_next[table];
	while (*at != request)
		at = &e->requests[*at].table_next[table];
	*at = r->table_next[table];
}

uint32_t fetch_end(struct engine *e, unsigned table, uint32_t request)
{
	struct request *r = &e->requests[request];
	uint32_t last = r->waiters[table], first;

	unlink_fetch(e, table, request);
	if (last == NONE)
		return NONE;
	r->waiters[table] = NONE;
	first = e->requests[last].wait_next;
	e->requests[last].wait_next = NONE;
	return first;
}
