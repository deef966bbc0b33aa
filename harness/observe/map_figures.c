#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/observe/map_figures.h"
#include "harness/stats/stats.h"
#include "harness/stats/values.h"

#define SEED    1
#define CONFIDE 1.96 /* standard deviations: 95 % */

static bool is_near(const struct map *m, size_t sm, size_t line)
{
	return m->sides.sm[sm] == m->sides.line[line];
}

static void set(struct observed *figure, double value)
{
	figure->value = figure->low = figure->high = value;
}

/* ---- all near cells, or all far ones ---- */

static int distances(const struct map *m, bool near, struct values *values)
{
	size_t sm, line;
	int code = 0;

	for (sm = 0; sm < m->cells.sms; sm++)
		for (line = 0; line < m->cells.lines; line++)
			if (is_near(m, sm, line) == near)
				code |= values_add(values,
					m->cells.cycles[sm * m->cells.lines +
							line]);
	return code;
}

static int median_of(const struct values *values, struct observed *figure)
{
	struct summary summary;

	if (stats_summarize(values->items, values->count, SEED, &summary))
		return ERR_FAILED;
	*figure = (struct observed){summary.median, summary.low, summary.high};
	return 0;
}

static int put_distance(const struct map *m, bool near, bool mean,
	struct observed *figure, struct error *error)
{
	struct values values = {0};
	int code = distances(m, near, &values);

	if (!code && values.count && mean)
		set(figure, stats_mean(values.items, values.count));
	else if (!code && values.count)
		code = median_of(&values, figure);
	values_free(&values);
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

/* ---- SMs and lines ---- */

double map_near_mean(const struct map *m, bool of_sm, size_t index)
{
	const size_t others = of_sm ? m->cells.lines : m->cells.sms;
	double sum = 0;
	size_t count = 0, k;

	for (k = 0; k < others; k++) {
		const size_t sm = of_sm ? index : k, line = of_sm ? k : index;

		if (!is_near(m, sm, line))
			continue;
		sum += m->cells.cycles[sm * m->cells.lines + line];
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static void put_farthest(const struct map *m, bool sms, struct observed *figure)
{
	const size_t count = sms ? m->cells.sms : m->cells.lines;
	const double others =
		(double)(sms ? m->cells.lines : m->cells.sms) / m->sides.count;
	double half = 0;
	size_t i;

	for (i = 0; i < count; i++)
		figure->value = fmax(figure->value, map_near_mean(m, sms, i));
	if (isfinite(m->cells.noise_cycles))
		half = CONFIDE * m->cells.noise_cycles /
		       sqrt(others * (double)m->cells.repeats);
	figure->low = figure->value - half;
	figure->high = figure->value + half;
}

/* ---- the floor plan ---- */

/* The deviation of the near cells of side 0 that a share of their variance
   is. */
static double term(const struct map *m, double share)
{
	double sum = 0, squares = 0, count = 0;
	size_t sm, line;

	for (sm = 0; sm < m->cells.sms; sm++)
		for (line = 0; line < m->cells.lines; line++) {
			const double cycles =
				m->cells.cycles[sm * m->cells.lines + line];

			if (m->sides.sm[sm] || m->sides.line[line])
				continue;
			sum += cycles;
			squares += cycles * cycles;
			count++;
		}
	return sqrt(
		share *
		(count > 0 ? fmax(squares / count - sum / count * (sum / count),
				     0)
			   : 0));
}

static double rest_of(const struct map *m)
{
	return fmax(m->floor[0].rest_cycles,
		m->sides.count > 1 ? m->floor[1].rest_cycles : 0);
}

/* ---- a touch ---- */

static void put_load(const struct map *m, bool far, struct observed *figure)
{
	const struct map_reads *reads = m->touch.reads[MAP_FIRST][1];

	if (reads[0].count && reads[1].count)
		set(figure, reads[far].median_cycles);
}

/* ---- all of it ---- */

int map_observe(const struct map *m, enum map_figure which,
	struct observed *figure, struct error *error)
{
	const bool sides = m->sides.count > 1;

	*figure = (struct observed){NAN, NAN, NAN};
	switch (which) {
	case MAP_NEAR:
	case MAP_NEAR_MEAN:
		return put_distance(
			m, true, which == MAP_NEAR_MEAN, figure, error);
	case MAP_FAR:
	case MAP_FAR_MEAN:
		return sides ? put_distance(m, false, which == MAP_FAR_MEAN,
				       figure, error)
			     : 0;
	case MAP_SM:
	case MAP_LINE:
		put_farthest(m, which == MAP_SM, figure);
		break;
	case MAP_REST:
		set(figure, rest_of(m));
		break;
	case MAP_SM_TERM:
		set(figure, term(m, m->floor[0].sm_share));
		break;
	case MAP_LINE_TERM:
		set(figure, term(m, m->floor[0].line_share));
		break;
	case MAP_PRODUCT_TERM:
		set(figure, term(m, m->floor[0].product_share));
		break;
	case MAP_NEAR_LOAD:
	case MAP_FAR_LOAD:
		put_load(m, which == MAP_FAR_LOAD, figure);
		break;
	case MAP_SIDE_COUNT:
		set(figure, m->sides.count);
		break;
	case MAP_SIDE_SMS:
		set(figure, (double)m->sides.sm_count[0]);
		break;
	case MAP_HASH:
		if (sides)
			set(figure, m->hash.bits);
		break;
	}
	return 0;
}
