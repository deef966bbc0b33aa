#ifndef NEARFAR_COMMAND_H
#define NEARFAR_COMMAND_H

/*
 * A command of the nearfar program: its words (options.h) and what it does.
 * Results go to `out`; messages and progress to stderr. argv[0] is "nearfar
 * NAME". What argp finds wrong ends the process with status 2; all else
 * returns through `error`.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/options/options.h"

struct command {
	const struct options_table *words;
	int (*run)(int argc, char **argv, FILE *out, struct error *error);
};

extern const struct options_table list_options;
extern const struct options_table run_options;
extern const struct options_table show_options;
extern const struct options_table compare_options;
extern const struct options_table table_options;
extern const struct options_table modes_options;
extern const struct options_table map_options;
extern const struct options_table explain_options;
extern const struct options_table report_options;
extern const struct options_table import_options;
extern const struct options_table export_options;
extern const struct options_table fit_options;
extern const struct options_table calibrate_options;
extern const struct options_table doctor_options;
extern const struct options_table fingerprint_options;
extern const struct options_table fleet_options;

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
