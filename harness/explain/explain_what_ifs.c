/* What another machine or another launch would gain: the model again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"
#include "harness/kernel/compare.h"

/* A bind with a smaller share is not tried. */
#define SHARE_LEAST 0.05

/* Launches as another shape: at most so many of the runs. */
#define SHAPES_MOST 3u

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

/* ---- a run ---- */

struct again {
	const struct explain_runs *runs;
	struct explanation *e;
	struct model_parameters parameters;
};

static bool is_fatal(int code)
{
	return code == ERR_INTERRUPTED || code == ERR_LOST;
}

/* Whether the buffers hold what the launch that is explained left. */
static bool left_the_same(
	const struct explain_runs *runs, const struct job_result *result)
{
	struct error difference;
	size_t i;

	for (i = 0; i < runs->job->buffer_count; i++)
		if (compare_contents(&runs->job->buffers[i], runs->contents[i],
			    result->contents[i], &difference))
			return false;
	return true;
}

static void take_result(struct again *a, const struct job_result *result,
	struct explain_what_if *w)
{
	w->cycles = result->launches[a->runs->run].cycles;
	w->gain = 1 - w->cycles / a->runs->cycles;
}

static int run(struct again *a, const struct backend_config *config,
	const struct job *job, struct explain_what_if *w, struct error *error)
{
	const bool is_other = job != a->runs->job;
	struct job_wishes wishes = a->runs->wishes;
	struct job_result result = {0};
	struct backend *backend = NULL;
	struct error failure;
	int code;

	wishes.profile = wishes.races = false;
	wishes.contents = is_other;
	wishes.unchecked = !is_other;
	code = a->runs->ops->open(&backend, config, &failure);
	if (!code)
		code = a->runs->ops->run_job(
			backend, job, &wishes, &result, &failure);
	if (!code && is_other && !left_the_same(a->runs, &result))
		snprintf(w->failed, sizeof(w->failed),
			"the kernel leaves other results");
	else if (!code)
		take_result(a, &result, w);
	else
		snprintf(w->failed, sizeof(w->failed), "%.150s", failure.text);
	job_result_free(&result);
	if (backend)
		a->runs->ops->close(backend);
	if (!is_fatal(code))
		return 0;
	*error = failure;
	return code;
}

/* ---- another machine ---- */

#define SETS_MOST 4u
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

static int try_machine(struct again *a, const struct explain_bind *bind,
	const struct advice *advice, struct error *error)
{
	const struct backend_config *own = a->runs->config;
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	const char **sets = calloc(own->set_count + SETS_MOST, sizeof(*sets));
	char made[SETS_MOST][SET_BYTES];
	struct backend_config config = *own;
	const char *word = advice->parameters;
	size_t count = 0, i;
	int code;

	if (!sets)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < own->set_count; i++)
		sets[i] = own->sets[i];
	for (; *word && count < SETS_MOST; word += strspn(word, " ")) {
		const size_t bytes = strcspn(word, " ");

		if (make_set(a, word, bytes, advice->factor, made[count])) {
			sets[own->set_count + count] = made[count];
			count++;
		}
		word += bytes;
	}
	if (!count) {
		free(sets);
		return 0;
	}
	config.sets = sets;
	config.set_count = own->set_count + count;
	*w = (struct explain_what_if){.of = bind};
	snprintf(w->what, sizeof(w->what), "%s", advice->what);
	snprintf(w->advice, sizeof(w->advice), "%s", advice->advice);
	snprintf(w->change, sizeof(w->change), "--set %s", made[0]);
	for (i = 1; i < count; i++)
		snprintf(w->change + strlen(w->change),
			sizeof(w->change) - strlen(w->change), ",%s", made[i]);
	code = run(a, &config, a->runs->job, w, error);
	a->e->what_if_count += !code;
	free(sets);
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
			code = try_machine(a, &e->binds[i], advice, error);
	}
	return code;
}

/* ---- another launch ---- */

/* The launch in x alone, as blocks of so many threads: as many threads as
   before. */
struct shape {
	uint32_t grid, block;
};

static int try_shape(
	struct again *a, size_t launch, struct shape shape, struct error *error)
{
	const struct job *own = a->runs->job;
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	struct job_launch *launches =
		calloc(own->launch_count, sizeof(*launches));
	struct job job = *own;
	int code;

	if (!launches)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(launches, own->launches, own->launch_count * sizeof(*launches));
	launches[launch].grid[0] = shape.grid;
	launches[launch].block[0] = shape.block;
	job.launches = launches;
	*w = (struct explain_what_if){0};
	snprintf(w->change, sizeof(w->change),
		"grid=%" PRIu32 " block=%" PRIu32, shape.grid, shape.block);
	snprintf(w->what, sizeof(w->what),
		"%" PRIu32 " blocks of %" PRIu32 " threads", shape.grid,
		shape.block);
	code = run(a, a->runs->config, &job, w, error);
	a->e->what_if_count += !code;
	free(launches);
	return code;
}

/* Blocks of other sizes with as many threads in all; more blocks, where the
   grid leaves room on the chip: kernels that go on by the grid's size bear
   that. */
static size_t shapes_of(const struct job_launch *l,
	const struct job_occupancy *o, struct shape shapes[SHAPES_MOST])
{
	const uint64_t threads = (uint64_t)l->grid[0] * l->block[0];
	const double waves = explain_waves(o);
	size_t count = 0;

	if (l->grid[1] > 1 || l->grid[2] > 1 || l->block[1] > 1 ||
		l->block[2] > 1 || o->cluster_blocks > 1)
		return 0;
	if (l->block[0] * 2u <= 1024 && !(l->grid[0] % 2))
		shapes[count++] =
			(struct shape){l->grid[0] / 2, l->block[0] * 2};
	if (l->block[0] >= 64 && !(l->block[0] % 64) &&
		threads / (l->block[0] / 2) <= INT32_MAX)
		shapes[count++] =
			(struct shape){l->grid[0] * 2, l->block[0] / 2};
	if (waves > 0 && waves <= 0.5)
		shapes[count++] = (struct shape){
			l->grid[0] * (uint32_t)(1 / waves), l->block[0]};
	return count;
}

static int try_launches(struct again *a, struct error *error)
{
	const struct profile *p = a->e->profile;
	const struct job_launch *l = &a->runs->job->launches[p->launch];
	struct shape shapes[SHAPES_MOST];
	size_t count = shapes_of(l, &p->where->occupancy, shapes), i;
	int code = 0;

	if (a->runs->fixed)
		return 0;
	for (i = 0; !code && i < count; i++)
		code = try_shape(a, p->launch, shapes[i], error);
	return code;
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
		code = try_machines(&a, EXPLAIN_RUNS_MOST - SHAPES_MOST, error);
	if (!code)
		code = try_launches(&a, error);
	model_parameters_free(&a.parameters);
	propose(e);
	return code;
}
