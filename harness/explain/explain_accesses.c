/* What accesses would gain whose lanes lie better: in banks of their own, or
   side by side. */
#include <string.h>

#include "harness/explain/explain_again.h"

#define WANTED_LEAST 0.5
#define PASSES_LEAST 1.5

#define SECTORS_LEAST                                                          \
	1.5 /* an access: those of one lane, or of lanes that want             \
		one sector, cannot lie closer */

bool again_is_spread(const struct job_line *line)
{
	return line->bytes &&
	       (double)line->sectors >
		       SECTORS_LEAST * (double)line->executions &&
	       (double)line->bytes <
		       WANTED_LEAST * 32.0 * (double)line->sectors;
}

/* It goes through the banks more often than its bytes need. */
static bool has_conflicts(
	const struct explanation *e, const struct explain_bind *bind)
{
	return !strcmp(bind->server, "load_store_pipe") &&
	       explain_passes(e, bind->line) > PASSES_LEAST;
}

static bool is_spread(
	const struct explanation *e, const struct explain_bind *bind)
{
	(void)e;
	return again_is_spread(bind->line);
}

/* The first bind that is such. */
static const struct explain_bind *find_bind(const struct explanation *e,
	bool (*is)(const struct explanation *e, const struct explain_bind *b))
{
	size_t i;

	for (i = 0; i < e->bind_count && e->binds[i].share >= SHARE_LEAST; i++)
		if (e->binds[i].line && is(e, &e->binds[i]))
			return &e->binds[i];
	return NULL;
}

static int try_access(struct again *a, const struct explain_bind *bind,
	struct explain_what_if words, bool *wish, struct error *error)
{
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	int code;

	*w = words;
	w->of = bind;
	*wish = true;
	code = again_run(a, a->runs->config, a->runs->job, w, error);
	*wish = false;
	a->e->what_if_count += !code;
	return code;
}

int again_accesses(struct again *a, struct error *error)
{
	const struct explain_bind *bind = find_bind(a->e, has_conflicts);
	int code = 0;

	if (bind)
		code = try_access(a, bind,
			(struct explain_what_if){
				.change = "without bank conflicts",
				.what = "no conflicts in shared memory",
				.advice = "lanes in banks of their own, by "
					  "padding or another order"},
			&a->wishes.even_banks, error);
	bind = find_bind(a->e, is_spread);
	if (!code && bind)
		code = try_access(a, bind,
			(struct explain_what_if){
				.change = "strides of lanes closed up",
				.what = "lanes side by side",
				.advice = "an array of each field, or another "
					  "order, so that lanes lie side by "
					  "side"},
			&a->wishes.side_by_side, error);
	return code;
}
