/* The first stage: one observable, one parameter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/calibrate/parts.h"
#include "harness/stats/curve.h"

#define POINTS_MAX   3   /* of a plateau, of one series */
#define PLATEAU_FROM 0.5 /* of its points, in the order of x: which */
#define PLATEAU_TO   0.8
#define KNEE_FACTOR  4
#define CLOSE        5e-4 /* relative, of the observable */
#define CLOSE_KNEE   5e-3
#define STEPS_MAX    9
#define FIRST_STEP   0.1  /* of the parameter */
#define DEAF         1e-5 /* an observable that moves less does not depend */

/* ---- which points ---- */

struct part { /* of a series: its training points, ascending in x */
	size_t *points;
	struct curve curve;
	struct knee knees[KNEES_MAX];
	size_t knee_count;
};

static int by_x(const void *a, const void *b, void *points)
{
	const struct target_point *list = points;
	double x = list[*(const size_t *)a].point->x;
	double y = list[*(const size_t *)b].point->x;

	return x < y ? -1 : x > y;
}

static int part_make(const struct calibration *c, size_t series,
	enum outcome_field field, struct part *part)
{
	const struct targets *t = &c->targets;
	size_t i;

	*part = (struct part){0};
	part->points = calloc(t->count + 1, sizeof(*part->points));
	part->curve.x = calloc(t->count + 1, sizeof(double));
	part->curve.y = calloc(t->count + 1, sizeof(double));
	if (!part->points || !part->curve.x || !part->curve.y)
		return ERR_FAILED;
	for (i = 0; i < t->count; i++)
		if (t->points[i].series == series && !t->points[i].held_out &&
			isfinite(t->points[i].target.field[field]))
			part->points[part->curve.count++] = i;
	qsort_r(part->points, part->curve.count, sizeof(*part->points), by_x,
		t->points);
	for (i = 0; i < part->curve.count; i++) {
		const struct target_point *p = &t->points[part->points[i]];

		part->curve.x[i] = p->point->x;
		part->curve.y[i] = p->target.field[field];
	}
	if (part->curve.count > 1)
		part->knee_count = curve_knees(&part->curve, part->knees);
	return 0;
}

static void part_free(struct part *part)
{
	free(part->points);
	curve_free(&part->curve);
}

/* From the indices first .. last of the part. */
static void take_plateau(const struct part *part, size_t first, size_t last,
	struct point_set *set)
{
	const double width = (double)(last - first);
	size_t from = first + (size_t)(PLATEAU_FROM * width);
	size_t to = first + (size_t)(PLATEAU_TO * width);
	size_t count = to - from + 1, i;

	if (count > POINTS_MAX)
		count = POINTS_MAX;
	for (i = 0; i < count; i++)
		set->items[set->count++] =
			part->points[from +
				     (count > 1 ? i * (to - from) / (count - 1)
						: 0)];
}

/* Around the first knee, as far as its parameter may be off: only up to the
   next knee, so that the ends are on either side of the step. */
static void take_knee(const struct part *part, struct point_set *set)
{
	const struct knee *knee = &part->knees[0];
	size_t last = part->knee_count > 1 ? part->knees[1].first
					   : part->curve.count - 1;
	size_t i;

	for (i = 0; part->knee_count && i <= last; i++)
		if (part->curve.x[i] * KNEE_FACTOR >= knee->x &&
			part->curve.x[i] <= knee->x * KNEE_FACTOR)
			set->items[set->count++] = part->points[i];
}

static size_t highest(const struct curve *curve)
{
	size_t best = 0, i;

	for (i = 1; i < curve->count; i++)
		if (curve->y[i] > curve->y[best])
			best = i;
	return best;
}

static void take(const struct part *part, enum spot spot, struct point_set *set)
{
	const size_t count = part->curve.count;
	const struct knee *knees = part->knees;
	size_t i;

	if (!count)
		return;
	switch (spot) {
	case SPOT_FIRST:
		set->items[set->count++] = part->points[0];
		break;
	case SPOT_LAST:
		set->items[set->count++] = part->points[count - 1];
		break;
	case SPOT_HIGHEST:
		set->items[set->count++] = part->points[highest(&part->curve)];
		break;
	case SPOT_ALL:
		for (i = 0; i < count; i++)
			set->items[set->count++] = part->points[i];
		break;
	case SPOT_FIRST_PLATEAU:
		take_plateau(part, 0,
			part->knee_count ? knees[0].first : count - 1, set);
		break;
	case SPOT_LAST_PLATEAU:
		if (part->knee_count)
			take_plateau(part, knees[part->knee_count - 1].last,
				count - 1, set);
		break;
	case SPOT_FIRST_KNEE:
		take_knee(part, set);
		break;
	}
}

int readoff_points(const struct calibration *c, const struct readoff *row,
	struct point_set *set, struct error *error)
{
	const struct targets *t = &c->targets;
	bool knee = false;
	size_t i;
	int code = 0;

	*set = (struct point_set){calloc(t->count + 1, sizeof(size_t)), 0};
	for (i = 0; set->items && !code && i < t->series_count; i++) {
		struct part part;

		if (t->series[i].held_out || knee ||
			!pattern_matches(row->series, t->series[i].series))
			continue;
		code = part_make(c, i, row->field, &part);
		if (!code)
			take(&part, row->spot, set);
		knee = row->spot == SPOT_FIRST_KNEE && set->count;
		part_free(&part);
	}
	if (!set->items || code) {
		point_set_free(set);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

/* ---- the observable ---- */

/* What is compared: a mean over the points, or a knee's place. */
struct sight {
	struct calibration *c;
	const struct readoff *row;
	struct point_set set;
	double level;  /* SPOT_FIRST_KNEE: which crossing is the knee */
	double target; /* the observable there */
	size_t parameter;
	double *values; /* scratch, all parameters */
};

static double field_of(const struct sight *s, const struct outcome *outcome)
{
	double value = outcome->field[s->row->field];

	return s->row->less == s->row->field
		       ? value
		       : value - outcome->field[s->row->less];
}

/* The x where the values cross `level`, between neighbours in log x. */
static double crossing(const struct sight *s, const double *y)
{
	const struct target_point *points = s->c->targets.points;
	size_t i;

	for (i = 0; i + 1 < s->set.count; i++) {
		double x0 = points[s->set.items[i]].point->x;
		double x1 = points[s->set.items[i + 1]].point->x;
		double share = log(s->level / y[i]) / log(y[i + 1] / y[i]);

		if (y[i] != y[i + 1] && share >= 0 && share <= 1)
			return x0 * pow(x1 / x0, share);
	}
	/* Beyond the points, yet on the right side of them. */
	return y[0] > s->level
		       ? points[s->set.items[0]].point->x / 2
		       : points[s->set.items[s->set.count - 1]].point->x * 2;
}

static double observe(const struct sight *s, const struct outcome *outcomes)
{
	double sum = 0, *y;
	size_t i;

	if (s->row->spot != SPOT_FIRST_KNEE) {
		for (i = 0; i < s->set.count; i++)
			sum += field_of(s, &outcomes[i]);
		return sum / (double)s->set.count;
	}
	y = calloc(s->set.count + 1, sizeof(*y));
	for (i = 0; y && i < s->set.count; i++)
		y[i] = field_of(s, &outcomes[i]);
	sum = y ? crossing(s, y) : NAN;
	free(y);
	return sum;
}

static int observe_target(struct sight *s, struct error *error)
{
	struct outcome *outcomes = calloc(s->set.count + 1, sizeof(*outcomes));
	size_t i;

	if (!outcomes)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < s->set.count; i++)
		outcomes[i] = s->c->targets.points[s->set.items[i]].target;
	if (s->set.count)
		s->level = sqrt(field_of(s, &outcomes[0]) *
				field_of(s, &outcomes[s->set.count - 1]));
	s->target = observe(s, outcomes);
	free(outcomes);
	return 0;
}

/* The observable with a parameter's value, less the target's, over that. */
static int miss(
	struct sight *s, double value, double *relative, struct error *error)
{
	struct outcome *outcomes = calloc(s->set.count + 1, sizeof(*outcomes));
	int code;

	if (!outcomes)
		return error_set(error, ERR_FAILED, "out of memory");
	s->values[s->parameter] = value;
	code = runs_make(s->c, s->values, &s->set, outcomes, error);
	if (!code)
		*relative = observe(s, outcomes) / s->target - 1;
	free(outcomes);
	return code;
}

/* ---- the secant ---- */

struct secant {
	double low, high;    /* bounds */
	double x[2], f[2];   /* the last two */
	double below, above; /* values with a miss of either sign; NaN: none */
	double best, best_miss;
};

static void note(struct secant *q, double x, double f)
{
	q->x[0] = q->x[1];
	q->f[0] = q->f[1];
	q->x[1] = x;
	q->f[1] = f;
	*(f < 0 ? &q->below : &q->above) = x;
	if (!(fabs(f) >= fabs(q->best_miss))) {
		q->best = x;
		q->best_miss = f;
	}
}

/* Where the line through the last two meets zero, within what is known. */
static double next_value(const struct secant *q)
{
	double x =
		q->x[1] - q->f[1] * (q->x[1] - q->x[0]) / (q->f[1] - q->f[0]);
	double least = fmin(q->below, q->above);
	double most = fmax(q->below, q->above);

	if (isfinite(q->below) && isfinite(q->above)) {
		double margin = 0.02 * (most - least);

		return x > least + margin && x < most - margin
			       ? x
			       : (least + most) / 2;
	}
	if (!isfinite(x))
		x = q->x[1];
	return fmin(fmax(x, q->low), q->high);
}

/* 0 with q->best; 1 if the observable does not depend on the parameter. */
static int solve(struct sight *s, struct secant *q, struct error *error)
{
	const struct tuned *t = &s->c->tuning.items[s->parameter];
	double start = s->c->values[s->parameter], f, x;
	const double close =
		s->row->spot == SPOT_FIRST_KNEE ? CLOSE_KNEE : CLOSE;
	int steps, code = miss(s, start, &f, error);

	*q = (struct secant){
		t->low, t->high, {NAN, start}, {NAN, f}, NAN, NAN, start, f};
	if (code)
		return code;
	note(q, start, f);
	x = start > 0 ? start * (1 + FIRST_STEP) : 1;
	if (x > q->high)
		x = start * (1 - FIRST_STEP);
	for (steps = 0; steps < STEPS_MAX && fabs(q->best_miss) > close;
		steps++) {
		x = tuning_round(&s->c->tuning, s->values, s->parameter, x);
		if (x == q->x[0] || x == q->x[1] || x < q->low || x > q->high)
			break;
		code = miss(s, x, &f, error);
		if (code)
			return code;
		note(q, x, f);
		if (!(fabs(q->f[1] - q->f[0]) > DEAF))
			return steps ? 0 : 1;
		x = next_value(q);
	}
	return isfinite(q->best_miss) ? 0 : 1;
}

static int apply(struct calibration *c, struct sight *s, struct error *error)
{
	struct tuned *t = &c->tuning.items[s->parameter];
	struct secant q;
	int code = solve(s, &q, error);

	if (code < 0)
		return code;
	if (code)
		return calibrate_note(c,
			"%s: not read off, what it is read off does not "
			"depend on it",
			t->name);
	c->values[s->parameter] = q.best;
	t->origin = ORIGIN_READ_OFF;
	t->from = s->row->series;
	return 0;
}

static int make_row(
	struct calibration *c, const struct readoff *row, struct error *error)
{
	struct sight s = {.c = c, .row = row};
	int parameter = tuning_find(&c->tuning, row->parameter), code;

	if (parameter < 0 || !c->tuning.items[parameter].free)
		return 0;
	s.parameter = (size_t)parameter;
	code = readoff_points(c, row, &s.set, error);
	if (code)
		return code;
	s.values = malloc((c->tuning.count + 1) * sizeof(*s.values));
	if (!s.values) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	memcpy(s.values, c->values, c->tuning.count * sizeof(*s.values));
	if (s.set.count)
		code = observe_target(&s, error);
	if (!code && (!s.set.count || !isfinite(s.target) || s.target == 0))
		code = calibrate_note(c,
			"%s: not read off, the targets do not hold %s",
			row->parameter, row->series);
	else if (!code)
		code = apply(c, &s, error);
out:
	free(s.values);
	point_set_free(&s.set);
	return code;
}

/* ---- the home hash ---- */

int readoffs_make(struct calibration *c, struct error *error)
{
	struct progress progress;
	size_t i;
	int code = 0;

	progress_start(&progress, "read-offs", readoff_count);
	for (i = 0;
		!code && i < readoff_count && !calibrate_late(c, SHARE_STAGES);
		i++) {
		code = make_row(c, &readoffs[i], error);
		progress_step(&progress);
	}
	progress_end(&progress);
	return code;
}
