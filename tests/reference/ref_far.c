/*
 * Memory that is not the chip's: another GPU's over one link or several, and
 * the host's over one. A line has its link by a hash. A link carries what
 * leaves and what arrives one after the other, in packets that have a header.
 * It has room for so much under way: requests that bring a value are counted
 * one by one, of the others the sectors. Who finds no room waits. To the host
 * the one goes next that waits longest; to the peer both sides of the chip take
 * turns, and so do the CPCs of each, of which the one goes next that waits
 * longest. What brings no value has left when it is through the link.
 */
#include <math.h>

#include "harness/program/permute.h"
#include "tests/reference/ref.h"

#define VALUE(r, name) ((r)->machine->value[PARAMETER_##name])

/* A parameter of the path that the request takes. */
#define OF_PATH(r, q, name)                                                    \
	(on_host(r, q) ? VALUE(r, host_##name) : VALUE(r, link_##name))

static bool on_host(const struct reference *r, const struct ref_request *q)
{
	return ref_plan_owner(r, q->line) == MEMORY_HOST;
}

static bool has_value(const struct ref_request *q)
{
	return q->kind == REF_LOAD || q->kind == REF_ATOMIC;
}

static struct ref_link *link_of(
	struct reference *r, const struct ref_request *q)
{
	if (on_host(r, q))
		return &r->host[0];
	return &r->peer[permute_mix(q->line) % (uint32_t)VALUE(r, link_count)];
}

static uint32_t *under_way(struct reference *r, const struct ref_request *q)
{
	struct ref_link *link = link_of(r, q);

	return has_value(q) ? &link->values : &link->others;
}

static bool is_full(struct reference *r, const struct ref_request *q)
{
	double most =
		has_value(q) ? OF_PATH(r, q, loads) : OF_PATH(r, q, writes);

	return *under_way(r, q) >= most;
}

static uint32_t room_of(const struct ref_request *q)
{
	return has_value(q) ? 1 : sectors_count(q->demand);
}

/* The time of so many bytes, at the share of the rate that a link has. */
static uint64_t byte_ticks(const struct reference *r,
	const struct ref_request *q, double bytes, double rate)
{
	return ref_ticks(
		bytes / (on_host(r, q) ? rate : rate / VALUE(r, link_count)));
}

static uint64_t whole_packet(const struct reference *r,
	const struct ref_request *q, uint32_t sectors, double rate)
{
	return byte_ticks(r, q, OF_PATH(r, q, header_bytes), rate) +
	       sectors * byte_ticks(r, q, 32, rate);
}

/* A store's sectors that are not written in full go to the host one by one, if
   that has a time; to the peer they need a mask where there are others. */
static uint64_t store_ticks(
	const struct reference *r, const struct ref_request *q, double rate)
{
	uint32_t all = sectors_count(q->demand);
	uint32_t parts = sectors_count(sectors_less(q->demand, q->whole));
	uint64_t alone = ref_ticks(VALUE(r, host_part_cycles));

	if (on_host(r, q) && alone && parts)
		return parts * alone +
		       (all > parts ? whole_packet(r, q, all - parts, rate)
				    : 0);
	if (!on_host(r, q) && parts && all > 1)
		return whole_packet(r, q, all, rate) +
		       byte_ticks(r, q, VALUE(r, link_mask_bytes), rate);
	return whole_packet(r, q, all, rate);
}

/* Of an atomic each pass is a packet. */
static uint64_t packet_ticks(
	const struct reference *r, const struct ref_request *q)
{
	double rate = OF_PATH(r, q, out_bytes_per_cycle);

	if (q->kind == REF_STORE)
		return store_ticks(r, q, rate);
	if (!ref_is_atomic(q))
		return whole_packet(r, q, 0, rate);
	return q->passes *
	       (whole_packet(r, q, sectors_count(q->demand), rate) +
		       byte_ticks(r, q, OF_PATH(r, q, operation_bytes), rate));
}

static void depart(struct reference *r, struct ref_request *q)
{
	uint64_t over =
		ref_serve(&link_of(r, q)->out, r->now, packet_ticks(r, q));

	*under_way(r, q) += room_of(q);
	if (!has_value(q))
		ref_send(r, q, REF_FAR_POSTED, over);
	ref_send(r, q, REF_FAR_MEMORY,
		over + ref_whole(OF_PATH(r, q, cycles)) / 2);
}

/* It has its line, if it needs it for itself. */
void ref_far_ready(struct reference *r, struct ref_request *q)
{
	if (!is_full(r, q)) {
		depart(r, q);
		return;
	}
	q->at_link = true;
	q->wait_stamp = ++r->stamp;
}

/* An atomic on the host's memory keeps others from lines whose numbers end
   alike, for a time for each pass. */
void ref_far_out(struct reference *r, struct ref_request *q)
{
	uint64_t each = ref_whole(VALUE(r, host_lock_cycles)), begins;

	if (!on_host(r, q) || !ref_is_atomic(q) || !each) {
		ref_far_ready(r, q);
		return;
	}
	begins = ref_serve(&r->locks[q->line % REF_LOCKS], r->now,
			 q->passes * each * REF_TICKS) -
		 q->passes * each;
	if (begins > r->now)
		ref_send(r, q, REF_FAR_READY, begins);
	else
		ref_far_ready(r, q);
}

void ref_far_posted(struct reference *r, struct ref_request *q)
{
	q->warp->away++;
	ref_warp_answered(r, q);
	q->waits = REF_AWAY;
}

/* ---- there ---- */

/* What the peer's L2 does: whether it lacked something. It brings what was
   asked for; a prefetch does nothing there. */
static bool lacked(struct reference *r, const struct ref_request *q)
{
	struct ref_cache *c = &r->peer_l2;
	uint32_t set = (q->line - ref_plan_far_line(r)) % c->sets;
	struct ref_line *line = ref_cache_touch(c, set, q->line), victim;
	struct sectors missing = q->demand;

	if (q->kind == REF_PRIORITY || q->kind == REF_PREFETCH ||
		q->kind == REF_SECOND)
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
	line->valid = sectors_either(line->valid, missing);
	return true;
}

void ref_far_memory(struct reference *r, struct ref_request *q)
{
	uint64_t cycle = r->now;

	if (!on_host(r, q)) {
		cycle += ref_plan_peer_cycles(r, q);
		if (lacked(r, q))
			cycle += ref_whole(VALUE(r, link_miss_cycles));
	}
	if (ref_is_atomic(q))
		cycle += ref_whole(OF_PATH(r, q, atomic_cycles));
	ref_send(r, q, REF_FAR_BACK, cycle);
}

/* ---- and back ---- */

void ref_far_back(struct reference *r, struct ref_request *q)
{
	uint32_t all = ref_whole(OF_PATH(r, q, cycles));
	uint64_t cycle = r->now;

	if (has_value(q) && sectors_any(q->demand))
		cycle = ref_serve(&link_of(r, q)->in, cycle,
			whole_packet(r, q, sectors_count(q->demand),
				OF_PATH(r, q, in_bytes_per_cycle)));
	ref_send(r, q, REF_FAR_REPLY, cycle + all - all / 2);
}

static struct ref_turns *turns_of(
	struct reference *r, const struct ref_request *q)
{
	return &link_of(r, q)->turns[has_value(q) ? 0 : 1];
}

static uint64_t *cpc_turn(struct reference *r, const struct ref_request *q)
{
	return &turns_of(r, q)->cpcs[q->sm->gpc][q->sm->tpc % REF_CPCS];
}

/* Whether the turn of a comes before that of b: what is compared first differs
   seldom, what is compared last always. */
static bool goes_before(struct reference *r, const struct ref_request *a,
	const struct ref_request *b)
{
	const uint64_t *side = turns_of(r, a)->sides;

	if (on_host(r, a))
		return a->wait_stamp < b->wait_stamp;
	if (a->sm->side != b->sm->side &&
		side[a->sm->side] != side[b->sm->side])
		return side[a->sm->side] < side[b->sm->side];
	if (*cpc_turn(r, a) != *cpc_turn(r, b))
		return *cpc_turn(r, a) < *cpc_turn(r, b);
	if (cpc_turn(r, a) != cpc_turn(r, b)) /* none had one yet */
		return cpc_turn(r, a) < cpc_turn(r, b);
	return a->wait_stamp < b->wait_stamp;
}

/* Of those that wait for such room, the one whose turn it is. */
static struct ref_request *next_in_line(
	struct reference *r, const struct ref_request *like)
{
	const uint32_t *room = under_way(r, like);
	struct ref_request *first = NULL;

	for (uint32_t i = 0; i < r->request_count; i++) {
		struct ref_request *q = r->requests[i];

		if (q->at_link && under_way(r, q) == room &&
			(!first || goes_before(r, q, first)))
			first = q;
	}
	if (first)
		*cpc_turn(r, first) =
			turns_of(r, first)->sides[first->sm->side] = ++r->stamp;
	return first;
}

void ref_far_reply(struct reference *r, struct ref_request *q)
{
	struct ref_request *next;

	ref_send(r, q, REF_GPC_REPLY, r->now);
	*under_way(r, q) -= room_of(q);
	while (!is_full(r, q)) {
		next = next_in_line(r, q);
		if (!next)
			return;
		next->at_link = false;
		depart(r, next);
	}
}

/* ---- the copy engine ---- */

/* What a copy of a kind takes, a part each: the GPU's own memory, which it
   reads and writes; the engine that copies from and to the peer; the host's
   link out, and in. */
enum { OWN, PEER, HOST_OUT, HOST_IN, PARTS };

static bool add_copy(const struct reference *r, unsigned from, unsigned to,
	double bytes, double cycles[PARTS])
{
	bool from_gpu = from == MEMORY_PLAIN || from == MEMORY_COMPRESSIBLE;
	bool to_gpu = to == MEMORY_PLAIN || to == MEMORY_COMPRESSIBLE;
	double count = bytes / VALUE(r, copy_packet_bytes);
	double peer = bytes + count * VALUE(r, link_header_bytes);
	double asking = count * VALUE(r, host_header_bytes);
	double host = bytes + asking;

	if (from_gpu && to_gpu) {
		cycles[OWN] += bytes * 2 * VALUE(r, clock_hz) /
			       VALUE(r, dram_bytes_per_s);
		return true;
	}
	if (!from_gpu && !to_gpu)
		return false;
	if (from == MEMORY_PEER)
		cycles[PEER] += peer / VALUE(r, link_in_bytes_per_cycle);
	if (to == MEMORY_PEER)
		cycles[PEER] += peer / VALUE(r, link_out_bytes_per_cycle);
	if (to == MEMORY_HOST)
		cycles[HOST_OUT] += host / VALUE(r, host_out_bytes_per_cycle);
	if (from == MEMORY_HOST) {
		cycles[HOST_IN] += host / VALUE(r, host_in_bytes_per_cycle);
		cycles[HOST_OUT] += asking / VALUE(r, host_out_bytes_per_cycle);
	}
	return from == MEMORY_PEER || to == MEMORY_PEER
		       ? VALUE(r, link_loads) > 0
		       : VALUE(r, host_loads) > 0;
}

/* Copies in a row go at the same time; those that need the same part, one after
   the other. The longest is over last. */
int ref_far_copies(
	struct reference *r, const struct step *first, struct error *error)
{
	const struct step *end = r->p->steps + r->p->step_count, *a;
	double longest = 0, bytes = 0, cycles[PARTS] = {0}, all;

	while (first > r->p->steps && first[-1].kind == STEP_COPY)
		first--;
	for (a = first; a < end && a->kind == STEP_COPY; a++) {
		if (!add_copy(r, r->p->buffers[a->buffer].memory,
			    r->p->buffers[a->target].memory, (double)a->bytes,
			    cycles))
			return error_set(error, ERR_SKIPPED, "no such way");
		bytes += (double)a->bytes;
	}
	for (int i = 0; i < PARTS; i++)
		longest = cycles[i] > longest ? cycles[i] : longest;
	/* not a cycle more for the last digit of a sum */
	all = ceil(ref_whole(VALUE(r, copy_start_cycles)) + longest - 1e-7);
	r->result->copied.bytes = bytes;
	r->result->copied.ns = all / VALUE(r, clock_hz) * 1e9;
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
