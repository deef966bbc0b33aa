#ifndef NEARFAR_RUN_PART_H
#define NEARFAR_RUN_PART_H

/*
 * `nearfar run --suite FILE --part K/N -o DIR`: the points of part K, into
 * DIR/K-of-N.json.gz (harness/split/split.h). A part whose file has all its
 * points is done, and nothing runs. One that was interrupted goes on from its
 * journals. Points that fail are missing in the file, and are tried again when
 * the part is run again.
 */
#include "harness/command/run/run_options.h"
#include "harness/split/part.h"
#include "harness/split/split.h"

/* Leaves out rows that are fits. `abandoned`: a worker did not stop, and uses
   the options and the suite until the process ends. */
int run_part(const struct run_options *o, const struct split *split,
	const struct part *part, bool *abandoned, struct error *error);

#endif
