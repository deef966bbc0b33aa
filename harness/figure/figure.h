#ifndef NEARFAR_FIGURE_H
#define NEARFAR_FIGURE_H

/*
 * Figures for papers and pages: charts, drawn by gnuplot as SVG, PDF or PNG.
 * The same charts give the same bytes.
 *
 * gnuplot runs as a child without a shell, reads a script of ours and nothing
 * else (no start-up file), and writes to a pipe. Text stands in the script in
 * single quotes, where gnuplot expands nothing; control characters become
 * spaces.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/chart/chart.h"

struct figure_format {
	const char *ending;   /* "svg" */
	const char *terminal; /* gnuplot's */
	double unit;          /* of the terminal's size: a pixel's share */
	const char *suffix;   /* behind a number of such units */
};

/* By the end of a file's name, gzipped or not; NULL if it is no figure. */
const struct figure_format *figure_format_of(const char *path);

/* ERR_FAILED if there is nothing to draw, gnuplot is not there or fails. */
int figure_write(const struct charts *figure,
	const struct figure_format *format, FILE *out, struct error *error);

#endif
