/* Parameters that take few values: each is tried, the best is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/calibrate/parts.h"

#define VALUES_MAX 64
#define AROUND     12 /* grains to either side */

/* The values of one parameter that are tried. */
struct list {
	size_t parameter;
	double values[VALUES_MAX];
	size_t count;
};

struct trial {
	struct calibration *c;
	const struct choice *row;
	struct list own, other;
	struct point_set set;
	double *values; /* scratch, all parameters */
	double best, own_best, other_best;
	double low, high; /* of those that are as good as the best */
	double rise;
	struct error *error;
};

static bool add_value(struct list *list, double value)
{
	if (list->count == VALUES_MAX)
		return false;
	list->values[list->count++] = value;
	return true;
}

/* The table's words; what the parameter is now comes first, so that it stays
   where nothing is better. */
static void fill(const struct trial *t, const char *words, struct list *list)
{
	const struct tuned *tuned = &t->c->tuning.items[list->parameter];
	const double now = t->c->values[list->parameter];
	const double grain = t->row->grain;
	struct error ignored;
	uint64_t bytes;
	char word[32];
	int step;

	add_value(list, now);
	for (step = -AROUND; !words && step <= AROUND; step++)
		add_value(list, (round(now / grain) + step) * grain);
	while (words && next_word(&words, word, sizeof(word))) {
		double value = strtod(word, NULL);

		if (!strcmp(tuned->unit, "bytes") &&
			!units_parse_bytes(word, &bytes, &ignored))
			value = (double)bytes;
		add_value(list, value);
	}
}

static int try_values(struct trial *t, double own, double other)
{
	struct calibration *c = t->c;
	struct residuals residuals;
	double sum;
	bool accepted;
	int code;

	t->values[t->own.parameter] = own;
	if (t->row->other)
		t->values[t->other.parameter] = other;
	code = runs_accepted(c, t->values, &accepted, t->error);
	if (code || !accepted)
		return code;
	code = residuals_make(c, t->values, &t->set, &residuals, t->error);
	if (code)
		return code == ERR_USAGE ? 0 : code;
	sum = residuals_sum(&residuals);
	if (!(t->rise > 0))
		t->rise = residuals_rise(&residuals);
	residuals_free(&residuals);
	if (sum < t->best) {
		/* What is as good as the old best may be worse than this. */
		if (sum < t->best - t->rise)
			t->low = t->high = own;
		t->best = sum;
		t->own_best = own;
		t->other_best = other;
	}
	if (sum <= t->best + t->rise) {
		t->low = fmin(t->low, own);
		t->high = fmax(t->high, own);
	}
	return 0;
}

static int try_all(struct trial *t)
{
	size_t i, k;
	int code = 0;

	t->best = INFINITY;
	t->low = t->high = t->own_best = t->own.values[0];
	for (i = 0; !code && i < t->own.count; i++)
		for (k = 0; !code && k < t->other.count; k++)
			code = try_values(
				t, t->own.values[i], t->other.values[k]);
	return code;
}

static void take(struct trial *t, size_t parameter, double value, bool one)
{
	struct tuned *tuned = &t->c->tuning.items[parameter];

	if (t->c->values[parameter] != value) {
		tuned->origin = ORIGIN_CHOSEN;
		tuned->from = t->row->series;
	}
	t->c->values[parameter] = value;
	tuned->judged = true;
	tuned->constrained = one;
	if (one)
		tuned->known_low = tuned->known_high = value;
}

static int choose(struct trial *t)
{
	int code = try_all(t);
	bool one;

	if (code || !isfinite(t->best))
		return code;
	one = t->low == t->high;
	take(t, t->own.parameter, t->own_best, one);
	if (t->row->other)
		take(t, t->other.parameter, t->other_best, one);
	return 0;
}

static int find_points(struct trial *t)
{
	const struct readoff row = {NULL, t->row->series, t->row->spot,
		OUTCOME_METRIC, OUTCOME_METRIC, SPOT_ALL, NULL};

	return readoff_points(t->c, &row, &t->set, NULL, t->error);
}

static int make_row(
	struct calibration *c, const struct choice *row, struct error *error)
{
	struct trial t = {.c = c, .row = row, .error = error};
	const int own = tuning_find(&c->tuning, row->parameter);
	const int other =
		row->other ? tuning_find(&c->tuning, row->other) : own;
	int code;

	if (own < 0 || other < 0 || !c->tuning.items[own].free)
		return 0;
	code = find_points(&t);
	if (code || !t.set.count)
		goto out;
	t.own.parameter = (size_t)own;
	t.other.parameter = (size_t)other;
	fill(&t, row->values, &t.own);
	if (row->other)
		fill(&t, row->other_values, &t.other);
	else
		add_value(&t.other, 0);
	t.values = malloc((c->tuning.count + 1) * sizeof(*t.values));
	if (!t.values) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	memcpy(t.values, c->values, c->tuning.count * sizeof(*t.values));
	code = choose(&t);
out:
	free(t.values);
	point_set_free(&t.set);
	return code;
}

int choices_make(struct calibration *c, unsigned round, struct error *error)
{
	struct progress progress;
	size_t i;
	int code = 0;

	progress_start(&progress, "choices", choice_count);
	for (i = 0;
		!code && i < choice_count && !calibrate_late(c, SHARE_STAGES);
		i++) {
		if (!round || !choices[i].once)
			code = make_row(c, &choices[i], error);
		progress_step(&progress);
	}
	progress_end(&progress);
	return code;
}
