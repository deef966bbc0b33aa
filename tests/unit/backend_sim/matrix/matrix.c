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
