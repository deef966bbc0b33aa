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
	/* What is none of access programs' has another's legality. */
	if (insn->vector > 1 && (insn->op == PTXO_ATOM || insn->op == PTXO_RED))
		access.q[Q_VEC] = 0;
	if (!access.q[Q_TYPE] &&
		(insn->op == PTXO_ATOM || insn->op == PTXO_RED))
		access.q[Q_TYPE] = QV_TYPE_f32;
	take_numbers(insn, &access);
	code = check_space(r, insn, spelling);
	if (code)
		return code;
	code = legality_of_kernel(
		&access, r->module->target, r->module->version, r->error);
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

/* Whether the variable is where the spelling says; a generic address leads
   neither to constants nor to parameters. */
static bool is_there(const struct ptx_insn *insn, const struct ptx_variable *v)
{
	if (insn->space != PTX_GENERIC)
		return v->space == insn->space;
	return v->space != PTX_CONST && v->space != PTX_PARAM;
}

static int check_base(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_operand *o, const struct ptx_name *spelling)
{
	const uint8_t type = r->function->registers[o->index].type;
	const unsigned bytes = ptx_types[type].bytes;
	const bool is_taken =
		bytes == 2 ||
		(bytes == 4 && insn->op == PTXO_CREATEPOLICY_RANGE);

	if (!strchr("bus", ptx_types[type].kind))
		return reader_refuse(r, &insn->place,
			"the address of '%.*s' is in a register of .%s",
			(int)spelling->length, spelling->text,
			ptx_types[type].name);
	if (bytes == 8 || (bytes == 4 && insn->space == PTX_LOCAL))
		return 0;
	return reader_refuse(r, &insn->place,
		"the address of '%.*s' has %u bits, not 64%s",
		(int)spelling->length, spelling->text, bytes * 8,
		is_taken ? ", which is not modelled" : "");
}

static int check_address(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_operand *o, const struct ptx_name *spelling)
{
	const struct ptx_variable *v;

	if (o->kind == PTX_ADDRESS && !o->is_absolute)
		return check_base(r, insn, o, spelling);
	if (o->kind == PTX_ADDRESS && insn->space != PTX_LOCAL)
		return reader_refuse(r, &insn->place,
			"expected a register or a variable as the address of "
			"'%.*s'",
			(int)spelling->length, spelling->text);
	if (o->kind != PTX_PLACED)
		return 0;
	v = &r->module->variables[o->index];
	if (is_there(insn, v))
		return 0;
	return reader_refuse(r, &insn->place,
		"'%.*s' is in another space than '%.*s' says",
		(int)v->name.length, v->name.text, (int)spelling->length,
		spelling->text);
}

/* Of createpolicy, in the order of ops.def: the operands from `first` on. */
static const struct made_of {
	uint32_t first;
	uint8_t bytes;
	const char *kinds, *what;
} made_of[] = {
	{1, 4, "f", "a value of f32"},
	{2, 4, "us", "a whole value of 32 bits"},
	{1, 8, "us", "a whole value of 64 bits"},
};

static int check_maker(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct made_of *from =
		&made_of[insn->op - PTXO_CREATEPOLICY_FRACTIONAL];
	const struct ptx_operand *o = insn->operands;
	int code = check_word(r, insn, 0,
		o->kind == PTX_REGISTER && is_word(r, o, 8, "us"),
		"a register of 64 bits", spelling);
	uint32_t i;

	for (i = from->first; !code && i < insn->operand_count; i++)
		code = check_word(r, insn, i,
			is_word(r, &o[i], from->bytes, from->kinds), from->what,
			spelling);
	return code;
}

/* The size of the line. */
static int check_size(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct ptx_operand *size = &insn->operands[1];

	if (insn->op != PTXO_DISCARD && insn->op != PTXO_APPLYPRIORITY)
		return 0;
	return check_word(r, insn, 1,
		size->kind == PTX_NUMBER && !size->is_float, "128", spelling);
}

int reader_check_access_operands(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const uint32_t count = insn->operand_count;
	uint32_t i;
	int code = check_size(r, insn, spelling);

	for (i = 0; !code && is_of_caches(insn) && i < count; i++)
		code = check_address(r, insn, &insn->operands[i], spelling);
	if (!code && is_policy_maker(insn))
		return check_maker(r, insn, spelling);
	if (code || !count || !ptx_has_policy(insn))
		return code;
	return check_word(r, insn, count - 1,
		is_word(r, &insn->operands[count - 1], 8, "us"),
		"a policy of 64 bits", spelling);
}
