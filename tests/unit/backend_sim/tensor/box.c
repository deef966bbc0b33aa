/* Boxes of tensors against the words that hardware copied. Operands are drawn
   from seeds, here as on the GPU. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/copies.h"
#include "backend_sim/tensor/box.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define AREA_BYTES   (128u * 1024u)
#define SHARED_BYTES (200u * 1024u)

/* ---- operands ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Exponent and fraction of the type's reals, in bits. */
static void widths(uint8_t type, unsigned *exponent, unsigned *fraction)
{
	*exponent = *fraction = 0;
	if (!tensor_types[type].is_real)
		return;
	*exponent = type == TENSOR_F16 ? 5 : type == TENSOR_F64 ? 11 : 8;
	*fraction = 8u * tensor_types[type].bytes - 1 - *exponent;
}

static uint64_t whole(uint8_t type, uint64_t h)
{
	const uint64_t top = UINT64_MAX >> (64 - 8 * tensor_types[type].bytes);
	const uint64_t k = h & 7, v = h >> 40 & 15;

	return k < 4    ? v
	       : k < 6  ? top - v
	       : k == 6 ? top / 2 - v
			: top / 2 + 1 + v;
}

/* Zeros, the ends of the range, numbers below the least normal one, what is no
   number. */
static uint64_t special(uint64_t h, unsigned e, unsigned m)
{
	const uint64_t all = (UINT64_C(1) << e) - 1;
	const uint64_t full = (UINT64_C(1) << m) - 1;
	const uint64_t bias = (UINT64_C(1) << (e - 1)) - 1, man = h & full;
	const uint64_t of[16] = {0, 1, full, UINT64_C(1) << m,
		(all - 1) << m | full, all << m,
		all << m | UINT64_C(1) << (m - 1), all << m | 1,
		all << m | full, bias << m, man, UINT64_C(1) << m | man,
		(all - 1) << m | man, all << m | man | 1, bias << m | man,
		bias << m | man};

	return (h >> 63) << (e + m) | of[h >> 54 & 15];
}

/* Ties of tf32, and numbers near them. */
static uint64_t tie(uint64_t h)
{
	static const uint64_t low[8] = {
		0x1000, 0x0fff, 0x1001, 0, 0x1fff, 0x1000, 0x3000, 0x2000};

	return (h & ~UINT64_C(0x3fff)) |
	       (low[h >> 40 & 7] ^ (h >> 44 & 1) << 13);
}

static uint64_t draw(uint8_t type, int kind, uint64_t seed, uint64_t i)
{
	const uint64_t h = mix(seed * UINT64_C(0x9e3779b97f4a7c15) + i + 1);
	unsigned e, m;

	widths(type, &e, &m);
	if (!kind || (!e && kind == 1))
		return h;
	if (!e)
		return whole(type, h);
	if (kind == 1)
		return (h >> 63) << (e + m) |
		       ((UINT64_C(1) << (e - 1)) - 6 + (h >> 54 & 7)) << m |
		       (h & ((UINT64_C(1) << m) - 1));
	return kind == 3 ? tie(h) : special(h, e, m);
}

static void fill(
	uint8_t *at, uint32_t bytes, uint8_t type, int kind, uint64_t seed)
{
	const uint32_t size = tensor_types[type].bytes;
	uint32_t i;

	for (i = 0; i < bytes / size; i++) {
		const uint64_t value = draw(type, kind, seed, i);

		memcpy(at + i * size, &value, size);
	}
}

/* ---- cases ---- */

enum { LOAD, STORE, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };

struct box_case {
	uint8_t op, type, rank, interleave, swizzle, fill;
	uint32_t begin;
	uint64_t dims[5], strides[4];
	uint32_t box[5], elements[5];
	int32_t at[5];
	uint32_t shared;
	int64_t kind;
	uint64_t seed, words;
	uint64_t digest;
};

static const struct box_case cases[] = {
#include "tests/unit/backend_sim/tensor/boxes.inc"
};

struct memories {
	const struct box_case *c;
	struct tensor_map map;
	struct atomic reduces;
	uint64_t bytes; /* of all runs */
	uint8_t area[AREA_BYTES], shared[SHARED_BYTES];
};

static struct atomic atomic_in(const struct box_case *c)
{
	static const uint8_t operations[] = {[ADD] = QV_ATOMIC_add,
		[MIN] = QV_ATOMIC_min,
		[MAX] = QV_ATOMIC_max,
		[INC] = QV_ATOMIC_inc,
		[DEC] = QV_ATOMIC_dec,
		[AND] = QV_ATOMIC_and,
		[OR] = QV_ATOMIC_or,
		[XOR] = QV_ATOMIC_xor};
	static const uint8_t types[TENSOR_TYPE_COUNT] = {[TENSOR_U32] = PTX_u32,
		[TENSOR_S32] = PTX_s32,
		[TENSOR_U64] = PTX_u64,
		[TENSOR_S64] = PTX_s64,
		[TENSOR_F16] = PTX_f16,
		[TENSOR_BF16] = PTX_bf16,
		[TENSOR_F32] = PTX_f32,
		[TENSOR_F32_FTZ] = PTX_f32,
		[TENSOR_TF32] = PTX_f32,
		[TENSOR_TF32_FTZ] = PTX_f32,
		[TENSOR_F64] = PTX_f64};

	return (struct atomic){.op = operations[c->op],
		.type = types[c->type],
		.bytes = tensor_types[c->type].bytes,
		.flushes = c->type == TENSOR_F32_FTZ ||
			   c->type == TENSOR_TF32_FTZ};
}

static void load(struct memories *m, const struct tensor_run *run)
{
	const bool rounds =
		m->c->type == TENSOR_TF32 || m->c->type == TENSOR_TF32_FTZ;
	const uint64_t outside = m->c->fill ? TENSOR_NAN : 0;
	uint32_t i, word;

	for (i = 0; run->global == TENSOR_OUTSIDE && i < run->bytes; i++)
		m->shared[run->shared + i] =
			(uint8_t)(outside >> (run->shared + i) % 8 * 8);
	if (run->global == TENSOR_OUTSIDE)
		return;
	memcpy(m->shared + run->shared, m->area + run->global, run->bytes);
	for (i = 0; rounds && i < run->bytes; i += 4) {
		memcpy(&word, m->shared + run->shared + i, 4);
		word = tensor_tf32(word);
		memcpy(m->shared + run->shared + i, &word, 4);
	}
}

static void reduce(struct memories *m, const struct tensor_run *run)
{
	const uint32_t size = m->reduces.bytes;
	uint32_t i;

	for (i = 0; i < run->bytes; i += size) {
		uint64_t was = 0, with = 0;

		memcpy(&was, m->area + run->global + i, size);
		memcpy(&with, m->shared + run->shared + i, size);
		was = copies_reduced(&m->reduces, was, with, true);
		memcpy(m->area + run->global + i, &was, size);
	}
}

static bool take(void *object, const struct tensor_run *run)
{
	struct memories *m = object;

	m->bytes += run->bytes;
	if (m->c->op == LOAD)
		load(m, run);
	else if (run->global == TENSOR_OUTSIDE)
		return true;
	else if (m->c->op == STORE)
		memcpy(m->area + run->global, m->shared + run->shared,
			run->bytes);
	else
		reduce(m, run);
	return true;
}

static uint64_t digest(const uint8_t *at, uint32_t words)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t i, word;

	for (i = 0; i < words; i++) {
		memcpy(&word, at + 4 * i, 4);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static void begin(struct memories *m, const struct box_case *c)
{
	uint32_t i, word;

	m->c = c;
	m->bytes = 0;
	m->map = (struct tensor_map){.address = c->begin,
		.rank = c->rank,
		.type = c->type,
		.interleave = c->interleave,
		.swizzle = c->swizzle,
		.fill = c->fill};
	memcpy(m->map.dims, c->dims, sizeof(c->dims));
	memcpy(m->map.strides, c->strides, sizeof(c->strides));
	memcpy(m->map.box, c->box, sizeof(c->box));
	memcpy(m->map.elements, c->elements, sizeof(c->elements));
	m->reduces = atomic_in(c);
	fill(m->area, AREA_BYTES, c->type, c->kind, c->seed);
	if (c->op != LOAD)
		fill(m->shared, SHARED_BYTES, c->type, c->kind, c->seed + 1);
	for (i = 0; c->op == LOAD && i < SHARED_BYTES / 4; i++) {
		word = 0xa5000000u | i;
		memcpy(m->shared + 4 * i, &word, 4);
	}
}

Test(tensor_box, moves_the_words_that_hardware_moves)
{
	struct memories *m = malloc(sizeof(*m));
	size_t i;

	cr_assert(m);
	for (i = 0; i < COUNT(cases); i++) {
		const struct box_case *c = &cases[i];

		begin(m, c);
		cr_expect(tensor_box_begins(&m->map, c->at), "row %zu", i);
		cr_expect(tensor_box_runs(&m->map, c->at, c->shared,
				  c->op != LOAD, take, m),
			"row %zu", i);
		cr_expect_eq(m->bytes, tensor_box_bytes(&m->map), "row %zu", i);
		cr_expect_eq(
			digest(c->op == LOAD ? m->shared : m->area, c->words),
			c->digest, "row %zu", i);
	}
	free(m);
}

static bool stop(void *object, const struct tensor_run *run)
{
	(void)run;
	return --*(int *)object > 0;
}

Test(tensor_box, stops_when_it_is_told_to)
{
	const struct tensor_map m = {.dims = {8, 8},
		.strides = {4096},
		.box = {8, 8},
		.elements = {1, 1},
		.rank = 2,
		.type = TENSOR_U32};
	const int32_t at[TENSOR_RANK_MAX] = {0};
	int left = 3;

	cr_expect_not(tensor_box_runs(&m, at, 0, false, stop, &left));
	cr_expect_eq(left, 0);
}

Test(tensor_box, begins_at_whole_pieces)
{
	const struct tensor_map m = {.rank = 1, .type = TENSOR_U16};
	const int32_t whole_piece = -8, part = 4;

	cr_expect(tensor_box_begins(&m, &whole_piece));
	cr_expect_not(tensor_box_begins(&m, &part));
}
