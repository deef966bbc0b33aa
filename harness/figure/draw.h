#ifndef NEARFAR_FIGURE_DRAW_H
#define NEARFAR_FIGURE_DRAW_H

/*
 * What the commands show, as figures. Each adds its panels to a figure and
 * returns 0 or ERR_FAILED without memory; charts_free() ends the figure
 * either way.
 */
#include "harness/figure/figure.h"
#include "harness/map/map.h"
#include "harness/report/compare.h"
#include "harness/report/table.h"
#include "harness/series/sample_sets.h"
#include "harness/stats/modes.h"

/* A panel for each axis and metric that series share, with the intervals of
   the medians. */
int draw_series(const struct series_list *list, struct charts *figure,
	struct error *error);

/* The same in a terminal, each chart behind an empty line. */
int draw_in_terminal(
	const struct series_list *list, FILE *out, struct error *error);

/* A series as a line with the intervals of its medians. ERR_FAILED without
   memory. */
int draw_line(struct chart *chart, const struct series *series, int metric,
	const char *name, unsigned colour);

/* A chart of errors in percent, and a line of it. NULL, ERR_FAILED: no memory.
 */
struct chart *draw_errors(struct charts *charts, const char *axis);
int draw_error(struct chart *chart, const struct comparison *c,
	const char *name, unsigned colour);

/* For each comparison both curves, and below them the errors. */
int draw_comparisons(const struct comparison_list *list, struct charts *figure,
	struct error *error);

/* A histogram with its modes. */
int draw_modes(const struct sample_set *set, const struct modes *modes,
	struct charts *figure, struct error *error);

/* SMs by lines, each ordered by side. */
int draw_map(const struct map *map, const char *title, struct charts *figure,
	struct error *error);

/* The cells in words, coloured by the share of DRAM or by their number. */
int draw_table(
	const struct table *table, struct charts *figure, struct error *error);

#endif
