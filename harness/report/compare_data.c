/* Comparisons as programs read them. */
#include <stdlib.h>

#include "harness/base/emit.h"
#include "harness/report/compare_parts.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"

#define SCHEMA "nearfar-comparison/1"

static const char *axis_of(const struct comparison *c)
{
	return c->pair.base->axis;
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

/* What has no partner, and what the gate found. */
static int put_csv_rest(const struct comparison_list *list,
	const struct verdict *verdict, FILE *out, struct error *error)
{
	const size_t alone = list->pairs.only_base + list->pairs.only_new;
	size_t i;

	for (i = 0; i < alone; i++) {
		char *text = series_pairs_alone_text(&list->pairs, i, error);

		if (!text)
			return ERR_FAILED;
		series_put_comment(out, "", "alone", text);
		free(text);
	}
	for (i = 0; verdict && i < verdict->count; i++)
		series_put_comment(out, "", "gate", verdict->items[i].text);
	return 0;
}

int compare_put_csv(const struct comparison_list *list,
	const struct verdict *verdict, FILE *out, struct error *error)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct comparison *c = &list->items[i];
		const char *metric = metric_columns[c->metric];

		fputs(i ? "\n" : "", out);
		series_put_comment(out, "", "schema", SCHEMA);
		series_put_comment(out, "", "bench", c->pair.base->bench);
		series_put_comment(out, "", "label", list->identity.labels[i]);
		put_csv_sides(c, out);
		fprintf(out, "# points_compared: %zu\n", c->row_count);
		fprintf(out, "# points_only_base: %zu\n", c->only_base);
		fprintf(out, "# points_only_new: %zu\n", c->only_new);
		fputs("# error_percent_median: ", out);
		emit_csv_number(out, c->all.median_percent);
		fputs("\n# error_percent_worst: ", out);
		emit_csv_number(out, c->all.worst_percent);
		fputc('\n', out);
		emit_csv_string(out, axis_of(c));
		fprintf(out, ",%s_base,%s_new,", metric, metric);
		fputs("ratio,error_percent,knee,distance_percent,"
		      "error_percent_low,error_percent_high,"
		      "base_marks,new_marks\n",
			out);
		for (k = 0; k < c->row_count; k++) {
			const struct compare_row *row = &c->rows[k];
			const double numbers[] = {row->x, row->base, row->new,
				row->ratio, row->error_percent, row->knee,
				row->distance_percent, row->error_low_percent,
				row->error_high_percent};
			size_t n;

			for (n = 0; n < 9; n++) {
				fputs(n ? "," : "", out);
				emit_csv_number(out, numbers[n]);
			}
			fputc(',', out);
			marks_put_names(row->base_marks, out);
			fputc(',', out);
			marks_put_names(row->new_marks, out);
			fputc('\n', out);
		}
	}
	return put_csv_rest(list, verdict, out, error);
}

/* ---- json ---- */

struct member {
	const char *name;
	double value;
};

static void put_members(const struct member *members, size_t count, FILE *out)
{
	size_t i;

	for (i = 0; i < count; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "{", members[i].name);
		emit_json_number(out, members[i].value);
	}
}

static void put_object(const struct member *members, size_t count, FILE *out)
{
	put_members(members, count, out);
	fputc('}', out);
}

static void put_json_marks(const char *name, uint32_t marks, FILE *out)
{
	if (!marks)
		return;
	fprintf(out, ", \"%s\": ", name);
	marks_put_json(marks, out);
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
			{"error_percent_low", row->error_low_percent},
			{"error_percent_high", row->error_high_percent},
			{"knee", row->knee},
			{"distance_percent", row->distance_percent}};

		fputs(i ? ",\n " : "\n ", out);
		put_members(members, 9, out);
		put_json_marks("base_marks", row->base_marks, out);
		put_json_marks("new_marks", row->new_marks, out);
		fputc('}', out);
	}
	fputs("],\n\"levels\": [", out);
	for (i = 0; i < c->level_count; i++) {
		const struct compare_level *level = &c->levels[i];
		const struct member members[] = {{"from_x", level->from_x},
			{"to_x", level->to_x}, {"base", level->base},
			{"new", level->new},
			{"error_percent", level->error_percent},
			{"count", (double)level->count}};

		fputs(i ? ",\n " : "\n ", out);
		put_object(members, 6, out);
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

static int put_json_alone(
	const struct series_pairs *pairs, FILE *out, struct error *error)
{
	const size_t alone = pairs->only_base + pairs->only_new;
	size_t i;

	fputs("\"alone\": [", out);
	for (i = 0; i < alone; i++) {
		char *text = series_pairs_alone_text(pairs, i, error);

		if (!text)
			return ERR_FAILED;
		fputs(i ? ",\n " : "\n ", out);
		emit_json_string(out, text);
		free(text);
	}
	fputs("],\n", out);
	return 0;
}

static void put_json_verdict(const struct verdict *verdict, FILE *out)
{
	size_t i;

	fprintf(out, "\"gate\": {\"judged_count\": %zu, \"violations\": [",
		verdict->judged_count);
	for (i = 0; i < verdict->count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		emit_json_string(out, verdict->items[i].text);
	}
	fputs("]},\n", out);
}

int compare_put_json(const struct comparison_list *list,
	const struct verdict *verdict, FILE *out, struct error *error)
{
	size_t i;
	int result;

	fprintf(out, "{\"schema\": \"%s\",\n", SCHEMA);
	fprintf(out, "\"only_base\": %zu,\n\"only_new\": %zu,\n",
		list->pairs.only_base, list->pairs.only_new);
	result = put_json_alone(&list->pairs, out, error);
	if (verdict)
		put_json_verdict(verdict, out);
	fputs("\"comparisons\": [", out);
	for (i = 0; i < list->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_json_one(&list->items[i], list->identity.labels[i], out);
	}
	fputs("]}\n", out);
	return result;
}
