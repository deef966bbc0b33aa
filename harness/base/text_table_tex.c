#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"

struct comments {
	FILE *out;
	bool inside; /* a line */
};

static ssize_t comment(void *cookie, const char *text, size_t bytes)
{
	struct comments *comments = cookie;
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (text[i] == '\n') {
			fputs(comments->inside ? "\n" : "%\n", comments->out);
			comments->inside = false;
			continue;
		}
		if (!comments->inside)
			fputs("% ", comments->out);
		comments->inside = true;
		fputc(text[i] == '\r' ? ' ' : text[i], comments->out);
	}
	return (ssize_t)bytes;
}

static int end(void *cookie)
{
	struct comments *comments = cookie;

	if (comments->inside)
		fputc('\n', comments->out);
	free(comments);
	return 0;
}

FILE *tex_comments(FILE *out)
{
	const cookie_io_functions_t functions = {
		.write = comment, .close = end};
	struct comments *comments = calloc(1, sizeof(*comments));
	FILE *stream;

	if (!comments)
		return NULL;
	comments->out = out;
	stream = fopencookie(comments, "w", functions);
	if (!stream)
		free(comments);
	return stream;
}

static void tex_put(const char *text, FILE *out)
{
	static const struct {
		char character;
		const char *spelling;
	} escapes[] = {{'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"},
		{'^', "\\textasciicircum{}"}, {'|', "\\textbar{}"},
		{'<', "\\textless{}"}, {'>', "\\textgreater{}"},
		{'"', "\\textquotedbl{}"}};
	const size_t count = sizeof(escapes) / sizeof(escapes[0]);
	size_t i;

	for (; *text; text++) {
		for (i = 0; i < count && escapes[i].character != *text; i++)
			;
		if (i < count)
			fputs(escapes[i].spelling, out);
		else if (strchr("{}$&#_%", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
	}
}

static void put_tex_cell(
	const struct text_cell *cell, size_t columns, FILE *out)
{
	if (cell->rest && cell->column < columns)
		fprintf(out, "\\multicolumn{%zu}{l}{", columns - cell->column);
	tex_put(cell->text, out);
	fputs(cell->rest && cell->column < columns ? "}" : "", out);
}

void text_table_put_tex(const struct text_table *table, FILE *out)
{
	const size_t columns = text_table_columns(table);
	size_t i;

	if (table->failed)
		fputs("% out of memory\n", out);
	if (table->failed || !columns)
		return;
	fputs("\\begin{tabular}{", out);
	for (i = 0; i < columns; i++)
		fputc(table->left ? 'l' : 'r', out);
	fputs("}\n\\toprule\n", out);
	for (i = 0; i < table->count; i++) {
		const struct text_cell *cell = &table->cells[i];

		if (cell->row_begins && i)
			fprintf(out, " \\\\\n%s",
				i == columns ? "\\midrule\n" : "");
		else
			fputs(i ? " & " : "", out);
		put_tex_cell(cell, columns, out);
	}
	fputs(" \\\\\n\\bottomrule\n\\end{tabular}\n", out);
}
