/* An explanation of a launch: made, freed, and what its numbers amount to. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"

const char *const explain_cause_names[EXPLAIN_CAUSE_COUNT] = {
#define CAUSE_NAME(name, text) [EXPLAIN_##name] = (text),
	EXPLAIN_CAUSES(CAUSE_NAME)
#undef CAUSE_NAME
};

/* ---- life cycle ---- */

static int find(struct explanation *e, struct error *error)
{
	int code = explain_find_binds(e, error);

	if (!code)
		code = explain_find_operators(e, error);
	if (!code)
		explain_find_error(e);
	return code;
}

int explain_make(struct explanation *e, struct profile_list *profiles,
	const char *assumed, bool placed, struct error *error)
{
	*e = (struct explanation){.profiles = *profiles, .placed = placed};
	*profiles = (struct profile_list){0};
	e->profile = &e->profiles.items[0];
	if (assumed && !(e->assumed = strdup(assumed)))
		return error_set(error, ERR_FAILED, "out of memory");
	return find(e, error);
}

int explain_borrow(struct explanation *e, const struct profile *profile,
	struct error *error)
{
	*e = (struct explanation){.profile = profile};
	return find(e, error);
}

void explain_free(struct explanation *e)
{
	profile_list_free(&e->profiles);
	free(e->assumed);
	free(e->binds);
	free(e->operators);
	*e = (struct explanation){0};
}

/* ---- places ---- */

/* Compilers write whole paths. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void explain_file(const struct explanation *e, const struct explain_bind *bind,
	const char **file, uint32_t *line)
{
	const struct job_line *l = bind->line;

	*file = NULL;
	*line = 0;
	if (!l)
		return;
	if (l->source && l->source_line) {
		*file = base_name(e->profile->where->sources[l->source - 1]);
		*line = l->source_line;
	} else {
		*file = e->profile->module;
		*line = l->line;
	}
}

void explain_place(const struct explanation *e, const struct explain_bind *bind,
	char *text, size_t bytes)
{
	const char *file;
	uint32_t line;

	explain_file(e, bind, &file, &line);
	if (file)
		snprintf(text, bytes, "%s:%u", file, line);
	else
		snprintf(text, bytes, "-");
}

/* ---- numbers ---- */

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double explain_reached(
	const struct explanation *e, const struct job_server *server)
{
	const struct job_profile *where = e->profile->where;

	if (server->rate > 0)
		return server->rate * profile_busy_share(where, server);
	return share(
		(double)server->served, where->server_cycles * server->count);
}

double explain_occupancy_most(const struct job_occupancy *o)
{
	return share(
		(double)o->blocks_per_sm * o->block_warps, o->warps_per_sm);
}

double explain_occupancy(const struct job_occupancy *o)
{
	return share(
		o->warp_cycles, o->cycles * (double)o->sms * o->warps_per_sm);
}

double explain_waves(const struct job_occupancy *o)
{
	return share((double)o->blocks, (double)o->blocks_per_sm * o->sms);
}

void explain_limited(const struct job_occupancy *o, char *text)
{
	size_t i, made = 0;

	*text = '\0';
	if (explain_waves(o) < 1) {
		snprintf(text, 96, "the grid");
		return;
	}
	for (i = 0; i < JOB_LIMIT_COUNT; i++)
		if (o->limits[i] == o->blocks_per_sm)
			made += (size_t)snprintf(text + made, 96 - made, "%s%s",
				made ? ", " : "", job_limit_names[i]);
}

/* Sectors go beyond the SM; what has none is an access to shared memory. */
double explain_passes(const struct explanation *e, const struct job_line *line)
{
	(void)e;
	return line->sectors ? 0
			     : share((double)line->requests,
				       (double)line->executions);
}
