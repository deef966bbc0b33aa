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

/*
 * The products of two bits that x^2 is without, x being low + 2^9 * high. They
 * stand in a triangle: bit j of low with bit i of high where i + j is less than
 * 9. Those of the four lower bits of high and the six lower ones of low are a
 * product, and two corners are left, which stand in tables: one of high's lower
 * and low's upper three bits, one of high's upper four and low's lower five.
 */
#define BIT(x, i)      ((x) >> (i)&1u)
#define BELOW(x, bits) ((x) & ((1u << (bits)) - 1))

/* In 2^16; at low >> 6 << 3 | high & 7. With it what the lowest bit of high is
   by itself. */
#define CORNER(n)                                                              \
	(BIT(n, 0) * ((n) >> 3) + BIT(n, 1) * (BELOW((n) >> 3, 2) << 1) +      \
		BIT(n, 2) * (BELOW((n) >> 3, 1) << 2) + (BIT(n, 0) << 2))
/* In 2^14; at low & 31 << 4 | high >> 4. */
#define CORNER_HIGH(n)                                                         \
	(BIT(n, 0) * ((n) >> 4) + BIT(n, 1) * (BELOW((n) >> 4, 4) << 1) +      \
		BIT(n, 2) * (BELOW((n) >> 4, 3) << 2) +                        \
		BIT(n, 3) * (BELOW((n) >> 4, 2) << 3))

#define OF_4(of, n) of(n), of((n) + 1), of((n) + 2), of((n) + 3)
#define OF_16(of, n)                                                           \
	OF_4(of, n), OF_4(of, (n) + 4), OF_4(of, (n) + 8), OF_4(of, (n) + 12)
#define OF_64(of, n)                                                           \
	OF_16(of, n), OF_16(of, (n) + 16), OF_16(of, (n) + 32),                \
		OF_16(of, (n) + 48)
#define OF_256(of, n)                                                          \
	OF_64(of, n), OF_64(of, (n) + 64), OF_64(of, (n) + 128),               \
		OF_64(of, (n) + 192)

static const uint8_t corner[64] = {OF_64(CORNER, 0u)};
static const uint16_t corner_high[512] = {
	OF_256(CORNER_HIGH, 0u), OF_256(CORNER_HIGH, 256u)};

/* x^2 without the products of two bits of x that stand below 2^19; that of two
   different ones, which there is twice, stands a place higher. */
static int64_t squared(uint32_t x)
{
	const uint32_t low = BELOW(x, 9), high = x >> 9;
	const uint32_t left_out =
		low * low + (BELOW(high, 4) * BELOW(low, 6) << 10) +
		((uint32_t)corner[low >> 6 << 3 | BELOW(high, 3)] << 16) +
		((uint32_t)corner_high[BELOW(low, 5) << 4 | high >> 4] << 14);

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

/* Of half the exponent: never too great or too small for a number. */
static inline uint32_t root_of(
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
	/* The hidden bit, or the next one, is added to the exponent. */
	return ((uint32_t)(inverse ? 125 - half : 126 + half) << 23) + y;
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
