/* The map of near-far as a fingerprint has it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fingerprint/map.h"
#include "harness/map/text.h"
#include "harness/observe/readers.h"

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
		values[sm] = map_near_mean(m, true, sm);
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

json_t *fingerprint_map(const struct map *map, const struct series *rates)
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
