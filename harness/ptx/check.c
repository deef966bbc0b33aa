/* Holds the operands of an instruction to what its row in ops.def says. */
#include <string.h>

#include "harness/ptx/reader.h"

static bool is_value(const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER || o->kind == PTX_NUMBER ||
	       o->kind == PTX_SPECIAL || o->kind == PTX_VARIABLE ||
	       o->kind == PTX_FUNCTION;
}

/* Whether predicates alone stand there, or anything but predicates. */
static bool wants_predicate(const struct ptx_insn *insn, char letter)
{
	switch (letter) {
	case 'p':
	case 'q':
	case 'Q':
		return true;
	case 'n':
	case 'o':
	case 'm':
	case 'M':
	case 'x':
		return false;
	default:
		return insn->type == PTX_pred;
	}
}

static bool is_predicate(const struct reader *r, uint32_t index)
{
	return r->function->registers[index].type == PTX_pred;
}

static bool is_of_kind(
	const struct reader *r, const struct ptx_operand *o, bool predicate)
{
	uint32_t i;

	if (o->negated && !predicate)
		return false;
	switch (o->kind) {
	case PTX_REGISTER:
		return is_predicate(r, o->index) == predicate;
	case PTX_SPECIAL:
		return (o->index == PTXS_is_explicit_cluster) == predicate;
	case PTX_VARIABLE:
	case PTX_FUNCTION:
		return !predicate;
	case PTX_ADDRESS:
		return o->is_absolute || !is_predicate(r, o->index);
	case PTX_VECTOR:
		for (i = 0; i < o->count; i++)
			if (!is_of_kind(r, &r->function->items[o->index + i],
				    false))
				return false;
		return !predicate;
	default:
		return true;
	}
}

static bool is_written(const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER || o->kind == PTX_NOTHING;
}

static bool is_vector(const struct reader *r, const struct ptx_operand *o,
	bool (*is_item)(const struct ptx_operand *o))
{
	uint32_t i;

	if (ptx_is_targets(r->function, o))
		return false;

	for (i = 0; o->kind == PTX_VECTOR && i < o->count; i++)
		if (!is_item(&r->function->items[o->index + i]))
			return false;
	return o->kind == PTX_VECTOR;
}

static bool is_form(
	const struct reader *r, const struct ptx_operand *o, char letter)
{
	switch (letter) {
	case 'd':
	case 'D':
	case 'q':
	case 'Q':
		return is_written(o) && !o->negated;
	case 's':
	case 'n':
		return is_value(o);
	case 'o':
		return is_value(o) || o->kind == PTX_NOTHING;
	case 'p':
		return o->kind == PTX_REGISTER || o->kind == PTX_NUMBER;
	case 'l':
		return o->kind == PTX_LABEL;
	case 't':
		return o->kind == PTX_VECTOR && o->count &&
		       r->function->items[o->index].kind == PTX_LABEL;
	case 'a':
		return is_written(o) || is_vector(r, o, is_written);
	case 'w':
		return (o->kind == PTX_REGISTER && !o->negated) ||
		       is_vector(r, o, is_written);
	case 'b':
		return is_vector(r, o, is_value);
	case 'k':
	case 'v':
		return is_value(o) || is_vector(r, o, is_value);
	case 'm':
	case 'M':
		return (o->kind == PTX_ADDRESS || o->kind == PTX_PLACED) &&
		       o->has_place == (letter == 'M');
	case 'h': /* access.c has the rest */
		return o->kind == PTX_REGISTER || o->kind == PTX_NUMBER;
	case 'x':
		return true;
	default:
		return false;
	}
}

/* Letters of operands that the spelling alone brings. */
static bool is_there(const struct ptx_insn *insn, char letter)
{
	return (letter != 'h' || ptx_has_policy(insn)) &&
	       (letter != 'k' || insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_cas);
}

static const char *what(const struct ptx_insn *insn, char letter)
{
	switch (letter) {
	case 'l':
		return "a label";
	case 't':
		return "a list of labels, that of '.branchtargets',";
	case 'm':
		return "an address";
	case 'M':
		return "an address and coordinates, [a, {x, y}],";
	default:
		break;
	}
	if (wants_predicate(insn, letter))
		return "a predicate";
	switch (letter) {
	case 'd':
	case 'D':
		return "a register that is written";
	case 'a':
	case 'w':
		return "a register or a vector of registers";
	case 'v':
		return "a value or a vector";
	case 'h':
		return "a policy";
	default:
		return "a value";
	}
}

/* The other register of a pair is a predicate. */
static int check_second(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct ptx_operand *o = &insn->second;
	char letter = ptx_ops[insn->op].operands[0];

	if (o->kind == PTX_NOTHING)
		return 0;
	if (letter != 'D' && letter != 'Q')
		return reader_refuse(r, &insn->place,
			"'%.*s' writes one register, not a pair",
			(int)spelling->length, spelling->text);
	if (o->kind == PTX_REGISTER && is_of_kind(r, o, true) && !o->negated)
		return 0;
	return reader_refuse(r, &insn->place,
		"expected a predicate behind the '|' of '%.*s'",
		(int)spelling->length, spelling->text);
}

/* (a, b), name, (c): what a call returns, the function, what it takes; behind
   what a register holds stands a prototype or a list of functions. */
static int check_call(struct reader *r, const struct ptx_insn *insn)
{
	const struct ptx_operand *o = insn->operands;
	const uint32_t count = insn->operand_count;
	const uint32_t at = count && o[0].kind == PTX_VECTOR;
	uint32_t end = at + 1;

	if (at < count && o[at].kind != PTX_LABEL && o[at].kind != PTX_REGISTER)
		return reader_refuse(r, &insn->place,
			"expected the name of a function, or a register");
	if (end < count && o[end].kind == PTX_VECTOR &&
		!ptx_is_targets(r->function, &o[end]))
		end++;
	if (at < count && o[at].kind == PTX_REGISTER) {
		const struct ptx_type_info *t =
			&ptx_types[r->function->registers[o[at].index].type];

		if (t->bytes < 4 || !strchr("bus", t->kind))
			return reader_refuse(r, &insn->place,
				"expected a register of whole numbers that "
				"holds the function, not .%s",
				t->name);
		if (end == count ||
			(!o[end].is_prototype &&
				!ptx_is_targets(r->function, &o[end])))
			return reader_refuse(r, &insn->place,
				"expected a prototype or a list of functions "
				"behind a call of what a register holds");
		end++;
	}
	if (end == count)
		return 0;
	return reader_refuse(r, &insn->place,
		end > count ? "expected the name of a function"
			    : "expected fewer operands of a call");
}

/* As in the assembler: others take a special register's value from a register.
 */
static int check_special(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_operand *o, const struct ptx_name *spelling)
{
	if (o->kind == PTX_FUNCTION && insn->op != PTXO_MOV)
		return reader_refuse(r, &insn->place,
			"'%.*s' cannot take the address of a function: mov "
			"alone can",
			(int)spelling->length, spelling->text);
	if (o->kind != PTX_SPECIAL || insn->op == PTXO_MOV ||
		insn->op == PTXO_CVT)
		return 0;
	return reader_refuse(r, &insn->place,
		"'%.*s' cannot read the special register %s: mov and cvt alone "
		"can",
		(int)spelling->length, spelling->text,
		ptx_specials[o->index].name);
}

/* A vector has as many elements as a load or a store says. */
static int check_count(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_operand *o, char letter,
	const struct ptx_name *spelling)
{
	const bool is_many = o->kind == PTX_VECTOR;
	const bool is_address = o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;

	if (!ptx_ops[insn->op].memory || is_address || letter == 'h' ||
		(insn->op == PTXO_ATOM && o->kind == PTX_NOTHING) ||
		(is_many ? o->count : 1) == insn->vector)
		return check_special(r, insn, o, spelling);
	return reader_refuse(r, &insn->place,
		"the vector of '%.*s' has %u elements, not %u",
		(int)spelling->length, spelling->text, insn->vector,
		is_many ? o->count : 1);
}

static int check_operand(struct reader *r, const struct ptx_insn *insn,
	uint32_t i, char letter, const struct ptx_name *spelling)
{
	const struct ptx_operand *o = &insn->operands[i];

	if (i < insn->operand_count && is_form(r, o, letter) &&
		((letter == 'x' && o->kind == PTX_REGISTER) ||
			is_of_kind(r, o, wants_predicate(insn, letter))))
		return check_count(r, insn, o, letter, spelling);
	return reader_refuse(r, &insn->place,
		"expected %s as operand %u of '%.*s'", what(insn, letter),
		i + 1, (int)spelling->length, spelling->text);
}

/* The number of a branch through a table. */
static int check_index(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const struct ptx_operand *o = &insn->operands[0];
	const struct ptx_type_info *t;
	bool fits = o->kind == PTX_NUMBER && !o->is_float;

	if (insn->op != PTXO_BRX)
		return 0;
	if (o->kind == PTX_REGISTER) {
		t = &ptx_types[r->function->registers[o->index].type];
		fits = t->bytes == 4 && strchr("bus", t->kind);
	}
	if (fits)
		return 0;
	return reader_refuse(r, &insn->place,
		"expected a whole number of 32 bits as operand 1 of '%.*s'",
		(int)spelling->length, spelling->text);
}

static bool is_within(uint32_t index, uint32_t first, uint32_t count)
{
	return index >= first && index - first < count;
}

/* What a function takes is read, what it returns is written. */
static int check_parameter(struct reader *r, const struct ptx_insn *insn)
{
	const struct ptx_function *f = r->function;
	const bool stores = insn->op == PTXO_ST;
	const struct ptx_operand *o = &insn->operands[stores ? 0 : 1];

	if ((insn->op != PTXO_LD && !stores) || insn->space != PTX_PARAM ||
		o->kind != PTX_PLACED)
		return 0;
	if (!(stores ? is_within(
			       o->index, f->parameter_first, f->parameter_count)
		     : is_within(o->index, f->return_first, f->return_count)))
		return 0;
	return reader_refuse(r, &insn->place,
		"'%.*s', which the function %s, cannot be %s",
		(int)r->module->variables[o->index].name.length,
		r->module->variables[o->index].name.text,
		stores ? "takes" : "returns", stores ? "written" : "read");
}

int reader_check(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling)
{
	const char *letter = ptx_ops[insn->op].operands;
	bool optional = false;
	uint32_t i = 0;
	int code;

	if (*letter == 'c')
		return check_call(r, insn);
	code = check_second(r, insn, spelling);
	if (!code)
		code = reader_check_access(r, insn, spelling);
	for (; !code && *letter; letter++) {
		optional |= *letter == '?';
		if (*letter == '?' || !is_there(insn, *letter))
			continue;
		if (i == insn->operand_count && optional)
			break;
		code = check_operand(r, insn, i++, *letter, spelling);
	}
	if (!code)
		code = check_index(r, insn, spelling);
	if (!code)
		code = check_parameter(r, insn);
	if (code)
		return code;
	if (i == insn->operand_count)
		return reader_check_access_operands(r, insn, spelling);
	/* The assembler takes one for an exchange of 128 bits. */
	if (insn->op == PTXO_ATOM && insn->operands[0].is_whole && i == 3 &&
		insn->operand_count == 4)
		return reader_unmodelled(r, &insn->place,
			"a fourth operand of '%.*s' is not modelled",
			(int)spelling->length, spelling->text);
	return reader_refuse(r, &insn->place,
		"expected %u operands of '%.*s', not %u", i,
		(int)spelling->length, spelling->text, insn->operand_count);
}
