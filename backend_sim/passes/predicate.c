#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/flow/parts.h"
#include "backend_sim/passes/predicate.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/loops.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/rules/constants.h"

struct predicate {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	bool *gone;           /* [instruction]: a branch taken out; owned */
	uint32_t *entries;    /* [block]: ways in; owned */
	bool *in_loop;        /* [block]; owned */
	uint32_t *marks;      /* [register]: `mark` or not; owned */
	uint32_t mark;        /* another one each time */
	uint32_t taken_count; /* branches */
};

/* What a branch goes around: [first, end) where it is not taken, and of an
   else [other_first, other_end). */
struct arms {
	uint32_t branch;
	uint32_t first, end;
	uint32_t other_first, other_end;
	uint32_t jump; /* from the end of the first over the other; NO_BLOCK */
	uint32_t other, meets; /* blocks */
};

static const struct ptx_insn *insn_at(const struct predicate *p, uint32_t i)
{
	return p->f->insns[i].insn;
}

/* ---- what may stand under a predicate ---- */

static bool may_be_guarded(const struct ptx_insn *insn)
{
	switch (effect_of(insn)) {
	case ORDERS:
	case CLOCKS:
		return false;
	default:
		break;
	}
	return insn->op != PTXO_ATOM && insn->op != PTXO_RED &&
	       !effect_gathers(insn) && insn->op != PTXO_CALL &&
	       !insn->guarded && !insn->word[PTX_CLASS_CC] &&
	       !parts_is_sequence(insn);
}

static bool is_product_of_64(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MUL &&
	       insn->word[PTX_CLASS_MODE] == PTXW_MODE_wide;
}

static bool is_global_load(const struct ptx_insn *insn)
{
	return insn->op == PTXO_LD &&
	       (insn->space == PTX_GLOBAL || insn->space == PTX_GENERIC);
}

static bool is_live(const struct predicate *p, uint32_t block, uint32_t reg)
{
	return liveness_has(&p->live, p->live.in, block, reg);
}

/* What it writes is known only between the branch and where its paths meet. */
static bool stays_inside(
	const struct predicate *p, uint32_t i, const struct arms *arms)
{
	struct uses u;
	uint32_t k;

	uses_of(p->f, i, &u);
	for (k = 0; k < u.write_count; k++)
		if (is_live(p, arms->meets, u.writes[k]) ||
			(arms->other_end &&
				is_live(p, arms->other, u.writes[k])))
			return false;
	return true;
}

/* Instructions that the assembler makes of those from `first` on: a product of
   64 bits is one with the sum that takes it. */
static uint32_t cost_of(const struct predicate *p, const struct arms *arms,
	uint32_t first, uint32_t end)
{
	uint32_t cost = 0, products = 0, i;

	for (i = first; i < end; i++) {
		const struct ptx_insn *insn = insn_at(p, i);
		struct code_insn c = {0};

		timing_of(insn, &c);
		if (is_product_of_64(insn)) {
			products++;
		} else if (products && insn->op == PTXO_ADD &&
			   ptx_types[insn->type].bytes == 8) {
			products--;
			continue;
		}
		cost += insn->op == PTXO_MOV ? !stays_inside(p, i, arms)
					     : c.slots;
	}
	return cost;
}

static bool loads_global(const struct predicate *p, uint32_t i, uint32_t end)
{
	for (; i < end; i++)
		if (is_global_load(insn_at(p, i)))
			return true;
	return false;
}

/* Marks what the instruction makes of loads of global memory; whether the
   register held another value before the branch's block. */
static bool carries_load(struct predicate *p, uint32_t block, uint32_t i)
{
	bool is_loaded = is_global_load(insn_at(p, i)), carries = false;
	struct uses u;
	uint32_t k;

	uses_of(p->f, i, &u);
	for (k = 0; k < u.read_count; k++)
		is_loaded |= p->marks[u.reads[k]] == p->mark;
	for (k = 0; k < u.write_count; k++) {
		p->marks[u.writes[k]] = is_loaded ? p->mark : 0;
		carries |= is_loaded && is_live(p, block, u.writes[k]);
	}
	return carries;
}

/* A loop would wait for the loads of the round before. */
static bool carries_loads(
	struct predicate *p, uint32_t block, uint32_t i, uint32_t end)
{
	bool carries = false;

	p->mark++;
	for (; i < end; i++)
		carries |= carries_load(p, block, i);
	return carries;
}

/* Nothing there writes the branch's own predicate. */
static bool keeps_guard(const struct predicate *p, uint32_t branch,
	uint32_t first, uint32_t end)
{
	const uint32_t guard = flat_register(
		p->f, p->f->insns[branch].instance, insn_at(p, branch)->guard);
	struct uses u;
	uint32_t i, k;

	for (i = first; i < end; i++) {
		uses_of(p->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			if (u.writes[k] == guard)
				return false;
	}
	return true;
}

/* ---- where the branch stands ---- */

/* A way to the kernel's end is an exit under the predicate. */
static bool is_exit(const struct predicate *p, uint32_t i)
{
	const struct flat_insn *insn = &p->f->insns[i];

	return i >= p->f->count ||
	       (!insn->is_return && (insn->insn->op == PTXO_RET ||
					    insn->insn->op == PTXO_EXIT));
}

/* What the branch at the end of the block goes around, if it is that simple. */
static bool find_arms(
	const struct predicate *p, uint32_t block, struct arms *arms)
{
	const struct graph *g = p->g;
	const uint32_t branch = g->blocks[block].end - 1, then = block + 1;
	const struct flat_insn *insn = &p->f->insns[branch], *last;
	uint32_t other;

	if (insn->insn->op != PTXO_BRA || insn->is_return ||
		!insn->insn->guarded || then >= g->block_count ||
		p->entries[then] != 1 || insn->target >= p->f->count)
		return false;
	*arms = (struct arms){branch, g->blocks[then].first,
		g->blocks[then].end, 0, 0, NO_BLOCK, NO_BLOCK,
		g->block_of[insn->target]};
	last = &p->f->insns[arms->end - 1];
	if (!graph_is_end(last))
		return insn->target == arms->end;
	other = then + 1;
	if (last->insn->op != PTXO_BRA || last->is_return ||
		last->insn->guarded || insn->target != arms->end ||
		other >= g->block_count || p->entries[other] != 1 ||
		graph_is_end(&p->f->insns[g->blocks[other].end - 1]) ||
		last->target != g->blocks[other].end)
		return false;
	arms->jump = --arms->end;
	arms->other_first = g->blocks[other].first;
	arms->other_end = g->blocks[other].end;
	arms->other = other;
	arms->meets = other + 1;
	return arms->meets < g->block_count;
}

static bool may_take(struct predicate *p, uint32_t block,
	const struct arms *arms, uint32_t first, uint32_t end)
{
	uint32_t most = PREDICATE_MOST, i;

	for (i = first; i < end; i++)
		if (!may_be_guarded(insn_at(p, i)) ||
			p->f->insns[i].instance !=
				p->f->insns[arms->branch].instance)
			return false;
	if (loads_global(p, first, end)) {
		if (p->in_loop[block] && carries_loads(p, block, first, end))
			return false;
		most = PREDICATE_MOST_GLOBAL;
	}
	return cost_of(p, arms, first, end) + (arms->jump == end) <= most &&
	       keeps_guard(p, arms->branch, first, end);
}

/* ---- the new text ---- */

/* What stays inside may be made on both ways, unless it is an access or takes
   what has a predicate. */
static bool needs_guard(struct predicate *p, uint32_t i)
{
	bool needs = ptx_ops[insn_at(p, i)->op].memory || !p->f->insns[i].stays;
	struct uses u;
	uint32_t k;

	uses_of(p->f, i, &u);
	for (k = 0; k < u.read_count; k++)
		needs |= p->marks[u.reads[k]] == p->mark;
	for (k = 0; k < u.write_count; k++)
		p->marks[u.writes[k]] = needs ? p->mark : 0;
	return needs;
}

static int guard(struct predicate *p, const struct arms *arms, uint32_t first,
	uint32_t end, bool negated)
{
	const struct ptx_insn *branch = insn_at(p, arms->branch);
	uint32_t i;

	p->mark++;
	for (i = first; i < end; i++) {
		struct ptx_insn insn = *insn_at(p, i);

		p->f->insns[i].stays = stays_inside(p, i, arms);
		if (!needs_guard(p, i))
			continue;
		insn.guarded = true;
		insn.guard = branch->guard;
		insn.guard_negated = branch->guard_negated != negated;
		p->f->insns[i].insn = flat_make_insn(p->f, &insn);
		if (!p->f->insns[i].insn)
			return ERR_FAILED;
	}
	return 0;
}

static int take(struct predicate *p, uint32_t block)
{
	struct arms arms;

	if (!find_arms(p, block, &arms) ||
		!may_take(p, block, &arms, arms.first, arms.end) ||
		!may_take(p, block, &arms, arms.other_first, arms.other_end) ||
		is_exit(p, arms.other_end ? arms.other_end : arms.end))
		return 0;
	p->gone[arms.branch] = true;
	if (arms.jump != NO_BLOCK)
		p->gone[arms.jump] = true;
	p->taken_count++;
	return guard(p, &arms, arms.first, arms.end, true) ||
			       guard(p, &arms, arms.other_first, arms.other_end,
				       false)
		       ? ERR_FAILED
		       : 0;
}

/* Without the branches; others go to where their targets have come. */
static void close_up(struct predicate *p, uint32_t *place)
{
	struct flat *f = p->f;
	uint32_t count = 0, i;

	for (i = 0; i < f->count; i++) {
		place[i] = count;
		count += !p->gone[i];
	}
	place[f->count] = count;
	for (i = 0; i < f->count; i++) {
		if (f->insns[i].insn->op == PTXO_BRA || f->insns[i].is_return)
			f->insns[i].target = place[f->insns[i].target];
		if (!p->gone[i])
			f->insns[place[i]] = f->insns[i];
	}
	f->count = count;
}

static void count_entries(struct predicate *p)
{
	uint32_t b, s;

	for (b = 0; b < p->g->block_count; b++)
		for (s = 0; s < 2; s++)
			if (p->g->blocks[b].successor[s] != NO_BLOCK)
				p->entries[p->g->blocks[b].successor[s]]++;
}

int predicate_branches(struct flat *f, const struct graph *g, bool *changed,
	struct error *error)
{
	struct predicate p = {.f = f, .g = g};
	uint32_t *place = calloc(f->count + 1, sizeof(*place)), b;
	int code = liveness_make(&p.live, f, g, error);

	p.gone = calloc(f->count + 1, sizeof(*p.gone));
	p.entries = calloc(g->block_count + 1, sizeof(*p.entries));
	p.in_loop = calloc(g->block_count + 1, sizeof(*p.in_loop));
	p.marks = calloc(f->register_count + 1, sizeof(*p.marks));
	if (!code &&
		(!place || !p.gone || !p.entries || !p.in_loop || !p.marks))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = loops_find(g, p.in_loop, error);
	if (!code)
		count_entries(&p);
	for (b = 0; !code && b < g->block_count; b++)
		if (take(&p, b))
			code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && p.taken_count)
		close_up(&p, place);
	*changed = p.taken_count;
	liveness_free(&p.live);
	free(place);
	free(p.gone);
	free(p.entries);
	free(p.in_loop);
	free(p.marks);
	return code;
}
