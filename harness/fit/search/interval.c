/* How well each free parameter is known; search.h defines the interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/stats/matrix.h"

#define PARAMETERS_MAX 16
#define FIRST_SHARE    0.02 /* the first step, of the value */
#define GROWTH         8
#define STEPS_MAX      6   /* evaluations of one side */
#define STEPS_ROUNDS   3   /* the same where a slope is known */
#define FIRST_FACTOR   1.1 /* of the step that the slope gives */
#define NEAR_ENOUGH    1.3 /* ratio of the steps around an end */
#define RIDGE                                                                  \
	1e-4 /* of the correlations: caps what they widen at                   \
		about a hundred times */

enum { DOWN, UP };

/* One parameter: how far to either side, and what the residuals did there. */
struct profile {
	size_t parameter;
	double reach[2]; /* distance of the ends */
	bool open[2];    /* the bound came first */
	double step[2];
	struct residuals residuals[2];
	double *slope; /* by residual; NULL: none */
	bool judged;
};

struct profiles {
	struct search *c;
	struct point_set set;
	struct residuals best;
	double least, rise;
	double *values; /* scratch, all parameters */
	struct profile items[PARAMETERS_MAX];
	size_t count;
	double until_s; /* no further parameter begins later */
	struct error *error;
};

/* ---- one side ---- */

struct side {
	double in, in_rise;   /* the widest step with a smaller rise */
	double out, out_rise; /* the narrowest with a larger one; NaN: none */
	double limit;         /* of the step, by the bound */
};

/* The rise of the objective a step away; infinite where the model refuses. */
static int rise_at(struct profiles *p, struct profile *q, int side, double step,
	double *rise)
{
	struct search *c = p->c;
	double value = c->values[q->parameter];
	int code;

	p->values[q->parameter] = value + (side == UP ? step : -step);
	residuals_free(&q->residuals[side]);
	code = residuals_make(
		c, p->values, &p->set, &q->residuals[side], p->error);
	p->values[q->parameter] = value;
	if (code && code != ERR_USAGE)
		return code;
	*rise = code ? INFINITY : residuals_sum(&q->residuals[side]) - p->least;
	q->step[side] = step;
	return 0;
}

/* The step at which the rise would be what is wanted, were it a parabola. */
static double guess(const struct side *s, double wanted)
{
	double in2 = s->in * s->in, out2 = s->out * s->out;

	if (isfinite(s->out) && isfinite(s->out_rise))
		return sqrt(in2 + (out2 - in2) * (wanted - s->in_rise) /
					  (s->out_rise - s->in_rise));
	if (isfinite(s->out))
		return (s->in + s->out) / 2;
	if (s->in_rise > 0)
		return s->in * fmin(sqrt(wanted / s->in_rise), GROWTH);
	return s->in * GROWTH;
}

/* A step that lands on a value which machine files can say. */
static double round_step(const struct profiles *p, const struct profile *q,
	int side, double step)
{
	const double value = p->c->values[q->parameter];
	const double sign = side == UP ? 1 : -1;

	return fabs(tuning_round(&p->c->tuning, p->values, q->parameter,
			    value + sign * step) -
		    value);
}

static double first_step(const struct profiles *p, const struct profile *q,
	int side, double limit)
{
	const struct tuned *t = &p->c->tuning.items[q->parameter];
	double share = FIRST_SHARE, step, rounded = 0;

	if (p->c->config->rounds && isfinite(t->slope))
		share = fmin(FIRST_FACTOR * TARGET_NOISE * sqrt(p->rise) /
				     fabs(t->slope),
			1);
	step = share * fabs(p->c->values[q->parameter]);

	if (step == 0)
		step = (t->high - t->low) / 50;
	while (step < limit && rounded == 0) {
		rounded = round_step(p, q, side, step);
		step *= 2;
	}
	return rounded > 0 && rounded <= limit ? rounded : limit;
}

static int find_end(struct profiles *p, struct profile *q, int side)
{
	const struct tuned *t = &p->c->tuning.items[q->parameter];
	const double value = p->c->values[q->parameter];
	struct side s = {
		0, 0, NAN, NAN, side == UP ? t->high - value : value - t->low};
	const int most = p->c->config->rounds ? STEPS_ROUNDS : STEPS_MAX;
	double step = first_step(p, q, side, s.limit), rise;
	int steps, code;

	for (steps = 0; steps < most && step > 0; steps++) {
		code = rise_at(p, q, side, step, &rise);
		if (code)
			return code;
		if (rise < p->rise) {
			s.in = step;
			s.in_rise = rise;
		} else {
			s.out = step;
			s.out_rise = rise;
		}
		if (s.out <= s.in * NEAR_ENOUGH ||
			(s.in >= s.limit && !isfinite(s.out)))
			break;
		step = round_step(
			p, q, side, fmin(guess(&s, p->rise), s.limit));
		if (step == s.in || step == s.out)
			break;
	}
	q->open[side] = !isfinite(s.out) && s.in >= s.limit;
	q->reach[side] = q->open[side] ? s.limit : guess(&s, p->rise);
	return 0;
}

/* ---- what others can make good ---- */

static void find_slope(const struct profiles *p, struct profile *q)
{
	const struct residuals *down = &q->residuals[DOWN];
	const struct residuals *up = &q->residuals[UP];
	const size_t count = p->best.count;
	const double *a = down->count == count ? down->items : p->best.items;
	const double *b = up->count == count ? up->items : p->best.items;
	double width = (a == p->best.items ? 0 : q->step[DOWN]) +
		       (b == p->best.items ? 0 : q->step[UP]);
	size_t i;

	if (!(width > 0) || (q->open[DOWN] && q->open[UP]))
		return;
	q->slope = calloc(count + 1, sizeof(*q->slope));
	for (i = 0; q->slope && i < count; i++)
		q->slope[i] = (b[i] - a[i]) / width;
}

static double product(const double *a, const double *b, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* By how much the others widen each interval: the root of the diagonal of the
   inverse of the slopes' correlations. */
static void widen(struct profiles *p)
{
	double m[PARAMETERS_MAX * PARAMETERS_MAX];
	size_t who[PARAMETERS_MAX], n = 0, i, j;
	const size_t count = p->best.count;

	for (i = 0; i < p->count; i++)
		if (p->items[i].slope && product(p->items[i].slope,
						 p->items[i].slope, count) > 0)
			who[n++] = i;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			const double *a = p->items[who[i]].slope;
			const double *b = p->items[who[j]].slope;

			m[i * n + j] = product(a, b, count) /
					       sqrt(product(a, a, count) *
						       product(b, b, count)) +
				       (i == j ? RIDGE : 0);
		}
	matrix_invert(m, n);
	for (i = 0; i < n; i++) {
		double factor = sqrt(fmax(1, m[i * n + i]));

		p->items[who[i]].reach[DOWN] *= factor;
		p->items[who[i]].reach[UP] *= factor;
	}
}

/* ---- one group ---- */

static void store(struct profiles *p)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		struct profile *q = &p->items[i];
		struct tuned *t = &p->c->tuning.items[q->parameter];
		double value = p->c->values[q->parameter];

		if (!q->judged)
			continue;
		t->judged = true;
		t->known_low = fmax(value - q->reach[DOWN], t->low);
		t->known_high = fmin(value + q->reach[UP], t->high);
		t->constrained =
			t->known_low > t->low || t->known_high < t->high;
	}
}

static int make_profiles(struct profiles *p)
{
	struct search *c = p->c;
	size_t i;
	int code;

	p->values = malloc((c->tuning.count + 1) * sizeof(*p->values));
	if (!p->values)
		return error_set(p->error, ERR_FAILED, "out of memory");
	memcpy(p->values, c->values, c->tuning.count * sizeof(*p->values));
	code = residuals_make(c, p->values, &p->set, &p->best, p->error);
	if (code)
		return code;
	p->least = residuals_sum(&p->best);
	p->rise = residuals_rise(&p->best);
	for (i = 0; !code && i < p->count; i++) {
		if (search_now_s() > p->until_s)
			break;
		p->items[i].judged = true;
		code = find_end(p, &p->items[i], DOWN);
		if (!code)
			code = find_end(p, &p->items[i], UP);
		if (!code)
			find_slope(p, &p->items[i]);
	}
	if (code)
		return code;
	widen(p);
	store(p);
	return 0;
}

static void profiles_free(struct profiles *p)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		residuals_free(&p->items[i].residuals[DOWN]);
		residuals_free(&p->items[i].residuals[UP]);
		free(p->items[i].slope);
	}
	residuals_free(&p->best);
	point_set_free(&p->set);
	free(p->values);
}

static void add_parameter(struct profiles *p, int index)
{
	const struct tuned *t;

	if (index < 0 || p->count == PARAMETERS_MAX)
		return;
	t = &p->c->tuning.items[index];
	if (t->free && t->high > t->low && !t->judged)
		p->items[p->count++].parameter = (size_t)index;
}

/* How many parameters are yet to be judged. */
static size_t count_left(const struct search *c)
{
	size_t left = 0, i;

	for (i = 0; i < c->tuning.count; i++) {
		const struct tuned *t = &c->tuning.items[i];

		left += t->free && t->high > t->low && !t->judged;
	}
	return left;
}

/* No target of the group's informs these; what is read off is judged by itself,
   later. */
static int judge_unknown(struct profiles *p, bool last)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		struct tuned *t = &p->c->tuning.items[p->items[i].parameter];

		t->judged = last || !readoff_of(t->name);
	}
	return 0;
}

/* Whether a parameter is judged by what it was read off, alone: one that no
   group has, or where each has a series of its own. */
static bool needs_own(const struct search *c, const struct tuned *t)
{
	return !group_of(t->name) || c->config->rounds;
}

static int group_intervals(
	struct search *c, const struct group *group, struct error *error)
{
	struct profiles p = {.c = c, .error = error};
	const char *list = group->parameters;
	char word[64];
	int code = 0;

	while (next_word(&list, word, sizeof(word))) {
		const int index = tuning_find(&c->tuning, word);

		if (index >= 0 && !needs_own(c, &c->tuning.items[index]))
			add_parameter(&p, index);
	}
	p.until_s = search_until(c, SHARE_ALL, p.count, count_left(c));
	if (p.count)
		code = group_points(c, group->series, p.count, &p.set, error);
	if (!code)
		code = p.set.count ? make_profiles(&p)
				   : judge_unknown(&p, false);
	profiles_free(&p);
	return code;
}

/* A parameter that no group has: the points it was read off, or all. One of few
   values that was not chosen has none: between them there is nothing. */
static int single_interval(struct search *c, size_t index, struct error *error)
{
	const struct tuned *t = &c->tuning.items[index];
	struct profiles p = {.c = c, .error = error};
	const struct readoff *row;
	int code;

	if (!t->free || t->constrained || t->judged)
		return 0;
	add_parameter(&p, (int)index);
	p.until_s = search_until(c, SHARE_ALL, 1, 1);
	code = readoff_here(c, t->name, &row, &p.set, NULL, error);
	if (!code && !row && !readoff_of(t->name) &&
		!(c->config->rounds && choice_of(t->name)))
		code = group_points(c, "*", 1, &p.set, error);
	if (!code)
		code = p.set.count ? make_profiles(&p)
				   : judge_unknown(&p, true);
	profiles_free(&p);
	return code;
}

int intervals_make(struct search *c, struct error *error)
{
	struct progress progress;
	size_t i;
	int code = 0;

	progress_start(&progress, "intervals", group_count + 1);
	for (i = 0; !code && i < group_count; i++) {
		if (search_late(c, SHARE_ALL))
			break;
		code = group_intervals(c, &groups[i], error);
		progress_step(&progress);
	}
	for (i = 0; !code && i < c->tuning.count && !search_late(c, SHARE_ALL);
		i++)
		code = single_interval(c, i, error);
	progress_step(&progress);
	progress_end(&progress);
	return code;
}
