/* `nearfar fit`: a device is measured and fitted, or what is there is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/command/command.h"
#include "harness/command/fit/fit_options.h"
#include "harness/keep/stop.h"

#define GOES_ON "nearfar: interrupted; the same command goes on where it was\n"
/* Of a process that is between two looks at the flag. */
#define RESUMES         "nearfar: interrupted; --state goes on from the state file\n"
#define MEASURING_SHARE 0.4 /* of --budget, at most */
#define LEAST_S         10  /* of the fit, however long measuring took */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- to a device, or to the folder of a measurement ---- */

static int run_halves(struct fit_options *o, FILE *out, struct error *error)
{
	struct fit_config *c = &o->fit;
	const double all_s = c->seconds, begun_s = now_s();
	double left_s;
	int code = 0;

	if (o->source == FIT_OF_DEVICE) {
		if (!o->measure)
			c->seconds = all_s * MEASURING_SHARE;
		code = fit_measure(c, out, error);
	}
	if (code || o->measure)
		return code;
	left_s = all_s > 0 ? fmax(all_s - (now_s() - begun_s), LEAST_S) : 0;
	return fit_machine(c, left_s, out, error);
}

static int fit_measured(struct fit_options *o, FILE *out, struct error *error)
{
	const char *named = o->measure ? o->measure : o->from[0];
	char *folder = NULL; /* "mychip.fit" beside "mychip.yaml" */
	int code;

	if (!named && asprintf(&folder, "%.*s.fit",
			      (int)(strlen(o->output) - 5), o->output) < 0)
		return error_set(error, ERR_FAILED, "out of memory");
	o->fit.folder = named ? named : folder;
	o->fit.stop = o->fit.backend.stop = stop_catch(GOES_ON);
	code = run_halves(o, out, error);
	if (code == ERR_INTERRUPTED)
		error_suffix(
			error, code, "; the same command goes on from here");
	free(folder);
	return code;
}

/* ---- to files of series ---- */

/* Without --state it stands beside the output while it is needed. */
static int choose_state(
	struct search_config *config, char **state, struct error *error)
{
	*state = NULL;
	if (config->state)
		return 0;
	if (asprintf(state, "%s.state.json", config->output) < 0) {
		*state = NULL;
		return error_set(error, ERR_FAILED, "out of memory");
	}
	config->state = *state;
	return 0;
}

static int fit_files(
	struct search_config *config, FILE *out, struct error *error)
{
	char *state;
	int code = choose_state(config, &state, error);

	if (!code)
		code = fit_check_files(config, error);
	if (!code) {
		config->stop = stop_catch(RESUMES);
		code = search_run(config, out, error);
	}
	if (code == ERR_INTERRUPTED)
		error_set(error, code, "interrupted; --state goes on from '%s'",
			config->state);
	if (!code && state)
		remove(state);
	free(state);
	return code;
}

int command_fit(int argc, char **argv, FILE *out, struct error *error)
{
	struct fit_options *o = NULL;
	int code = fit_options_read(argc, argv, false, &o, error);

	if (code)
		return code;
	code = o->source == FIT_OF_FILES ? fit_files(&o->search, out, error)
					 : fit_measured(o, out, error);
	free(o);
	return code;
}

int command_calibrate(int argc, char **argv, FILE *out, struct error *error)
{
	static char name[] = "nearfar fit";

	fputs("nearfar: 'calibrate' is called 'fit' now\n", stderr);
	argv[0] = name;
	return command_fit(argc, argv, out, error);
}
