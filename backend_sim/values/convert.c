/* Conversions. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backend_sim/values/value.h"

/* ---- those that most kernels have, a loop each ---- */

VALUE64(u64_of_u32, IN_u32(0))
VALUE64(s64_of_s32, IN_s32(0))
VALUE32(b32_of_b64, IN_u64(0))
VALUE32(b32_of_u16, IN_u16(0))
VALUE32(s32_of_s16, IN_s16(0))
VALUE16(b16_of_b32, IN_u32(0))
VALUE16(b16_of_b64, IN_u64(0))

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static uint64_t bits_of_double(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

VALUE32(f32_of_s32, bits_of((float)IN_s32(0)))
VALUE32(f32_of_u32, bits_of((float)IN_u32(0)))
VALUE64(f64_of_f32, bits_of_double((double)IN_f32(0)))
VALUE64(f64_of_s32, bits_of_double((double)IN_s32(0)))

static const struct {
	uint8_t to, from;
	bool rounds; /* with .rn; else without a rounding */
	value_fn function;
} quick[] = {
	{PTX_u64, PTX_u32, false, u64_of_u32},
	{PTX_s64, PTX_u32, false, u64_of_u32},
	{PTX_b64, PTX_b32, false, u64_of_u32},
	{PTX_s64, PTX_s32, false, s64_of_s32},
	{PTX_u64, PTX_s32, false, s64_of_s32},
	{PTX_u32, PTX_u64, false, b32_of_b64},
	{PTX_s32, PTX_u64, false, b32_of_b64},
	{PTX_u32, PTX_s64, false, b32_of_b64},
	{PTX_s32, PTX_s64, false, b32_of_b64},
	{PTX_u32, PTX_u16, false, b32_of_u16},
	{PTX_s32, PTX_u16, false, b32_of_u16},
	{PTX_s32, PTX_s16, false, s32_of_s16},
	{PTX_u16, PTX_u32, false, b16_of_b32},
	{PTX_u16, PTX_s32, false, b16_of_b32},
	{PTX_s16, PTX_s32, false, b16_of_b32},
	{PTX_u16, PTX_u64, false, b16_of_b64},
	{PTX_f32, PTX_s32, true, f32_of_s32},
	{PTX_f32, PTX_u32, true, f32_of_u32},
	{PTX_f64, PTX_f32, false, f64_of_f32},
	{PTX_f64, PTX_s32, true, f64_of_s32},
};

/* ---- all of them, lane by lane ---- */

static bool is_narrow(uint8_t type)
{
	return type == PTX_f16 || type == PTX_bf16;
}

static unsigned width(uint8_t type)
{
	return ptx_types[type].bytes * 8u;
}

/* An integer of `bits` as 64 bits. */
static uint64_t extended(uint64_t x, unsigned bits, bool is_signed)
{
	if (bits == 64)
		return x;
	x &= (UINT64_C(1) << bits) - 1;
	return is_signed && x >> (bits - 1) & 1 ? x | UINT64_MAX << bits : x;
}

/* ---- what is no number ---- */

#define NONE        UINT64_C(0x7ff8000000000000) /* and quiet */
#define FRACTION    UINT64_C(0x000fffffffffffff)
#define NONE_SINGLE 0x7fffffffu
#define NONE_NARROW 0x7fffu

/* As an f64 has it, which keeps what it says. */
static uint64_t none_of(uint64_t bits, uint8_t type, bool flushes)
{
	uint64_t sign = bits >> (width(type) - 1) << 63;

	switch (type) {
	case PTX_f16:
		return sign | NONE | (bits & 0x3ff) << 42;
	case PTX_bf16:
		return sign | NONE | (bits & 0x7f) << 45;
	case PTX_f32:
		if (flushes)
			return 0x7fffffffe0000000u;
		return sign | NONE | (bits & 0x7fffff) << 29;
	default:
		return bits | NONE;
	}
}

/* As a narrower type has it: what an f64 says, but nothing else does. */
static uint64_t none_as(uint64_t none, const struct ptx_insn *insn)
{
	uint64_t sign = none >> 63, fraction = none & FRACTION;
	bool keeps = insn->from == PTX_f64;

	switch (insn->type) {
	case PTX_f16:
		return keeps ? sign << 15 | 0x7c00 | fraction >> 42
			     : NONE_NARROW;
	case PTX_bf16:
		return keeps ? sign << 15 | 0x7f80 | fraction >> 45
			     : NONE_NARROW;
	case PTX_f32:
		return keeps ? sign << 31 | 0x7f800000u | fraction >> 29
			     : NONE_SINGLE;
	default:
		return none;
	}
}

/* ---- from and to reals ---- */

static double real_of(uint64_t bits, uint8_t type)
{
	float single;
	uint32_t narrow = (uint32_t)bits;
	double value;

	if (is_narrow(type))
		return narrow_value(type, (uint16_t)bits);
	if (type == PTX_f32) {
		memcpy(&single, &narrow, sizeof(single));
		return single;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double rounded(double x, uint8_t mode)
{
	switch (mode) {
	case PTXW_ROUND_rni:
		return nearbyint(x);
	case PTXW_ROUND_rzi:
		return trunc(x);
	case PTXW_ROUND_rmi:
		return floor(x);
	case PTXW_ROUND_rpi:
		return ceil(x);
	default:
		return x;
	}
}

/* To an integer: what does not fit becomes the nearest that does, and what is
   no number 0, or the highest bit if either type has 64. */
static uint64_t integer_of_real(double x, const struct ptx_insn *insn)
{
	bool is_signed = ptx_types[insn->type].kind == 's';
	unsigned bits = width(insn->type);
	double most = ldexp(1, (int)bits - is_signed);

	if (x != x)
		return bits == 64 || insn->from == PTX_f64
			       ? UINT64_C(1) << (bits - 1)
			       : 0;
	if (x >= most)
		return is_signed    ? (UINT64_C(1) << (bits - 1)) - 1
		       : bits == 64 ? UINT64_MAX
				    : (UINT64_C(1) << bits) - 1;
	if (is_signed)
		return x < -most ? UINT64_C(1) << (bits - 1)
				 : (uint64_t)(int64_t)x;
	return x < 0 ? 0 : (uint64_t)x;
}

static uint64_t integer_of_integer(
	uint64_t x, const struct ptx_insn *insn, bool was_signed)
{
	bool is_signed = ptx_types[insn->type].kind == 's';
	unsigned bits = width(insn->type);
	uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;

	if (!insn->word[PTX_CLASS_SAT])
		return x;
	if (!is_signed)
		most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	if (was_signed && (int64_t)x < 0) {
		if (!is_signed)
			return 0;
		return (int64_t)x < -(int64_t)most - 1 ? most + 1 : x;
	}
	return x > most ? most : x;
}

static uint64_t bits_of_real(double x, const struct ptx_insn *insn)
{
	uint64_t result;

	if (is_narrow(insn->type)) {
		result = narrow_bits(insn->type, x, value_rounding(insn));
		/* The greatest number instead of an infinite one. */
		if (insn->word[PTX_CLASS_FINITE] &&
			isinf(real_of(result, insn->type)))
			result--;
		return result;
	}
	return insn->type == PTX_f64 ? bits_of_double(x) : bits_of((float)x);
}

/* Rounded once: of 64 bits the lowest stand for those that are left out. */
static double magnitude(uint64_t x)
{
	return x >> 53 ? ldexp((double)(x >> 11 | ((x & 2047) != 0)), 11)
		       : (double)x;
}

static uint64_t real_of_integer(
	uint64_t x, const struct ptx_insn *insn, bool was_signed)
{
	bool negative = was_signed && (int64_t)x < 0;

	if (insn->word[PTX_CLASS_SAT]) {
		x = x && !negative;
		negative = false;
	}
	if (is_narrow(insn->type))
		return bits_of_real(
			negative ? -magnitude(-x) : magnitude(x), insn);
	if (insn->type == PTX_f64)
		return bits_of_double(
			was_signed ? (double)(int64_t)x : (double)x);
	return bits_of(was_signed ? (float)(int64_t)x : (float)x);
}

static uint64_t real_of_real(const struct ptx_insn *insn, uint64_t x)
{
	/* For f16 an H200 flushes nothing, whatever it is told. */
	bool flushes = insn->word[PTX_CLASS_FTZ] && insn->type != PTX_f16;
	double value;
	uint64_t result;

	if (flushes && insn->from == PTX_f32)
		x = value_flushed((uint32_t)x);
	value = real_of(x, insn->from);
	if (value != value && !insn->word[PTX_CLASS_SAT])
		return none_as(none_of(x, insn->from, flushes), insn);
	value = rounded(value, insn->word[PTX_CLASS_ROUND]);
	if (insn->word[PTX_CLASS_SAT])
		value = value > 1 ? 1 : value > 0 ? value : 0;
	if (insn->word[PTX_CLASS_RELU] && value <= 0)
		value = 0;
	result = bits_of_real(value, insn);
	return flushes && insn->type == PTX_f32
		       ? value_flushed((uint32_t)result)
		       : result;
}

static uint64_t converted(const struct ptx_insn *insn, uint64_t x)
{
	bool was_signed = ptx_types[insn->from].kind == 's';

	if (!ptx_is_real(insn->from)) {
		x = extended(x, width(insn->from), was_signed);
		return ptx_is_real(insn->type)
			       ? real_of_integer(x, insn, was_signed)
			       : integer_of_integer(x, insn, was_signed);
	}
	if (ptx_is_real(insn->type))
		return real_of_real(insn, x);
	if (insn->word[PTX_CLASS_FTZ] && insn->from == PTX_f32)
		x = value_flushed((uint32_t)x);
	return integer_of_real(
		rounded(real_of(x, insn->from), insn->word[PTX_CLASS_ROUND]),
		insn);
}

static void convert(const struct value *v)
{
	const struct ptx_insn *insn = v->insn;
	bool wide_in = ptx_types[insn->from].bytes == 8;
	uint64_t wide[LANES];
	uint32_t narrow[LANES];
	unsigned l;

	fesetround(value_rounding(insn));
	for (l = 0; l < LANES; l++) {
		uint64_t x = wide_in ? IN_u64(0) : IN_u32(0);

		wide[l] =
			extended(converted(insn, x), width(insn->type), false);
		narrow[l] = (uint32_t)wide[l];
	}
	fesetround(FE_TONEAREST);
	if (ptx_types[insn->type].bytes == 8)
		value_put64(v, wide);
	else
		value_put32(v, narrow);
}

/* Two numbers as two narrow ones: the first one is the upper. */
static void convert_two(const struct value *v)
{
	struct ptx_insn one = *v->insn;
	uint32_t r[LANES];
	unsigned l;

	one.type = v->insn->type == PTX_f16x2 ? PTX_f16 : PTX_bf16;
	for (l = 0; l < LANES; l++)
		r[l] = (uint32_t)converted(&one, IN_u32(0)) << 16 |
		       (uint32_t)converted(&one, IN_u32(1));
	value_put32(v, r);
}

VALUE32(f32_of_bf16, IN_u32(0) << 16)
VALUE32(same32, IN_u32(0))
VALUE64(same64, IN_u64(0))

/* Between reals bits as they are, if nothing is changed. */
static value_fn moved(const struct ptx_insn *insn)
{
	if (insn->word[PTX_CLASS_FTZ] || insn->word[PTX_CLASS_SAT])
		return NULL;
	if (insn->from == PTX_bf16 && insn->type == PTX_f32)
		return f32_of_bf16;
	if (insn->from != insn->type || insn->word[PTX_CLASS_ROUND])
		return NULL;
	return insn->type == PTX_f32   ? same32
	       : insn->type == PTX_f64 ? same64
				       : NULL;
}

value_fn value_convert(const struct ptx_insn *insn)
{
	bool rounds = insn->word[PTX_CLASS_ROUND] == PTXW_ROUND_rn;
	size_t i;

	if (insn->op != PTXO_CVT || !ptx_is_plain(insn->type) ||
		!ptx_is_plain(insn->from))
		return NULL;
	if (ptx_is_pair(insn->type))
		return insn->from == PTX_f32 ? convert_two : NULL;
	if (ptx_is_pair(insn->from))
		return NULL;
	for (i = 0; i < sizeof(quick) / sizeof(*quick); i++)
		if (quick[i].to == insn->type && quick[i].from == insn->from &&
			quick[i].rounds == rounds &&
			(rounds || !insn->word[PTX_CLASS_ROUND]) &&
			!insn->word[PTX_CLASS_SAT] &&
			!insn->word[PTX_CLASS_FTZ])
			return quick[i].function;
	return moved(insn) ? moved(insn) : convert;
}
