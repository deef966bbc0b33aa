/* Instructions of programs, as the page of the manual shows them. */
#include <string.h>

#include "harness/manual/manual.h"
#include "harness/program/qualifiers.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"
#include "harness/program/text/text.h"

static const char *const helps[OP_COUNT] = {
	[OP_LD] = "a load; the warp goes on until something needs its value",
	[OP_ST] = "a store, which is not waited for",
	[OP_ATOM] = "an atomic that returns the old value",
	[OP_RED] = "an atomic without a result, which is not waited for",
	[OP_PREFETCH] = "brings a line into a cache",
	[OP_PREFETCHU] = "brings a line into the uniform cache",
	[OP_DISCARD] = "drops a line of L2 without writing it back",
	[OP_APPLYPRIORITY] = "gives a line of L2 normal priority again",
	[OP_CREATEPOLICY] = "makes the L2 policy pN, for cache hints",
	[OP_FENCE] = "waits for all that was written and prefetched before",
	[OP_BARRIER] = "waits for all warps of the block",
	[OP_DELAY] = "waits so many cycles",
	[OP_REPEAT] = "a loop, up to its end; at most three in each other",
	[OP_END] = "the end of a repeat",
};

static const char *operand_form(char operand)
{
	switch (operand) {
	case 'a':
		return "[ADDRESS]";
	case 'p':
	case 'd':
		return "pN";
	case 'f':
		return "FRACTION";
	case 'x':
		return "normal|streaming|persisting";
	case 'c':
	case 'r':
		return "N";
	}
	return "SIZE";
}

/* "[ADDRESS] [, pN]" */
static void form_of(const struct insn *insn, char *form, size_t bytes)
{
	const char *operand = insn_operands(insn);
	size_t used = 0;

	form[0] = '\0';
	for (; *operand && *operand != 'r' && used < bytes; operand++) {
		const bool may_lack = *operand == 'p' || *operand == 'f';

		used += (size_t)snprintf(form + used, bytes - used, "%s%s%s%s",
			may_lack ? " [" : "", used ? ", " : "",
			operand_form(*operand), may_lack ? "]" : "");
	}
}

/* "L2::64B L2::128B": the qualifiers of a class that the operation takes. */
static void put_class(FILE *out, int op, int class)
{
	char words[512] = "", name[16];
	size_t used = 0;
	int i;

	for (i = 1; i < QV_COUNT; i++)
		if (qualifiers[i].class == class &&
			qualifiers[i].ops >> op & 1 && used < sizeof(words))
			used += (size_t)snprintf(words + used,
				sizeof(words) - used, "%s.%s", used ? " " : "",
				qualifiers[i].text);
	if (!used)
		return;
	for (i = 0; qualifier_class_names[class][i] && i < 15; i++)
		name[i] = (char)(qualifier_class_names[class][i] | 0x20);
	name[i] = '\0';
	manual_put_row(out, (size_t)(2 * MANUAL_INDENT), name, words);
}

static void put_operation(FILE *out, const struct insn *insn, const char *word)
{
	char form[128];
	const bool has_fields = strchr(insn_operands(insn), 'r');
	const struct statement statement = {
		word, form, helps[insn->op], has_fields ? repeat_fields : NULL};

	form_of(insn, form, sizeof(form));
	statement_put(out, &statement);
}

void program_instructions_put(FILE *out)
{
	struct insn insn = {0};
	int i;

	for (insn.op = 0; insn.op < OP_COUNT; insn.op++) {
		if (insn.op != OP_CREATEPOLICY)
			put_operation(out, &insn, op_names[insn.op]);
		for (i = 1; insn.op == OP_CREATEPOLICY && i < QV_COUNT; i++) {
			char word[64];

			if (qualifiers[i].class != Q_KIND)
				continue;
			insn.q[Q_KIND] = (uint8_t)i;
			snprintf(word, sizeof(word), "%s.%s", op_names[insn.op],
				qualifiers[i].text);
			put_operation(out, &insn, word);
		}
		insn.q[Q_KIND] = QV_NONE;
	}
}

void program_qualifiers_put(FILE *out)
{
	int op, class;

	for (op = 0; op < OP_COUNT; op++) {
		int i, taken = 0;

		for (i = 1; i < QV_COUNT; i++)
			taken += qualifiers[i].ops >> op & 1;
		if (!taken)
			continue;
		fprintf(out, "%*s%s\n", MANUAL_INDENT, "", op_names[op]);
		for (class = 0; class < Q_COUNT; class ++)
			put_class(out, op, class);
	}
	fputc('\n', out);
}
