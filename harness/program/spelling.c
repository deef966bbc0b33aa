#include <stdio.h>
#include <string.h>

#include "harness/program/qualifiers.h"
#include "harness/program/spelling.h"

void insn_spelling(const struct insn *insn, char *text, size_t bytes)
{
	size_t length;
	int class;

	if (insn->op >= OP_COUNT) {
		snprintf(text, bytes, "%s", insn->region);
		return;
	}
	snprintf(text, bytes, "%s", op_names[insn->op]);
	for (class = 0; class < Q_COUNT; class ++) {
		uint8_t value = insn->q[class];

		if (!value || value >= QV_COUNT)
			continue;
		length = strlen(text);
		snprintf(text + length, bytes - length, ".%s",
			qualifiers[value].text);
	}
}

/* The operation called by the first `length` bytes; OP_COUNT: none. */
static enum op op_by_name(const char *text, size_t length)
{
	int op;

	for (op = 0; op < OP_COUNT; op++)
		if (strlen(op_names[op]) == length &&
			!memcmp(op_names[op], text, length))
			return (enum op)op;
	return OP_COUNT;
}

/*
 * Puts a qualifier into its class. Some words belong to two classes: the
 * second `L2::evict_first` of a createpolicy is the secondary priority. A
 * word that finds its classes taken is written twice.
 */
static int take_qualifier(
	struct insn *insn, const char *word, size_t length, struct error *error)
{
	bool known = false;
	int value;

	for (value = 1; value < QV_COUNT; value++) {
		const struct qualifier *q = &qualifiers[value];

		if (strlen(q->text) != length || memcmp(q->text, word, length))
			continue;
		known = true;
		if (insn->q[q->class])
			continue;
		if (q->class == Q_SECONDARY && insn->op != OP_CREATEPOLICY)
			continue;
		insn->q[q->class] = (uint8_t)value;
		return 0;
	}
	if (known)
		return error_set(error, ERR_USAGE,
			"'.%.*s' is the second qualifier of its kind",
			(int)length, word);
	return error_set(error, ERR_USAGE, "'.%.*s' is not a qualifier of PTX",
		(int)length, word);
}

/* What PTX assumes or demands where the operand is not written. */
static void set_operand_defaults(struct insn *insn)
{
	if (insn->q[Q_KIND] == QV_KIND_fractional)
		insn->fraction = 1;
	if (insn->op == OP_DISCARD || insn->op == OP_APPLYPRIORITY)
		insn->count = PROGRAM_LINE_BYTES;
}

int insn_from_spelling(
	const char *spelling, struct insn *insn, struct error *error)
{
	struct insn result;
	size_t length = strcspn(spelling, ".");
	enum op op = op_by_name(spelling, length);

	if (op == OP_COUNT)
		return error_set(error, ERR_USAGE,
			"'%.*s' is not an instruction", (int)length, spelling);
	memset(&result, 0, sizeof(result));
	result.op = (uint8_t)op;
	while (spelling[length]) {
		const char *word = spelling + length + 1;
		size_t bytes = strcspn(word, ".");

		if (take_qualifier(&result, word, bytes, error))
			return ERR_USAGE;
		length += 1 + bytes;
	}
	set_operand_defaults(&result);
	*insn = result;
	return 0;
}
