#include <stdio.h>
#include <string.h>

#include "harness/command/suite/part_before.h"

/* What the provenance says, if it says it, must be so now. */
static bool same_device(const struct facts *then, const struct facts *now)
{
	static const char *const keys[] = {
		"device.uuid", "cuda.version", "driver.version"};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = facts_find(then, keys[i]);
		const char *b = facts_find(now, keys[i]);

		if (a && b && strcmp(a, b) != 0)
			return false;
	}
	return true;
}

static int take(struct merge_point *from, size_t plan, size_t index,
	struct kept *kept, struct error *error)
{
	const struct kept_point item = {plan, index, false, from->point};
	int code = kept_add(kept, &item, error);

	if (!code)
		from->point = (struct point){0};
	return code;
}

/* Both have their points in the same order. */
static int take_series(struct merge_series *from,
	const struct split_series *planned, const struct plan *plan,
	size_t index, struct kept *kept, struct error *error)
{
	size_t i = 0, k;
	int code = 0;

	for (k = 0; !code && k < planned->point_count && i < plan->sweep.count;
		k++) {
		if (planned->points[k] != plan->sweep.points[i])
			continue;
		if (from->points[k].path && !kept_has(kept, index, i))
			code = take(&from->points[k], index, i, kept, error);
		i++;
	}
	return code;
}

int part_before_take(struct merge *merge, size_t index,
	const struct run_row *row, struct kept *kept, struct error *error)
{
	const struct split_row *planned = &merge->split->rows[index];
	const struct facts *now = &row->opened.items[0].facts;
	const size_t before = kept->count;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < row->plans.count; i++) {
		struct merge_series *from = &merge->rows[index][i];

		if (from->series.bench &&
			same_device(&from->series.provenance, now))
			code = take_series(from, &planned->series[i],
				&row->plans.items[i], i, kept, error);
	}
	if (kept->count > before)
		fprintf(stderr,
			"nearfar: %zu finished points of row '%s' come from "
			"the part's file\n",
			kept->count - before, planned->name);
	return code;
}
