#ifndef NEARFAR_FINGERPRINT_ROWS_H
#define NEARFAR_FINGERPRINT_ROWS_H

/* What is run for a fingerprint: rows as those of a fit
   (harness/measures/rows.h), so words and %S and %L are the same. */
#include "harness/measures/rows.h"

#define REGIONS      8 /* of memory */
#define REGION_LOADS 512

extern const struct measure fingerprint_rows[];
extern const size_t fingerprint_row_count;

/* The index of the row of that name; fingerprint_row_count: there is none. */
size_t fingerprint_row_find(const char *name);

/* The plan of a row; ERR_SKIPPED where the chip has no such thing.
   measure_plan_free() after success. */
int fingerprint_plan(const struct measure *row, const struct device *device,
	struct measure_plan *made, struct error *error);

/* Eight buffers in a row fill four fifths of memory. One SM times single loads
   from each; all SMs read from each. The region of buffer 0 is "measure". */
MEASURE_PROGRAM(region_latency);
MEASURE_PROGRAM(region_rate);

/* That all SMs together read in a timed region of region-rate. */
double region_rate_bytes(const struct device *device);

#endif
