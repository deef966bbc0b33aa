#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/options/man.h"

/* ---- text ---- */

void man_escape(const char *text, size_t length, FILE *out)
{
	for (; length-- && *text; text++)
		switch (*text) {
		case '\\':
			fputs("\\e", out);
			break;
		case '-':
			fputs("\\-", out);
			break;
		case '`':
			fputs("\\(ga", out);
			break;
		case '\'':
			fputs("\\(aq", out);
			break;
		case '\n':
		case '\t':
			fputc(' ', out);
			break;
		default:
			fputc(*text, out);
		}
}

static void put(const char *text, FILE *out)
{
	man_escape(text, strlen(text), out);
}

/* A line that begins with a point would be a request. */
void man_line(const char *line, FILE *out)
{
	if (*line == '.')
		fputs("\\&", out);
	put(line, out);
	fputc('\n', out);
}

void man_head(const struct man_page *page, FILE *out)
{
	const char *c;

	fputs(".TH ", out);
	for (c = page->name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fprintf(out, " %d \"\" \"nearfar %s\" \"nearfar\"\n", page->section,
		page->version);
	man_section("NAME", out);
	put(page->name, out);
	fputs(" \\- ", out);
	man_line(page->summary, out);
}

void man_section(const char *name, FILE *out)
{
	fprintf(out, ".SH %s\n", name);
}

void man_text(const char *text, FILE *out)
{
	fputs(".PP\n", out);
	man_line(text, out);
}

void man_item(const char *tag, const char *text, FILE *out)
{
	fprintf(out, ".TP\n%s\n", tag);
	man_line(text, out);
}

void man_code(bool begins, FILE *out)
{
	fputs(begins ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n", out);
}

/* ---- what all commands end with ---- */

void man_statuses(FILE *out)
{
	static const struct {
		int code;
		const char *meaning;
	} rows[] = {
		{0, "The work is done."},
		{ERR_FAILED, "The work could not be done."},
		{ERR_USAGE, "The words or a file are wrong."},
		{ERR_GATE, "A gate, --strict or --check failed, or a device is "
			   "odd."},
		{ERR_SKIPPED, "The backend or the device does not have it."},
		{ERR_INTERRUPTED, "A signal ended the work; what was done is "
				  "kept."},
	};
	size_t i;

	man_section("EXIT STATUS", out);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fprintf(out, ".TP\n.B %d\n", error_status(rows[i].code));
		man_line(rows[i].meaning, out);
	}
}

/* ---- a command ---- */

static void put_synopsis(const struct options_table *t, FILE *out)
{
	const char *form = t->operands ? t->operands : "";
	size_t width;

	man_section("SYNOPSIS", out);
	do {
		width = strcspn(form, "\n");
		fprintf(out, "%s.B nearfar %s\n[\\fIOPTION\\fR...] ",
			form == t->operands || !*form ? "" : ".br\n", t->name);
		man_escape(form, width, out);
		fputc('\n', out);
		form += width;
	} while (*form++);
}

static void put_tag(const struct options_row *row, FILE *out)
{
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR%s", row->letter,
			row->name ? ", " : "");
	if (row->name) {
		fputs("\\fB\\-\\-", out);
		put(row->name, out);
		fputs("\\fR", out);
	}
	if (row->argument) {
		fputs(row->name ? "=\\fI" : " \\fI", out);
		put(row->argument, out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
}

static void put_row(const struct options_row *row, FILE *out)
{
	char *help = options_help(row);

	put_tag(row, out);
	man_line(help ? help : row->help, out);
	free(help);
	if (!row->example)
		return;
	fputs(".br\nExample: \\fB", out);
	if (row->name)
		fputs("\\-\\-", out);
	else
		fputs("\\-", out);
	put(row->name ? row->name : (char[]){(char)row->letter, 0}, out);
	fputc(' ', out);
	put(row->example, out);
	fputs("\\fR\n", out);
}

static void put_examples(const char *const *examples, FILE *out)
{
	if (!examples)
		return;
	man_section("EXAMPLES", out);
	man_code(true, out);
	for (; *examples; examples++)
		man_line(*examples, out);
	man_code(false, out);
}

static void put_files(const char *const *files, FILE *out)
{
	if (!files)
		return;
	man_section("FILES", out);
	for (; *files; files += 2) {
		fputs(".TP\n.I ", out);
		man_line(files[0], out);
		man_line(files[1], out);
	}
}

void man_command(
	const struct options_table *table, const char *version, FILE *out)
{
	const struct options_row *row;
	char name[64];

	snprintf(name, sizeof(name), "nearfar-%s", table->name);
	man_head(&(struct man_page){name, 1, table->summary, version}, out);
	put_synopsis(table, out);
	man_section("DESCRIPTION", out);
	man_text(table->about ? table->about : table->summary, out);
	if (table->notes)
		man_text(table->notes, out);
	man_section("OPTIONS", out);
	for (row = table->rows; row && row->help; row++)
		if (!row->hidden)
			put_row(row, out);
	man_item("\\fB\\-?\\fR, \\fB\\-\\-help\\fR", "a list of the options",
		out);
	put_examples(table->examples, out);
	man_statuses(out);
	put_files(table->files, out);
}
