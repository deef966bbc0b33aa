/* Whether comparisons pass their gates, and what they fail by. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/report/gate.h"

/* Whether more is worse, less is, or neither. */
static const int worse_sign[METRIC_ALL] = {
	[METRIC_LATENCY_CYCLES] = 1,
	[METRIC_LATENCY_NS] = 1,
	[METRIC_USEFUL_GB_PER_S] = -1,
	[METRIC_MOVED_GB_PER_S] = -1,
	[METRIC_BYTES_PER_CYCLE] = -1,
	[METRIC_SECTORS_PER_REQUEST] = 1,
	[METRIC_LOADS_PER_CYCLE] = -1,
	[METRIC_ATOMICS_PER_CYCLE] = -1,
	[METRIC_LOAD_GB_PER_S] = -1,
	[METRIC_USEFUL_SHARE] = -1,
};

/* One comparison and its gate. */
struct trial {
	const struct gate *gate;
	const struct comparison *c;
	const char *title; /* "pointer-chase op=ld.cg" */
	struct verdict *verdict;
	struct error *error;
};

static int sign_of(const struct trial *t)
{
	switch (t->gate->direction) {
	case GATE_HIGHER:
		return 1;
	case GATE_LOWER:
		return -1;
	case GATE_WORSE:
		return worse_sign[t->c->metric];
	case GATE_BOTH:
		break;
	}
	return 0;
}

/* The part of an error that counts; not negative. */
static double size_of(const struct trial *t, double error_percent)
{
	const int sign = sign_of(t);

	return sign ? fmax(0, sign * error_percent) : fabs(error_percent);
}

__attribute__((format(printf, 3, 4))) static int add(
	struct trial *t, double severity, const char *format, ...)
{
	struct violation *items = reallocarray(
		t->verdict->items, t->verdict->count + 1, sizeof(*items));
	va_list arguments;
	int length;

	if (!items)
		return error_set(t->error, ERR_FAILED, "out of memory");
	t->verdict->items = items;
	items += t->verdict->count;
	va_start(arguments, format);
	length = vasprintf(&items->text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return error_set(t->error, ERR_FAILED, "out of memory");
	items->severity = severity;
	t->verdict->count++;
	return 0;
}

static void axis_text(const struct trial *t, double x, char *text)
{
	text_table_x(t->c->pair.base->axis, x, text);
}

/* Over the limit by this factor; infinite above a limit of 0. */
static double severity(double value, double limit)
{
	return limit > 0 ? value / limit : INFINITY;
}

/* ---- what is missing ---- */

static const char *skipped_reason(const struct comparison *c, double x)
{
	const struct series *new = c->pair.new;
	size_t i;

	for (i = 0; i < new->point_count; i++)
		if (new->points[i].x == x)
			return new->points[i].skipped;
	return NULL;
}

static int judge_missing(struct trial *t)
{
	const struct comparison *c = t->c;
	const char *reason;
	char x[EMIT_NUMBER_BYTES];

	if (t->gate->may_miss || !c->missing)
		return 0;
	axis_text(t, c->first_missing->x, x);
	reason = skipped_reason(c, c->first_missing->x);
	return add(t, INFINITY,
		"%zu of %zu points of '%s' are missing in the new, the first "
		"at %s%s%s",
		c->missing, c->missing + c->row_count, t->title, x,
		reason ? ", skipped: " : "", reason ? reason : "");
}

/* ---- errors ---- */

/* The worst point that counts; NULL without one. */
static const struct compare_row *worst_row(
	const struct trial *t, bool knees_too, bool tested)
{
	const struct compare_row *worst = NULL;
	size_t i;

	for (i = 0; i < t->c->row_count; i++) {
		const struct compare_row *row = &t->c->rows[i];

		if ((row->knee && !knees_too) ||
			(tested && !compare_row_differs(row)))
			continue;
		if (!worst || size_of(t, row->error_percent) >
				      size_of(t, worst->error_percent))
			worst = row;
	}
	return worst;
}

static int judge_worst(struct trial *t)
{
	const struct compare_row *row = worst_row(t, false, t->gate->test);
	const double limit = t->gate->limits[GATE_WORST];
	char x[EMIT_NUMBER_BYTES];
	double size;

	if (isnan(limit) || !row)
		return 0;
	size = size_of(t, row->error_percent);
	if (size <= limit)
		return 0;
	axis_text(t, row->x, x);
	return add(t, severity(size, limit),
		"the worst point of '%s' outside a knee, at %s, is %.4g %% "
		"%s the base (%.4g, base %.4g), beyond the gate of %g %%",
		t->title, x, size, row->error_percent < 0 ? "below" : "above",
		row->new, row->base, limit);
}

static double median_size(const struct trial *t, double *scratch)
{
	size_t i;

	for (i = 0; i < t->c->row_count; i++)
		scratch[i] = size_of(t, t->c->rows[i].error_percent);
	return stats_median(scratch, t->c->row_count);
}

static int judge_median(struct trial *t)
{
	const double limit = t->gate->limits[GATE_MEDIAN];
	const struct compare_row *row = worst_row(t, true, false);
	char x[EMIT_NUMBER_BYTES];
	double *scratch, size;

	if (isnan(limit) || !row)
		return 0;
	scratch = calloc(t->c->row_count, sizeof(*scratch));
	if (!scratch)
		return error_set(t->error, ERR_FAILED, "out of memory");
	size = median_size(t, scratch);
	free(scratch);
	if (size <= limit)
		return 0;
	axis_text(t, row->x, x);
	return add(t, severity(size, limit),
		"the median error of '%s' is %.4g %%, beyond the gate of %g "
		"%%; its worst point, at %s, is %+.4g %% off",
		t->title, size, limit, x, row->error_percent);
}

static int judge_levels(struct trial *t)
{
	const double limit = t->gate->limits[GATE_LEVEL];
	char from[EMIT_NUMBER_BYTES], to[EMIT_NUMBER_BYTES];
	size_t i;
	int code = 0;

	for (i = 0; !code && i < t->c->level_count; i++) {
		const struct compare_level *level = &t->c->levels[i];
		const double size = size_of(t, level->error_percent);

		if (isnan(limit) || size <= limit)
			continue;
		axis_text(t, level->from_x, from);
		axis_text(t, level->to_x, to);
		code = add(t, severity(size, limit),
			"the level of '%s' from %s to %s is %.4g %% %s the "
			"base (%.4g, base %.4g), beyond the gate of %g %%",
			t->title, from, to, size,
			level->error_percent < 0 ? "below" : "above",
			level->new, level->base, limit);
	}
	return code;
}

/* ---- knees ---- */

static int judge_knee(struct trial *t, const struct compare_knee *knee)
{
	const double limit = t->gate->limits[GATE_KNEE];
	const bool gone = isnan(knee->new_x);
	char x[EMIT_NUMBER_BYTES], now[EMIT_NUMBER_BYTES];

	axis_text(t, gone ? knee->base_x : knee->new_x, now);
	if (isnan(knee->octaves))
		return add(t, INFINITY,
			"a knee of '%s' at %s is only in the %s", t->title, now,
			gone ? "base" : "new");
	if (fabs(knee->octaves) <= limit)
		return 0;
	axis_text(t, knee->base_x, x);
	return add(t, severity(fabs(knee->octaves), limit),
		"the knee of '%s' at %s is now at %s, %+.2f octaves away, "
		"beyond the gate of %g",
		t->title, x, now, knee->octaves, limit);
}

static int judge_knees(struct trial *t)
{
	size_t i;
	int code = 0;

	if (isnan(t->gate->limits[GATE_KNEE]))
		return 0;
	for (i = 0; !code && i < t->c->knee_count; i++)
		code = judge_knee(t, &t->c->knees[i]);
	return code;
}

/* ---- all ---- */

static int judge_one(struct trial *t)
{
	int code;

	if (!t->c->row_count && !t->c->missing)
		return error_set(t->error, ERR_FAILED,
			"the gate has nothing to judge: '%s' has no point in "
			"both files",
			t->title);
	if ((code = judge_missing(t)) || (code = judge_median(t)) ||
		(code = judge_worst(t)) || (code = judge_levels(t)) ||
		(code = judge_knees(t)))
		return code;
	return 0;
}

static int no_gate(const char *title, struct error *error)
{
	return error_set(error, ERR_USAGE,
		"no gate is for '%s': add a line that matches it, such as "
		"'* none'",
		title);
}

static int judge_pairs(const struct gates *gates,
	const struct comparison_list *list, struct verdict *verdict,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < list->count; i++) {
		char *title = comparison_title(list, i);
		struct trial t = {
			.gate = gates_find(gates, list->items[i].pair.base),
			.c = &list->items[i],
			.title = title,
			.verdict = verdict,
			.error = error};

		if (!title)
			code = error_set(error, ERR_FAILED, "out of memory");
		else if (!t.gate)
			code = no_gate(title, error);
		else if (!t.gate->none) {
			verdict->judged_count++;
			code = judge_one(&t);
		}
		free(title);
	}
	return code;
}

/* Series that only the base has. */
static int judge_alone(const struct gates *gates,
	const struct series_pairs *pairs, struct verdict *verdict,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < pairs->only_base; i++) {
		const struct series *series = pairs->alone[i].series;
		const struct gate *gate = gates_find(gates, series);
		struct trial t = {.verdict = verdict, .error = error};
		char *text;

		if (!gate)
			return no_gate(series->bench, error);
		if (gate->none)
			continue;
		verdict->judged_count++;
		if (gate->may_miss)
			continue;
		text = series_pairs_alone_text(pairs, i, error);
		if (!text)
			return ERR_FAILED;
		code = add(&t, INFINITY, "a series is %s", text);
		free(text);
	}
	return code;
}

/* The sentence of the worst; of equal ones the first. */
static int fail(const struct verdict *verdict, struct error *error)
{
	const struct violation *worst = &verdict->items[0];
	size_t i;

	for (i = 1; i < verdict->count; i++)
		if (verdict->items[i].severity > worst->severity)
			worst = &verdict->items[i];
	if (verdict->count == 1)
		return error_set(error, ERR_GATE, "%s", worst->text);
	return error_set(error, ERR_GATE, "%s; %zu gates fail in all",
		worst->text, verdict->count);
}

int gates_judge(const struct gates *gates, const struct comparison_list *list,
	struct verdict *verdict, struct error *error)
{
	int code;

	*verdict = (struct verdict){0};
	code = judge_pairs(gates, list, verdict, error);
	if (!code)
		code = judge_alone(gates, &list->pairs, verdict, error);
	if (code)
		return code;
	if (verdict->count)
		return fail(verdict, error);
	if (!verdict->judged_count)
		return error_set(error, ERR_FAILED,
			"the gate has nothing to judge: no series is in both "
			"files");
	return 0;
}

void verdict_free(struct verdict *verdict)
{
	size_t i;

	for (i = 0; i < verdict->count; i++)
		free(verdict->items[i].text);
	free(verdict->items);
	*verdict = (struct verdict){0};
}
