#include <string.h>

#include "harness/base/emit.h"
#include "harness/command/parameters.h"
#include "harness/sheet/sheet.h"

static void put_table(const struct model_parameters *list, FILE *out)
{
	char value[MODEL_VALUE_BYTES];
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct model_parameter *p = &list->items[i];

		model_value_format(p->unit, p->value, value);
		fprintf(out, "%-30s %16s %-11s %s [%s]\n", p->name, value,
			p->unit, p->what, p->origin);
	}
}

static void put_csv(const struct model_parameters *list, FILE *out)
{
	char value[MODEL_VALUE_BYTES];
	size_t i;

	fputs("name,value,unit,minimum,maximum,description,origin\n", out);
	for (i = 0; i < list->count; i++) {
		const struct model_parameter *p = &list->items[i];

		model_value_format(p->unit, p->value, value);
		fprintf(out, "%s,%s,%s,", p->name, value, p->unit);
		emit_csv_number(out, p->minimum);
		fputc(',', out);
		emit_csv_number(out, p->maximum);
		fputc(',', out);
		emit_csv_string(out, p->what);
		fputc(',', out);
		emit_csv_string(out, p->origin);
		fputc('\n', out);
	}
}

static void put_json(const struct model_parameters *list, FILE *out)
{
	size_t i;

	fputs("[\n", out);
	for (i = 0; i < list->count; i++) {
		const struct model_parameter *p = &list->items[i];

		fputs(" {\"name\": ", out);
		emit_json_string(out, p->name);
		emit_json_number_member(out, "value", p->value);
		emit_json_string_member(out, "unit", p->unit);
		emit_json_number_member(out, "minimum", p->minimum);
		emit_json_number_member(out, "maximum", p->maximum);
		emit_json_string_member(out, "description", p->what);
		emit_json_string_member(out, "origin", p->origin);
		fprintf(out, "}%s\n", i + 1 < list->count ? "," : "");
	}
	fputs("]\n", out);
}

static int put_sheet(const struct model_parameters *list, const char *format,
	FILE *out, struct error *error)
{
	static const char *const columns[] = {"name", "unit", "description",
		"origin", "value", "minimum", "maximum"};
	struct sheet sheet = {.name = "parameters"};
	size_t i;
	int code;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		sheet_column(&sheet, columns[i], i < 4);
	for (i = 0; i < list->count; i++) {
		const struct model_parameter *p = &list->items[i];

		sheet_text(&sheet, p->name);
		sheet_text(&sheet, p->unit);
		sheet_text(&sheet, p->what);
		sheet_text(&sheet, p->origin);
		sheet_number(&sheet, p->value);
		sheet_number(&sheet, p->minimum);
		sheet_number(&sheet, p->maximum);
	}
	code = sheet_put_named(&sheet, format, out, error);
	sheet_free(&sheet);
	return code;
}

int parameters_print(const struct model_parameters *list, const char *format,
	FILE *out, struct error *error)
{
	static const struct {
		const char *name;
		void (*put)(const struct model_parameters *list, FILE *out);
	} formats[] = {
		{"table", put_table}, {"csv", put_csv}, {"json", put_json}};
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, format)) {
			formats[i].put(list, out);
			return 0;
		}
	return put_sheet(list, format, out, error);
}
