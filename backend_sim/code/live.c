#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/live.h"
#include "backend_sim/code/uses.h"

#define WORD 64u

/* Sets of registers, one a block. */
struct sets {
	uint64_t *in, *out, *reads, *kills;
	uint32_t words;
};

struct interval {
	uint32_t reg, first, last;
	uint8_t type;
};

static void put(uint64_t *set, uint32_t r)
{
	set[r / WORD] |= UINT64_C(1) << (r % WORD);
}

static bool has(const uint64_t *set, uint32_t r)
{
	return set[r / WORD] >> (r % WORD) & 1;
}

/* What a block reads before it writes it, and what it surely writes. */
static void summarise(
	const struct flat *f, const struct graph *g, const struct sets *s)
{
	struct uses u;
	uint32_t b, i, k;

	for (b = 0; b < g->block_count; b++) {
		uint64_t *reads = s->reads + (size_t)b * s->words;
		uint64_t *kills = s->kills + (size_t)b * s->words;

		for (i = g->blocks[b].first; i < g->blocks[b].end; i++) {
			uses_of(f, i, &u);
			for (k = 0; k < u.read_count; k++)
				if (!has(kills, u.reads[k]))
					put(reads, u.reads[k]);
			for (k = 0; k < u.write_count && !u.partial; k++)
				put(kills, u.writes[k]);
		}
	}
}

static void spread(const struct graph *g, const struct sets *s)
{
	bool changed = true;
	uint32_t b, i, k;

	while (changed) {
		changed = false;
		for (b = g->block_count; b-- > 0;) {
			uint64_t *in = s->in + (size_t)b * s->words;
			uint64_t *out = s->out + (size_t)b * s->words;

			for (k = 0; k < 2; k++) {
				uint32_t to = g->blocks[b].successor[k];
				const uint64_t *next;

				if (to == NO_BLOCK)
					continue;
				next = s->in + (size_t)to * s->words;
				for (i = 0; i < s->words; i++)
					out[i] |= next[i];
			}
			for (i = 0; i < s->words; i++) {
				size_t at = (size_t)b * s->words + i;
				uint64_t now =
					s->reads[at] | (out[i] & ~s->kills[at]);

				changed = changed || now != in[i];
				in[i] = now;
			}
		}
	}
}

static void extend(struct interval *v, uint32_t at)
{
	v->first = at < v->first ? at : v->first;
	v->last = at > v->last ? at : v->last;
}

static void measure(const struct flat *f, const struct graph *g,
	const struct sets *s, struct interval *v)
{
	struct uses u;
	uint32_t b, i, k, r;

	for (b = 0; b < g->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];

		for (r = 0; r < f->register_count; r++) {
			if (has(s->in + (size_t)b * s->words, r))
				extend(&v[r], block->first);
			if (has(s->out + (size_t)b * s->words, r))
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

enum { KIND_PREDICATE, KIND_NARROW, KIND_WIDE, KINDS };

static unsigned kind_of(uint8_t type)
{
	if (type == PTX_pred)
		return KIND_PREDICATE;
	return ptx_types[type].bytes == 8 ? KIND_WIDE : KIND_NARROW;
}

static const uint32_t kind_bytes[KINDS] = {4, 4 * LANES, 8 * LANES};
static const uint32_t kind_words[KINDS] = {0, 1, 2};

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
		unsigned kind = kind_of(v[i].type);

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

/* Registers that hold what is read from the constant bank where it is used:
   parameters, numbers, and moves of them. */
static void find_free(const struct flat *f, bool *is_free)
{
	struct uses u;
	uint32_t i, k;
	bool from_free;

	memset(is_free, 1, f->register_count);
	for (i = 0; i < f->count; i++) {
		const struct ptx_insn *insn = f->insns[i].insn;
		bool moves = insn->op == PTXO_MOV || insn->op == PTXO_CVTA;

		uses_of(f, i, &u);
		from_free = moves ||
			    (insn->op == PTXO_LD && insn->space == PTX_PARAM);
		for (k = 0; moves && k < u.read_count; k++)
			from_free = from_free && is_free[u.reads[k]];
		if (moves && insn->operands[1].kind == PTX_SPECIAL)
			from_free = false;
		for (k = 0; k < u.write_count; k++)
			is_free[u.writes[k]] =
				is_free[u.writes[k]] && from_free;
	}
}

static int compare_places(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The most 32-bit registers alive at one place. */
static uint32_t count_alive(
	const struct interval *v, uint32_t count, const bool *is_free)
{
	int64_t *places = malloc(((size_t)count * 4 + 1) * sizeof(*places));
	uint32_t n = 0, i, k;
	int64_t alive = 0, most = 0;

	for (i = 0; places && i < count && v[i].first != UINT32_MAX; i++)
		for (k = 0; !is_free[v[i].reg] &&
			    k < kind_words[kind_of(v[i].type)];
			k++) {
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
	const bool *is_free)
{
	uint32_t *until = calloc(count + 1, sizeof(*until));
	uint32_t *slot_of = calloc(count + 1, sizeof(*slot_of));
	uint32_t *offset = calloc(count + 1, sizeof(*offset));
	uint8_t *kind = calloc(count + 1, 1);
	uint32_t i;
	int code = until && slot_of && offset && kind ? 0 : -1;

	if (!code) {
		live->registers = count_alive(v, count, is_free);
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

static void name_types(const struct flat *f, struct interval *v)
{
	uint32_t i, k;

	for (i = 0; i < f->instance_count; i++) {
		const struct flat_instance *in = &f->instances[i];

		for (k = 0; k < in->function->register_count; k++)
			v[in->register_base + k] = (struct interval){
				.reg = in->register_base + k,
				.first = UINT32_MAX,
				.type = in->function->registers[k].type,
			};
	}
}

int live_make(struct live *live, const struct flat *f, const struct graph *g,
	struct error *error)
{
	struct sets s = {.words = f->register_count / WORD + 1};
	size_t each = (size_t)s.words * (g->block_count + 1);
	uint64_t *all = calloc(4 * each, sizeof(*all));
	struct interval *v = calloc(f->register_count + 1, sizeof(*v));
	bool *is_free = calloc(f->register_count + 1, sizeof(*is_free));
	int code = -1;

	*live = (struct live){0};
	live->rows = calloc(f->register_count + 1, sizeof(*live->rows));
	if (all && v && is_free && live->rows) {
		s.in = all;
		s.out = all + each;
		s.reads = all + 2 * each;
		s.kills = all + 3 * each;
		name_types(f, v);
		summarise(f, g, &s);
		spread(g, &s);
		measure(f, g, &s, v);
		qsort(v, f->register_count, sizeof(*v), by_first);
		find_free(f, is_free);
		code = give_rows(live, v, f->register_count, is_free);
	}
	free(all);
	free(v);
	free(is_free);
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
