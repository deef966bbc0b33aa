/*
 * Sums as the tensor cores of an H200 make them. Source:
 * tests/oracle/matrix.cu, whose words of an H200 (driver 580) these sums meet
 * in every bit: random operands of narrow and of wide exponents, operands that
 * cancel, subnormal and infinite ones. All k products of an instruction and the
 * element of C are one sum: the one with the largest exponent, that of a
 * product being the sum of its factors', says where bits end, and the others
 * are cut there towards zero. The sum is exact then. No result is -0.
 */
#include <string.h>

#include "backend_sim/matrix/matrix_parts.h"

#define LOW       (-8192) /* the exponent of what is zero */
#define NONE      0x7fffffffu
#define HALF_NONE 0x7fffu

typedef int32_t v8 __attribute__((vector_size(32), may_alias));
typedef int64_t w4 __attribute__((vector_size(32), may_alias));
typedef int32_t v4 __attribute__((vector_size(16), may_alias));
typedef double d4 __attribute__((vector_size(32), may_alias));

/* Finite elements: value = mantissa * 2^(exponent - bits of the mantissa), with
   a sign of 0 or -1. */
struct parts {
	_Alignas(32) int32_t a[TILE_ROWS][TILE_DEPTH];
	_Alignas(32) int32_t a_exponent[TILE_ROWS][TILE_DEPTH];
	_Alignas(32) int32_t a_sign[TILE_ROWS][TILE_DEPTH];
	_Alignas(32) v8 b[TILE_DEPTH],
		b_exponent[TILE_DEPTH], b_sign[TILE_DEPTH];
	v8 c[TILE_ROWS], c_exponent[TILE_ROWS], c_sign[TILE_ROWS];
};

/* `yes` where the condition holds, which is a mask. */
#define choose(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))

/* Eight elements, whose mantissas go `up`. True: one is no finite number. */
static inline __attribute__((always_inline)) bool split(uint8_t type,
	unsigned up, const uint32_t *bits, int32_t *mantissa, int32_t *exponent,
	int32_t *sign)
{
	const struct matrix_format *f = &matrix_formats[type];
	const int32_t top = (1 << f->exponent) - 1;
	const v8 w = *(const v8 *)bits >> f->unused;
	v8 e = (w >> f->mantissa) & top;
	v8 m = w & ((1 << f->mantissa) - 1);
	const v8 special = f->has_infinity
				   ? e == top
				   : (e == top) & (m == (1 << f->mantissa) - 1);
	const v8 small = e == 0;
	unsigned i;
	int32_t any = 0;

	m |= ~small & 1 << f->mantissa;
	e -= small;
	e -= top >> 1;
	e = choose(m == 0, (v8){0} + LOW, e);
	*(v8 *)mantissa = m << (int)up;
	*(v8 *)exponent = e;
	*(v8 *)sign = -((w >> (f->mantissa + f->exponent)) & 1);
	for (i = 0; i < 8; i++)
		any |= special[i];
	return any;
}

static inline __attribute__((always_inline)) bool split_all(
	const struct fused *f, const struct tile_types *types,
	const struct tile *t, struct parts *p)
{
	const unsigned up = f->bits - matrix_formats[types->a].mantissa -
			    matrix_formats[types->b].mantissa;
	const unsigned of_sum = matrix_formats[types->sum].mantissa;
	bool special = false;
	unsigned i, k;

	for (i = 0; i < t->m; i++) {
		for (k = 0; k < t->k; k += 8)
			special |= split(types->a, up, &t->a[i][k], &p->a[i][k],
				&p->a_exponent[i][k], &p->a_sign[i][k]);
		special |= split(types->sum,
			of_sum < f->bits ? f->bits - of_sum : 0, t->c[i],
			(int32_t *)&p->c[i], (int32_t *)&p->c_exponent[i],
			(int32_t *)&p->c_sign[i]);
	}
	for (k = 0; k < t->k; k++)
		special |= split(types->b, 0, t->b[k], (int32_t *)&p->b[k],
			(int32_t *)&p->b_exponent[k], (int32_t *)&p->b_sign[k]);
	return special;
}

/* ---- what a sum becomes ---- */

/* mantissa * 2^exponent as f32: cut off. */
static uint32_t cut(bool is_negative, uint64_t mantissa, int exponent)
{
	const int first = mantissa ? 63 - __builtin_clzll(mantissa) : 0;
	int last = first + exponent - 23, shift;
	uint64_t bits;

	if (last < -149)
		last = -149;
	shift = last - exponent;
	bits = shift <= 0   ? mantissa << -shift
	       : shift < 64 ? mantissa >> shift
			    : 0;
	if (!bits)
		return 0;
	bits += (uint64_t)(last + 149) << 23;
	if (bits > 0x7f800000u)
		bits = 0x7f800000u;
	return (uint32_t)bits | (uint32_t)is_negative << 31;
}

/* As f16: to the nearest, of two the even one. */
static uint32_t round_half(bool is_negative, uint64_t mantissa, int exponent)
{
	const int first = mantissa ? 63 - __builtin_clzll(mantissa) : 0;
	int last = first + exponent - 10, shift;
	uint64_t bits, rest, half;

	if (last < -24)
		last = -24;
	shift = last - exponent;
	if (shift <= 0) {
		bits = mantissa << -shift;
	} else if (shift < 64) {
		bits = mantissa >> shift;
		rest = mantissa & ((UINT64_C(1) << shift) - 1);
		half = UINT64_C(1) << (shift - 1);
		bits += rest > half || (rest == half && bits & 1);
	} else {
		bits = 0;
	}
	if (!bits)
		return 0;
	bits += (uint64_t)(last + 24) << 10;
	if (last + 24 > 30 || bits > 0x7c00)
		bits = 0x7c00;
	return (uint32_t)bits | (uint32_t)is_negative << 15;
}

static uint32_t finish(const struct fused *f, const struct tile_types *types,
	int64_t sum, int exponent)
{
	const bool is_negative = sum < 0;
	uint64_t mantissa = (uint64_t)(is_negative ? -sum : sum);
	int more;

	if (types->sum == MATRIX_F16)
		return round_half(is_negative, mantissa, exponent);
	more = mantissa ? 63 - __builtin_clzll(mantissa) - f->kept : 0;
	if (more > 0)
		mantissa = mantissa >> more << more;
	return cut(is_negative, mantissa, exponent);
}

/* Four sums of f32 at once, as exact doubles; false: one of them is too large
   or too small, and nothing is written. */
static inline __attribute__((always_inline)) bool finish_four(
	const struct fused *f, const d4 *sum, const int32_t *largest,
	uint32_t *result)
{
	const w4 bits = (w4)*sum;
	const w4 is_zero = (bits << 1) == 0;
	const w4 exponent = ((bits >> 52) & 0x7ff) - 1023 + 127 - f->bits +
			    __builtin_convertvector(*(const v4 *)largest, w4);
	const w4 fails = ((exponent < 1) | (exponent > 254)) & ~is_zero;
	const w4 value =
		(((bits >> 32) & INT64_C(0x80000000)) | exponent << 23 |
			(((bits & INT64_C(0xfffffffffffff)) >> 29) &
				~((1 << (23 - f->kept)) - 1))) &
		~is_zero;
	unsigned i;

	if (fails[0] | fails[1] | fails[2] | fails[3])
		return false;
	for (i = 0; i < 4; i++)
		result[i] = (uint32_t)value[i];
	return true;
}

/* ---- sums of finite elements ---- */

static inline __attribute__((always_inline)) void sum_row(const struct fused *f,
	const struct tile_types *types, const struct parts *p, struct tile *t,
	unsigned i)
{
	const int less = matrix_formats[types->sum].mantissa - f->bits;
	v8 largest = p->c_exponent[i], sum[3] = {{0}}, away;
	unsigned k;

	for (k = 0; k < t->k; k++) {
		const v8 e = p->b_exponent[k] + p->a_exponent[i][k];

		largest = choose(e > largest, e, largest);
	}
	for (k = 0; k < t->k; k++) {
		const v8 sign = p->b_sign[k] ^ p->a_sign[i][k];
		v8 v = p->b[k] * p->a[i][k];

		away = largest - (p->b_exponent[k] + p->a_exponent[i][k]);
		away = choose(away > 31, (v8){0} + 31, away);
		v >>= away;
		sum[k & 1] += (v ^ sign) - sign;
	}
	away = largest - p->c_exponent[i] + (less > 0 ? less : 0);
	away = choose(away > 31, (v8){0} + 31, away);
	sum[2] = p->c[i] >> away;
	sum[2] = (sum[2] ^ p->c_sign[i]) - p->c_sign[i];
	for (k = 0; k < 8; k += 4) {
		const d4 all =
			__builtin_convertvector(((v4 *)&sum[0])[k / 4], d4) +
			__builtin_convertvector(((v4 *)&sum[1])[k / 4], d4) +
			__builtin_convertvector(((v4 *)&sum[2])[k / 4], d4);
		unsigned n;

		if (types->sum == MATRIX_F32 &&
			finish_four(
				f, &all, (int32_t *)&largest + k, &t->d[i][k]))
			continue;
		for (n = 0; n < 4; n++)
			t->d[i][k + n] = finish(f, types, (int64_t)all[n],
				largest[k + n] - f->bits);
	}
}

/* ---- sums with what is no finite number ---- */

struct kinds {
	bool none, zero, infinite, negative;
};

static struct kinds kind_of(uint8_t type, uint32_t bits)
{
	const struct matrix_format *f = &matrix_formats[type];
	const uint32_t top = (1u << f->exponent) - 1;
	const uint32_t all = (1u << f->mantissa) - 1;
	const uint32_t w = bits >> f->unused;
	const uint32_t e = w >> f->mantissa & top, m = w & all;

	return (struct kinds){
		.none = e == top && (f->has_infinity ? m != 0 : m == all),
		.infinite = e == top && f->has_infinity && !m,
		.zero = !e && !m,
		.negative = w >> (f->mantissa + f->exponent) & 1,
	};
}

/* Of the sum; false: it is finite. */
static bool is_special(const struct tile_types *types, const struct tile *t,
	unsigned i, unsigned n, uint32_t *result)
{
	struct kinds a = kind_of(types->sum, t->c[i][n]), b;
	bool none = a.none,
	     seen[2] = {a.infinite && !a.negative, a.infinite && a.negative};
	const bool is_half = types->sum == MATRIX_F16;
	unsigned k;

	for (k = 0; k < t->k; k++) {
		a = kind_of(types->a, t->a[i][k]);
		b = kind_of(types->b, t->b[k][n]);
		none |= a.none || b.none || (a.infinite && b.zero) ||
			(b.infinite && a.zero);
		if (a.infinite || b.infinite)
			seen[a.negative != b.negative] = true;
	}
	none |= seen[0] && seen[1];
	if (none)
		*result = is_half ? HALF_NONE : NONE;
	else if (seen[0] || seen[1])
		*result = is_half ? 0x7c00u | (uint32_t)seen[1] << 15
				  : 0x7f800000u | (uint32_t)seen[1] << 31;
	return none || seen[0] || seen[1];
}

static inline __attribute__((always_inline)) void sum_all(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	struct parts p;
	const bool special = split_all(f, types, t, &p);
	unsigned i, n;

	for (i = 0; i < t->m; i++) {
		sum_row(f, types, &p, t, i);
		for (n = 0; special && n < TILE_COLUMNS; n++)
			is_special(types, t, i, n, &t->d[i][n]);
	}
}

/* Each pair of types by itself, so that its formats are constants. */
static inline __attribute__((always_inline)) void sum_by_types(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	static const struct tile_types bf16 = {
		MATRIX_BF16, MATRIX_BF16, MATRIX_F32};
	static const struct tile_types f16 = {
		MATRIX_F16, MATRIX_F16, MATRIX_F32};
	static const struct fused full = {25, 23};

	if (f->bits != full.bits || types->sum != MATRIX_F32)
		sum_all(f, types, t);
	else if (types->a == MATRIX_BF16)
		sum_all(&full, &bf16, t);
	else if (types->a == MATRIX_F16)
		sum_all(&full, &f16, t);
	else
		sum_all(f, types, t);
}

static void sum_anywhere(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	sum_by_types(f, types, t);
}

#ifdef __x86_64__
/* The same for hosts that shift each element by its own number. */
__attribute__((target("avx2"))) static void sum_by_avx2(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	sum_by_types(f, types, t);
}

void fused_sums(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	if (__builtin_cpu_supports("avx2"))
		sum_by_avx2(f, types, t);
	else
		sum_anywhere(f, types, t);
}
#else
void fused_sums(
	const struct fused *f, const struct tile_types *types, struct tile *t)
{
	sum_anywhere(f, types, t);
}
#endif
