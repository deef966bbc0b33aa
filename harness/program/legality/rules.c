#include "harness/program/legality/parts.h"

/*
 * Rules between the parts of one instruction. That an operation takes a
 * qualifier at all stands in qualifiers.def.
 */

#define RANGE_BYTES_MAX UINT32_MAX /* the size operands are 32 bits wide */

static bool is_op(const struct insn *insn, enum op op)
{
	return insn->op == op;
}

static bool is_ld_st(const struct insn *insn)
{
	return insn->op == OP_LD || insn->op == OP_ST;
}

static bool is_atomic(const struct insn *insn)
{
	return insn->op == OP_ATOM || insn->op == OP_RED;
}

static bool has(const struct insn *insn, enum qualifier_class class)
{
	return insn->q[class] != QV_NONE;
}

static bool is(const struct insn *insn, enum qualifier_class class,
	enum qualifier_value value)
{
	return insn->q[class] == value;
}

static bool is_ordered(const struct insn *insn)
{
	return is(insn, Q_SEM, QV_SEM_relaxed) ||
	       is(insn, Q_SEM, QV_SEM_acquire) ||
	       is(insn, Q_SEM, QV_SEM_release);
}

/* Not in global memory; no state space may point there. */
static bool is_elsewhere(const struct insn *insn)
{
	return is(insn, Q_SPACE, QV_SPACE_shared) ||
	       is(insn, Q_SPACE, QV_SPACE_local);
}

static bool has_priority(const struct insn *insn)
{
	return has(insn, Q_L1) || has(insn, Q_L2);
}

bool legality_is_256_bits(const struct insn *insn)
{
	return (is(insn, Q_VEC, QV_VEC_v8) && insn_type_bytes(insn) == 4) ||
	       (is(insn, Q_VEC, QV_VEC_v4) && insn_type_bytes(insn) == 8);
}

/* ---- what must be written ---- */

RULE(type_missing)
{
	(void)p;
	return (is_ld_st(insn) || is_atomic(insn) ||
		       is_op(insn, OP_CREATEPOLICY)) &&
	       !has(insn, Q_TYPE);
}

RULE(atomic_missing)
{
	(void)p;
	return is_atomic(insn) && !has(insn, Q_ATOMIC);
}

RULE(prefetch_level)
{
	(void)p;
	return is_op(insn, OP_PREFETCH) &&
	       has(insn, Q_LEVEL) == has(insn, Q_L2);
}

RULE(prefetch_priority_space)
{
	(void)p;
	return is_op(insn, OP_PREFETCH) && has(insn, Q_L2) &&
	       !is(insn, Q_SPACE, QV_SPACE_global);
}

RULE(tensormap_space)
{
	(void)p;
	return is(insn, Q_LEVEL, QV_LEVEL_tensormap) && has(insn, Q_SPACE);
}

RULE(prefetchu_level)
{
	(void)p;
	return is_op(insn, OP_PREFETCHU) && !has(insn, Q_LEVEL);
}

RULE(discard_level)
{
	(void)p;
	return is_op(insn, OP_DISCARD) && !has(insn, Q_LEVEL);
}

RULE(applypriority_priority)
{
	(void)p;
	return is_op(insn, OP_APPLYPRIORITY) && !has(insn, Q_L2);
}

RULE(fence_scope)
{
	(void)p;
	return is_op(insn, OP_FENCE) && !has(insn, Q_SCOPE);
}

/* ---- order and scope ---- */

RULE(scope_missing)
{
	(void)p;
	return is_ld_st(insn) && is_ordered(insn) && !has(insn, Q_SCOPE);
}

RULE(scope_without_order)
{
	(void)p;
	return is_ld_st(insn) && !is_ordered(insn) && has(insn, Q_SCOPE);
}

RULE(order_space)
{
	(void)p;
	return (is_ordered(insn) || is(insn, Q_SEM, QV_SEM_volatile)) &&
	       is(insn, Q_SPACE, QV_SPACE_local);
}

RULE(cop_with_order)
{
	(void)p;
	return has(insn, Q_COP) && has(insn, Q_SEM) &&
	       !is(insn, Q_SEM, QV_SEM_weak);
}

RULE(volatile_with_hint)
{
	(void)p;
	return is(insn, Q_SEM, QV_SEM_volatile) &&
	       (has_priority(insn) || has(insn, Q_HINT));
}

/* ---- cache operators, priorities, sizes ---- */

RULE(cop_with_priority)
{
	(void)p;
	return has(insn, Q_COP) && has_priority(insn);
}

RULE(nc_space)
{
	(void)p;
	return has(insn, Q_NC) && !is(insn, Q_SPACE, QV_SPACE_global);
}

RULE(nc_cop)
{
	(void)p;
	return has(insn, Q_NC) &&
	       (is(insn, Q_COP, QV_COP_lu) || is(insn, Q_COP, QV_COP_cv));
}

RULE(nc_with_order)
{
	(void)p;
	return has(insn, Q_NC) && (has(insn, Q_SEM) || has(insn, Q_SCOPE));
}

RULE(priority_space)
{
	(void)p;
	return (has_priority(insn) || has(insn, Q_HINT)) && is_elsewhere(insn);
}

RULE(size_space)
{
	(void)p;
	return has(insn, Q_SIZE) && is_elsewhere(insn);
}

RULE(l2_priority_width)
{
	(void)p;
	return is_ld_st(insn) && has(insn, Q_L2) && !legality_is_256_bits(insn);
}

/* ---- types ---- */

RULE(v8_type)
{
	(void)p;
	return is(insn, Q_VEC, QV_VEC_v8) && insn_type_bytes(insn) != 4;
}

RULE(vector_width)
{
	(void)p;
	return has(insn, Q_VEC) && insn_lane_bytes(insn) > 16 &&
	       !legality_is_256_bits(insn);
}

RULE(vector_space)
{
	(void)p;
	return legality_is_256_bits(insn) && is_elsewhere(insn);
}

#define TYPE(name) (UINT32_C(1) << (QV_TYPE_##name - QV_TYPE_b8))

/* An atomic operation and the types that it takes. */
static const uint32_t atomic_types[QV_COUNT] = {
	[QV_ATOMIC_add] =
		TYPE(u32) | TYPE(s32) | TYPE(u64) | TYPE(f32) | TYPE(f64),
	[QV_ATOMIC_exch] = TYPE(b32) | TYPE(b64),
	[QV_ATOMIC_cas] = TYPE(b32) | TYPE(b64),
	[QV_ATOMIC_and] = TYPE(b32) | TYPE(b64),
	[QV_ATOMIC_or] = TYPE(b32) | TYPE(b64),
	[QV_ATOMIC_xor] = TYPE(b32) | TYPE(b64),
	[QV_ATOMIC_min] = TYPE(u32) | TYPE(u64) | TYPE(s32) | TYPE(s64),
	[QV_ATOMIC_max] = TYPE(u32) | TYPE(u64) | TYPE(s32) | TYPE(s64),
	[QV_ATOMIC_inc] = TYPE(u32),
	[QV_ATOMIC_dec] = TYPE(u32),
};

/* The type is wrong for an operation that takes the same types as `like`. */
static bool is_type_wrong(const struct insn *insn, enum qualifier_value like)
{
	uint32_t allowed = atomic_types[insn->q[Q_ATOMIC]];

	if (allowed != atomic_types[like] || !has(insn, Q_TYPE))
		return false;
	return !(allowed >> (insn->q[Q_TYPE] - QV_TYPE_b8) & 1);
}

RULE(add_type)
{
	(void)p;
	return is_type_wrong(insn, QV_ATOMIC_add);
}

RULE(bits_type)
{
	(void)p;
	return is_type_wrong(insn, QV_ATOMIC_cas);
}

RULE(min_max_type)
{
	(void)p;
	return is_type_wrong(insn, QV_ATOMIC_min);
}

RULE(inc_dec_type)
{
	(void)p;
	return is_type_wrong(insn, QV_ATOMIC_inc);
}

/* ---- operands ---- */

RULE(hint_policy)
{
	const struct role *role = program_role_of(p, insn);
	uint32_t i;

	if (!has(insn, Q_HINT) || !role)
		return false;
	for (i = role->insn_first; &p->insns[i] < insn; i++)
		if (is_op(&p->insns[i], OP_CREATEPOLICY) &&
			p->insns[i].policy == insn->policy)
			return false;
	return true;
}

RULE(cas_hint)
{
	(void)p;
	return has(insn, Q_HINT) && is(insn, Q_ATOMIC, QV_ATOMIC_cas);
}

RULE(line_size)
{
	(void)p;
	return (is_op(insn, OP_DISCARD) || is_op(insn, OP_APPLYPRIORITY)) &&
	       insn->count != PROGRAM_LINE_BYTES;
}

RULE(alignment)
{
	const struct address *a = &insn->address;
	uint64_t width = insn_access_bytes(insn);
	uint64_t parts;
	int depth;

	if (a->mode == ADDRESS_NONE)
		return false;
	/* Widths are powers of two, so one bit below any is below all. */
	parts = a->base_bytes | a->lane_bytes | a->warp_bytes | a->block_bytes |
		a->wrap_bytes;
	for (depth = 0; depth < PROGRAM_DEPTH_MAX; depth++)
		parts |= a->loop_bytes[depth];
	if (a->mode == ADDRESS_RANDOM)
		parts |= a->slot_bytes;
	if (a->mode != ADDRESS_SHARED && a->buffer < p->buffer_count) {
		const struct buffer *b = &p->buffers[a->buffer];

		if (a->mode == ADDRESS_CHASE && b->rings)
			parts |= b->slot_bytes | b->bytes / b->rings;
		parts |= a->wrap_bytes ? 0 : b->bytes;
	}
	return parts & (width - 1);
}

/* ---- createpolicy ---- */

RULE(policy_kind)
{
	(void)p;
	return is_op(insn, OP_CREATEPOLICY) && !has(insn, Q_KIND);
}

RULE(policy_primary)
{
	(void)p;
	return (is(insn, Q_KIND, QV_KIND_fractional) ||
		       is(insn, Q_KIND, QV_KIND_range)) &&
	       (!has(insn, Q_L2) || has(insn, Q_LEVEL));
}

RULE(policy_cvt)
{
	(void)p;
	return is(insn, Q_KIND, QV_KIND_cvt) &&
	       (!has(insn, Q_LEVEL) || has(insn, Q_L2) ||
		       has(insn, Q_SECONDARY));
}

RULE(policy_space)
{
	(void)p;
	return (is(insn, Q_KIND, QV_KIND_fractional) ||
		       is(insn, Q_KIND, QV_KIND_cvt)) &&
	       has(insn, Q_SPACE);
}

RULE(policy_fraction)
{
	(void)p;
	return is(insn, Q_KIND, QV_KIND_fractional) &&
	       !(insn->fraction > 0 && insn->fraction <= 1);
}

RULE(policy_sizes)
{
	(void)p;
	return is(insn, Q_KIND, QV_KIND_range) &&
	       (insn->count > insn->total || insn->total > RANGE_BYTES_MAX);
}

RULE(policy_property)
{
	(void)p;
	return is(insn, Q_KIND, QV_KIND_cvt) && insn->total >= PROPERTY_COUNT;
}

/* ---- what the assembler takes all the same ---- */

static bool always(const struct insn *insn)
{
	(void)insn;
	return true;
}

static bool of_l2(const struct insn *insn)
{
	return !has(insn, Q_L1) && !has(insn, Q_HINT);
}

/* clang-format off */
const struct legality_rule legality_rules[] = {
	{"type-missing",
	 "ld, st, atom, red and createpolicy need a type", type_missing},
	{"atomic-missing",
	 "atom and red need an operation such as .add", atomic_missing},
	{"prefetch-level",
	 "prefetch takes either a level or an .L2 eviction priority",
	 prefetch_level},
	{"prefetch-priority-space",
	 "prefetch with an eviction priority needs .global",
	 prefetch_priority_space, always},
	{"tensormap-space",
	 ".tensormap does not go with .global or .local", tensormap_space},
	{"prefetchu-level", "prefetchu needs .L1", prefetchu_level},
	{"discard-level", "discard needs .L2", discard_level},
	{"applypriority-priority",
	 "applypriority needs .L2::evict_normal", applypriority_priority},
	{"fence-scope", "fence needs a scope", fence_scope},
	{"scope-missing",
	 ".relaxed, .acquire and .release need a scope", scope_missing},
	{"scope-without-order",
	 "ld and st take a scope only with .relaxed, .acquire or .release",
	 scope_without_order},
	{"order-space",
	 ".relaxed, .acquire, .release and .volatile are for .global and "
	 ".shared", order_space},
	{"cop-with-order",
	 "a cache operator does not go with .relaxed, .acquire, .release or "
	 ".volatile", cop_with_order},
	{"volatile-with-hint",
	 ".volatile does not go with eviction priorities or .L2::cache_hint",
	 volatile_with_hint, of_l2},
	{"cop-with-priority",
	 "a cache operator does not go with eviction priorities",
	 cop_with_priority, of_l2},
	{"nc-space", ".nc needs .global", nc_space},
	{"nc-cop", ".nc takes .ca, .cg or .cs only", nc_cop},
	{"nc-with-order",
	 ".nc does not go with an order or a scope", nc_with_order},
	{"priority-space",
	 "eviction priorities and .L2::cache_hint are for .global",
	 priority_space},
	{"size-space", ".L2::64B, .L2::128B and .L2::256B are for .global",
	 size_space},
	{"l2-priority-width",
	 ".L2 eviction priorities need .v8 of 32 bits or .v4 of 64 bits",
	 l2_priority_width},
	{"v8-type", ".v8 takes .b32, .u32, .s32 or .f32", v8_type, always},
	{"vector-width",
	 "a vector has at most 16 bytes, or 32 as .v8 of 32 bits or .v4 of "
	 "64 bits", vector_width},
	{"vector-space", "vectors of 32 bytes are for .global", vector_space},
	{"add-type", ".add takes .u32, .s32, .u64, .f32 or .f64", add_type},
	{"bits-type",
	 ".exch, .cas, .and, .or and .xor take .b32 or .b64", bits_type},
	{"min-max-type",
	 ".min and .max take .u32, .s32, .u64 or .s64", min_max_type},
	{"inc-dec-type", ".inc and .dec take .u32", inc_dec_type},
	{"hint-policy",
	 ".L2::cache_hint needs a policy that an earlier createpolicy of the "
	 "role makes", hint_policy},
	{"cas-hint", ".cas takes no .L2::cache_hint", cas_hint},
	{"line-size", "the size is 128", line_size},
	{"alignment",
	 "each part of an address, the wrap and the buffer's size are "
	 "multiples of the bytes accessed (discard and applypriority: 128)",
	 alignment},
	{"policy-kind",
	 "createpolicy needs .fractional, .range or .cvt", policy_kind},
	{"policy-primary",
	 ".fractional and .range need a primary .L2 eviction priority and no "
	 "level", policy_primary},
	{"policy-cvt", ".cvt needs .L2 and no eviction priority", policy_cvt},
	{"policy-space", ".fractional and .cvt take no state space",
	 policy_space},
	{"policy-fraction", "the fraction is above 0 and at most 1",
	 policy_fraction},
	{"policy-sizes",
	 "the primary size is at most the total size, which is below 4 GiB",
	 policy_sizes},
	{"policy-property",
	 "the property is normal, streaming or persisting", policy_property},
};
/* clang-format on */

const size_t legality_rule_count =
	sizeof(legality_rules) / sizeof(legality_rules[0]);
