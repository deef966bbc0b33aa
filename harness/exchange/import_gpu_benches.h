#ifndef NEARFAR_IMPORT_GPU_BENCHES_H
#define NEARFAR_IMPORT_GPU_BENCHES_H

/*
 * What the importers of gpu-benches' outputs share. Their "kB" are 1024 bytes.
 * A line "clock: ..." lists the readings of the SM clock, of which the tool
 * takes the last.
 */
#include "harness/exchange/import.h"

/* The first line that is not the clock's, for detection. */
const char *gpu_benches_rows(const struct import_file *file);

/* What stands behind "clock:". */
int gpu_benches_clock(struct import_scan *scan, double *clock_mhz);

/* import_series() with the origin that all have. */
struct series *gpu_benches_series(const struct import_file *file,
	const char *tool, const char *const *biases,
	const struct import_curve *curve, struct series_list *list,
	struct error *error);

#endif
