#include <stdbool.h>
#include <string.h>

#include "harness/command/run/run_together.h"

static const char *const not_of_a_row[] = {"output", "format", "jobs", "raw",
	"resume", "force", "strict", "stats", "dry-run", "dump-program",
	"dump-ptx", "kernel", "trace", "profile", "suite", "part",
	"whole-series", "scratch", NULL};

static const char *const not_of_explain[] = {"backend", "output", "format",
	"jobs", "repeats", "warmups", "raw", "resume", "force", "strict",
	"stats", "dry-run", "dump-program", "dump-ptx", "suite", "part",
	"whole-series", "scratch", "like", "device", "peer", "dump", "digests",
	"check", "profile", "races", "no-samples", "engine", "values", "trace",
	NULL};

static const char *const beside_suite[] = {
	"jobs", "suite", "part", "whole-series", "scratch", "output", NULL};

static bool has(const char *const *names, const struct options_row *row)
{
	for (; row && *names; names++)
		if (!strcmp(*names, row->name))
			return true;
	return false;
}

int run_together_row(
	void *into, const struct options_row *row, struct error *error)
{
	(void)into;
	if (!has(not_of_a_row, row))
		return 0;
	return error_set(error, ERR_USAGE,
		"--%s does not go into a row of a suite", row->name);
}

int run_together_explain(
	void *into, const struct options_row *row, struct error *error)
{
	(void)into;
	if (!has(not_of_explain, row))
		return 0;
	return error_set(error, ERR_USAGE,
		"--%s does not go with 'nearfar explain'", row->name);
}

int run_together_suite(const struct options_row *row, struct error *error)
{
	if (!row || has(beside_suite, row))
		return 0;
	if (has(not_of_a_row, row))
		return error_set(error, ERR_USAGE,
			"--%s does not go with --suite", row->name);
	return error_set(error, ERR_USAGE,
		"--suite runs what its rows say: --%s goes into them, or "
		"behind --",
		row->name);
}
