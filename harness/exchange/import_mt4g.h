#ifndef NEARFAR_IMPORT_MT4G_H
#define NEARFAR_IMPORT_MT4G_H

/* What the two importers of mt4g share: which memory is chased how. */
#include "harness/exchange/import.h"

#define MT4G_TOOL   "mt4g"
#define MT4G_SOURCE "caps-tum/mt4g (Apache-2.0)"

/* One level: its name in the JSON file, and the raw samples of its latency. */
struct mt4g_level {
	const char *json, *raw;
	double footprint_bytes;
	const char *options[13]; /* those of pointer-chase */
	const char *biases[4];
};

#define MT4G_LEVELS 3
extern const struct mt4g_level mt4g_levels[MT4G_LEVELS];

#endif
