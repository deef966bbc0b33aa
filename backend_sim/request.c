#include "engine.h"

uint32_t request_new(struct engine *e, enum request_kind kind, uint32_t line)
{
	uint32_t index = e->request_free;
	struct request *r;

	if (index == NONE) {
		e->failed = true; /* engine_run reports it */
		index = 0;
		e->request_free = NONE;
	} else {
		e->request_free = e->requests[index].wait_next;
	}
	r = &e->requests[index];
	*r = (struct request){
		.line = line,
		.warp = NONE,
		.kind = (uint8_t)kind,
		.l2_class = CLASS_NORMAL,
		.wait_next = NONE,
		.waiters = {NONE, NONE, NONE},
		.table_next = {NONE, NONE, NONE},
	};
	e->counts.requests++;
	return index;
}

void request_free(struct engine *e, uint32_t request)
{
	e->requests[request].wait_next = e->request_free;
	e->request_free = request;
}

/* Whose fetch it is, beside the line: an SM's, a side's, the chip's. */
static uint32_t place_of(const struct request *r, unsigned table)
{
	return table == WAIT_L1 ? r->sm : table == WAIT_NEAR ? r->side : 0;
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

uint32_t fetch_find(const struct engine *e, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors)
{
	uint32_t i = e->table[table][bucket_of(place, line)];

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

	r->table_next[table] = *head;
	*head = request;
}

void fetch_wait(
	struct engine *e, unsigned table, uint32_t owner, uint32_t request)
{
	struct request *o = &e->requests[owner];

	if (o->waiters[table] == NONE)
		o->waiters[table] = request;
	else
		e->requests[o->waiters_last[table]].wait_next = request;
	o->waiters_last[table] = request;
	e->requests[request].wait_next = NONE;
}

uint32_t fetch_end(struct engine *e, unsigned table, uint32_t request)
{
	struct request *r = &e->requests[request];
	uint32_t *at = &e->table[table][bucket_of(place_of(r, table), r->line)];
	uint32_t waiters = r->waiters[table];

	while (*at != request)
		at = &e->requests[*at].table_next[table];
	*at = r->table_next[table];
	r->waiters[table] = NONE;
	return waiters;
}
