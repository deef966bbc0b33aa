#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/text_table.h"
#include "harness/base/emit.h"
#include "harness/base/units.h"
#include "harness/contract/bench.h"
#include "harness/judge/mark_rules.h"
#include "harness/judge/repeats.h"

#define COUNT_MOST    100000
#define WITHIN_USUAL  1.0
#define PERCENT_LEAST 0.01
#define PERCENT_MOST  100.0

static int parse_count(
	const char *text, struct repeats *repeats, struct error *error)
{
	uint64_t count = 0;

	if (units_parse_count(text, &count, NULL) || count < 1 ||
		count > COUNT_MOST)
		return error_set(error, ERR_USAGE,
			"'%s' is neither a number of runs, 1 to %d, nor auto "
			"or auto:P%%",
			text, COUNT_MOST);
	*repeats = (struct repeats){.count = (unsigned)count};
	return 0;
}

int repeats_parse(
	const char *text, struct repeats *repeats, struct error *error)
{
	double percent = WITHIN_USUAL;
	char *end = NULL;

	if (strncmp(text, "auto", 4) != 0)
		return parse_count(text, repeats, error);
	if (text[4]) {
		percent = text[4] == ':' && isdigit((unsigned char)text[5])
				  ? strtod(text + 5, &end)
				  : NAN;
		if (!(percent >= PERCENT_LEAST && percent <= PERCENT_MOST) ||
			strcmp(end, "%") != 0)
			return error_set(error, ERR_USAGE,
				"'%s' is not auto:P%% with P of %g to %g", text,
				PERCENT_LEAST, PERCENT_MOST);
	}
	*repeats = (struct repeats){REPEATS_MOST, percent};
	return 0;
}

void repeats_text(const struct repeats *repeats, char text[REPEATS_BYTES])
{
	if (repeats->within_percent > 0)
		snprintf(text, REPEATS_BYTES, "auto:%g%%",
			repeats->within_percent);
	else
		snprintf(text, REPEATS_BYTES, "%u", repeats->count);
}

double repeats_off_percent(int metric, const struct summary *summary)
{
	const double off = fmax(summary->high - summary->median,
		summary->median - summary->low);
	const double whole = marks_is_share(metric) ? 1 : fabs(summary->median);

	if (!summary->count || !isfinite(off))
		return INFINITY;
	return off > 0 ? 100 * off / whole : 0;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void repeats_begin(struct repeats_course *course, const struct repeats *repeats)
{
	*course = (struct repeats_course){repeats, REPEATS_LEAST, now_s()};
}

static bool within(
	const struct repeats *repeats, const struct repeats_values *values)
{
	struct summary summary;
	size_t i;

	for (i = 0; values->metric >= 0 && i < values->points; i++)
		if (stats_summarize(values->items + i * values->stride,
			    values->count, i, &summary) ||
			repeats_off_percent(values->metric, &summary) >
				repeats->within_percent)
			return false;
	return true;
}

/* Looks are further apart as there are more values to sort. */
bool repeats_enough(struct repeats_course *course, unsigned runs,
	const struct repeats_values *values)
{
	const struct repeats *repeats = course->repeats;

	if (runs >= repeats->count)
		return true;
	if (!(repeats->within_percent > 0) || runs < course->next)
		return false;
	course->next = runs + 1 + runs / 4;
	return within(repeats, values) ||
	       now_s() - course->since_s > REPEATS_SECONDS;
}

/* ---- what was not reached ---- */

struct missed {
	size_t points, missed;
	const struct series *series; /* of the worst point */
	const struct point *worst;
	double off_percent;
};

static void look_at(struct missed *m, const struct repeats *repeats,
	const struct series *series, const struct point *point)
{
	const int metric = series_primary(series);
	double off;

	if (point->skipped || metric < 0)
		return;
	m->points++;
	off = repeats_off_percent(metric, point_summary(point, metric));
	if (off <= repeats->within_percent)
		return;
	m->missed++;
	if (m->worst && off <= m->off_percent)
		return;
	m->series = series;
	m->worst = point;
	m->off_percent = off;
}

void repeats_missed(const struct repeats *repeats, const struct series *series,
	size_t series_count, char text[REPEATS_SENTENCE_BYTES])
{
	struct missed m = {0};
	char x[EMIT_NUMBER_BYTES];
	size_t i, k;

	*text = '\0';
	for (i = 0; repeats->within_percent > 0 && i < series_count; i++)
		for (k = 0; k < series[i].point_count; k++)
			look_at(&m, repeats, &series[i], &series[i].points[k]);
	if (!m.worst)
		return;
	text_table_x(m.series->axis, m.worst->x, x);
	snprintf(text, REPEATS_SENTENCE_BYTES,
		"%zu of %zu points %s not within %g %% after %d runs or %d s; "
		"the widest, '%s' at %s %s, is within %.2g %% of its %s",
		m.missed, m.points, m.missed == 1 ? "is" : "are",
		repeats->within_percent, REPEATS_MOST, REPEATS_SECONDS,
		m.series->bench, m.series->axis, x, m.off_percent,
		metric_columns[series_primary(m.series)]);
}
