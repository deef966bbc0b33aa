#include "tests/unit/code_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void code_of(struct made_code *m, const char *head, const char *tail,
	const char *body)
{
	static char text[1 << 17];
	struct error error = {.text = ""};

	cr_assert_lt(snprintf(text, sizeof(text), "%s%s%s", head, body, tail),
		sizeof(text));
	cr_assert_eq(ptx_parse("m", text, strlen(text), &m->module, &error), 0,
		"%s", error.text);
	m->variables =
		calloc(m->module.variable_count + 1, sizeof(*m->variables));
	cr_assert_eq(
		code_make("m", &m->module, ptx_entry(&m->module, "k"),
			m->variables, false, false, NULL, &m->code, &error),
		0, "%s", error.text);
}

void code_end(struct made_code *m)
{
	code_free(&m->code);
	ptx_free(&m->module);
	free(m->variables);
}

uint32_t code_place(const struct made_code *m, uint32_t line)
{
	uint32_t i;

	for (i = 0; i < m->code.count; i++)
		if (m->code.insns[i].insn->place.line == line)
			return i;
	cr_assert(false, "line %u is not there", line);
	return 0;
}

void code_takes(const char *head, const char *tail, const char *body,
	uint32_t line, const char *expected)
{
	struct made_code m;
	uint32_t i;

	code_of(&m, head, tail, body);
	for (i = 0; expected[i]; i++) {
		const uint32_t slots =
			m.code.insns[code_place(&m, line + i)].slots;

		cr_expect(expected[i] == '+'
				  ? slots > 0
				  : slots + '0' == (uint32_t)expected[i],
			"line %u: %u slots of\n%s", i + 1, slots, body);
	}
	code_end(&m);
}
