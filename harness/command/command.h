#ifndef NEARFAR_COMMAND_H
#define NEARFAR_COMMAND_H

/*
 * A command of the nearfar program. Results go to `out`; messages and
 * progress to stderr. argv[0] is "nearfar NAME", so that argp's help reads
 * right. Wrong usage that argp finds ends the process with status 2; all else
 * returns through `error`.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"

struct command {
	const char *name, *summary;
	int (*run)(int argc, char **argv, FILE *out, struct error *error);
};

/* Whether `run` has a bench of that name. */
bool command_run_has(const char *bench);

int command_list(int argc, char **argv, FILE *out, struct error *error);
int command_run(int argc, char **argv, FILE *out, struct error *error);
int command_plan(int argc, char **argv, FILE *out, struct error *error);
int command_merge(int argc, char **argv, FILE *out, struct error *error);
int command_show(int argc, char **argv, FILE *out, struct error *error);
int command_compare(int argc, char **argv, FILE *out, struct error *error);
int command_table(int argc, char **argv, FILE *out, struct error *error);
int command_modes(int argc, char **argv, FILE *out, struct error *error);
int command_map(int argc, char **argv, FILE *out, struct error *error);
int command_explain(int argc, char **argv, FILE *out, struct error *error);
int command_report(int argc, char **argv, FILE *out, struct error *error);
int command_import(int argc, char **argv, FILE *out, struct error *error);
int command_export(int argc, char **argv, FILE *out, struct error *error);
int command_fit(int argc, char **argv, FILE *out, struct error *error);
int command_calibrate(int argc, char **argv, FILE *out, struct error *error);
int command_doctor(int argc, char **argv, FILE *out, struct error *error);
int command_fingerprint(int argc, char **argv, FILE *out, struct error *error);
int command_fleet(int argc, char **argv, FILE *out, struct error *error);

#endif
