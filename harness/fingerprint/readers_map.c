/* What the map of near-far says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fingerprint/readers.h"
#include "harness/map/text.h"
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
	case MAP_HASH:
		if (m->sides.count > 1)
			set(figure, m->hash.bits);
		return 0;
	case MAP_SIDE_SMS:
		set(figure, (double)m->sides.sm_count[0]);
		return 0;
	}
	return 0;
}

/* ---- all of it ---- */

/* Takes the array in, under `key`. */
static bool add_numbers(
	json_t *object, const char *key, const double *values, size_t count)
{
	json_t *list = json_array();
	size_t i;
	int failed = !list;

	for (i = 0; !failed && i < count; i++)
		failed = json_array_append_new(
			list, isfinite(values[i]) ? json_real(values[i])
						  : json_null());
	failed |= json_object_set(object, key, list);
	json_decref(list);
	return !failed;
}

static bool add_near(json_t *object, const struct map *m)
{
	double values[READ_SMS_MAX];
	size_t sm;

	for (sm = 0; sm < m->cells.sms && sm < READ_SMS_MAX; sm++)
		values[sm] = near_mean(m, true, sm);
	return add_numbers(object, "sm_near_cycles", values, sm);
}

static bool add_shares(
	json_t *object, const struct map *m, const struct point *point)
{
	double cycles[READ_SMS_MAX], sorted[READ_SMS_MAX], middle;
	const size_t sms =
		m->cells.sms < READ_SMS_MAX ? m->cells.sms : READ_SMS_MAX;
	size_t sm;

	read_sm_cycles(&point->samples, 0, cycles);
	memcpy(sorted, cycles, sizeof(sorted));
	middle = stats_median(sorted, sms);
	for (sm = 0; sm < sms; sm++)
		cycles[sm] = middle / cycles[sm];
	return add_numbers(object, "sm_l2_share", cycles, sms);
}

json_t *read_whole_map(const struct map *map, const struct series *rates)
{
	json_t *object = map_json(map);
	bool whole = object && add_near(object, map);

	if (whole && rates && rates->point_count && !rates->points[0].skipped)
		whole = add_shares(object, map, &rates->points[0]);
	if (whole)
		return object;
	json_decref(object);
	return NULL;
}
