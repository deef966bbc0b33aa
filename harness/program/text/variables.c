#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/program/text/variables.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* A '$', and what follows it. */
struct mention {
	const char *name;
	size_t length; /* of the name; 0: there is none */
	const char *end;
};

static struct mention read_mention(const char *at)
{
	struct mention m = {.name = at + 1 + (at[1] == '{')};

	if (*m.name < '0' || *m.name > '9')
		m.length = strspn(m.name, letters);
	m.end = m.name + m.length;
	if (at[1] == '{') {
		if (*m.end != '}')
			m.length = 0;
		m.end++;
	}
	return m;
}

/* The next '$' outside a comment, or NULL. */
static const char *find_mention(const char *at)
{
	for (; (at = strpbrk(at, "$#")); at += strcspn(at, "\n"))
		if (*at == '$')
			return at;
	return NULL;
}

static int fail(const char *text, const char *at, const char *source,
	struct error *error, const struct mention *m)
{
	size_t line = 1, column = 1;

	for (; text < at; text++) {
		column = *text == '\n' ? 1 : column + 1;
		line += *text == '\n';
	}
	if (!m->length)
		return error_set(error, ERR_USAGE,
			"%s:%zu:%zu: '$' begins the name of a variable, as in "
			"$size or ${size}",
			source, line, column);
	return error_set(error, ERR_USAGE,
		"%s:%zu:%zu: the variable '%.*s' has no value: --var "
		"%.*s=VALUE gives one",
		source, line, column, (int)m->length, m->name, (int)m->length,
		m->name);
}

static size_t find(
	const struct variable *variables, size_t count, const struct mention *m)
{
	size_t i = 0;

	while (i < count &&
		(strlen(variables[i].name) != m->length ||
			strncmp(variables[i].name, m->name, m->length)))
		i++;
	return i;
}

static int replace(const char *text, const char *source,
	const struct variable *variables, size_t count, bool *used, FILE *out,
	struct error *error)
{
	const char *at = text, *next;

	while ((next = find_mention(at))) {
		const struct mention m = read_mention(next);
		const size_t i = m.length ? find(variables, count, &m) : count;

		fwrite(at, 1, (size_t)(next - at), out);
		if (i == count)
			return fail(text, next, source, error, &m);
		if (strpbrk(variables[i].value, "\n\r#$"))
			return error_set(error, ERR_USAGE,
				"the value of the variable '%s' has a line "
				"feed, '#' or '$' in it",
				variables[i].name);
		fputs(variables[i].value, out);
		if (used)
			used[i] = true;
		at = m.end;
	}
	fputs(at, out);
	return 0;
}

int variables_replace(const char *text, const char *source,
	const struct variable *variables, size_t count, bool *used,
	char **replaced, struct error *error)
{
	char *made = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&made, &bytes);
	int code =
		out ? replace(text, source, variables, count, used, out, error)
		    : 0;

	if (!out || fclose(out))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (code)
		free(made);
	else
		*replaced = made;
	return code;
}

bool variables_has(const char *text, const char *name)
{
	for (; (text = find_mention(text));) {
		const struct mention m = read_mention(text);

		if (m.length == strlen(name) &&
			!strncmp(m.name, name, m.length))
			return true;
		text++;
	}
	return false;
}

int variables_check_name(const char *name, struct error *error)
{
	const size_t length = strlen(name);

	if (length && strspn(name, letters) == length &&
		(*name < '0' || *name > '9'))
		return 0;
	return error_set(error, ERR_USAGE,
		"'%s' is no name of a variable: letters, digits and '_', no "
		"digit first",
		name);
}
