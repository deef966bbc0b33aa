#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"
#include "harness/base/error.h"

#define WORD 64u

/* Sets of registers, one a block. */
struct sets {
	uint64_t *in, *out, *reads, *kills;
	uint32_t words;
};

static void put(uint64_t *set, uint32_t r)
{
	set[r / WORD] |= UINT64_C(1) << (r % WORD);
}

static bool has(const uint64_t *set, uint32_t r)
{
	return set[r / WORD] >> (r % WORD) & 1;
}

bool liveness_has(const struct liveness *l, const uint64_t *sets,
	uint32_t block, uint32_t reg)
{
	return has(sets + (size_t)block * l->words, reg);
}

enum register_kind liveness_kind(uint8_t type)
{
	if (type == PTX_pred)
		return KIND_PREDICATE;
	return ptx_types[type].bytes == 8 ? KIND_WIDE : KIND_NARROW;
}

uint32_t liveness_words(const struct liveness *l, uint32_t reg)
{
	static const uint32_t words[KINDS] = {0, 1, 2};

	return l->is_free[reg] ? 0 : words[liveness_kind(l->flat->types[reg])];
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

int liveness_make(
	struct liveness *l, const struct flat *f, const struct graph *g)
{
	struct sets s = {.words = f->register_count / WORD + 1};
	size_t each = (size_t)s.words * (g->block_count + 1);
	uint64_t *beside = calloc(2 * each, sizeof(*beside));

	*l = (struct liveness){
		.in = calloc(each, sizeof(*l->in)),
		.out = calloc(each, sizeof(*l->out)),
		.words = s.words,
		.is_free = calloc(f->register_count + 1, sizeof(*l->is_free)),
		.flat = f,
	};
	if (!beside || !l->in || !l->out || !l->is_free) {
		free(beside);
		return ERR_FAILED;
	}
	s.in = l->in;
	s.out = l->out;
	s.reads = beside;
	s.kills = beside + each;
	summarise(f, g, &s);
	spread(g, &s);
	find_free(f, l->is_free);
	free(beside);
	return 0;
}

void liveness_free(struct liveness *l)
{
	free(l->in);
	free(l->out);
	free(l->is_free);
}
