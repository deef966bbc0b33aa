/* What another machine would gain, and which gains are proposed. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_again.h"

/* A bind with a smaller share is not tried. */
#define SHARE_LEAST 0.05

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

#define SETS_MOST 8u
#define SET_BYTES 160

/* A value that was given by --set counts, the last one of them. */
static double value_of(const struct again *a, const struct model_parameter *p)
{
	const struct backend_config *config = a->runs->config;
	const size_t bytes = strlen(p->name);
	double value = p->value;
	size_t i;

	for (i = 0; i < config->set_count; i++)
		if (!strncmp(config->sets[i], p->name, bytes) &&
			config->sets[i][bytes] == '=')
			value = strtod(config->sets[i] + bytes + 1, NULL);
	return value;
}

/* "NAME=VALUE" of a parameter that has one here; false: it has none, or may not
   have that. */
static bool make_set(const struct again *a, const char *name, size_t bytes,
	double factor, char set[SET_BYTES])
{
	char word[64], text[MODEL_VALUE_BYTES];
	const struct model_parameter *p;
	double value;

	snprintf(word, sizeof(word), "%.*s", (int)bytes, name);
	p = model_parameters_find(&a->parameters, word);
	if (!p)
		return false;
	value = value_of(a, p) * factor;
	if (!(value > 0) || value < p->minimum || value > p->maximum)
		return false;
	/* Four digits are enough, and read well. */
	snprintf(text, sizeof(text), "%.4g", value);
	value = strtod(text, NULL);
	model_value_format(p->unit, value, text);
	snprintf(set, SET_BYTES, "%s=%s", word, text);
	return true;
}

/* All parameters of an advice, behind those that are there. */
static size_t make_sets(const struct again *a, const struct advice *advice,
	char made[SETS_MOST][SET_BYTES], size_t count)
{
	const char *word = advice->parameters;

	for (; *word && count < SETS_MOST; word += strspn(word, " ")) {
		const size_t bytes = strcspn(word, " ");

		count += make_set(a, word, bytes, advice->factor, made[count]);
		word += bytes;
	}
	return count;
}

static int run_sets(struct again *a, char made[SETS_MOST][SET_BYTES],
	size_t count, struct explain_what_if *w, struct error *error)
{
	const struct backend_config *own = a->runs->config;
	const char **sets = calloc(own->set_count + SETS_MOST, sizeof(*sets));
	struct backend_config config = *own;
	size_t i, length;
	int code;

	if (!sets)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < own->set_count; i++)
		sets[i] = own->sets[i];
	for (i = 0; i < count; i++) {
		sets[own->set_count + i] = made[i];
		length = strlen(w->change);
		snprintf(w->change + length, sizeof(w->change) - length, "%s%s",
			i ? "," : "--set ", made[i]);
	}
	config.sets = sets;
	config.set_count = own->set_count + count;
	code = again_run(a, &config, a->runs->job, w, error);
	free(sets);
	return code;
}

/* What is said of an atomic is said of atomics, wherever it stands in line. */
static const char *words_of(const struct again *a,
	const struct explain_bind *bind, const struct advice *advice)
{
	const struct profile *p = a->e->profile;
	char text[8] = "";

	if (bind->line)
		explain_operation(p->texts[bind->line - p->where->lines], " ",
			text, sizeof(text));
	return strncmp(text, "atom.", 5) != 0 && strncmp(text, "red.", 4) != 0
		       ? advice->advice
		       : advice_of("atomic_unit")->advice;
}

/* `beside`: another rate at the same time, or NULL. */
static int try_machine(struct again *a, const struct explain_bind *bind,
	const struct advice *advice, const struct advice *beside,
	struct error *error)
{
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	char made[SETS_MOST][SET_BYTES];
	size_t count = make_sets(a, advice, made, 0);
	int code;

	if (!count)
		return 0;
	*w = (struct explain_what_if){.of = bind};
	snprintf(w->what, sizeof(w->what), "%s%s%s", advice->what,
		beside ? " and " : "", beside ? beside->what : "");
	snprintf(w->advice, sizeof(w->advice), "%s", words_of(a, bind, advice));
	if (beside)
		count = make_sets(a, beside, made, count);
	code = run_sets(a, made, count, w, error);
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

	for (i = 0; !code && i < e->bind_count && e->what_if_count < most &&
		    e->binds[i].share >= SHARE_LEAST;
		i++) {
		const struct advice *advice = advice_of(e->binds[i].server);

		if (advice && !was_tried(e, advice))
			code = try_machine(
				a, &e->binds[i], advice, NULL, error);
	}
	return code;
}

/* Servers that are about as busy as the one that binds hold each other up: one
   that is twice as fast gains little. */
#define AS_BUSY 0.8

/* The busiest other server for which there is an advice; NULL: none is about as
   busy. */
static const struct advice *find_beside(
	const struct explanation *e, const struct explain_bind *bind)
{
	const struct job_profile *w = e->profile->where;
	double most = 0;
	size_t i;

	for (i = 0; i < w->server_count; i++)
		if (!strcmp(w->servers[i].name, bind->server))
			most = w->servers[i].busiest_cycles;
	for (i = 0; most > 0 && i < w->server_count; i++) {
		const struct job_server *s = &w->servers[i];

		if (!s->is_room && strcmp(s->name, bind->server) != 0 &&
			advice_of(s->name))
			return s->busiest_cycles >= AS_BUSY * most
				       ? advice_of(s->name)
				       : NULL;
	}
	return NULL;
}

static int try_both(struct again *a, struct error *error)
{
	struct explanation *e = a->e;
	const struct advice *advice, *beside;

	if (!e->bind_count || e->binds[0].share < SHARE_LEAST)
		return 0;
	advice = advice_of(e->binds[0].server);
	beside = advice ? find_beside(e, &e->binds[0]) : NULL;
	return beside ? try_machine(a, &e->binds[0], advice, beside, error) : 0;
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
	struct again a = {.runs = runs, .e = e};
	int code = runs->ops->parameters(runs->machine, &a.parameters, error);

	e->asked = true;
	if (!code)
		code = try_machines(
			&a, EXPLAIN_RUNS_MOST - SHAPES_MOST - 1, error);
	if (!code)
		code = try_both(&a, error);
	if (!code)
		code = again_shapes(&a, error);
	model_parameters_free(&a.parameters);
	propose(e);
	return code;
}
