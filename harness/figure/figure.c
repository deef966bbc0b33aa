#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figure/figure.h"

/* A pixel is a 96th of an inch. */
static const struct figure_format formats[] = {
	{"svg", "svg", 1, ""},
	{"png", "pngcairo", 2, ""},
	{"pdf", "pdfcairo", 2.54 / 96, "cm"},
};

const struct figure_format *figure_format_of(const char *path)
{
	size_t length = path ? strlen(path) : 0, i;

	if (length > 3 && !strcmp(path + length - 3, ".gz"))
		length -= 3;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const size_t ending = strlen(formats[i].ending);

		if (length > ending + 1 && path[length - ending - 1] == '.' &&
			!strncmp(path + length - ending, formats[i].ending,
				ending))
			return &formats[i];
	}
	return NULL;
}

struct figure_panel *figure_add(struct figure *figure, enum figure_kind kind,
	const char *title, const char *x_name, const char *y_name)
{
	struct figure_panel *panels = reallocarray(
		figure->panels, figure->count + 1, sizeof(*panels));
	struct figure_panel *panel;

	if (!panels)
		return NULL;
	figure->panels = panels;
	panel = &panels[figure->count++];
	*panel = (struct figure_panel){.kind = kind,
		.title = strdup(title),
		.x_name = strdup(x_name),
		.y_name = strdup(y_name)};
	return panel->title && panel->x_name && panel->y_name ? panel : NULL;
}

struct figure_line *figure_add_line(
	struct figure_panel *panel, const char *name, size_t count, bool band)
{
	struct figure_line *lines = reallocarray(
		panel->lines, panel->line_count + 1, sizeof(*lines));
	struct figure_line *line;

	if (!lines)
		return NULL;
	panel->lines = lines;
	line = &lines[panel->line_count++];
	*line = (struct figure_line){.name = strdup(name),
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

int figure_add_mark(struct figure_panel *panel, double x, unsigned colour,
	const char *format, ...)
{
	struct figure_mark *marks = reallocarray(
		panel->marks, panel->mark_count + 1, sizeof(*marks));
	va_list arguments;
	char *text;
	int length;

	if (!marks)
		return ERR_FAILED;
	panel->marks = marks;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ERR_FAILED;
	marks[panel->mark_count++] = (struct figure_mark){x, text, colour};
	return 0;
}

int figure_set_grid(
	struct figure_panel *panel, size_t rows, size_t columns, bool words)
{
	size_t i;

	panel->rows = rows;
	panel->columns = columns;
	panel->cells = calloc(rows * columns + 1, sizeof(*panel->cells));
	if (words) {
		panel->row_names = calloc(rows + 1, sizeof(char *));
		panel->column_names = calloc(columns + 1, sizeof(char *));
		panel->texts = calloc(rows * columns + 1, sizeof(char *));
	}
	if (!panel->cells ||
		(words && (!panel->row_names || !panel->column_names ||
				  !panel->texts)))
		return ERR_FAILED;
	for (i = 0; i < rows * columns; i++)
		panel->cells[i] = NAN;
	return 0;
}

static void free_words(char **words, size_t count)
{
	size_t i;

	for (i = 0; words && i < count; i++)
		free(words[i]);
	free(words);
}

static void free_panel(struct figure_panel *panel)
{
	size_t i;

	for (i = 0; i < panel->line_count; i++) {
		free(panel->lines[i].name);
		free(panel->lines[i].x);
		free(panel->lines[i].y);
		free(panel->lines[i].low);
		free(panel->lines[i].high);
	}
	for (i = 0; i < panel->mark_count; i++)
		free(panel->marks[i].text);
	free_words(panel->row_names, panel->rows);
	free_words(panel->column_names, panel->columns);
	free_words(panel->texts, panel->rows * panel->columns);
	free(panel->lines);
	free(panel->marks);
	free(panel->cells);
	free(panel->title);
	free(panel->x_name);
	free(panel->y_name);
}

void figure_free(struct figure *figure)
{
	size_t i;

	for (i = 0; i < figure->count; i++)
		free_panel(&figure->panels[i]);
	free(figure->panels);
	*figure = (struct figure){0};
}
