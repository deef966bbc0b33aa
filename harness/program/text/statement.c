/* Statements and their fields, as pages of the manual show them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/manual/manual.h"
#include "harness/base/stream.h"
#include "harness/program/text/fields.h"

static const char *const forms[FIELD_TYPES] = {
	[FIELD_BYTES] = "SIZE",
	[FIELD_COUNT] = "N",
	[FIELD_REAL] = "REAL",
	[FIELD_NAME] = "NAME",
};

static void form_put(FILE *out, const struct field *field)
{
	const char *const *choice;

	fputs(field->name, out);
	if (field->type == FIELD_FLAG)
		return;
	fputc('=', out);
	if (field->type == FIELD_OWN)
		fputs(field->form, out);
	else if (field->type != FIELD_CHOICE)
		fputs(forms[field->type], out);
	else
		for (choice = field->choices; *choice; choice++)
			fprintf(out, "%s%s",
				choice == field->choices ? "" : "|", *choice);
}

/* "; default 32": choices begin with theirs, that of numbers is 0. */
static void default_put(FILE *out, const struct field *field)
{
	double real;

	if (field->always && !field->initial) {
		fputs("; needed", out);
		return;
	}
	if (!field->initial)
		return;
	if (field->type == FIELD_BYTES || field->type == FIELD_COUNT)
		fprintf(out, "; default %" PRIu64, field->initial);
	if (field->type != FIELD_REAL)
		return;
	memcpy(&real, &field->initial, sizeof(real));
	fputs("; default ", out);
	real_print(out, real);
}

/* What a function writes, as a text of the caller's; NULL: no memory. */
static char *text_of(void (*put)(FILE *out, const struct field *field),
	const char *before, const struct field *field)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	fputs(before, out);
	put(out, field);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void field_put(FILE *out, const struct field *field)
{
	char *form = text_of(form_put, "", field);
	char *what = text_of(default_put, field->help, field);

	if (form && what)
		manual_put_row(out, (size_t)(2 * MANUAL_INDENT), form, what);
	else
		stream_fail(out);
	free(form);
	free(what);
}

void statement_put(FILE *out, const struct statement *statement)
{
	const struct field *field = statement->fields;

	fprintf(out, "%*s%s%s%s\n%*s", MANUAL_INDENT, "", statement->word,
		*statement->form ? " " : "", statement->form, 2 * MANUAL_INDENT,
		"");
	manual_put_words(out, statement->help, (size_t)(2 * MANUAL_INDENT));
	for (; field && field->name; field++)
		field_put(out, field);
	fputc('\n', out);
}
