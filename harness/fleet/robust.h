#ifndef NEARFAR_FLEET_ROBUST_H
#define NEARFAR_FLEET_ROBUST_H

/*
 * Where the middle of a crowd is and how wide the crowd is, however far off a
 * fifth of its members are; and how unlikely a distance from the middle is.
 *
 * The middle is the median. The width is the median absolute deviation over
 * 0.6745, as in the modified z-score of B. Iglewicz and D. C. Hoaglin (How to
 * Detect and Handle Outliers, 1993), or, where that is more, the 80 % quantile
 * of the absolute deviations over 1.2816. Both are the standard deviation if
 * the crowd is normal. The second counts where figures are read in steps, or
 * in two batches: then the first may be 0 though the crowd is not of one value.
 *
 * The width of a small crowd is itself known badly. A MAD of n members is worth
 * 0.37 n (P. J. Rousseeuw and C. Croux, JASA 88, 1993), so a distance is judged
 * by Student's t of 0.37 (n - 1) degrees of freedom. Its tail is taken from the
 * normal one by D. L. Wallace's approximation (Annals of Mathematical
 * Statistics 30, 1959).
 *
 * Where a width is known beforehand, by so many degrees of freedom, the two are
 * put together: the mean of their squares, weighted by their degrees, which
 * then add up (the moderated t of G. K. Smyth, Statistical Applications in
 * Genetics and Molecular Biology 3, 2004).
 */
#include <stddef.h>

struct robust {
	size_t count;
	double median, scale; /* NaN without members */
};

/* `values` are finite; they are sorted, and then lost. */
struct robust robust_of(double *values, size_t count);

/* Degrees of freedom of the width of a crowd of `count` members. */
double robust_freedom(size_t count);

/* A width, and how well it is known. */
struct width {
	double scale, freedom;
};

/* Two of them together; one without freedom counts for nothing. */
struct width robust_together(struct width a, struct width b);

/* Both tails of a distance of `z` widths. At least 1e-300; 1 without freedom.
 */
double robust_chance(double z, double freedom);

/*
 * Which of `count` chances are too small to be chance: those up to the limit
 * that is returned; 0: none is. Among those a share of `fdr` is expected to be
 * wrong (Y. Benjamini and Y. Hochberg, JRSS B 57, 1995).
 * `chances` are sorted.
 */
double robust_limit(double *chances, size_t count, double fdr);

#endif
