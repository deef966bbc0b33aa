/* A row of the suite as a plan. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/measures/rows.h"
#include "harness/run/registry.h"
#include "harness/run/shares.h"

#define WORDS_MAX 48

/* ---- words ---- */

struct words {
	const struct bench *bench;
	struct given_option given[BENCH_OPTIONS_MAX];
	size_t count;
	const char *sweep;
};

static bool is_flag(const struct bench *bench, const char *name)
{
	const struct bench_option *o;

	for (o = bench->options; o->name; o++)
		if (!strcmp(o->name, name))
			return o->type == OPTION_FLAG;
	return false;
}

/* The words are this file's own, so a wrong one is a bug, which a test finds.
   -r and -w are for measure.c. */
static int split(char *text, struct words *words, struct error *error)
{
	char *rest, *word = strtok_r(text, " ", &rest);

	words->bench = word ? bench_find(word) : NULL;
	if (!words->bench)
		return error_set(error, ERR_FAILED,
			"the suite names no bench: '%s'", word ? word : "");
	while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
		const char *name = word + 2, *value = "yes";

		if (strncmp(word, "--", 2) || !is_flag(words->bench, name))
			value = strtok_r(NULL, " ", &rest);
		if (!value || words->count == BENCH_OPTIONS_MAX)
			return error_set(error, ERR_FAILED,
				"the suite's words are wrong at '%s'", word);
		if (!strcmp(word, "-x"))
			words->sweep = value;
		else if (!strncmp(word, "--", 2))
			words->given[words->count++] =
				(struct given_option){name, value};
	}
	return 0;
}

/* A program that needs no file. */
static int plan_written(struct measure_plan *made, const struct measure *row,
	const struct device *device, struct error *error)
{
	const struct chip chip = {.device = *device};
	size_t bytes;
	FILE *out = stream_open_text(&made->text, &bytes);
	int code;

	if (!out)
		return error_set(error, ERR_FAILED, "out of memory");
	code = row->program(&chip,
		row->counts ? (unsigned)strtoul(row->counts, NULL, 10) : 0, out,
		error);
	if (fclose(out) && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = plan_text(&made->plan, made->text, row->name, error);
	if (code) {
		free(made->text);
		made->text = NULL;
	}
	return code;
}

int measure_plan_make(struct measure_plan *made, const struct measure *row,
	const char *path, const struct device *device, struct error *error)
{
	struct words words = {0};
	int code;

	*made = (struct measure_plan){.text = NULL};
	if (!row->words)
		return path ? plan_program(&made->plan, path, error)
			    : plan_written(made, row, device, error);
	made->text = shares_expand(row->words, device);
	if (!made->text)
		return error_set(error, ERR_FAILED, "out of memory");
	code = split(made->text, &words, error);
	if (!code)
		code = plan_bench(&made->plan, words.bench, words.given,
			words.count, words.sweep, device, error);
	if (code)
		measure_plan_free(made);
	return code;
}

void measure_plan_free(struct measure_plan *made)
{
	plan_free(&made->plan);
	free(made->text);
	*made = (struct measure_plan){.text = NULL};
}
