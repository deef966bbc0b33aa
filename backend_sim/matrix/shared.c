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

/* Eight rows of M or N, and all of K, which takes 32 bytes, as memory has them:
   rows along K, or for each k a chunk of what the eight have. */
union eight {
	_Alignas(32) uint8_t chunks[16][CHUNK];
	uint8_t bytes[8][2 * CHUNK];
	uint16_t halves[8][CHUNK];
	uint16_t turned[TILE_HALVES][8];
	word words[8][CHUNK / 2];
};

/* Where the first chunk of eight rows is, and how far away from it the second
   chunks of rows along K are, or the ninth chunk along K. */
static uint32_t first_of(const struct layout *l, bool by_columns,
	unsigned group, uint32_t *second)
{
	const uint32_t chunks = (l->width ? l->width : CHUNK) / CHUNK;
	const uint32_t across = group % chunks * CHUNK, far = group / chunks;

	/* Of what is exchanged nothing lies beside a row that is along K. */
	*second = !l->width ? l->lead : by_columns ? l->stride : CHUNK;
	if (!by_columns)
		return l->start + group * l->stride;
	return l->start + across + far * (l->width ? l->lead : l->stride);
}

/* The eight rows. False: beyond the memory, at `*beyond`. */
static bool fetch(const struct matrix_operand *o, const struct matrix_memory *m,
	unsigned group, union eight *to, uint32_t *beyond)
{
	const struct layout l = layout_of(o->descriptor);
	const uint32_t width = l.width ? l.width : CHUNK;
	const uint32_t bits = width / CHUNK - 1;
	uint32_t second, at, i, row, chunk;
	const uint32_t first = first_of(&l, o->by_columns, group, &second);

	for (i = 0; i < 16; i++) {
		row = i % 8;
		chunk = o->by_columns ? i : 2 * row + i / 8;
		at = first + i / 8 * second + row * width;
		at ^= (((at >> 7) - l.base) & bits) << 4;
		if (at + (uint64_t)CHUNK > m->size) {
			*beyond = at;
			return false;
		}
		if (m->chunks)
			m->chunks[at / CHUNK / 64] |= UINT64_C(1)
						      << at / CHUNK % 64;
		memcpy(to->chunks[chunk], m->bytes + at, CHUNK);
	}
	return true;
}

/* ---- elements of 16 bits ---- */

typedef uint16_t h8 __attribute__((vector_size(16), may_alias, aligned(2)));

/* Eight rows of eight become columns: rows that are four apart, element by
   element, three times. */
static void turn(
	const uint16_t *from, unsigned step, uint16_t *to, unsigned to_step)
{
	h8 rows[8], next[8];
	unsigned i, round;

	for (i = 0; i < 8; i++)
		rows[i] = *(const h8 *)(from + i * step);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 4; i++) {
			next[2 * i] = __builtin_shufflevector(
				rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
			next[2 * i + 1] = __builtin_shufflevector(rows[i],
				rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
		}
		memcpy(rows, next, sizeof(rows));
	}
	for (i = 0; i < 8; i++)
		*(h8 *)(to + i * to_step) = rows[i];
}

static void change_signs(uint16_t *halves, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		halves[i] ^= 0x8000;
}

/* The 16 rows of the warp. */
static bool take_half_a(const struct matrix_shared *s, unsigned warp,
	struct halves *h, uint32_t *beyond)
{
	union eight rows;
	unsigned i;

	if (s->a_rows)
		tile_take_halves(s->a_rows, h);
	for (i = 0; !s->a_rows && i < 2; i++) {
		if (!fetch(&s->a, s->memory, 2 * warp + i, &rows, beyond))
			return false;
		if (!s->a.by_columns) {
			memcpy(h->a[8 * i], rows.halves, sizeof(rows));
			continue;
		}
		turn(rows.turned[0], 8, h->a[8 * i], TILE_HALVES);
		turn(rows.turned[8], 8, &h->a[8 * i][8], TILE_HALVES);
	}
	if (s->a.negated)
		change_signs(h->a[0], TILE_ROWS * TILE_HALVES);
	return true;
}

static bool take_half_b(const struct matrix_shared *s, unsigned part,
	struct halves *h, uint32_t *beyond)
{
	union eight rows;

	if (!fetch(&s->b, s->memory, part, &rows, beyond))
		return false;
	if (s->b.by_columns) {
		memcpy(h->b[part], rows.turned, sizeof(rows));
	} else {
		turn(rows.halves[0], TILE_HALVES, h->b[part][0], TILE_COLUMNS);
		turn(&rows.halves[0][8], TILE_HALVES, h->b[part][8],
			TILE_COLUMNS);
	}
	if (s->b.negated)
		change_signs(h->b[part][0], TILE_HALVES * TILE_COLUMNS);
	return true;
}

static bool take_halves(const struct matrix_shared *s, unsigned warp,
	struct halves *h, uint32_t *beyond)
{
	unsigned part;

	if (!take_half_a(s, warp, h, beyond))
		return false;
	for (part = 0; part < s->product.n / TILE_COLUMNS; part++)
		if (!take_half_b(s, part, h, beyond))
			return false;
	return true;
}

/* ---- tiles ---- */

static void widen_a(const struct halves *h, struct tile *t)
{
	unsigned i, k;

	for (i = 0; i < TILE_ROWS; i++)
		for (k = 0; k < TILE_HALVES; k++)
			t->a[i][k] = h->a[i][k];
}

static void widen_b(const struct halves *h, unsigned part, struct tile *t)
{
	unsigned k, n;

	for (k = 0; k < TILE_HALVES; k++)
		for (n = 0; n < TILE_COLUMNS; n++)
			t->b[k][n] = h->b[part][k][n];
}

/* Elements of 8 or 32 bits, rows along K: element (row, k) goes to
   to[row * row_step + k * k_step]. */
static void spread(const union eight *rows, uint32_t bits, uint32_t *to,
	unsigned row_step, unsigned k_step)
{
	unsigned row, k;

	for (row = 0; row < 8; row++, to += row_step) {
		for (k = 0; bits == 8 && k < 2 * CHUNK; k++)
			to[k * k_step] = rows->bytes[row][k];
		for (k = 0; bits == 32 && k < CHUNK / 2; k++)
			to[k * k_step] = rows->words[row][k];
	}
}

/* The other sign. */
static void negate(uint8_t type, uint32_t *bits, unsigned count)
{
	const uint32_t sign = 1u << (matrix_bits(type) - 1);
	unsigned i;

	for (i = 0; i < count; i++)
		bits[i] ^= sign;
}

static bool take_a(const struct matrix_shared *s, unsigned warp, struct tile *t,
	uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	union eight rows;
	unsigned i;

	if (s->a_rows)
		tile_take_a(p, s->a_rows, t);
	for (i = 0; !s->a_rows && i < 2; i++) {
		if (!fetch(&s->a, s->memory, 2 * warp + i, &rows, beyond))
			return false;
		spread(&rows, matrix_bits(p->a), t->a[8 * i], TILE_DEPTH, 1);
	}
	for (i = 0; s->a.negated && i < t->m; i++)
		negate(p->a, t->a[i], p->k);
	return true;
}

static bool take_b(const struct matrix_shared *s, unsigned part, struct tile *t,
	uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	union eight rows;
	unsigned k;

	if (!fetch(&s->b, s->memory, part, &rows, beyond))
		return false;
	spread(&rows, matrix_bits(p->b), t->b[0], 1, TILE_COLUMNS);
	for (k = 0; s->b.negated && k < t->k; k++)
		negate(p->b, t->b[k], TILE_COLUMNS);
	return true;
}

/* ---- sums ---- */

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

/* D of columns 8 * part and up, of the tile's A and B. */
static void sum_tile(const struct matrix_shared *s, unsigned part,
	void *const *d, struct tile *t)
{
	const struct matrix_product *p = &s->product;
	void *const *rows = d + (p->d == MATRIX_F16 ? 2 : 4) * part;

	if (s->keeps)
		tile_take_sums(p->d, (const void *const *)rows, t);
	else
		memset(t->c, 0, sizeof(t->c));
	sum(p, t);
	tile_give_sums(p->d, t, rows);
}

static bool multiply_halves(const struct matrix_shared *s, unsigned warp,
	void *const *d, uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	const unsigned parts = p->n / TILE_COLUMNS;
	struct tile t = {.m = TILE_ROWS, .k = p->k};
	struct halves h;
	unsigned part;

	if (!take_halves(s, warp, &h, beyond))
		return false;
	if (p->by_ieee && p->d == MATRIX_F32) {
		plain_halves(p->a, &h, parts, s->keeps, d);
		return true;
	}
	widen_a(&h, &t);
	for (part = 0; part < parts; part++) {
		widen_b(&h, part, &t);
		sum_tile(s, part, d, &t);
	}
	return true;
}

bool matrix_multiply_shared(const struct matrix_shared *s, unsigned warp,
	void *const *d, uint32_t *beyond)
{
	const struct matrix_product *p = &s->product;
	struct tile t = {.m = TILE_ROWS, .k = p->k};
	unsigned part;

	if (matrix_bits(p->a) == 16)
		return multiply_halves(s, warp, d, beyond);
	if (!take_a(s, warp, &t, beyond))
		return false;
	for (part = 0; part < p->n / TILE_COLUMNS; part++) {
		if (!take_b(s, part, &t, beyond))
			return false;
		sum_tile(s, part, d, &t);
	}
	return true;
}
