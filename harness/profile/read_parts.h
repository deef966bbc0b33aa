#ifndef NEARFAR_PROFILE_READ_PARTS_H
#define NEARFAR_PROFILE_READ_PARTS_H

/* What the files that read profiles share. */
#include "harness/json/json_place.h"
#include "harness/profile/profile.h"

#define PROFILE_COUNT_MOST ((uint64_t)1 << 53)

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

/* A number that is not negative. */
int profile_read_cycles(
	const struct json_place *up, const char *key, double *value);
bool profile_has(const struct json_place *up, const char *key);

/* ---- read_queues.c ---- */

/* Of a launch whose servers and lines have been read: who waited for whom. */
int profile_read_queues(const struct json_place *up, struct job_profile *where);

/* ---- occupancy.c ---- */

/* Writes ", KEY: ..." of a launch: how full the SMs were, and what L2 fetched.
 */
void profile_put_occupancy(FILE *out, const struct job_profile *where);
/* Reads it back; profiles of before lack it. */
int profile_read_occupancy(
	const struct json_place *up, struct job_profile *where);

#endif
