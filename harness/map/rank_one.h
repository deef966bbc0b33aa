#ifndef NEARFAR_RANK_ONE_H
#define NEARFAR_RANK_ONE_H

/*
 * The product row[i] * column[j] that is closest to a matrix: its largest
 * singular vectors, by alternating least squares.
 */
#include <stddef.h>

double square_sum(const double *values, size_t count);

/*
 * `cells` is [row * columns + column]. `row` has length 1, so `column` carries
 * the singular value. Returns its square: how much of the cells' sum of
 * squares the product explains. 0, and terms of 0, for a matrix of zeros.
 */
double rank_one_fit(const double *cells, size_t rows, size_t columns,
	double *row, double *column);

void rank_one_subtract(double *cells, size_t rows, size_t columns,
	const double *row, const double *column);

#endif
