#include <stdlib.h>

#include "harness/series/json.h"

/* A table that says so by one number must not take all memory. */
#define SAMPLES_MAX (1u << 26)

int series_parse_regions(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "regions");
	size_t count, i;
	int result;

	if (!place.value)
		return 0;
	result = place_array(&place, &count);
	if (result || !count)
		return result;
	point->regions = calloc(count, sizeof(*point->regions));
	if (!point->regions)
		return place_no_memory(&place);
	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		result = place_copy(&item, &point->regions[i]);
		if (!result)
			point->region_count++;
	}
	return result;
}

/* A sample's or span's region indexes point->regions. */
static int check_region(const struct json_place *place,
	const struct point *point, double region)
{
	if (region < (double)point->region_count)
		return 0;
	return place_fail(
		place, "is not one of %zu regions", point->region_count);
}

static int read_cell(const struct json_place *place, const struct point *point,
	size_t column, double *cell)
{
	const size_t width = sample_columns[column].width;
	uint64_t whole = 0;
	int result;

	if (width == sizeof(double))
		return place_number_or_null(place, cell);
	result = place_count(place, (1ull << 8 * width) - 1, &whole);
	if (!result && sample_columns[column].offset ==
			       offsetof(struct sample_table, region))
		result = check_region(place, point, (double)whole);
	if (!result)
		*cell = (double)whole;
	return result;
}

static int read_column(
	const struct json_place *up, size_t column, struct point *point)
{
	const struct json_place place =
		place_key(up, sample_columns[column].name);
	struct sample_table *table = &point->samples;
	const bool constant = !json_is_array(place.value);
	size_t row;
	double cell = 0;
	int result = 0;

	if (!constant && json_array_size(place.value) != table->count)
		return place_fail(&place, "must have %zu entries, not %zu",
			table->count, json_array_size(place.value));
	if (constant)
		result = read_cell(&place, point, column, &cell);
	for (row = 0; !result && row < table->count; row++) {
		if (!constant) {
			const struct json_place item = place_index(&place, row);

			result = read_cell(&item, point, column, &cell);
		}
		sample_table_set(table, column, row, cell);
	}
	return result;
}

int series_parse_samples(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "samples");
	const struct json_place count = place_key(&place, "count");
	uint64_t rows = 0;
	size_t column;
	int result;

	if (!place.value)
		return 0;
	result = place_object(&place);
	if (!result)
		result = place_count(&count, SAMPLES_MAX, &rows);
	if (result || !rows)
		return result;
	if (sample_table_reserve(&point->samples, rows))
		return place_no_memory(&place);
	point->samples.count = rows;
	for (column = 0; !result && column < SAMPLE_COLUMNS; column++)
		result = read_column(&place, column, point);
	return result;
}

static int read_span(const struct json_place *place, const struct point *point,
	struct span_row *span)
{
	const struct json_place region = place_key(place, "region");
	const struct json_place repeat = place_key(place, "repeat");
	const struct json_place cycles = place_key(place, "cycles");
	const struct json_place ns = place_key(place, "ns");
	const struct json_place clock = place_key(place, "clock_hz");
	uint64_t whole;
	int result;

	if ((result = place_object(place)) ||
		(result = place_count(&region, UINT32_MAX, &whole)) ||
		(result = check_region(&region, point, (double)whole)))
		return result;
	span->region = (uint32_t)whole;
	if ((result = place_count(&repeat, UINT32_MAX, &whole)))
		return result;
	span->repeat = (uint32_t)whole;
	if ((result = place_number_or_null(&cycles, &span->cycles)) ||
		(result = place_number_or_null(&ns, &span->ns)))
		return result;
	return place_number_or_null(&clock, &span->clock_hz);
}

int series_parse_spans(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "spans");
	size_t count, i;
	int result;

	if (!place.value)
		return 0;
	result = place_array(&place, &count);
	if (result || !count)
		return result;
	point->spans = calloc(count, sizeof(*point->spans));
	if (!point->spans)
		return place_no_memory(&place);
	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		result = read_span(&item, point, &point->spans[i]);
	}
	point->span_count = count;
	return result;
}
