#include <stdlib.h>
#include <string.h>

#include "harness/command/run/run_open.h"
#include "harness/command/suite/run_row.h"
#include "harness/command/run/run_together.h"
#include "harness/run/kept.h"

static int parse(
	struct run_row *row, const struct split_row *words, struct error *error)
{
	static char name[] = "row";
	size_t i;

	row->argv = calloc(words->word_count + 2, sizeof(*row->argv));
	if (!row->argv)
		return error_set(error, ERR_FAILED, "out of memory");
	row->argv[0] = name;
	for (i = 0; i < words->word_count; i++)
		row->argv[i + 1] = words->words[i];
	return run_options_parse_words((int)words->word_count + 1, row->argv,
		run_together_row, &row->options, error);
}

static int check_device(const struct run_options *o, struct error *error)
{
	if (!o->all_devices && o->device_count == 1)
		return 0;
	return error_set(
		error, ERR_USAGE, "a row of a suite runs on one device");
}

int run_row_make(struct run_row *row, const char *place,
	const struct split_row *words, bool only_looking, atomic_int *stop,
	struct error *error)
{
	int code;

	*row = (struct run_row){0};
	code = parse(row, words, error);
	if (!code)
		code = check_device(&row->options, error);
	if (!code)
		code = run_open(
			&row->options, only_looking, stop, &row->opened, error);
	if (!code)
		code = run_plans_make(
			&row->options, &row->opened, stop, &row->plans, error);
	return code ? error_prefix(error, code, "%s: ", place) : 0;
}

void run_row_free(struct run_row *row)
{
	run_plans_free(&row->plans);
	run_open_close(&row->opened);
	run_options_free(&row->options);
	free(row->argv);
	*row = (struct run_row){0};
}

int run_row_work(
	const struct run_row *row, uint64_t *digest, struct error *error)
{
	const bool model = row->options.ops->parallel;
	struct opened as_asked = row->opened.items[0];
	struct run_config config =
		run_open_config(&row->options, &row->opened, NULL);

	as_asked.ops = row->options.ops;
	config.opened = &as_asked;
	if (kept_work(&config, !model, row->plans.items, row->plans.count,
		    digest))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}
