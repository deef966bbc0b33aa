/* Four products of 8 x 8 x 4 at once, of a quarter of the warp's lanes each. */
#include "backend_sim/matrix/matrix_parts.h"

typedef uint32_t __attribute__((may_alias)) word;

/* Of lanes 4 q to 4 q + 3, and of those 16 further on. */
struct quarter {
	float a[8][4], b[4][8];
};

static float half_at(const void *const *rows, unsigned lane, unsigned i)
{
	return plain_real(MATRIX_F16,
		((const word *)rows[i / 2])[lane] >> i % 2 * 16 & 0xffff);
}

static void gather(const struct matrix_product *p, unsigned q,
	const void *const *a, const void *const *b, struct quarter *to)
{
	unsigned i, j;

	for (j = 0; j < 8; j++) {
		const unsigned lane = 4 * q + j % 4 + j / 4 * 16;

		for (i = 0; i < 4; i++) {
			const unsigned other = i + j / 4 * 4;
			const float x = half_at(a, lane, i);
			const float y = half_at(b, lane, i);

			if (p->columns & 1)
				to->a[other][j % 4] = x;
			else
				to->a[j][i] = x;
			if (p->columns & 2)
				to->b[i][j] = y;
			else
				to->b[j % 4][other] = y;
		}
	}
}

static float product(
	const struct quarter *of, unsigned row, unsigned column, unsigned k)
{
	return of->a[row][k] * of->b[k][column];
}

/* The assembler (13.0) makes them of f32 for compute capability 9.0, where a
   product of halves is exact: to 0 come four products and then C, or, for sums
   of f16, to C two products and two more. */
static float sum(const struct matrix_product *p, const struct quarter *of,
	unsigned row, unsigned column, float c)
{
	float all = 0;
	unsigned k;

	for (k = 0; p->d != MATRIX_F16 && k < 4; k++)
		all += product(of, row, column, k);
	if (p->d != MATRIX_F16)
		return all + c;
	for (k = 0; k < 4; k += 2)
		c += product(of, row, column, k) +
		     product(of, row, column, k + 1);
	return c;
}

/* Where element `i` of a lane's sums is. */
static void place(bool is_half, unsigned lane, unsigned i, unsigned *row,
	unsigned *column)
{
	*row = is_half ? lane % 4 : lane % 2 + (i & 2);
	*row += lane / 16 * 4;
	*column = is_half ? i : (i & 4) + (lane & 2) + (i & 1);
}

/* C where a sum of the lane is: that of halves may be another lane's. */
static float c_at(const struct matrix_product *p, const void *const *c,
	unsigned lane, unsigned i, unsigned row, unsigned column)
{
	if (p->c == MATRIX_F16)
		return half_at(
			c, row / 4 * 16 + lane / 4 % 4 * 4 + row % 4, column);
	return plain_real(MATRIX_F32, ((const word *)c[i])[lane]);
}

void quarters_multiply(const struct matrix_product *p, const void *const *a,
	const void *const *b, const void *const *c, void *const *d)
{
	uint32_t result[8][MATRIX_LANES];
	struct quarter of[4];
	unsigned i, l, row, column;

	for (i = 0; i < 4; i++)
		gather(p, i, a, b, &of[i]);
	for (l = 0; l < MATRIX_LANES; l++)
		for (i = 0; i < 8; i++) {
			place(p->d == MATRIX_F16, l, i, &row, &column);
			result[i][l] = plain_bits(
				p->d, sum(p, &of[l / 4 % 4], row, column,
					      c_at(p, c, l, i, row, column)));
		}
	for (i = 0; i < (p->d == MATRIX_F16 ? 4 : 8); i++)
		for (l = 0; l < MATRIX_LANES; l++)
			((word *)d[i])[l] =
				p->d == MATRIX_F16
					? result[2 * i][l] |
						  result[2 * i + 1][l] << 16
					: result[i][l];
}
