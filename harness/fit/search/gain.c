/* What a fit gains: the errors of every point before and after it, and what
   those say that were held out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

/* ---- the errors of every point ---- */

static void add_errors(const struct search *c, size_t index,
	const struct outcome *model, struct point_errors *errors)
{
	const struct target_point *p = &c->targets.points[index];
	const struct target_series *s = &c->targets.series[p->series];
	size_t i;

	for (i = 0; i < s->metric_count; i++) {
		double target = p->target.field[OUTCOME_METRIC + i];
		double found = model->field[OUTCOME_METRIC + i];

		if (!isfinite(target) || !isfinite(found))
			continue;
		errors->items[errors->count++] = (struct point_error){index,
			s->metrics[i], target, found,
			100 * (metric_is_share(s->metrics[i])
					      ? found - target
					      : found / target - 1)};
	}
	if (p->distribution && isfinite(model->field[OUTCOME_DISTANCE]))
		errors->items[errors->count++] = (struct point_error){index, -1,
			0, model->field[OUTCOME_DISTANCE],
			100 * model->field[OUTCOME_DISTANCE]};
}

int point_errors_make(struct search *c, const double *values, const char *what,
	struct point_errors *errors, struct error *error)
{
	const size_t count = c->targets.count;
	struct point_set set = {calloc(count + 1, sizeof(size_t)), count};
	struct outcome *outcomes = calloc(count + 1, sizeof(*outcomes));
	struct progress progress;
	size_t i;
	int code;

	errors->items = calloc(
		(OUTCOME_METRICS + 1) * count + 1, sizeof(*errors->items));
	if (!set.items || !outcomes || !errors->items) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	for (i = 0; i < count; i++)
		set.items[i] = i;
	progress_start(&progress, what, count);
	c->progress = &progress;
	code = runs_make(c, values, &set, outcomes, error);
	c->progress = NULL;
	progress_end(&progress);
	for (i = 0; !code && i < count; i++)
		add_errors(c, i, &outcomes[i], errors);
out:
	free(outcomes);
	point_set_free(&set);
	return code;
}

void point_errors_free(struct point_errors *errors)
{
	free(errors->items);
	*errors = (struct point_errors){0};
}

/* ---- whether the fit is worth its values ---- */

/* Of the points that are held out: half, and the worst of them. */
struct extent {
	size_t count;
	double median, worst;
};

static int extent_of(const struct search *c, const struct point_errors *errors,
	struct extent *extent)
{
	double *sizes = calloc(errors->count + 1, sizeof(*sizes));
	size_t i;

	if (!sizes)
		return ERR_FAILED;
	*extent = (struct extent){0, NAN, NAN};
	for (i = 0; i < errors->count; i++)
		if (c->targets.points[errors->items[i].point].held_out)
			sizes[extent->count++] = fabs(errors->items[i].percent);
	stats_sort(sizes, extent->count);
	if (extent->count) {
		extent->median = stats_quantile(sizes, extent->count, 0.5);
		extent->worst = sizes[extent->count - 1];
	}
	free(sizes);
	return 0;
}

/* All points are run by now, so that this runs none. `count` of residuals. */
static int objective(struct search *c, const double *values, double *sum,
	size_t *count, struct error *error)
{
	struct point_set set = {
		calloc(c->targets.count + 1, sizeof(*set.items)), 0};
	struct residuals residuals = {0};
	size_t i;
	int code;

	if (!set.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < c->targets.count; i++)
		if (c->targets.points[i].held_out)
			set.items[set.count++] = i;
	code = residuals_make(c, values, &set, &residuals, error);
	if (!code)
		*sum = residuals_sum(&residuals);
	*count = residuals.count;
	residuals_free(&residuals);
	point_set_free(&set);
	return code;
}

static int tell(struct search *c)
{
	struct extent before, after;

	if (extent_of(c, &c->before, &before) ||
		extent_of(c, &c->after, &after))
		return ERR_FAILED;
	return search_note(c,
		"no gain on what was held out: median %.1f %% and worst %.1f "
		"%% before, %.1f and %.1f after the fit; the values of %s stay",
		before.median, before.worst, after.median, after.worst,
		c->machine);
}

static int take_back(struct search *c, const double *start, struct error *error)
{
	const size_t bytes = c->before.count * sizeof(*c->before.items);
	struct point_error *items = malloc(bytes + 1);
	size_t i;

	if (!items || tell(c)) {
		free(items);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	memcpy(items, c->before.items, bytes);
	point_errors_free(&c->after);
	c->after = (struct point_errors){items, c->before.count};
	for (i = 0; i < c->tuning.count; i++) {
		c->values[i] = start[i];
		c->tuning.items[i].origin = ORIGIN_START;
		c->tuning.items[i].from = NULL;
	}
	c->no_gain = true;
	return 0;
}

int gain_check(struct search *c, const double *start, struct error *error)
{
	double before = 0, after = 0;
	size_t i, count = 0, moved = 0;
	int code;

	for (i = 0; i < c->tuning.count; i++)
		moved += c->values[i] != start[i];
	if (!moved)
		return 0;
	code = objective(c, start, &before, &count, error);
	if (!code)
		code = objective(c, c->values, &after, &count, error);
	/* within the noise of its points nothing speaks against the fit */
	if (code || after < before || after <= (double)count)
		return code;
	return take_back(c, start, error);
}
