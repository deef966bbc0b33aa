/* The second stage: groups of parameters, searched by NLopt. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

#define PARAMETERS_MAX    16
#define EVALUATIONS_EACH  12 /* by default, for each parameter */
#define STARTS_MAX        3
#define START_EVALUATIONS 10   /* for each parameter, before another start */
#define FIRST_STEP        0.08 /* of a unit of the scaled box */
#define LATER_STEP        0.03
#define LATER_SHARE                                                            \
	3 /* what the second round has of the evaluations: a third */
#define ROUNDS                                                                 \
	2 /* groups share points: each sees what the others                    \
	     have become */
#define VALUE_CLOSE    1e-3
#define PLACE_CLOSE    1e-3
#define CRS_POPULATION 4 /* for each parameter */
#define REFUSED        1e9
#define GUARD_PARAMETERS                                                       \
	40         /* as many as a group of so many parameters would look at */
#define LOG_FROM 3 /* bounds further apart are searched in log */

struct fit {
	struct search *c;
	const struct group *group;
	size_t parameters[PARAMETERS_MAX]; /* indices */
	unsigned count;
	bool later; /* the second round */
	struct point_set set;
	double *values; /* scratch, all parameters */
	double best, *best_values;
	size_t left;      /* evaluations */
	double until_s;   /* no further one begins later */
	nlopt_opt search; /* the one that is running */
	int code;
	struct error *error;
	struct progress progress;
};

/* ---- the box ---- */

static bool in_log(const struct tuned *t)
{
	return t->low > 0 && t->high / t->low > LOG_FROM;
}

static double to_unit(const struct tuned *t, double value)
{
	if (in_log(t))
		return log(value / t->low) / log(t->high / t->low);
	return (value - t->low) / (t->high - t->low);
}

static double from_unit(const struct tuned *t, double u)
{
	if (in_log(t))
		return t->low * pow(t->high / t->low, u);
	return t->low + u * (t->high - t->low);
}

/* ---- one evaluation ---- */

static void set_values(struct fit *f, const double *u)
{
	const struct tuning *tuning = &f->c->tuning;
	unsigned i, pass;

	/* twice, since a value may be a multiple of another of the group */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < f->count; i++) {
			size_t p = f->parameters[i];

			f->values[p] = tuning_round(tuning, f->values, p,
				from_unit(&tuning->items[p], u[i]));
		}
}

static double evaluate(struct fit *f)
{
	struct residuals residuals;
	double sum;
	int code =
		residuals_make(f->c, f->values, &f->set, &residuals, f->error);

	f->c->evaluations++;
	progress_step(&f->progress);
	if (code == ERR_USAGE)
		return REFUSED;
	if (code) {
		f->code = code;
		return REFUSED;
	}
	sum = residuals_sum(&residuals);
	residuals_free(&residuals);
	return sum;
}

static double objective(
	unsigned count, const double *u, double *gradient, void *data)
{
	struct fit *f = data;
	double sum;

	(void)count;
	(void)gradient; /* the methods ask for none */
	if (f->code || !f->left || search_now_s() > f->until_s) {
		nlopt_force_stop(f->search);
		return REFUSED;
	}
	f->left--;
	set_values(f, u);
	sum = evaluate(f);
	if (sum < f->best) {
		f->best = sum;
		memcpy(f->best_values, f->values,
			f->c->tuning.count * sizeof(*f->values));
	}
	return sum;
}

/* ---- one search ---- */

static int search(struct fit *f, double *u, size_t evaluations)
{
	double low[PARAMETERS_MAX], high[PARAMETERS_MAX], least;
	unsigned i;

	for (i = 0; i < f->count; i++) {
		low[i] = 0;
		high[i] = 1;
	}
	f->search = nlopt_create(
		f->group->rough ? NLOPT_GN_CRS2_LM : NLOPT_LN_BOBYQA, f->count);
	if (!f->search)
		return error_set(f->error, ERR_FAILED, "out of memory");
	nlopt_set_lower_bounds(f->search, low);
	nlopt_set_upper_bounds(f->search, high);
	nlopt_set_min_objective(f->search, objective, f);
	nlopt_set_initial_step1(f->search, f->later ? LATER_STEP : FIRST_STEP);
	nlopt_set_ftol_rel(f->search, VALUE_CLOSE);
	nlopt_set_xtol_abs1(f->search, PLACE_CLOSE);
	nlopt_set_maxeval(f->search, (int)evaluations);
	if (f->group->rough)
		nlopt_set_population(f->search, CRS_POPULATION * f->count + 2);
	/* its verdict does not matter: the best is kept in `f` */
	nlopt_optimize(f->search, u, &least);
	nlopt_destroy(f->search);
	return f->code;
}

static unsigned starts_for(const struct fit *f)
{
	size_t starts = f->left / (START_EVALUATIONS * f->count);

	if (f->group->rough || f->later || starts < 1)
		return 1;
	return starts > STARTS_MAX ? STARTS_MAX : (unsigned)starts;
}

/* From where the parameters are, and then from drawn places. */
static int search_all(struct fit *f, uint64_t seed)
{
	const unsigned starts = starts_for(f);
	struct random_state random;
	double u[PARAMETERS_MAX];
	unsigned start, i;
	int code = 0;

	random_init(&random, seed);
	nlopt_srand((unsigned long)seed);
	for (start = 0; !code && start < starts; start++) {
		for (i = 0; i < f->count; i++) {
			const size_t p = f->parameters[i];
			double here = to_unit(
				&f->c->tuning.items[p], f->c->values[p]);
			double drawn =
				0x1p-53 * (double)(random_next(&random) >> 11);

			u[i] = fmin(fmax(start ? drawn : here, 0), 1);
		}
		code = search(f, u, f->left / (starts - start));
	}
	return code;
}

/* ---- one group ---- */

static void find_parameters(struct fit *f)
{
	const char *list = f->group->parameters;
	char word[64];

	while (f->count < PARAMETERS_MAX &&
		next_word(&list, word, sizeof(word))) {
		const int index = tuning_find(&f->c->tuning, word);
		const struct tuned *t;

		if (index < 0)
			continue;
		t = &f->c->tuning.items[index];
		if (t->free && t->high > t->low)
			f->parameters[f->count++] = (size_t)index;
	}
}

static int start_values(struct fit *f)
{
	const size_t bytes = f->c->tuning.count * sizeof(double);

	f->values = malloc(bytes + 1);
	f->best_values = malloc(bytes + 1);
	if (!f->values || !f->best_values)
		return error_set(f->error, ERR_FAILED, "out of memory");
	memcpy(f->values, f->c->values, bytes);
	memcpy(f->best_values, f->c->values, bytes);
	f->best = evaluate(f);
	return f->code;
}

static void keep(struct fit *f)
{
	unsigned i;

	for (i = 0; i < f->count; i++) {
		struct tuned *t = &f->c->tuning.items[f->parameters[i]];

		if (f->values[f->parameters[i]] ==
			f->c->values[f->parameters[i]])
			continue;
		t->origin = ORIGIN_FITTED;
		t->from = f->group->series;
	}
	memcpy(f->c->values, f->values, f->c->tuning.count * sizeof(double));
}

/* What all series say of values. */
static int guard_sum(const struct fit *f, double *sum)
{
	struct residuals residuals;
	int code = residuals_make(
		f->c, f->values, &f->c->guard, &residuals, f->error);

	*sum = code ? REFUSED : residuals_sum(&residuals);
	if (!code)
		residuals_free(&residuals);
	return code == ERR_USAGE ? 0 : code;
}

static bool moved(const struct fit *f)
{
	return memcmp(f->values, f->c->values,
		       f->c->tuning.count * sizeof(*f->values)) != 0;
}

/* A group sees its own series only. What it found is kept if some points of
   all series are better off; else half of the way, if they are then. */
static int keep_what_all_gain(struct fit *f)
{
	static const double shares[] = {1, 0.5};
	double sum;
	size_t s, p;
	unsigned i;
	int code;

	for (s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		memcpy(f->values, f->c->values,
			f->c->tuning.count * sizeof(*f->values));
		for (i = 0; i < f->count; i++) {
			p = f->parameters[i];
			f->values[p] = tuning_round(&f->c->tuning, f->values, p,
				f->c->values[p] +
					shares[s] * (f->best_values[p] -
							    f->c->values[p]));
		}
		if (!moved(f))
			return 0;
		code = guard_sum(f, &sum);
		if (code)
			return code;
		if (sum < f->c->guard_sum) {
			f->c->guard_sum = sum;
			keep(f);
			return 0;
		}
	}
	return search_note(f->c,
		"%s: left as it was, for other series lose what its own gain",
		f->group->name);
}

/* How groups are searched, in one of the two rounds. */
struct round {
	bool later;
	size_t each; /* evaluations for each parameter */
	size_t left; /* parameters whose groups are yet to come */
};

static int fit_found(struct fit *f, size_t number, const struct round *round)
{
	struct search *c = f->c;
	char label[64];
	int code;

	f->left = round->each * f->count;
	snprintf(label, sizeof(label), "%s %zu/%zu %s",
		round->later ? "refine" : "fit", number + 1, group_count,
		f->group->name);
	progress_start(&f->progress, label, f->left + 1);
	code = start_values(f);
	if (!code)
		code = search_all(f, c->config->seed + number);
	progress_end(&f->progress);
	if (!code)
		code = keep_what_all_gain(f);
	return code;
}

/* Each has the part of the time that is left which its parameters have of
   those that are left. */
static int fit_group(struct search *c, const struct group *group, size_t number,
	struct round *round, struct error *error)
{
	struct fit f = {
		.c = c, .group = group, .later = round->later, .error = error};
	int code;

	find_parameters(&f);
	if (!f.count)
		return 0;
	f.until_s = search_until(c, SHARE_STAGES, f.count, round->left);
	round->left -= f.count < round->left ? f.count : round->left;
	code = group_points(c, group->series, f.count, &f.set, error);
	if (code)
		return code;
	if (f.set.count)
		code = fit_found(&f, number, round);
	else if (!round->later && c->config->free_count)
		code = search_note(c,
			"%s: not fitted, the targets hold none of %s",
			group->name, group->series);
	free(f.values);
	free(f.best_values);
	point_set_free(&f.set);
	return code;
}

/* ---- all of them ---- */

/* Parameters that the user freed and no group has: all points inform them. */
static int fit_others(
	struct search *c, struct round *round, struct error *error)
{
	struct group group = {"others", NULL, "*", false};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < c->tuning.count; i++) {
		const struct tuned *t = &c->tuning.items[i];

		if (!t->free || group_of(t->name) || readoff_of(t->name) ||
			!(t->high > t->low))
			continue;
		group.parameters = t->name;
		code = fit_group(c, &group, group_count, round, error);
	}
	return code;
}

static size_t free_count(const struct search *c)
{
	size_t count = 0, i;

	for (i = 0; i < c->tuning.count; i++)
		count += c->tuning.items[i].free &&
			 (group_of(c->tuning.items[i].name) ||
				 !readoff_of(c->tuning.items[i].name));
	return count;
}

static int fit_round(struct search *c, struct round *round, struct error *error)
{
	size_t i;
	int code = 0;

	round->left = free_count(c);

	for (i = 0; !code && i < group_count && !search_late(c, SHARE_STAGES);
		i++)
		code = fit_group(c, &groups[i], i, round, error);
	if (!code && !search_late(c, SHARE_STAGES))
		code = fit_others(c, round, error);
	return code;
}

static int make_guard(struct search *c, struct error *error)
{
	struct fit f = {.c = c, .values = c->values, .error = error};
	int code = group_points(c, "*", GUARD_PARAMETERS, &c->guard, error);

	return code ? code : guard_sum(&f, &c->guard_sum);
}

int fits_make(struct search *c, struct error *error)
{
	struct round first = {false, EVALUATIONS_EACH, 0};
	struct round second = {true, 0, 0};
	int code;

	if (c->config->evaluations && free_count(c))
		first.each = c->config->evaluations / free_count(c);
	second.each = first.each / LATER_SHARE;
	first.each -= second.each;
	if (!first.each)
		first.each = 1;
	if (!free_count(c))
		return 0;
	code = make_guard(c, error);
	if (!code)
		code = fit_round(c, &first, error);
	if (!code && second.each)
		code = fit_round(c, &second, error);
	point_set_free(&c->guard);
	return code;
}
