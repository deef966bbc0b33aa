#ifndef NEARFAR_SHARES_H
#define NEARFAR_SHARES_H

/*
 * Numbers in a run's words that are shares of what the device has, so that one
 * suite suits every chip:
 *   %S  its SMs
 *   %L  the bytes of its L2
 *   %P  the bytes of L2 that it can set aside for persisting lines
 * each also with "/N" or "*N" behind it ("%L/4", "%P*3/4"); "%S-N" is N SMs
 * fewer. Bytes are rounded to 4 KiB, SMs down; L2 gives at least 4 KiB and SMs
 * at least one.
 */
#include "harness/contract/backend.h"

/* `words` with each share replaced by its number, which the caller frees; NULL
   without memory. What is no share stays as it is. */
char *shares_expand(const char *words, const struct device *device);

#endif
