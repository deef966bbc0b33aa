/* Reals of 16 bits, f16 and bf16, and two of them in 32 bits. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backend_sim/values/unit.h"
#include "backend_sim/values/value.h"

#define NO_NUMBER 0x7fffu

/* What is out of bounds, but for the sign: of .oob alone a value of its own. */
#define OUT_OF_BOUNDS 0x7ff7u

struct format {
	unsigned fraction; /* bits of it */
	int least;         /* exponent of a number with a full fraction */
	uint16_t infinity;
};

static const struct format half = {10, -14, 0x7c00};
static const struct format brain = {7, -126, 0x7f80};

static bool is_brain(uint8_t type)
{
	return type == PTX_bf16 || type == PTX_bf16x2;
}

static const struct format *format_of(uint8_t type)
{
	return is_brain(type) ? &brain : &half;
}

double narrow_value(uint8_t type, uint16_t bits)
{
	/* An f16 as an f32 has an exponent that is 112 less. */
	uint32_t wide = is_brain(type) ? (uint32_t)bits << 16
				       : (uint32_t)(bits & 0x7fff) << 13;
	float value;
	double result;

	memcpy(&value, &wide, sizeof(value));
	if (is_brain(type))
		return value;
	result = (bits & half.infinity) != half.infinity ? value * 0x1p112
		 : bits & 1023                           ? NAN
							 : INFINITY;
	return bits & 0x8000 ? -result : result;
}

/* Whether what does not fit becomes infinite; otherwise the greatest number. */
static bool overflows(bool negative, int rounding)
{
	return rounding == FE_TONEAREST ||
	       rounding == (negative ? FE_DOWNWARD : FE_UPWARD);
}

static bool rounds_up(
	uint64_t kept, uint64_t rest, uint64_t middle, bool negative, int mode)
{
	if (mode == FE_TONEAREST)
		return rest > middle || (rest == middle && kept & 1);
	return rest && mode == (negative ? FE_DOWNWARD : FE_UPWARD);
}

uint16_t narrow_bits(uint8_t type, double value, int rounding)
{
	const struct format *f = format_of(type);
	unsigned shift = 52 - f->fraction;
	uint64_t bits, fraction, kept;
	int exponent;
	bool negative;

	memcpy(&bits, &value, sizeof(bits));
	negative = bits >> 63;
	exponent = (int)(bits >> 52 & 2047) - 1023;
	fraction = bits & ((UINT64_C(1) << 52) - 1);
	if (value != value)
		return NO_NUMBER;
	if (exponent == 1024)
		return (uint16_t)(negative << 15 | f->infinity);
	if (exponent > -1023)
		fraction |= UINT64_C(1) << 52;
	if (exponent < f->least)
		shift += (unsigned)(f->least - exponent);
	shift = shift < 63 ? shift : 63;
	kept = fraction >> shift;
	kept += rounds_up(kept, fraction & ((UINT64_C(1) << shift) - 1),
		UINT64_C(1) << (shift - 1), negative, rounding);
	if (exponent > f->least)
		kept += (uint64_t)(exponent - f->least) << f->fraction;
	if (kept >= f->infinity)
		kept = f->infinity - !overflows(negative, rounding);
	return (uint16_t)(negative << 15 | kept);
}

/* ---- arithmetic ---- */

double value_sum(double a, double b)
{
	double s = a + b, back = s - a;
	double rest = (a - (s - back)) + (b - back);
	uint64_t bits;

	if (!(rest < 0 || rest > 0))
		return s;
	memcpy(&bits, &s, sizeof(bits));
	if (!(bits & 1))
		bits += (rest < 0) == (s < 0) ? 1 : UINT64_MAX;
	memcpy(&s, &bits, sizeof(s));
	return s;
}

static double operate(uint8_t op, double a, double b, double c)
{
	switch (op) {
	case PTXO_ADD:
		return value_sum(a, b);
	case PTXO_SUB:
		return value_sum(a, -b);
	case PTXO_MUL:
		return a * b;
	case PTXO_FMA:
		return value_sum(a * b, c);
	default:
		return tanh(a);
	}
}

/* What has no exponent of its own becomes 0. */
static uint16_t flushed(const struct format *f, uint16_t bits)
{
	return bits & f->infinity ? bits : bits & 0x8000;
}

static bool is_none(const struct format *f, uint16_t bits)
{
	return (bits & 0x7fff) > f->infinity;
}

/* As a whole number that is ordered as the reals are, -0 before +0. */
static int order(uint16_t bits)
{
	return bits & 0x8000 ? -(int)(bits & 0x7fff) - 1 : bits;
}

/* min and max. */
static uint16_t chosen(const struct ptx_insn *insn, const struct format *f,
	uint16_t a, uint16_t b)
{
	bool by_size = insn->word[PTX_CLASS_XORSIGN] != 0;
	uint16_t sign = by_size ? (a ^ b) & 0x8000 : 0;
	bool none_a = is_none(f, a), none_b = is_none(f, b);

	if (by_size) {
		a &= 0x7fff;
		b &= 0x7fff;
	}
	if ((none_a && none_b) ||
		((none_a || none_b) && insn->word[PTX_CLASS_NAN]))
		return NO_NUMBER;
	if (none_a || none_b)
		return sign | (none_a ? b : a);
	return sign | ((insn->op == PTXO_MIN) == (order(a) < order(b)) ? a : b);
}

uint16_t narrow_bound(uint8_t type, uint16_t a, uint16_t b, bool least)
{
	const struct ptx_insn insn = {
		.op = least ? PTXO_MIN : PTXO_MAX, .type = type};

	return chosen(&insn, format_of(type), a, b);
}

static uint16_t bounded(const struct ptx_insn *insn, double x)
{
	if (insn->word[PTX_CLASS_SAT])
		x = x > 1 ? 1 : x > 0 ? x : 0;
	if (insn->word[PTX_CLASS_RELU] && x <= 0)
		x = 0;
	return narrow_bits(insn->type, x, FE_TONEAREST);
}

/* A product with what is out of bounds is 0, and so is its sum with anything:
   what an H200 makes of all f16 and bf16 as each operand. */
static bool is_out(const struct ptx_insn *insn, uint16_t a, uint16_t b)
{
	return insn->word[PTX_CLASS_BOUND] &&
	       ((a & 0x7fff) == OUT_OF_BOUNDS || (b & 0x7fff) == OUT_OF_BOUNDS);
}

/* 2^a, cut off; what is too large is infinite. */
static uint16_t power(const struct ptx_insn *insn, uint16_t a)
{
	const struct format *f = format_of(insn->type);
	float x = (float)narrow_value(insn->type, a);
	uint32_t bits;
	uint16_t result;

	memcpy(&bits, &x, sizeof(bits));
	bits = unit_ex2(bits);
	memcpy(&x, &bits, sizeof(x));
	if (f == &half && x >= 0x1p16f)
		return f->infinity;
	result = narrow_bits(insn->type, x, FE_TOWARDZERO);
	return insn->word[PTX_CLASS_FTZ] ? flushed(f, result) : result;
}

static uint16_t one_lane(
	const struct ptx_insn *insn, uint16_t a, uint16_t b, uint16_t c)
{
	const struct format *f = format_of(insn->type);
	bool flushes = insn->word[PTX_CLASS_FTZ] != 0;
	double x;

	if (is_out(insn, a, b))
		return 0;
	if (flushes) {
		a = flushed(f, a);
		b = flushed(f, b);
		c = flushed(f, c);
	}
	switch (insn->op) {
	case PTXO_MIN:
	case PTXO_MAX:
		return chosen(insn, f, a, b);
	case PTXO_ABS:
		return is_none(f, a) ? NO_NUMBER : a & 0x7fff;
	case PTXO_NEG:
		return is_none(f, a) ? NO_NUMBER : a ^ 0x8000;
	case PTXO_EX2:
		return power(insn, a);
	default:
		break;
	}
	x = operate(insn->op, narrow_value(insn->type, a),
		narrow_value(insn->type, b), narrow_value(insn->type, c));
	/* Before it is rounded. */
	if (flushes && fabs(x) < ldexp(1, f->least))
		x = copysign(0, x);
	return bounded(insn, x);
}

static void one(const struct value *v)
{
	uint32_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++)
		r[l] = one_lane(v->insn, IN_u16(0), v->s[1] ? IN_u16(1) : 0,
			v->s[2] ? IN_u16(2) : 0);
	value_put32(v, r);
}

static void two(const struct value *v)
{
	uint32_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++) {
		uint32_t a = IN_u32(0), b = v->s[1] ? IN_u32(1) : 0;
		uint32_t c = v->s[2] ? IN_u32(2) : 0;

		r[l] = one_lane(
			       v->insn, (uint16_t)a, (uint16_t)b, (uint16_t)c) |
		       (uint32_t)one_lane(v->insn, (uint16_t)(a >> 16),
			       (uint16_t)(b >> 16), (uint16_t)(c >> 16))
			       << 16;
	}
	value_put32(v, r);
}

value_fn value_half(const struct ptx_insn *insn)
{
	/* The assembler takes fma.rz.bf16, too, and makes fma.rn.f16 of it. */
	if (value_rounding(insn) != FE_TONEAREST)
		return NULL;
	switch (insn->op) {
	case PTXO_ADD:
	case PTXO_SUB:
	case PTXO_MUL:
	case PTXO_FMA:
	case PTXO_MIN:
	case PTXO_MAX:
	case PTXO_ABS:
	case PTXO_NEG:
	case PTXO_EX2:
	case PTXO_TANH:
		break;
	default:
		return NULL;
	}
	switch (insn->type) {
	case PTX_f16:
	case PTX_bf16:
		return one;
	case PTX_f16x2:
	case PTX_bf16x2:
		return two;
	default:
		return NULL;
	}
}
