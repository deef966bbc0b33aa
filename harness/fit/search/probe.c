/* What can be measured, and what the model makes of it. */
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/probe.h"
#include "harness/run/plan.h"
#include "harness/split/suite.h"

#define WORDS_BYTES 512
#define SEED        1

static const struct proposal {
	const char *row, *quick;
} proposals[] = {
#define NEXT_MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};

const size_t probe_count = sizeof(proposals) / sizeof(proposals[0]);

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

/* The row's words, and those that make it quick. */
static int put_words(const struct proposal *p, char *words, struct error *error)
{
	char *row = suite_words(p->row);

	if (!row)
		return error_set(error, ERR_FAILED,
			"the default suite has no row '%s'", p->row);
	snprintf(words, WORDS_BYTES, "%s %s", row, p->quick ? p->quick : "");
	free(row);
	return 0;
}

int probe_make(const struct search *c, size_t number, struct probe *probe,
	struct error *error)
{
	const struct proposal *p = &proposals[number];
	char words[WORDS_BYTES];
	const struct measure measure = {.name = p->row, .words = words};
	struct measure_plan made;
	int code = put_words(p, words, error);

	*probe = (struct probe){.count = 0};
	if (code)
		return code;
	code = measure_plan_make(&made, &measure, NULL, &c->device, error);
	if (code)
		return code;
	probe->series.bench =
		(char *)(uintptr_t)made.plan.bench->name; /* lent */
	probe->metrics = made.plan.metrics;
	if (add_options(&probe->series, &made.plan))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && p->quick)
		code = add_programs(c, probe, &made.plan, error);
	measure_plan_free(&made);
	return code;
}

void probe_free(struct probe *probe)
{
	size_t i;

	for (i = 0; i < probe->count; i++)
		free(probe->programs[i]);
	facts_free(&probe->series.options);
}

void probe_command(size_t number, char *text, size_t bytes)
{
	const char *name = proposals[number].row;
	char *words = suite_words(name);

	snprintf(text, bytes, "nearfar run %s -b cuda -o %s.json.gz",
		words ? words : "", name);
	free(words);
}
