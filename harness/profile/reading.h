#ifndef NEARFAR_PROFILE_READING_H
#define NEARFAR_PROFILE_READING_H

/* What the readers of profiles share, and the parts of a launch that have files
   of their own. */
#include <stdbool.h>

#include "harness/json/json_place.h"
#include "harness/profile/profile.h"

#define PROFILE_COUNT_MOST ((uint64_t)1 << 53)

/* ---- numbers ---- */

static inline int read_u32(
	const struct json_place *up, const char *key, uint32_t *value)
{
	const struct json_place place = place_key(up, key);
	uint64_t count = 0;
	int code = place_count(&place, UINT32_MAX, &count);

	*value = (uint32_t)count;
	return code;
}

static inline int read_u64(
	const struct json_place *up, const char *key, uint64_t *value)
{
	const struct json_place place = place_key(up, key);

	return place_count(&place, PROFILE_COUNT_MOST, value);
}

static inline int read_cycles(
	const struct json_place *up, const char *key, double *value)
{
	const struct json_place place = place_key(up, key);
	int code = place_number(&place, value);

	if (!code && !(*value >= 0))
		return place_fail(&place, "must not be negative");
	return code;
}

static inline bool is_there(const struct json_place *up, const char *key)
{
	return place_key(up, key).value != NULL;
}

/* ---- occupancy.c ---- */

/* Writes ", KEY: ..." of a launch: how full the SMs were, and what L2 fetched.
 */
void profile_put_occupancy(FILE *out, const struct job_profile *where);
/* Reads it back; profiles of before lack it. */
int profile_read_occupancy(
	const struct json_place *up, struct job_profile *where);

#endif
