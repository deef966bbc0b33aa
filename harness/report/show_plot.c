#include <stdlib.h>
#include <string.h>

#include "harness/series/curve.h"
#include "harness/report/plot.h"
#include "harness/report/show_plot.h"
#include "harness/base/units.h"

/* The series of one plot. */
struct group {
	const struct series **items;
	struct curve *curves;
	struct plot_curve *plotted;
	char **names;
	size_t count;
};

static bool goes_with(const struct series *a, const struct series *b)
{
	return series_primary(a) == series_primary(b) &&
	       !strcmp(a->axis, b->axis);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool option_differs(const struct group *group, const char *key)
{
	const char *first = facts_find(&group->items[0]->options, key);
	size_t i;

	for (i = 1; i < group->count; i++)
		if (!same_text(
			    first, facts_find(&group->items[i]->options, key)))
			return true;
	return false;
}

static bool bench_differs(const struct group *group)
{
	size_t i;

	for (i = 1; i < group->count; i++)
		if (strcmp(group->items[0]->bench, group->items[i]->bench))
			return true;
	return false;
}

static bool fact_differs(const struct group *group, const char *key)
{
	const char *first = facts_find(&group->items[0]->provenance, key);
	size_t i;

	for (i = 1; i < group->count; i++)
		if (!same_text(first,
			    facts_find(&group->items[i]->provenance, key)))
			return true;
	return false;
}

static void put_name(const struct group *group, size_t index, FILE *out)
{
	static const char *const facts[] = {
		"backend", "machine", "device.name", "seed"};
	const struct series *series = group->items[index];
	size_t i;

	fprintf(out, "%s", series->bench);
	for (i = 0; i < series->options.count; i++) {
		const struct fact *option = &series->options.items[i];

		if (!bench_differs(group) && option_differs(group, option->key))
			fprintf(out, " %s=%s", option->key, option->value);
	}
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = facts_find(&series->provenance, facts[i]);

		if (value && fact_differs(group, facts[i]))
			fprintf(out, ", %s", value);
	}
}

static char *make_name(const struct group *group, size_t index)
{
	char *name = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&name, &bytes);

	if (!stream)
		return NULL;
	put_name(group, index, stream);
	if (!fclose(stream))
		return name;
	free(name);
	return NULL;
}

static int build_curves(struct group *group, struct error *error)
{
	const int metric = series_primary(group->items[0]);
	size_t i;
	int result;

	for (i = 0; i < group->count; i++) {
		struct curve *curve = &group->curves[i];

		result = series_curve(group->items[i], metric, curve, error);
		if (result)
			return result;
		group->names[i] = make_name(group, i);
		if (!group->names[i])
			return error_set(error, ERR_FAILED, "out of memory");
		group->plotted[i] = (struct plot_curve){
			group->names[i], curve->x, curve->y, curve->count};
	}
	return 0;
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
	group->names = calloc(capacity, sizeof(*group->names));
	if (group->items && group->curves && group->plotted && group->names)
		return 0;
	return error_set(error, ERR_FAILED, "out of memory");
}

static void group_free(struct group *group)
{
	size_t i;

	for (i = 0; i < group->count; i++) {
		if (group->curves)
			curve_free(&group->curves[i]);
		if (group->names)
			free(group->names[i]);
	}
	free(group->items);
	free(group->curves);
	free(group->plotted);
	free(group->names);
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
