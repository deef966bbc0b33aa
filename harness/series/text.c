#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"
#include "harness/base/text_table.h"
#include "harness/base/units.h"

/* What a reader asks first about where numbers come from. */
static const char *const key_facts[] = {"backend", "machine", "set", FACT_TIME,
	FACT_VALUES, FACT_NOTE, "device.name", "device.uuid", "driver.version",
	"seed", "repeats", "warmups", "date", "version"};

#define KEY_FACTS (sizeof(key_facts) / sizeof(key_facts[0]))

void series_put_options(const struct series *series, FILE *out)
{
	size_t i;

	for (i = 0; i < series->options.count; i++) {
		fputs(i ? " " : "", out);
		visible_put_code(out, series->options.items[i].key);
		fputc('=', out);
		visible_put_code(out, series->options.items[i].value);
	}
}

static bool has_fact(
	const struct series *series, const char *key, const char *value)
{
	const struct facts *facts = &series->provenance;
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].key, key) &&
			!strcmp(facts->items[i].value, value))
			return true;
	return false;
}

/* Each fact of that key that all series have: there may be several "set". */
static const char *put_facts(const struct series *const *series, size_t count,
	const char *key, const char *gap, FILE *out)
{
	const struct facts *facts = &series[0]->provenance;
	size_t i, k;

	for (i = 0; i < facts->count; i++) {
		const char *value = facts->items[i].value;

		if (strcmp(facts->items[i].key, key))
			continue;
		for (k = 1; k < count && has_fact(series[k], key, value); k++)
			;
		if (k < count)
			continue;
		fprintf(out, "%s%s ", gap, key);
		visible_put_md(out, value);
		gap = ", ";
	}
	return gap;
}

void series_put_common_facts(
	const struct series *const *series, size_t count, FILE *out)
{
	const char *gap = "";
	size_t i;

	for (i = 0; i < KEY_FACTS; i++)
		gap = put_facts(series, count, key_facts[i], gap, out);
}

void series_put_key_facts(const struct series *series, FILE *out)
{
	series_put_common_facts(&series, 1, out);
}

/* ---- table and md ---- */

static void add_head(const struct series *series, struct text_table *table)
{
	const int primary = series_primary(series);
	int metric;

	text_table_add(table, "%s", series->axis);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (!(series->metrics >> metric & 1))
			continue;
		text_table_add(table, "%s", metric_columns[metric]);
		if (metric != primary)
			continue;
		text_table_add(table, "low");
		text_table_add(table, "high");
		text_table_add(table, "p5");
		text_table_add(table, "p95");
	}
	text_table_add(table, "samples");
	text_table_add(table, "outliers");
	text_table_add(table, "sm_clock_mhz");
}

static void add_x(const struct series *series, const struct point *point,
	struct text_table *table)
{
	char text[EMIT_NUMBER_BYTES], letters[MARKS_LETTERS_BYTES];

	text_table_x(series->axis, point->x, text);
	marks_letters(point->marks, letters);
	text_table_add(table, "%s%s", text, letters);
}

static void add_metrics(const struct series *series, const struct point *point,
	struct text_table *table)
{
	const int primary = series_primary(series);
	int metric;

	for (metric = 0; metric < METRIC_ALL; metric++) {
		const struct summary *summary = point_summary(point, metric);

		if (!(series->metrics >> metric & 1))
			continue;
		text_table_number(table, summary->median);
		if (metric != primary)
			continue;
		text_table_number(table, summary->low);
		text_table_number(table, summary->high);
		text_table_number(table, summary->p5);
		text_table_number(table, summary->p95);
	}
}

static void add_point(const struct series *series, const struct point *point,
	struct text_table *table)
{
	const int primary = series_primary(series);

	add_x(series, point, table);
	if (point->skipped) {
		text_table_rest(table, "skipped: %s", point->skipped);
		return;
	}
	add_metrics(series, point, table);
	if (primary >= 0) {
		const struct summary *summary = point_summary(point, primary);

		text_table_add(table, "%" PRIu32, summary->count);
		text_table_add(table, "%" PRIu32, summary->outliers);
	} else {
		text_table_rest(table, "-");
	}
	text_table_number(table, point->clock_hz / 1e6);
}

static void fill(const struct series *series, struct text_table *table)
{
	size_t i;

	add_head(series, table);
	for (i = 0; i < series->point_count; i++) {
		text_table_row(table);
		add_point(series, &series->points[i], table);
	}
}

static bool is_measured(const struct series *series)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		if (!series->points[i].skipped)
			return true;
	return false;
}

/* What the columns are: of each headline, and of those beside it. */
static void put_columns(const struct series_list *list, FILE *out)
{
	uint64_t told = 0;
	size_t i;

	for (i = 0; i < list->count; i++) {
		const int metric = series_primary(&list->items[i]);

		if (metric < 0 || told >> metric & 1 ||
			!is_measured(&list->items[i]))
			continue;
		fprintf(out, "%s%s: %s\n", told ? "" : "\n",
			metric_columns[metric], metric_meanings[metric]);
		told |= METRIC_BIT(metric);
	}
	if (told)
		fputs("low, high: the 95 % interval of its median; p5, p95: "
		      "percentiles; more: nearfar help metrics\n",
			out);
}

int series_put_table(const struct series_list *list, FILE *out)
{
	size_t i;
	int result = 0;

	for (i = 0; i < list->count; i++) {
		const struct series *series = &list->items[i];
		struct text_table table = {0};

		fputs(i ? "\n" : "", out);
		visible_put(out, series->bench);
		fputs(series->options.count ? "  " : "", out);
		series_put_options(series, out);
		fputs("\n", out);
		series_put_key_facts(series, out);
		fputs("\n\n", out);
		fill(series, &table);
		text_table_put(&table, out);
		if (table.failed)
			result = ERR_FAILED;
		text_table_free(&table);
		marks_put_footnotes(series_marks(series), "", out);
	}
	put_columns(list, out);
	return result;
}

int series_put_md(const struct series_list *list, FILE *out)
{
	size_t i;
	int result = 0;

	for (i = 0; i < list->count; i++) {
		const struct series *series = &list->items[i];
		struct text_table table = {0};

		fputs(i ? "\n### " : "### ", out);
		visible_put_md(out, series->bench);
		fputs("\n\n", out);
		if (series->options.count) {
			fputc('`', out);
			series_put_options(series, out);
			fputs("`  \n", out);
		}
		series_put_key_facts(series, out);
		fputs("\n\n", out);
		fill(series, &table);
		text_table_put_md(&table, out);
		if (table.failed)
			result = ERR_FAILED;
		text_table_free(&table);
		marks_put_footnotes(series_marks(series), "- ", out);
	}
	return result;
}

int series_put_tex(const struct series_list *list, FILE *out)
{
	FILE *words = tex_comments(out);
	size_t i;
	int result = words ? 0 : ERR_FAILED;

	for (i = 0; words && i < list->count; i++) {
		const struct series *series = &list->items[i];
		struct text_table table = {0};

		fputs(i ? "\n" : "", words);
		visible_put(words, series->bench);
		fputs("  ", words);
		series_put_options(series, words);
		fputs("\n", words);
		series_put_key_facts(series, words);
		fputs("\n", words);
		fflush(words);
		fill(series, &table);
		text_table_put_tex(&table, out);
		if (table.failed)
			result = ERR_FAILED;
		text_table_free(&table);
	}
	if (words)
		fclose(words);
	return result;
}

/* ---- jsonl ---- */

static int put_line(
	const struct series *series, const struct point *point, FILE *out)
{
	struct facts known = {0};
	int result = 0;
	const char *comma = "";
	size_t i, k;
	int metric;

	fputs("{\"bench\": ", out);
	emit_json_string(out, series->bench);
	fputs(", \"options\": ", out);
	emit_json_facts(out, &series->options, "");
	fputs(", \"axis\": ", out);
	emit_json_string(out, series->axis);
	fputs(", \"x\": ", out);
	emit_json_number(out, point->x);
	if (point->skipped) {
		fputs(", \"skipped\": ", out);
		emit_json_string(out, point->skipped);
	}
	if (point->marks) {
		fputs(", \"marks\": ", out);
		marks_put_json(point->marks, out);
	}
	fputs(", \"metrics\": {", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (point->skipped || !(series->metrics >> metric & 1))
			continue;
		fprintf(out, "%s\"%s\": ", comma, metric_columns[metric]);
		series_put_summary(point_summary(point, metric), out);
		comma = ", ";
	}
	fputs("}, \"provenance\": ", out);
	for (i = 0; i < KEY_FACTS; i++)
		for (k = 0; k < series->provenance.count; k++)
			if (!strcmp(series->provenance.items[k].key,
				    key_facts[i]))
				result |= facts_add(&known, key_facts[i], "%s",
					series->provenance.items[k].value);
	emit_json_facts(out, &known, "");
	facts_free(&known);
	fputs("}\n", out);
	return result;
}

int series_put_jsonl(const struct series_list *list, FILE *out)
{
	size_t i, k;
	int result = 0;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++)
			if (put_line(&list->items[i], &list->items[i].points[k],
				    out))
				result = ERR_FAILED;
	return result;
}
