/* Holds the operands of an instruction to what its row in ops.def says. */
#include "harness/ptx/reader.h"

static bool is_predicate(const struct reader *r, const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER &&
	       r->function->registers[o->index].type == PTX_pred;
}

static bool is_value(const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER || o->kind == PTX_NUMBER ||
	       o->kind == PTX_SPECIAL || o->kind == PTX_VARIABLE;
}

static bool fits(
	const struct reader *r, const struct ptx_operand *o, char letter)
{
	switch (letter) {
	case 'd':
	case 'D':
		return o->kind == PTX_REGISTER || o->kind == PTX_NOTHING;
	case 's':
		return is_value(o);
	case 'p':
		return is_predicate(r, o) || o->kind == PTX_NUMBER;
	case 'l':
		return o->kind == PTX_LABEL;
	case 'w':
		return o->kind == PTX_REGISTER || o->kind == PTX_VECTOR;
	case 'v':
		return is_value(o) || o->kind == PTX_VECTOR;
	case 'm':
		return o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;
	case 'x':
		return true;
	default:
		return false;
	}
}

static const char *what(char letter)
{
	switch (letter) {
	case 'd':
	case 'D':
		return "a register that is written";
	case 'p':
		return "a predicate";
	case 'l':
		return "a label";
	case 'w':
		return "a register or a vector of registers";
	case 'v':
		return "a value or a vector";
	case 'm':
		return "an address";
	default:
		return "a value";
	}
}

/* (a, b), name, (c): what a call returns, the function, what it takes. */
static int check_call(struct reader *r, const struct ptx_insn *insn)
{
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind != PTX_VECTOR &&
			insn->operands[i].kind != PTX_LABEL)
			return reader_refuse(r, &insn->place,
				"a call of what a register holds is not "
				"modelled");
	return insn->operand_count ? 0
				   : reader_refuse(r, &insn->place,
					     "expected the name of a function");
}

/* As in the assembler: others take a special register's value from a register.
 */
static int check_special(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_operand *o, const struct ptx_name *spelling)
{
	if (o->kind != PTX_SPECIAL || insn->op == PTXO_MOV ||
		insn->op == PTXO_CVT)
		return 0;
	return reader_refuse(r, &insn->place,
		"'%.*s' cannot read the special register %s: mov and cvt alone "
		"can",
		(int)spelling->length, spelling->text,
		ptx_specials[o->index].name);
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
	for (; *letter; letter++) {
		if (*letter == '?') {
			optional = true;
			continue;
		}
		if (i == insn->operand_count) {
			if (optional)
				break;
			return reader_refuse(r, &insn->place,
				"expected %s as operand %u of '%.*s'",
				what(*letter), i + 1, (int)spelling->length,
				spelling->text);
		}
		if (!fits(r, &insn->operands[i++], *letter))
			return reader_refuse(r, &insn->place,
				"expected %s as operand %u of '%.*s'",
				what(*letter), i, (int)spelling->length,
				spelling->text);
		code = check_special(r, insn, &insn->operands[i - 1], spelling);
		if (code)
			return code;
	}
	if (i == insn->operand_count)
		return 0;
	return reader_refuse(r, &insn->place,
		"expected %u operands of '%.*s', not %u", i,
		(int)spelling->length, spelling->text, insn->operand_count);
}
