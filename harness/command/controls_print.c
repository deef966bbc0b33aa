#include <string.h>

#include "harness/command/controls.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/sheet/sheet.h"

#define REASON_BYTES ERROR_TEXT_BYTES

/* What follows from a row and a device, as words. */
struct finding {
	const struct control *control;
	char sm[16], ptx[16];       /* "sm_80", "7.4"; the host's: "-" */
	char illegal[REASON_BYTES]; /* why not; empty: legal */
	char shown_by[160];         /* a command line, or "-" */
};

static void examine(const struct control *control, bool host,
	const struct device *device, struct finding *f)
{
	struct error error = {""};
	struct requirement need;
	struct program p;
	int code = 0;

	*f = (struct finding){.control = control, .sm = "-", .ptx = "-"};
	if (host)
		code = control_host_program(control, &p, &error);
	else
		control_program(control, &p);
	if (!code && !host) {
		need = program_requirement(&p);
		snprintf(f->sm, sizeof(f->sm), "sm_%u", need.sm);
		snprintf(f->ptx, sizeof(f->ptx), "%u.%u", need.ptx / 10,
			need.ptx % 10);
	}
	if (!code)
		code = program_check(&p, &error);
	if (!code)
		code = program_fits(&p, device, &error);
	if (code)
		snprintf(f->illegal, sizeof(f->illegal), "%s", error.text);
	snprintf(f->shown_by, sizeof(f->shown_by), "%s%s",
		control->shown_by ? "nearfar run " : "-",
		control->shown_by ? control->shown_by : "");
}

/* ---- as fields: md, csv, json ---- */

#define FIELD_COUNT 7

static const char *const field_names[FIELD_COUNT] = {"control", "minimum_sm",
	"minimum_ptx", "legal", "modelled", "measurable", "shown_by"};

static void fields_of(const struct finding *f,
	char reasons[2][REASON_BYTES + 8], const char *fields[FIELD_COUNT])
{
	const char *unmeasured = f->control->unmeasured;

	snprintf(reasons[0], sizeof(reasons[0]), "%s%s",
		*f->illegal ? "no: " : "yes", f->illegal);
	snprintf(reasons[1], sizeof(reasons[1]), "%s%s",
		unmeasured ? "no: " : "yes", unmeasured ? unmeasured : "");
	fields[0] = f->control->text;
	fields[1] = f->sm;
	fields[2] = f->ptx;
	fields[3] = reasons[0];
	fields[4] = f->control->modelled;
	fields[5] = reasons[1];
	fields[6] = f->shown_by;
}

static void put_csv(const char *const fields[FIELD_COUNT], FILE *out)
{
	size_t i;

	for (i = 0; i < FIELD_COUNT; i++) {
		emit_csv_string(out, fields[i]);
		fputc(i + 1 < FIELD_COUNT ? ',' : '\n', out);
	}
}

static void put_json(const char *const fields[FIELD_COUNT], FILE *out)
{
	size_t i;

	for (i = 0; i < FIELD_COUNT; i++) {
		fprintf(out, "%s\n      \"%s\": ", i ? "," : "    {",
			field_names[i]);
		emit_json_string(out, fields[i]);
	}
	fputs("\n    }", out);
}

/* ---- for people ---- */

static void add_head(struct text_table *table, bool all)
{
	static const char *const heads[] = {
		"control", "sm", "ptx", "legal", "measurable", "shown by"};
	size_t i;

	table->left = true;
	for (i = 0; all && i < FIELD_COUNT; i++)
		text_table_add(table, "%s", field_names[i]);
	for (i = 0; !all && i < sizeof(heads) / sizeof(heads[0]); i++)
		text_table_add(table, "%s", heads[i]);
	if (!all)
		text_table_rest(table, "modelled");
}

static void add_reason(
	struct text_table *table, const char *what, const char *reason)
{
	text_table_row(table);
	text_table_rest(table, "  %s: %s", what, reason);
}

/* Reasons are long and few: they stand below their row. */
static void add_row(struct text_table *table, const struct finding *f)
{
	const struct control *c = f->control;

	text_table_row(table);
	text_table_add(table, "%s", c->text);
	text_table_add(table, "%s", f->sm);
	text_table_add(table, "%s", f->ptx);
	text_table_add(table, "%s", *f->illegal ? "no" : "yes");
	text_table_add(table, "%s", c->unmeasured ? "no" : "yes");
	text_table_add(table, "%s", f->shown_by);
	text_table_rest(table, "%s", c->modelled);
	if (*f->illegal)
		add_reason(table, "not legal", f->illegal);
	if (c->unmeasured)
		add_reason(table, "not measurable", c->unmeasured);
}

/* ---- the list ---- */

struct printer {
	const char *format;
	struct text_table table;
	struct sheet sheet; /* named: for the formats that are not here */
	size_t count;
};

static void put(struct printer *p, const struct finding *f, FILE *out)
{
	char reasons[2][REASON_BYTES + 8];
	const char *fields[FIELD_COUNT];
	size_t i;

	fields_of(f, reasons, fields);
	if (p->sheet.name) {
		for (i = 0; i < FIELD_COUNT; i++)
			sheet_text(&p->sheet, fields[i]);
	} else if (!strcmp(p->format, "csv")) {
		put_csv(fields, out);
	} else if (!strcmp(p->format, "json")) {
		fputs(p->count ? ",\n" : "", out);
		put_json(fields, out);
	} else if (!strcmp(p->format, "md")) {
		text_table_row(&p->table);
		for (i = 0; i < FIELD_COUNT; i++)
			text_table_add(&p->table, "%s", fields[i]);
	} else {
		add_row(&p->table, f);
	}
	p->count++;
}

static void begin(struct printer *p, const struct device *device, FILE *out)
{
	size_t i;

	if (p->sheet.name) {
		for (i = 0; i < FIELD_COUNT; i++)
			sheet_column(&p->sheet, field_names[i], true);
	} else if (!strcmp(p->format, "csv")) {
		fprintf(out, "# device: %s\n", device->name);
		put_csv(field_names, out);
	} else if (!strcmp(p->format, "json")) {
		fputs("{\n  \"schema\": \"nearfar-controls/1\",\n"
		      "  \"device\": ",
			out);
		emit_json_string(out, device->name);
		fputs(",\n  \"controls\": [\n", out);
	} else {
		fprintf(out, "Controls of the caches on %s\n\n", device->name);
		add_head(&p->table, !strcmp(p->format, "md"));
	}
}

static int finish(struct printer *p, FILE *out, struct error *error)
{
	int code = 0;

	if (p->sheet.name)
		code = sheet_put_named(&p->sheet, p->format, out, error);
	else if (!strcmp(p->format, "json"))
		fputs("\n  ]\n}\n", out);
	else if (!strcmp(p->format, "md"))
		text_table_put_md(&p->table, out);
	else if (strcmp(p->format, "csv") != 0)
		text_table_put(&p->table, out);
	text_table_free(&p->table);
	sheet_free(&p->sheet);
	return code;
}

int controls_print(const struct device *device, const char *format, FILE *out,
	struct error *error)
{
	static const char *const formats[] = {"table", "md", "csv", "json"};
	struct printer p = {.format = format};
	struct finding f;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i], format))
			break;
	if (i == sizeof(formats) / sizeof(formats[0]))
		p.sheet.name = "controls";
	begin(&p, device, out);
	for (i = 0; i < instruction_control_count; i++) {
		examine(&instruction_controls[i], false, device, &f);
		put(&p, &f, out);
	}
	for (i = 0; i < host_control_count; i++) {
		examine(&host_controls[i], true, device, &f);
		put(&p, &f, out);
	}
	return finish(&p, out, error);
}
