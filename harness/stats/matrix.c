#include "harness/stats/matrix.h"

void matrix_invert(double *m, size_t n)
{
	size_t i, j, k;

	for (k = 0; k < n; k++) {
		double pivot = m[k * n + k];

		m[k * n + k] = 1;
		for (j = 0; j < n; j++)
			m[k * n + j] /= pivot;
		for (i = 0; i < n; i++) {
			double factor = m[i * n + k];

			if (i == k)
				continue;
			m[i * n + k] = 0;
			for (j = 0; j < n; j++)
				m[i * n + j] -= factor * m[k * n + j];
		}
	}
}
