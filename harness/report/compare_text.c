#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/report/compare.h"
#include "harness/base/emit.h"
#include "harness/series/formats.h"
#include "harness/base/text_table.h"

#define SCHEMA "nearfar-comparison/1"

static const char knee_rule[] =
	"a knee: a slope of log2 y over log2 x above 0.25, in all by more "
	"than 10 %";

static const char *axis_of(const struct comparison *c)
{
	return c->pair.base->axis;
}

/* ---- table and md ---- */

static bool has_distances(const struct comparison *c)
{
	size_t i;

	for (i = 0; i < c->row_count; i++)
		if (!isnan(c->rows[i].distance_percent))
			return true;
	return false;
}

static void fill(const struct comparison *c, struct text_table *table)
{
	const char *metric = metric_columns[c->metric];
	char x[EMIT_NUMBER_BYTES];
	size_t i;

	text_table_add(table, "%s", axis_of(c));
	text_table_add(table, "%s_base", metric);
	text_table_add(table, "%s_new", metric);
	text_table_add(table, "ratio");
	text_table_add(table, "error_percent");
	text_table_add(table, "knee");
	if (has_distances(c))
		text_table_add(table, "distance_percent");
	for (i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		text_table_row(table);
		text_table_x(axis_of(c), row->x, x);
		text_table_add(table, "%s", x);
		text_table_number(table, row->base);
		text_table_number(table, row->new);
		text_table_add(
			table, isnan(row->ratio) ? "-" : "%.3f", row->ratio);
		text_table_add(table, "%+.2f",
			fabs(row->error_percent) < 0.005 ? 0
							 : row->error_percent);
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

static void put_knee(const struct comparison *c,
	const struct compare_knee *knee, const char *bullet, FILE *out)
{
	fprintf(out, "%sknee: %.4g -> %.4g ", bullet, knee->from, knee->to);
	if (isnan(knee->octaves)) {
		fputs("at ", out);
		put_position(axis_of(c),
			isnan(knee->new_x) ? knee->base_x : knee->new_x, out);
		fprintf(out, ", only in the %s\n",
			isnan(knee->new_x) ? "base" : "new");
		return;
	}
	fputs("at ", out);
	put_position(axis_of(c), knee->base_x, out);
	fputs(", now at ", out);
	put_position(axis_of(c), knee->new_x, out);
	fprintf(out, " (%+.2f octaves)\n",
		fabs(knee->octaves) < 0.005 ? 0 : knee->octaves);
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
	for (i = 0; i < c->knee_count; i++)
		put_knee(c, &c->knees[i], bullet, out);
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
			fprintf(out, "%soption %s: base %s, new %s\n", bullet,
				option->key, option->value, other);
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
	fprintf(out, "%s%s\n\n", bullet, knee_rule);
}

static int put_people(const struct comparison_list *list, bool md, FILE *out,
	struct error *error)
{
	const char *title = md ? "### " : "", *bullet = md ? "- " : "";
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct comparison *c = &list->items[i];
		struct text_table table = {0};

		fputs(i ? "\n" : "", out);
		put_head(list, i, title, bullet, out);
		fill(c, &table);
		(md ? text_table_put_md : text_table_put)(&table, out);
		text_table_free(&table);
		fputc('\n', out);
		put_totals(c, bullet, out);
	}
	if (list->count && (list->pairs.only_base || list->pairs.only_new))
		fputc('\n', out);
	return series_pairs_put_alone(&list->pairs, bullet, out, error);
}

/* ---- csv ---- */

static void put_csv_facts(
	const char *prefix, const struct facts *facts, FILE *out)
{
	size_t i;

	for (i = 0; i < facts->count; i++)
		series_put_comment(out, prefix, facts->items[i].key,
			facts->items[i].value);
}

static void put_csv_sides(const struct comparison *c, FILE *out)
{
	put_csv_facts("option.", &c->pair.base->options, out);
	put_csv_facts("base.", &c->pair.base->provenance, out);
	put_csv_facts("new.option.", &c->pair.new->options, out);
	put_csv_facts("new.", &c->pair.new->provenance, out);
}

static void put_csv(const struct comparison_list *list, FILE *out)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct comparison *c = &list->items[i];
		const char *metric = metric_columns[c->metric];

		fprintf(out, "%s# schema: %s\n# bench: %s\n", i ? "\n" : "",
			SCHEMA, c->pair.base->bench);
		series_put_comment(out, "", "label", list->identity.labels[i]);
		put_csv_sides(c, out);
		fprintf(out, "# points_compared: %zu\n", c->row_count);
		fprintf(out, "# points_only_base: %zu\n", c->only_base);
		fprintf(out, "# points_only_new: %zu\n", c->only_new);
		fputs("# error_percent_median: ", out);
		emit_csv_number(out, c->all.median_percent);
		fputs("\n# error_percent_worst: ", out);
		emit_csv_number(out, c->all.worst_percent);
		fprintf(out, "\n%s,%s_base,%s_new,", axis_of(c), metric,
			metric);
		fputs("ratio,error_percent,knee,distance_percent\n", out);
		for (k = 0; k < c->row_count; k++) {
			const struct compare_row *row = &c->rows[k];
			const double numbers[] = {row->x, row->base, row->new,
				row->ratio, row->error_percent, row->knee,
				row->distance_percent};
			size_t n;

			for (n = 0; n < 7; n++) {
				fputs(n ? "," : "", out);
				emit_csv_number(out, numbers[n]);
			}
			fputc('\n', out);
		}
	}
}

/* ---- json ---- */

struct member {
	const char *name;
	double value;
};

static void put_object(const struct member *members, size_t count, FILE *out)
{
	size_t i;

	for (i = 0; i < count; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "{", members[i].name);
		emit_json_number(out, members[i].value);
	}
	fputc('}', out);
}

static void put_json_errors(
	const char *name, const struct compare_errors *errors, FILE *out)
{
	const struct member members[] = {{"count", (double)errors->count},
		{"median_percent", errors->median_percent},
		{"worst_percent", errors->worst_percent},
		{"worst_x", errors->worst_x}};

	fprintf(out, ",\n\"%s\": ", name);
	put_object(members, 4, out);
}

static void put_json_rows(const struct comparison *c, FILE *out)
{
	size_t i;

	fputs(",\n\"points\": [", out);
	for (i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		const struct member members[] = {{"x", row->x},
			{"base", row->base}, {"new", row->new},
			{"ratio", row->ratio},
			{"error_percent", row->error_percent},
			{"knee", row->knee},
			{"distance_percent", row->distance_percent}};

		fputs(i ? ",\n " : "\n ", out);
		put_object(members, 7, out);
	}
	fputs("],\n\"knees\": [", out);
	for (i = 0; i < c->knee_count; i++) {
		const struct compare_knee *knee = &c->knees[i];
		const struct member members[] = {{"base_x", knee->base_x},
			{"new_x", knee->new_x}, {"octaves", knee->octaves},
			{"from", knee->from}, {"to", knee->to}};

		fputs(i ? ",\n " : "\n ", out);
		put_object(members, 5, out);
	}
	fputc(']', out);
}

static void put_json_side(
	const char *name, const struct series *series, FILE *out)
{
	fprintf(out, ",\n\"%s\": {\"options\": ", name);
	emit_json_facts(out, &series->options, "");
	fputs(",\n \"provenance\": ", out);
	emit_json_facts(out, &series->provenance, "");
	fputc('}', out);
}

static void put_json_one(
	const struct comparison *c, const char *label, FILE *out)
{
	fputs("{\"bench\": ", out);
	emit_json_string(out, c->pair.base->bench);
	fputs(",\n\"label\": ", out);
	emit_json_string(out, label);
	put_json_side("base", c->pair.base, out);
	put_json_side("new", c->pair.new, out);
	fputs(",\n\"axis\": {\"name\": ", out);
	emit_json_string(out, axis_of(c));
	fprintf(out, "},\n\"metric\": \"%s\"", metric_columns[c->metric]);
	fprintf(out, ",\n\"only_base\": %zu,\n\"only_new\": %zu", c->only_base,
		c->only_new);
	put_json_errors("errors", &c->all, out);
	put_json_errors("errors_without_knees", &c->flat, out);
	put_json_rows(c, out);
	fputc('}', out);
}

static void put_json(const struct comparison_list *list, FILE *out)
{
	size_t i;

	fprintf(out, "{\"schema\": \"%s\",\n", SCHEMA);
	fprintf(out, "\"only_base\": %zu,\n\"only_new\": %zu,\n",
		list->pairs.only_base, list->pairs.only_new);
	fputs("\"comparisons\": [", out);
	for (i = 0; i < list->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_json_one(&list->items[i], list->identity.labels[i], out);
	}
	fputs("]}\n", out);
}

int comparison_list_put(const struct comparison_list *list,
	enum series_format format, FILE *out, struct error *error)
{
	if (format == FORMAT_CSV)
		put_csv(list, out);
	else if (format == FORMAT_JSON)
		put_json(list, out);
	else
		return put_people(list, format == FORMAT_MD, out, error);
	return 0;
}
