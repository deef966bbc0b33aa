#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"
#include "harness/base/error.h"

#define WORD 64u

/* Of sets of registers, one a block: four of them are made. */
#define SETS_BITS_MAX (UINT64_C(1) << 30)

/* Words of a block's sets that are looked at together. */
#define COLUMN 16u
struct column {
	uint64_t in[COLUMN], out[COLUMN], reads[COLUMN], kills[COLUMN];
};

/* What is known of blocks while the sets are made. */
struct sets {
	const struct flat *f;
	const struct graph *g;
	uint64_t *reads, *kills; /* [block][place]; owned */
	uint32_t *seen;          /* [register]: 1 + the block that wrote it last
				    for sure; owned */
	uint32_t *from;          /* [block]: the first of those that go there in
				    `before`; owned, as the next */
	uint32_t *before;
	struct column *column; /* [block]: the words under way; owned */
	uint32_t *queue;       /* blocks to look at, a ring; owned */
	bool *is_queued;       /* [block]; owned */
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
	return l->place[reg] &&
	       has(sets + (size_t)block * l->words, l->place[reg] - 1);
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

uint32_t liveness_words_in(
	const struct liveness *l, const uint64_t *sets, uint32_t block)
{
	const uint64_t *set = sets + (size_t)block * l->words;
	uint32_t words = 0, i;

	for (i = 0; i < l->words; i++)
		words += (uint32_t)(__builtin_popcountll(set[i] & l->one[i]) +
				    2 * __builtin_popcountll(
						set[i] & l->two[i]));
	return words;
}

static void find_sizes(const struct liveness *l)
{
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const uint32_t words = liveness_words(l, l->registers[i]);

		if (words)
			put(words == 1 ? l->one : l->two, i);
	}
}

/* ---- what a block reads before it writes it, and what it surely writes ----
 */

/* Registers that a block reads so get places. */
static void find_places(struct liveness *l, const struct sets *s)
{
	struct uses u;
	uint32_t b, i, k;

	for (b = 0; b < s->g->block_count; b++)
		for (i = s->g->blocks[b].first; i < s->g->blocks[b].end; i++) {
			uses_of(s->f, i, &u);
			for (k = 0; k < u.read_count; k++) {
				const uint32_t reg = u.reads[k];

				if (s->seen[reg] == b + 1 || l->place[reg])
					continue;
				l->registers[l->count++] = reg;
				l->place[reg] = l->count;
			}
			for (k = 0; k < u.write_count && !u.partial; k++)
				s->seen[u.writes[k]] = b + 1;
		}
}

static void summarise(const struct liveness *l, const struct sets *s)
{
	struct uses u;
	uint32_t b, i, k;

	for (b = 0; b < s->g->block_count; b++) {
		uint64_t *reads = s->reads + (size_t)b * l->words;
		uint64_t *kills = s->kills + (size_t)b * l->words;

		for (i = s->g->blocks[b].first; i < s->g->blocks[b].end; i++) {
			uses_of(s->f, i, &u);
			for (k = 0; k < u.read_count; k++) {
				const uint32_t at = l->place[u.reads[k]];

				if (at && !has(kills, at - 1))
					put(reads, at - 1);
			}
			for (k = 0; k < u.write_count && !u.partial; k++)
				if (l->place[u.writes[k]])
					put(kills, l->place[u.writes[k]] - 1);
		}
	}
}

/* ---- from block to block, some words of the sets at a time ---- */

static void find_before(const struct sets *s)
{
	const struct graph *g = s->g;
	uint32_t b, k;

	for (b = 0; b < g->block_count; b++)
		for (k = 0; k < 2; k++)
			if (g->blocks[b].successor[k] != NO_BLOCK)
				s->from[g->blocks[b].successor[k] + 2]++;
	for (b = 2; b < g->block_count + 2; b++)
		s->from[b] += s->from[b - 1];
	for (b = 0; b < g->block_count; b++)
		for (k = 0; k < 2; k++)
			if (g->blocks[b].successor[k] != NO_BLOCK)
				s->before[s->from[g->blocks[b].successor[k] +
						  1]++] = b;
}

/* Whether the block's words have changed. */
static bool look_at(const struct sets *s, uint32_t b)
{
	struct column *c = &s->column[b];
	uint64_t now, changed = 0;
	uint32_t k, w;

	for (k = 0; k < 2; k++) {
		const uint32_t to = s->g->blocks[b].successor[k];

		for (w = 0; to != NO_BLOCK && w < COLUMN; w++)
			c->out[w] |= s->column[to].in[w];
	}
	for (w = 0; w < COLUMN; w++) {
		now = c->reads[w] | (c->out[w] & ~c->kills[w]);
		changed |= now ^ c->in[w];
		c->in[w] = now;
	}
	return changed != 0;
}

/* A block is looked at again when one behind it has changed. */
static void spread(const struct sets *s)
{
	const uint32_t count = s->g->block_count;
	uint32_t first = 0, queued = count, i;

	for (i = 0; i < count; i++) {
		s->queue[i] = count - 1 - i;
		s->is_queued[i] = true;
	}
	for (; queued; queued--) {
		const uint32_t b = s->queue[first];

		first = first + 1 == count ? 0 : first + 1;
		s->is_queued[b] = false;
		if (!look_at(s, b))
			continue;
		for (i = s->from[b]; i < s->from[b + 1]; i++) {
			const uint32_t before = s->before[i];
			uint32_t at = first + queued - 1;

			if (s->is_queued[before])
				continue;
			s->is_queued[before] = true;
			s->queue[at < count ? at : at - count] = before;
			queued++;
		}
	}
}

/* Those from `word` on, as many as there are. */
static void spread_words(
	const struct liveness *l, const struct sets *s, uint32_t word)
{
	const uint32_t left = l->words - word;
	const size_t bytes = (left < COLUMN ? left : COLUMN) * sizeof(uint64_t);
	size_t at = word;
	uint32_t b;

	for (b = 0; b < s->g->block_count; b++, at += l->words) {
		s->column[b] = (struct column){{0}, {0}, {0}, {0}};
		memcpy(s->column[b].reads, s->reads + at, bytes);
		memcpy(s->column[b].kills, s->kills + at, bytes);
	}
	spread(s);
	at = word;
	for (b = 0; b < s->g->block_count; b++, at += l->words) {
		memcpy(l->in + at, s->column[b].in, bytes);
		memcpy(l->out + at, s->column[b].out, bytes);
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

static void sets_free(struct sets *s)
{
	free(s->reads);
	free(s->kills);
	free(s->seen);
	free(s->from);
	free(s->before);
	free(s->column);
	free(s->queue);
	free(s->is_queued);
}

static int make_sets(struct liveness *l, struct sets *s, struct error *error)
{
	const uint32_t blocks = s->g->block_count;
	size_t each;
	uint32_t i;

	find_places(l, s);
	if ((uint64_t)blocks * l->count > SETS_BITS_MAX)
		return error_set(error, ERR_USAGE,
			"%s: expected at most 2^30 registers times blocks of "
			"instructions, not %u times %u",
			s->f->file, l->count, blocks);
	l->words = l->count / WORD + 1;
	each = (size_t)l->words * (blocks + 1);
	l->one = calloc(l->words, sizeof(*l->one));
	l->two = calloc(l->words, sizeof(*l->two));
	l->in = calloc(each, sizeof(*l->in));
	l->out = calloc(each, sizeof(*l->out));
	s->reads = calloc(each, sizeof(*s->reads));
	s->kills = calloc(each, sizeof(*s->kills));
	if (!l->one || !l->two || !l->in || !l->out || !s->reads || !s->kills)
		return error_set(error, ERR_FAILED, "out of memory");
	summarise(l, s);
	find_before(s);
	for (i = 0; i < l->words; i += COLUMN)
		spread_words(l, s, i);
	return 0;
}

int liveness_make(struct liveness *l, const struct flat *f,
	const struct graph *g, struct error *error)
{
	const size_t blocks = (size_t)g->block_count + 3;
	const size_t registers = (size_t)f->register_count + 1;
	struct sets s = {.f = f,
		.g = g,
		.seen = calloc(registers, sizeof(*s.seen)),
		.from = calloc(blocks, sizeof(*s.from)),
		.before = calloc(2 * blocks, sizeof(*s.before)),
		.column = calloc(blocks, sizeof(*s.column)),
		.queue = calloc(blocks, sizeof(*s.queue)),
		.is_queued = calloc(blocks, sizeof(*s.is_queued))};
	int code = 0;

	*l = (struct liveness){.flat = f,
		.place = calloc(registers, sizeof(*l->place)),
		.registers = calloc(registers, sizeof(*l->registers)),
		.is_free = calloc(registers, sizeof(*l->is_free))};
	if (!s.seen || !s.from || !s.before || !s.column || !s.queue ||
		!s.is_queued || !l->place || !l->registers || !l->is_free)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = make_sets(l, &s, error);
	if (!code) {
		find_free(f, l->is_free);
		find_sizes(l);
	}
	sets_free(&s);
	return code;
}

void liveness_free(struct liveness *l)
{
	free(l->one);
	free(l->two);
	free(l->in);
	free(l->out);
	free(l->place);
	free(l->registers);
	free(l->is_free);
}
