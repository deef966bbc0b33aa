#include <inttypes.h>
#include <string.h>

#include "harness/program/spelling.h"
#include "harness/program/text/text.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"

/*
 * What follows the spelling, a letter an operand (parts.h).
 */
static const char *const op_operands[OP_COUNT] = {
	[OP_LD] = "ap",
	[OP_ST] = "ap",
	[OP_ATOM] = "ap",
	[OP_RED] = "ap",
	[OP_PREFETCH] = "a",
	[OP_PREFETCHU] = "a",
	[OP_DISCARD] = "as",
	[OP_APPLYPRIORITY] = "as",
	[OP_CREATEPOLICY] = "d",
	[OP_FENCE] = "",
	[OP_BARRIER] = "",
	[OP_DELAY] = "c",
	[OP_REPEAT] = "cr",
	[OP_END] = "",
};

static const char *const policy_operands[QV_COUNT] = {
	[QV_KIND_fractional] = "df",
	[QV_KIND_range] = "dast",
	[QV_KIND_cvt] = "dx",
};

const char *const insn_guards[GUARD_COUNT + 1] = {
	[GUARD_ALL] = "",
	[GUARD_LANE0] = "@lane0",
	[GUARD_THREAD0] = "@thread0",
	[GUARD_COUNT] = NULL,
};

const char *insn_operands(const struct insn *insn)
{
	uint8_t kind = insn->q[Q_KIND];

	if (insn->op >= OP_COUNT)
		return "";
	if (kind && kind < QV_COUNT && policy_operands[kind])
		return policy_operands[kind];
	return op_operands[insn->op];
}

static bool is_written(const struct insn *insn, char operand)
{
	if (operand == 'p')
		return insn->q[Q_HINT] != QV_NONE;
	if (operand == 'f')
		return insn->fraction != 1;
	return true;
}

static void operand_print(FILE *out, const struct program *p,
	const struct insn *insn, char operand)
{
	switch (operand) {
	case 'a':
		address_print(out, p, &insn->address);
		break;
	case 'p':
	case 'd':
		fprintf(out, "p%u", insn->policy);
		break;
	case 's':
		bytes_print(out, insn->count);
		break;
	case 't':
		bytes_print(out, insn->total);
		break;
	case 'f':
		real_print(out, insn->fraction);
		break;
	case 'x':
		fputs(insn->total < PROPERTY_COUNT ? property_names[insn->total]
						   : "?",
			out);
		break;
	case 'c':
		fprintf(out, "%" PRIu64, insn->count);
		break;
	}
}

void insn_print(FILE *out, const struct program *p, const struct insn *insn)
{
	const char *operand = insn_operands(insn);
	const char *before = " ";
	char spelling[256];

	insn_spelling(insn, spelling, sizeof(spelling));
	if (insn->guard && insn->guard < GUARD_COUNT)
		fprintf(out, "%s ", insn_guards[insn->guard]);
	fputs(spelling, out);
	for (; *operand; operand++) {
		if (*operand == 'r') {
			fields_print(out, repeat_fields, insn);
		} else if (is_written(insn, *operand)) {
			fputs(before, out);
			operand_print(out, p, insn, *operand);
			before = ", ";
		}
	}
}

/* ---- parsing ---- */

static int policy_parse(
	struct scan *scan, const struct word *word, struct insn *insn)
{
	const char *text = word->text;

	if (text[0] != 'p' || text[1] < '0' ||
		text[1] >= '0' + PROGRAM_POLICIES_MAX || text[2])
		return scan_fail(scan, word->column,
			"expected a policy p0 to p%d",
			PROGRAM_POLICIES_MAX - 1);
	insn->policy = (uint8_t)(text[1] - '0');
	return 0;
}

static int property_parse(
	struct scan *scan, const struct word *word, struct insn *insn)
{
	int property = choice_index(property_names, word->text);

	if (property < 0)
		return scan_fail(scan, word->column,
			"expected normal, streaming or persisting");
	insn->total = (uint64_t)property;
	return 0;
}

static int operand_parse(struct scan *scan, const struct program *p,
	struct insn *insn, char operand)
{
	struct word word;
	int status;

	if (operand == 'a')
		return address_parse(scan, p, &insn->address);
	status = scan_word(scan, ",", "an operand", &word);
	if (status)
		return status;
	switch (operand) {
	case 'p':
	case 'd':
		return policy_parse(scan, &word, insn);
	case 's':
		return scan_bytes(
			scan, &word, word.text, UINT64_MAX, &insn->count);
	case 't':
		return scan_bytes(
			scan, &word, word.text, UINT64_MAX, &insn->total);
	case 'f':
		return scan_real(scan, &word, word.text, &insn->fraction);
	case 'x':
		return property_parse(scan, &word, insn);
	default:
		return scan_count(
			scan, &word, word.text, UINT64_MAX, &insn->count);
	}
}

static int operands_parse(
	struct scan *scan, const struct program *p, struct insn *insn)
{
	const char *operand = insn_operands(insn);
	bool first = true;
	int status = 0;

	for (; *operand && !status; operand++) {
		if (*operand == 'r') {
			status = fields_parse(scan, repeat_fields, insn);
			continue;
		}
		if (*operand == 'p' && !insn->q[Q_HINT])
			continue;
		if (*operand == 'f' && !scan_peek(scan))
			continue;
		if (!first)
			status = scan_expect(scan, ',');
		if (!status)
			status = operand_parse(scan, p, insn, *operand);
		first = false;
	}
	return status ? status : scan_expect_end(scan);
}

int insn_parse(struct scan *scan, const struct program *p, struct insn *insn)
{
	struct error reason;
	struct word word;
	int guard = 0;
	int status;

	status = scan_word(scan, "[,", "an instruction", &word);
	if (!status && word.text[0] == '@') {
		guard = choice_index(insn_guards, word.text);
		if (guard < 0)
			return scan_fail(scan, word.column,
				"expected @lane0 or @thread0");
		status = scan_word(scan, "[,", "an instruction", &word);
	}
	if (status)
		return status;
	if (insn_from_spelling(word.text, insn, &reason))
		return scan_fail(scan, word.column,
			"expected an instruction: %s", reason.text);
	insn->guard = (uint8_t)guard;
	return operands_parse(scan, p, insn);
}
