#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/live.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"

struct interval {
	uint32_t reg, first, last;
	uint8_t type;
};

static void extend(struct interval *v, uint32_t at)
{
	v->first = at < v->first ? at : v->first;
	v->last = at > v->last ? at : v->last;
}

static void measure(const struct flat *f, const struct graph *g,
	const struct liveness *l, struct interval *v)
{
	struct uses u;
	uint32_t b, i, k, r;

	for (b = 0; b < g->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];

		for (r = 0; r < f->register_count; r++) {
			if (liveness_has(l, l->in, b, r))
				extend(&v[r], block->first);
			if (liveness_has(l, l->out, b, r))
				extend(&v[r], block->end);
		}
		for (i = block->first; i < block->end; i++) {
			uses_of(f, i, &u);
			for (k = 0; k < u.read_count; k++)
				extend(&v[u.reads[k]], i);
			for (k = 0; k < u.write_count; k++)
				extend(&v[u.writes[k]], i);
		}
	}
}

/* ---- rows ---- */

static const uint32_t kind_bytes[KINDS] = {4, 4 * LANES, 8 * LANES};

static int by_first(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->reg > b->reg) - (a->reg < b->reg);
}

/* A slot is free when its register's last place is before this one: a row that
   is read and one that is written by the same instruction stay apart, for an
   instruction may have several steps. */
static void deal(struct live *live, const struct interval *v, uint32_t count,
	uint32_t *slot_until, uint8_t *slot_kind, uint32_t *slot_of)
{
	uint32_t i, slot;

	for (i = 0; i < count && v[i].first != UINT32_MAX; i++) {
		unsigned kind = liveness_kind(v[i].type);

		for (slot = 0; slot < live->slot_count; slot++)
			if (slot_kind[slot] == kind &&
				slot_until[slot] < v[i].first)
				break;
		if (slot == live->slot_count) {
			slot_kind[slot] = (uint8_t)kind;
			live->slot_count++;
		}
		slot_until[slot] = v[i].last;
		slot_of[v[i].reg] = slot;
	}
}

/* ---- how many are alive at once ---- */

struct alive {
	uint8_t *is; /* [register] */
	uint32_t words;
};

static void set_alive(
	struct alive *a, const struct liveness *l, uint32_t reg, bool is)
{
	if (a->is[reg] != is)
		a->words += is ? liveness_words(l, reg)
			       : 0u - liveness_words(l, reg);
	a->is[reg] = is;
}

/* The most 32-bit registers between two instructions of the block. */
static uint32_t most_in_block(struct alive *a, const struct flat *f,
	const struct graph *g, const struct liveness *l, uint32_t block)
{
	uint32_t most, i, k;
	struct uses u;

	for (i = 0; i < f->register_count; i++)
		set_alive(a, l, i, liveness_has(l, l->out, block, i));
	most = a->words;
	for (i = g->blocks[block].end; i-- > g->blocks[block].first;) {
		uses_of(f, i, &u);
		for (k = 0; k < u.write_count && !u.partial; k++)
			set_alive(a, l, u.writes[k], false);
		for (k = 0; k < u.read_count; k++)
			set_alive(a, l, u.reads[k], true);
		most = a->words > most ? a->words : most;
	}
	return most;
}

static int count_alive(struct live *live, const struct flat *f,
	const struct graph *g, const struct liveness *l)
{
	struct alive a = {.is = calloc(f->register_count + 1, 1)};
	uint32_t b, most;

	if (!a.is)
		return -1;
	for (b = 0; b < g->block_count; b++) {
		most = most_in_block(&a, f, g, l, b);
		live->registers =
			most > live->registers ? most : live->registers;
	}
	free(a.is);
	return 0;
}

static int give_rows(struct live *live, struct interval *v, uint32_t count)
{
	uint32_t *until = calloc(count + 1, sizeof(*until));
	uint32_t *slot_of = calloc(count + 1, sizeof(*slot_of));
	uint32_t *offset = calloc(count + 1, sizeof(*offset));
	uint8_t *kind = calloc(count + 1, 1);
	uint32_t i;
	int code = until && slot_of && offset && kind ? 0 : -1;

	if (!code) {
		deal(live, v, count, until, kind, slot_of);
		for (i = KINDS; i-- > 0;) {
			uint32_t slot;

			for (slot = 0; slot < live->slot_count; slot++)
				if (kind[slot] == i) {
					offset[slot] = live->bytes;
					live->bytes += kind_bytes[i];
				}
		}
		for (i = 0; i < count; i++)
			live->rows[v[i].reg] = (struct row){
				.offset = offset[slot_of[v[i].reg]],
				.slot = (uint16_t)slot_of[v[i].reg],
			};
	}
	free(until);
	free(slot_of);
	free(offset);
	free(kind);
	return code;
}

static void name(const struct liveness *l, struct interval *v, uint32_t count)
{
	uint32_t r;

	for (r = 0; r < count; r++)
		v[r] = (struct interval){.reg = r,
			.first = UINT32_MAX,
			.type = l->flat->types[r]};
}

int live_make(struct live *live, const struct flat *f, const struct graph *g,
	struct error *error)
{
	struct liveness l;
	struct interval *v = calloc(f->register_count + 1, sizeof(*v));
	int code = liveness_make(&l, f, g);

	*live = (struct live){0};
	live->rows = calloc(f->register_count + 1, sizeof(*live->rows));
	if (!code && v && live->rows) {
		name(&l, v, f->register_count);
		measure(f, g, &l, v);
		qsort(v, f->register_count, sizeof(*v), by_first);
		code = give_rows(live, v, f->register_count);
		code = code ? code : count_alive(live, f, g, &l);
	} else {
		code = ERR_FAILED;
	}
	liveness_free(&l);
	free(v);
	if (!code && live->slot_count >= NO_SLOT)
		return error_set(error, ERR_USAGE,
			"the kernel '%.*s' has more than %u registers alive",
			(int)f->instances->function->name.length,
			f->instances->function->name.text, NO_SLOT);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

void live_free(struct live *live)
{
	free(live->rows);
}
