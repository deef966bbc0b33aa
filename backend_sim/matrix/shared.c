/*
 * Products of matrices that lie in shared memory as a descriptor says (wgmma).
 * Source: PTX ISA 9.0, section 9.7.15.5, and for how sums end, and where base
 * offsets count, tests/oracle/matrix, whose words an H200 left.
 */
#include <string.h>

#include "backend_sim/matrix/matrix_parts.h"

typedef uint32_t __attribute__((may_alias)) word;

#define CHUNK 16u /* they lie side by side in any layout */

/* Fields of a descriptor: bytes, but for the width of a row of the pattern in
   which chunks are exchanged, 0 for none. */
struct layout {
	uint32_t start, lead, stride, width, base;
};

static struct layout layout_of(uint64_t descriptor)
{
	static const uint32_t widths[] = {0, 128, 64, 32};

	return (struct layout){
		.start = (uint32_t)(descriptor & 0x3fff) << 4,
		.lead = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
		.stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
		.width = widths[descriptor >> 62],
		.base = (uint32_t)(descriptor >> 49 & 7),
	};
}

/* Where chunk `chunk` of row `row` is: rows are of M or N, and chunks along K,
   or the other way around. */
static uint32_t place_of(
	const struct layout *l, bool by_k, uint32_t row, uint32_t chunk)
{
	const uint32_t width = l->width ? l->width : CHUNK;
	const uint32_t across = chunk % (width / CHUNK) * CHUNK;
	const uint32_t far = chunk / (width / CHUNK);
	uint32_t at = l->start + row % 8 * width + across;

	/* Of what is exchanged nothing lies beside a row that is along K. */
	if (by_k)
		at += row / 8 * l->stride +
		      (l->width ? far * width : far * l->lead);
	else
		at += l->width ? row / 8 * l->stride + far * l->lead
			       : row / 8 * l->lead + far * l->stride;
	if (!l->width)
		return at;
	return at ^ (((at >> 7) - l->base) & (width / CHUNK - 1)) << 4;
}

/* Eight rows of M or N from `first` on, and all of K: element (row, k) goes to
   to[row * row_step + k * k_step]. False: beyond the memory, at `*beyond`. */
static bool gather(const struct matrix_operand *o,
	const struct matrix_memory *m, uint8_t type, unsigned k, unsigned first,
	uint32_t *to, unsigned row_step, unsigned k_step, uint32_t *beyond)
{
	const struct layout l = layout_of(o->descriptor);
	const unsigned bytes = matrix_bits(type) / 8, each = CHUNK / bytes;
	const unsigned rows = o->by_columns ? k : 8;
	const unsigned chunks = o->by_columns ? 1 : k / each;
	unsigned row, c, e;

	for (row = 0; row < rows; row++)
		for (c = 0; c < chunks; c++) {
			const uint32_t at =
				o->by_columns
					? place_of(&l, false, row, first / 8)
					: place_of(&l, true, first + row, c);
			uint32_t *out = o->by_columns
						? to + row * k_step
						: to + row * row_step +
							  c * each * k_step;
			const unsigned step = o->by_columns ? row_step : k_step;

			if (at + (uint64_t)CHUNK > m->size) {
				*beyond = at;
				return false;
			}
			if (m->chunks)
				m->chunks[at / CHUNK / 64] |=
					UINT64_C(1) << at / CHUNK % 64;
			for (e = 0; e < each; e++) {
				uint32_t bits = 0;

				memcpy(&bits, m->bytes + at + e * bytes, bytes);
				out[e * step] = bits;
			}
		}
	return true;
}

/* The other sign. */
static void negate(uint8_t type, uint32_t *bits, unsigned count)
{
	const uint32_t sign = 1u << (matrix_bits(type) - 1);
	unsigned i;

	for (i = 0; i < count; i++)
		bits[i] ^= sign;
}

static void take_sums(const struct matrix_shared *s, unsigned part,
	void *const *d, struct tile *t)
{
	const bool is_half = s->product.d == MATRIX_F16;
	unsigned i, l;

	memset(t->c, 0, sizeof(t->c));
	for (i = 0; s->keeps && i < (is_half ? 2 : 4); i++) {
		const word *row = d[(is_half ? 2 : 4) * part + i];

		for (l = 0; l < MATRIX_LANES; l++) {
			const unsigned column = l % 4 * 2;

			if (is_half) {
				t->c[8 * i + l / 4][column] = row[l] & 0xffff;
				t->c[8 * i + l / 4][column + 1] = row[l] >> 16;
			} else {
				t->c[i / 2 * 8 + l / 4][column + i % 2] =
					row[l];
			}
		}
	}
}

static void give_sums(const struct matrix_shared *s, unsigned part,
	const struct tile *t, void *const *d)
{
	const bool is_half = s->product.d == MATRIX_F16;
	unsigned i, l;

	for (i = 0; i < (is_half ? 2 : 4); i++) {
		word *row = d[(is_half ? 2 : 4) * part + i];

		for (l = 0; l < MATRIX_LANES; l++) {
			const unsigned column = l % 4 * 2;

			row[l] = is_half ? t->d[8 * i + l / 4][column] |
						   t->d[8 * i + l / 4]
						       [column + 1]
							   << 16
					 : t->d[i / 2 * 8 + l / 4]
					       [column + i % 2];
		}
	}
}

static void sum(const struct matrix_product *p, struct tile *t)
{
	static const struct fused narrow = {13, 13};
	const struct tile_types types = {p->a, p->b, p->d};

	if (matrix_bits(p->a) == 8 && p->a != MATRIX_S8 && p->a != MATRIX_U8 &&
		!p->by_ieee)
		fused_sums(&narrow, &types, t);
	else
		tile_multiply(p, t);
}

/* The 16 rows of the warp. */
static bool take_a(const struct matrix_shared *s, unsigned warp, struct tile *t,
	uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	unsigned i;

	if (s->a_rows)
		tile_take_a(p, s->a_rows, t);
	for (i = 0; !s->a_rows && i < 2; i++)
		if (!gather(&s->a, s->memory, p->a, p->k, 16 * warp + 8 * i,
			    t->a[8 * i], TILE_DEPTH, 1, beyond))
			return false;
	for (i = 0; s->a.negated && i < t->m; i++)
		negate(p->a, t->a[i], p->k);
	return true;
}

bool matrix_multiply_shared(const struct matrix_shared *s, unsigned warp,
	void *const *d, uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	struct tile t = {.m = 16, .k = p->k};
	unsigned part, k;

	if (!take_a(s, warp, &t, beyond))
		return false;
	for (part = 0; part < p->n / 8u; part++) {
		if (!gather(&s->b, s->memory, p->b, p->k, 8 * part, t.b[0], 1,
			    TILE_COLUMNS, beyond))
			return false;
		for (k = 0; s->b.negated && k < t.k; k++)
			negate(p->b, t.b[k], TILE_COLUMNS);
		take_sums(s, part, d, &t);
		sum(p, &t);
		give_sums(s, part, &t, d);
	}
	return true;
}
