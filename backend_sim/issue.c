/*
 * One warp instruction becomes requests: the addresses of its lanes are
 * coalesced into lines and sectors, each line is one request.
 */
#include <math.h>
#include <string.h>

#include "legality.h"
#include "engine.h"

#define LANES PROGRAM_WARP_LANES

/* What a warp instruction touches, line by line. */
struct touch {
	uint32_t count;
	struct {
		uint64_t line; /* of the buffer: offset / 128 */
		uint8_t sectors, lanes;
		uint32_t bytes[4]; /* touched of each sector, as a set */
		uint32_t words;    /* distinct words, as a set of 32 */
	} lines[LANES * 2];
};

static void touch_add(struct touch *t, uint64_t offset, uint32_t bytes)
{
	uint64_t line = offset >> LINE_SHIFT;
	unsigned first = (unsigned)(offset >> 5) & 3;
	unsigned last = first + (((unsigned)offset & 31) + bytes - 1) / 32;
	uint32_t i = t->count, sector;

	if (last > 3)
		last = 3; /* what a wrap cuts off counts with its line */

	while (i-- > 0)
		if (t->lines[i].line == line)
			break;
	if (i == UINT32_MAX) {
		i = t->count++;
		t->lines[i].line = line;
		t->lines[i].sectors = t->lines[i].lanes = 0;
		t->lines[i].words = 0;
		memset(t->lines[i].bytes, 0, sizeof(t->lines[i].bytes));
	}
	t->lines[i].sectors |= (uint8_t)(((2u << last) - (1u << first)) & 15u);
	/* Accesses are aligned: at most 32 bytes of one sector. */
	for (sector = first; sector <= last; sector++)
		t->lines[i].bytes[sector] |=
			(uint32_t)(((UINT64_C(1) << (bytes < 32 ? bytes : 32)) -
					   1)
				   << (offset & 31));
	t->lines[i].lanes++;
	t->lines[i].words |= 1u << ((offset >> 2) & 31);
}

static struct whereabouts whereabouts_of(
	const struct engine *e, const struct warp *w, const struct insn *insn)
{
	struct whereabouts where = {
		.warp = w->index,
		.block = w->block,
		.warps_per_block = (e->p->roles[w->role].threads + 31) / 32,
		.insn = (uint32_t)(insn - e->p->insns),
	};
	unsigned depth;

	for (depth = 0; depth < w->depth; depth++)
		where.loop[depth] = w->loop[depth];
	return where;
}

static uint32_t lanes_of(const struct warp *w, const struct insn *insn)
{
	return insn->guard == GUARD_ALL ? w->active : 1;
}

static void touch_addressed(const struct engine *e, const struct warp *w,
	const struct insn *insn, struct touch *t)
{
	struct whereabouts where = whereabouts_of(e, w, insn);
	const struct address *a = &insn->address;
	uint32_t lanes = lanes_of(w, insn), bytes = insn_lane_bytes(insn);
	uint64_t span = address_span(e->p, a), base;
	double reach; /* may be more than 64 bits hold */

	base = address_offset(e->p, a, &where);
	reach = (double)base + (lanes - 1) * (double)a->lane_bytes + bytes;
	if (a->mode != ADDRESS_RANDOM && (!span || reach <= (double)span)) {
		for (where.lane = 0; where.lane < lanes; where.lane++)
			touch_add(t, base + where.lane * a->lane_bytes, bytes);
		return;
	}
	for (where.lane = 0; where.lane < lanes; where.lane++)
		touch_add(t, address_offset(e->p, a, &where), bytes);
}

/* Where in the ring buffer a thread of the warp stands. */
static uint64_t chase_offset(const struct engine *e, const struct warp *w,
	const struct insn *insn, uint32_t lane)
{
	const struct buffer *ring = &e->p->buffers[insn->address.buffer];
	uint32_t thread = w->global * w->lanes + lane;
	uint32_t part = thread % ring->rings;
	uint32_t slot =
		e->positions[w->chase + insn->address.buffer * LANES + lane];

	if (ring->order == ORDER_SHUFFLE)
		slot = permutation_slot(
			&e->permutations[insn->address.buffer][part], slot);
	return (uint64_t)slot * ring->slot_bytes +
	       ring->bytes / ring->rings * part;
}

static void touch_chase(struct engine *e, const struct warp *w,
	const struct insn *insn, struct touch *t)
{
	const struct buffer *ring = &e->p->buffers[insn->address.buffer];
	uint32_t slots = (uint32_t)buffer_ring_slots(ring);
	uint32_t bytes = insn_lane_bytes(insn), lane;
	bool follows = !insn->address.base_bytes &&
		       (insn->op == OP_LD || insn->op == OP_ATOM);

	for (lane = 0; lane < lanes_of(w, insn); lane++) {
		uint32_t *position =
			&e->positions[w->chase + insn->address.buffer * LANES +
				      lane];

		touch_add(t,
			chase_offset(e, w, insn, lane) +
				insn->address.base_bytes,
			bytes);
		if (follows && ++*position == slots)
			*position = 0;
	}
}

/* ---- what the qualifiers ask for ---- */

static unsigned class_of_priority(uint8_t value, unsigned unchanged)
{
	switch (value) {
	case QV_L2_evict_first:
	case QV_SECONDARY_evict_first:
		return CLASS_FIRST;
	case QV_L2_evict_last:
		return CLASS_LAST;
	case QV_L2_evict_normal:
		return CLASS_NORMAL;
	default:
		return unchanged;
	}
}

static unsigned class_of_property(uint64_t property)
{
	return property == PROPERTY_PERSISTING  ? CLASS_LAST
	       : property == PROPERTY_STREAMING ? CLASS_FIRST
						: CLASS_NORMAL;
}

/* A fraction of lines, the same ones each time, as the address hash of the
   hardware picks them. */
static bool drawn(const struct engine *e, uint64_t line, double fraction)
{
	return permute_draw(e->p->seed, 77, (uint32_t)line, 65536) <
	       (uint32_t)lround(fraction * 65536);
}

static unsigned class_by_policy(
	const struct engine *e, const struct insn *policy, uint64_t offset)
{
	uint64_t base = policy->address.base_bytes;

	switch (policy->q[Q_KIND]) {
	case QV_KIND_fractional:
		if (drawn(e, offset >> LINE_SHIFT, policy->fraction))
			return class_of_priority(policy->q[Q_L2], CLASS_NORMAL);
		return class_of_priority(policy->q[Q_SECONDARY], CLASS_NORMAL);
	case QV_KIND_range:
		if (offset >= base && offset < base + policy->count)
			return class_of_priority(policy->q[Q_L2], CLASS_NORMAL);
		return class_of_priority(policy->q[Q_SECONDARY], CLASS_NORMAL);
	default:
		return class_of_property(policy->total);
	}
}

static unsigned class_by_window(
	const struct engine *e, uint8_t buffer, uint64_t offset)
{
	const struct step *w = e->window;

	if (!w || w->buffer != buffer || offset < w->base_bytes ||
		offset >= w->base_bytes + w->bytes)
		return CLASS_NORMAL;
	return class_of_property(drawn(e, offset >> LINE_SHIFT, w->hit_ratio)
					 ? w->hit
					 : w->miss);
}

static unsigned l2_class(const struct engine *e, const struct warp *w,
	const struct insn *insn, uint64_t offset)
{
	if (insn->q[Q_HINT] && w->policy[insn->policy])
		return class_by_policy(
			e, &e->p->insns[w->policy[insn->policy] - 1], offset);
	if (insn->q[Q_L2])
		return class_of_priority(insn->q[Q_L2], CLASS_NORMAL);
	if (insn->q[Q_COP] == QV_COP_cs || insn->q[Q_COP] == QV_COP_lu)
		return CLASS_FIRST;
	return class_by_window(e, insn->address.buffer, offset);
}

/* Which operators look in L1 and which leave a line there, as measured on an
   H200: .ca .cs .nc do both, .lu looks only. */
static bool looks_in_l1(const struct insn *insn)
{
	uint8_t cop = insn->q[Q_COP], sem = insn->q[Q_SEM];

	return insn->op == OP_LD && cop != QV_COP_cg && cop != QV_COP_cv &&
	       (sem == QV_NONE || sem == QV_SEM_weak);
}

static bool stays_in_l1(const struct insn *insn)
{
	return looks_in_l1(insn) && insn->q[Q_COP] != QV_COP_lu &&
	       insn->q[Q_L1] != QV_L1_no_allocate;
}

static unsigned l1_class(const struct insn *insn)
{
	if (insn->q[Q_L1] == QV_L1_evict_first || insn->q[Q_COP] == QV_COP_cs)
		return CLASS_FIRST;
	return insn->q[Q_L1] == QV_L1_evict_last ? CLASS_LAST : CLASS_NORMAL;
}

static unsigned prefetch_blocks(const struct insn *insn)
{
	switch (insn->q[Q_SIZE]) {
	case QV_SIZE_64B:
		return 2;
	case QV_SIZE_128B:
		return 4;
	case QV_SIZE_256B:
		return 8;
	default:
		return insn->op == OP_PREFETCH || insn->op == OP_PREFETCHU ? 4
									   : 0;
	}
}

static enum request_kind kind_of(const struct insn *insn)
{
	switch (insn->op) {
	case OP_ST:
		return REQUEST_STORE;
	case OP_ATOM:
		return REQUEST_ATOMIC;
	case OP_RED:
		return REQUEST_REDUCTION;
	case OP_DISCARD:
		return REQUEST_DISCARD;
	case OP_APPLYPRIORITY:
		return REQUEST_PRIORITY;
	case OP_PREFETCH:
	case OP_PREFETCHU:
		/* To L1 too: on an H200 it brings the line home, and no
		   further. */
		return REQUEST_PREFETCH;
	default:
		return REQUEST_LOAD;
	}
}

/* ---- into the SM ---- */

static void start_request(struct engine *e, struct warp *w, uint32_t warp,
	const struct insn *insn, const struct touch *t, uint32_t i)
{
	uint64_t offset = t->lines[i].line << LINE_SHIFT;
	uint32_t index = request_new(
		e, kind_of(insn), chip_line(e, insn->address.buffer, offset));
	struct request *r = &e->requests[index];
	unsigned words, sector;

	e->sms[w->sm].held++;
	r->warp = warp;
	r->sm = w->sm;
	r->demand = t->lines[i].sectors;
	r->lanes = t->lines[i].lanes;
	words = (unsigned)__builtin_popcount(t->lines[i].words);
	r->passes = (uint8_t)((r->lanes + words - 1) / words);
	for (sector = 0; sector < 4; sector++)
		if (t->lines[i].bytes[sector] == UINT32_MAX)
			r->whole |= (uint8_t)(1u << sector);
	r->l2_class = (uint8_t)l2_class(e, w, insn, offset);
	r->l1_class = (uint8_t)l1_class(insn);
	r->l1_allocate = stays_in_l1(insn);
	r->prefetch = (uint8_t)prefetch_blocks(insn);
	r->waits = insn->op == OP_LD || insn->op == OP_ATOM
			   ? (insn->address.mode == ADDRESS_CHASE ? WAITS_LINK
								  : WAITS_VALUE)
			   : WAITS_LOOSE;
	if (r->waits == WAITS_LINK)
		w->links++;
	else if (r->waits == WAITS_VALUE)
		w->values++;
	else
		w->loose++;
	l1_lookup(e, index, looks_in_l1(insn));
}

void issue_global(struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct touch t;
	uint32_t i;

	t.count = 0;
	if (insn->address.mode == ADDRESS_CHASE)
		touch_chase(e, w, insn, &t);
	else
		touch_addressed(e, w, insn, &t);
	for (i = 0; i < t.count; i++)
		start_request(e, w, warp, insn, &t, i);
}

/* Shared memory: a pipe that lanes on the same word (atomics) or on the same
   bank (loads, stores) go through one after the other. */
void issue_shared(struct engine *e, uint32_t warp, const struct insn *insn)
{
	struct warp *w = &e->warps[warp];
	struct whereabouts where = whereabouts_of(e, w, insn);
	struct sm *sm = &e->sms[w->sm];
	uint64_t words[LANES];
	uint32_t same[LANES] = {0}, bank[LANES] = {0}, worst = 1, lanes, i;
	uint64_t cycle;

	lanes = lanes_of(w, insn);
	for (where.lane = 0; where.lane < lanes; where.lane++) {
		uint64_t word =
			address_offset(e->p, &insn->address, &where) / 4;
		bool first = true;

		words[where.lane] = word;
		for (i = 0; i < where.lane; i++)
			if (words[i] == word) {
				first = false;
				same[i]++;
				break;
			}
		if (first)
			bank[word % 32]++;
	}
	for (i = 0; i < lanes; i++) {
		uint32_t rounds = insn->op == OP_LD || insn->op == OP_ST
					  ? bank[i]
				  : same[i] + 1 > bank[i] ? same[i] + 1
							  : bank[i];

		worst = rounds > worst ? rounds : worst;
	}
	/* The pipe is the one that global accesses use, and the warp goes on
	   when it has gone through. */
	cycle = serve(&sm->lsu_free, e->calendar.now,
		insn->op == OP_LD || insn->op == OP_ST
			? worst * TICKS
			: worst * (uint64_t)e->cost.shared_atomic);
	w->ready = cycle > w->ready ? cycle : w->ready;
	if (insn->op == OP_LD || insn->op == OP_ATOM)
		w->shared_until = cycle + e->cost.shared;
}
