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

/* Sums, counts and extremes; who exchanges or compares needs the word as it
   is. */
static bool is_summed(
	const struct explanation *e, const struct explain_bind *bind)
{
	static const char *const kinds[] = {
		".add", ".min", ".max", ".and", ".or", ".xor", ".inc"};
	const struct profile *p = e->profile;
	char text[64];
	size_t i;

	explain_operation(p->texts[bind->line - p->where->lines], " ", text,
		sizeof(text));
	if ((strncmp(text, "atom.", 5) != 0 && strncmp(text, "red.", 4) != 0) ||
		strstr(text, ".shared"))
		return false;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(text, kinds[i]))
			return true;
	return false;
}

static bool is_spread(
	const struct explanation *e, const struct explain_bind *bind)
{
	(void)e;
	return again_is_spread(bind->line);
}

/* The first bind that is such, if all of them have enough of a share. */
static const struct explain_bind *find_bind(const struct explanation *e,
	bool (*is)(const struct explanation *e, const struct explain_bind *b))
{
	const struct explain_bind *first = NULL;
	double share = 0;
	size_t i;

	for (i = 0; i < e->bind_count; i++) {
		const struct explain_bind *b = &e->binds[i];

		if (!b->line || !is(e, b))
			continue;
		share += b->share;
		first = first ? first : b;
	}
	return share >= SHARE_LEAST ? first : NULL;
}

#define CLOSED_UP "strides of lanes closed up"

bool again_closes_up(const struct explanation *e)
{
	size_t i;

	for (i = 0; i < e->what_if_count; i++)
		if (!strcmp(e->what_ifs[i].change, CLOSED_UP))
			return !*e->what_ifs[i].failed &&
			       100 * e->what_ifs[i].gain > e->error.percent;
	return false;
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
			(struct explain_what_if){.change = CLOSED_UP,
				.what = "lanes side by side",
				.advice = "an array of each field, or another "
					  "order, so that lanes lie side by "
					  "side"},
			&a->wishes.side_by_side, error);
	bind = find_bind(a->e, is_summed);
	if (!code && bind)
		code = try_access(a, bind,
			(struct explain_what_if){
				.change = "atomics summed up first",
				.what = "sums in warps, and a copy a block in "
					"shared memory, without the last sums",
				.advice = "sums in registers or shared memory "
					  "first, and an atomic a block",
				.at_most = true},
			&a->wishes.summed_first, error);
	return code;
}
