#include <math.h>
#include <stdlib.h>

#include "harness/observe/spots.h"
#include "harness/report/compare.h"
#include "harness/series/curve.h"

static double error_percent(double base, double new)
{
	if (base == new)
		return 0;
	return base == 0 ? INFINITY : 100 * (new - base) / fabs(base);
}

static bool in_knee(const struct knee *knees, size_t count, size_t index)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (index >= knees[i].first && index <= knees[i].last)
			return true;
	return false;
}

/* NULL where the curve has a value by interpolation alone. */
static const struct point *point_at(
	const struct series *series, const struct curve *curve, double x)
{
	const size_t found = curve_find(curve, x);

	return found < curve->count && curve->x[found] == x
		       ? &series->points[curve->origin[found]]
		       : NULL;
}

/* Fewer values than this are repeats. */
#define DISTRIBUTION_MIN 100

static int find_distance(const struct point *base, const struct point *new,
	int metric, double *percent)
{
	const struct metric_values *a = point_metric(base, metric);
	const struct metric_values *b = new ? point_metric(new, metric) : NULL;

	double distance;

	*percent = NAN;
	if (!b || a->value_count < DISTRIBUTION_MIN ||
		b->value_count < DISTRIBUTION_MIN)
		return 0;
	if (stats_wasserstein(a->values, a->value_count, b->values,
		    b->value_count, &distance))
		return ERR_FAILED;
	*percent = 100 * distance / stats_mean(a->values, a->value_count);
	return 0;
}

bool compare_row_differs(const struct compare_row *row)
{
	return row->error_low_percent > 0 || row->error_high_percent < 0;
}

/* Of the difference, in the metric's unit; NaN without one. */
static int find_interval(const struct point *base, const struct point *new,
	int metric, double *low, double *high)
{
	const struct metric_values *a = point_metric(base, metric);
	const struct metric_values *b = point_metric(new, metric);

	if (a->value_count && b->value_count)
		return stats_median_difference(a->values, a->value_count,
			b->values, b->value_count, COMPARE_CONFIDENCE, 1, low,
			high);
	*low = b->summary.low - a->summary.high;
	*high = b->summary.high - a->summary.low;
	return 0;
}

static int add_row(const struct point *base, const struct point *new,
	const struct compare_row *row, struct comparison *comparison)
{
	struct compare_row *made = &comparison->rows[comparison->row_count++];
	const int metric = comparison->metric;
	double low, high;

	*made = *row;
	made->ratio = row->base == 0 ? NAN : row->new / row->base;
	made->error_percent = error_percent(row->base, row->new);
	made->base_marks = base->marks;
	made->new_marks = new ? new->marks : 0;
	made->error_low_percent = made->error_high_percent = NAN;
	if (find_distance(base, new, metric, &made->distance_percent))
		return ERR_FAILED;
	if (!new || row->base == 0)
		return 0;
	if (find_interval(base, new, metric, &low, &high))
		return ERR_FAILED;
	made->error_low_percent = 100 * low / fabs(row->base);
	made->error_high_percent = 100 * high / fabs(row->base);
	return 0;
}

static int find_rows(const struct curve *base, const struct curve *new,
	const struct knee *knees, size_t knee_count,
	struct comparison *comparison, struct error *error)
{
	const struct series_pair *pair = &comparison->pair;
	size_t i;

	comparison->rows = calloc(base->count + 1, sizeof(*comparison->rows));
	if (!comparison->rows)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < base->count; i++) {
		struct compare_row row = {.x = base->x[i],
			.base = base->y[i],
			.knee = in_knee(knees, knee_count, i)};

		if (!curve_at(new, row.x, &row.new))
			continue;
		if (add_row(&pair->base->points[base->origin[i]],
			    point_at(pair->new, new, row.x), &row, comparison))
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

/* Points that have no counterpart, those without a value included. */
static size_t count_alone(
	const struct series *series, int metric, const struct curve *other)
{
	size_t count = 0, i;
	double value;

	for (i = 0; i < series->point_count; i++) {
		const struct point *point = &series->points[i];

		count += point->skipped ||
			 !isfinite(point_summary(point, metric)->median) ||
			 !curve_at(other, point->x, &value);
	}
	return count;
}

static void count_missing(
	const struct curve *new, struct comparison *comparison)
{
	const struct series *base = comparison->pair.base;
	size_t i;
	double value;

	for (i = 0; i < base->point_count; i++) {
		const struct point *point = &base->points[i];

		if (point->skipped ||
			!isfinite(point_summary(point, comparison->metric)
					  ->median) ||
			curve_at(new, point->x, &value))
			continue;
		if (!comparison->missing++)
			comparison->first_missing = point;
	}
}

/* Of the rows from one x to another; none without a row. */
static int add_level(struct comparison *comparison, double from_x, double to_x)
{
	struct compare_level *level =
		&comparison->levels[comparison->level_count];
	const size_t most = comparison->row_count;
	double *base = calloc(2 * most + 1, sizeof(*base));
	size_t count = 0, i;

	if (!base)
		return ERR_FAILED;
	for (i = 0; i < most; i++) {
		const struct compare_row *row = &comparison->rows[i];

		if (row->x < from_x || row->x > to_x)
			continue;
		level->from_x = count ? level->from_x : row->x;
		level->to_x = row->x;
		base[count] = row->base;
		base[most + count++] = row->new;
	}
	level->count = count;
	level->base = stats_median(base, count);
	level->new = stats_median(base + most, count);
	level->error_percent = error_percent(level->base, level->new);
	comparison->level_count += count > 0;
	free(base);
	return 0;
}

static int find_levels(const struct curve *base, struct comparison *comparison,
	struct error *error)
{
	struct spots_level levels[KNEES_MAX + 1];
	struct spots spots;
	size_t count, i;
	int code = spots_find(base, &spots);

	if (!code)
		code = spots_levels(&spots, levels, &count);
	for (i = 0; !code && i < count; i++)
		code = add_level(comparison, base->x[levels[i].first],
			base->x[levels[i].last]);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

static int find_errors(const struct comparison *comparison, bool knees_too,
	struct compare_errors *errors, struct error *error)
{
	double *sizes = calloc(comparison->row_count + 1, sizeof(*sizes));
	struct compare_errors found = {0, NAN, NAN, NAN};
	size_t i;

	if (!sizes)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < comparison->row_count; i++) {
		const struct compare_row *row = &comparison->rows[i];
		const double size = fabs(row->error_percent);

		if (row->knee && !knees_too)
			continue;
		if (!found.count || size > found.worst_percent) {
			found.worst_percent = size;
			found.worst_x = row->x;
		}
		sizes[found.count++] = size;
	}
	found.median_percent = stats_median(sizes, found.count);
	free(sizes);
	*errors = found;
	return 0;
}

static int compare_curves(const struct curve *base, const struct curve *new,
	struct comparison *comparison, struct error *error)
{
	struct knee base_knees[KNEES_MAX], new_knees[KNEES_MAX];
	size_t base_count, new_count;
	int result;

	if (curve_knees(base, base_knees, &base_count) ||
		curve_knees(new, new_knees, &new_count))
		return error_set(error, ERR_FAILED, "out of memory");
	comparison->knee_count = compare_knees(base_knees, base_count,
		new_knees, new_count, comparison->knees);
	result =
		find_rows(base, new, base_knees, base_count, comparison, error);
	if (result)
		return result;
	comparison->only_base =
		count_alone(comparison->pair.base, comparison->metric, new);
	comparison->only_new =
		count_alone(comparison->pair.new, comparison->metric, base);
	count_missing(new, comparison);
	result = find_levels(base, comparison, error);
	if (!result)
		result = find_errors(comparison, true, &comparison->all, error);
	if (!result)
		result = find_errors(
			comparison, false, &comparison->flat, error);
	return result;
}

static int choose_metric(
	const struct series_pair *pair, int metric, struct error *error)
{
	const struct series both = {.bench = pair->base->bench,
		.metrics = pair->base->metrics & pair->new->metrics};

	if (metric >= 0 && both.metrics >> metric & 1)
		return metric;
	if (metric >= 0)
		return error_set(error, ERR_USAGE,
			"'%s' has no metric '%s' in both files",
			pair->base->bench, metric_columns[metric]);
	metric = series_primary(&both);
	return metric >= 0 ? metric
			   : error_set(error, ERR_USAGE,
				     "'%s' has no metric in both files",
				     pair->base->bench);
}

int comparison_make(const struct series_pair *pair, int metric,
	struct comparison *comparison, struct error *error)
{
	const int chosen = choose_metric(pair, metric, error);
	struct comparison made = {.pair = *pair, .metric = chosen};
	struct curve base = {0}, new = {0};
	int result;

	if (chosen < 0)
		return chosen;
	if ((result = series_curve(pair->base, chosen, &base, error)) ||
		(result = series_curve(pair->new, chosen, &new, error)) ||
		(result = compare_curves(&base, &new, &made, error)))
		comparison_free(&made);
	else
		*comparison = made;
	curve_free(&base);
	curve_free(&new);
	return result;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->rows);
	*comparison = (struct comparison){0};
}
