#ifndef NEARFAR_TALLY_WORDS_H
#define NEARFAR_TALLY_WORDS_H

/* Words of Nsight Compute's CSV (tally_nsight.c). */
#include "harness/tally/tally.h"

/* What a number of the unit is to be multiplied by, to be in bytes, Hz or ns;
   of a rate, "byte/ms", per second. */
double words_scale(const char *unit);

/* How numbers are written, by the locale in which Nsight Compute ran. None has
   three decimals: what stands before three digits at the end separates
   thousands, and what stands before other digits, decimals. */
struct words_style {
	bool commas, dots; /* that separate decimals were seen, */
	bool either;       /* and a dot before three digits */
	char decimal;      /* 0: numbers are looked at, to find out */
};

/* Of "12 (5; 7)", behind which instances stand, the 12. The text is changed.
   False for what is no number. */
bool words_number(struct words_style *style, char *text, double *value);

/* The metric's name in a field: "launch__x" of "section: launch__x (unit)" or
   of "label (launch__x)". The caller frees it. NULL: the field has none, or one
   of the device and not of a launch; with `*failed`: without memory. */
char *words_metric(const char *field, bool *failed);
/* The kernel's name without parameters and return type, a part of `name`, which
   is changed. Parameters begin at the last "(" outside of brackets. */
char *words_kernel(char *name);

#endif
