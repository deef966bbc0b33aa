/* Operations on the host, from the PTX pages. Reals are IEEE 754, as the
   host's are. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/values/value.h"

typedef uint64_t u64;
typedef int64_t i64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* ---- bits as values ---- */

static float F(u64 bits)
{
	const uint32_t word = (uint32_t)bits;
	float value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

static double G(u64 bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static u64 f_bits(float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static u64 g_bits(double value)
{
	u64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

bool value_f_is_nan(uint64_t bits)
{
	return isnan(F(bits));
}

bool value_g_is_nan(uint64_t bits)
{
	return isnan(G(bits));
}

/* ---- whole numbers ---- */

static u64 high_u(u64 a, u64 b)
{
	return (u64)((u128)a * b >> 64);
}

static u64 high_s(u64 a, u64 b)
{
	return (u64)((i128)(i64)a * (i64)b >> 64);
}

/* Four products of bytes, added to c. */
static u64 dot(u64 a, u64 b, u64 c, bool is_signed)
{
	unsigned i;

	for (i = 0; i < 32; i += 8) {
		const u64 x = a >> i & 255, y = b >> i & 255;

		c += is_signed ? (u64)((i64)(int8_t)x * (int8_t)y) : x * y;
	}
	return c;
}

static u64 ones(u64 a)
{
	u64 count = 0;

	for (; a; a &= a - 1)
		count++;
	return count;
}

/* The number of the highest bit that is set; -1: none. */
static u64 top(u64 a)
{
	u64 number = ~(u64)0;

	for (; a; a >>= 1)
		number++;
	return number;
}

static u64 turned(u64 a)
{
	u64 result = 0;
	unsigned i;

	for (i = 0; i < 64; i++)
		result |= (a >> i & 1) << (63 - i);
	return result;
}

/* bfe: `length` bits from `first` on, filled up with the sign of the field. */
static u64 field(
	u64 a, unsigned first, unsigned length, unsigned bits, bool is_signed)
{
	const unsigned last =
		first + length - 1 < bits ? first + length - 1 : bits - 1;
	const u64 sign = is_signed && length ? a >> last & 1 : 0;
	u64 result = 0;
	unsigned i;

	for (i = 0; i < bits; i++) {
		u64 bit = i < length && first + i < bits ? a >> (first + i) & 1
							 : sign;

		result |= bit << i;
	}
	return result;
}

/* bfi: the lowest bits of a, in place of b's. */
static u64 inserted(
	u64 a, u64 b, unsigned first, unsigned length, unsigned bits)
{
	unsigned i;

	for (i = 0; i < length && first + i < bits; i++) {
		b &= ~((u64)1 << (first + i));
		b |= (a >> i & 1) << (first + i);
	}
	return b;
}

/* prmt: four of eight bytes, or their signs. */
static u64 permuted(u64 bytes, u64 selectors)
{
	u64 result = 0;
	unsigned i;

	for (i = 0; i < 4; i++) {
		const u64 selector = selectors >> (4 * i) & 15;
		u64 byte = bytes >> (8 * (selector & 7)) & 255;

		if (selector & 8)
			byte = byte & 128 ? 255 : 0;
		result |= byte << (8 * i);
	}
	return result;
}

/* lop3: the bit of the table that the three bits name. */
static u64 choose(u64 a, u64 b, u64 c, u64 table)
{
	u64 result = 0;
	unsigned i;

	for (i = 0; i < 32; i++) {
		u64 row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);

		result |= (table >> row & 1) << i;
	}
	return result;
}

/* ---- reals ---- */

/* A rounding of the host, for operations that volatile keeps in their place. */
static u64 f_add(u64 a, u64 b, int rounding)
{
	volatile float x = F(a), y = F(b), sum;
	const int before = fegetround();

	fesetround(rounding);
	sum = x + y;
	fesetround(before);
	return f_bits(sum);
}

static u64 f_mul(u64 a, u64 b, int rounding)
{
	volatile float x = F(a), y = F(b), product;
	const int before = fegetround();

	fesetround(rounding);
	product = x * y;
	fesetround(before);
	return f_bits(product);
}

static u64 f_fma(u64 a, u64 b, u64 c, int rounding)
{
	volatile float x = F(a), y = F(b), z = F(c), sum;
	const int before = fegetround();

	fesetround(rounding);
	sum = fmaf(x, y, z);
	fesetround(before);
	return f_bits(sum);
}

static u64 g_add(u64 a, u64 b, int rounding)
{
	volatile double x = G(a), y = G(b), sum;
	const int before = fegetround();

	fesetround(rounding);
	sum = x + y;
	fesetround(before);
	return g_bits(sum);
}

static u64 f_div(u64 a, u64 b)
{
	return f_bits(F(a) / F(b));
}

static u64 f_sqrt(u64 a)
{
	return f_bits(sqrtf(fabsf(F(a))));
}

/* -0 is less than +0. */
static bool f_less(u64 a, u64 b)
{
	if (F(a) == F(b))
		return (a & 0x80000000) != 0;
	return F(a) < F(b);
}

/* A whole number within least <= value < beyond; else the nearest that is. */
static u64 whole(double value, double least, double beyond)
{
	if (value >= beyond)
		return beyond == 0x1p63   ? INT64_MAX
		       : beyond == 0x1p31 ? INT32_MAX
					  : UINT32_MAX;
	if (value <= least)
		return (u64)(i64)least;
	return (u64)(i64)value;
}

/* ---- all of them ---- */

#define S(x) ((i64)(int32_t)(x))
#define A    sources[0]
#define B    sources[1]
#define C    sources[2]
#define E    sources[3]
#define I    ((u64)number)

u64 value_of(enum row op, const u64 sources[4], uint32_t number)
{
	switch (op) {
#define OP(name, to, from, text, value)                                        \
	case ROW_##name:                                                       \
		return value;
#include "tests/values/ops.def"
#undef OP
	default:
		return 0;
	}
}
