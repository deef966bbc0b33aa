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

/* Registers of the block's set that are not among those that were seen. */
static void extend_new(struct interval *v, const struct liveness *l,
	const uint64_t *set, uint64_t *seen, uint32_t at)
{
	uint64_t fresh;
	uint32_t i;

	for (i = 0; i < l->words; i++) {
		fresh = set[i] & ~seen[i];
		seen[i] |= fresh;
		for (; fresh; fresh &= fresh - 1)
			extend(&v[l->registers[i * 64 +
					       (uint32_t)__builtin_ctzll(
						       fresh)]],
				at);
	}
}

/* From one block to others: the first block and the last one say all. */
static void measure_sets(const struct graph *g, const struct liveness *l,
	struct interval *v, uint64_t *seen)
{
	const size_t bytes = l->words * sizeof(*seen);
	uint32_t b, k;

	for (k = 0; k < 2; k++) {
		const uint64_t *sets = k ? l->out : l->in;

		memset(seen, 0, bytes);
		for (b = 0; b < g->block_count; b++)
			extend_new(v, l, sets + (size_t)b * l->words, seen,
				k ? g->blocks[b].end : g->blocks[b].first);
		memset(seen, 0, bytes);
		for (b = g->block_count; b-- > 0;)
			extend_new(v, l, sets + (size_t)b * l->words, seen,
				k ? g->blocks[b].end : g->blocks[b].first);
	}
}

static void measure(const struct flat *f, struct interval *v)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < f->count; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.read_count; k++)
			extend(&v[u.reads[k]], i);
		for (k = 0; k < u.write_count; k++)
			extend(&v[u.writes[k]], i);
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

/* A heap of numbers, the least of them first. */
struct heap {
	uint64_t *items; /* owned */
	uint32_t count;
};

static void heap_put(struct heap *h, uint64_t item)
{
	uint32_t at = h->count++;

	for (; at && h->items[(at - 1) / 2] > item; at = (at - 1) / 2)
		h->items[at] = h->items[(at - 1) / 2];
	h->items[at] = item;
}

static uint64_t heap_take(struct heap *h)
{
	const uint64_t least = h->items[0], last = h->items[--h->count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < h->count) {
		child += child + 1 < h->count &&
			 h->items[child + 1] < h->items[child];
		if (h->items[child] >= last)
			break;
		h->items[at] = h->items[child];
		at = child;
	}
	h->items[at] = last;
	return least;
}

/* What deal() knows of slots. */
struct slots {
	struct heap busy;        /* by the last place of their registers */
	struct heap free[KINDS]; /* by their number */
	uint8_t *kind;           /* [slot]; owned */
	uint32_t *of;            /* [register]: its slot; owned */
};

/* A slot is free when its register's last place is before this one: a row that
   is read and one that is written by the same instruction stay apart, for an
   instruction may have several steps. The first that is free is taken. */
static void deal(struct live *live, const struct interval *v, uint32_t count,
	struct slots *s)
{
	uint32_t i, slot;

	for (i = 0; i < count && v[i].first != UINT32_MAX; i++) {
		const unsigned kind = liveness_kind(v[i].type);

		while (s->busy.count && s->busy.items[0] >> 32 < v[i].first) {
			slot = (uint32_t)heap_take(&s->busy);
			heap_put(&s->free[s->kind[slot]], slot);
		}
		if (s->free[kind].count) {
			slot = (uint32_t)heap_take(&s->free[kind]);
		} else {
			slot = live->slot_count++;
			s->kind[slot] = (uint8_t)kind;
		}
		heap_put(&s->busy, (uint64_t)v[i].last << 32 | slot);
		s->of[v[i].reg] = slot;
	}
}

/* ---- how many are alive at once ---- */

struct alive {
	uint8_t *is;   /* [register] */
	uint64_t *set; /* of those that have a place */
	uint32_t words;
};

static void set_alive(
	struct alive *a, const struct liveness *l, uint32_t reg, bool is)
{
	const uint32_t at = l->place[reg] - 1;

	if (a->is[reg] == is)
		return;
	a->words += is ? liveness_words(l, reg) : 0u - liveness_words(l, reg);
	a->is[reg] = is;
	if (l->place[reg])
		a->set[at / 64] ^= UINT64_C(1) << at % 64;
}

/* Those alive are those of the set: no others are where a block begins. */
static void set_all(
	struct alive *a, const struct liveness *l, const uint64_t *set)
{
	uint64_t differ;
	uint32_t i;

	for (i = 0; i < l->words; i++)
		for (differ = set[i] ^ a->set[i]; differ;
			differ &= differ - 1) {
			const uint32_t reg =
				l->registers[i * 64 +
					     (uint32_t)__builtin_ctzll(differ)];

			set_alive(a, l, reg, !a->is[reg]);
		}
}

/* The most 32-bit registers between two instructions of the block. */
static uint32_t most_in_block(struct alive *a, const struct flat *f,
	const struct graph *g, const struct liveness *l, uint32_t block)
{
	uint32_t most, i, k;
	struct uses u;

	set_all(a, l, l->out + (size_t)block * l->words);
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
	struct alive a = {.is = calloc(f->register_count + 1, 1),
		.set = calloc(l->words, sizeof(*a.set))};
	uint32_t b, most;

	for (b = 0; a.is && a.set && b < g->block_count; b++) {
		most = most_in_block(&a, f, g, l, b);
		live->registers =
			most > live->registers ? most : live->registers;
	}
	most = a.is && a.set;
	free(a.is);
	free(a.set);
	return most ? 0 : -1;
}

static int make_slots(struct slots *s, uint32_t count)
{
	const size_t n = (size_t)count + 1;
	bool made;
	uint32_t i;

	*s = (struct slots){.kind = calloc(n, 1),
		.of = calloc(n, sizeof(*s->of)),
		.busy = {calloc(n, sizeof(*s->busy.items)), 0}};
	made = s->kind && s->of && s->busy.items;
	for (i = 0; i < KINDS; i++) {
		s->free[i].items = calloc(n, sizeof(*s->busy.items));
		made = made && s->free[i].items;
	}
	return made ? 0 : -1;
}

static void free_slots(struct slots *s)
{
	uint32_t i;

	free(s->kind);
	free(s->of);
	free(s->busy.items);
	for (i = 0; i < KINDS; i++)
		free(s->free[i].items);
}

static int give_rows(struct live *live, struct interval *v, uint32_t count)
{
	uint32_t *offset = calloc((size_t)count + 1, sizeof(*offset));
	struct slots s;
	uint32_t i;
	int code = make_slots(&s, count) || !offset ? -1 : 0;

	if (!code) {
		deal(live, v, count, &s);
		for (i = KINDS; i-- > 0;) {
			uint32_t slot;

			for (slot = 0; slot < live->slot_count; slot++)
				if (s.kind[slot] == i) {
					offset[slot] = live->bytes;
					live->bytes += kind_bytes[i];
				}
		}
		for (i = 0; i < count; i++)
			live->rows[v[i].reg] = (struct row){
				.offset = offset[s.of[v[i].reg]],
				.slot = v[i].first == UINT32_MAX
						? NO_SLOT
						: (uint16_t)s.of[v[i].reg],
			};
	}
	free_slots(&s);
	free(offset);
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

static int make_rows(struct live *live, const struct flat *f,
	const struct graph *g, const struct liveness *l, struct interval *v)
{
	uint64_t *seen = calloc(l->words, sizeof(*seen));
	int code = seen && v && live->rows ? 0 : -1;

	if (!code) {
		name(l, v, f->register_count);
		measure(f, v);
		measure_sets(g, l, v, seen);
		qsort(v, f->register_count, sizeof(*v), by_first);
		code = give_rows(live, v, f->register_count);
	}
	free(seen);
	return code ? code : count_alive(live, f, g, l);
}

int live_make(struct live *live, const struct flat *f, const struct graph *g,
	struct error *error)
{
	struct liveness l;
	struct interval *v = calloc((size_t)f->register_count + 1, sizeof(*v));
	int code = liveness_make(&l, f, g, error);

	*live = (struct live){0};
	live->rows = calloc((size_t)f->register_count + 1, sizeof(*live->rows));
	if (!code && make_rows(live, f, g, &l, v))
		code = error_set(error, ERR_FAILED, "out of memory");
	liveness_free(&l);
	free(v);
	if (!code && live->slot_count >= NO_SLOT)
		return error_set(error, ERR_USAGE,
			"the kernel '%.*s' has more than %u registers alive",
			(int)f->instances->function->name.length,
			f->instances->function->name.text, NO_SLOT);
	return code;
}

void live_free(struct live *live)
{
	free(live->rows);
}
