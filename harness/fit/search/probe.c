/* What can be measured, and what the model makes of it. */
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/probe.h"
#include "harness/run/plan.h"
#include "harness/run/registry.h"

#define WORDS_MAX 12 /* options of a measure */
#define SEED      1

static const struct proposal {
	const char *bench, *options, *quick, *points;
} proposals[] = {
#define NEXT_MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};

const size_t probe_count = sizeof(proposals) / sizeof(proposals[0]);

/* ---- the measures as plans ---- */

static void split(char *words, struct given_option *given, size_t *count)
{
	char *rest, *word = strtok_r(words, " ", &rest);

	for (; word && *count < WORDS_MAX; word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		given[(*count)++] = (struct given_option){word, equals + 1};
	}
}

static int add_options(struct series *series, const struct plan *plan)
{
	const struct bench_option *o = plan->bench->options;
	int code = 0;
	size_t i;

	for (i = 0; !code && o[i].name; i++)
		code = facts_add(&series->options, o[i].name, "%s",
			plan->args.values[i].text);
	return code;
}

static int add_programs(const struct search *c, struct probe *probe,
	const struct plan *plan, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0;
		!code && i < plan->sweep.count && probe->count < MEASURE_POINTS;
		i++) {
		struct program *p = malloc(sizeof(*p));

		if (!p)
			return error_set(error, ERR_FAILED, "out of memory");
		code = plan_build(plan, &c->device, plan->sweep.points[i], SEED,
			p, error);
		if (!code)
			probe->programs[probe->count++] = p;
		else
			free(p);
		if (code == ERR_SKIPPED || code == ERR_USAGE)
			code = 0; /* the device has no such thing */
	}
	return code;
}

int probe_make(const struct search *c, size_t number, struct probe *probe,
	struct error *error)
{
	const struct proposal *m = &proposals[number];
	const struct bench *bench = bench_find(m->bench);
	char words[256], quick[128];
	struct given_option given[WORDS_MAX];
	size_t count = 0;
	struct plan plan;
	int code;

	*probe = (struct probe){.count = 0};
	snprintf(words, sizeof(words), "%s", m->options);
	snprintf(quick, sizeof(quick), "%s", m->quick ? m->quick : "");
	split(words, given, &count);
	probe->series.bench = (char *)(uintptr_t)m->bench; /* lent */
	code = plan_bench(&plan, bench, given, count, NULL, &c->device, error);
	if (code)
		return code;
	code = add_options(&probe->series, &plan)
		       ? error_set(error, ERR_FAILED, "out of memory")
		       : 0;
	plan_free(&plan);
	if (code || !m->quick)
		return code;
	split(quick, given, &count);
	code = plan_bench(
		&plan, bench, given, count, m->points, &c->device, error);
	if (code)
		return code;
	probe->metrics = plan.metrics;
	code = add_programs(c, probe, &plan, error);
	plan_free(&plan);
	return code;
}

void probe_free(struct probe *probe)
{
	size_t i;

	for (i = 0; i < probe->count; i++)
		free(probe->programs[i]);
	facts_free(&probe->series.options);
}

/* ---- as a user types it ---- */

void probe_command(size_t number, char *text, size_t bytes)
{
	const struct proposal *m = &proposals[number];
	char words[256], *rest, *word;
	size_t at;

	at = (size_t)snprintf(text, bytes, "nearfar run %s -b cuda", m->bench);
	snprintf(words, sizeof(words), "%s", m->options);
	for (word = strtok_r(words, " ", &rest); word && at < bytes;
		word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');
		const bool flag = !strcmp(value + 1, "yes");

		*value++ = '\0';
		at += (size_t)snprintf(text + at, bytes - at, " --%s%s%s", word,
			flag ? "" : " ", flag ? "" : value);
	}
	if (at < bytes)
		snprintf(text + at, bytes - at, " -o next-%zu.json.gz",
			number + 1);
}
