/* Half precision: f16, and two of them in 32 bits. */
#include <math.h>
#include <string.h>

#include "backend_sim/values/value.h"

double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, value;

	if (exponent == 31)
		value = fraction != 0 ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(fraction + 1024, exponent - 25);
	else
		value = ldexp(fraction, -24);
	return bits & 0x8000 ? -value : value;
}

uint16_t half_bits(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs(value), scaled;
	int exponent;

	if (value != value)
		return 0x7fff;
	if (magnitude >= 65520)
		return sign | 0x7c00;
	if (magnitude < ldexp(1, -14))
		return sign | (uint16_t)nearbyint(ldexp(magnitude, 24));
	frexp(magnitude, &exponent);
	scaled = nearbyint(ldexp(magnitude, 11 - exponent));
	return sign |
	       (uint16_t)(((exponent + 14) << 10) + (int)(scaled - 1024));
}

static double operate(uint8_t op, double a, double b, double c)
{
	switch (op) {
	case PTXO_ADD:
		return a + b;
	case PTXO_SUB:
		return a - b;
	case PTXO_MUL:
		return a * b;
	case PTXO_FMA:
		return fma(a, b, c);
	case PTXO_MIN:
		return a != a || b < a ? b : a;
	case PTXO_MAX:
		return a != a || b > a ? b : a;
	case PTXO_ABS:
		return fabs(a);
	default:
		return -a;
	}
}

static uint16_t half_lane(
	const struct ptx_insn *insn, uint16_t a, uint16_t b, uint16_t c)
{
	double result =
		operate(insn->op, half_value(a), half_value(b), half_value(c));

	if (insn->word[PTX_CLASS_SAT])
		result = result > 1 ? 1 : result > 0 ? result : 0;
	return half_bits(result);
}

static void half(const struct value *v)
{
	uint32_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++)
		r[l] = half_lane(v->insn, IN_u16(0), v->s[1] ? IN_u16(1) : 0,
			v->s[2] ? IN_u16(2) : 0);
	value_put32(v, r);
}

static void half_two(const struct value *v)
{
	uint32_t r[LANES];
	unsigned l;

	for (l = 0; l < LANES; l++) {
		uint32_t a = IN_u32(0), b = v->s[1] ? IN_u32(1) : 0;
		uint32_t c = v->s[2] ? IN_u32(2) : 0;

		r[l] = half_lane(
			       v->insn, (uint16_t)a, (uint16_t)b, (uint16_t)c) |
		       (uint32_t)half_lane(v->insn, (uint16_t)(a >> 16),
			       (uint16_t)(b >> 16), (uint16_t)(c >> 16))
			       << 16;
	}
	value_put32(v, r);
}

value_fn value_half(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_ADD:
	case PTXO_SUB:
	case PTXO_MUL:
	case PTXO_FMA:
	case PTXO_MIN:
	case PTXO_MAX:
	case PTXO_ABS:
	case PTXO_NEG:
		return insn->type == PTX_f16     ? half
		       : insn->type == PTX_f16x2 ? half_two
						 : NULL;
	default:
		return NULL;
	}
}
