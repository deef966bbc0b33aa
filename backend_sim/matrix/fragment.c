/*
 * Fragments of wmma, whose elements PTX leaves to the machine. Source: loads of
 * matrices that hold their own indices, on an H200. They are those of mma: 16
 * rows of A, or 8, and 8 columns of B. Where B has 32 columns, the product is
 * made of what is transposed: B is A, and A is B.
 */
#include <string.h>

#include "backend_sim/matrix/matrix_parts.h"

typedef uint32_t __attribute__((may_alias)) word;

static unsigned each_of(uint8_t type)
{
	const uint32_t bits = matrix_bits(type);

	return bits < 32 ? 32 / bits : 1;
}

unsigned matrix_elements(const struct matrix_fragment *f)
{
	const unsigned count = f->which == MATRIX_OF_A ? (unsigned)f->m * f->k
			       : f->which == MATRIX_OF_B
				       ? (unsigned)f->n * f->k
				       : (unsigned)f->m * f->n;

	/* Those of f16 hold some twice, or four times. */
	return f->type == MATRIX_F16 && f->which != MATRIX_OF_C
		       ? 16
		       : count / MATRIX_LANES;
}

/* Of A, its row and k; of B its column and k. */
static void place_of_factor(const struct matrix_fragment *f, unsigned lane,
	unsigned i, unsigned *row, unsigned *k)
{
	const unsigned each = each_of(f->type);
	const unsigned rows = f->which == MATRIX_OF_A ? f->m : f->n;
	const unsigned blocks = f->k / (4 * each);
	const unsigned first = i / each % (rows * blocks / 8);
	const bool is_tall = f->which == MATRIX_OF_A ? rows >= 16 : rows == 32;
	const unsigned down =
		is_tall ? first / (2 * blocks) * 2 + first % 2 : first / blocks;
	const unsigned along =
		is_tall ? first % (2 * blocks) / 2 : first % blocks;

	*row = lane / 4 + 8 * down;
	*k = each * (lane % 4 + 4 * along) + i % each;
}

void matrix_place(const struct matrix_fragment *f, unsigned lane, unsigned i,
	unsigned *row, unsigned *column)
{
	const unsigned pair = lane % 4 * 2 + i % 2, quad = lane / 4;

	switch (f->which) {
	case MATRIX_OF_A:
		place_of_factor(f, lane, i, row, column);
		break;
	case MATRIX_OF_B:
		place_of_factor(f, lane, i, column, row);
		break;
	default:
		if (f->n == 32) {
			*row = pair;
			*column = quad + i / 2 * 8;
		} else if (f->n == 16) {
			*row = quad + i / 2 % 2 * 8;
			*column = pair + i / 4 * 8;
		} else {
			*row = quad + i / 2 * 8;
			*column = pair;
		}
		break;
	}
}

/* ---- products ---- */

struct whole {
	unsigned k;
	uint32_t a[32][16], b[16][32], c[32][32];
};

static void gather(const struct matrix_fragment *f, const void *const *rows,
	uint32_t *to, unsigned pitch)
{
	const unsigned each = each_of(f->type), bits = 32 / each;
	const uint32_t mask = UINT32_MAX >> (32 - bits);
	unsigned i, l, row, column;

	for (i = 0; i < matrix_elements(f); i++)
		for (l = 0; l < MATRIX_LANES; l++) {
			matrix_place(f, l, i, &row, &column);
			to[row * pitch + column] =
				((const word *)rows[i / each])[l] >>
					i % each * bits &
				mask;
		}
}

static void scatter(const struct matrix_fragment *f, const uint32_t *from,
	unsigned pitch, void *const *rows)
{
	const unsigned each = each_of(f->type), bits = 32 / each;
	unsigned i, l, row, column;

	for (l = 0; l < MATRIX_LANES; l++) {
		uint32_t w = 0;

		for (i = 0; i < matrix_elements(f); i++) {
			matrix_place(f, l, i, &row, &column);
			w |= from[row * pitch + column] << i % each * bits;
			if (i % each + 1 < each)
				continue;
			((word *)rows[i / each])[l] = w;
			w = 0;
		}
	}
}

/* 16 rows, or 8, and 8 columns. The assembler (13.0) makes those of tf32 of two
   products of four elements. */
static void multiply_part(const struct matrix_product *p, struct whole *w,
	unsigned first, unsigned column)
{
	struct tile t = {.m = p->m < 16 ? p->m : 16,
		.k = p->a == MATRIX_TF32 ? 4 : p->k};
	unsigned i, k, at;

	for (at = 0; at < p->k; at += t.k) {
		for (i = 0; i < t.m; i++) {
			memcpy(t.a[i], &w->a[first + i][at],
				t.k * sizeof(t.a[i][0]));
			memcpy(t.c[i], &w->c[first + i][column],
				sizeof(t.c[i]));
		}
		for (k = 0; k < t.k; k++)
			memcpy(t.b[k], &w->b[at + k][column], sizeof(t.b[k]));
		tile_multiply(p, &t);
		for (i = 0; i < t.m; i++)
			memcpy(&w->c[first + i][column], t.d[i],
				sizeof(t.d[i]));
	}
}

/* Each sum as another type. */
static void convert(const struct matrix_product *p, struct whole *w,
	uint8_t from, uint8_t to)
{
	unsigned i, n;

	for (i = 0; from != to && i < p->m; i++)
		for (n = 0; n < p->n; n++)
			w->c[i][n] =
				plain_bits(to, plain_real(from, w->c[i][n]));
}

void matrix_multiply_fragments(const struct matrix_product *p,
	const void *const *a, const void *const *b, const void *const *c,
	void *const *d)
{
	struct matrix_fragment f = {MATRIX_OF_A, p->a, p->m, p->n, p->k};
	/* Of D and C one is f16: sums are of f32. */
	const uint8_t sums = p->c == p->d ? p->d : MATRIX_F32;
	struct matrix_product part = *p;
	struct whole w = {.k = p->k};
	unsigned i, n;

	if (p->a == MATRIX_F64) {
		matrix_multiply(p, a, b, c, d);
		return;
	}
	part.c = part.d = sums;
	gather(&f, a, w.a[0], 16);
	f.which = MATRIX_OF_B;
	f.type = p->b;
	gather(&f, b, w.b[0], 32);
	f.which = MATRIX_OF_C;
	f.type = p->c;
	gather(&f, c, w.c[0], 32);
	convert(p, &w, p->c, sums);
	for (i = 0; i < p->m; i += 16)
		for (n = 0; n < p->n; n += TILE_COLUMNS)
			multiply_part(&part, &w, i, n);
	convert(p, &w, sums, p->d);
	f.type = p->d;
	scatter(&f, w.c[0], 32, d);
}
