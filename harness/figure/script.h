#ifndef NEARFAR_FIGURE_SCRIPT_H
#define NEARFAR_FIGURE_SCRIPT_H

#include "harness/figure/figure.h"

/* What gnuplot reads for a figure. Stream errors show in ferror(). */
void script_put(const struct charts *figure, const struct figure_format *format,
	FILE *out);

/* A panel of cells; the rest of a panel is the same for all kinds. */
void script_put_grid(const struct chart *panel, size_t number, FILE *out);

/* Letters of the longest word. */
size_t script_longest(char *const *words, size_t count);
/* The height, in pixels, that names of columns take beyond a line: they are
   turned where they are wider than the cells. */
double script_tilt(const struct chart *panel);

/* 'text', as gnuplot takes it as it is. */
void script_put_text(const char *text, FILE *out);

/* Runs gnuplot with the script as its standard input. ERR_FAILED with what it
   said. */
int gnuplot_run(FILE *script, FILE *out, struct error *error);

#endif
