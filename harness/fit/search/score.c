/* How far the model is from the targets; search.h defines the residuals. */
#include <math.h>
#include <stdlib.h>

#include "harness/fit/search/parts.h"

#define HUBER_BEND      3.0
#define DISTANCE_NOISE  0.01
#define RESIDUALS_MAX   (OUTCOME_METRICS + 1) /* of a point */
#define RESIDUAL_ABSENT 30 /* the model gives no number, the target does */

void residuals_free(struct residuals *residuals)
{
	free(residuals->items);
	free(residuals->curve);
	*residuals = (struct residuals){0};
}

/* The number whose half square is Huber's loss of r. */
static double bend(double r)
{
	double size = fabs(r);

	if (size <= HUBER_BEND)
		return r;
	return copysign(sqrt(2 * HUBER_BEND * (size - HUBER_BEND / 2)), r);
}

static double residual_of(int metric, double target, double model, double noise)
{
	double r = metric_is_share(metric) ? (model - target) / noise
					   : log(model / target) / noise;

	return isfinite(r) ? r : RESIDUAL_ABSENT;
}

static void add(struct residuals *r, size_t curve, double value)
{
	r->curve[r->count] = curve;
	r->items[r->count++] = bend(value);
}

size_t residuals_curve(const struct targets *targets, size_t series)
{
	const struct target_series *s = &targets->series[series];

	if (!facts_find(&s->series->provenance, MEASURE_ROW))
		return series;
	while (series && targets->series[series - 1].file == s->file)
		series--;
	return series;
}

static void add_point(const struct search *c, size_t index,
	const struct outcome *model, struct residuals *r)
{
	const struct target_point *p = &c->targets.points[index];
	const struct target_series *s = &c->targets.series[p->series];
	const size_t curve = residuals_curve(&c->targets, p->series);
	size_t i;

	for (i = 0; i < s->metric_count; i++) {
		double target = p->target.field[OUTCOME_METRIC + i];

		if (!isfinite(target) ||
			(target <= 0 && !metric_is_share(s->metrics[i])))
			continue;
		add(r, curve,
			residual_of(s->metrics[i], target,
				model->field[OUTCOME_METRIC + i],
				fmax(p->noise[i], TARGET_NOISE)));
	}
	if (p->distribution && isfinite(model->field[OUTCOME_DISTANCE]))
		add(r, curve, model->field[OUTCOME_DISTANCE] / DISTANCE_NOISE);
}

static void add_points(const struct search *c, const struct point_set *set,
	const struct outcome *models, struct residuals *r)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		add_point(c, set->items[i], &models[i], r);
}

/* Of a point's first metric: how far off the model is, and how well it is
   known. False: the target or the model has no such thing. */
static bool shape_of(const struct target_point *p, const struct outcome *model,
	double *off, double *noise)
{
	*off = log(
		model->field[OUTCOME_METRIC] / p->target.field[OUTCOME_METRIC]);
	*noise = fmax(p->noise[0], SHAPE_NOISE);
	return isfinite(*off);
}

static void add_shape(const struct search *c, const struct point_set *set,
	const struct outcome *models, struct residuals *r)
{
	double sum = 0, weight = 0, off, noise;
	size_t i;

	for (i = 0; i < set->count; i++) {
		const struct target_point *p =
			&c->targets.points[set->items[i]];

		if (!shape_of(p, &models[i], &off, &noise))
			continue;
		sum += off / (noise * noise);
		weight += 1 / (noise * noise);
	}
	for (i = 0; i < set->count; i++) {
		const struct target_point *p =
			&c->targets.points[set->items[i]];

		add(r, residuals_curve(&c->targets, p->series),
			shape_of(p, &models[i], &off, &noise)
				? (off - sum / weight) / noise
				: RESIDUAL_ABSENT);
	}
}

typedef void adder(const struct search *, const struct point_set *,
	const struct outcome *models, struct residuals *);

static int make(struct search *c, const double *values,
	const struct point_set *set, adder *fill, struct residuals *residuals,
	struct error *error)
{
	struct outcome *outcomes = calloc(set->count + 1, sizeof(*outcomes));
	const size_t most = set->count * RESIDUALS_MAX + 1;
	struct residuals r = {
		calloc(most, sizeof(double)), calloc(most, sizeof(size_t)), 0};
	int code = outcomes && r.items && r.curve
			   ? runs_make(c, values, set, outcomes, error)
			   : error_set(error, ERR_FAILED, "out of memory");

	if (!code)
		fill(c, set, outcomes, &r);
	free(outcomes);
	if (code)
		residuals_free(&r);
	else
		*residuals = r;
	return code;
}

int residuals_make(struct search *c, const double *values,
	const struct point_set *set, struct residuals *residuals,
	struct error *error)
{
	return make(c, values, set, add_points, residuals, error);
}

int residuals_shape(struct search *c, const double *values,
	const struct point_set *set, struct residuals *residuals,
	struct error *error)
{
	return make(c, values, set, add_shape, residuals, error);
}

double residuals_sum(const struct residuals *residuals)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < residuals->count; i++)
		sum += residuals->items[i] * residuals->items[i];
	return sum;
}

/* How many of `count` neighbours on a curve are independent. */
static double independent(const double *r, size_t count)
{
	double mean = stats_mean(r, count), products = 0, squares = 0, a;
	size_t i;

	for (i = 0; i < count; i++) {
		squares += (r[i] - mean) * (r[i] - mean);
		if (i)
			products += (r[i] - mean) * (r[i - 1] - mean);
	}
	/* residuals that are less than the noise say nothing of each other */
	a = products / fmax(squares, (double)count);
	if (a <= 0)
		return (double)count;
	return fmax(1, (double)count * (1 - a) / (1 + a));
}

double residuals_rise(const struct residuals *residuals)
{
	double count = (double)residuals->count, effective = 0;
	size_t first = 0, i;

	for (i = 1; i <= residuals->count; i++) {
		if (i < residuals->count &&
			residuals->curve[i] == residuals->curve[first])
			continue;
		effective += independent(&residuals->items[first], i - first);
		first = i;
	}
	if (!(effective > 0))
		return 1;
	return count / effective * fmax(1, residuals_sum(residuals) / count);
}
