/* Integer arithmetic. */
#include "backend_sim/values/value.h"

/* Operations of each type: u16 s16 u32 s32 u64 s64, in this order. */
#define TYPES 6

static int type_index(uint8_t type)
{
	switch (type) {
	case PTX_u16:
	case PTX_b16:
		return 0;
	case PTX_s16:
		return 1;
	case PTX_u32:
	case PTX_b32:
		return 2;
	case PTX_s32:
		return 3;
	case PTX_u64:
	case PTX_b64:
		return 4;
	case PTX_s64:
		return 5;
	default:
		return -1;
	}
}

#define EACH_TYPE(name, F)                                                     \
	VALUE16(name##_u16, F(u16, uint16_t))                                  \
	VALUE16(name##_s16, F(s16, int16_t))                                   \
	VALUE32(name##_u32, F(u32, uint32_t))                                  \
	VALUE32(name##_s32, F(s32, int32_t))                                   \
	VALUE64(name##_u64, F(u64, uint64_t))                                  \
	VALUE64(name##_s64, F(s64, int64_t))                                   \
	static const value_fn name[TYPES] = {name##_u16, name##_s16,           \
		name##_u32, name##_s32, name##_u64, name##_s64};

/* Unsigned, so that what does not fit wraps. */
#define ADD(T, C) ((uint64_t)IN_##T(0) + (uint64_t)IN_##T(1))
#define SUB(T, C) ((uint64_t)IN_##T(0) - (uint64_t)IN_##T(1))
#define MUL(T, C) ((uint64_t)IN_##T(0) * (uint64_t)IN_##T(1))
#define MAD(T, C) (MUL(T, C) + (uint64_t)IN_##T(2))
#define MIN(T, C) (IN_##T(0) < IN_##T(1) ? IN_##T(0) : IN_##T(1))
#define MAX(T, C) (IN_##T(0) > IN_##T(1) ? IN_##T(0) : IN_##T(1))
#define NEG(T, C) (-(uint64_t)IN_##T(0))
#define SAD(T, C)                                                              \
	((uint64_t)IN_##T(2) +                                                 \
		(IN_##T(0) < IN_##T(1)                                         \
				? (uint64_t)IN_##T(1) - (uint64_t)IN_##T(0)    \
				: (uint64_t)IN_##T(0) - (uint64_t)IN_##T(1)))
/* By zero PTX leaves the result open: on an H200 it is all ones, and so is the
   remainder. The least number by -1 wraps. */
#define DIV(T, C)                                                              \
	(IN_##T(1) == 0 ? (C)-1                                                \
		: IN_##T(1) == (C)-1 && (C)-1 < (C)1                           \
			? (C)(-(uint64_t)IN_##T(0))                            \
			: (C)(IN_##T(0) / IN_##T(1)))
#define REM(T, C)                                                              \
	(IN_##T(1) == 0 ? (C)-1                                                \
		: IN_##T(1) == (C)-1 && (C)-1 < (C)1                           \
			? (C)0                                                 \
			: (C)(IN_##T(0) % IN_##T(1)))

EACH_TYPE(add, ADD)
EACH_TYPE(sub, SUB)
EACH_TYPE(mul_lo, MUL)
EACH_TYPE(mad_lo, MAD)
EACH_TYPE(min, MIN)
EACH_TYPE(max, MAX)
EACH_TYPE(neg, NEG)
EACH_TYPE(sad, SAD)
EACH_TYPE(quotient, DIV)
EACH_TYPE(remainder_of, REM)

#define ABS(T) (IN_##T(0) < 0 ? -(uint64_t)IN_##T(0) : (uint64_t)IN_##T(0))

VALUE16(absolute_s16, ABS(s16))
VALUE32(absolute_s32, ABS(s32))
VALUE64(absolute_s64, ABS(s64))

static const value_fn absolute[TYPES] = {
	NULL, absolute_s16, NULL, absolute_s32, NULL, absolute_s64};

/* ---- the upper half, and twice the width ---- */

static uint64_t high_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static uint64_t high_s64(int64_t a, int64_t b)
{
	return (uint64_t)(((__int128)a * b) >> 64);
}

#define WIDE_u(i, j) ((uint64_t)IN_u32(i) * IN_u32(j))
#define WIDE_s(i, j) ((uint64_t)((int64_t)IN_s32(i) * IN_s32(j)))

VALUE16(mul_hi_u16, ((uint32_t)IN_u16(0) * IN_u16(1)) >> 16)
VALUE16(mul_hi_s16, (uint32_t)(IN_s16(0) * IN_s16(1)) >> 16)
VALUE32(mul_hi_u32, WIDE_u(0, 1) >> 32)
VALUE32(mul_hi_s32, WIDE_s(0, 1) >> 32)
VALUE64(mul_hi_u64, high_u64(IN_u64(0), IN_u64(1)))
VALUE64(mul_hi_s64, high_s64(IN_s64(0), IN_s64(1)))
VALUE16(mad_hi_u16, (((uint32_t)IN_u16(0) * IN_u16(1)) >> 16) + IN_u16(2))
VALUE16(mad_hi_s16,
	((uint32_t)(IN_s16(0) * IN_s16(1)) >> 16) + (uint32_t)IN_u16(2))
VALUE32(mad_hi_u32, (WIDE_u(0, 1) >> 32) + IN_u32(2))
VALUE32(mad_hi_s32, (WIDE_s(0, 1) >> 32) + IN_u32(2))
VALUE64(mad_hi_u64, high_u64(IN_u64(0), IN_u64(1)) + IN_u64(2))
VALUE64(mad_hi_s64, high_s64(IN_s64(0), IN_s64(1)) + IN_u64(2))
VALUE32(mul_wide_u16, (uint32_t)IN_u16(0) * IN_u16(1))
VALUE32(mul_wide_s16, IN_s16(0) * IN_s16(1))
VALUE64(mul_wide_u32, WIDE_u(0, 1))
VALUE64(mul_wide_s32, WIDE_s(0, 1))
VALUE32(mad_wide_u16, (uint32_t)IN_u16(0) * IN_u16(1) + IN_u32(2))
VALUE32(mad_wide_s16, (uint32_t)(IN_s16(0) * IN_s16(1)) + IN_u32(2))
VALUE64(mad_wide_u32, WIDE_u(0, 1) + IN_u64(2))
VALUE64(mad_wide_s32, WIDE_s(0, 1) + IN_u64(2))

static const value_fn mul_hi[TYPES] = {
	mul_hi_u16, mul_hi_s16, mul_hi_u32, mul_hi_s32, mul_hi_u64, mul_hi_s64};
static const value_fn mad_hi[TYPES] = {
	mad_hi_u16, mad_hi_s16, mad_hi_u32, mad_hi_s32, mad_hi_u64, mad_hi_s64};
static const value_fn mul_wide[TYPES] = {
	mul_wide_u16, mul_wide_s16, mul_wide_u32, mul_wide_s32, NULL, NULL};
static const value_fn mad_wide[TYPES] = {
	mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32, NULL, NULL};

/* 24 bits of each, of the product the lower or the upper 32 of 48. */
#define BITS24_u(i)  (IN_u32(i) & 0xffffffu)
#define BITS24_s(i)  ((int32_t)(IN_u32(i) << 8) >> 8)
#define PRODUCT24(K) ((uint64_t)((int64_t)BITS24_##K(0) * BITS24_##K(1)))

VALUE32(mul24_lo_u32, PRODUCT24(u))
VALUE32(mul24_lo_s32, PRODUCT24(s))
VALUE32(mul24_hi_u32, PRODUCT24(u) >> 16)
VALUE32(mul24_hi_s32, PRODUCT24(s) >> 16)
VALUE32(mad24_lo_u32, PRODUCT24(u) + IN_u32(2))
VALUE32(mad24_lo_s32, PRODUCT24(s) + IN_u32(2))
VALUE32(mad24_hi_u32, (PRODUCT24(u) >> 16) + IN_u32(2))
VALUE32(mad24_hi_s32, (PRODUCT24(s) >> 16) + IN_u32(2))

/* ---- saturation ---- */

static int32_t saturated(int64_t value)
{
	return value > INT32_MAX   ? INT32_MAX
	       : value < INT32_MIN ? INT32_MIN
				   : (int32_t)value;
}

VALUE32(add_sat_s32, saturated((int64_t)IN_s32(0) + IN_s32(1)))
VALUE32(sub_sat_s32, saturated((int64_t)IN_s32(0) - IN_s32(1)))
VALUE32(mad_hi_sat_s32,
	saturated((int64_t)(int32_t)(WIDE_s(0, 1) >> 32) + IN_s32(2)))
VALUE32(mad24_hi_sat_s32,
	saturated((int64_t)(int32_t)(PRODUCT24(s) >> 16) + IN_s32(2)))

/* .relu: what is negative becomes 0. */
#define NO_LESS(x) ((x) > 0 ? (x) : 0)

VALUE32(min_relu_s32, NO_LESS(MIN(s32, )))
VALUE32(max_relu_s32, NO_LESS(MAX(s32, )))

/* ---- the carry ---- */

/* a + b + carry in; with .cc the carry out is kept. A difference is a sum with
   the complement, and its carry says that nothing was borrowed. */
static void add_with_carry(const struct value *v, bool is_wide, bool negates,
	bool takes, uint32_t first_carry)
{
	uint32_t carry = takes ? *v->carry : first_carry, out = 0;
	uint64_t r[LANES];
	uint32_t narrow[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++) {
		uint64_t a = is_wide ? IN_u64(0) : IN_u32(0);
		uint64_t b = is_wide ? IN_u64(1) : IN_u32(1);
		unsigned __int128 sum;

		if (negates)
			b = is_wide ? ~b : (uint32_t)~b;
		sum = (unsigned __int128)a + b + (carry >> l & 1);
		r[l] = (uint64_t)sum;
		narrow[l] = (uint32_t)sum;
		out |= (uint32_t)((sum >> (is_wide ? 64 : 32)) & 1) << l;
	}
	if (is_wide)
		value_put64(v, r);
	else
		value_put32(v, narrow);
	if (v->insn->word[PTX_CLASS_CC])
		*v->carry = (*v->carry & ~v->mask) | (out & v->mask);
}

static bool is_wide(const struct value *v)
{
	return ptx_types[v->insn->type].bytes == 8;
}

static void add_cc(const struct value *v)
{
	add_with_carry(v, is_wide(v), false, false, 0);
}

static void addc(const struct value *v)
{
	add_with_carry(v, is_wide(v), false, true, 0);
}

static void sub_cc(const struct value *v)
{
	add_with_carry(v, is_wide(v), true, false, UINT32_MAX);
}

static void subc(const struct value *v)
{
	add_with_carry(v, is_wide(v), true, true, 0);
}

/* The product's half, then the sum. */
static void mad_carry(const struct value *v, bool takes)
{
	struct value sum = *v;
	bool high = v->insn->word[PTX_CLASS_MODE] == PTXW_MODE_hi;
	uint64_t wide[LANES];
	uint32_t narrow[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++) {
		bool is_signed = ptx_types[v->insn->type].kind == 's';
		uint64_t low;

		if (is_wide(v)) {
			wide[l] = !high       ? IN_u64(0) * IN_u64(1)
				  : is_signed ? high_s64(IN_s64(0), IN_s64(1))
					      : high_u64(IN_u64(0), IN_u64(1));
			continue;
		}
		low = is_signed ? WIDE_s(0, 1) : WIDE_u(0, 1);
		narrow[l] = (uint32_t)(high ? low >> 32 : low);
	}
	sum.s[0] = is_wide(v) ? (const void *)wide : (const void *)narrow;
	sum.s[1] = v->s[2];
	add_with_carry(&sum, is_wide(v), false, takes, 0);
}

static void mad_cc(const struct value *v)
{
	mad_carry(v, false);
}

static void madc(const struct value *v)
{
	mad_carry(v, true);
}

/* ---- four products of bytes ---- */

static void dp4a(const struct value *v)
{
	bool sa = ptx_types[v->insn->type].kind == 's';
	bool sb = ptx_types[v->insn->from].kind == 's';
	uint32_t r[LANES];
	unsigned l, i;

	for (l = 0; l < LANES; l++) {
		r[l] = IN_u32(2);
		for (i = 0; i < 32; i += 8) {
			uint32_t a = IN_u32(0) >> i & 255;
			uint32_t b = IN_u32(1) >> i & 255;

			r[l] += (uint32_t)((sa ? (int8_t)a : (int32_t)a) *
					   (sb ? (int8_t)b : (int32_t)b));
		}
	}
	value_put32(v, r);
}

/* ---- which ---- */

static value_fn by_mode(const struct ptx_insn *insn, int type,
	const value_fn *lo, const value_fn *hi, const value_fn *wide)
{
	switch (insn->word[PTX_CLASS_MODE]) {
	case PTXW_MODE_lo:
		return lo[type];
	case PTXW_MODE_hi:
		return hi[type];
	case PTXW_MODE_wide:
		return wide[type];
	default:
		return NULL;
	}
}

/* .sat stands with .hi.s32 alone. */
static value_fn if_saturates(const struct ptx_insn *insn, value_fn function)
{
	return insn->type == PTX_s32 &&
			       insn->word[PTX_CLASS_MODE] == PTXW_MODE_hi
		       ? function
		       : NULL;
}

static value_fn by_24(const struct ptx_insn *insn, bool adds)
{
	static const value_fn functions[2][2][2] = {
		{{mul24_lo_u32, mul24_lo_s32}, {mul24_hi_u32, mul24_hi_s32}},
		{{mad24_lo_u32, mad24_lo_s32}, {mad24_hi_u32, mad24_hi_s32}},
	};
	bool high = insn->word[PTX_CLASS_MODE] == PTXW_MODE_hi;

	return functions[adds][high][insn->type == PTX_s32];
}

static value_fn sum(const struct ptx_insn *insn, int type, const value_fn *fns,
	value_fn saturating, value_fn carrying)
{
	if (insn->word[PTX_CLASS_CC])
		return carrying;
	if (insn->word[PTX_CLASS_SAT])
		return insn->type == PTX_s32 ? saturating : NULL;
	return fns[type];
}

value_fn value_integer(const struct ptx_insn *insn)
{
	int type = type_index(insn->type);

	if (type < 0)
		return NULL;
	switch (insn->op) {
	case PTXO_ADD:
		return sum(insn, type, add, add_sat_s32, add_cc);
	case PTXO_SUB:
		return sum(insn, type, sub, sub_sat_s32, sub_cc);
	case PTXO_ADDC:
		return addc;
	case PTXO_SUBC:
		return subc;
	case PTXO_MUL:
		return by_mode(insn, type, mul_lo, mul_hi, mul_wide);
	case PTXO_MAD:
		if (insn->word[PTX_CLASS_CC])
			return mad_cc;
		if (insn->word[PTX_CLASS_SAT])
			return if_saturates(insn, mad_hi_sat_s32);
		return by_mode(insn, type, mad_lo, mad_hi, mad_wide);
	case PTXO_MADC:
		return madc;
	case PTXO_MUL24:
		return by_24(insn, false);
	case PTXO_MAD24:
		if (insn->word[PTX_CLASS_SAT])
			return if_saturates(insn, mad24_hi_sat_s32);
		return by_24(insn, true);
	case PTXO_DIV:
		return quotient[type];
	case PTXO_REM:
		return remainder_of[type];
	case PTXO_SAD:
		return sad[type];
	case PTXO_ABS:
		return absolute[type];
	case PTXO_NEG:
		return neg[type];
	case PTXO_MIN:
		return insn->word[PTX_CLASS_RELU] ? min_relu_s32 : min[type];
	case PTXO_MAX:
		return insn->word[PTX_CLASS_RELU] ? max_relu_s32 : max[type];
	case PTXO_DP4A:
		return dp4a;
	default:
		return NULL;
	}
}
