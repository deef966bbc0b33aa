/* The first stage: one observable, one parameter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

#define CLOSE        5e-4 /* relative, of the observable */
#define CLOSE_ROUNDS 1e-3 /* where there are further rounds */
#define CLOSE_KNEE   5e-3
#define KNEE_MOST    0.2 /* a knee further off is none of the parameter's */
#define STEPS_MAX    9
#define FIRST_STEP   0.1 /* of the parameter */
#define LEAST_STEP   0.02
#define STEP_FACTOR  2 /* at most, by the slope of the round before */
#define OTHER_WAYS   2 /* steps down where a step up moves nothing */
#define OTHER_STEP   0.2
#define DEAF         1e-5 /* an observable that moves less does not depend */
#define NOISE        5e-3 /* what a start that is close by is left within */
#define SETTLED      2e-3 /* and what was read off in the round before */
#define MET          2e-2 /* further off, the row is of something else */

/* ---- the observable ---- */

/* What is compared: a mean over the points, or a knee's place. */
struct sight {
	struct search *c;
	const struct readoff *row;
	struct point_set set;
	size_t subtracted; /* of the set, the last ones */
	double level;      /* SPOT_FIRST_KNEE: which crossing is the knee */
	double target;     /* the observable there */
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

static double mean_of(const struct sight *s, const struct outcome *outcomes,
	size_t first, size_t end)
{
	double sum = 0;
	size_t i;

	for (i = first; i < end; i++)
		sum += field_of(s, &outcomes[i]);
	return sum / (double)(end - first);
}

static double observe(const struct sight *s, const struct outcome *outcomes)
{
	const size_t own = s->set.count - s->subtracted;
	double sum, *y;
	size_t i;

	if (s->row->spot != SPOT_FIRST_KNEE) {
		sum = mean_of(s, outcomes, 0, own);
		return s->subtracted
			       ? sum - mean_of(s, outcomes, own, s->set.count)
			       : sum;
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

static double close_of(const struct sight *s)
{
	if (s->row->spot == SPOT_FIRST_KNEE)
		return CLOSE_KNEE;
	return s->c->config->rounds ? CLOSE_ROUNDS : CLOSE;
}

/* The second value: by the slope, if a round before has found it; else a step
   that grows with the miss. */
static double second_value(
	const struct sight *s, const struct secant *q, double start, double f)
{
	const struct tuned *t = &s->c->tuning.items[s->parameter];
	double step = FIRST_STEP, by_slope;

	if (!(start > 0))
		return 1;
	if (s->c->config->rounds && isfinite(t->slope)) {
		by_slope = pow(1 + f, -1 / t->slope);
		return start *
		       fmin(fmax(by_slope, 1.0 / STEP_FACTOR), STEP_FACTOR);
	}
	if (s->c->config->rounds)
		step = fmin(fmax(2 * fabs(f), LEAST_STEP), FIRST_STEP);
	return start * (1 + (start * (1 + step) > q->high ? -step : step));
}

/* By how many percent the observable moves with one of the parameter. */
static void note_slope(struct sight *s, const struct secant *q)
{
	struct tuned *t = &s->c->tuning.items[s->parameter];
	const double slope =
		log((1 + q->f[1]) / (1 + q->f[0])) / log(q->x[1] / q->x[0]);

	if (isfinite(slope) && slope != 0)
		t->slope = slope;
}

/* 0 with q->best; 1 if the observable does not depend on the parameter. */
static int solve(struct sight *s, struct secant *q, struct error *error)
{
	const struct tuned *t = &s->c->tuning.items[s->parameter];
	double start = s->c->values[s->parameter], f = NAN, x;
	const double close = close_of(s);
	bool heard = false; /* the observable has moved */
	int steps, code = miss(s, start, &f, error);

	*q = (struct secant){
		t->low, t->high, {NAN, start}, {NAN, f}, NAN, NAN, start, f};
	if (code)
		return code;
	note(q, start, f);
	x = second_value(s, q, start, f);
	for (steps = 0; steps < STEPS_MAX && fabs(q->best_miss) > close;
		steps++) {
		x = tuning_round(&s->c->tuning, s->values, s->parameter, x);
		if (x == q->x[0] || x == q->x[1] || x < q->low || x > q->high)
			break;
		code = miss(s, x, &f, error);
		if (code)
			return code;
		note(q, x, f);
		note_slope(s, q);
		if (fabs(q->f[1] - q->f[0]) > DEAF)
			x = next_value(q);
		else if (heard) /* as close as its grain lets it come */
			break;
		else if (steps < OTHER_WAYS && x > start / 2)
			x = start * (1 - (steps + 1) * OTHER_STEP);
		else
			return 1;
		heard = heard || fabs(q->f[1] - q->f[0]) > DEAF;
	}
	return isfinite(q->best_miss) ? 0 : 1;
}

/* A value that gives what was measured within the noise is not moved by it,
   where there are further rounds to come back. */
static int is_met(struct sight *s, bool *met, struct error *error)
{
	const struct tuned *t = &s->c->tuning.items[s->parameter];
	double off = NAN;
	int code = 0;

	*met = false;
	if (s->c->config->rounds && s->row->spot != SPOT_FIRST_KNEE) {
		code = miss(s, s->c->values[s->parameter], &off, error);
		*met = !code &&
		       fabs(off) <
			       (t->origin == ORIGIN_START ? NOISE : SETTLED);
	}
	return code;
}

/* A rate, or how much may be under way: more than is needed is not seen. */
static bool is_limit(const struct tuned *t)
{
	return !strcmp(t->unit, "bytes/cycle") || !strcmp(t->unit, "bytes/s") ||
	       !strcmp(t->name, "sm_inflight_sectors");
}

/* A row that is met within the noise with a limit at the end of its range, and
   with half of that, is bound by something else, and says nothing of it. */
static int is_needed(struct sight *s, bool *needed, struct error *error)
{
	const struct tuned *t = &s->c->tuning.items[s->parameter];
	double share, off = NAN;
	int code = 0;

	*needed = true;
	if (!s->c->config->rounds || !is_limit(t))
		return 0;
	*needed = false;
	for (share = 1; !code && !*needed && share > 0.4; share /= 2) {
		code = miss(s, share * t->high, &off, error);
		*needed = code || !(fabs(off) < TARGET_NOISE);
	}
	return code == ERR_USAGE ? 0 : code;
}

/* Latencies are counted in whole cycles, and so are their differences, which
   may be of a few only. */
static bool is_close(const struct sight *s, double off)
{
	const bool difference = s->subtracted || s->row->less != s->row->field;

	return fabs(off) <= MET || (difference && fabs(off * s->target) <= 1);
}

static int apply(
	struct search *c, struct sight *s, unsigned round, struct error *error)
{
	struct tuned *t = &c->tuning.items[s->parameter];
	struct secant q;
	bool met, needed = true;
	int code = is_met(s, &met, error);

	if (!code && !(met && t->origin == ORIGIN_START))
		code = is_needed(s, &needed, error);
	if (code)
		return code;
	t->needless = !needed;
	if (t->needless) { /* whatever was read off in a round before */
		c->values[s->parameter] = t->start;
		t->origin = ORIGIN_START;
	}
	if (met || t->needless)
		return 0;
	code = solve(s, &q, error);
	if (code < 0)
		return code;
	if (code)
		return round ? 0
			     : search_note(c,
				       "%s: not read off, what it is read off "
				       "does not depend on it",
				       t->name);
	if (s->row->spot == SPOT_FIRST_KNEE && fabs(q.best_miss) > KNEE_MOST)
		return search_note(c,
			"%s: not read off, no value has the model's knee where "
			"the targets have theirs",
			t->name);
	t->unmet = c->config->rounds &&
		   (!is_close(s, q.best_miss) || q.best <= t->low ||
			   q.best >= t->high);
	if (t->unmet)
		return 0;
	c->values[s->parameter] = q.best;
	t->origin = ORIGIN_READ_OFF;
	t->from = s->row->series;
	return 0;
}

static int look(struct sight *s, unsigned round, struct error *error)
{
	struct search *c = s->c;
	int code;

	s->values = malloc((c->tuning.count + 1) * sizeof(*s->values));
	if (!s->values)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(s->values, c->values, c->tuning.count * sizeof(*s->values));
	code = observe_target(s, error);
	if (!code && isfinite(s->target) && s->target != 0)
		code = apply(c, s, round, error);
	free(s->values);
	return code;
}

static int make_row(struct search *c, const struct readoff *row, unsigned round,
	struct error *error)
{
	struct sight s = {.c = c};
	int parameter = tuning_find(&c->tuning, row->parameter), code;

	/* Its first row stands for all of a parameter. */
	if (parameter < 0 || !c->tuning.items[parameter].free ||
		row != readoff_of(row->parameter))
		return 0;
	s.parameter = (size_t)parameter;
	code = readoff_here(
		c, row->parameter, &s.row, &s.set, &s.subtracted, error);
	if (!code && s.row)
		code = look(&s, round, error);
	else if (!code && !round && c->config->free_count)
		code = search_note(c,
			"%s: not read off, the targets do not hold %s",
			row->parameter, row->series);
	point_set_free(&s.set);
	return code;
}

int readoffs_make(struct search *c, unsigned round, struct error *error)
{
	struct progress progress;
	size_t i;
	int code = 0;

	progress_start(&progress, "read-offs", readoff_count);
	for (i = 0; !code && i < readoff_count && !search_late(c, SHARE_STAGES);
		i++) {
		code = make_row(c, &readoffs[i], round, error);
		progress_step(&progress);
	}
	progress_end(&progress);
	return code;
}
