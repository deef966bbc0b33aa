/*
 * Memory that is not the chip's: another GPU's and the host's, over a link
 * each. A link carries what leaves and what arrives one after the other, and
 * has places for requests under way: some for those that bring a value, some
 * for the others. Who finds no place waits, and the one that waits longest has
 * the next place of its kind.
 */
#include <math.h>

#include "tests/reference/ref.h"

#define VALUE(r, name) ((r)->machine->value[PARAMETER_##name])

/* A parameter of the link that the request takes. */
#define OF_LINK(r, q, name)                                                    \
	(on_host(r, q) ? VALUE(r, host_##name) : VALUE(r, link_##name))

static bool on_host(const struct reference *r, const struct ref_request *q)
{
	return ref_plan_owner(r, q->line) == MEMORY_HOST;
}

static bool has_value(const struct ref_request *q)
{
	return q->kind == REF_LOAD || q->kind == REF_ATOMIC;
}

static bool operates(const struct ref_request *q)
{
	return q->kind == REF_ATOMIC || q->kind == REF_REDUCTION;
}

static struct ref_link *link_of(
	struct reference *r, const struct ref_request *q)
{
	return on_host(r, q) ? &r->host : &r->peer;
}

static uint32_t *under_way(struct reference *r, const struct ref_request *q)
{
	struct ref_link *link = link_of(r, q);

	return has_value(q) ? &link->values : &link->others;
}

static double places(const struct reference *r, const struct ref_request *q)
{
	return has_value(q) ? OF_LINK(r, q, loads) : OF_LINK(r, q, writes);
}

static void depart(struct reference *r, struct ref_request *q)
{
	double rate = OF_LINK(r, q, out_bytes_per_cycle);
	uint64_t ticks = ref_ticks(OF_LINK(r, q, request_cycles));

	if (q->kind == REF_STORE || operates(q))
		ticks += (uint64_t)sectors_count(q->demand) *
			 ref_ticks(32 / rate);
	if (operates(q))
		ticks += ref_ticks(OF_LINK(r, q, operation_cycles));
	++*under_way(r, q);
	ref_send(r, q, REF_FAR_MEMORY,
		ref_serve(&link_of(r, q)->out, r->now, ticks) +
			ref_whole(OF_LINK(r, q, cycles)) / 2);
}

void ref_far_out(struct reference *r, struct ref_request *q)
{
	if (*under_way(r, q) < places(r, q)) {
		depart(r, q);
		return;
	}
	q->at_link = true;
	q->wait_stamp = ++r->stamp;
}

/* ---- there ---- */

/* The aligned blocks, as large as a miss of L2 fetches, that hold what is
   missing. */
static struct sectors blocks(const struct reference *r, struct sectors missing)
{
	int each = (int)VALUE(r, l2_fetch_bytes) / 32;
	struct sectors all = sectors_none();

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			all.at[i] |= missing.at[k] && i / each == k / each;
	return all;
}

/* What the peer's L2 does: whether it lacked something. */
static bool lacked(struct reference *r, const struct ref_request *q)
{
	struct ref_cache *c = &r->peer_l2;
	uint32_t set = (q->line - ref_plan_far_line(r)) % c->sets;
	struct ref_line *line = ref_cache_touch(c, set, q->line), victim;
	struct sectors missing = q->demand;

	if (q->kind == REF_PRIORITY)
		return false;
	if (q->kind == REF_DISCARD) {
		if (line)
			line->valid = sectors_none();
		return false;
	}
	if (line)
		missing = sectors_less(missing, line->valid);
	if (q->kind != REF_STORE && !sectors_any(missing))
		return false;
	if (!line)
		line = ref_cache_insert(
			c, set, q->line, REF_NORMAL, c->ways, &victim);
	if (q->kind == REF_STORE) { /* a part of a sector is no sector */
		line->valid = sectors_either(
			line->valid, sectors_both(q->demand, q->whole));
		return false;
	}
	line->valid = sectors_either(line->valid, blocks(r, missing));
	return true;
}

void ref_far_memory(struct reference *r, struct ref_request *q)
{
	uint64_t cycle = r->now;

	if (!on_host(r, q) && lacked(r, q))
		cycle += ref_whole(VALUE(r, link_miss_cycles));
	if (operates(q))
		cycle += ref_whole(OF_LINK(r, q, atomic_cycles));
	ref_send(r, q, REF_FAR_BACK, cycle);
}

/* ---- and back ---- */

void ref_far_back(struct reference *r, struct ref_request *q)
{
	uint32_t all = ref_whole(OF_LINK(r, q, cycles));
	uint64_t cycle = r->now;

	if (has_value(q) && sectors_any(q->demand))
		cycle = ref_serve(&link_of(r, q)->in, cycle,
			(uint64_t)sectors_count(q->demand) *
				ref_ticks(32 /
					  OF_LINK(r, q, in_bytes_per_cycle)));
	ref_send(r, q, REF_FAR_REPLY, cycle + all - all / 2);
}

/* Of those that wait for such a place, the one that waits longest. */
static struct ref_request *next_in_line(
	struct reference *r, const struct ref_request *like)
{
	struct ref_request *first = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->at_link && under_way(r, q) == under_way(r, like) &&
			(!first || q->wait_stamp < first->wait_stamp))
			first = q;
	}
	return first;
}

void ref_far_reply(struct reference *r, struct ref_request *q)
{
	struct ref_request *next;

	ref_send(r, q, REF_GPC_REPLY, r->now);
	--*under_way(r, q);
	next = next_in_line(r, q);
	if (!next)
		return;
	next->at_link = false;
	depart(r, next);
}

/* ---- the copy engine ---- */

static double gpu_bytes_per_cycle(const struct reference *r)
{
	return VALUE(r, dram_bytes_per_s) / VALUE(r, clock_hz);
}

/* The rate between two kinds of memory; 0: they are not joined. */
static double copy_rate(const struct reference *r, unsigned from, unsigned to)
{
	bool from_gpu = from == MEMORY_PLAIN || from == MEMORY_COMPRESSIBLE;
	bool to_gpu = to == MEMORY_PLAIN || to == MEMORY_COMPRESSIBLE;
	bool peer = VALUE(r, link_loads) > 0, host = VALUE(r, host_loads) > 0;

	if (from_gpu && to_gpu) /* what is read is written, too */
		return gpu_bytes_per_cycle(r) / 2;
	if (!from_gpu && !to_gpu)
		return 0;
	if (from == MEMORY_PEER)
		return peer ? VALUE(r, link_in_bytes_per_cycle) : 0;
	if (to == MEMORY_PEER)
		return peer ? VALUE(r, link_out_bytes_per_cycle) : 0;
	if (from == MEMORY_HOST)
		return host ? VALUE(r, host_in_bytes_per_cycle) : 0;
	return host ? VALUE(r, host_out_bytes_per_cycle) : 0;
}

static bool same_way(
	const struct program *p, const struct step *a, const struct step *b)
{
	unsigned from[2] = {
		p->buffers[a->buffer].memory, p->buffers[b->buffer].memory};
	unsigned to[2] = {
		p->buffers[a->target].memory, p->buffers[b->target].memory};

	for (int i = 0; i < 2; i++) {
		from[i] =
			from[i] == MEMORY_COMPRESSIBLE ? MEMORY_PLAIN : from[i];
		to[i] = to[i] == MEMORY_COMPRESSIBLE ? MEMORY_PLAIN : to[i];
	}
	return from[0] == from[1] && to[0] == to[1];
}

/* Copies in a row go at the same time; those that go the same way, one after
   the other. The longest is over last. */
int ref_far_copies(
	struct reference *r, const struct step *first, struct error *error)
{
	const struct step *end = r->p->steps + r->p->step_count, *a, *b;
	double longest = 0, bytes = 0, cycles;

	while (first > r->p->steps && first[-1].kind == STEP_COPY)
		first--;
	for (a = first; a < end && a->kind == STEP_COPY; a++) {
		unsigned from = r->p->buffers[a->buffer].memory;
		unsigned to = r->p->buffers[a->target].memory;
		double rate = copy_rate(r, from, to), all = 0;

		if (rate <= 0)
			return error_set(error, ERR_SKIPPED, "no such way");
		for (b = first; b < end && b->kind == STEP_COPY; b++)
			if (same_way(r->p, a, b))
				all += (double)b->bytes;
		longest = all / rate > longest ? all / rate : longest;
		bytes += (double)a->bytes;
	}
	cycles = ceil(ref_whole(VALUE(r, copy_start_cycles)) + longest);
	r->result->copied.bytes = bytes;
	r->result->copied.ns = cycles / VALUE(r, clock_hz) * 1e9;
	return 0;
}

/* ---- the peer ---- */

void ref_far_flush(struct reference *r)
{
	struct ref_cache *c = &r->peer_l2;

	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
		c->lines[i] = (struct ref_line){
			.used = true,
			.line = UINT32_MAX,
			.valid = sectors_all(),
			.class = REF_NORMAL,
			.touched = ++c->stamp,
		};
}
