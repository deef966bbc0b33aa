#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/passes/repeated.h"

#define HEADS 1024u /* of lists of what a block has computed */

struct repeated {
	struct flat *f;
	const struct graph *g;
	uint32_t *version; /* [register]: 1 + the instruction of the block that
			      wrote it last; owned, as the others */
	uint32_t *writers; /* [register]: instructions that write it */
	uint32_t *inside;  /* [register]: 1 + the loop that writes it; 0: none
			      of those that were looked at */
	uint32_t *next; /* [instruction]: 1 + the one before it in its list */
	uint32_t *when; /* [instruction * OPERANDS]: versions it has read */
	uint32_t heads[HEADS];
	bool failed;
};

#define OPERANDS PTX_OPERANDS_MAX

/* What the same registers give is always the same: no carry, no other lane. */
static bool is_function(const struct ptx_insn *insn)
{
	return !insn->guarded && effect_is_pure(insn) &&
	       !effect_gathers(insn) && insn->op != PTXO_ADDC &&
	       insn->op != PTXO_SUBC && insn->op != PTXO_MADC;
}

/* One result in a register, from registers and numbers alone. */
static bool is_computed(const struct repeated *r, uint32_t i)
{
	const struct ptx_insn *insn = r->f->insns[i].insn;
	uint32_t k;

	if (r->f->insns[i].spare || !is_function(insn) ||
		insn->op == PTXO_MOV || insn->second.kind != PTX_NOTHING ||
		!insn->operand_count || insn->operands[0].kind != PTX_REGISTER)
		return false;
	for (k = 1; k < insn->operand_count; k++)
		if (insn->operands[k].kind != PTX_REGISTER &&
			insn->operands[k].kind != PTX_NUMBER)
			return false;
	return true;
}

static uint32_t register_at(const struct repeated *r, uint32_t i, uint32_t k)
{
	const struct flat_insn *flat = &r->f->insns[i];

	return flat_register(
		r->f, flat->instance, flat->insn->operands[k].index);
}

/* ---- in a block ---- */

static uint32_t version_of(const struct repeated *r, uint32_t i, uint32_t k)
{
	return r->f->insns[i].insn->operands[k].kind == PTX_REGISTER
		       ? r->version[register_at(r, i, k)]
		       : 0;
}

static bool same_operand(
	const struct repeated *r, uint32_t a, uint32_t b, uint32_t k)
{
	const struct ptx_operand *x = &r->f->insns[a].insn->operands[k];
	const struct ptx_operand *y = &r->f->insns[b].insn->operands[k];

	if (x->kind != y->kind || x->negated != y->negated)
		return false;
	if (x->kind == PTX_NUMBER)
		return x->bits == y->bits && x->is_float == y->is_float &&
		       x->is_single == y->is_single;
	return register_at(r, a, k) == register_at(r, b, k) &&
	       r->when[(size_t)a * OPERANDS + k] == version_of(r, b, k);
}

/* Whether `a`, which comes first, has computed what `b` computes, and its
   register still has it. */
static bool same_value(const struct repeated *r, uint32_t a, uint32_t b)
{
	const struct ptx_insn *x = r->f->insns[a].insn;
	const struct ptx_insn *y = r->f->insns[b].insn;
	const uint32_t from = register_at(r, a, 0), to = register_at(r, b, 0);
	uint32_t k;

	if (x->op != y->op || x->type != y->type || x->from != y->from ||
		x->operand_count != y->operand_count ||
		memcmp(x->more, y->more, sizeof(x->more)) != 0 ||
		memcmp(x->word, y->word, sizeof(x->word)) != 0 ||
		r->f->types[from] != r->f->types[to] ||
		r->version[from] != a + 1)
		return false;
	for (k = 1; k < x->operand_count; k++)
		if (!same_operand(r, a, b, k))
			return false;
	return true;
}

static uint32_t *head_of(struct repeated *r, uint32_t i)
{
	const struct ptx_insn *insn = r->f->insns[i].insn;
	uint32_t hash = insn->op * 31u + insn->type, k;

	for (k = 1; k < insn->operand_count; k++)
		hash = hash * 31 +
		       (insn->operands[k].kind == PTX_REGISTER
				       ? register_at(r, i, k)
				       : (uint32_t)insn->operands[k].bits);
	return &r->heads[(hash ^ hash >> 10) % HEADS];
}

/* Both are of the same instance. */
static void become_move(struct repeated *r, uint32_t b, uint32_t a)
{
	const struct ptx_insn *from = r->f->insns[a].insn;
	struct ptx_insn move = *r->f->insns[b].insn;
	const uint8_t type = r->f->types[register_at(r, a, 0)];

	move.op = PTXO_MOV;
	move.type = move.from = type;
	memset(move.word, 0, sizeof(move.word));
	move.operand_count = 2;
	move.operands[1] = from->operands[0];
	r->f->insns[b].insn = flat_make_insn(r->f, &move);
	r->failed |= !r->f->insns[b].insn;
}

static void find_in_block(struct repeated *r, uint32_t i)
{
	uint32_t *head, at, k;

	head = head_of(r, i);
	for (at = *head; at; at = r->next[at - 1])
		if (r->f->insns[at - 1].instance == r->f->insns[i].instance &&
			same_value(r, at - 1, i)) {
			become_move(r, i, at - 1);
			return;
		}
	for (k = 1; k < r->f->insns[i].insn->operand_count; k++)
		r->when[(size_t)i * OPERANDS + k] = version_of(r, i, k);
	r->next[i] = *head;
	*head = i + 1;
}

/* What it writes has another version from then on, and at the block's end none.
 */
static void set_versions(struct repeated *r, uint32_t i, uint32_t version)
{
	struct uses u;
	uint32_t k;

	uses_of(r->f, i, &u);
	for (k = 0; k < u.write_count; k++)
		r->version[u.writes[k]] = version;
}

static void look_at_block(struct repeated *r, const struct graph_block *b)
{
	uint32_t i;

	memset(r->heads, 0, sizeof(r->heads));
	for (i = b->first; i < b->end && !r->failed; i++) {
		if (is_computed(r, i))
			find_in_block(r, i);
		set_versions(r, i, i + 1);
	}
	for (i = b->first; i < b->end && !r->failed; i++)
		set_versions(r, i, 0);
}

/* ---- in a loop ---- */

static void count_writers(struct repeated *r)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < r->f->count; i++) {
		uses_of(r->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			r->writers[u.writes[k]]++;
	}
}

/* It is computed from what the loop leaves alone, and nothing else writes its
   register. */
static bool stays_same(const struct repeated *r, uint32_t i, uint32_t loop)
{
	const struct ptx_insn *insn = r->f->insns[i].insn;
	struct uses u;
	uint32_t k;

	if (!is_function(insn))
		return false;
	uses_of(r->f, i, &u);
	for (k = 0; k < u.read_count; k++)
		if (r->inside[u.reads[k]] == loop)
			return false;
	for (k = 0; k < u.write_count; k++)
		if (r->writers[u.writes[k]] != 1)
			return false;
	return u.write_count > 0;
}

/* The block goes back to the one with which each round begins. */
static void look_at_loop(struct repeated *r, uint32_t block)
{
	const struct graph_block *blocks = r->g->blocks, *first;
	const struct flat_insn *last = &r->f->insns[blocks[block].end - 1];
	struct uses u;
	uint32_t i, k;

	if (last->insn->op != PTXO_BRA || r->g->block_of[last->target] > block)
		return;
	first = &blocks[r->g->block_of[last->target]];
	for (i = first->first; i < blocks[block].end; i++) {
		uses_of(r->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			r->inside[u.writes[k]] = block + 1;
	}
	for (i = first->first; i < first->end; i++) {
		if (!stays_same(r, i, block + 1))
			continue;
		uses_of(r->f, i, &u);
		for (k = 0; k < u.write_count; k++)
			r->inside[u.writes[k]] = 0;
		r->f->insns[i].spare = true;
	}
}

/* ---- the kernel ---- */

int repeated_insns(struct flat *f, const struct graph *g, struct error *error)
{
	const size_t registers = (size_t)f->register_count + 1;
	const size_t insns = (size_t)f->count + 1;
	struct repeated *r = calloc(1, sizeof(*r));
	bool made = r;
	uint32_t i;

	if (made) {
		r->f = f;
		r->g = g;
		r->version = calloc(registers, sizeof(*r->version));
		r->writers = calloc(registers, sizeof(*r->writers));
		r->inside = calloc(registers, sizeof(*r->inside));
		r->next = calloc(insns, sizeof(*r->next));
		r->when = calloc(insns * OPERANDS, sizeof(*r->when));
		made = r->version && r->writers && r->inside && r->next &&
		       r->when;
	}
	for (i = 0; made && i < g->block_count; i++)
		look_at_block(r, &g->blocks[i]);
	if (made)
		count_writers(r);
	for (i = 0; made && i < g->block_count; i++)
		look_at_loop(r, i);
	made = made && !r->failed;
	if (r) {
		free(r->version);
		free(r->writers);
		free(r->inside);
		free(r->next);
		free(r->when);
	}
	free(r);
	return made ? 0 : error_set(error, ERR_FAILED, "out of memory");
}
