#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/chart/chart.h"

struct chart *charts_add(struct charts *charts, enum chart_kind kind,
	const char *title, const char *x_name, const char *y_name)
{
	struct chart *items =
		reallocarray(charts->items, charts->count + 1, sizeof(*items));
	struct chart *chart;

	if (!items)
		return NULL;
	charts->items = items;
	chart = &items[charts->count++];
	*chart = (struct chart){.kind = kind,
		.title = strdup(title),
		.x_name = strdup(x_name),
		.y_name = strdup(y_name)};
	return chart->title && chart->x_name && chart->y_name ? chart : NULL;
}

struct chart_line *chart_add_line(
	struct chart *chart, const char *name, size_t count, bool band)
{
	struct chart_line *lines = reallocarray(
		chart->lines, chart->line_count + 1, sizeof(*lines));
	struct chart_line *line;

	if (!lines)
		return NULL;
	chart->lines = lines;
	line = &lines[chart->line_count++];
	*line = (struct chart_line){.name = strdup(name),
		.x = calloc(count + 1, sizeof(double)),
		.y = calloc(count + 1, sizeof(double)),
		.low = band ? calloc(count + 1, sizeof(double)) : NULL,
		.high = band ? calloc(count + 1, sizeof(double)) : NULL,
		.count = count};
	if (!line->name || !line->x || !line->y ||
		(band && (!line->low || !line->high)))
		return NULL;
	return line;
}

int chart_add_mark(
	struct chart *chart, double x, unsigned colour, const char *format, ...)
{
	struct chart_mark *marks = reallocarray(
		chart->marks, chart->mark_count + 1, sizeof(*marks));
	va_list arguments;
	char *text;
	int length;

	if (!marks)
		return ERR_FAILED;
	chart->marks = marks;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ERR_FAILED;
	marks[chart->mark_count++] = (struct chart_mark){x, text, colour};
	return 0;
}

int chart_set_grid(struct chart *chart, size_t rows, size_t columns, bool words)
{
	size_t i;

	chart->rows = rows;
	chart->columns = columns;
	chart->cells = calloc(rows * columns + 1, sizeof(*chart->cells));
	if (words) {
		chart->row_names = calloc(rows + 1, sizeof(char *));
		chart->column_names = calloc(columns + 1, sizeof(char *));
		chart->texts = calloc(rows * columns + 1, sizeof(char *));
	}
	if (!chart->cells ||
		(words && (!chart->row_names || !chart->column_names ||
				  !chart->texts)))
		return ERR_FAILED;
	for (i = 0; i < rows * columns; i++)
		chart->cells[i] = NAN;
	return 0;
}

bool chart_has_something(const struct chart *chart)
{
	size_t i;

	if (chart->rows && chart->columns)
		return true;
	for (i = 0; i < chart->line_count; i++)
		if (chart->lines[i].count)
			return true;
	return false;
}

static void free_words(char **words, size_t count)
{
	size_t i;

	for (i = 0; words && i < count; i++)
		free(words[i]);
	free(words);
}

static void chart_free(struct chart *chart)
{
	size_t i;

	for (i = 0; i < chart->line_count; i++) {
		free(chart->lines[i].name);
		free(chart->lines[i].x);
		free(chart->lines[i].y);
		free(chart->lines[i].low);
		free(chart->lines[i].high);
	}
	for (i = 0; i < chart->mark_count; i++)
		free(chart->marks[i].text);
	free_words(chart->row_names, chart->rows);
	free_words(chart->column_names, chart->columns);
	free_words(chart->texts, chart->rows * chart->columns);
	free(chart->lines);
	free(chart->marks);
	free(chart->cells);
	free(chart->title);
	free(chart->x_name);
	free(chart->y_name);
}

void charts_free(struct charts *charts)
{
	size_t i;

	for (i = 0; i < charts->count; i++)
		chart_free(&charts->items[i]);
	free(charts->items);
	*charts = (struct charts){0};
}
