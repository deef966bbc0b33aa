#ifndef NEARFAR_PARTS_H
#define NEARFAR_PARTS_H

/* The files of parts in a folder, and what they miss. */
#include <stdio.h>

#include "harness/split/merge.h"

/* Takes all files of the folder. ERR_USAGE for what is no folder, and if one of
   them is `output`, which is written (NULL: none); the errors of merge_file().
 */
int parts_read(struct merge *merge, const char *folder, const char *output,
	struct error *error);

/* "K/N" in a line for each part that misses points, of as many parts as the
   last file is of. */
void parts_list_missing(const struct merge *merge, FILE *out);

/* ERR_FAILED with a sentence if anything is missing. */
int parts_check_all(const struct merge *merge, struct error *error);

#endif
