/* Parabolas of the special function unit. */
#include "backend_sim/values/unit.h"

#include <stdbool.h>

#define NO_NUMBER 0x7fffffffu
#define INFINITE  0x7f800000u
#define SIGN      0x80000000u
#define HIDDEN    0x00800000u /* the bit that stands before the fraction */

/*
 * A result's significand has 24 bits. In quarters of the last one it is
 *
 *   c0 + c1 * x / 2^17 + c2 * x^2 / 2^34 + bias
 *
 * where x is where the operand stands in the piece, of 17 bits.
 */
struct segment {
	int32_t c0, c1, c2;
};

#define SEGMENT(c0, c1, c2) {c0, c1, c2},
static const struct segment rcp[128] = {
#define UNIT_RCP
#include "backend_sim/values/unit.def"
#undef UNIT_RCP
};
/* Operands of even exponents, then those of odd ones. */
static const struct segment rsqrt[128] = {
#define UNIT_RSQRT
#include "backend_sim/values/unit.def"
#undef UNIT_RSQRT
};
static const struct segment root[128] = {
#define UNIT_SQRT
#include "backend_sim/values/unit.def"
#undef UNIT_SQRT
};
static const struct segment ex2[64] = {
#define UNIT_EX2
#include "backend_sim/values/unit.def"
#undef UNIT_EX2
};
#undef SEGMENT

/* Biases, in 2^-34 quarters: any between 0.24695 and 0.24707 quarters, 0.99997
   and 1, and 0.74634 and 0.74646 give the same. */
#define QUARTER   (INT64_C(1) << 34)
#define BIAS_RCP  (INT64_C(4047) << 20)
#define BIAS_ROOT (QUARTER - (INT64_C(1) << 18))
#define BIAS_EX2  (INT64_C(12229) << 20)

/* x^2 without the products of two bits of x that stand below 2^19; that of two
   different ones, which there is twice, stands a place higher. */
static int64_t squared(uint32_t x)
{
	const uint64_t low = x & 511;
	uint64_t left_out = low * low + ((uint64_t)(x >> 9 & 1) << 18);
	unsigned i;

	for (i = 9; i < 17; i++)
		if (x >> i & 1)
			left_out += (uint64_t)(x & ((1u << (18 - i)) - 1))
				    << (i + 1);
	return (int64_t)((uint64_t)x * x - left_out);
}

static uint32_t parabola(const struct segment *s, uint32_t x, int64_t bias)
{
	const int64_t sum = s->c0 * QUARTER + bias +
			    s->c1 * (int64_t)x * (1 << 17) + s->c2 * squared(x);

	return (uint32_t)(sum >> 36);
}

/* y * 2^exponent, of y from 2^23 to 2^24. */
static uint32_t packed(uint32_t sign, uint32_t y, int exponent)
{
	uint32_t rest, half;
	int field, shift;

	if (y == 2 * HIDDEN) {
		y = HIDDEN;
		exponent++;
	}
	field = exponent + 150;
	if (field >= 255)
		return sign | INFINITE;
	if (field > 0)
		return sign | (uint32_t)field << 23 | (y & (HIDDEN - 1));
	shift = 1 - field;
	if (shift > 25)
		return sign;
	rest = y & ((1u << shift) - 1);
	half = 1u << (shift - 1);
	y >>= shift;
	return sign | (y + (rest > half || (rest == half && y & 1)));
}

/* Of a number that is not 0 the exponent and the fraction. */
static int taken_apart(uint32_t bits, uint32_t *fraction)
{
	int exponent = (int)(bits >> 23 & 255);

	*fraction = bits & (HIDDEN - 1);
	if (!exponent) {
		for (exponent = 1; !(*fraction & HIDDEN); exponent--)
			*fraction <<= 1;
		*fraction &= HIDDEN - 1;
	}
	return exponent - 127;
}

uint32_t unit_rcp(uint32_t bits)
{
	const uint32_t sign = bits & SIGN, size = bits & ~SIGN;
	uint32_t fraction, y;
	int exponent;

	if (size > INFINITE)
		return NO_NUMBER;
	if (size == INFINITE || !size)
		return sign | (size ? 0 : INFINITE);
	exponent = taken_apart(bits, &fraction);
	y = parabola(&rcp[fraction >> 16], (fraction & 65535) << 1, BIAS_RCP);
	return packed(sign, y, -24 - exponent);
}

/* Whether it has a root that a function is needed for. */
static bool is_positive(uint32_t bits)
{
	return bits && bits < INFINITE;
}

/* Of half the exponent. */
static uint32_t root_of(
	const struct segment *pieces, uint32_t bits, bool inverse)
{
	uint32_t fraction, y;
	int exponent = taken_apart(bits, &fraction), odd = exponent & 1;
	int half = (exponent - odd) / 2;

	y = parabola(&pieces[(odd << 6) + (int)(fraction >> 17)],
		fraction & 131071, BIAS_ROOT);
	/* That of 1 alone is not the parabola's. */
	if (inverse && !odd && !fraction)
		y = 2 * HIDDEN;
	return packed(0, y, inverse ? -24 - half : -23 + half);
}

uint32_t unit_rsqrt(uint32_t bits)
{
	if (is_positive(bits))
		return root_of(rsqrt, bits, true);
	if (bits == INFINITE)
		return 0;
	return bits & ~SIGN ? NO_NUMBER : bits | INFINITE;
}

uint32_t unit_sqrt(uint32_t bits)
{
	if (is_positive(bits))
		return root_of(root, bits, false);
	return bits == INFINITE || !(bits & ~SIGN) ? bits : NO_NUMBER;
}

/* A number's whole part and 23 bits behind the point, where the rest is cut
   off; of what is 512 or more only the sign counts. The negative of what has a
   fraction is a step too small: the unit turns its bits over. */
static int64_t fixed(uint32_t bits)
{
	uint32_t fraction;
	int exponent;
	int64_t x;

	if (!(bits & ~SIGN))
		return 0;
	exponent = taken_apart(bits, &fraction);
	if (exponent < -23)
		return 0;
	x = fraction | HIDDEN;
	x = exponent < 0   ? x >> -exponent
	    : exponent < 9 ? x * (1 << exponent)
			   : INT64_C(512) << 23;
	if (!(bits & SIGN))
		return x;
	return x & (HIDDEN - 1) ? ~x : -x;
}

uint32_t unit_ex2(uint32_t bits)
{
	uint32_t fraction;
	int64_t x;

	if ((bits & ~SIGN) > INFINITE)
		return NO_NUMBER;
	x = fixed(bits);
	fraction = (uint32_t)x & (HIDDEN - 1);
	return packed(0,
		parabola(&ex2[fraction >> 17], fraction & 131071, BIAS_EX2),
		(int)(x >> 23) - 23);
}
