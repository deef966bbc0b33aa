/* What loads, stores and atomics do to the memory. */
#include <string.h>

#include "backend_sim/grid/access.h"
#include "backend_sim/kernel/run_parts.h"

/* Words of 32 bits into registers of as many: most loads are such. */
static void load_words(struct access_of *a, row_u32 *row, uint32_t offset)
{
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);

		memcpy(&row[l], a->place[l] + offset, sizeof(row[l]));
	}
}

static void load_element(struct access_of *a, uint32_t element)
{
	const struct code_insn *c = a->c;
	bool is_signed = ptx_types[c->insn->type].kind == 's';
	void *row = kernel_row(a->g, a->k, &c->rows[element]);
	uint32_t rest;

	if (c->rows[element].is_constant)
		return;
	if (c->bytes == 4 && !c->wide_rows) {
		load_words(a, row, element * 4);
		return;
	}
	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t value =
			access_bits(a->place[l] + element * c->bytes, c->bytes);

		value = is_signed ? access_signed(value, c->bytes) : value;
		if (c->wide_rows)
			((row_u64 *)row)[l] = value;
		else
			((row_u32 *)row)[l] = (uint32_t)value;
	}
}

static void store_words(
	struct access_of *a, const row_u32 *row, uint32_t offset)
{
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);

		memcpy(a->place[l] + offset, &row[l], sizeof(row[l]));
	}
}

static void store_element(struct access_of *a, uint32_t element)
{
	const struct code_insn *c = a->c;
	const void *row = kernel_row(a->g, a->k, &c->rows[element]);
	bool wide = c->wide_rows;
	uint32_t rest;

	if (c->bytes == 4 && !wide) {
		store_words(a, row, element * 4);
		return;
	}
	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t value = wide ? ((const row_u64 *)row)[l]
				      : ((const row_u32 *)row)[l];

		memcpy(a->place[l] + element * c->bytes, &value, c->bytes);
	}
}

static uint64_t operand(
	const struct access_of *a, uint32_t source, unsigned lane)
{
	const struct row *r = &a->c->s[source];
	const void *row = kernel_row(a->g, a->k, r);

	return a->c->bytes == 8 ? ((const row_u64 *)row)[lane]
				: ((const row_u32 *)row)[lane];
}

/* ---- atomics of vectors ---- */

static uint64_t element(const struct access_of *a, uint32_t row, unsigned lane)
{
	const void *words = kernel_row(a->g, a->k, &a->c->rows[row]);

	return a->c->bytes == 8 ? ((const row_u64 *)words)[lane]
				: ((const row_u32 *)words)[lane];
}

static void give(
	const struct access_of *a, uint32_t i, unsigned lane, uint64_t was)
{
	const struct row *r = &a->c->results[i];

	if (a->c->insn->op != PTXO_ATOM || r->is_constant)
		return;
	if (a->c->bytes == 8)
		((row_u64 *)kernel_row(a->g, a->k, r))[lane] = was;
	else
		((row_u32 *)kernel_row(a->g, a->k, r))[lane] = (uint32_t)was;
}

/* All words are as expected. */
static bool agrees(const struct access_of *a, unsigned lane)
{
	uint32_t i;

	for (i = 0; i < a->c->count; i++)
		if (access_bits(a->place[lane] + i * a->c->bytes,
			    a->c->bytes) != element(a, i, lane))
			return false;
	return true;
}

/* Each element by itself; what is compared as a whole. */
static bool change_vector(struct access_of *a, unsigned l)
{
	const struct code_insn *c = a->c;
	const bool compares = c->insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_cas;
	const bool stores = compares && agrees(a, l);
	const struct atomic of = atomic_of(c);
	bool known = true;
	uint32_t i;

	for (i = 0; known && i < c->count; i++) {
		uint8_t *place = a->place[l] + i * c->bytes;
		const uint64_t was = access_bits(place, c->bytes);
		uint64_t now = was;

		if (!compares)
			now = atomic_result(&of, was, element(a, i, l), 0,
				a->global >> l & 1, &known);
		else if (stores)
			now = element(a, c->count + i, l);
		memcpy(place, &now, c->bytes);
		give(a, i, l, was);
	}
	return known;
}

/* Sums of 32-bit integers, which most are. */
static void add_words(struct access_of *a, row_u32 *returned)
{
	const row_u32 *by = kernel_row(a->g, a->k, &a->c->s[1]);
	uint32_t rest, was, now;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);

		memcpy(&was, a->place[l], sizeof(was));
		now = was + by[l];
		memcpy(a->place[l], &now, sizeof(now));
		if (returned)
			returned[l] = was;
	}
}

/* All lanes add to one word, and none reads it. */
static void add_alike(const struct access_of *a)
{
	const row_u32 *by = kernel_row(a->g, a->k, &a->c->s[1]);
	uint32_t sum;
	unsigned l;

	memcpy(&sum, a->place[0], sizeof(sum));
	for (l = 0; l < LANES; l++)
		sum += by[l];
	memcpy(a->place[0], &sum, sizeof(sum));
}

static bool adds_words(const struct code_insn *c)
{
	return c->insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_add &&
	       c->bytes == 4 && c->insn->vector <= 1 &&
	       !ptx_is_real(c->insn->type);
}

/* Lane by lane, in their order. */
static void change(struct access_of *a)
{
	const struct code_insn *c = a->c;
	const struct atomic of = atomic_of(c);
	void *row = kernel_row(a->g, a->k, &c->d);
	bool returns = c->insn->op == PTXO_ATOM && !c->d.is_constant, known;
	uint32_t rest;

	if (adds_words(c)) {
		if (a->alike && a->mask == UINT32_MAX && !returns)
			add_alike(a);
		else
			add_words(a, returns ? row : NULL);
		return;
	}
	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t was, now;

		if (c->insn->vector > 1) {
			known = change_vector(a, l);
			if (known)
				continue;
		}
		was = access_bits(a->place[l], c->bytes);
		now = atomic_result(&of, was, operand(a, 1, l),
			operand(a, 2, l), a->global >> l & 1, &known);
		if (!known) {
			grid_fail(a->x, a->warp, a->pc,
				"this atomic operation is not modelled");
			return;
		}
		memcpy(a->place[l], &now, c->bytes);
		if (returns && c->bytes == 8)
			((row_u64 *)row)[l] = was;
		else if (returns)
			((row_u32 *)row)[l] = (uint32_t)was;
	}
}

void access_values(struct access_of *a)
{
	uint32_t i;

	switch (a->c->insn->op) {
	case PTXO_LD:
		for (i = 0; i < a->c->count; i++)
			load_element(a, i);
		break;
	case PTXO_ST:
		for (i = 0; i < a->c->count; i++)
			store_element(a, i);
		break;
	case PTXO_ATOM:
	case PTXO_RED:
		change(a);
		if (a->g->turns.place &&
			a->place[__builtin_ctz(a->mask)] == a->g->turns.place)
			turn_written(a->x);
		break;
	default:
		break;
	}
}
