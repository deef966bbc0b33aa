#include <string.h>

#include "harness/program/text/text.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"

/* Messages for what the builders of program.h refuse. */
static const char *const fault_texts[FAULT_COUNT] = {
	[FAULT_BUFFERS] = "expected no further buffer: the maximum is reached",
	[FAULT_STEPS] = "expected no further step: the maximum is reached",
	[FAULT_ROLES] = "expected no further role: the maximum is reached",
	[FAULT_INSNS] =
		"expected no further instruction: the maximum is reached",
	[FAULT_NAME] = "expected a shorter name",
	[FAULT_ORPHAN] = "expected a 'launch' before a role, and a 'role' "
			 "before an instruction",
};

static int word_parse(struct scan *scan, const char *what, struct word *word)
{
	return scan_word(scan, "", what, word);
}

static int named(
	struct scan *scan, const char *what, char name[PROGRAM_NAME_BYTES])
{
	struct word word;
	int status = word_parse(scan, what, &word);

	return status ? status : name_parse(scan, &word, word.text, name);
}

static int parse_name(struct scan *scan, struct program *p)
{
	int status = named(scan, "a name", p->name);

	return status ? status : scan_expect_end(scan);
}

static int parse_seed(struct scan *scan, struct program *p)
{
	struct word word;
	uint64_t seed = 0;
	int status = word_parse(scan, "a number", &word);

	if (!status)
		status = scan_count(scan, &word, word.text, UINT32_MAX, &seed);
	p->seed = (uint32_t)seed;
	return status ? status : scan_expect_end(scan);
}

static int parse_buffer(struct scan *scan, struct program *p)
{
	struct buffer buffer;
	int status;

	memset(&buffer, 0, sizeof(buffer));
	buffer.rings = 1;
	buffer.element_bytes = 8;
	status = named(scan, "the buffer's name", buffer.name);
	if (!status)
		status = fields_parse(scan, buffer_fields, &buffer);
	if (!status)
		program_buffer(p, &buffer);
	return status;
}

static int parse_step(struct scan *scan, struct program *p, enum step_kind kind)
{
	const struct step_names names = buffer_names(p);

	return step_parse(scan, &names, program_step(p, kind));
}

static int parse_launch(struct scan *scan, struct program *p)
{
	char name[PROGRAM_NAME_BYTES];
	struct step *step;
	int status = named(scan, "the launch's name", name);

	if (status)
		return status;
	step = program_launch(p, name);
	return fields_parse(scan, launch_fields, step);
}

static int parse_role(struct scan *scan, struct program *p)
{
	char name[PROGRAM_NAME_BYTES];
	int status = named(scan, "the role's name", name);

	return status ? status : role_parse(scan, program_role(p, name));
}

static int parse_insn(struct scan *scan, struct program *p)
{
	struct insn insn;
	int status;

	memset(&insn, 0, sizeof(insn));
	status = insn_parse(scan, p, &insn);
	if (!status)
		*program_insn(p, (enum op)insn.op) = insn;
	return status;
}

/* ---- statements ---- */

static const struct {
	struct statement statement;
	int (*parse)(struct scan *scan, struct program *p);
} statements[] = {
	{{"name", "NAME", "the program's name", NULL}, parse_name},
	{{"seed", "N", "of random addresses and fractional policies; default 0",
		 NULL},
		parse_seed},
	{{"buffer", "NAME", "an allocation with its first content",
		 buffer_fields},
		parse_buffer},
	{{"launch", "NAME", "a kernel; its roles follow", launch_fields},
		parse_launch},
	{{"role", "NAME",
		 "blocks of the launch above; instructions, repeat ... end, "
		 "delay and barrier follow",
		 role_fields},
		parse_role},
};

#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

void program_statements_put(FILE *out)
{
	size_t i;

	for (i = 0; i < STATEMENTS; i++)
		statement_put(out, &statements[i].statement);
	step_statements_put(out);
}

static int parse_statement(struct scan *scan, struct program *p)
{
	const char *at = scan->at;
	unsigned column = scan_column(scan);
	int (*parse)(struct scan *, struct program *) = parse_insn;
	struct word word;
	size_t i;
	int kind, status = scan_word(scan, "[,", "a statement", &word);

	if (status)
		return status;
	kind = step_kind_find(word.text);
	for (i = 0; i < STATEMENTS; i++)
		if (!strcmp(statements[i].statement.word, word.text))
			parse = statements[i].parse;
	if (kind < 0 && parse == parse_insn)
		scan->at = at;
	status = kind < 0 ? parse(scan, p)
			  : parse_step(scan, p, (enum step_kind)kind);
	if (!status && p->fault)
		status = scan_fail(scan, column, "%s", fault_texts[p->fault]);
	return status;
}

static int parse_header(struct scan *scan)
{
	static const char header[] = "nearfar-program";
	struct word word;
	int status;

	if (!scan_line(scan))
		return scan_fail(scan, 1, "expected '%s 1'", header);
	status = word_parse(scan, "'nearfar-program 1'", &word);
	if (!status && strcmp(word.text, header))
		return scan_fail(scan, word.column, "expected '%s 1'", header);
	if (!status)
		status = word_parse(scan, "the version 1", &word);
	if (!status && strcmp(word.text, "1"))
		return scan_fail(scan, word.column,
			"expected version 1, found '%s'", word.text);
	return status ? status : scan_expect_end(scan);
}

/* What a statement has appended stands in its line. */
static void note_places(const struct scan *scan, const struct program *p,
	struct program_places *places)
{
	if (p->step_count && !places->steps[p->step_count - 1])
		places->steps[p->step_count - 1] = scan->line_number;
	if (p->role_count && !places->roles[p->role_count - 1])
		places->roles[p->role_count - 1] = scan->line_number;
	if (p->insn_count && !places->insns[p->insn_count - 1])
		places->insns[p->insn_count - 1] = scan->line_number;
}

int program_parse_places(const char *text, const char *source,
	struct program *p, struct program_places *places, struct error *error)
{
	struct program_places found = {.name = source, .text = text};
	struct program result;
	struct scan scan;
	int status;

	scan_init(&scan, text, source, error);
	program_init(&result, "", 0);
	status = parse_header(&scan);
	while (!status && scan_line(&scan)) {
		status = parse_statement(&scan, &result);
		note_places(&scan, &result, &found);
	}
	if (status)
		return status;
	*p = result;
	*places = found;
	return 0;
}

int program_parse(const char *text, const char *source, struct program *p,
	struct error *error)
{
	struct program_places unused;

	return program_parse_places(text, source, p, &unused, error);
}
