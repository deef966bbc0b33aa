#include "harness/program/address.h"
#include "harness/program/legality/parts.h"

/*
 * Rules of this project's format on one instruction: where addresses may
 * point, and what may be repeated and timed.
 */

#define SAMPLES_PER_BLOCK_MAX 8192

static bool is_repeat(const struct insn *insn)
{
	return insn->op == OP_REPEAT;
}

static bool is_timed(const struct insn *insn)
{
	return is_repeat(insn) && insn->timing != TIMING_NONE;
}

static bool in_buffer(const struct insn *insn)
{
	return insn->address.mode == ADDRESS_AFFINE ||
	       insn->address.mode == ADDRESS_CHASE ||
	       insn->address.mode == ADDRESS_RANDOM;
}

const struct buffer *legality_buffer_of(
	const struct program *p, const struct insn *insn)
{
	if (!in_buffer(insn) || insn->address.buffer >= p->buffer_count)
		return NULL;
	return &p->buffers[insn->address.buffer];
}

static uint64_t span_of(const struct program *p, const struct insn *insn)
{
	const struct buffer *b = legality_buffer_of(p, insn);

	if (insn->address.wrap_bytes || !b)
		return insn->address.wrap_bytes;
	return b->bytes;
}

/* The repeats around an instruction, outermost first; returns how many. */
static uint32_t repeats_around(const struct program *p, const struct insn *insn,
	uint64_t counts[PROGRAM_DEPTH_MAX])
{
	const struct role *role = program_role_of(p, insn);
	uint32_t depth = 0;
	uint32_t i;

	if (!role)
		return 0;
	for (i = role->insn_first; &p->insns[i] < insn; i++) {
		if (p->insns[i].op == OP_END && depth) {
			depth--;
		} else if (is_repeat(&p->insns[i])) {
			if (depth < PROGRAM_DEPTH_MAX)
				counts[depth] = p->insns[i].count;
			depth++;
		}
	}
	return depth < PROGRAM_DEPTH_MAX ? depth : PROGRAM_DEPTH_MAX;
}

/* ---- addresses ---- */

static bool takes_address(const struct insn *insn)
{
	return insn->op <= OP_APPLYPRIORITY || insn->q[Q_KIND] == QV_KIND_range;
}

RULE(address_missing)
{
	(void)p;
	return takes_address(insn) && insn->address.mode == ADDRESS_NONE;
}

RULE(address_surplus)
{
	(void)p;
	return !takes_address(insn) && insn->address.mode != ADDRESS_NONE;
}

RULE(buffer_unknown)
{
	return insn->address.mode > ADDRESS_SHARED ||
	       (in_buffer(insn) && !legality_buffer_of(p, insn));
}

RULE(space_address)
{
	(void)p;
	return takes_address(insn) &&
	       (insn->address.mode == ADDRESS_SHARED) !=
		       (insn->q[Q_SPACE] == QV_SPACE_shared);
}

RULE(space_local)
{
	(void)p;
	return insn->q[Q_SPACE] == QV_SPACE_local;
}

RULE(wrap_size)
{
	const struct buffer *b = legality_buffer_of(p, insn);

	return b && insn->address.wrap_bytes > b->bytes;
}

RULE(base_outside)
{
	return in_buffer(insn) && insn->address.base_bytes >= span_of(p, insn);
}

RULE(random_slot)
{
	const struct address *a = &insn->address;
	uint64_t span = span_of(p, insn);

	return a->mode == ADDRESS_RANDOM &&
	       (!a->slot_bytes || a->slot_bytes > span ||
		       span / a->slot_bytes > UINT32_MAX);
}

RULE(loop_unknown)
{
	uint64_t counts[PROGRAM_DEPTH_MAX];
	uint32_t depth = repeats_around(p, insn, counts);

	for (; depth < PROGRAM_DEPTH_MAX; depth++)
		if (insn->address.loop_bytes[depth])
			return true;
	return false;
}

/* *sum += (count - 1) * stride; false if it is more than 64 bits. */
static bool add_stride(uint64_t *sum, uint64_t count, uint64_t stride)
{
	uint64_t reach;

	return !__builtin_mul_overflow(count ? count - 1 : 0, stride, &reach) &&
	       !__builtin_add_overflow(*sum, reach, sum);
}

RULE(shared_outside)
{
	const struct role *role = program_role_of(p, insn);
	const struct address *a = &insn->address;
	uint64_t counts[PROGRAM_DEPTH_MAX];
	uint64_t end = insn_access_bytes(insn);
	uint32_t depth, i;
	bool fits;

	if (a->mode != ADDRESS_SHARED || !role)
		return false;
	if (a->wrap_bytes)
		return a->wrap_bytes > role->shared_bytes;
	depth = repeats_around(p, insn, counts);
	fits = !a->block_bytes && add_stride(&end, 2, a->base_bytes) &&
	       add_stride(&end, role->lanes, a->lane_bytes) &&
	       add_stride(&end, role_warps(role), a->warp_bytes);
	for (i = 0; fits && i < depth; i++)
		fits = add_stride(&end, counts[i], a->loop_bytes[i]);
	return !fits || end > role->shared_bytes;
}

/* ---- everything else ---- */

RULE(policy_number)
{
	(void)p;
	return (insn->q[Q_HINT] || insn->op == OP_CREATEPOLICY) &&
	       insn->policy >= PROGRAM_POLICIES_MAX;
}

RULE(guard_forbidden)
{
	(void)p;
	return insn->guard >= GUARD_COUNT ||
	       (insn->guard && insn->op > OP_APPLYPRIORITY);
}

RULE(count_range)
{
	(void)p;
	return (is_repeat(insn) || insn->op == OP_DELAY) &&
	       (!insn->count || insn->count > UINT32_MAX);
}

RULE(unroll_divides)
{
	(void)p;
	return is_repeat(insn) && insn->unroll > 1 &&
	       insn->count % insn->unroll;
}

RULE(unroll_inner)
{
	uint32_t i = (uint32_t)(insn - p->insns);
	uint32_t end;

	if (!is_repeat(insn) || insn->unroll <= 1)
		return false;
	end = program_matching_end(p, i);
	for (i++; i < end; i++)
		if (is_repeat(&p->insns[i]))
			return true;
	return false;
}

RULE(timed_nested)
{
	uint64_t counts[PROGRAM_DEPTH_MAX];

	return is_timed(insn) && repeats_around(p, insn, counts);
}

RULE(timed_background)
{
	const struct role *role = program_role_of(p, insn);

	return is_timed(insn) && role && role->background;
}

RULE(region_untimed)
{
	(void)p;
	return is_repeat(insn) && (insn->timing >= TIMING_COUNT ||
					  (!is_timed(insn) && insn->region[0]));
}

RULE(each_unrolled)
{
	(void)p;
	return insn->timing == TIMING_EACH && insn->unroll > 1;
}

RULE(each_samples)
{
	const struct role *role = program_role_of(p, insn);

	return insn->timing == TIMING_EACH && role &&
	       insn->count > SAMPLES_PER_BLOCK_MAX / (role_warps(role));
}

RULE(each_waits)
{
	uint32_t i = (uint32_t)(insn - p->insns);
	uint32_t end;

	if (insn->timing != TIMING_EACH)
		return false;
	end = program_matching_end(p, i);
	for (i++; i < end; i++) {
		uint8_t op = p->insns[i].op;

		if (op == OP_LD || op == OP_ATOM || op == OP_FENCE ||
			op == OP_BARRIER)
			return false;
	}
	return true;
}

/* clang-format off */
const struct legality_rule format_rules[] = {
	{"address-missing", "it needs an address", address_missing},
	{"address-surplus", "it takes no address", address_surplus},
	{"buffer-unknown", "its buffer does not exist", buffer_unknown},
	{"space-local",
	 "programs have no local memory to point to", space_local},
	{"space-address",
	 "[shared] goes with .shared, and a buffer with .global or none",
	 space_address},
	{"wrap-size", "the wrap is larger than the buffer", wrap_size},
	{"base-outside",
	 "the address starts outside its buffer or wrap", base_outside},
	{"random-slot",
	 "a random slot has 1 byte to the size of the buffer or wrap, and "
	 "there are fewer than 2^32", random_slot},
	{"loop-unknown",
	 "loop0, loop1 and loop2 are the repeats around it, outermost first",
	 loop_unknown},
	{"shared-outside",
	 "the access leaves the shared memory of its role", shared_outside},
	{"policy-number", "policies are p0 to p3", policy_number},
	{"guard-forbidden",
	 "a guard goes with instructions that access memory",
	 guard_forbidden},
	{"count-range", "the count is 1 to 4294967295", count_range},
	{"unroll-divides", "unroll= must divide the count", unroll_divides},
	{"unroll-inner",
	 "unroll= is for a repeat without another inside", unroll_inner},
	{"timed-nested",
	 "a timed repeat stands outside all others", timed_nested},
	{"timed-background",
	 "a background role has no timed repeat", timed_background},
	{"region-untimed",
	 "a region goes with time=region or time=each", region_untimed},
	{"each-unrolled", "time=each does not go with unroll=", each_unrolled},
	{"each-samples",
	 "time=each takes at most 8192 samples in a block", each_samples},
	{"each-waits",
	 "time=each needs a load, atom, fence or barrier to wait for",
	 each_waits},
};
/* clang-format on */

const size_t format_rule_count = sizeof(format_rules) / sizeof(format_rules[0]);
