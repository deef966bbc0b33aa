#ifndef NEARFAR_ODD_H
#define NEARFAR_ODD_H

/*
 * Which of several devices is unlike the others. A place is a point of equal
 * series (bench, axis, options, x) that at least ODD_DEVICES devices have. At
 * a place a device is as far off as its value is from the median of all
 * devices, in units of their MAD (median of the absolute distances from the
 * median), which counts as at least ODD_SHARE of the median, so that devices
 * that agree to the last digit are not far apart. A device's distance is the
 * median over its places.
 *
 * A device is told by its UUID or, without one, by its name.
 */
#include <stdio.h>

#include "harness/series/series.h"

#define ODD_DEVICES 3
#define ODD_SHARE   0.001

struct odd_device {
	const char *key, *name; /* borrowed from the series; name may be NULL */
	double mads;            /* NaN without a place */
	size_t place_count;
};

struct odd {
	struct odd_device *items; /* the farthest first; owned */
	size_t count;
};

/* By this metric, or (-1) by each series' first one. ERR_USAGE for fewer than
   ODD_DEVICES devices, or where no place has so many; ERR_FAILED without
   memory. The series must outlive what is found. */
int odd_find(const struct series_list *list, int metric, struct odd *odd,
	struct error *error);
void odd_free(struct odd *odd);

/* As people read it, each device a line. */
void odd_put(const struct odd *odd, FILE *out);

#endif
