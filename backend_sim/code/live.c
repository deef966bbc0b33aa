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

static int compare_places(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The most 32-bit registers alive at one place. */
static uint32_t count_alive(
	const struct interval *v, uint32_t count, const struct liveness *l)
{
	int64_t *places = malloc(((size_t)count * 4 + 1) * sizeof(*places));
	uint32_t n = 0, i, k;
	int64_t alive = 0, most = 0;

	for (i = 0; places && i < count && v[i].first != UINT32_MAX; i++)
		for (k = 0; k < liveness_words(l, v[i].reg); k++) {
			places[n++] = (int64_t)v[i].first * 2 + 1;
			places[n++] = ((int64_t)v[i].last) * 2;
		}
	/* Ends are even: before the beginnings of the same place. */
	if (places)
		qsort(places, n, sizeof(*places), compare_places);
	for (i = 0; places && i < n; i++) {
		alive += places[i] & 1 ? 1 : -1;
		most = alive > most ? alive : most;
	}
	free(places);
	return (uint32_t)most;
}

static int give_rows(struct live *live, struct interval *v, uint32_t count,
	const struct liveness *l)
{
	uint32_t *until = calloc(count + 1, sizeof(*until));
	uint32_t *slot_of = calloc(count + 1, sizeof(*slot_of));
	uint32_t *offset = calloc(count + 1, sizeof(*offset));
	uint8_t *kind = calloc(count + 1, 1);
	uint32_t i;
	int code = until && slot_of && offset && kind ? 0 : -1;

	if (!code) {
		live->registers = count_alive(v, count, l);
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
		v[r] = (struct interval){
			.reg = r, .first = UINT32_MAX, .type = l->types[r]};
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
		code = give_rows(live, v, f->register_count, &l);
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
