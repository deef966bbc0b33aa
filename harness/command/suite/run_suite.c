#include <stdlib.h>
#include <string.h>

#include "harness/command/suite/run_suite.h"
#include "harness/split/suite.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

static int describe_series(const struct plan *plan, struct split_series *series)
{
	const size_t count = plan->sweep.count;

	series->bench = strdup(plan->name);
	series->axis = strdup(plan->axis);
	series->points = calloc(count + 1, sizeof(*series->points));
	if (!series->bench || !series->axis || !series->points)
		return ERR_FAILED;
	memcpy(series->points, plan->sweep.points,
		count * sizeof(*series->points));
	series->point_count = count;
	return 0;
}

static int describe_row(const struct run_row *row, struct split_row *planned,
	struct error *error)
{
	size_t i;
	int code = run_row_work(row, &planned->work, error);

	if (code)
		return code;
	planned->series =
		calloc(row->plans.count + 1, sizeof(*planned->series));
	if (!planned->series)
		return no_memory(error);
	planned->series_count = row->plans.count;
	for (i = 0; i < row->plans.count; i++)
		if (describe_series(&row->plans.items[i], &planned->series[i]))
			return no_memory(error);
	return 0;
}

static int look_at_row(const char *place, struct split *split, size_t index,
	run_suite_each *each, void *context, struct error *error)
{
	struct split_row *planned = &split->rows[index];
	struct run_row row;
	int code = run_row_make(&row, place, planned, true, NULL, error);

	if (!code)
		code = describe_row(&row, planned, error);
	if (!code && each) {
		code = each(context, &row, index, error);
		if (code)
			error_prefix(error, code, "%s: ", place);
	}
	run_row_free(&row);
	return code;
}

int run_suite_read(const char *path, const struct options_words *more,
	run_suite_each *each, void *context, struct split *split,
	struct error *error)
{
	size_t *lines = NULL, i;
	char place[512];
	int code;

	*split = (struct split){.rows = NULL};
	build_id(split->build);
	code = suite_read(path, (const char *const *)more->items, more->count,
		split, &lines, error);
	for (i = 0; !code && i < split->row_count; i++) {
		if (split_row_is_fit(&split->rows[i]))
			continue;
		snprintf(place, sizeof(place), "%s:%zu",
			strcmp(path, "-") ? path : "standard input", lines[i]);
		code = look_at_row(place, split, i, each, context, error);
	}
	free(lines);
	return code;
}
