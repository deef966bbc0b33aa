/* Rules of single operations, and of addresses. */
#include <string.h>

#include "harness/ptx/reader.h"

/* ---- addresses ---- */

static uint8_t space_of_word(uint8_t word)
{
	return word == PTXW_NONE ? PTX_GENERIC
	       : word == PTXW_SPACE_global || word == PTXW_FROM_global
		       ? PTX_GLOBAL
		       : PTX_SHARED;
}

/* Of what an operation accesses: a copy has two, and its barrier. */
static uint8_t space_of(
	const struct ptx_insn *insn, const struct ptx_operand *o)
{
	if (o->has_place)
		return PTX_GENERIC;
	switch (insn->op) {
	case PTXO_CP_TENSOR:
	case PTXO_CP_TENSOR_REDUCE:
		return PTX_SHARED;
	case PTXO_MAP_COPY:
		return o == &insn->operands[0] ? PTX_GLOBAL : PTX_SHARED;
	case PTXO_MAP_PREFETCH_PARAM:
		return PTX_PARAM;
	case PTXO_MAP_PREFETCH_CONST:
		return PTX_CONST;
	case PTXO_CP_ASYNC:
		return o == &insn->operands[0] ? PTX_SHARED : PTX_GLOBAL;
	case PTXO_ST_ASYNC:
	case PTXO_RED_ASYNC:
		return PTX_SHARED;
	case PTXO_CP_BULK:
	case PTXO_CP_BULK_REDUCE:
		if (o == &insn->operands[1])
			return space_of_word(insn->word[PTX_CLASS_FROM]);
		return o == &insn->operands[0]
			       ? space_of_word(insn->word[PTX_CLASS_SPACE])
			       : PTX_SHARED;
	default:
		return insn->word[PTX_CLASS_SPACE]
			       ? space_of_word(insn->word[PTX_CLASS_SPACE])
			       : insn->space;
	}
}

/* A generic address can be of these. */
static bool is_reached(
	const struct ptx_insn *insn, uint8_t space, uint8_t variable)
{
	if (insn->op == PTXO_PREFETCHU)
		return variable == PTX_GLOBAL;
	if (space == PTX_GENERIC)
		return variable == PTX_GLOBAL || variable == PTX_SHARED ||
		       (variable == PTX_LOCAL && insn->op != PTXO_ATOM);
	return variable == space;
}

int form_check_address(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct ptx_operand *o)
{
	const uint8_t space = space_of(insn, o);
	const struct ptx_type_info *t;
	const char *name = s->all.text;
	const int length = (int)s->all.length;

	if (o->kind == PTX_PLACED) {
		const struct ptx_variable *v = &r->module->variables[o->index];

		return is_reached(insn, space, v->space)
			       ? 0
			       : reader_refuse(r, &s->place,
					 "'%.*s' does not reach the space of "
					 "'%.*s'",
					 length, name, (int)v->name.length,
					 v->name.text);
	}
	if (o->is_absolute && space != PTX_LOCAL)
		return reader_refuse(r, &s->place,
			"expected a register or a variable in the address of "
			"'%.*s'",
			length, name);
	if (o->is_absolute)
		return 0;
	if (space == PTX_PARAM && insn->op == PTXO_ST)
		return reader_refuse(r, &s->place,
			"expected a variable as the address of '%.*s'", length,
			name);
	t = &ptx_types[r->function->registers[o->index].type];
	if (t->kind != 'u' && t->kind != 's' && t->kind != 'b')
		return reader_refuse(r, &s->place,
			"expected a register of whole numbers in the address "
			"of '%.*s', not .%s",
			length, name, t->name);
	if ((space == PTX_GENERIC || space == PTX_GLOBAL) && t->bytes == 2 &&
		insn->op != PTXO_CP_ASYNC)
		return reader_unmodelled(r, &s->place,
			"the address of '%.*s' has 16 bits, which is not "
			"modelled",
			length, name);
	if ((space == PTX_GENERIC || space == PTX_GLOBAL) && t->bytes < 8 &&
		insn->op != PTXO_CP_ASYNC)
		return reader_refuse(r, &s->place,
			"expected a register of 64 bits in the address of "
			"'%.*s', not .%s",
			length, name, t->name);
	return 0;
}

/* ---- single operations ---- */

/* Threads that part company do not meet again by themselves. */
static const char *sync_fault(const struct reader *r, const struct ptx_insn *i)
{
	if ((i->op == PTXO_SHFL || i->op == PTXO_VOTE) &&
		!i->word[PTX_CLASS_SYNC] && r->module->version >= 64 &&
		r->module->target >= 70)
		return "needs .sync for sm_70 and newer, from PTX 6.4 on";
	return NULL;
}

/* `a|p` is written where the operation says so. */
static const char *pair_fault(const struct ptx_insn *i)
{
	const bool pair = i->second.kind != PTX_NOTHING;

	if (i->op == PTXO_LOP3 && pair != (i->word[PTX_CLASS_BOOL] != 0))
		return pair ? "writes one register, not a pair"
			    : "writes a pair, a|p";

	if (i->op == PTXO_ELECT && !pair)
		return "writes a pair, a|p";
	if (i->op == PTXO_MATCH && pair &&
		i->word[PTX_CLASS_VOTE] != PTXW_VOTE_all)
		return "writes one register, not a pair";
	if (i->op == PTXO_SET && i->type == PTX_bf16 && i->word[PTX_CLASS_FTZ])
		return "has no .ftz";
	if (i->op == PTXO_SETP && pair &&
		(i->type == PTX_f16 || i->type == PTX_bf16))
		return "writes one predicate, not a pair";
	return NULL;
}

static const char *move_fault(const struct ptx_insn *i)
{
	return i->op == PTXO_MOV && i->type != PTX_b128 &&
			       !i->word[PTX_CLASS_VECTOR] &&
			       i->operands[0].kind == PTX_VECTOR &&
			       i->operands[1].kind == PTX_VECTOR
		       ? "moves one vector, not two"
		       : NULL;
}

static bool has(const struct spelling *s, const char *word)
{
	uint32_t i;

	for (i = 1; i < s->count; i++)
		if (ptx_name_is(&s->words[i], word))
			return true;
	return false;
}

/* What lies beside 128 bits: 2 elements of 64 or 4 of 32. */
static bool is_halves(const struct reader *r, const struct ptx_operand *o)
{
	uint32_t i;

	for (i = 0; i < o->count; i++) {
		const struct ptx_operand *item =
			&r->function->items[o->index + i];

		if (item->kind == PTX_REGISTER &&
			ptx_types[r->function->registers[item->index].type]
						.bytes *
					o->count !=
				16)
			return false;
	}
	return true;
}

/* Registers of 128 bits are no vectors of two. */
static const char *whole_fault(const struct reader *r,
	const struct ptx_insn *insn, const struct spelling *s)
{
	const bool wants = has(s, "b128"), moves = insn->op == PTXO_MOV;
	const uint32_t count = insn->operand_count - ptx_has_policy(insn);
	bool any = false;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (o->kind != PTX_VECTOR)
			continue;
		any = any || o->is_whole;
		if (o->is_whole != wants && !(moves && wants))
			return wants ? "takes registers of 128 bits"
				     : "takes no register of 128 bits";
		if (moves && wants && !is_halves(r, o))
			return "takes vectors of 128 bits";
	}
	return moves && wants && !any ? "takes a register of 128 bits" : NULL;
}

/* `ldu` says a space, a type and how many, and nothing else. */
static const char *load_fault(const struct spelling *s)
{
	uint32_t i;

	if (ptx_name_is(&s->words[0], "ld") && has(s, "weak") && has(s, "nc"))
		return "is either .weak or .nc";
	if (s->all.length < 4 || memcmp(s->all.text, "ldu.", 4) != 0)
		return NULL;
	for (i = 1; i < s->count; i++)
		if (!ptx_name_is(&s->words[i], "global") &&
			!ptx_name_is(&s->words[i], "v2") &&
			!ptx_name_is(&s->words[i], "v4") &&
			!reader_type(&s->words[i]))
			return "takes .global, a vector and a type alone";
	return NULL;
}

static const char *number_fault(const struct ptx_insn *i)
{
	uint32_t k;

	if (i->op != PTXO_BFE && i->op != PTXO_BFI)
		return NULL;
	for (k = i->op == PTXO_BFE ? 2 : 3; k < i->operand_count; k++)
		if (i->operands[k].kind == PTX_NUMBER &&
			i->operands[k].bits > 255)
			return "takes positions and lengths of 0 to 255";
	return NULL;
}

static const char *threads_fault(const struct ptx_insn *i)
{
	const struct ptx_operand *o = &i->operands[1];

	if ((i->op != PTXO_BAR_ARRIVE && i->op != PTXO_BARRIER_ARRIVE) ||
		i->operand_count < 2)
		return NULL;
	return o->kind == PTX_NUMBER && !o->bits
		       ? "needs the number of threads that meet"
		       : NULL;
}

static const char *event_fault(
	const struct ptx_insn *i, const struct spelling *s)
{
	const uint64_t most = s->count > 1 ? 65535 : 15;

	return i->op == PTXO_PMEVENT && i->operands[0].bits > most
		       ? "takes an event of 0 to 15, a mask of 16 bits"
		       : NULL;
}

static bool is_bytes(const struct reader *r, const struct ptx_operand *o)
{
	const struct ptx_register *reg;

	if (o->kind == PTX_NUMBER)
		return !o->is_float;
	if (o->kind != PTX_REGISTER)
		return false;
	reg = &r->function->registers[o->index];
	return reg->type == PTX_pred || reg->type == PTX_u32 ||
	       reg->type == PTX_s32 || reg->type == PTX_b32;
}

static const char *copy_fault(const struct reader *r, const struct ptx_insn *i)
{
	const struct ptx_operand *size = &i->operands[2];
	const bool all = i->word[PTX_CLASS_CACHE] == PTXW_CACHE_cg;
	const uint32_t count = i->operand_count - ptx_has_policy(i);

	if (i->op != PTXO_CP_ASYNC || count < 3)
		return NULL;
	if (size->bits != 16 && (all || (size->bits != 4 && size->bits != 8)))
		return all ? "copies 16 bytes" : "copies 4, 8 or 16 bytes";
	if (count < 4)
		return NULL;
	if (!is_bytes(r, &i->operands[3]))
		return "takes bytes or a predicate as operand 4";
	if (i->operands[3].kind == PTX_NUMBER &&
		i->operands[3].bits > size->bits)
		return "takes no more bytes than it copies";
	return NULL;
}

/* Registers of a thread, of which a warp has others from there on. */
static const char *registers_fault(
	const struct reader *r, const struct ptx_insn *i)
{
	const uint64_t count = i->operands[0].bits;

	if (i->op != PTXO_REGISTERS_INC && i->op != PTXO_REGISTERS_DEC)
		return NULL;
	if (!r->module->target_is_exact)
		return "needs .target sm_90a";
	return count < 24 || count > 256 || count % 8
		       ? "takes a multiple of 8 from 24 to 256"
		       : NULL;
}

int form_check_rules(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const char *fault = sync_fault(r, insn);

	if (!fault)
		fault = pair_fault(insn);
	if (!fault)
		fault = move_fault(insn);
	if (!fault)
		fault = whole_fault(r, insn, s);
	if (!fault)
		fault = load_fault(s);
	if (!fault)
		fault = number_fault(insn);
	if (!fault)
		fault = threads_fault(insn);
	if (!fault)
		fault = copy_fault(r, insn);
	if (!fault)
		fault = registers_fault(r, insn);
	if (!fault)
		fault = event_fault(insn, s);
	return fault ? reader_refuse(r, &s->place, "'%.*s' %s",
			       (int)s->all.length, s->all.text, fault)
	       : insn->word[PTX_CLASS_DIMENSION] ||
			       insn->op == PTXO_MAP_REPLACE ||
			       insn->op == PTXO_MAP_COPY
		       ? form_check_tensors(r, insn, s)
		       : form_check_matrices(r, insn, s);
}
