#include <math.h>
#include <string.h>

#include "harness/map/rank_one.h"

#define ROUNDS_MAX 200
#define SETTLED    1e-9 /* relative change of the singular value's square */

double square_sum(const double *values, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += values[i] * values[i];
	return sum;
}

static void scale(double *values, size_t count, double factor)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] *= factor;
}

/* column = cells' * row */
static void fit_column(const double *cells, size_t rows, size_t columns,
	const double *row, double *column)
{
	size_t i, j;

	memset(column, 0, columns * sizeof(*column));
	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			column[j] += cells[i * columns + j] * row[i];
}

/* row = cells * column, scaled to length 1 */
static void fit_row(const double *cells, size_t rows, size_t columns,
	const double *column, double *row)
{
	double length;
	size_t i, j;

	memset(row, 0, rows * sizeof(*row));
	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			row[i] += cells[i * columns + j] * column[j];
	length = sqrt(square_sum(row, rows));
	scale(row, rows, length > 0 ? 1 / length : 0);
}

/* From the longest row, which the product cannot be orthogonal to unless it
   is far from being the largest. */
static void start(
	const double *cells, size_t rows, size_t columns, double *column)
{
	double best = -1;
	size_t i, longest = 0;

	for (i = 0; i < rows; i++) {
		double length = square_sum(cells + i * columns, columns);

		if (length > best) {
			best = length;
			longest = i;
		}
	}
	memcpy(column, cells + longest * columns, columns * sizeof(*column));
}

double rank_one_fit(const double *cells, size_t rows, size_t columns,
	double *row, double *column)
{
	double before, now = 0;
	size_t round;

	if (!rows || !columns)
		return 0;
	start(cells, rows, columns, column);
	for (round = 0; round < ROUNDS_MAX; round++) {
		before = now;
		fit_row(cells, rows, columns, column, row);
		fit_column(cells, rows, columns, row, column);
		now = square_sum(column, columns);
		if (fabs(now - before) <= SETTLED * now)
			break;
	}
	return now;
}

void rank_one_subtract(double *cells, size_t rows, size_t columns,
	const double *row, const double *column)
{
	size_t i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			cells[i * columns + j] -= row[i] * column[j];
}
