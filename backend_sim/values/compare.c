/* Comparisons: setp and set. */
#include <string.h>

#include "backend_sim/values/value.h"

/* Of the two values: less, equal, greater, or unordered (one is no number). */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t accepted[PTXW_COUNT] = {
	[PTXW_COMPARE_eq] = EQUAL,
	[PTXW_COMPARE_ne] = LESS | GREATER,
	[PTXW_COMPARE_lt] = LESS,
	[PTXW_COMPARE_le] = LESS | EQUAL,
	[PTXW_COMPARE_gt] = GREATER,
	[PTXW_COMPARE_ge] = GREATER | EQUAL,
	[PTXW_COMPARE_lo] = LESS,
	[PTXW_COMPARE_ls] = LESS | EQUAL,
	[PTXW_COMPARE_hi] = GREATER,
	[PTXW_COMPARE_hs] = GREATER | EQUAL,
	[PTXW_COMPARE_equ] = EQUAL | UNORDERED,
	[PTXW_COMPARE_neu] = LESS | GREATER | UNORDERED,
	[PTXW_COMPARE_ltu] = LESS | UNORDERED,
	[PTXW_COMPARE_leu] = LESS | EQUAL | UNORDERED,
	[PTXW_COMPARE_gtu] = GREATER | UNORDERED,
	[PTXW_COMPARE_geu] = GREATER | EQUAL | UNORDERED,
	[PTXW_COMPARE_num] = LESS | EQUAL | GREATER,
	[PTXW_COMPARE_nan] = UNORDERED,
};

/* Lanes where a < b and where a == b; the rest of `ordered` is greater. */
struct order {
	uint32_t less, equal, ordered;
};

/* A byte of 0 or 1 a lane becomes a bit a lane: the product has that of byte i
   at place 56 + i, and no two of its terms at one place. */
static uint32_t bits_of(const uint8_t lanes[LANES])
{
	uint32_t bits = 0, l;
	uint64_t eight;

	for (l = 0; l < LANES; l += 8) {
		memcpy(&eight, lanes + l, sizeof(eight));
		bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56)
			<< l;
	}
	return bits;
}

/* Of integers, which are all ordered, one set often says it all: less for
   lt and ge, equal for eq and ne. */
static bool needs_less(uint8_t accepts)
{
	return accepts != EQUAL && accepts != (LESS | GREATER);
}

static bool needs_equal(uint8_t accepts)
{
	return accepts != LESS && accepts != (GREATER | EQUAL);
}

/* A set that is not needed is left empty. */
#define ORDER(name, T)                                                         \
	static struct order name(const struct value *v, uint8_t accepts)       \
	{                                                                      \
		struct order o = {.ordered = UINT32_MAX};                      \
		uint8_t lanes[LANES];                                          \
		unsigned l = (unsigned)__builtin_ctz(v->mask | 1u << 31);      \
                                                                               \
		if (value_is_lone(v)) {                                        \
			o.less = (uint32_t)(IN_##T(0) < IN_##T(1)) << l;       \
			o.equal = (uint32_t)(IN_##T(0) == IN_##T(1)) << l;     \
			return o;                                              \
		}                                                              \
		if (needs_less(accepts)) {                                     \
			for (l = 0; l < LANES; l++)                            \
				lanes[l] = IN_##T(0) < IN_##T(1);              \
			o.less = bits_of(lanes);                               \
		}                                                              \
		if (needs_equal(accepts)) {                                    \
			for (l = 0; l < LANES; l++)                            \
				lanes[l] = IN_##T(0) == IN_##T(1);             \
			o.equal = bits_of(lanes);                              \
		}                                                              \
		return o;                                                      \
	}

#define ORDER_REAL(name, A, B)                                                 \
	static struct order name(const struct value *v)                        \
	{                                                                      \
		uint8_t less[LANES], equal[LANES], ordered[LANES];             \
		unsigned l;                                                    \
                                                                               \
		for (l = 0; l < LANES; l++) {                                  \
			less[l] = (A) < (B);                                   \
			equal[l] = (A) == (B);                                 \
			ordered[l] = (A) == (A) && (B) == (B);                 \
		}                                                              \
		return (struct order){                                         \
			bits_of(less), bits_of(equal), bits_of(ordered)};      \
	}

ORDER(order_u16, u16)
ORDER(order_s16, s16)
ORDER(order_u32, u32)
ORDER(order_s32, s32)
ORDER(order_u64, u64)
ORDER(order_s64, s64)
ORDER_REAL(order_f32, IN_f32(0), IN_f32(1))
ORDER_REAL(order_f64, IN_f64(0), IN_f64(1))
ORDER_REAL(order_f16, narrow_value(PTX_f16, IN_u16(0)),
	narrow_value(PTX_f16, IN_u16(1)))
ORDER_REAL(order_bf16, narrow_value(PTX_bf16, IN_u16(0)),
	narrow_value(PTX_bf16, IN_u16(1)))

static struct order order_of(
	const struct value *v, uint8_t type, uint8_t accepts)
{
	switch (type) {
	case PTX_u16:
	case PTX_b16:
		return order_u16(v, accepts);
	case PTX_s16:
		return order_s16(v, accepts);
	case PTX_s32:
		return order_s32(v, accepts);
	case PTX_u64:
	case PTX_b64:
		return order_u64(v, accepts);
	case PTX_s64:
		return order_s64(v, accepts);
	case PTX_f16:
		return order_f16(v);
	case PTX_bf16:
		return order_bf16(v);
	case PTX_f32:
		return order_f32(v);
	case PTX_f64:
		return order_f64(v);
	default:
		return order_u32(v, accepts);
	}
}

static uint32_t flush(uint32_t bits, uint8_t type)
{
	if (type == PTX_f16)
		return bits & 0x7c00u ? bits : bits & 0x8000u;
	return value_flushed(bits);
}

/* The lanes for which the comparison holds. */
static uint32_t compared(const struct value *v, uint8_t type)
{
	uint8_t accepts = accepted[v->insn->word[PTX_CLASS_COMPARE]];
	uint32_t sources[2][LANES], bits = 0;
	struct value flushed = *v;
	struct order o;
	unsigned i, l;

	if (v->insn->word[PTX_CLASS_FTZ] &&
		(type == PTX_f32 || type == PTX_f16)) {
		for (i = 0; i < 2; i++) {
			for (l = 0; l < LANES; l++)
				sources[i][l] = flush(IN_u32(i), type);
			flushed.s[i] = sources[i];
		}
	}
	o = order_of(&flushed, type, accepts);
	bits |= accepts & LESS ? o.less : 0;
	bits |= accepts & EQUAL ? o.equal : 0;
	bits |= accepts & GREATER ? o.ordered & ~o.less & ~o.equal : 0;
	bits |= accepts & UNORDERED ? ~o.ordered : 0;
	return bits;
}

static uint32_t joined(const struct value *v, uint32_t bits)
{
	switch (v->insn->word[PTX_CLASS_BOOL]) {
	case PTXW_BOOL_and:
		return bits & v->p;
	case PTXW_BOOL_or:
		return bits | v->p;
	case PTXW_BOOL_xor:
		return bits ^ v->p;
	default:
		return bits;
	}
}

static uint8_t half_of(uint8_t type)
{
	return type == PTX_f16x2    ? PTX_f16
	       : type == PTX_bf16x2 ? PTX_bf16
				    : PTX_UNTYPED;
}

/* Of two narrow numbers in each word the lower ones, or the upper ones. */
static uint32_t compared_half(const struct value *v, uint8_t type, bool upper)
{
	uint32_t sources[2][LANES];
	struct value half = *v;
	unsigned i, l;

	for (i = 0; i < 2; i++) {
		for (l = 0; l < LANES; l++)
			sources[i][l] = upper ? IN_u32(i) >> 16 : IN_u16(i);
		half.s[i] = sources[i];
	}
	return compared(&half, half_of(type));
}

/* The second predicate is of the upper ones, or the opposite. */
static void setp(const struct value *v)
{
	uint8_t type = v->insn->type;
	bool two = half_of(type) != PTX_UNTYPED;
	uint32_t bits = two ? compared_half(v, type, false) : compared(v, type);
	uint32_t other = joined(v, two ? compared_half(v, type, true) : ~bits);

	if (v->d)
		value_put_predicate(v, joined(v, bits));
	if (v->e)
		*v->e = (*v->e & ~v->mask) | (other & v->mask);
}

/* Where it holds: all ones, or 1.0. */
static uint32_t truth(const struct ptx_insn *insn)
{
	switch (insn->type) {
	case PTX_f32:
		return 0x3f800000;
	case PTX_f16:
	case PTX_f16x2:
		return 0x3c00;
	case PTX_bf16:
	case PTX_bf16x2:
		return 0x3f80;
	default:
		return ptx_types[insn->type].bytes == 2 ||
				       half_of(insn->from) != PTX_UNTYPED
			       ? 0xffff
			       : UINT32_MAX;
	}
}

static void set(const struct value *v)
{
	uint32_t r[LANES], yes = truth(v->insn), upper = 0, bits;
	uint8_t from = v->insn->from;
	unsigned l;

	if (half_of(from) != PTX_UNTYPED) {
		bits = joined(v, compared_half(v, from, false));
		upper = joined(v, compared_half(v, from, true));
	} else {
		bits = joined(v, compared(v, from));
	}
	for (l = 0; l < LANES; l++)
		r[l] = (bits >> l & 1 ? yes : 0) |
		       (upper >> l & 1 ? yes << 16 : 0);
	value_put32(v, r);
}

value_fn value_compare(const struct ptx_insn *insn)
{
	if (!insn->word[PTX_CLASS_COMPARE])
		return NULL;
	if (insn->op == PTXO_SETP)
		return setp;
	if (insn->op == PTXO_SET && ptx_types[insn->type].bytes < 8)
		return set;
	return NULL;
}
