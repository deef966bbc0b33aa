/* From what decides to what it is made of, backwards, until nothing is added.
 */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/needs_parts.h"
#include "backend_sim/flow/uses.h"

/* Each time all instructions are looked at some more is found: of a kernel that
   takes more times all values are taken to decide. */
#define SWEEPS_MOST 64u

#define WORD 64u

struct search {
	struct flat *f;
	const struct graph *g;
	struct needs *needs;
	struct origins origins;
	struct liveness live;
	struct need *of;   /* [instruction]; owned, as the others */
	bool *is_computed; /* [instruction] */
	uint64_t *in;      /* [block][place]: a register decides where the block
			      begins, as live.in; */
	uint64_t *now;     /* and where the walk is; */
	uint32_t *mark;    /* [register]: without a place: `block_mark`: so it
			      does */
	uint32_t block_mark;
	bool has_changed;
};

/* ---- registers, where the walk is ---- */

static bool decides(const struct search *s, uint32_t reg)
{
	const uint32_t at = s->live.place[reg];

	return at ? s->now[(at - 1) / WORD] >> (at - 1) % WORD & 1
		  : s->mark[reg] == s->block_mark;
}

static void set_register(struct search *s, uint32_t reg, bool is_decisive)
{
	const uint32_t at = s->live.place[reg];
	uint64_t *word = at ? &s->now[(at - 1) / WORD] : NULL;
	const uint64_t bit = UINT64_C(1) << (at - 1) % WORD;

	if (!at)
		s->mark[reg] = is_decisive ? s->block_mark : 0;
	else
		*word = is_decisive ? *word | bit : *word & ~bit;
}

/* Those of an operand that is read. */
static void set_operand(
	struct search *s, uint32_t i, const struct ptx_operand *o)
{
	const struct flat_insn *flat = &s->f->insns[i];
	const struct ptx_function *f = s->f->instances[flat->instance].function;
	uint32_t k;

	if (o->kind == PTX_REGISTER ||
		(o->kind == PTX_ADDRESS && !o->is_absolute))
		set_register(
			s, flat_register(s->f, flat->instance, o->index), true);
	for (k = 0; o->kind == PTX_VECTOR && k < o->count; k++)
		set_operand(s, i, &f->items[o->index + k]);
}

/* ---- instructions ---- */

static void decide_memory(struct search *s, uint64_t kinds);

static void compute(struct search *s, uint32_t i)
{
	if (s->is_computed[i] || s->f->insns[i].is_told)
		return;
	s->is_computed[i] = true;
	s->has_changed = true;
	decide_memory(s, s->of[i].reads);
}

/* Who writes memory that decides is computed. */
static void decide_memory(struct search *s, uint64_t kinds)
{
	uint32_t i;

	kinds &= ~(ORIGIN_FIXED | s->needs->memory);
	if (!kinds)
		return;
	s->needs->memory |= kinds;
	for (i = 0; i < s->f->count; i++)
		if (s->of[i].writes & kinds)
			compute(s, i);
}

static bool is_written(const struct ptx_insn *insn, uint32_t operand)
{
	const char *letter = ptx_ops[insn->op].operands;

	return !operand && *letter && strchr(PTX_WRITTEN, *letter);
}

/* What decides before an instruction that computes nothing. */
static void pass_idle(struct search *s, uint32_t i)
{
	const struct flat_insn *flat = &s->f->insns[i];
	const struct ptx_insn *insn = flat->insn;
	uint32_t k;

	if (insn->guarded && !flat->is_told)
		set_register(s,
			flat_register(s->f, flat->instance, insn->guard), true);
	for (k = 0; k < insn->operand_count; k++)
		if (!(s->of[i].values >> k & 1) && !is_written(insn, k))
			set_operand(s, i, &insn->operands[k]);
}

static void pass(struct search *s, uint32_t i)
{
	struct uses u;
	uint32_t k;

	uses_of(s->f, i, &u);
	for (k = 0; k < u.write_count; k++)
		if (decides(s, u.writes[k]))
			compute(s, i);
	/* What is told leaves its register as it is. */
	for (k = 0; k < u.write_count && !u.partial && !s->f->insns[i].is_told;
		k++)
		set_register(s, u.writes[k], false);
	if (!s->is_computed[i])
		pass_idle(s, i);
	for (k = 0; k < u.read_count && s->is_computed[i]; k++)
		set_register(s, u.reads[k], true);
}

/* ---- the kernel ---- */

static void walk(struct search *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	const size_t bytes = s->live.words * sizeof(*s->in);
	uint64_t *in = s->in + (size_t)block * s->live.words;
	uint32_t i, k, w;

	memset(s->now, 0, bytes);
	s->block_mark++;
	for (k = 0; k < 2; k++) {
		const uint64_t *from =
			s->in + (size_t)b->successor[k] * s->live.words;

		for (w = 0; b->successor[k] != NO_BLOCK && w < s->live.words;
			w++)
			s->now[w] |= from[w];
	}
	for (i = b->end; i-- > b->first;)
		pass(s, i);
	if (!memcmp(in, s->now, bytes))
		return;
	memcpy(in, s->now, bytes);
	s->has_changed = true;
}

static void search(struct search *s)
{
	uint32_t sweeps = 0, b, i;

	s->needs->memory = 0;
	decide_memory(s, s->needs->global | ORIGIN_OTHER);
	for (i = 0; i < s->f->count; i++) {
		/* What calls leave in registers is not followed. */
		if (s->of[i].always || s->f->site_count)
			compute(s, i);
		decide_memory(s, s->of[i].looks);
	}
	do {
		s->has_changed = false;
		for (b = s->g->block_count; b-- > 0;)
			walk(s, b);
	} while (s->has_changed && ++sweeps < SWEEPS_MOST);
	for (i = 0; s->has_changed && i < s->f->count; i++)
		compute(s, i);
	s->needs->global |= s->needs->memory & ORIGIN_GLOBAL;
}

static void look_at_all(struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->f->count; i++)
		s->needs->makes_maps |=
			s->f->insns[i].insn->op == PTXO_MAP_REPLACE;
	for (i = 0; i < s->f->count; i++)
		s->of[i] = need_of(&s->origins, &s->f->insns[i], s->needs);
}

static int make(struct search *s, struct error *error)
{
	const size_t insns = (size_t)s->f->count + 1;
	int code = origins_find(&s->origins, s->f, &s->needs->space, error);

	if (!code)
		code = liveness_make(&s->live, s->f, s->g, error);
	if (code)
		return code;
	s->of = calloc(insns, sizeof(*s->of));
	s->is_computed = calloc(insns, sizeof(*s->is_computed));
	s->in = calloc(
		(size_t)s->g->block_count * s->live.words + 1, sizeof(*s->in));
	s->now = calloc((size_t)s->live.words + 1, sizeof(*s->now));
	s->mark = calloc((size_t)s->f->register_count + 1, sizeof(*s->mark));
	if (!s->of || !s->is_computed || !s->in || !s->now || !s->mark)
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

static void free_all(struct search *s)
{
	origins_free(&s->origins);
	liveness_free(&s->live);
	free(s->of);
	free(s->is_computed);
	free(s->in);
	free(s->now);
	free(s->mark);
}

static int compare_lines(const void *a, const void *b)
{
	const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;

	return (one > two) - (one < two);
}

static void find_told(struct flat *f, const struct needs *needs)
{
	uint32_t i;

	for (i = 0; i < f->count && needs->idle_count; i++)
		f->insns[i].is_told =
			bsearch(&f->insns[i].insn->place.line,
				needs->idle_lines, needs->idle_count,
				sizeof(*needs->idle_lines),
				compare_lines) != NULL;
}

int needs_find(struct flat *f, const struct graph *g, struct needs *needs,
	struct error *error)
{
	struct search s = {.f = f, .g = g, .needs = needs};
	const int code = make(&s, error);
	uint32_t i;

	needs->skips = false;
	find_told(f, needs);
	if (!code) {
		look_at_all(&s);
		search(&s);
	}
	for (i = 0; !code && i < f->count; i++) {
		f->insns[i].idle = !s.is_computed[i];
		needs->skips |= f->insns[i].idle &&
				((s.of[i].reads | s.of[i].writes) & ORIGIN_ALL);
	}
	free_all(&s);
	return code;
}
