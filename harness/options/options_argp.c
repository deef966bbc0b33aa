#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/options/options_argp.h"

/* Keys of rows without a letter, and of old names: beyond argp's own and those
   of letters. */
#define KEY_ROWS 0x10000
#define KEY_OLD  0x20000
#define KEY_MORE 0x8000 /* of `more`: added */

/* ---- texts ---- */

char *options_list(const char *choices, const char *last)
{
	const size_t room = 3 * strlen(choices) + 8;
	char *text = malloc(room), *at = text;
	size_t width;

	for (; text && *choices; choices += width + (choices[width] == '|')) {
		const char *gap = "";

		width = strcspn(choices, "|");
		if (at > text)
			gap = choices[width] ? ", " : last;
		at += snprintf(at, room - (size_t)(at - text), "%s%.*s", gap,
			(int)width, choices);
	}
	return text;
}

char *options_help(const struct options_row *row)
{
	char *list, *text = NULL;
	const char *gap;
	int length;

	if (row->kind != TAKES_CHOICE)
		return strdup(row->help);
	list = options_list(row->choices, " or ");
	gap = !*row->help ? "" : *row->help == '(' ? " " : "; ";
	length = list ? asprintf(&text, "%s%s%s", list, gap, row->help) : -1;
	free(list);
	return length < 0 ? NULL : text;
}

/* About, and below the options: notes and examples. */
static char *make_text(const struct options_table *t)
{
	const char *const *example = t->examples;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	fputs(t->about, out);
	if (t->notes || example)
		fputc('\v', out);
	fputs(t->notes ? t->notes : "", out);
	if (example)
		fprintf(out, "%sExamples:\n", t->notes ? "\n\n" : "");
	for (; example && *example; example++)
		fprintf(out, "  %s\n", *example);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- rows ---- */

static size_t count_rows(const struct options_row *rows)
{
	size_t count = 0;

	for (; rows && rows->help; rows++)
		count += 1 + (rows->was != NULL);
	return count;
}

static int add_row(struct options_argp *made, const struct options_row *row,
	int key, int group)
{
	char *help = options_help(row);

	made->helps[made->count] = help;
	made->rows[made->count++] = (struct argp_option){
		.name = row->name,
		.key = row->letter ? row->letter : key + KEY_ROWS,
		.arg = row->argument,
		.flags = row->hidden ? OPTION_HIDDEN : 0,
		.doc = help,
		.group = group,
	};
	if (row->was)
		made->rows[made->count++] = (struct argp_option){
			.name = row->was,
			.key = key + KEY_OLD,
			.arg = row->argument,
			.flags = OPTION_HIDDEN,
			.group = group,
		};
	return help ? 0 : ERR_FAILED;
}

static int add_rows(struct options_argp *made, const struct options_row *rows,
	int first, int group)
{
	int i, code = 0;

	for (i = 0; !code && rows && rows[i].help; i++)
		code = add_row(made, &rows[i], first + i, group);
	return code;
}

int options_argp_make(
	const struct options_table *table, struct options_argp *made)
{
	const size_t most =
		count_rows(table->rows) + count_rows(table->more) + 2;
	int code = 0;

	*made = (struct options_argp){.table = table};
	made->rows = calloc(most, sizeof(*made->rows));
	made->helps = calloc(most, sizeof(*made->helps));
	made->text = make_text(table);
	if (!made->rows || !made->helps || !made->text)
		code = ERR_FAILED;
	if (!code)
		code = add_rows(made, table->rows, 0, 0);
	if (!code && table->more)
		made->rows[made->count++] = (struct argp_option){
			.doc = table->more_heading, .group = 2};
	if (!code)
		code = add_rows(made, table->more, KEY_MORE, 2);
	if (code)
		options_argp_free(made);
	return code;
}

void options_argp_free(struct options_argp *made)
{
	size_t i;

	for (i = 0; made->helps && i < made->count; i++)
		free(made->helps[i]);
	free(made->helps);
	free(made->rows);
	free(made->text);
}

/* ---- keys ---- */

static const struct options_row *of_letter(
	const struct options_row *rows, int letter)
{
	for (; rows && rows->help; rows++)
		if (rows->letter == letter)
			return rows;
	return NULL;
}

const struct options_row *options_argp_row(
	const struct options_argp *made, int key, bool *old)
{
	const struct options_table *t = made->table;
	const struct options_row *row;

	*old = key >= KEY_OLD;
	if (key >= KEY_ROWS && key < 2 * KEY_OLD) {
		key %= KEY_ROWS;
		return key >= KEY_MORE ? &t->more[key - KEY_MORE]
				       : &t->rows[key];
	}
	if (key <= 0 || key > 127)
		return NULL;
	row = of_letter(t->rows, key);
	return row ? row : of_letter(t->more, key);
}
