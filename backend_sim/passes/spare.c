#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/passes/counted.h"
#include "backend_sim/passes/spare.h"

struct spare {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	uint32_t *seen; /* [register]: 1 + the block that is looked at; owned,
			   as the others */
	bool *is_read;  /* then: whether what follows reads it, */
	uint32_t *adds; /* or 1 + the addition that nobody has read; 0: none
			   is, in `seen` of its block */
};

/* ---- results that nobody reads ---- */

/* Whether the instruction is there for its results alone. */
static bool is_pure(const struct ptx_insn *insn)
{
	return effect_of(insn) == NONE_AT_ALL && !ptx_ops[insn->op].memory &&
	       insn->op != PTXO_BRA && !insn->word[PTX_CLASS_CC];
}

static bool is_read(struct spare *s, uint32_t block, uint32_t reg)
{
	if (s->seen[reg] == block + 1)
		return s->is_read[reg];
	return liveness_has(&s->live, s->live.out, block, reg);
}

static void set_read(struct spare *s, uint32_t block, uint32_t reg, bool read)
{
	s->seen[reg] = block + 1;
	s->is_read[reg] = read;
}

static void find_unread(struct spare *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	struct uses uses;
	bool wanted;
	uint32_t i, k;

	for (i = b->end; i-- > b->first;) {
		uses_of(s->f, i, &uses);
		wanted = !uses.write_count || !is_pure(s->f->insns[i].insn);
		for (k = 0; k < uses.write_count; k++)
			wanted |= is_read(s, block, uses.writes[k]);
		s->f->insns[i].spare = !wanted;
		for (k = 0; k < uses.write_count && !uses.partial; k++)
			set_read(s, block, uses.writes[k], false);
		for (k = 0; wanted && k < uses.read_count; k++)
			set_read(s, block, uses.reads[k], true);
	}
}

/* ---- sums and logic ---- */

/* 1 + what nobody has read of the register; 0: there is none. */
static uint32_t *add_of(struct spare *s, uint32_t block, uint32_t reg)
{
	if (s->seen[reg] != block + 1)
		s->adds[reg] = 0;
	s->seen[reg] = block + 1;
	return &s->adds[reg];
}

static uint32_t register_of(const struct spare *s, uint32_t i, uint32_t operand)
{
	const struct flat_insn *flat = &s->f->insns[i];

	return flat_register(
		s->f, flat->instance, flat->insn->operands[operand].index);
}

/* What both an operation and the one before it do to the same register. */
enum joined { JOINED_NOT, JOINED_SUM, JOINED_LOGIC };

/* Logic of a register with something else, back into the register. */
static bool is_logic(const struct ptx_insn *insn)
{
	const struct ptx_operand *o = insn->operands;

	if ((insn->op != PTXO_AND && insn->op != PTXO_OR &&
		    insn->op != PTXO_XOR) ||
		insn->guarded || insn->type == PTX_pred ||
		o[0].kind != PTX_REGISTER || o[1].kind != PTX_REGISTER ||
		o[0].index != o[1].index)
		return false;
	return o[2].kind == PTX_NUMBER ||
	       (o[2].kind == PTX_REGISTER && o[2].index != o[0].index);
}

static enum joined joins(const struct ptx_insn *insn)
{
	return counted_step(insn) ? JOINED_SUM
	       : is_logic(insn)   ? JOINED_LOGIC
				  : JOINED_NOT;
}

/* One that another one follows is a part of that one: of sums any number, of
   logic one, since the hardware's has three operands. */
static void join(struct spare *s, uint32_t block, uint32_t i)
{
	const struct ptx_insn *insn = s->f->insns[i].insn;
	uint32_t *before = add_of(s, block, register_of(s, i, 0));
	const enum joined how = joins(insn);

	if (insn->operands[2].kind == PTX_REGISTER)
		*add_of(s, block, register_of(s, i, 2)) = 0;
	if (*before && joins(s->f->insns[*before - 1].insn) == how) {
		s->f->insns[*before - 1].spare = true;
		*before = how == JOINED_SUM ? i + 1 : 0;
	} else {
		*before = i + 1;
	}
}

static void find_joined(struct spare *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	struct uses uses;
	uint32_t i, k;

	for (i = b->first; i < b->end; i++) {
		if (s->f->insns[i].spare)
			continue;
		if (joins(s->f->insns[i].insn)) {
			join(s, block, i);
			continue;
		}
		uses_of(s->f, i, &uses);
		for (k = 0; k < uses.read_count; k++)
			*add_of(s, block, uses.reads[k]) = 0;
		for (k = 0; k < uses.write_count; k++)
			*add_of(s, block, uses.writes[k]) = 0;
	}
}

/* ---- the kernel ---- */

int spare_insns(struct flat *f, const struct graph *g, struct error *error)
{
	const size_t registers = (size_t)f->register_count + 1;
	struct spare s = {.f = f, .g = g};
	uint32_t b;
	int code = liveness_make(&s.live, f, g, error);

	s.seen = calloc(registers, sizeof(*s.seen));
	s.is_read = calloc(registers, sizeof(*s.is_read));
	s.adds = calloc(registers, sizeof(*s.adds));
	if (!code && (!s.seen || !s.is_read || !s.adds))
		code = error_set(error, ERR_FAILED, "out of memory");
	for (b = 0; !code && b < g->block_count; b++)
		find_unread(&s, b);
	if (!code)
		memset(s.seen, 0, registers * sizeof(*s.seen));
	for (b = 0; !code && b < g->block_count; b++)
		find_joined(&s, b);
	liveness_free(&s.live);
	free(s.seen);
	free(s.is_read);
	free(s.adds);
	return code;
}
