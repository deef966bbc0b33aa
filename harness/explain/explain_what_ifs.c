/* What another machine would gain, and which gains are proposed. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_again.h"

struct advice {
	const char *name, *parameters;
	double factor;
	const char *what, *advice;
};

static const struct advice advices[] = {
#define ADVICE(name, parameters, factor, what, advice)                         \
	{name, parameters, factor, what, advice},
#include "harness/explain/advice.def"
#undef ADVICE
};

static const struct advice *advice_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (!strcmp(advices[i].name, name))
			return &advices[i];
	return NULL;
}

/* ---- another machine ---- */

/* All parameters of an advice, behind those that are there. */
static void add_sets(const struct again *a, const struct advice *advice,
	struct again_sets *sets)
{
	const char *word = advice->parameters;
	char name[64];

	for (; *word; word += strspn(word, " ")) {
		const size_t bytes = strcspn(word, " ");

		snprintf(name, sizeof(name), "%.*s", (int)bytes, word);
		again_set(a, sets, name, again_value(a, name) * advice->factor);
		word += bytes;
	}
}

#define SIDE_BY_SIDE                                                           \
	"lanes side by side, so that a request touches fewer lines and "       \
	"sectors"

/* What is said of an atomic is said of atomics, wherever it stands in line; and
   what is said of one who fetches in vain is that. */
static const char *words_of(const struct again *a,
	const struct explain_bind *bind, const struct advice *advice)
{
	const struct profile *p = a->e->profile;
	const struct job_line *l = bind->line;
	char text[8] = "";

	if (!l)
		return advice->advice;
	explain_operation(
		p->texts[l - p->where->lines], " ", text, sizeof(text));
	if (!strncmp(text, "atom.", 5) || !strncmp(text, "red.", 4))
		return advice_of("atomic_unit")->advice;
	if (again_is_spread(l) && again_closes_up(a->e))
		return SIDE_BY_SIDE;
	return advice->advice;
}

/* Parts of SMs that no parameter says. */
static bool is_pipe(const char *server)
{
	return !strncmp(server, "pipe_", strlen("pipe_"));
}

/* With `besides`, other rates at the same time. */
static int try_machine(struct again *a, const struct explain_bind *bind,
	const struct advice *advice, const struct advice *const *besides,
	size_t beside_count, struct error *error)
{
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	struct again_sets sets = {.count = 0};
	size_t length, i;
	int code;

	add_sets(a, advice, &sets);
	if (!sets.count && !is_pipe(bind->server))
		return 0;
	*w = (struct explain_what_if){.of = bind};
	snprintf(w->what, sizeof(w->what), "%s", advice->what);
	snprintf(w->advice, sizeof(w->advice), "%s", words_of(a, bind, advice));
	for (i = 0; i < beside_count; i++) {
		length = strlen(w->what);
		snprintf(w->what + length, sizeof(w->what) - length, " and %s",
			besides[i]->what);
		add_sets(a, besides[i], &sets);
	}
	if (is_pipe(bind->server)) {
		a->wishes.fast_pipe = bind->server;
		snprintf(w->change, sizeof(w->change), "%s in half the time",
			bind->server);
	}
	code = again_run_sets(a, &sets, w, error);
	a->wishes.fast_pipe = NULL;
	a->e->what_if_count += !code;
	return code;
}

/* The same parameters are tried once. */
static bool was_tried(const struct explanation *e, const struct advice *advice)
{
	size_t i;

	for (i = 0; i < e->what_if_count; i++)
		if (!strcmp(e->what_ifs[i].what, advice->what))
			return true;
	return false;
}

static int try_machines(struct again *a, size_t most, struct error *error)
{
	struct explanation *e = a->e;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < e->bind_count && e->what_if_count < most;
		i++) {
		const char *server = e->binds[i].server;
		const struct advice *advice = advice_of(server);

		if (advice && !was_tried(e, advice) &&
			again_share(e, server) >= SHARE_LEAST)
			code = try_machine(
				a, &e->binds[i], advice, NULL, 0, error);
	}
	return code;
}

/* Servers that are about as busy as the one that binds hold each other up: one
   that is twice as fast gains little. */
#define AS_BUSY      0.8
#define BUSY_LEAST   0.3
#define BESIDES_MOST 2u

/* How busy the server of a bind is; of a latency, the busiest one. */
static double busy_of(
	const struct job_profile *w, const struct explain_bind *bind)
{
	double most = 0;
	size_t i;

	for (i = 0; i < w->server_count; i++) {
		if (!strcmp(w->servers[i].name, bind->server))
			return w->servers[i].busiest_cycles;
		if (!w->servers[i].is_room &&
			w->servers[i].busiest_cycles > most)
			most = w->servers[i].busiest_cycles;
	}
	return most;
}

/* The busiest other servers for which there is an advice, about as busy. */
static size_t find_besides(const struct explanation *e,
	const struct explain_bind *bind,
	const struct advice *besides[BESIDES_MOST])
{
	const struct job_profile *w = e->profile->where;
	const double least = AS_BUSY * busy_of(w, bind);
	size_t count = 0, i;

	for (i = 0; i < w->server_count && count < BESIDES_MOST; i++) {
		const struct job_server *s = &w->servers[i];
		const struct advice *advice = advice_of(s->name);

		if (advice && *advice->parameters && !s->is_room &&
			s->busiest_cycles >= least &&
			s->busiest_cycles >= BUSY_LEAST * w->server_cycles &&
			strcmp(s->name, bind->server) != 0)
			besides[count++] = advice;
	}
	return count;
}

static int try_together(struct again *a, struct error *error)
{
	struct explanation *e = a->e;
	const struct advice *besides[BESIDES_MOST], *advice;
	size_t count;

	if (!e->bind_count || again_share(e, e->binds[0].server) < SHARE_LEAST)
		return 0;
	advice = advice_of(e->binds[0].server);
	if (!advice)
		return 0;
	count = find_besides(e, &e->binds[0], besides);
	return count ? try_machine(
			       a, &e->binds[0], advice, besides, count, error)
		     : 0;
}

/* ---- all of them ---- */

static int by_gain(const void *left, const void *right)
{
	const struct explain_what_if *a = left, *b = right;

	if (a->gain != b->gain)
		return a->gain < b->gain ? 1 : -1;
	return strcmp(a->change, b->change);
}

static void propose(struct explanation *e)
{
	size_t count = 0, i;

	qsort(e->what_ifs, e->what_if_count, sizeof(*e->what_ifs), by_gain);
	for (i = 0; i < e->what_if_count; i++) {
		struct explain_what_if *w = &e->what_ifs[i];

		w->proposed = !*w->failed && count < EXPLAIN_SENTENCES_MOST &&
			      100 * w->gain > e->error.percent;
		count += w->proposed;
	}
}

int explain_what_ifs(struct explanation *e, const struct explain_runs *runs,
	struct error *error)
{
	struct again a = {.runs = runs, .e = e, .wishes = runs->wishes};
	int code = runs->ops->parameters(runs->machine, &a.parameters, error);

	e->asked = true;
	if (!code)
		code = again_accesses(&a, error);
	if (!code)
		code = again_rooms(&a, error);
	if (!code)
		code = try_machines(
			&a, EXPLAIN_RUNS_MOST - SHAPES_MOST - 1, error);
	if (!code)
		code = try_together(&a, error);
	if (!code)
		code = again_shapes(&a, error);
	model_parameters_free(&a.parameters);
	propose(e);
	return code;
}
