/* What to measure next: the bench that informs each parameter which the targets
   leave open, the dearest uncertainty first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"
#include "harness/fit/search/probe.h"
#include "harness/run/metrics.h"

#define UNKNOWN 0.25 /* of the value, where nothing is known of a parameter */

/* What a parameter that is open costs, and where. */
struct want {
	size_t parameter;
	double off;     /* by how much it may be */
	double effect;  /* on the measure; NaN: not tried */
	size_t measure; /* probe_count: only a row of `nearfar fit` */
	char row[48];
};

struct next {
	struct search *c;
	struct probe *probes; /* of each measure */
	struct want *wants;
	size_t count;
	double *values; /* scratch */
	struct error *error;
};

/* ---- what a parameter does there ---- */

/* The medians of a program's metrics; NaN: there is none. */
static int run_metrics(struct next *n, const struct probe *probe, size_t index,
	const double *settings, double medians[METRIC_COUNT])
{
	struct values found[METRIC_COUNT] = {0};
	struct result result = {0};
	const struct program *p = probe->programs[index];
	int metric, code = runs_program(n->c, settings, p, &result, n->error);

	if (!code)
		code = metrics_add(p, &result, &n->c->device, probe->metrics,
			found, n->error);
	for (metric = 0; metric < METRIC_COUNT; metric++) {
		struct values *v = &found[metric];

		medians[metric] = code ? NAN : stats_median(v->items, v->count);
		values_free(v);
	}
	result_free(&result);
	return code;
}

static double change(int metric, double from, double to)
{
	double by = metric_is_share(metric) ? to - from : log(to / from);

	return isfinite(by) ? fabs(by) : 0;
}

/* The largest change of any metric when the parameter is off. */
static int try_measure(struct next *n, size_t measure, double *effect)
{
	struct probe *probe = &n->probes[measure];
	double medians[METRIC_COUNT];
	size_t i;
	int metric, code = 0;

	for (i = 0; !code && !probe->run && i < probe->count; i++)
		code = run_metrics(n, probe, i, n->c->values, probe->base[i]);
	probe->run = true;
	*effect = probe->count ? 0 : NAN;
	for (i = 0; !code && i < probe->count; i++) {
		code = run_metrics(n, probe, i, n->values, medians);
		for (metric = 0; !code && metric < METRIC_COUNT; metric++)
			*effect = fmax(
				*effect, change(metric, probe->base[i][metric],
						 medians[metric]));
	}
	return code;
}

/* Sets the scratch to the parameter off by what it may be, upwards where the
   model takes that, else downwards; whether either. */
static int put_off(struct next *n, const struct want *want, bool *taken)
{
	const struct tuning *tuning = &n->c->tuning;
	const size_t p = want->parameter;
	const double value = n->c->values[p];
	double sign;
	int code = 0;

	*taken = false;
	memcpy(n->values, n->c->values, tuning->count * sizeof(*n->values));
	for (sign = 1; !code && !*taken && sign >= -1; sign -= 2) {
		n->values[p] = value;
		n->values[p] = tuning_round(
			tuning, n->values, p, value + sign * want->off);
		if (n->values[p] != value)
			code = runs_accepted(n->c, n->values, taken, n->error);
	}
	return code;
}

/* ---- which parameters, and where ---- */

static bool informs_at(
	const struct probe *probe, const char *patterns, struct want *want)
{
	const char *at = strchr(patterns, '@');

	if (at && !want->row[0])
		snprintf(want->row, sizeof(want->row), "%.*s",
			(int)strcspn(at + 1, "* "), at + 1);
	return pattern_matches(patterns, &probe->series);
}

/* Whether a table has the measure for the parameter; notes the suite's row. */
static bool informs(const struct next *n, size_t measure, struct want *want)
{
	const char *name = n->c->tuning.items[want->parameter].name;
	const struct probe *probe = &n->probes[measure];
	const struct group *group = group_of(name);
	bool found = group && informs_at(probe, group->series, want);
	size_t i;

	for (i = 0; i < readoff_count; i++)
		if (!strcmp(readoffs[i].parameter, name) &&
			informs_at(probe, readoffs[i].series, want))
			found = true;
	return found;
}

/* By how much a parameter may be off; 0: it is known. */
static double doubt(const struct search *c, size_t index)
{
	const struct tuned *t = &c->tuning.items[index];
	const double value = c->values[index];

	if (!t->free || !strcmp(t->unit, "mask") || !strcmp(t->unit, "Hz"))
		return 0;
	if (t->judged && t->constrained)
		return tuned_is_loose(c, index) ? fmax(t->known_high - value,
							  value - t->known_low)
						: 0;
	if (!strcmp(t->unit, "fraction") || value == 0)
		return UNKNOWN;
	return UNKNOWN * fabs(value);
}

/* The measure on which it does most. */
static int look(struct next *n, struct want *want)
{
	double effect;
	bool taken;
	size_t i;
	int code = put_off(n, want, &taken);

	want->measure = probe_count;
	want->effect = NAN;
	for (i = 0; !code && i < probe_count; i++) {
		if (!informs(n, i, want))
			continue;
		effect = NAN;
		if (taken)
			code = try_measure(n, i, &effect);
		if (want->measure == probe_count || effect > want->effect) {
			want->measure = i;
			want->effect = effect;
		}
	}
	return code;
}

static int dearer_first(const void *a, const void *b)
{
	const struct want *x = a, *y = b;
	double p = isfinite(x->effect) ? x->effect : -1;
	double q = isfinite(y->effect) ? y->effect : -1;

	if (p != q)
		return p < q ? 1 : -1;
	return x->parameter < y->parameter ? -1 : 1;
}

/* ---- the table ---- */

static void put_command(const struct want *want, struct text_table *table)
{
	char text[512];

	if (want->measure == probe_count)
		snprintf(text, sizeof(text),
			"nearfar fit -b cuda --measure next.fit --only %s",
			want->row);
	else
		probe_command(want->measure, text, sizeof(text));
	text_table_add(table, "%s", text);
}

static void put(const struct next *n, FILE *out)
{
	static const char *const head[] = {"parameter", "value",
		"may be off by", "unit", "moves_%", "measure"};
	struct text_table table = {.left = true};
	size_t i;

	fputs("\nwhat to measure next: moves_% is what the parameter, off by "
	      "so "
	      "much, does there\n",
		out);
	text_table_row(&table);
	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		text_table_add(&table, "%s", head[i]);
	for (i = 0; i < n->count; i++) {
		const struct want *want = &n->wants[i];
		const struct tuned *t = &n->c->tuning.items[want->parameter];
		char value[VALUE_BYTES];

		if (want->measure == probe_count && !want->row[0])
			continue; /* nothing is known to inform it */
		tuning_format(&n->c->tuning, want->parameter,
			n->c->values[want->parameter], value);
		text_table_row(&table);
		text_table_add(&table, "%s", t->name);
		text_table_add(&table, "%s", value);
		text_table_add(&table, "%.3g", want->off);
		text_table_add(&table, "%s", t->unit);
		if (isfinite(want->effect))
			text_table_add(&table, "%.1f", 100 * want->effect);
		else
			text_table_add(&table, "-");
		put_command(want, &table);
	}
	text_table_put(&table, out);
	text_table_free(&table);
}

static int find_wants(struct next *n)
{
	struct progress progress;
	size_t i;
	int code = 0;

	n->wants = calloc(n->c->tuning.count + 1, sizeof(*n->wants));
	n->values = calloc(n->c->tuning.count + 1, sizeof(*n->values));
	n->probes = calloc(probe_count + 1, sizeof(*n->probes));
	if (!n->wants || !n->values || !n->probes)
		return error_set(n->error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < probe_count; i++)
		code = probe_make(n->c, i, &n->probes[i], n->error);
	for (i = 0; i < n->c->tuning.count; i++)
		if (doubt(n->c, i) > 0)
			n->wants[n->count++] = (struct want){
				.parameter = i, .off = doubt(n->c, i)};
	progress_start(&progress, "what to measure next", n->count);
	for (i = 0; !code && i < n->count; i++) {
		code = look(n, &n->wants[i]);
		progress_step(&progress);
	}
	progress_end(&progress);
	qsort(n->wants, n->count, sizeof(*n->wants), dearer_first);
	return code;
}

int next_put(struct search *c, FILE *out, struct error *error)
{
	struct next *n = calloc(1, sizeof(*n));
	size_t i;
	int code;

	if (!n)
		return error_set(error, ERR_FAILED, "out of memory");
	n->c = c;
	n->error = error;
	code = find_wants(n);
	if (!code)
		put(n, out);
	for (i = 0; n->probes && i < probe_count; i++)
		probe_free(&n->probes[i]);
	free(n->probes);
	free(n->wants);
	free(n->values);
	free(n);
	return code;
}
