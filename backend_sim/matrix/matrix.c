/* Fragments become tiles, and tiles fragments. */
#include <math.h>
#include <string.h>

#include "backend_sim/matrix/matrix_parts.h"

typedef uint32_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias)) wide_word;

#define DOUBLE_QUIET (UINT64_C(1) << 51)

/* Sums of all types but the products of elements of eight bits in shared
   memory. */
static const struct fused full = {25, 23};

const struct matrix_format matrix_formats[MATRIX_TYPES] = {
	[MATRIX_F16] = {10, 5, true, 0},
	[MATRIX_BF16] = {7, 8, true, 0},
	[MATRIX_TF32] = {10, 8, true, 13},
	[MATRIX_E4M3] = {3, 4, false, 0},
	[MATRIX_E5M2] = {2, 5, true, 0},
	[MATRIX_F32] = {23, 8, true, 0},
	[MATRIX_F64] = {52, 11, true, 0},
};

uint32_t matrix_bits(uint8_t type)
{
	switch (type) {
	case MATRIX_F16:
	case MATRIX_BF16:
		return 16;
	case MATRIX_E4M3:
	case MATRIX_E5M2:
	case MATRIX_S8:
	case MATRIX_U8:
		return 8;
	case MATRIX_F64:
		return 64;
	default:
		return 32;
	}
}

/* ---- where elements are: eight rows of four registers, one after the other;
   the lane says the row and the register ---- */

static inline __attribute__((always_inline)) void gather_a_of(unsigned bits,
	unsigned halves, unsigned count, const void *const *rows,
	struct tile *t)
{
	const unsigned each = 32 / bits;
	const uint32_t mask = UINT32_MAX >> (32 - bits);
	unsigned i, r, j, e;

	for (i = 0; i < count; i++) {
		const word *row = rows[i];

		for (r = 0; r < 8; r++, row += 4) {
			uint32_t *to = &t->a[8 * (i % halves) + r]
					    [4 * each * (i / halves)];

			for (j = 0; j < 4; j++)
				for (e = 0; e < each; e++)
					to[j * each + e] =
						row[j] >> e * bits & mask;
		}
	}
}

static inline __attribute__((always_inline)) void gather_b_of(
	unsigned bits, unsigned count, const void *const *rows, struct tile *t)
{
	const unsigned each = 32 / bits;
	const uint32_t mask = UINT32_MAX >> (32 - bits);
	unsigned i, n, j, e;

	for (i = 0; i < count; i++) {
		const word *row = rows[i];

		for (n = 0; n < TILE_COLUMNS; n++, row += 4)
			for (j = 0; j < 4; j++)
				for (e = 0; e < each; e++)
					t->b[4 * each * i + j * each + e][n] =
						row[j] >> e * bits & mask;
	}
}

/* Halves of 16 rows, which are most, by themselves: in constants. */
void tile_take_a(
	const struct matrix_product *p, const void *const *rows, struct tile *t)
{
	const unsigned bits = matrix_bits(p->a);
	const unsigned count = t->m * p->k * bits / 32 / MATRIX_LANES;

	if (bits == 16 && t->m == 16)
		gather_a_of(16, 2, count, rows, t);
	else
		gather_a_of(bits, t->m / 8, count, rows, t);
}

void tile_take_halves(const void *const *rows, struct halves *h)
{
	unsigned i, r;

	for (i = 0; i < 4; i++)
		for (r = 0; r < 8; r++)
			memcpy(&h->a[8 * (i % 2) + r][8 * (i / 2)],
				(const word *)rows[i] + 4 * r,
				4 * sizeof(word));
}

static void gather_b(
	const struct matrix_product *p, const void *const *rows, struct tile *t)
{
	const unsigned bits = matrix_bits(p->b);
	const unsigned count = p->n * p->k * bits / 32 / MATRIX_LANES;

	if (bits == 16)
		gather_b_of(16, count, rows, t);
	else
		gather_b_of(bits, count, rows, t);
}

/* Two registers have the columns of a row in turn. */
void tile_take_sums(uint8_t type, const void *const *rows, struct tile *t)
{
	const bool is_half = type == MATRIX_F16;
	unsigned i, r, j;

	for (i = 0; i < t->m / 8; i++) {
		const word *even = rows[is_half ? i : 2 * i];
		const word *odd = is_half ? NULL : rows[2 * i + 1];

		for (r = 0; r < 8; r++, even += 4) {
			uint32_t *to = t->c[8 * i + r];

			for (j = 0; is_half && j < 4; j++) {
				to[2 * j] = even[j] & 0xffff;
				to[2 * j + 1] = even[j] >> 16;
			}
			for (j = 0; !is_half && j < 4; j++) {
				to[2 * j] = even[j];
				to[2 * j + 1] = odd[4 * r + j];
			}
		}
	}
}

void tile_give_sums(uint8_t type, const struct tile *t, void *const *rows)
{
	const bool is_half = type == MATRIX_F16;
	unsigned i, r, j;

	for (i = 0; i < t->m / 8; i++) {
		word *even = rows[is_half ? i : 2 * i];
		word *odd = is_half ? NULL : rows[2 * i + 1];

		for (r = 0; r < 8; r++, even += 4) {
			const uint32_t *from = t->d[8 * i + r];

			for (j = 0; is_half && j < 4; j++)
				even[j] = from[2 * j] | from[2 * j + 1] << 16;
			for (j = 0; !is_half && j < 4; j++) {
				even[j] = from[2 * j];
				odd[4 * r + j] = from[2 * j + 1];
			}
		}
	}
}

/* ---- products of reals ---- */

/* Elements of eight bits become halves, of which the hardware makes two
   products: of the first two of each four, then of the other two. */
static void take_half(const struct matrix_product *p, const struct tile *all,
	unsigned which, struct tile *t)
{
	unsigned i, k, n;

	for (k = 0; k < t->k; k++) {
		const unsigned from = k / 2 * 4 + k % 2 + 2 * which;

		for (i = 0; i < t->m; i++)
			t->a[i][k] = plain_half(p->a, all->a[i][from]);
		for (n = 0; n < TILE_COLUMNS; n++)
			t->b[k][n] = plain_half(p->b, all->b[from][n]);
	}
}

/* C is added to what both give. */
static void multiply_bytes(const struct matrix_product *p, struct tile *t)
{
	const struct tile_types types = {MATRIX_F16, MATRIX_F16, p->d};
	struct tile half = {.m = t->m, .k = t->k / 2};

	take_half(p, t, 0, &half);
	fused_sums(&full, &types, &half);
	memcpy(half.c, half.d, sizeof(half.c));
	take_half(p, t, 1, &half);
	fused_sums(&full, &types, &half);
	memcpy(t->d, half.d, sizeof(t->d));
	plain_add(p->d, t);
}

void tile_multiply(const struct matrix_product *p, struct tile *t)
{
	const struct tile_types types = {p->a, p->b, p->d};

	if (p->a == MATRIX_S8 || p->a == MATRIX_U8)
		plain_whole(&types, p->saturates, t);
	else if (p->by_ieee)
		plain_reals(&types, t);
	else if (matrix_bits(p->a) == 8)
		multiply_bytes(p, t);
	else
		fused_sums(&full, &types, t);
}

/* ---- f64 ---- */

static double double_at(const void *row, unsigned lane)
{
	double value;

	memcpy(&value, (const wide_word *)row + lane, sizeof(value));
	return value;
}

/* What is no number stays what it was: the second factor before the sum, and
   the sum before the first one. */
static double fuse(double a, double b, double c)
{
	const double *none = b != b ? &b : c != c ? &c : a != a ? &a : NULL;
	uint64_t bits;
	double result = fma(a, b, c);

	if (!none)
		return result;
	memcpy(&bits, none, sizeof(bits));
	bits |= DOUBLE_QUIET;
	memcpy(&result, &bits, sizeof(bits));
	return result;
}

/* One product after the other, each rounded once with its sum. */
static void multiply_doubles(const struct matrix_product *p,
	const void *const *a, const void *const *b, const void *const *c,
	void *const *d)
{
	const unsigned halves = p->m / 8;
	double result[4][MATRIX_LANES];
	unsigned i, l, k;

	for (i = 0; i < 2 * halves; i++)
		for (l = 0; l < MATRIX_LANES; l++) {
			const unsigned row = l / 4 * 4;
			const unsigned column = (l % 4 * 2 + i % 2) * 4;
			double sum = double_at(c[i], l);

			for (k = 0; k < p->k; k++)
				sum = fuse(
					double_at(a[i / 2 + halves * (k / 4)],
						row + k % 4),
					double_at(b[k / 4], column + k % 4),
					sum);
			result[i][l] = sum;
		}
	for (i = 0; i < 2 * halves; i++)
		memcpy(d[i], result[i], sizeof(result[i]));
}

void matrix_multiply(const struct matrix_product *p, const void *const *a,
	const void *const *b, const void *const *c, void *const *d)
{
	struct tile t;

	if (p->a == MATRIX_F64) {
		multiply_doubles(p, a, b, c, d);
		return;
	}
	if (p->a == MATRIX_F16 && p->k == 4) {
		quarters_multiply(p, a, b, c, d);
		return;
	}
	t.m = p->m;
	t.k = p->k;
	if (p->k < 8)
		memset(t.a, 0, sizeof(t.a));
	tile_take_a(p, a, &t);
	gather_b(p, b, &t);
	tile_take_sums(p->c, c, &t);
	tile_multiply(p, &t);
	tile_give_sums(p->d, &t, d);
}
