#include <stdlib.h>
#include <string.h>

#include "harness/series/curve.h"
#include "harness/series/identity.h"
#include "harness/plot/plot.h"
#include "harness/report/show_plot.h"
#include "harness/base/units.h"

/* The series of one plot. */
struct group {
	const struct series **items;
	struct curve *curves;
	struct plot_curve *plotted;
	struct identity identity;
	size_t count;
};

static bool goes_with(const struct series *a, const struct series *b)
{
	return series_primary(a) == series_primary(b) &&
	       !strcmp(a->axis, b->axis);
}

static bool bench_differs(const struct group *group)
{
	size_t i;

	for (i = 1; i < group->count; i++)
		if (strcmp(group->items[0]->bench, group->items[i]->bench))
			return true;
	return false;
}

static int build_curves(struct group *group, struct error *error)
{
	const int metric = series_primary(group->items[0]);
	size_t i;
	int result = identity_make(
		group->items, group->count, &group->identity, error);

	for (i = 0; !result && i < group->count; i++) {
		struct curve *curve = &group->curves[i];

		result = series_curve(group->items[i], metric, curve, error);
		if (!result)
			group->plotted[i] =
				(struct plot_curve){group->identity.labels[i],
					curve->x, curve->y, curve->count};
	}
	return result;
}

static int plot_group(const struct group *group, FILE *out, struct error *error)
{
	const struct series *first = group->items[0];
	struct plot plot = {.title = bench_differs(group) ? NULL : first->bench,
		.x_name = first->axis,
		.y_name = metric_columns[series_primary(first)],
		.x_is_bytes = axis_is_bytes(first->axis),
		.curves = group->plotted,
		.curve_count = group->count};

	plot_fit(&plot, out);
	fputc('\n', out);
	return plot_put(&plot, out, error);
}

static int group_init(struct group *group, size_t capacity, struct error *error)
{
	group->items = calloc(capacity, sizeof(*group->items));
	group->curves = calloc(capacity, sizeof(*group->curves));
	group->plotted = calloc(capacity, sizeof(*group->plotted));
	if (group->items && group->curves && group->plotted)
		return 0;
	return error_set(error, ERR_FAILED, "out of memory");
}

static void group_free(struct group *group)
{
	size_t i;

	for (i = 0; group->curves && i < group->count; i++)
		curve_free(&group->curves[i]);
	identity_free(&group->identity);
	free(group->items);
	free(group->curves);
	free(group->plotted);
}

/* The first series of a plot collects those after it that go with it. */
static bool is_first(const struct series_list *list, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (goes_with(&list->items[i], &list->items[index]))
			return false;
	return series_primary(&list->items[index]) >= 0;
}

static int show_group(const struct series_list *list, size_t first, FILE *out,
	struct error *error)
{
	struct group group = {0};
	size_t i;
	int result = group_init(&group, list->count, error);

	for (i = first; !result && i < list->count; i++)
		if (goes_with(&list->items[first], &list->items[i]))
			group.items[group.count++] = &list->items[i];
	if (!result)
		result = build_curves(&group, error);
	if (!result)
		result = plot_group(&group, out, error);
	group_free(&group);
	return result;
}

int show_plot(const struct series_list *list, FILE *out, struct error *error)
{
	size_t i;
	int result = 0;

	for (i = 0; !result && i < list->count; i++)
		if (is_first(list, i))
			result = show_group(list, i, out, error);
	return result;
}
