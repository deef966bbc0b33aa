/* Sums of products as the hardware makes them. */
#include <criterion/criterion.h>
#include <string.h>

#include "backend_sim/matrix/matrix.h"

#define LANES MATRIX_LANES

/* A and B hold the same value everywhere but at k = 0, C everywhere. */
struct operands {
	uint32_t a[4][LANES], b[2][LANES], c[4][LANES], d[4][LANES];
};

static void fill(struct operands *o, uint16_t first, uint16_t others,
	uint16_t b, uint32_t c)
{
	unsigned i, l;

	for (i = 0; i < 4; i++)
		for (l = 0; l < LANES; l++) {
			o->a[i][l] = (uint32_t)others << 16 |
				     (i < 2 && l % 4 == 0 ? first : others);
			o->b[i / 2][l] = (uint32_t)b << 16 | b;
			o->c[i][l] = c;
		}
}

static uint32_t sum(struct operands *o, uint8_t type, bool by_ieee)
{
	const struct matrix_product p = {
		.d = MATRIX_F32,
		.a = type,
		.b = type,
		.c = MATRIX_F32,
		.m = 16,
		.n = 8,
		.k = 16,
		.by_ieee = by_ieee,
	};
	const void *a[] = {o->a[0], o->a[1], o->a[2], o->a[3]};
	const void *b[] = {o->b[0], o->b[1]};
	const void *c[] = {o->c[0], o->c[1], o->c[2], o->c[3]};
	void *d[] = {o->d[0], o->d[1], o->d[2], o->d[3]};
	unsigned i, l;

	matrix_multiply(&p, a, b, c, d);
	for (i = 0; i < 4; i++)
		for (l = 0; l < LANES; l++)
			cr_assert_eq(o->d[i][l], o->d[0][0]);
	return o->d[0][0];
}

/* 2^-14 in bf16 is 0x3880, 2^-12 0x3980, 1 0x3f80. */
Test(matrix_sums, what_is_25_bits_below_the_largest_is_cut)
{
	struct operands o;

	/* 15 products of 2^-26 beside 1: nothing is left, but all of 2^-24 are
	   there, of which 15 make more than half a unit of f32. */
	fill(&o, 0, 0x3280, 0x3f80, 0x3f800000);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0x3f800000);
	fill(&o, 0, 0x3380, 0x3f80, 0x3f800000);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0x3f800007);
	/* One after the other each is lost, or is rounded to the even. */
	cr_expect_eq(sum(&o, MATRIX_BF16, true), 0x3f800000);
}

Test(matrix_sums, a_sum_of_f32_is_cut)
{
	struct operands o;

	/* 1 + 15 * 2^-25: less than a unit, and more than half of one. */
	fill(&o, 0, 0x3300, 0x3f80, 0x3f800000);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0x3f800003);
	fill(&o, 0, 0xb300, 0x3f80, 0x3f800000);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0x3f7ffff8);
}

Test(matrix_sums, no_sum_is_minus_zero)
{
	struct operands o;

	fill(&o, 0x8000, 0x8000, 0x3f80, 0x80000000);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0);
	cr_expect_eq(sum(&o, MATRIX_BF16, true), 0x80000000);
}

Test(matrix_sums, infinite_and_none)
{
	struct operands o;

	fill(&o, 0x7c00, 0x3c00, 0x3c00, 0);
	cr_expect_eq(sum(&o, MATRIX_F16, false), 0x7f800000);
	fill(&o, 0xfc00, 0x3c00, 0x3c00, 0);
	cr_expect_eq(sum(&o, MATRIX_F16, false), 0xff800000);
	fill(&o, 0xfc00, 0x7c00, 0x3c00, 0);
	cr_expect_eq(sum(&o, MATRIX_F16, false), 0x7fffffff);
	fill(&o, 0x7c00, 0x3c00, 0, 0);
	cr_expect_eq(sum(&o, MATRIX_F16, false), 0x7fffffff);
	fill(&o, 0x7c01, 0x3c00, 0x3c00, 0);
	cr_expect_eq(sum(&o, MATRIX_F16, false), 0x7fffffff);
	cr_expect_eq(sum(&o, MATRIX_F16, true), 0x7fffffff);
	/* Too large for f32. */
	fill(&o, 0x7f7f, 0x7f7f, 0x7f7f, 0);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 0x7f800000);
}

/* Products far below f32's exponents count before the sum is cut. */
Test(matrix_sums, subnormal_sums)
{
	struct operands o;

	/* 16 products of 2^-149. */
	fill(&o, 0x0080, 0x0080, 0x3400, 0);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 16);
	fill(&o, 0x0080, 0x0080, 0x3400, 0x80000001);
	cr_expect_eq(sum(&o, MATRIX_BF16, false), 15);
}

/* ---- operands in shared memory ---- */

#define ROWS    64u
#define COLUMNS 24u
#define DEPTH   16u

struct shared_operands {
	uint16_t a[ROWS][DEPTH], b[DEPTH][COLUMNS];
	uint8_t memory[ROWS * DEPTH * 2 + DEPTH * COLUMNS * 2];
};

/* Of either sign, of 2^-8 to 2^7, seven bits of a mantissa. */
static uint16_t draw(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint16_t)((*state >> 31) << 15 |
			  (119 + (*state >> 24 & 15)) << 7 |
			  (*state >> 12 & 127));
}

/* Chunks of eight elements: of A along K, eight rows one after the other; of B
   along K or along N. */
static void lay_out(struct shared_operands *o, bool b_by_columns)
{
	uint16_t *a = (uint16_t *)o->memory, *b = a + ROWS * DEPTH;
	unsigned i, k;

	for (i = 0; i < ROWS; i++)
		for (k = 0; k < DEPTH; k++)
			a[i / 8 * 128 + k / 8 * 64 + i % 8 * 8 + k % 8] =
				o->a[i][k];
	for (i = 0; i < COLUMNS; i++)
		for (k = 0; k < DEPTH; k++)
			b[i / 8 * 128 + k / 8 * 64 +
				(b_by_columns ? k % 8 * 8 + i % 8
					      : i % 8 * 8 + k % 8)] =
				o->b[k][i];
}

static float value(uint16_t bits)
{
	const uint32_t word = (uint32_t)bits << 16;
	float x;

	memcpy(&x, &word, sizeof(x));
	return x;
}

static void check_sums(const struct shared_operands *o, unsigned warp,
	uint32_t d[COLUMNS / 2][LANES])
{
	unsigned i, l, k;

	for (i = 0; i < COLUMNS / 2; i++)
		for (l = 0; l < LANES; l++) {
			const unsigned row = 16 * warp + l / 4 + i / 2 % 2 * 8;
			const unsigned column = i / 4 * 8 + l % 4 * 2 + i % 2;
			float sum = 1, found;

			for (k = 0; k < DEPTH; k++)
				sum += value(o->a[row][k]) *
				       value(o->b[k][column]);
			memcpy(&found, &d[i][l], sizeof(found));
			cr_assert_eq(found, sum);
		}
}

static void multiply_shared(struct shared_operands *o, bool b_by_columns)
{
	const uint64_t start = ROWS * DEPTH * 2 / 16;
	const struct matrix_memory memory = {
		o->memory, sizeof(o->memory), NULL};
	const struct matrix_shared s = {
		.product = {MATRIX_F32, MATRIX_BF16, MATRIX_BF16, MATRIX_F32,
			ROWS, COLUMNS, DEPTH, .by_ieee = true},
		.memory = &memory,
		.a = {(uint64_t)8 << 16 | (uint64_t)16 << 32},
		/* along N what is called lead and stride changes places */
		.b = {start | (uint64_t)8 << 16 | (uint64_t)16 << 32,
			b_by_columns},
		.keeps = true,
	};
	uint32_t d[COLUMNS / 2][LANES], beyond;
	void *rows[COLUMNS / 2];
	unsigned warp, i, l;

	lay_out(o, b_by_columns);
	for (warp = 0; warp < ROWS / 16; warp++) {
		for (i = 0; i < COLUMNS / 2; i++) {
			rows[i] = d[i];
			for (l = 0; l < LANES; l++)
				d[i][l] = 0x3f800000;
		}
		cr_assert(matrix_multiply_shared(&s, warp, rows, &beyond));
		check_sums(o, warp, d);
	}
}

Test(matrix_sums, sums_of_the_host_come_one_after_the_other)
{
	static struct shared_operands o;
	uint32_t state = 1;
	unsigned i;

	for (i = 0; i < ROWS * DEPTH; i++)
		o.a[i / DEPTH][i % DEPTH] = draw(&state);
	for (i = 0; i < DEPTH * COLUMNS; i++)
		o.b[i / COLUMNS][i % COLUMNS] = draw(&state);
	multiply_shared(&o, false);
	multiply_shared(&o, true);
}
