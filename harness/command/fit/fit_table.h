#ifndef NEARFAR_FIT_TABLE_H
#define NEARFAR_FIT_TABLE_H

/* The options of `nearfar fit`, the names that they had, and which of them go
   with what is fitted to. */
#include <argp.h>

#include "harness/command/fit/fit_options.h"

enum {
	KEY_DEVICE = 0x100,
	KEY_MEASURE,
	KEY_FROM,
	KEY_NEAREST,
	KEY_ONLY,
	KEY_HOLD_OUT,
	KEY_HOLD_OUT_POINTS,
	KEY_FREE,
	KEY_BUDGET,
	KEY_SEED,
	KEY_STATE,
	KEY_ERRORS,
	KEY_NEXT,
	KEY_STATS,
	KEY_OLD, /* and the names that options had */
};

extern const struct argp_option fit_argp_options[];
extern const char *const fit_source_names[];

/* The key of an option, whose old name is told by a hint. */
int fit_key_now(int key);
void fit_hint(const char *old, const char *now);

/* Notes that the option is given. ERR_USAGE in a row of a suite where it does
   not belong. */
int fit_key_given(struct fit_options *o, int key);

/* ERR_USAGE if one of those that were given does not go with the source. */
int fit_keys_check(const struct fit_options *o);

#endif
