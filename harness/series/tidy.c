/*
 * Long-form CSV: one header, then a row for each point and metric. Options,
 * --set parameters and origins are columns, empty where a series has none, so
 * that pandas and R read any mixture of series as one table.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/marks/marks.h"
#include "harness/series/formats.h"
#include "harness/series/identity.h"

/* What every row has after the traits. */
static const char fixed_columns[] =
	"axis,x,metric,median,mean,p5,p95,mad,low,high,count,outliers,"
	"sm_clock_hz,skipped,marks";

struct column {
	enum trait_kind kind;
	char *name; /* owned */
};

struct columns {
	struct column *items;
	size_t count;
	bool failed;
};

static void add_column(
	struct columns *columns, enum trait_kind kind, const char *name)
{
	struct column *items;
	size_t i;

	for (i = 0; i < columns->count; i++)
		if (columns->items[i].kind == kind &&
			!strcmp(columns->items[i].name, name))
			return;
	items = reallocarray(
		columns->items, columns->count + 1, sizeof(*items));
	if (!items) {
		columns->failed = true;
		return;
	}
	columns->items = items;
	items[columns->count] = (struct column){kind, strdup(name)};
	columns->failed |= !items[columns->count].name;
	columns->count += items[columns->count].name != NULL;
}

static void add_sets(struct columns *columns, const struct series *series)
{
	char *name;
	size_t i;

	for (i = 0;; i++) {
		columns->failed |= series_set_name(series, i, &name) != 0;
		if (!name)
			return;
		add_column(columns, TRAIT_SET, name);
		free(name);
	}
}

static struct columns find_columns(const struct series_list *list)
{
	struct columns columns = {0};
	size_t i, k;

	for (i = 0; trait_origins[i]; i++)
		add_column(&columns, TRAIT_ORIGIN, trait_origins[i]);
	add_column(&columns, TRAIT_DETAIL, "seed");
	for (i = 0; i < list->count; i++)
		add_sets(&columns, &list->items[i]);
	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].options.count; k++)
			add_column(&columns, TRAIT_OPTION,
				list->items[i].options.items[k].key);
	return columns;
}

static bool is_fixed(const char *name)
{
	const char *at = fixed_columns;
	size_t length;

	for (;; at += length + 1) {
		length = strcspn(at, ",");
		if (length == strlen(name) && !strncmp(at, name, length))
			return true;
		if (!at[length])
			return false;
	}
}

/* A trait's column says its kind where it has no name of its own, or where a
   fixed column, or another trait, has that name. */
static bool is_taken(const struct columns *columns, size_t index)
{
	const char *name = columns->items[index].name;
	size_t i;

	if (!*name || !strcmp(name, "series") || !strcmp(name, "bench") ||
		is_fixed(name))
		return true;
	for (i = 0; i < columns->count; i++)
		if (i != index && !strcmp(columns->items[i].name, name))
			return true;
	return false;
}

static void put_head(struct columns *columns, FILE *out)
{
	static const char *const kinds[] = {[TRAIT_OPTION] = "option.",
		[TRAIT_SET] = "set.",
		[TRAIT_ORIGIN] = "",
		[TRAIT_DETAIL] = ""};
	char *name;
	size_t i;

	fputs("series,bench", out);
	for (i = 0; i < columns->count && !columns->failed; i++) {
		const struct column *column = &columns->items[i];

		if (asprintf(&name, "%s%s",
			    is_taken(columns, i) ? kinds[column->kind] : "",
			    column->name) < 0) {
			columns->failed = true;
			return;
		}
		fputc(',', out);
		emit_csv_string(out, name);
		free(name);
	}
	fprintf(out, ",%s\n", fixed_columns);
}

static void put_numbers(
	const struct point *point, const struct summary *summary, FILE *out)
{
	size_t field;

	for (field = 0; field < SUMMARY_FIELDS; field++) {
		fputc(',', out);
		emit_csv_number(out, summary_get(summary, field));
	}
	fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", summary->count,
		summary->outliers);
	emit_csv_number(out, point->clock_hz);
}

static void put_row(const struct columns *columns, const struct series *series,
	size_t index, const struct point *point, int metric, FILE *out)
{
	size_t i;

	fprintf(out, "%zu,", index);
	emit_csv_string(out, series->bench);
	for (i = 0; i < columns->count; i++) {
		const char *value = series_trait(
			series, columns->items[i].kind, columns->items[i].name);

		fputc(',', out);
		emit_csv_string(out, value ? value : "");
	}
	fputc(',', out);
	emit_csv_string(out, series->axis);
	fputc(',', out);
	emit_csv_number(out, point->x);
	fprintf(out, ",%s", metric_columns[metric]);
	if (point->skipped)
		fputs(",,,,,,,,0,0,", out);
	else
		put_numbers(point, point_summary(point, metric), out);
	fputc(',', out);
	emit_csv_string(out, point->skipped ? point->skipped : "");
	fputc(',', out);
	marks_put_names(point->marks, out);
	fputc('\n', out);
}

int series_put_tidy(const struct series_list *list, FILE *out)
{
	struct columns columns = find_columns(list);
	size_t i, k;
	int metric;

	if (!columns.failed)
		put_head(&columns, out);
	for (i = 0; !columns.failed && i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++)
			for (metric = 0; metric < METRIC_ALL; metric++)
				if (list->items[i].metrics >> metric & 1)
					put_row(&columns, &list->items[i], i,
						&list->items[i].points[k],
						metric, out);
	for (i = 0; i < columns.count; i++)
		free(columns.items[i].name);
	free(columns.items);
	return columns.failed ? ERR_FAILED : 0;
}
