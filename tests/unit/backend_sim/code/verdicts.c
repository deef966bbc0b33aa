/* The assembler's verdicts on accesses and policies: what it refuses is
   refused, what it takes is taken, or is known and not modelled. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/code.h"
#include "harness/ptx/ptx.h"

#define HEAD     "tests/ptx/policies.head"
#define VERDICTS "tests/ptx/policies.tsv"

#define VARIABLES_MAX 16

TestSuite(code_verdicts, .timeout = 60);

static char *content(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	cr_assert_not_null(in, "%s", path);
	cr_assert_gt(fread(text, 1, (1 << 20) - 1, in), 0, "%s", path);
	fclose(in);
	return text;
}

/* As the model takes the kernel of a module. */
static int take(const char *ptx, struct error *error)
{
	static const uint64_t variables[VARIABLES_MAX];
	struct ptx_module m;
	struct code code;
	int status = ptx_parse("m.ptx", ptx, strlen(ptx), &m, error);

	if (status)
		return status;
	cr_assert_leq(m.variable_count, VARIABLES_MAX);
	status = code_make("m.ptx", &m, ptx_entry(&m, "k"), variables, false,
		false, NULL, &code, error);
	if (!status)
		code_free(&code);
	ptx_free(&m);
	return status;
}

static void judge(const char *head, char *row)
{
	const bool takes = !strcmp(strtok(row, "\t"), "takes");
	const char *target = strtok(NULL, "\t"), *version = strtok(NULL, "\t");
	const char *insn = strtok(NULL, "\t");
	struct error error = {""};
	char ptx[4096];
	int status;

	cr_assert_not_null(insn);
	snprintf(ptx, sizeof(ptx), ".version %s\n.target %s\n%s%s\nret;\n}\n",
		version, target, head, insn);
	status = take(ptx, &error);
	if (takes)
		cr_expect(!status || strstr(error.text, "not modelled"),
			"%s %s: %s: %s", target, version, insn, error.text);
	else
		cr_expect_neq(status, 0, "%s %s: %s", target, version, insn);
	if (status)
		cr_expect(!strncmp(error.text, "m.ptx:", 6), "%s: %s", insn,
			error.text);
}

Test(code_verdicts, are_the_assemblers)
{
	char *head = content(HEAD), *rows = content(VERDICTS), *row, *next;
	size_t count = 0;

	for (row = rows; *row; row = next) {
		next = row + strcspn(row, "\n");
		if (*next)
			*next++ = 0;
		if (*row == '#')
			continue;
		judge(head, row);
		count++;
	}
	cr_assert_gt(count, 400);
	free(head);
	free(rows);
}
