#ifndef NEARFAR_PART_BEFORE_H
#define NEARFAR_PART_BEFORE_H

/* What the file of a part held of a row before the part is run, since the suite
   had fewer rows or points, or points failed. */
#include "harness/command/suite/run_row.h"
#include "harness/run/kept.h"
#include "harness/split/merge.h"

/* Takes the points of the file, which `merge` has read, that the plans of the
   row have, too; those of another GPU or driver stay, and are run. `index` is
   that of the row in the suite. ERR_FAILED without memory. */
int part_before_take(struct merge *merge, size_t index,
	const struct run_row *row, struct kept *kept, struct error *error);

#endif
