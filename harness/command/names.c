#include <string.h>

#include "harness/base/emit.h"
#include "harness/command/names.h"
#include "harness/sheet/sheet.h"

static const char *const types[] = {[OPTION_CHOICE] = "choice",
	[OPTION_BYTES] = "bytes",
	[OPTION_COUNT] = "count",
	[OPTION_FLAG] = "flag",
	[OPTION_REAL] = "real"};

static void put_table(const struct names *names, FILE *out)
{
	size_t i;

	for (i = 0; i < names->facts.count; i++)
		fprintf(out, "%-20s %s\n", names->facts.items[i].key,
			names->facts.items[i].value);
}

/* "a|b|c" as an array. */
static void put_choices(FILE *out, const char *choices)
{
	char word[128];
	size_t length;

	fputs(", \"choices\": [", out);
	for (; *choices; choices += length + (choices[length] == '|')) {
		length = strcspn(choices, "|");
		snprintf(word, sizeof(word), "%.*s", (int)length, choices);
		emit_json_string(out, word);
		fputs(choices[length] ? ", " : "", out);
	}
	fputc(']', out);
}

static void put_option(const struct bench_option *option, FILE *out)
{
	fputs("{\"name\": ", out);
	emit_json_string(out, option->name);
	emit_json_string_member(out, "type", types[option->type]);
	emit_json_string_member(
		out, "default", option->initial ? option->initial : "");
	emit_json_string_member(out, "help", option->help);
	if (option->choices)
		put_choices(out, option->choices);
	if (option->minimum < option->maximum) {
		emit_json_number_member(out, "minimum", option->minimum);
		emit_json_number_member(out, "maximum", option->maximum);
	}
	fputc('}', out);
}

static void put_options(const struct bench_option *option, FILE *out)
{
	const char *comma = "";

	fputs(", \"options\": [", out);
	for (; option->name; option++, comma = ",") {
		fprintf(out, "%s\n  ", comma);
		put_option(option, out);
	}
	fputc(']', out);
}

static void put_json(const struct names *names, FILE *out)
{
	size_t i;

	fputs("{\"schema\": \"nearfar-list/1\", \"list\": ", out);
	emit_json_string(out, names->what);
	fputs(", \"items\": [", out);
	for (i = 0; i < names->facts.count; i++) {
		const struct fact *fact = &names->facts.items[i];

		fprintf(out, "%s\n {\"name\": ", i ? "," : "");
		emit_json_string(out, fact->key);
		emit_json_string_member(out, "summary", fact->value);
		if (names->options)
			put_options(names->options(fact->key), out);
		fputc('}', out);
	}
	fputs("]}\n", out);
}

static int put_sheet(const struct names *names, const char *format, FILE *out,
	struct error *error)
{
	struct sheet sheet = {.name = "list"};
	size_t i;
	int code;

	sheet_column(&sheet, "name", true);
	sheet_column(&sheet, "summary", true);
	for (i = 0; i < names->facts.count; i++) {
		sheet_text(&sheet, names->facts.items[i].key);
		sheet_text(&sheet, names->facts.items[i].value);
	}
	code = sheet_put_named(&sheet, format, out, error);
	sheet_free(&sheet);
	return code;
}

int names_print(const struct names *names, const char *format, FILE *out,
	struct error *error)
{
	if (!strcmp(format, "table"))
		put_table(names, out);
	else if (!strcmp(format, "json"))
		put_json(names, out);
	else
		return put_sheet(names, format, out, error);
	return 0;
}
