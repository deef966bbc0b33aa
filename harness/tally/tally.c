#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/profile/profile.h"
#include "harness/tally/tally.h"

/* ---- life cycle ---- */

struct tally_launch *tally_add(struct tally *tally, const char *kernel)
{
	struct tally_launch *launches = reallocarray(
		tally->launches, tally->count + 1, sizeof(*launches));

	if (!launches)
		return NULL;
	tally->launches = launches;
	launches += tally->count;
	*launches = (struct tally_launch){.kernel = strdup(kernel)};
	if (!launches->kernel)
		return NULL;
	tally->count++;
	return launches;
}

bool tally_add_value(
	struct tally_launch *launch, const char *name, double value)
{
	struct tally_value *values = reallocarray(
		launch->values, launch->count + 1, sizeof(*values));

	if (!values)
		return false;
	launch->values = values;
	values += launch->count;
	*values = (struct tally_value){strdup(name), value};
	launch->count += values->name != NULL;
	return values->name;
}

void tally_free(struct tally *tally)
{
	size_t i, k;

	for (i = 0; i < tally->count; i++) {
		for (k = 0; k < tally->launches[i].count; k++)
			free(tally->launches[i].values[k].name);
		free(tally->launches[i].values);
		free(tally->launches[i].kernel);
	}
	free(tally->launches);
	*tally = (struct tally){0};
}

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- results of kernels ---- */

static bool take_point(
	struct tally *tally, const char *kernel, const struct point *point)
{
	const double cycles =
		point_summary(point, METRIC_ELAPSED_CYCLES)->median;
	struct tally_launch *launch = tally_add(tally, kernel);
	bool taken = launch && tally_add_value(launch, TALLY_CYCLES, cycles);
	size_t i;

	for (i = 0; taken && i < point->counter_count; i++)
		taken = tally_add_value(launch, point->counters[i].name,
			point->counters[i].value);
	return taken;
}

static int take_series(const struct series_list *list, struct tally *tally,
	struct error *error)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct series *s = &list->items[i];

		for (k = 0; k < s->point_count; k++)
			if (isfinite(point_summary(
				    &s->points[k], METRIC_ELAPSED_CYCLES)
					     ->median) &&
				!take_point(tally, s->bench, &s->points[k]))
				return no_memory(error);
	}
	return 0;
}

/* ---- profiles ---- */

static bool take_waits(
	struct tally_launch *launch, const struct job_profile *where)
{
	char name[64];
	size_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		snprintf(name, sizeof(name), "wait.%s", job_wait_names[i]);
		if (!tally_add_value(launch, name, where->wait_cycles[i]))
			return false;
	}
	return true;
}

static bool take_servers(
	struct tally_launch *launch, const struct job_profile *where)
{
	char name[64];
	size_t i;

	for (i = 0; i < where->server_count; i++) {
		const struct job_server *s = &where->servers[i];

		snprintf(name, sizeof(name), "busy.%s", s->name);
		if (!tally_add_value(launch, name, s->busy_cycles))
			return false;
		snprintf(name, sizeof(name), "in_line.%s", s->name);
		if (!tally_add_value(launch, name, s->waited_cycles))
			return false;
	}
	return true;
}

static int take_profiles(const struct profile_list *list, struct tally *tally,
	struct error *error)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct profile *p = &list->items[i];
		struct tally_launch *launch = tally_add(tally, p->kernel);

		if (!launch ||
			!tally_add_value(launch, TALLY_CYCLES, p->cycles) ||
			!take_waits(launch, p->where) ||
			!take_servers(launch, p->where))
			return no_memory(error);
	}
	return 0;
}

/* ---- files ---- */

static bool has_nsight(const char *path)
{
	struct content content;
	bool has;

	if (!strcmp(path, "-") ||
		content_read(path, CONTENT_MOST, &content, NULL))
		return false;
	has = tally_is_nsight(content.text);
	content_free(&content);
	return has;
}

bool tally_detect(const char *path)
{
	return profile_detect(path) || has_nsight(path);
}

static int read_profiles(
	const char *path, struct tally *tally, struct error *error)
{
	struct profile_list list = {0};
	int code = profile_read(path, &list, error);

	if (!code)
		code = take_profiles(&list, tally, error);
	profile_list_free(&list);
	return code;
}

static int read_nsight(
	const char *path, struct tally *tally, struct error *error)
{
	struct content content;
	int code = content_read(path, CONTENT_MOST, &content, error);

	if (code)
		return code;
	code = tally_read_nsight(
		content.text, content.bytes, path, tally, error);
	content_free(&content);
	return code;
}

static int read_series(
	const char *path, struct tally *tally, struct error *error)
{
	struct series_list list = {0};
	int code = series_read(path, &list, error);

	if (!code)
		code = take_series(&list, tally, error);
	series_list_free(&list);
	return code;
}

int tally_read(const char *path, struct tally *tally, struct error *error)
{
	int code;

	*tally = (struct tally){0};
	if (profile_detect(path))
		code = read_profiles(path, tally, error);
	else if (has_nsight(path))
		code = read_nsight(path, tally, error);
	else
		code = read_series(path, tally, error);
	if (!code && !tally->count)
		code = error_set(error, ERR_USAGE,
			"'%s' has no launch of a kernel", path);
	return code;
}
