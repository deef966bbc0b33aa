#include <string.h>

#include "harness/program/account.h"
#include "harness/program/address.h"
#include "harness/program/launch.h"
#include "harness/program/least.h"

/* An instruction of a body, with the repeats around it. */
struct visit {
	const struct program *p;
	const struct insn *insn;
	const struct role *role;
	uint32_t blocks;
	uint64_t counts[PROGRAM_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
};

/* Calls `see` for each access to global memory in [first, end). */
static void visit_accesses(const struct program *p, const struct role *role,
	uint32_t blocks, uint32_t first, uint32_t end,
	void (*see)(const struct visit *visit, void *context), void *context)
{
	struct visit v = {.p = p, .role = role, .blocks = blocks};
	uint32_t i;

	for (i = first; i < end; i++) {
		v.insn = &p->insns[i];
		if (v.insn->op == OP_REPEAT)
			v.counts[v.depth++] = v.insn->count;
		else if (v.insn->op == OP_END)
			v.depth--;
		else if (v.insn->address.mode != ADDRESS_NONE &&
			 v.insn->address.mode != ADDRESS_SHARED &&
			 v.insn->op <= OP_RED)
			see(&v, context);
	}
}

static double iterations(const struct visit *v)
{
	double product = 1;
	uint32_t d;

	for (d = 0; d < v->depth; d++)
		product *= (double)v->counts[d];
	return product;
}

/* ---- links ---- */

struct chain {
	double links;
	bool past_l1;
};

static void see_link(const struct visit *v, void *context)
{
	const struct address *a = &v->insn->address;
	struct chain *chain = (struct chain *)context + a->buffer;

	if (a->mode != ADDRESS_CHASE || a->base_bytes ||
		v->insn->guard != GUARD_ALL)
		return;
	chain->past_l1 =
		insn_passes_l1(v->insn) && (chain->past_l1 || !chain->links);
	chain->links += iterations(v);
}

/* ---- distinct bytes ---- */

/* How often a term of an address counts, and by how much it moves. */
struct term {
	double count, stride;
};

static size_t list_terms(const struct visit *v, struct term *terms)
{
	const struct address *a = &v->insn->address;
	uint32_t warps = role_warps(v->role), d;
	size_t count = 0;

	terms[count++] = (struct term){v->role->lanes, (double)a->lane_bytes};
	terms[count++] = (struct term){warps, (double)a->warp_bytes};
	terms[count++] = (struct term){v->blocks, (double)a->block_bytes};
	for (d = 0; d < v->depth; d++)
		terms[count++] = (struct term){
			(double)v->counts[d], (double)a->loop_bytes[d]};
	return count;
}

/* From the first byte to the last one. */
static double extent(const struct visit *v)
{
	struct term terms[3 + PROGRAM_DEPTH_MAX];
	size_t count = list_terms(v, terms), i;
	double bytes = insn_lane_bytes(v->insn);

	for (i = 0; i < count; i++)
		bytes += (terms[i].count - 1) * terms[i].stride;
	return bytes;
}

/* Terms that move, by stride: if each begins where the last one ends, no two
   accesses meet, and all their bytes are different. */
static double distinct_bytes(const struct visit *v)
{
	struct term terms[3 + PROGRAM_DEPTH_MAX];
	size_t left = list_terms(v, terms), i;
	double reach = insn_lane_bytes(v->insn), bytes = reach;

	while (left) {
		size_t least = 0;
		struct term term;

		for (i = 1; i < left; i++)
			if (terms[i].stride < terms[least].stride)
				least = i;
		term = terms[least];
		terms[least] = terms[--left];
		if (term.count <= 1 || term.stride == 0)
			continue;
		if (term.stride < reach)
			return 0;
		reach += (term.count - 1) * term.stride;
		bytes *= term.count;
	}
	return reach <= (double)address_span(v->p, &v->insn->address) ? bytes
								      : 0;
}

struct distinct {
	double past_l1, all;
};

static void see_distinct(const struct visit *v, void *context)
{
	const struct address *a = &v->insn->address;
	struct distinct *most = (struct distinct *)context + a->buffer;
	double bytes;

	if (a->mode != ADDRESS_AFFINE || v->insn->guard != GUARD_ALL ||
		v->role->threads % PROGRAM_WARP_LANES ||
		v->p->buffers[a->buffer].memory == MEMORY_COMPRESSIBLE)
		return;
	bytes = distinct_bytes(v);
	if (bytes > most->all)
		most->all = bytes;
	if (v->insn->op == OP_LD && insn_passes_l1(v->insn) &&
		bytes > most->past_l1)
		most->past_l1 = bytes;
}

void least_region(const struct program *p, size_t region, uint32_t sm_count,
	struct least *least)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct chain chains[PROGRAM_BUFFERS_MAX] = {{0}};
	struct distinct distinct[PROGRAM_BUFFERS_MAX] = {{0}};
	double sectors_bytes;
	struct account account;
	uint32_t first, end, blocks, i;

	memset(least, 0, sizeof(*least));
	if (region >= program_regions(p, regions))
		return;
	first = regions[region].insn_index;
	end = program_matching_end(p, first);
	blocks = role_blocks(p, regions[region].role, sm_count);
	account_region(p, region, sm_count, &account);
	sectors_bytes = account.sectors * PROGRAM_SECTOR_BYTES;
	least->sm_bytes = account.useful_bytes < sectors_bytes
				  ? account.useful_bytes
				  : sectors_bytes;
	visit_accesses(p, regions[region].role, blocks, first, end,
		see_distinct, distinct);
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++) {
		least->l2_bytes += distinct[i].past_l1;
		least->distinct_bytes += distinct[i].all;
	}
	/* A sample of TIMING_EACH is one iteration. */
	first += regions[region].repeat->timing == TIMING_EACH;
	visit_accesses(
		p, regions[region].role, blocks, first, end, see_link, chains);
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		if (chains[i].links > least->links) {
			least->links = chains[i].links;
			least->past_l1 = chains[i].past_l1;
		}
}

/* ---- working sets ---- */

struct sets {
	double bytes[PROGRAM_BUFFERS_MAX], touched[PROGRAM_BUFFERS_MAX];
};

static double least_of(double a, double b)
{
	return a < b ? a : b;
}

/* Slots that are further apart than lines take a line each. */
static double slots_bytes(double bytes, double slot_bytes)
{
	return slot_bytes > PROGRAM_LINE_BYTES
		       ? bytes / slot_bytes * PROGRAM_LINE_BYTES
		       : bytes;
}

/* Lines of one warp's access, at most. */
static double lines_of(const struct visit *v)
{
	double lanes = v->role->lanes;

	if (v->insn->address.mode != ADDRESS_AFFINE)
		return lanes;
	return least_of(
		lanes, 1 + (lanes * (double)v->insn->address.lane_bytes - 1) /
				       PROGRAM_LINE_BYTES);
}

static void see_touched(const struct visit *v, void *context)
{
	struct sets *sets = context;
	double warps = (double)v->blocks * role_warps(v->role);

	sets->touched[v->insn->address.buffer] +=
		warps * iterations(v) * lines_of(v) * PROGRAM_LINE_BYTES;
}

static void see_set(const struct visit *v, void *context)
{
	const struct address *a = &v->insn->address;
	const struct buffer *b = &v->p->buffers[a->buffer];
	struct sets *sets = context, all = {{0}, {0}};
	double span = (double)address_span(v->p, a), bytes;

	if (a->mode == ADDRESS_CHASE)
		bytes = slots_bytes((double)b->bytes, b->slot_bytes);
	else if (a->mode == ADDRESS_RANDOM)
		bytes = slots_bytes(span, (double)a->slot_bytes);
	else
		bytes = least_of(span, extent(v));
	see_touched(v, &all);
	bytes = least_of(bytes, all.touched[a->buffer]);
	if (a->mode == ADDRESS_CHASE) /* where a start is enough to be there */
		bytes = slots_bytes((double)b->bytes, b->slot_bytes);
	if (bytes > sets->bytes[a->buffer])
		sets->bytes[a->buffer] = bytes;
}

void least_working_set(const struct program *p, size_t region,
	uint32_t sm_count, struct working_set *set)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct sets sets = {{0}, {0}};
	uint32_t i, first;

	memset(set, 0, sizeof(*set));
	if (region >= program_regions(p, regions))
		return;
	first = regions[region].insn_index;
	visit_accesses(p, regions[region].role,
		role_blocks(p, regions[region].role, sm_count), first,
		program_matching_end(p, first), see_set, &sets);
	for (i = 0; i < p->role_count; i++) {
		const struct role *role = &p->roles[i];

		visit_accesses(p, role, role_blocks(p, role, sm_count),
			role->insn_first, role->insn_first + role->insn_count,
			see_touched, &sets);
	}
	for (i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		if (sets.bytes[i] > 0) {
			set->bytes += sets.bytes[i];
			set->touched_bytes += sets.touched[i];
		}
}
