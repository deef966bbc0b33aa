/* Series and what is made of them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/text.h"
#include "harness/report/compare.h"
#include "harness/figure/draw.h"
#include "harness/report/table.h"
#include "harness/series/io.h"
#include "harness/judge/mark_gate.h"
#include "harness/series/sample_sets.h"
#include "tests/fuzz/target.h"

/* Text for people holds no control characters but line ends. */
static void check_clean(const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n') ||
			text[i] == 0x7f)
			fuzz_fail(text);
}

struct written {
	FILE *stream;
	char *text;
	size_t bytes;
};

static void begin(struct written *w)
{
	*w = (struct written){0};
	w->stream = open_memstream(&w->text, &w->bytes);
	if (!w->stream)
		fuzz_fail("no memory for the text");
}

/* Closes and frees it. */
static void expect_clean(struct written *w)
{
	fclose(w->stream);
	check_clean(w->text, w->bytes);
	free(w->text);
}

static bool read(const struct input *input, struct series_list *list)
{
	struct error error = {""};

	if (!series_read(input->path, list, &error))
		return true;
	fuzz_refused(&error);
	return false;
}

/* JSON that was read and written is read, and written the same again. */
static void check_json(const struct series_list *list)
{
	struct series_list again = {0};
	struct written first, second;
	struct content content = {.source = "again"};
	struct error error = {""};

	begin(&first);
	series_write(list, FORMAT_JSON, first.stream, &error);
	fclose(first.stream);
	content.text = first.text;
	content.bytes = content.packed_bytes = first.bytes;
	if (series_parse(&content, &again, &error))
		fuzz_fail(error.text);
	begin(&second);
	series_write(&again, FORMAT_JSON, second.stream, &error);
	fclose(second.stream);
	if (strcmp(first.text, second.text) != 0)
		fuzz_fail("series do not round-trip");
	free(first.text);
	free(second.text);
	series_list_free(&again);
}

void fuzz_series(const struct input *input)
{
	struct series_list list = {0};
	struct error error = {""};
	struct written w;
	enum series_format format;

	if (!read(input, &list))
		return;
	for (format = 0; format < FORMAT_COUNT; format++) {
		begin(&w);
		series_write(&list, format, w.stream, &error);
		if (format == FORMAT_TABLE || format == FORMAT_MD ||
			format == FORMAT_TEX) {
			expect_clean(&w);
			continue;
		}
		fclose(w.stream);
		free(w.text);
	}
	check_json(&list);
	if (marks_gate(&list, &error))
		fuzz_refused(&error);
	series_list_free(&list);
}

static void put_tables(const struct series_list *list, const char *columns)
{
	const struct table_layout layout = {.metric = -1, .columns = columns};
	struct table_list tables;
	struct error error = {""};
	struct written w;
	size_t i;

	if (table_list_make(
		    list, columns ? NULL : list, &layout, &tables, &error)) {
		fuzz_refused(&error);
		return;
	}
	begin(&w);
	table_list_put(&tables, FORMAT_MD, w.stream, &error);
	for (i = 0; i < tables.count; i++)
		if (table_merge(&tables.items[i], &error))
			fuzz_refused(&error);
	table_list_put(&tables, FORMAT_TABLE, w.stream, &error);
	expect_clean(&w);
	begin(&w);
	table_list_put(&tables, FORMAT_CSV, w.stream, &error);
	fclose(w.stream);
	free(w.text);
	table_list_free(&tables);
}

static void put_comparison(const struct series_list *list)
{
	static const enum series_format formats[] = {
		FORMAT_TABLE, FORMAT_MD, FORMAT_CSV, FORMAT_JSON};
	struct comparison_list made;
	struct error error = {""};
	struct written w;
	size_t i;

	if (comparison_list_make(list, list, -1, &made, &error)) {
		fuzz_refused(&error);
		return;
	}
	for (i = 0; i < 4; i++) {
		begin(&w);
		comparison_list_put(&made, NULL, formats[i], w.stream, &error);
		if (i < 2) {
			expect_clean(&w);
			continue;
		}
		fclose(w.stream);
		free(w.text);
	}
	comparison_list_free(&made);
}

void fuzz_table(const struct input *input)
{
	struct series_list list = {0};

	if (!read(input, &list))
		return;
	put_tables(&list, NULL);
	if (list.count && list.items[0].options.count)
		put_tables(&list, list.items[0].options.items[0].key);
	put_comparison(&list);
	series_list_free(&list);
}

void fuzz_plot(const struct input *input)
{
	struct series_list list = {0};
	struct error error = {""};
	struct written w;

	if (!read(input, &list))
		return;
	begin(&w);
	if (draw_in_terminal(&list, w.stream, &error))
		fuzz_refused(&error);
	expect_clean(&w);
	series_list_free(&list);
}

void fuzz_map(const struct input *input)
{
	struct series_list list = {0};
	size_t i, k;

	if (!read(input, &list))
		return;
	for (i = 0; i < list.count; i++)
		for (k = 0; k < list.items[i].point_count; k++) {
			struct error error = {""};
			struct written w;
			struct map map;

			if (map_make(&list.items[i].points[k], 0, &map,
				    &error)) {
				fuzz_refused(&error);
				continue;
			}
			begin(&w);
			map_put_table(&map, w.stream);
			expect_clean(&w);
			json_decref(map_json(&map));
			map_free(&map);
		}
	series_list_free(&list);
}

void fuzz_samples(const struct input *input)
{
	struct sample_sets sets = {0};
	struct error error = {""};

	if (sample_sets_read(input->path, NULL, &sets, &error))
		fuzz_refused(&error);
	else
		sample_sets_free(&sets);
}
