/*
 * Memory that is not the chip's: another GPU's and the host's, over a link
 * each. A link carries what leaves and what arrives one after the other, and
 * has places for requests under way: some for those that bring a value, some
 * for the others. Who finds no place waits, and the one that waits longest has
 * the next place of its kind.
 */
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
