/* Sums that are the same whatever sums them, and those of the host. */
#include <math.h>
#include <string.h>

#include "backend_sim/matrix/matrix_parts.h"

#define NONE 0x7fffffffu

typedef float f8 __attribute__((vector_size(32), may_alias));
typedef uint32_t u8 __attribute__((vector_size(32), may_alias));

/* ---- whole numbers ---- */

static int32_t whole(uint8_t type, uint32_t bits)
{
	return type == MATRIX_S8 ? (int8_t)bits : (int32_t)(bits & 0xff);
}

void plain_whole(const struct tile_types *types, bool saturates, struct tile *t)
{
	int32_t b[TILE_DEPTH][TILE_COLUMNS], a;
	unsigned i, k, n;

	for (k = 0; k < t->k; k++)
		for (n = 0; n < TILE_COLUMNS; n++)
			b[k][n] = whole(types->b, t->b[k][n]);
	for (i = 0; i < t->m; i++) {
		int32_t sum[TILE_COLUMNS] = {0};

		for (k = 0; k < t->k; k++) {
			a = whole(types->a, t->a[i][k]);
			for (n = 0; n < TILE_COLUMNS; n++)
				sum[n] += a * b[k][n];
		}
		for (n = 0; n < TILE_COLUMNS; n++) {
			int64_t all = (int64_t)(int32_t)t->c[i][n] + sum[n];

			if (saturates && all > INT32_MAX)
				all = INT32_MAX;
			if (saturates && all < INT32_MIN)
				all = INT32_MIN;
			t->d[i][n] = (uint32_t)all;
		}
	}
}

/* ---- reals ---- */

static float from_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return value == value ? bits : NONE;
}

/* A half has its bits 13 further up, and an exponent that is 112 less. */
static float from_half(uint32_t bits)
{
	const uint32_t magnitude = (bits & 0x7fff) << 13;
	const uint32_t value =
		magnitude >= 0x0f800000u
			? magnitude | 0x7f800000u
			: bits_of(from_bits(magnitude) * 0x1p112f);

	return from_bits(value | (bits & 0x8000) << 16);
}

/* To the nearest, of two the even one. */
static uint16_t to_half(float value)
{
	uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
	const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);

	if (value != value)
		return 0x7fff;
	if (magnitude >= 0x47800000u)
		return sign | 0x7c00;
	/* Without an exponent of its own: units of 2^-24. */
	if (magnitude < 0x38800000u)
		return sign | (uint16_t)rintf(from_bits(magnitude) * 0x1p24f);
	magnitude += 0xfff + (magnitude >> 13 & 1);
	return sign | (uint16_t)((magnitude >> 13) - (112u << 10));
}

uint16_t plain_half(uint8_t type, uint32_t bits)
{
	const uint32_t sign = (bits & 0x80) << 8, e = bits >> 3 & 15;

	if (type == MATRIX_E5M2)
		return (uint16_t)(bits << 8);
	if ((bits & 0x7f) == 0x7f)
		return 0x7fff;
	if (e)
		return (uint16_t)(sign | (e + 8) << 10 | (bits & 7) << 7);
	return (uint16_t)(sign | to_half((float)(bits & 7) * 0x1p-9f));
}

float plain_real(uint8_t type, uint32_t bits)
{
	switch (type) {
	case MATRIX_F16:
		return from_half(bits);
	case MATRIX_BF16:
		return from_bits(bits << 16);
	case MATRIX_TF32:
		return from_bits(bits & ~0x1fffu);
	case MATRIX_E4M3:
	case MATRIX_E5M2:
		return from_half(plain_half(type, bits));
	default:
		return from_bits(bits);
	}
}

uint32_t plain_bits(uint8_t type, float value)
{
	return type == MATRIX_F16 ? to_half(value) : bits_of(value);
}

/* Eight elements. */
static inline __attribute__((always_inline)) void reals(
	uint8_t type, const uint32_t *bits, f8 *values)
{
	const u8 w = *(const u8 *)bits;
	const u8 magnitude = (w & 0x7fff) << 13;
	const u8 above = (u8)(magnitude >= 0x0f800000u);
	unsigned i;

	switch (type) {
	case MATRIX_BF16:
		*values = (f8)(w << 16);
		break;
	case MATRIX_F32:
		*values = (f8)w;
		break;
	case MATRIX_F16:
		*values = (f8)magnitude * 0x1p112f;
		*values = (f8)(((u8)*values & ~above) |
			       ((magnitude | 0x7f800000u) & above) |
			       (w & 0x8000) << 16);
		break;
	default:
		for (i = 0; i < 8; i++)
			(*values)[i] = plain_real(type, bits[i]);
	}
}

static inline __attribute__((always_inline)) void sum_reals(
	const struct tile_types *types, struct tile *t)
{
	_Alignas(32) float a[TILE_ROWS][TILE_DEPTH];
	f8 b[TILE_DEPTH] = {{0}}, sum;
	unsigned i, k, n;

	for (k = 0; k < t->k; k++)
		reals(types->b, t->b[k], &b[k]);
	for (i = 0; i < t->m; i++)
		for (k = 0; k < t->k; k += 8)
			reals(types->a, &t->a[i][k], (f8 *)&a[i][k]);
	for (i = 0; i < t->m; i++) {
		reals(types->sum, t->c[i], &sum);
		for (k = 0; k < t->k; k++)
			sum += a[i][k] * b[k];
		if (types->sum == MATRIX_F32) {
			const u8 none =
				(u8)(((u8)sum & 0x7fffffffu) > 0x7f800000u);

			*(u8 *)t->d[i] = ((u8)sum & ~none) | (none & NONE);
			continue;
		}
		for (n = 0; n < TILE_COLUMNS; n++)
			t->d[i][n] = to_half(sum[n]);
	}
}

/* Each type by itself, so that its conversion is no question of an element. */
static inline __attribute__((always_inline)) void sum_by_types(
	const struct tile_types *types, struct tile *t)
{
	static const struct tile_types bf16 = {
		MATRIX_BF16, MATRIX_BF16, MATRIX_F32};
	static const struct tile_types f16 = {
		MATRIX_F16, MATRIX_F16, MATRIX_F32};

	if (types->a == MATRIX_BF16)
		sum_reals(&bf16, t);
	else if (types->a == MATRIX_F16 && types->sum == MATRIX_F32)
		sum_reals(&f16, t);
	else
		sum_reals(types, t);
}

/* ---- halves, whose sums stay where the registers have them: a vector is what
   eight lanes have of a register, which are two rows, and of eight columns the
   even ones or the odd ones ---- */

typedef f8 lanes8 __attribute__((aligned(4), may_alias));
typedef uint32_t u4 __attribute__((vector_size(16), may_alias));
typedef uint16_t h8 __attribute__((vector_size(16), may_alias));

#define PAIRS 4u /* vectors of a register */

/* Of A: four times an element of one row, four times one of the next. */
static inline __attribute__((always_inline)) void pair_rows(
	uint8_t type, const struct halves *h, f8 pairs[2 * PAIRS][TILE_HALVES])
{
	float row[2][TILE_HALVES];
	unsigned i, k;

	for (i = 0; i < TILE_ROWS; i++) {
		for (k = 0; k < TILE_HALVES; k += 8) {
			const u8 bits = __builtin_convertvector(
				*(const h8 *)&h->a[i][k], u8);

			reals(type, (const uint32_t *)&bits,
				(lanes8 *)&row[i % 2][k]);
		}
		for (k = 0; i % 2 && k < TILE_HALVES; k++) {
			const float a = row[0][k], b = row[1][k];

			pairs[i / 2][k] = (f8){a, a, a, a, b, b, b, b};
		}
	}
}

/* Of eight columns of B the even ones, twice, and the odd ones. */
static inline __attribute__((always_inline)) void part_columns(uint8_t type,
	const uint16_t b[TILE_HALVES][TILE_COLUMNS], f8 even[TILE_HALVES],
	f8 odd[TILE_HALVES])
{
	unsigned k;

	for (k = 0; k < TILE_HALVES; k++) {
		const u4 once = *(const u4 *)b[k];
		const u8 both = __builtin_shufflevector(
			once, once, 0, 1, 2, 3, 0, 1, 2, 3);
		const u8 low = both & 0xffff, high = both >> 16;

		reals(type, (const uint32_t *)&low, &even[k]);
		reals(type, (const uint32_t *)&high, &odd[k]);
	}
}

static inline __attribute__((always_inline)) void put_sum(
	const f8 *sum, uint32_t *d)
{
	const u8 none = (u8)(((u8)*sum & 0x7fffffffu) > 0x7f800000u);

	*(lanes8 *)d = (f8)(((u8)*sum & ~none) | (none & NONE));
}

/* Two registers: the sums of eight rows. */
static inline __attribute__((always_inline)) void sum_pairs(
	const f8 pairs[PAIRS][TILE_HALVES], const f8 even[TILE_HALVES],
	const f8 odd[TILE_HALVES], bool keeps, uint32_t *d, uint32_t *d_odd)
{
	f8 sum[PAIRS] = {{0}}, odd_sum[PAIRS] = {{0}};
	unsigned k, i;

#pragma GCC unroll 4
	for (i = 0; keeps && i < PAIRS; i++) {
		sum[i] = *(const lanes8 *)(d + 8 * i);
		odd_sum[i] = *(const lanes8 *)(d_odd + 8 * i);
	}
	for (k = 0; k < TILE_HALVES; k++) {
#pragma GCC unroll 4
		for (i = 0; i < PAIRS; i++) {
			sum[i] += pairs[i][k] * even[k];
			odd_sum[i] += pairs[i][k] * odd[k];
		}
	}
#pragma GCC unroll 4
	for (i = 0; i < PAIRS; i++) {
		put_sum(&sum[i], d + 8 * i);
		put_sum(&odd_sum[i], d_odd + 8 * i);
	}
}

static inline __attribute__((always_inline)) void sum_halves(uint8_t type,
	const struct halves *h, unsigned parts, bool keeps, void *const *d)
{
	f8 pairs[2 * PAIRS][TILE_HALVES], even[TILE_HALVES], odd[TILE_HALVES];
	unsigned part, half;

	pair_rows(type, h, pairs);
	for (part = 0; part < parts; part++, d += 4) {
		part_columns(type, h->b[part], even, odd);
		for (half = 0; half < 2; half++)
			sum_pairs(pairs + PAIRS * half, even, odd, keeps,
				d[2 * half], d[2 * half + 1]);
	}
}

static inline __attribute__((always_inline)) void sum_halves_by_type(
	uint8_t type, const struct halves *h, unsigned parts, bool keeps,
	void *const *d)
{
	if (type == MATRIX_BF16)
		sum_halves(MATRIX_BF16, h, parts, keeps, d);
	else
		sum_halves(MATRIX_F16, h, parts, keeps, d);
}

/* ---- by what the host has ---- */

static void sum_anywhere(const struct tile_types *types, struct tile *t)
{
	sum_by_types(types, t);
}

static void halves_anywhere(uint8_t type, const struct halves *h,
	unsigned parts, bool keeps, void *const *d)
{
	sum_halves_by_type(type, h, parts, keeps, d);
}

#ifdef __x86_64__
/* The same, eight at once. */
__attribute__((target("avx2"))) static void sum_by_avx2(
	const struct tile_types *types, struct tile *t)
{
	sum_by_types(types, t);
}

__attribute__((target("avx2"))) static void halves_by_avx2(uint8_t type,
	const struct halves *h, unsigned parts, bool keeps, void *const *d)
{
	sum_halves_by_type(type, h, parts, keeps, d);
}

void plain_halves(uint8_t type, const struct halves *h, unsigned parts,
	bool keeps, void *const *d)
{
	if (__builtin_cpu_supports("avx2"))
		halves_by_avx2(type, h, parts, keeps, d);
	else
		halves_anywhere(type, h, parts, keeps, d);
}

void plain_reals(const struct tile_types *types, struct tile *t)
{
	if (__builtin_cpu_supports("avx2"))
		sum_by_avx2(types, t);
	else
		sum_anywhere(types, t);
}
#else
void plain_halves(uint8_t type, const struct halves *h, unsigned parts,
	bool keeps, void *const *d)
{
	halves_anywhere(type, h, parts, keeps, d);
}

void plain_reals(const struct tile_types *types, struct tile *t)
{
	sum_anywhere(types, t);
}
#endif

void plain_add(uint8_t type, struct tile *t)
{
	unsigned i, n;

	for (i = 0; i < t->m; i++)
		for (n = 0; n < TILE_COLUMNS; n++)
			t->d[i][n] = type == MATRIX_F16
					     ? to_half(from_half(t->d[i][n]) +
						       from_half(t->c[i][n]))
					     : bits_of(from_bits(t->d[i][n]) +
						       from_bits(t->c[i][n]));
}
