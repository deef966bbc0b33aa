#ifndef NEARFAR_TALLY_WORDS_H
#define NEARFAR_TALLY_WORDS_H

/* Words of Nsight Compute's CSV (tally_nsight.c). */
#include "harness/tally/tally.h"

/* A number of the unit in base units: bytes, Hz, ns, and a second below a
   fraction's line. */
double words_scale(const char *unit);

/* How numbers are written, which the locale says of whoever ran Nsight Compute.
   It writes none with three decimals: what stands before three digits at the
   end separates thousands, and what stands before others, decimals. */
struct words_style {
	bool commas, dots; /* that separate decimals were seen, */
	bool either;       /* and a dot before three digits */
	char decimal;      /* 0: numbers are looked at, to find out */
};

/* Of "12 (5; 7)", behind which instances stand, the 12. The text is changed.
   False for what is no number. */
bool words_number(struct words_style *style, char *text, double *value);

/* "launch__x" may come as "section: launch__x (unit)" or "label (launch__x)".
   NULL, with `*failed` at false: it is none, or says what the device is and
   nothing of a launch. The caller frees it. */
char *words_metric(const char *field, bool *failed);
/* The kernel without its parameters and what it returns, within `name`, which
   is changed: parameters begin at the last "(" that stands in no brackets. */
char *words_kernel(char *name);

#endif
