#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/units.h"
#include "harness/figure/draw.h"
#include "harness/series/identity.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for a figure");
}

static enum chart_dash dash_of(const struct series *series)
{
	const char *backend = facts_find(&series->provenance, "backend");

	if (backend && !strcmp(backend, "sim"))
		return CHART_DASHED;
	return backend && !strcmp(backend, "import") ? CHART_DOTTED
						     : CHART_SOLID;
}

static bool goes_with(const struct series *a, const struct series *b)
{
	return series_primary(a) == series_primary(b) &&
	       !strcmp(a->axis, b->axis);
}

static bool is_first(const struct series_list *list, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (goes_with(&list->items[i], &list->items[index]))
			return false;
	return series_primary(&list->items[index]) >= 0;
}

/* The bench, where all series of a chart are of one. */
static const char *title_of_group(const struct series **group, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (strcmp(group[0]->bench, group[i]->bench))
			return "";
	return group[0]->bench;
}

/* Points that are skipped or have no number are left out; the others are
   drawn in the order of their x. */
static size_t collect(
	const struct series *series, int metric, const struct point **points)
{
	size_t count = 0, i, k;

	for (i = 0; i < series->point_count; i++) {
		const struct point *point = &series->points[i];

		if (point->skipped || !isfinite(point->x) ||
			!isfinite(point_summary(point, metric)->median))
			continue;
		for (k = count; k > 0 && points[k - 1]->x > point->x; k--)
			points[k] = points[k - 1];
		points[k] = point;
		count++;
	}
	return count;
}

int draw_line(struct chart *panel, const struct series *series, int metric,
	const char *name, unsigned colour)
{
	const struct point **points =
		calloc(series->point_count + 1, sizeof(*points));
	struct chart_line *line = NULL;
	size_t count = points ? collect(series, metric, points) : 0, i;

	if (points)
		line = chart_add_line(panel, name, count, true);
	for (i = 0; line && i < count; i++) {
		const struct summary *summary =
			point_summary(points[i], metric);

		line->x[i] = points[i]->x;
		line->y[i] = summary->median;
		line->low[i] =
			isfinite(summary->low) ? summary->low : summary->median;
		line->high[i] = isfinite(summary->high) ? summary->high
							: summary->median;
	}
	free(points);
	if (!line)
		return ERR_FAILED;
	line->colour = colour;
	line->dash = dash_of(series);
	return 0;
}

static int draw_group(const struct series_list *list, size_t first,
	const struct series **group, struct charts *figure, struct error *error)
{
	const struct series *head = &list->items[first];
	const int metric = series_primary(head);
	struct chart *panel;
	struct identity identity;
	size_t count = 0, i;
	int code;

	for (i = first; i < list->count; i++)
		if (goes_with(head, &list->items[i]))
			group[count++] = &list->items[i];
	panel = charts_add(figure, CHART_CURVES, title_of_group(group, count),
		head->axis, metric_columns[metric]);
	if (!panel)
		return no_memory(error);
	panel->x_is_bytes = axis_is_bytes(head->axis);
	code = identity_make(group, count, &identity, error);
	for (i = 0; !code && i < count; i++)
		if (draw_line(panel, group[i], metric, identity.labels[i],
			    (unsigned)i))
			code = no_memory(error);
	identity_free(&identity);
	return code;
}

int draw_series(const struct series_list *list, struct charts *figure,
	struct error *error)
{
	const struct series **group =
		calloc(list->count + 1, sizeof(struct series *));
	size_t i;
	int code = group ? 0 : no_memory(error);

	for (i = 0; !code && i < list->count; i++)
		if (is_first(list, i))
			code = draw_group(list, i, group, figure, error);
	free(group);
	return code;
}

/* ---- comparisons ---- */

struct chart *draw_errors(struct charts *charts, const char *axis)
{
	struct chart *chart =
		charts_add(charts, CHART_CURVES, "", axis, "error_percent");

	if (chart) {
		chart->x_is_bytes = axis_is_bytes(axis);
		chart->flat = true;
	}
	return chart;
}

int draw_error(struct chart *chart, const struct comparison *c,
	const char *name, unsigned colour)
{
	struct chart_line *line =
		chart_add_line(chart, name, c->row_count, false);
	size_t i, count = 0;

	if (!line)
		return ERR_FAILED;
	for (i = 0; i < c->row_count; i++) {
		if (!isfinite(c->rows[i].error_percent))
			continue;
		line->x[count] = c->rows[i].x;
		line->y[count++] = c->rows[i].error_percent;
	}
	line->count = count;
	line->colour = colour;
	return 0;
}

static int add_errors(const struct comparison *c, struct charts *figure)
{
	struct chart *panel = draw_errors(figure, c->pair.base->axis);

	return panel ? draw_error(panel, c, "error_percent", 0) : ERR_FAILED;
}

static char *title_of(const struct comparison_list *list, size_t index)
{
	char *title = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&title, &bytes);

	if (!out)
		return NULL;
	identity_put_title(&list->identity, index,
		list->items[index].pair.base->bench, out);
	if (!fclose(out))
		return title;
	free(title);
	return NULL;
}

static int draw_comparison(const struct comparison_list *list, size_t index,
	struct charts *figure, struct error *error)
{
	const struct comparison *c = &list->items[index];
	const struct series *both[] = {c->pair.base, c->pair.new};
	struct identity identity;
	char *title = title_of(list, index);
	struct chart *panel;
	int code = identity_make(both, 2, &identity, error);

	if (code)
		goto out;
	code = ERR_FAILED;
	panel = title ? charts_add(figure, CHART_CURVES, title, both[0]->axis,
				metric_columns[c->metric])
		      : NULL;
	if (panel) {
		panel->x_is_bytes = axis_is_bytes(both[0]->axis);
		code = draw_line(panel, both[0], c->metric, identity.labels[0],
			       0) ||
		       draw_line(panel, both[1], c->metric, identity.labels[1],
			       1) ||
		       add_errors(c, figure);
	}
	code = code ? no_memory(error) : 0;
out:
	identity_free(&identity);
	free(title);
	return code;
}

int draw_comparisons(const struct comparison_list *list, struct charts *figure,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < list->count; i++)
		code = draw_comparison(list, i, figure, error);
	return code;
}
