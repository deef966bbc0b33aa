#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/command/instructions.h"
#include "harness/sheet/sheet.h"

static const char *const columns[] = {"operation", "types", "sm", "modelled",
	"pipe", "slots", "pipe_cycles", "latency_cycles", "note"};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

#define FIELD_BYTES 16

/* A row as texts; what is refused has no numbers. */
struct fields {
	const char *items[COLUMN_COUNT];
	char numbers[4][FIELD_BYTES];
};

static void fields_of(const struct model_instruction *m, struct fields *f)
{
	const uint16_t numbers[] = {
		m->sm, m->slots, m->pipe_cycles, m->latency_cycles};
	size_t i;

	for (i = 0; i < 4; i++) {
		f->numbers[i][0] = '\0';
		if (!i || m->pipe)
			snprintf(f->numbers[i], FIELD_BYTES, "%u", numbers[i]);
	}
	f->items[0] = m->operation;
	f->items[1] = m->types;
	f->items[2] = f->numbers[0];
	f->items[3] = m->pipe ? "yes" : "no";
	f->items[4] = m->pipe ? m->pipe : "";
	f->items[5] = f->numbers[1];
	f->items[6] = f->numbers[2];
	f->items[7] = f->numbers[3];
	f->items[8] = m->note;
}

/* ---- for people ---- */

static void put_rows(
	const struct model_instructions *list, enum text_style style, FILE *out)
{
	static const char *const heads[] = {"operation", "types", "sm",
		"modelled", "pipe", "slots", "pipe cycles", "latency cycles"};
	struct text_table t = {.left = true};
	struct fields f;
	size_t i, k;

	for (k = 0; k + 1 < COLUMN_COUNT; k++)
		text_table_add(&t, "%s", heads[k]);
	text_table_rest(&t, "note");
	for (i = 0; i < list->count; i++) {
		fields_of(&list->items[i], &f);
		text_table_row(&t);
		for (k = 0; k + 1 < COLUMN_COUNT; k++)
			text_table_add(
				&t, "%s", *f.items[k] ? f.items[k] : "-");
		text_table_rest(&t, "%s", f.items[k]);
	}
	text_table_put_as(&t, style, out);
	text_table_free(&t);
}

static void put_table(const struct model_instructions *list, FILE *out)
{
	put_rows(list, TEXT_PLAIN, out);
}

static void put_md(const struct model_instructions *list, FILE *out)
{
	put_rows(list, TEXT_MD, out);
}

/* ---- for programs ---- */

static void put_csv(const struct model_instructions *list, FILE *out)
{
	struct fields f;
	size_t i, k;

	for (k = 0; k < COLUMN_COUNT; k++)
		fprintf(out, "%s%s", k ? "," : "", columns[k]);
	fputc('\n', out);
	for (i = 0; i < list->count; i++) {
		fields_of(&list->items[i], &f);
		for (k = 0; k < COLUMN_COUNT; k++) {
			fputs(k ? "," : "", out);
			emit_csv_string(out, f.items[k]);
		}
		fputc('\n', out);
	}
}

/* Numbers are numbers, and null where there is none. */
static void put_value(FILE *out, size_t column, const char *text)
{
	const bool number = column == 2 || (column >= 5 && column <= 7);

	if (column == 3)
		fputs(*text == 'y' ? "true" : "false", out);
	else if (!*text)
		fputs("null", out);
	else if (number)
		fputs(text, out);
	else
		emit_json_string(out, text);
}

static void put_json(const struct model_instructions *list, FILE *out)
{
	struct fields f;
	size_t i, k;

	fputs("{\n  \"schema\": \"nearfar-instructions/1\",\n"
	      "  \"instructions\": [",
		out);
	for (i = 0; i < list->count; i++) {
		fields_of(&list->items[i], &f);
		fprintf(out, "%s\n    {", i ? "," : "");
		for (k = 0; k < COLUMN_COUNT; k++) {
			fprintf(out, "%s\"%s\": ", k ? ", " : "", columns[k]);
			put_value(out, k, f.items[k]);
		}
		fputc('}', out);
	}
	fputs("\n  ]\n}\n", out);
}

static int put_sheet(const struct model_instructions *list, const char *format,
	FILE *out, struct error *error)
{
	struct sheet sheet = {.name = "instructions"};
	struct fields f;
	size_t i, k;
	int code;

	for (k = 0; k < COLUMN_COUNT; k++)
		sheet_column(&sheet, columns[k], true);
	for (i = 0; i < list->count; i++) {
		fields_of(&list->items[i], &f);
		for (k = 0; k < COLUMN_COUNT; k++)
			sheet_text(&sheet, f.items[k]);
	}
	code = sheet_put_named(&sheet, format, out, error);
	sheet_free(&sheet);
	return code;
}

int instructions_print(const struct model_instructions *list,
	const char *format, FILE *out, struct error *error)
{
	static const struct {
		const char *name;
		void (*put)(const struct model_instructions *list, FILE *out);
	} formats[] = {{"table", put_table}, {"md", put_md}, {"csv", put_csv},
		{"json", put_json}};
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, format)) {
			formats[i].put(list, out);
			return 0;
		}
	return put_sheet(list, format, out, error);
}
