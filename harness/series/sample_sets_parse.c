#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/series/sample_sets_parse.h"
#include "harness/series/formats.h"
#include "harness/base/units.h"

/* Of a row of RAW_HEADER. */
enum raw_column {
	RAW_SERIES,
	RAW_X,
	RAW_REGION = 3,
	RAW_CYCLES = 7,
	RAW_COLUMNS,
};

int sample_sets_parse_numbers(
	struct pieces *piece, struct sample_sets *sets, struct error *error)
{
	struct sample_set *set =
		sets->count ? sets->items
			    : sample_sets_add(sets, 0, NULL, NULL, NAN);
	char *line = piece->text, *next;
	size_t number = piece->line;
	double value;

	for (; set && line; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, " \t");
		line[strcspn(line, " \t\r")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (units_parse_real(line, &value, error))
			return error_prefix(error, ERR_USAGE,
				"%s:%zu: ", piece->source, number);
		if (sample_set_append(set, value))
			set = NULL;
	}
	return set ? 0 : sample_sets_no_memory(piece->source, error);
}

void sample_reader_free(struct sample_reader *reader)
{
	size_t i;

	for (i = 0; i < reader->head_count; i++) {
		free(reader->heads[i].bench);
		free(reader->heads[i].axis);
	}
	free(reader->heads);
}

/* Takes "series.INDEX.bench: NAME" and "series.INDEX.axis: NAME", whose
   indices ascend. */
static int read_head(struct sample_reader *reader, const char *comment)
{
	size_t index;
	int bench_at = 0, axis_at = 0;
	char **name;

	sscanf(comment, "series.%zu.bench: %n", &index, &bench_at);
	sscanf(comment, "series.%zu.axis: %n", &index, &axis_at);
	if ((!bench_at && !axis_at) || index > reader->head_count)
		return 0;
	if (index == reader->head_count) {
		struct sample_head *heads =
			reallocarray(reader->heads, index + 1, sizeof(*heads));

		if (!heads)
			return ERR_FAILED;
		reader->heads = heads;
		heads[reader->head_count++] = (struct sample_head){NULL, NULL};
	}
	name = bench_at ? &reader->heads[index].bench
			: &reader->heads[index].axis;
	free(*name);
	*name = strdup(comment + (bench_at ? bench_at : axis_at));
	return *name ? 0 : ERR_FAILED;
}

/* Rows of one point follow each other: only the last set is looked at. */
static int raw_append(
	struct sample_reader *reader, uint64_t series, double x, double cycles)
{
	struct sample_sets *sets = reader->sets;
	struct sample_set *set =
		sets->count ? sets->items + sets->count - 1 : NULL;

	if (!set || set->series != series || set->x != x) {
		const char *bench = NULL, *axis = NULL;

		if (series < reader->head_count) {
			bench = reader->heads[series].bench;
			axis = reader->heads[series].axis;
		}
		set = sample_sets_add(sets, series, bench, axis, x);
	}
	return set ? sample_set_append(set, cycles) : ERR_FAILED;
}

static int raw_row(const struct csv *csv, struct sample_reader *reader,
	struct error *error)
{
	char **fields = csv->fields;
	double x = 0, cycles = 0;
	uint64_t series;

	if (csv->field_count != RAW_COLUMNS)
		return error_set(error, ERR_USAGE,
			"%s:%zu: a row must have %d fields, not %zu",
			csv->source, csv->line, RAW_COLUMNS, csv->field_count);
	if (strcmp(fields[RAW_REGION], reader->region) != 0)
		return 0;
	if (units_parse_count(fields[RAW_SERIES], &series, error) ||
		units_parse_real(fields[RAW_X], &x, error) ||
		units_parse_real(fields[RAW_CYCLES], &cycles, error))
		return error_prefix(
			error, ERR_USAGE, "%s:%zu: ", csv->source, csv->line);
	if (raw_append(reader, series, x, cycles))
		return sample_sets_no_memory(csv->source, error);
	return 0;
}

int sample_sets_parse_raw(
	struct pieces *piece, struct sample_reader *reader, struct error *error)
{
	struct csv csv;
	int result;

	csv_init(&csv, piece->text, piece->bytes, piece->source);
	csv.lines_done = piece->line - 1;
	while ((result = csv_next(&csv, error)) > 0) {
		result = 0;
		if (csv.comment && read_head(reader, csv.comment))
			result = sample_sets_no_memory(csv.source, error);
		if (csv.field_count && reader->header_done)
			result = raw_row(&csv, reader, error);
		if (result)
			break;
		reader->header_done |= csv.field_count > 0;
	}
	csv_free(&csv);
	return result;
}

/* The index of the region to take samples of; region_count if there is none.
   The time of a whole region is no latency, unless it is asked for. */
static size_t region_find(const struct point *point, const char *region)
{
	const struct sample_table *table = &point->samples;
	const char *name = region ? region : REGION_DEFAULT;
	size_t found = 0, i;

	while (found < point->region_count &&
		strcmp(point->regions[found], name) != 0)
		found++;
	for (i = 0; i < table->count; i++)
		if (table->region[i] == found &&
			(region || table->iteration[i]))
			return found;
	return point->region_count;
}

static int samples_collect(
	const struct point *point, const char *region, struct sample_set *set)
{
	const struct sample_table *table = &point->samples;
	size_t found = region_find(point, region), count = 0, i;

	if (found == point->region_count)
		return 0;
	for (i = 0; i < table->count; i++)
		count += table->region[i] == found;
	if (sample_set_reserve(set, count))
		return ERR_FAILED;
	for (i = 0; i < table->count; i++)
		if (table->region[i] == found &&
			sample_set_append(set, table->cycles[i]))
			return ERR_FAILED;
	return 0;
}

static int point_collect(
	const struct point *point, const char *region, struct sample_set *set)
{
	const struct metric_values *latency =
		point_metric(point, METRIC_LATENCY_CYCLES);
	size_t i;

	if (point->skipped) {
		set->skipped = strdup(point->skipped);
		return set->skipped ? 0 : ERR_FAILED;
	}
	if (region || !latency->value_count)
		return samples_collect(point, region, set);
	if (sample_set_reserve(set, latency->value_count))
		return ERR_FAILED;
	for (i = 0; i < latency->value_count; i++)
		if (sample_set_append(set, latency->values[i]))
			return ERR_FAILED;
	return 0;
}

int sample_sets_collect(
	struct series_list *list, const char *region, struct sample_sets *sets)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		struct series *series = &list->items[i];

		for (k = 0; k < series->point_count; k++) {
			struct sample_set *set =
				sample_sets_add(sets, i, series->bench,
					series->axis, series->points[k].x);

			if (!set ||
				point_collect(&series->points[k], region, set))
				return ERR_FAILED;
			point_free(&series->points[k]);
		}
	}
	return 0;
}
