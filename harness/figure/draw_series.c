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

static enum figure_dash dash_of(const struct series *series)
{
	const char *backend = facts_find(&series->provenance, "backend");

	if (backend && !strcmp(backend, "sim"))
		return FIGURE_DASHED;
	return backend && !strcmp(backend, "import") ? FIGURE_DOTTED
						     : FIGURE_SOLID;
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

static int add_line(struct figure_panel *panel, const struct series *series,
	int metric, const char *name, unsigned colour)
{
	const struct point **points =
		calloc(series->point_count + 1, sizeof(*points));
	struct figure_line *line = NULL;
	size_t count = points ? collect(series, metric, points) : 0, i;

	if (points)
		line = figure_add_line(panel, name, count, true);
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
	const struct series **group, struct figure *figure, struct error *error)
{
	const struct series *head = &list->items[first];
	const int metric = series_primary(head);
	struct figure_panel *panel = figure_add(figure, FIGURE_CURVES,
		head->bench, head->axis, metric_columns[metric]);
	struct identity identity;
	size_t count = 0, i;
	int code;

	if (!panel)
		return no_memory(error);
	panel->x_is_bytes = axis_is_bytes(head->axis);
	for (i = first; i < list->count; i++)
		if (goes_with(head, &list->items[i]))
			group[count++] = &list->items[i];
	code = identity_make(group, count, &identity, error);
	for (i = 0; !code && i < count; i++)
		if (add_line(panel, group[i], metric, identity.labels[i],
			    (unsigned)i))
			code = no_memory(error);
	identity_free(&identity);
	return code;
}

int draw_series(const struct series_list *list, struct figure *figure,
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

static int add_errors(const struct comparison *c, struct figure *figure)
{
	struct figure_panel *panel = figure_add(
		figure, FIGURE_CURVES, "", c->pair.base->axis, "error_percent");
	struct figure_line *line;
	size_t i, count = 0;

	if (!panel)
		return ERR_FAILED;
	panel->x_is_bytes = axis_is_bytes(c->pair.base->axis);
	panel->flat = true;
	line = figure_add_line(panel, "error_percent", c->row_count, false);
	if (!line)
		return ERR_FAILED;
	for (i = 0; i < c->row_count; i++) {
		if (!isfinite(c->rows[i].error_percent))
			continue;
		line->x[count] = c->rows[i].x;
		line->y[count++] = c->rows[i].error_percent;
	}
	line->count = count;
	return 0;
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
	struct figure *figure, struct error *error)
{
	const struct comparison *c = &list->items[index];
	const struct series *both[] = {c->pair.base, c->pair.new};
	struct identity identity;
	char *title = title_of(list, index);
	struct figure_panel *panel;
	int code = identity_make(both, 2, &identity, error);

	if (code)
		goto out;
	code = ERR_FAILED;
	panel = title ? figure_add(figure, FIGURE_CURVES, title, both[0]->axis,
				metric_columns[c->metric])
		      : NULL;
	if (panel) {
		panel->x_is_bytes = axis_is_bytes(both[0]->axis);
		code = add_line(panel, both[0], c->metric, identity.labels[0],
			       0) ||
		       add_line(panel, both[1], c->metric, identity.labels[1],
			       1) ||
		       add_errors(c, figure);
	}
	code = code ? no_memory(error) : 0;
out:
	identity_free(&identity);
	free(title);
	return code;
}

int draw_comparisons(const struct comparison_list *list, struct figure *figure,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < list->count; i++)
		code = draw_comparison(list, i, figure, error);
	return code;
}
