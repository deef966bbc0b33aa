/* What more room on an SM would gain: registers, shared memory, L1. */
#include "harness/explain/explain_again.h"

/* Blocks wait for room of this kind, and warps have some. */
static bool is_limited(const struct job_occupancy *o, enum job_limit limit)
{
	return o->sms && o->limits[limit] == o->blocks_per_sm &&
	       o->blocks > (uint64_t)o->blocks_per_sm * o->sms &&
	       explain_occupancy_most(o) < 1;
}

static int try_room(struct again *a, const struct again_sets *sets,
	const char *what, const char *advice, struct error *error)
{
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	int code;

	*w = (struct explain_what_if){.of = NULL};
	snprintf(w->what, sizeof(w->what), "%s", what);
	snprintf(w->advice, sizeof(w->advice), "%s", advice);
	code = again_run_sets(a, sets, w, error);
	a->e->what_if_count += !code;
	return code;
}

static int try_registers(struct again *a, struct error *error)
{
	struct again_sets sets = {.count = 0};

	if (!again_set(a, &sets, "registers_per_sm",
		    2 * again_value(a, "registers_per_sm")))
		return 0;
	return try_room(a, &sets, "room for twice as many registers",
		"fewer registers a thread (fewer values kept at once, launch "
		"bounds), so that an SM holds more warps",
		error);
}

/* Of the memory that L1 and shared memory have together, shared memory can't
   take the least L1. */
static int try_shared(struct again *a, struct error *error)
{
	const double all = again_value(a, "l1_total_bytes");
	const double least = again_value(a, "l1_cache_min_bytes");
	struct again_sets sets = {.count = 0};

	if (!again_set(a, &sets, "l1_total_bytes", 2 * all - least))
		return 0;
	return try_room(a, &sets, "room for twice as much shared memory",
		"less shared memory a block, so that an SM holds more warps",
		error);
}

/* L2 answers some of what L1 might. */
static bool asks_again(const struct job_profile *w)
{
	double all = 0, l2 = 0;
	size_t i, k;

	for (i = 0; i < w->line_count; i++) {
		for (k = 0; k < JOB_LEVEL_COUNT; k++)
			all += (double)w->lines[i].found[k];
		l2 += (double)(w->lines[i].found[JOB_LEVEL_NEAR] +
			       w->lines[i].found[JOB_LEVEL_FAR]);
	}
	return l2 > 0.2 * all;
}

/* Both grow by as much, so that shared memory takes what it took. */
static int try_l1(struct again *a, struct error *error)
{
	const double all = again_value(a, "l1_total_bytes");
	const double least = again_value(a, "l1_cache_min_bytes");
	struct again_sets sets = {.count = 0};

	if (!again_set(a, &sets, "l1_total_bytes", 2 * all - least) ||
		!again_set(a, &sets, "l1_cache_min_bytes", all))
		return 0;
	return try_room(a, &sets, "an L1 that shared memory takes nothing of",
		"less shared memory a block, or a smaller carve-out, which "
		"leaves more of an SM's memory to L1",
		error);
}

int again_rooms(struct again *a, struct error *error)
{
	const struct job_profile *w = a->e->profile->where;
	const struct job_occupancy *o = &w->occupancy;
	int code = 0;

	if (is_limited(o, JOB_LIMIT_REGISTERS))
		code = try_registers(a, error);
	if (!code && is_limited(o, JOB_LIMIT_SHARED))
		code = try_shared(a, error);
	if (!code && o->sms &&
		(double)o->shared_bytes >
			again_value(a, "shared_reserved_bytes") &&
		asks_again(w))
		code = try_l1(a, error);
	return code;
}
