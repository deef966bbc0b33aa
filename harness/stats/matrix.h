#ifndef NEARFAR_STATS_MATRIX_H
#define NEARFAR_STATS_MATRIX_H

#include <stddef.h>

/* Inverts a symmetric positive matrix, n rows of n, in place (Gauss and
   Jordan). */
void matrix_invert(double *m, size_t n);

#endif
