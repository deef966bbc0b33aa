#ifndef NEARFAR_SPLIT_STAMP_H
#define NEARFAR_SPLIT_STAMP_H

/*
 * What a series in the file of a part says in its provenance of whose points
 * it has:
 *
 *   part.build    the build that ran it
 *   part.of       "K/N", as part.h has it
 *   part.row      name of the row
 *   part.work     digest of the row's work
 *   part.series   the index of the series in its row
 *   part.points   the indices of its points in that series: "4-11,13"
 *
 * Merging takes these facts away again.
 */
#include <stdbool.h>

#include "harness/split/part.h"
#include "harness/split/split.h"
#include "harness/series/series.h"

struct stamp {
	struct part part;
	size_t row, series;
	size_t *points; /* of each point of the series; owned: stamp_free */
};

/* Appends the stamp of the series to its provenance. ERR_FAILED without
   memory. */
int stamp_put(const struct split *split, const struct stamp *stamp,
	struct series *series);

/* ERR_FAILED, with `path`, for a series without a stamp, of another build, of a
   row that the suite has not or whose work is other work here, and with points
   that its part does not have. */
int stamp_read(const struct split *split, const struct series *series,
	const char *path, struct stamp *stamp, struct error *error);
void stamp_free(struct stamp *stamp);

/* Whether a fact is part of a stamp. */
bool stamp_has(const char *key);

#endif
