/* What the spelling of an access says of caches, by the table that access
   programs have, and the operands that are policies. */
#include <string.h>

#include "harness/program/legality/legality.h"
#include "harness/ptx/reader.h"

/* ---- the spelling ---- */

static bool is_policy_maker(const struct ptx_insn *insn)
{
	return insn->op == PTXO_CREATEPOLICY_FRACTIONAL ||
	       insn->op == PTXO_CREATEPOLICY_RANGE ||
	       insn->op == PTXO_CREATEPOLICY_CVT;
}

/* Does it say what caches do? */
static bool is_of_caches(const struct ptx_insn *insn)
{
	const uint8_t *q = insn->qualifiers;

	switch (insn->op) {
	case PTXO_PREFETCH:
	case PTXO_PREFETCHU:
	case PTXO_DISCARD:
	case PTXO_APPLYPRIORITY:
		return true;
	default:
		return is_policy_maker(insn) || q[Q_L1] || q[Q_L2] ||
		       q[Q_HINT] || q[Q_SIZE];
	}
}

/* A number among the operands, as the access program's instruction has it. */
static bool number_at(const struct ptx_insn *insn, uint32_t i, bool is_float,
	const struct ptx_operand **o)
{
	*o = &insn->operands[i];
	return i < insn->operand_count && (*o)->kind == PTX_NUMBER &&
	       (*o)->is_float == is_float;
}

static double fraction_of(const struct ptx_operand *o)
{
	uint32_t bits = (uint32_t)o->bits;
	double wide;
	float narrow;

	if (o->is_single) {
		memcpy(&narrow, &bits, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, &o->bits, sizeof(wide));
	return (float)wide;
}

static void take_numbers(const struct ptx_insn *insn, struct insn *access)
{
	const struct ptx_operand *a, *b;

	switch (insn->op) {
	case PTXO_CREATEPOLICY_FRACTIONAL:
		access->fraction =
			number_at(insn, 1, true, &a) ? fraction_of(a) : 1;
		break;
	case PTXO_CREATEPOLICY_RANGE:
		if (!number_at(insn, 2, false, &a) ||
			!number_at(insn, 3, false, &b))
			break;
		access->count = (uint32_t)a->bits;
		access->total = (uint32_t)b->bits;
		break;
	case PTXO_DISCARD:
	case PTXO_APPLYPRIORITY:
		access->count = number_at(insn, 1, false, &a)
					? a->bits
					: PROGRAM_LINE_BYTES;
		break;
	default:
		break;
	}
}

/* Spaces that access programs have not. */
static int check_space(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	if (insn->space != PTX_CONST && insn->space != PTX_PARAM)
		return 0;
	return reader_refuse(r, &insn->place, "'%.*s' is illegal: %s",
		(int)spelling->length, spelling->text,
		insn->op == PTXO_LD || insn->op == PTXO_ST
			? "eviction priorities, .L2::cache_hint and prefetch "
			  "sizes are for .global"
			: "it is for .global");
}

int reader_check_access(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	struct insn access = {.op = insn->access};
	int code;

	if (!is_of_caches(insn))
		return 0;
	if (insn->qualifiers[Q_LEVEL] == QV_LEVEL_tensormap)
		return reader_refuse(r, &insn->place,
			"'.tensormap' of '%.*s' is not modelled",
			(int)spelling->length, spelling->text);
	memcpy(access.q, insn->qualifiers, sizeof(access.q));
	take_numbers(insn, &access);
	code = check_space(r, insn, spelling);
	if (!code)
		code = legality_of_kernel(&access, r->module->target,
			r->module->version, r->error);
	else
		return code;
	return code ? error_prefix(r->error, code, "%s:%u:%u: ", r->file,
			      insn->place.line, insn->place.column)
		    : 0;
}

/* ---- operands ---- */

/* A register of so many bytes that holds bits of no kind of its own, or of
   `kinds`; or a number: whole, unless `kinds` are of reals. */
static bool is_word(const struct reader *r, const struct ptx_operand *o,
	uint8_t bytes, const char *kinds)
{
	const struct ptx_type_info *t;

	if (o->kind == PTX_NUMBER)
		return o->is_float == (*kinds == 'f');
	if (o->kind != PTX_REGISTER || o->negated)
		return false;
	t = &ptx_types[r->function->registers[o->index].type];
	return t->bytes == bytes && (t->kind == 'b' || strchr(kinds, t->kind));
}

static int check_word(struct reader *r, const struct ptx_insn *insn, uint32_t i,
	bool fits, const char *what, const struct ptx_name *spelling)
{
	return fits ? 0
		    : reader_refuse(r, &insn->place,
			      "expected %s as operand %u of '%.*s'", what,
			      i + 1, (int)spelling->length, spelling->text);
}

/* Where a range begins: a register's address, or a variable's. */
static int check_begin(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct ptx_operand *o = &insn->operands[1];
	const struct ptx_module *m = r->module;
	bool fits = !o->is_absolute;

	if (o->kind == PTX_PLACED)
		fits = m->variables[o->index].space == PTX_GLOBAL ||
		       (m->variables[o->index].space != PTX_PARAM &&
			       insn->space != PTX_GLOBAL);
	else if (fits &&
		 ptx_types[r->function->registers[o->index].type].bytes != 8)
		return reader_refuse(r, &insn->place,
			"'%.*s' of an address of 32 bits is not modelled",
			(int)spelling->length, spelling->text);
	return check_word(
		r, insn, 1, fits, "an address of global memory", spelling);
}

static int check_maker(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct ptx_operand *o = insn->operands;
	int code = check_word(r, insn, 0,
		o->kind == PTX_REGISTER && is_word(r, o, 8, "us"),
		"a register of 64 bits", spelling);
	uint32_t i;

	if (!code && insn->op == PTXO_CREATEPOLICY_RANGE)
		code = check_begin(r, insn, spelling);
	for (i = 1; !code && i < insn->operand_count; i++)
		if (insn->op == PTXO_CREATEPOLICY_FRACTIONAL)
			code = check_word(r, insn, i, is_word(r, &o[i], 4, "f"),
				"a value of f32", spelling);
		else if (insn->op == PTXO_CREATEPOLICY_CVT)
			code = check_word(r, insn, i,
				is_word(r, &o[i], 8, "us"),
				"a whole value of 64 bits", spelling);
		else if (i > 1)
			code = check_word(r, insn, i,
				is_word(r, &o[i], 4, "us"),
				"a whole value of 32 bits", spelling);
	return code;
}

int reader_check_policy(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const uint32_t last = insn->operand_count - 1u;

	if (is_policy_maker(insn))
		return check_maker(r, insn, spelling);
	if (!ptx_has_policy(insn))
		return 0;
	return check_word(r, insn, last,
		insn->operand_count &&
			is_word(r, &insn->operands[last], 8, "us"),
		"a policy of 64 bits", spelling);
}
