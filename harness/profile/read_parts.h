#ifndef NEARFAR_PROFILE_READ_PARTS_H
#define NEARFAR_PROFILE_READ_PARTS_H

/* What the files that read profiles share. */
#include "harness/json/json_place.h"
#include "harness/profile/profile.h"

/* A number that is not negative. */
int profile_read_cycles(
	const struct json_place *up, const char *key, double *value);
bool profile_has(const struct json_place *up, const char *key);

/* ---- read_queues.c ---- */

/* Of a launch whose servers and lines have been read: who waited for whom. */
int profile_read_queues(const struct json_place *up, struct job_profile *where);

#endif
