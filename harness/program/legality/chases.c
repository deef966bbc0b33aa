#include "harness/program/address.h"
#include "harness/program/legality/parts.h"

/* Rules of this project's format on what a chase may do. */

static bool is_chase(const struct insn *insn)
{
	return insn->address.mode == ADDRESS_CHASE;
}

RULE(chase_ring)
{
	const struct buffer *b = legality_buffer_of(p, insn);

	return is_chase(insn) && b && b->fill != FILL_RING;
}

RULE(chase_op)
{
	static const bool keeps_value[QV_COUNT] = {
		[QV_ATOMIC_add] = true,
		[QV_ATOMIC_or] = true,
		[QV_ATOMIC_xor] = true,
		[QV_ATOMIC_min] = true,
		[QV_ATOMIC_max] = true,
		[QV_ATOMIC_cas] = true,
	};

	(void)p;
	if (!is_chase(insn) || insn->op == OP_LD)
		return false;
	return insn->op != OP_ATOM || insn->address.base_bytes ||
	       !keeps_value[insn->q[Q_ATOMIC]];
}

RULE(chase_type)
{
	const struct buffer *b = legality_buffer_of(p, insn);
	uint8_t type = insn->q[Q_TYPE];

	if (!is_chase(insn) || !b || insn->address.base_bytes)
		return false;
	if (b->element_bytes == 4)
		return type != QV_TYPE_b32 && type != QV_TYPE_u32;
	return type != QV_TYPE_b64 && type != QV_TYPE_u64;
}

RULE(chase_slot)
{
	const struct buffer *b = legality_buffer_of(p, insn);
	uint64_t base = insn->address.base_bytes;
	uint64_t width = insn_lane_bytes(insn);

	if (!is_chase(insn) || !b)
		return false;
	return (base && base < b->element_bytes) || width > b->slot_bytes ||
	       base > b->slot_bytes - width;
}

RULE(chase_stride)
{
	const struct address *a = &insn->address;
	int depth;
	uint64_t any = a->lane_bytes | a->warp_bytes | a->block_bytes |
		       a->wrap_bytes | a->slot_bytes;

	(void)p;
	for (depth = 0; depth < PROGRAM_DEPTH_MAX; depth++)
		any |= a->loop_bytes[depth];
	return is_chase(insn) && any;
}

/* Whether the other is a link of the buffer that comes before or behind. */
static bool is_link_of(
	const struct insn *insn, const struct insn *other, uint32_t buffer)
{
	return is_chase(other) && !other->address.base_bytes &&
	       other->address.buffer == buffer && other->guard == insn->guard;
}

RULE(chase_through)
{
	const struct role *role = program_role_of(p, insn);
	const uint32_t buffer = insn->address.buffer;
	uint32_t first, next, at;

	if (!is_chase(insn) || !legality_buffer_of(p, insn) || !role)
		return false;
	first = program_ring_first(p, buffer);
	next = program_ring_next(p, buffer);
	at = (uint32_t)(insn - p->insns) - role->insn_first;
	if (first == next && first == buffer)
		return false;
	return insn->address.base_bytes ||
	       (buffer != first &&
		       (!at || !is_link_of(insn, insn - 1, buffer - 1))) ||
	       (next != first && (at + 1 >= role->insn_count ||
					 !is_link_of(insn, insn + 1, next)));
}

/* clang-format off */
const struct legality_rule chase_rules[] = {
	{"chase-ring", "a chase needs a buffer filled with rings", chase_ring},
	{"chase-op",
	 "a chase takes ld, or at the start of a slot atom with .add, .or, "
	 ".xor, .min, .max or .cas", chase_op},
	{"chase-type",
	 "a link has the type of the ring's element: .b32 or .u32 for 4 "
	 "bytes, .b64 or .u64 for 8", chase_type},
	{"chase-slot",
	 "a chase stays inside its slot, and past the start behind the "
	 "ring's element", chase_slot},
	{"chase-stride", "a chase takes an offset only", chase_stride},
	{"chase-through",
	 "the links of a ring through several buffers stand together, one "
	 "for each buffer in their order", chase_through},
};
/* clang-format on */

const size_t chase_rule_count = sizeof(chase_rules) / sizeof(chase_rules[0]);
