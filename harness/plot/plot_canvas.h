#ifndef NEARFAR_PLOT_CANVAS_H
#define NEARFAR_PLOT_CANVAS_H

/*
 * A grid of characters to draw on, in dots: 2 x 4 of them a character in
 * braille, one otherwise. (0, 0) is the upper left.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum canvas_style { CANVAS_ASCII, CANVAS_MARKS, CANVAS_BRAILLE };

struct canvas_cell {
	uint8_t dots;  /* braille: its bits */
	uint8_t drawn; /* 0, or 1 + the curve that was here last */
	bool point;    /* a measured point, not only a line */
};

struct canvas {
	struct canvas_cell *cells;
	size_t columns, rows;
	enum canvas_style style;
	bool color;
};

/* ERR_FAILED without memory. */
int canvas_init(struct canvas *canvas, size_t columns, size_t rows,
	enum canvas_style style, bool color);
void canvas_free(struct canvas *canvas);

size_t canvas_dots_x(const struct canvas *canvas);
size_t canvas_dots_y(const struct canvas *canvas);

void canvas_point(struct canvas *canvas, size_t x, size_t y, size_t curve);
void canvas_line(struct canvas *canvas, size_t from_x, size_t from_y,
	size_t to_x, size_t to_y, size_t curve);

/* A row without its trailing blanks and its line end. */
void canvas_put_row(const struct canvas *canvas, size_t row, FILE *out);
/* What a curve looks like, for the legend. */
void canvas_put_mark(const struct canvas *canvas, size_t curve, FILE *out);

#endif
