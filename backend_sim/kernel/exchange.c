/* What the lanes of a warp say to each other. */
#include <string.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/kernel/meet.h"

struct across {
	const struct grid *g;
	struct kernel_warp *k;
	const struct code_insn *c;
	uint32_t mask;                  /* lanes that take part */
	uint32_t in;                    /* those that are asked */
	const struct meet_group *group; /* NULL: all are at `c` */
	uint32_t slot;                  /* of its block */
};

/* The instruction at which the lane takes part. */
static const struct code_insn *insn_of(const struct across *a, unsigned lane)
{
	uint32_t i;

	for (i = 1; a->group && i < a->group->part_count; i++)
		if (a->group->parts[i].lanes >> lane & 1)
			return a->group->parts[i].c;
	return a->c;
}

static uint32_t read32(const struct across *a, uint32_t source, unsigned lane)
{
	const row_u32 *row =
		kernel_row(a->g, a->k, &insn_of(a, lane)->s[source]);

	return row[lane];
}

static uint64_t read_value(const struct across *a, unsigned lane)
{
	const void *row = kernel_row(a->g, a->k, &insn_of(a, lane)->s[0]);

	return a->c->is_wide ? ((const row_u64 *)row)[lane]
			     : ((const row_u32 *)row)[lane];
}

static void write32(const struct across *a, unsigned lane, uint32_t value)
{
	const struct row *d = &insn_of(a, lane)->d;

	if (!d->is_constant)
		((row_u32 *)kernel_row(a->g, a->k, d))[lane] = value;
}

static void blend(const struct across *a, const struct row *row, uint32_t bits,
	uint32_t mask)
{
	uint32_t *d;

	if (row->is_constant)
		return;
	d = kernel_row(a->g, a->k, row);
	*d = (*d & ~mask) | (bits & mask);
}

/* Into d of each lane's instruction, or into e. */
static void write_predicate(const struct across *a, bool is_e, uint32_t bits)
{
	uint32_t i;

	if (!a->group)
		blend(a, is_e ? &a->c->e : &a->c->d, bits, a->mask);
	for (i = 0; a->group && i < a->group->part_count; i++) {
		const struct meet_part *part = &a->group->parts[i];

		blend(a, is_e ? &part->c->e : &part->c->d, bits, part->lanes);
	}
}

/* The predicates that lanes bring. */
static uint32_t read_predicate(const struct across *a)
{
	uint32_t bits = 0, row, i;

	for (i = 0; i < a->group->part_count; i++) {
		const struct meet_part *part = &a->group->parts[i];

		memcpy(&row, kernel_row(a->g, a->k, &part->c->p), sizeof(row));
		bits |= (part->c->p_negated ? ~row : row) & part->lanes;
	}
	return bits;
}

/* c holds the last lane of a segment in bits 0 to 4, and in 8 to 12 which bits
   of a lane name the segment. */
static bool source_lane(
	uint8_t mode, unsigned lane, uint32_t b, uint32_t c, unsigned *from)
{
	uint32_t segments = c >> 8 & 31, last = c & 31;
	uint32_t most = (lane & segments) | (last & ~segments);
	uint32_t least = lane & segments;
	int32_t j;
	bool in;

	b &= 31;
	switch (mode) {
	case PTXW_SHUFFLE_up:
		j = (int32_t)lane - (int32_t)b;
		in = j >= (int32_t)most;
		break;
	case PTXW_SHUFFLE_down:
		j = (int32_t)(lane + b);
		in = j <= (int32_t)most;
		break;
	case PTXW_SHUFFLE_bfly:
		j = (int32_t)(lane ^ b);
		in = j <= (int32_t)most;
		break;
	default:
		j = (int32_t)(least | (b & ~segments));
		in = j <= (int32_t)most;
		break;
	}
	*from = in ? (unsigned)j & 31 : lane;
	return in;
}

static void shuffle(const struct across *a)
{
	uint8_t mode = a->c->insn->word[PTX_CLASS_SHUFFLE];
	uint32_t values[LANES], found = 0, rest;
	unsigned from;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		bool in = source_lane(mode, lane, read32(a, 1, lane),
			read32(a, 2, lane), &from);

		values[lane] = read32(a, 0, from);
		found |= (uint32_t)in << lane;
	}
	for (rest = a->mask; rest; rest &= rest - 1)
		write32(a, (unsigned)__builtin_ctz(rest),
			values[__builtin_ctz(rest)]);
	write_predicate(a, true, found);
}

static void vote(const struct across *a)
{
	const uint32_t in = a->in;
	uint32_t bits = read_predicate(a) & in, rest;

	switch (a->c->insn->word[PTX_CLASS_VOTE]) {
	case PTXW_VOTE_ballot:
		for (rest = a->mask; rest; rest &= rest - 1)
			write32(a, (unsigned)__builtin_ctz(rest), bits);
		return;
	case PTXW_VOTE_all:
		bits = bits == in ? UINT32_MAX : 0;
		break;
	case PTXW_VOTE_any:
		bits = bits ? UINT32_MAX : 0;
		break;
	default:
		bits = bits == in || !bits ? UINT32_MAX : 0;
		break;
	}
	write_predicate(a, false, bits);
}

/* The lanes that have the same value; .all: whether all have. */
static void match(const struct across *a)
{
	bool all = a->c->insn->word[PTX_CLASS_VOTE] == PTXW_VOTE_all;
	uint32_t in = a->in, agree = UINT32_MAX, rest, other;
	uint32_t result[LANES];

	for (rest = in; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		result[lane] = 0;
		for (other = in; other; other &= other - 1) {
			unsigned o = (unsigned)__builtin_ctz(other);

			result[lane] |= (uint32_t)(read_value(a, o) ==
						   read_value(a, lane))
					<< o;
		}
		if (result[lane] != in)
			agree = 0;
	}
	for (rest = in; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		write32(a, lane, all ? in & agree : result[lane]);
	}
	write_predicate(a, true, agree);
}

static uint32_t reduced(uint8_t word, bool is_signed, uint32_t a, uint32_t b)
{
	bool less = is_signed ? (int32_t)b < (int32_t)a : b < a;

	switch (word) {
	case PTXW_REDUCE_add:
		return a + b;
	case PTXW_REDUCE_min:
		return less ? b : a;
	case PTXW_REDUCE_max:
		return less ? a : b;
	case PTXW_REDUCE_and:
		return a & b;
	case PTXW_REDUCE_or:
		return a | b;
	default:
		return a ^ b;
	}
}

static void reduce(const struct across *a)
{
	uint8_t word = a->c->insn->word[PTX_CLASS_REDUCE];
	bool is_signed = a->c->insn->type == PTX_s32;
	uint32_t in = a->in, rest, value;

	if (!in)
		return;
	value = read32(a, 0, (unsigned)__builtin_ctz(in));
	for (rest = in & (in - 1); rest; rest &= rest - 1)
		value = reduced(word, is_signed, value,
			read32(a, 0, (unsigned)__builtin_ctz(rest)));
	for (rest = a->mask; rest; rest &= rest - 1)
		write32(a, (unsigned)__builtin_ctz(rest), value);
}

static void elect(const struct across *a)
{
	uint32_t in = a->in, leader = in ? in & -in : 0, rest;

	for (rest = a->mask; rest; rest &= rest - 1)
		write32(a, (unsigned)__builtin_ctz(rest),
			leader ? (uint32_t)__builtin_ctz(leader) : 0);
	write_predicate(a, true, leader);
}

/* A block's own shared memory is that of its rank, that of the cluster the
   whole window. Parameters are global memory, too, as on an H100. */
static bool is_in(uint64_t address, uint64_t window, bool is_own, uint64_t own)
{
	const uint64_t in = address & WINDOW_BITS;

	if (is_own)
		return address >> CLUSTER_RANK_SHIFT ==
		       own >> CLUSTER_RANK_SHIFT;
	return in == window || (!window && in == WINDOW_PARAM);
}

static void tell_space(const struct across *a)
{
	static const uint64_t windows[PTXW_COUNT] = {
		[PTXW_SPACE_shared] = WINDOW_SHARED,
		[PTXW_SPACE_shared_cta] = WINDOW_SHARED,
		[PTXW_SPACE_shared_cluster] = WINDOW_SHARED,
		[PTXW_SPACE_local] = WINDOW_LOCAL,
		[PTXW_SPACE_const] = WINDOW_CONST,
		[PTXW_SPACE_param] = WINDOW_PARAM,
	};
	const uint8_t word = a->c->insn->word[PTX_CLASS_SPACE];
	const row_u64 *row = kernel_row(a->g, a->k, &a->c->s[0]);
	const uint64_t own = WINDOW_SHARED | cluster_base(a->g, a->slot);
	const bool is_own =
		word == PTXW_SPACE_shared || word == PTXW_SPACE_shared_cta;
	uint32_t bits = 0, lane;

	for (lane = 0; lane < LANES; lane++)
		bits |= (uint32_t)is_in(row[lane], windows[word], is_own, own)
			<< lane;
	write_predicate(a, false, bits);
}

static void operate_group(const struct across *a)
{
	switch (a->c->insn->op) {
	case PTXO_SHFL:
		shuffle(a);
		break;
	case PTXO_VOTE:
		vote(a);
		break;
	case PTXO_MATCH:
		match(a);
		break;
	case PTXO_REDUX:
		reduce(a);
		break;
	default:
		elect(a);
		break;
	}
}

/* Without a mask of those that take part: all of the path do. */
static void operate_path(const struct across *a)
{
	uint32_t rest;

	if (a->c->insn->op == PTXO_ISSPACEP)
		tell_space(a);
	else
		for (rest = a->mask; rest; rest &= rest - 1)
			write32(a, (unsigned)__builtin_ctz(rest), a->mask);
}

void operate_across(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct across a = {x->grid, &x->grid->warps[warp], c, mask, mask, NULL,
		x->warps[warp].block_index};
	struct meet_group group;

	if (c->insn->op == PTXO_ISSPACEP || c->insn->op == PTXO_ACTIVEMASK) {
		operate_path(&a);
		return;
	}
	a.group = &group;
	while (mask) {
		if (c->gathers) {
			mask = meet_group(a.g, a.k, c, mask, &group);
		} else {
			group = (struct meet_group){
				UINT32_MAX, mask, 1, {{c, mask}}};
			mask = 0;
		}
		a.mask = group.lanes;
		a.in = group.lanes & group.members;
		operate_group(&a);
	}
}
