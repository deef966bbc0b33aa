/* What the map of near-far says. */
#include <math.h>
#include <stdlib.h>

#include "harness/fingerprint/readers.h"
#include "harness/stats/values.h"

#define SEED    1
#define CONFIDE 1.96 /* standard deviations: 95 % */

static bool is_near(const struct map *m, size_t sm, size_t line)
{
	return m->sides.sm[sm] == m->sides.line[line];
}

static int read_distance(
	const struct reading *r, bool near, struct figure *figure)
{
	const struct map *m = r->map;
	struct values values = {0};
	struct summary summary;
	size_t sm, line;
	int code = 0;

	for (sm = 0; sm < m->cells.sms; sm++)
		for (line = 0; line < m->cells.lines; line++)
			if (is_near(m, sm, line) == near)
				code |= values_add(&values,
					m->cells.cycles[sm * m->cells.lines +
							line]);
	if (code || stats_summarize(values.items, values.count, SEED, &summary))
		code = error_set(r->error, ERR_FAILED, "out of memory");
	else if (values.count)
		*figure = (struct figure){.value = summary.median,
			.low = summary.low,
			.high = summary.high};
	values_free(&values);
	return code;
}

/* Mean over the near cells of one SM, or of one line. */
static double near_mean(const struct map *m, bool of_sm, size_t index)
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

static void read_farthest(const struct map *m, bool sms, struct figure *figure)
{
	const size_t count = sms ? m->cells.sms : m->cells.lines;
	const double others =
		(double)(sms ? m->cells.lines : m->cells.sms) / m->sides.count;
	double half = 0;
	size_t i;

	for (i = 0; i < count; i++)
		figure->value = fmax(figure->value, near_mean(m, sms, i));
	if (isfinite(m->cells.noise_cycles))
		half = CONFIDE * m->cells.noise_cycles /
		       sqrt(others * (double)m->cells.repeats);
	figure->low = figure->value - half;
	figure->high = figure->value + half;
}

static void set(struct figure *figure, double value)
{
	figure->value = figure->low = figure->high = value;
}

int read_map(const struct reading *r, struct figure *figure)
{
	const struct map *m = r->map;

	if (!m)
		return 0;
	switch ((enum map_figure)r->argument) {
	case MAP_NEAR:
		return read_distance(r, true, figure);
	case MAP_FAR:
		return m->sides.count > 1 ? read_distance(r, false, figure) : 0;
	case MAP_SM:
	case MAP_LINE:
		read_farthest(m, r->argument == MAP_SM, figure);
		return 0;
	case MAP_REST:
		set(figure, fmax(m->floor[0].rest_cycles,
				    m->sides.count > 1 ? m->floor[1].rest_cycles
						       : 0));
		return 0;
	case MAP_SIDE_COUNT:
		set(figure, m->sides.count);
		return 0;
	case MAP_SIDE_SMS:
		set(figure, (double)m->sides.sm_count[0]);
		return 0;
	}
	return 0;
}
