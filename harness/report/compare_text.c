/* Comparisons as people read them. */
#include <math.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/report/compare_parts.h"
#include "harness/base/emit.h"
#include "harness/base/units.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"
#include "harness/base/text_table.h"

static const char column_rules[] =
	"differs: the 95 % interval of the error leaves out 0; knee: a slope "
	"of log2 y over log2 x above 0.25, in all by more than 10 %";

static const char *axis_of(const struct comparison *c)
{
	return c->pair.base->axis;
}

static bool has_distances(const struct comparison *c)
{
	size_t i;

	for (i = 0; i < c->row_count; i++)
		if (!isnan(c->rows[i].distance_percent))
			return true;
	return false;
}

/* By the bootstrap; "-": there is no interval. */
static const char *differs_text(const struct compare_row *row)
{
	return isnan(row->error_low_percent) ? "-"
	       : compare_row_differs(row)    ? "yes"
					     : "no";
}

/* A number, and the letters of its point's marks. */
static void add_marked(struct text_table *table, double value, uint32_t marks)
{
	char number[EMIT_NUMBER_BYTES], letters[MARKS_LETTERS_BYTES];

	text_table_format(value, number);
	marks_letters(marks, letters);
	text_table_add(table, "%s%s", number, letters);
}

static uint32_t marks_of_rows(const struct comparison *c)
{
	uint32_t marks = 0;
	size_t i;

	for (i = 0; i < c->row_count; i++)
		marks |= c->rows[i].base_marks | c->rows[i].new_marks;
	return marks;
}

static void fill(const struct comparison *c, struct text_table *table)
{
	const char *metric = metric_columns[c->metric];
	char x[EMIT_NUMBER_BYTES], launch[SERIES_LAUNCH_BYTES];
	size_t i;

	text_table_add(table, "%s", axis_of(c));
	text_table_add(table, "%s_base", metric);
	text_table_add(table, "%s_new", metric);
	text_table_add(table, "ratio");
	text_table_add(table, "error_percent");
	text_table_add(table, "differs");
	text_table_add(table, "knee");
	if (has_distances(c))
		text_table_add(table, "distance_percent");
	for (i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		text_table_row(table);
		text_table_x(axis_of(c), row->x, x);
		series_launch(c->pair.base, row->x, launch);
		text_table_add(table, "%s%s%s", x, *launch ? " " : "", launch);
		add_marked(table, row->base, row->base_marks);
		add_marked(table, row->new, row->new_marks);
		text_table_add(
			table, isnan(row->ratio) ? "-" : "%.3f", row->ratio);
		text_table_add(table, "%+.2f",
			fabs(row->error_percent) < 0.005 ? 0
							 : row->error_percent);
		text_table_add(table, "%s", differs_text(row));
		text_table_add(table, "%s", row->knee ? "knee" : "");
		if (has_distances(c))
			text_table_add(table, "%.2f", row->distance_percent);
	}
}

static void put_errors(const struct comparison *c, const char *what,
	const struct compare_errors *errors, const char *bullet, FILE *out)
{
	char x[EMIT_NUMBER_BYTES];

	fprintf(out, "%s%s: ", bullet, what);
	if (!errors->count) {
		fputs("nothing compared\n", out);
		return;
	}
	text_table_x(axis_of(c), errors->worst_x, x);
	fprintf(out, "median %.2f %%, worst %.2f %% at %s, over %zu point%s\n",
		errors->median_percent, errors->worst_percent, x, errors->count,
		errors->count == 1 ? "" : "s");
}

static void put_position(const char *axis, double x, FILE *out)
{
	char text[EMIT_NUMBER_BYTES];

	text_table_x(axis, x, text);
	fputs(text, out);
}

/* A knee lies between points: four digits of its place are enough. */
static void put_knee_position(const char *axis, double x, FILE *out)
{
	char text[EMIT_NUMBER_BYTES];

	if (axis_is_bytes(axis))
		text_table_x(axis, x, text);
	else
		snprintf(text, sizeof(text), "%.4g", x);
	fputs(text, out);
}

static void put_knee(const struct comparison *c,
	const struct compare_knee *knee, const char *bullet, FILE *out)
{
	fprintf(out, "%sknee: %.4g -> %.4g ", bullet, knee->from, knee->to);
	if (isnan(knee->octaves)) {
		fputs("at ", out);
		put_knee_position(axis_of(c),
			isnan(knee->new_x) ? knee->base_x : knee->new_x, out);
		fprintf(out, ", only in the %s\n",
			isnan(knee->new_x) ? "base" : "new");
		return;
	}
	fputs("at ", out);
	put_knee_position(axis_of(c), knee->base_x, out);
	fputs(", now at ", out);
	put_knee_position(axis_of(c), knee->new_x, out);
	fprintf(out, " (%+.2f octaves)\n",
		fabs(knee->octaves) < 0.005 ? 0 : knee->octaves);
}

static void put_level(const struct comparison *c,
	const struct compare_level *level, const char *bullet, FILE *out)
{
	fprintf(out, "%slevel: %.4g -> %.4g (%+.2f %%) from ", bullet,
		level->base, level->new,
		fabs(level->error_percent) < 0.005 ? 0 : level->error_percent);
	put_position(axis_of(c), level->from_x, out);
	fputs(" to ", out);
	put_position(axis_of(c), level->to_x, out);
	fputc('\n', out);
}

static void put_totals(
	const struct comparison *c, const char *bullet, FILE *out)
{
	size_t i;

	fprintf(out, "%spoints: %zu compared, %zu only in the base, ", bullet,
		c->row_count, c->only_base);
	fprintf(out, "%zu only in the new\n", c->only_new);
	put_errors(c, "error", &c->all, bullet, out);
	put_errors(c, "error without knees", &c->flat, bullet, out);
	for (i = 0; c->level_count > 1 && i < c->level_count; i++)
		put_level(c, &c->levels[i], bullet, out);
	for (i = 0; i < c->knee_count; i++)
		put_knee(c, &c->knees[i], bullet, out);
}

static void put_difference(const struct fact *option, const char *other,
	const char *bullet, FILE *out)
{
	fprintf(out, "%soption ", bullet);
	visible_put_md(out, option->key);
	fputs(": base ", out);
	visible_put_md(out, option->value);
	fputs(", new ", out);
	visible_put_md(out, other);
	fputc('\n', out);
}

static void put_differences(
	const struct comparison *c, const char *bullet, FILE *out)
{
	const struct facts *base = &c->pair.base->options;
	size_t i;

	for (i = 0; i < base->count; i++) {
		const struct fact *option = &base->items[i];
		const char *other =
			facts_find(&c->pair.new->options, option->key);

		if (other && strcmp(other, option->value))
			put_difference(option, other, bullet, out);
	}
}

static void put_head(const struct comparison_list *list, size_t index,
	const char *title, const char *bullet, FILE *out)
{
	const struct comparison *c = &list->items[index];

	fputs(title, out);
	identity_put_title(&list->identity, index, c->pair.base->bench, out);
	fprintf(out, ": %s\n", metric_columns[c->metric]);
	fputs(*title ? "\n" : "", out);
	fprintf(out, "%sbase: ", bullet);
	series_put_key_facts(c->pair.base, out);
	fprintf(out, "\n%snew: ", bullet);
	series_put_key_facts(c->pair.new, out);
	fputc('\n', out);
	put_differences(c, bullet, out);
	fprintf(out, "%s%s\n\n", bullet, column_rules);
}

static void put_verdict(
	const struct verdict *verdict, const char *bullet, FILE *out)
{
	size_t i;

	if (!verdict)
		return;
	fputc('\n', out);
	for (i = 0; i < verdict->count; i++) {
		fprintf(out, "%sgate: ", bullet);
		(*bullet ? visible_put_md : visible_put)(
			out, verdict->items[i].text);
		fputc('\n', out);
	}
	if (!verdict->count && verdict->judged_count)
		fprintf(out, "%sgate: holds for %zu series\n", bullet,
			verdict->judged_count);
}

/* In LaTeX all but the tables are comments. */
static int put_people(const struct comparison_list *list,
	const struct verdict *verdict, enum text_style style, FILE *words,
	FILE *out, struct error *error)
{
	const bool md = style == TEXT_MD;
	const char *title = md ? "### " : "", *bullet = md ? "- " : "";
	size_t i;
	int result;

	for (i = 0; i < list->count; i++) {
		const struct comparison *c = &list->items[i];
		struct text_table table = {0};

		fputs(i ? "\n" : "", words);
		put_head(list, i, title, bullet, words);
		if (words != out)
			fflush(words);
		fill(c, &table);
		text_table_put_as(&table, style, out);
		text_table_free(&table);
		marks_put_footnotes(marks_of_rows(c), bullet, words);
		fputc('\n', words);
		put_totals(c, bullet, words);
	}
	if (list->count && (list->pairs.only_base || list->pairs.only_new))
		fputc('\n', words);
	result = series_pairs_put_alone(&list->pairs, bullet, words, error);
	put_verdict(verdict, bullet, words);
	return result;
}

int compare_put_people(const struct comparison_list *list,
	const struct verdict *verdict, enum text_style style, FILE *out,
	struct error *error)
{
	FILE *words = style == TEXT_TEX ? tex_comments(out) : out;
	int result;

	if (!words)
		return error_set(error, ERR_FAILED, "out of memory");
	result = put_people(list, verdict, style, words, out, error);
	if (words != out)
		fclose(words);
	return result;
}

int comparison_list_put(const struct comparison_list *list,
	const struct verdict *verdict, enum series_format format, FILE *out,
	struct error *error)
{
	if (format == FORMAT_CSV)
		return compare_put_csv(list, verdict, out, error);
	if (format == FORMAT_JSON)
		return compare_put_json(list, verdict, out, error);
	if (format != FORMAT_TABLE && series_style(format) == TEXT_PLAIN)
		return compare_put_sheet(list, format, out, error);
	return compare_put_people(
		list, verdict, series_style(format), out, error);
}
