#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plot/plot_cells.h"
#include "harness/stats/histogram.h"

#define MARGIN     2
#define FRAME_ROWS 3
#define SHADES     5

/* Of the 256 colours of a terminal: dark blue to yellow, even in lightness. */
static const int colours[] = {17, 18, 24, 30, 36, 35, 71, 107, 143, 185, 227};
#define COLOURS (int)(sizeof(colours) / sizeof(colours[0]))

/* The matrix as small as the window: rows * columns means. */
struct small {
	double *cells;
	size_t rows, columns;
	double low, high;
};

static size_t index_of(const size_t *order, size_t place)
{
	return order ? order[place] : place;
}

static double mean_of(const struct plot_matrix *m, size_t first_row,
	size_t last_row, size_t first_column, size_t last_column)
{
	double sum = 0;
	size_t count = 0, row, column;

	for (row = first_row; row < last_row; row++)
		for (column = first_column; column < last_column; column++) {
			const double cell =
				m->cells[index_of(m->row_order, row) *
						 m->columns +
					 index_of(m->column_order, column)];

			if (!isfinite(cell))
				continue;
			sum += cell;
			count++;
		}
	return count ? sum / (double)count : NAN;
}

static int shrink(const struct plot_matrix *m, size_t rows, size_t columns,
	struct small *small)
{
	struct histogram_range range;
	size_t i, k;

	small->rows = m->rows < rows ? m->rows : rows;
	small->columns = m->columns < columns ? m->columns : columns;
	small->cells = calloc(small->rows * small->columns + 1, sizeof(double));
	if (!small->cells)
		return ERR_FAILED;
	for (i = 0; i < small->rows; i++)
		for (k = 0; k < small->columns; k++)
			small->cells[i * small->columns + k] =
				mean_of(m, i * m->rows / small->rows,
					(i + 1) * m->rows / small->rows,
					k * m->columns / small->columns,
					(k + 1) * m->columns / small->columns);
	range = histogram_range_of(small->cells, small->rows * small->columns);
	small->low = range.low;
	small->high = range.high;
	return 0;
}

static double unit_of(const struct small *small, size_t row, size_t column)
{
	const double cell = small->cells[row * small->columns + column];

	if (!(small->high > small->low))
		return 0;
	return fmin(fmax((cell - small->low) / (small->high - small->low), 0),
		0.9999);
}

static void put_shade(double unit, bool unicode, FILE *out)
{
	static const char *const blocks[SHADES] = {" ", "░", "▒", "▓", "█"};
	static const char letters[SHADES] = {' ', '.', 'o', 'O', '#'};
	const size_t shade = (size_t)(unit * SHADES);

	if (unicode)
		fputs(blocks[shade], out);
	else
		fputc(letters[shade], out);
}

/* Two rows a line: the upper half of a character has a colour, the lower half
   is its ground. */
static void put_coloured(const struct small *small, size_t row, FILE *out)
{
	size_t column;

	for (column = 0; column < small->columns; column++) {
		const double upper = unit_of(small, row, column);
		const double lower = row + 1 < small->rows
					     ? unit_of(small, row + 1, column)
					     : upper;

		fprintf(out, "\033[38;5;%d;48;5;%dm▀",
			colours[(int)(upper * COLOURS)],
			colours[(int)(lower * COLOURS)]);
	}
	fputs("\033[0m\n", out);
}

static void put_small(
	const struct plot *window, const struct small *small, FILE *out)
{
	const bool coloured = window->color && window->unicode;
	size_t row, column;

	for (row = 0; row < small->rows; row += coloured ? 2 : 1) {
		fprintf(out, "%*s", MARGIN, "");
		if (coloured) {
			put_coloured(small, row, out);
			continue;
		}
		for (column = 0; column < small->columns; column++)
			put_shade(unit_of(small, row, column), window->unicode,
				out);
		fputc('\n', out);
	}
}

int plot_put_matrix(const struct plot *window, const struct plot_matrix *matrix,
	FILE *out, struct error *error)
{
	const bool coloured = window->color && window->unicode;
	const size_t rows = window->height > FRAME_ROWS + 2
				    ? window->height - FRAME_ROWS
				    : 2;
	struct small small;

	if (!matrix->rows || !matrix->columns)
		return 0;
	if (shrink(matrix, coloured ? 2 * rows : rows, window->width - MARGIN,
		    &small))
		return error_set(error, ERR_FAILED, "out of memory");
	fprintf(out, "%*srows: %s; columns: %s; %s %.4g to %.4g cycles\n",
		MARGIN, "", matrix->row_name, matrix->column_name,
		coloured ? "dark to light:" : "blank to full:", small.low,
		small.high);
	put_small(window, &small, out);
	free(small.cells);
	return 0;
}
