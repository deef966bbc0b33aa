/* Parameters that take few values: each is tried, the best is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/fit/search/parts.h"

#define VALUES_MAX 64
#define AROUND     12 /* grains to either side */

/* The values of one parameter that are tried. */
struct list {
	size_t parameter;
	double values[VALUES_MAX];
	size_t count;
	double best;
	double low, high; /* of those that are as good as the best */
};

struct trial {
	struct search *c;
	const struct choice *row;
	struct list own, other;
	struct point_set set;
	double *values; /* scratch, all parameters */
	/* of own and other; infinite where the model refuses */
	double sums[VALUES_MAX][VALUES_MAX];
	double best, rise; /* the least sum, and what is as good */
	struct error *error;
};

static bool add_value(struct list *list, double value)
{
	if (list->count == VALUES_MAX)
		return false;
	list->values[list->count++] = value;
	return true;
}

/* The table's words; what the parameter is now comes first. */
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

static int try_values(struct trial *t, size_t i, size_t k)
{
	struct search *c = t->c;
	struct residuals residuals = {0};
	bool accepted;
	int code;

	t->sums[i][k] = INFINITY;
	t->values[t->own.parameter] = t->own.values[i];
	if (t->row->other)
		t->values[t->other.parameter] = t->other.values[k];
	code = runs_accepted(c, t->values, &accepted, t->error);
	if (code || !accepted)
		return code;
	code = (t->row->shape ? residuals_shape : residuals_make)(
		c, t->values, &t->set, &residuals, t->error);
	if (code)
		return code == ERR_USAGE ? 0 : code;
	t->sums[i][k] = residuals_sum(&residuals);
	if (t->sums[i][k] < t->best) {
		t->best = t->sums[i][k];
		t->rise = residuals_rise(&residuals);
		t->own.best = t->own.values[i];
		t->other.best = t->other.values[k];
	}
	residuals_free(&residuals);
	return 0;
}

static int try_all(struct trial *t)
{
	size_t i, k;
	int code = 0;

	t->best = INFINITY;
	for (i = 0; !code && i < t->own.count; i++)
		for (k = 0; !code && k < t->other.count; k++)
			code = try_values(t, i, k);
	return code;
}

static void widen(struct list *list, double value)
{
	list->low = fmin(list->low, value);
	list->high = fmax(list->high, value);
}

/* What is as good as the best. What is now, if it is, stays: hardly better
   values would only move what was found with these. */
static void find_alike(struct trial *t)
{
	size_t i, k;

	if (t->sums[0][0] <= t->best + t->rise) {
		t->own.best = t->own.values[0];
		t->other.best = t->other.values[0];
	}
	t->own.low = t->own.high = t->own.best;
	t->other.low = t->other.high = t->other.best;
	for (i = 0; i < t->own.count; i++)
		for (k = 0; k < t->other.count; k++) {
			if (t->sums[i][k] > t->best + t->rise)
				continue;
			widen(&t->own, t->own.values[i]);
			widen(&t->other, t->other.values[k]);
		}
}

static void take(struct trial *t, const struct list *list)
{
	struct tuned *tuned = &t->c->tuning.items[list->parameter];

	if (t->c->values[list->parameter] != list->best) {
		tuned->origin = ORIGIN_CHOSEN;
		tuned->from = t->row->series;
	}
	t->c->values[list->parameter] = list->best;
	tuned->judged = true;
	tuned->constrained = list->low == list->high;
	if (tuned->constrained)
		tuned->known_low = tuned->known_high = list->best;
}

static int choose(struct trial *t)
{
	int code = try_all(t);

	if (code || !isfinite(t->best))
		return code;
	find_alike(t);
	take(t, &t->own);
	if (t->row->other)
		take(t, &t->other);
	return 0;
}

static int find_points(struct trial *t)
{
	const struct readoff row = {NULL, t->row->series, t->row->spot,
		OUTCOME_METRIC, OUTCOME_METRIC, SPOT_ALL, NULL};

	return readoff_points(t->c, &row, &t->set, NULL, t->error);
}

static int make_row(
	struct search *c, const struct choice *row, struct error *error)
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

int choices_make(struct search *c, unsigned round, struct error *error)
{
	struct progress progress;
	size_t i;
	int code = 0;

	progress_start(&progress, "choices", choice_count);
	for (i = 0; !code && i < choice_count && !search_late(c, SHARE_STAGES);
		i++) {
		if (!round || !choices[i].once)
			code = make_row(c, &choices[i], error);
		progress_step(&progress);
	}
	progress_end(&progress);
	return code;
}
