/* tf32, pairs of reals of 8 bits, and pairs of narrow integers. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backend_sim/values/value.h"

#define INFINITE 0x7f800000u

static bool is_none(uint32_t bits)
{
	return (bits & 0x7fffffffu) > INFINITE;
}

/* ---- tf32: an f32 with 10 bits of fraction; the others are 0 ---- */

#define TF32_REST 0x1fffu /* bits that are left out */

/* .rna looks at no more than bits: what is no number is rounded as others are,
   and what is not finite loses a step where it must be. From an H200. */
static uint32_t tf32_away(uint32_t x, bool finite)
{
	const uint32_t kept = (x + 0x1000u) & ~TF32_REST;

	return finite && (kept & INFINITE) == INFINITE ? kept - 0x2000u : kept;
}

static uint32_t tf32_of(const struct ptx_insn *insn, uint32_t x)
{
	const uint32_t middle = 0x1000u, rest = x & TF32_REST;
	const uint8_t mode = insn->word[PTX_CLASS_ROUND];
	const uint32_t kept = x & ~TF32_REST;

	if (mode == PTXW_ROUND_rna)
		return tf32_away(x, insn->word[PTX_CLASS_FINITE] != 0);
	if (is_none(x))
		return 0x7fffffffu & ~TF32_REST;
	if (insn->word[PTX_CLASS_RELU] && x >> 31)
		return 0;
	if (mode == PTXW_ROUND_rn &&
		(rest > middle || (rest == middle && kept & 0x2000u)))
		return kept + 0x2000u;
	return kept;
}

VALUE32(tf32, tf32_of(v->insn, IN_u32(0)))

/* ---- e4m3 and e5m2 ---- */

struct eighth {
	unsigned fraction; /* bits of it */
	int least;         /* exponent of a number with a full fraction */
	uint8_t greatest;  /* number */
	uint8_t none;
};

static const struct eighth e4m3 = {3, -6, 0x7e, 0x7f};
static const struct eighth e5m2 = {2, -14, 0x7b, 0x7f};

/* To the nearest, of two as near the even one; what is greater than the
   greatest becomes that. */
static uint8_t eighth_of(const struct eighth *f, double x, bool relu)
{
	const uint8_t sign = signbit(x) ? 0x80 : 0;
	const double size = fabs(x);
	int exponent;
	double steps;

	if (x != x)
		return f->none;
	if (relu && sign)
		return 0;
	if (!(size > 0))
		return sign;
	if (isinf(size))
		return sign | f->greatest;
	frexp(size, &exponent);
	exponent = exponent - 1 < f->least ? f->least : exponent - 1;
	/* In units of the last place, the exponent's steps above. */
	steps = nearbyint(ldexp(size, (int)f->fraction - exponent)) +
		ldexp(exponent - f->least, (int)f->fraction);
	return sign | (uint8_t)(steps < f->greatest ? steps : f->greatest);
}

static double value_of_eighth(const struct eighth *f, uint8_t bits)
{
	const unsigned exponent = (bits & 0x7fu) >> f->fraction;
	const unsigned fraction = bits & ((1u << f->fraction) - 1);
	double size;

	if ((bits & 0x7f) > f->greatest)
		size = f == &e5m2 && (bits & 0x7f) == 0x7c ? INFINITY : NAN;
	else if (!exponent)
		size = ldexp(fraction, f->least - (int)f->fraction);
	else
		size = ldexp((1u << f->fraction) + fraction,
			f->least - (int)f->fraction + (int)exponent - 1);
	return bits & 0x80 ? -size : size;
}

static const struct eighth *format_of(uint8_t type)
{
	return type == PTX_e4m3x2 ? &e4m3 : &e5m2;
}

static uint32_t eighths(const struct ptx_insn *insn, double upper, double lower)
{
	const struct eighth *f = format_of(insn->type);
	const bool relu = insn->word[PTX_CLASS_RELU] != 0;

	return (uint32_t)eighth_of(f, upper, relu) << 8 |
	       eighth_of(f, lower, relu);
}

static uint32_t halves(const struct ptx_insn *insn, uint32_t x)
{
	const struct eighth *f = format_of(insn->from);
	uint32_t result = 0, i;

	for (i = 0; i < 2; i++) {
		const double value =
			value_of_eighth(f, (uint8_t)(x >> (8 * i)));
		uint32_t bits = narrow_bits(PTX_f16, value, FE_TONEAREST);

		if (insn->word[PTX_CLASS_RELU] && value == value &&
			bits & 0x8000u)
			bits = 0;
		result |= bits << (16 * i);
	}
	return result;
}

VALUE16(eighths_of_two, eighths(v->insn, IN_f32(0), IN_f32(1)))
VALUE16(eighths_of_halves,
	eighths(v->insn, narrow_value(PTX_f16, (uint16_t)(IN_u32(0) >> 16)),
		narrow_value(PTX_f16, IN_u16(0))))
VALUE32(halves_of_eighths, halves(v->insn, IN_u16(0)))

static bool is_eighth(uint8_t type)
{
	return type == PTX_e4m3x2 || type == PTX_e5m2x2;
}

/* Rounded to the nearest and kept finite, as they must be. */
static bool narrows(const struct ptx_insn *insn)
{
	return insn->word[PTX_CLASS_ROUND] == PTXW_ROUND_rn &&
	       insn->word[PTX_CLASS_FINITE] && !insn->word[PTX_CLASS_SAT] &&
	       !insn->word[PTX_CLASS_FTZ];
}

static bool is_tf32(const struct ptx_insn *insn)
{
	const uint8_t *word = insn->word;
	const bool away = word[PTX_CLASS_ROUND] == PTXW_ROUND_rna;

	return insn->from == PTX_f32 && !word[PTX_CLASS_SAT] &&
	       !word[PTX_CLASS_FTZ] &&
	       (away || word[PTX_CLASS_ROUND] == PTXW_ROUND_rn ||
		       word[PTX_CLASS_ROUND] == PTXW_ROUND_rz) &&
	       !(away ? word[PTX_CLASS_RELU] : word[PTX_CLASS_FINITE]);
}

static value_fn conversion(const struct ptx_insn *insn)
{
	if (insn->type == PTX_tf32)
		return is_tf32(insn) ? tf32 : NULL;
	if (is_eighth(insn->type) && narrows(insn))
		return insn->from == PTX_f32     ? eighths_of_two
		       : insn->from == PTX_f16x2 ? eighths_of_halves
						 : NULL;
	if (is_eighth(insn->from) && insn->type == PTX_f16x2 &&
		insn->word[PTX_CLASS_ROUND] == PTXW_ROUND_rn &&
		!insn->word[PTX_CLASS_FINITE] && !insn->word[PTX_CLASS_SAT] &&
		!insn->word[PTX_CLASS_FTZ])
		return halves_of_eighths;
	return NULL;
}

/* ---- cvt.pack ---- */

/* The nearest number of so many bits. */
static uint32_t saturated(int32_t x, unsigned bits, bool is_signed)
{
	const int32_t most = (int32_t)((1u << (bits - is_signed)) - 1);
	const int32_t least = is_signed ? -most - 1 : 0;

	x = x < least ? least : x > most ? most : x;
	return (uint32_t)x & ((1u << bits) - 1);
}

static uint32_t packed(const struct value *v, unsigned l, unsigned bits)
{
	const uint8_t op = v->insn->op;
	const bool is_signed = op == PTXO_PACK_S16 || op == PTXO_PACK_S8 ||
			       op == PTXO_PACK_S4 || op == PTXO_PACK_S2;
	const uint32_t two = saturated(IN_s32(0), bits, is_signed) << bits |
			     saturated(IN_s32(1), bits, is_signed);

	return bits == 16 ? two : two | IN_u32(2) << (2 * bits);
}

VALUE32(pack16, packed(v, l, 16))
VALUE32(pack8, packed(v, l, 8))
VALUE32(pack4, packed(v, l, 4))
VALUE32(pack2, packed(v, l, 2))

value_fn value_small(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_CVT:
		return conversion(insn);
	case PTXO_PACK_U16:
	case PTXO_PACK_S16:
		return pack16;
	case PTXO_PACK_U8:
	case PTXO_PACK_S8:
		return pack8;
	case PTXO_PACK_U4:
	case PTXO_PACK_S4:
		return pack4;
	case PTXO_PACK_U2:
	case PTXO_PACK_S2:
		return pack2;
	default:
		return NULL;
	}
}
