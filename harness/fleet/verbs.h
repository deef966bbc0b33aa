#ifndef NEARFAR_FLEET_VERBS_H
#define NEARFAR_FLEET_VERBS_H

/* What `nearfar fleet VERB` does, a function each. Results go to `out`. */
#include <stdio.h>

#include "harness/fleet/store.h"

enum fleet_format { FLEET_TABLE, FLEET_JSONL, FLEET_OPENMETRICS };

struct fleet_words {
	const char *store;
	const char *const *arguments;
	size_t count;
	const char *day; /* of what is added; NULL: its date, or today */
	double fdr;
	enum fleet_format format;
};

#define FLEET_VERB(name)                                                       \
	int fleet_verb_##name(const struct fleet_words *words, FILE *out,      \
		struct error *error)
FLEET_VERB(add);    /* FILE...: all of them, or none */
FLEET_VERB(list);   /* without arguments */
FLEET_VERB(show);   /* DEVICE: its figures, its past and its peers */
FLEET_VERB(diff);   /* A B: a device each, or DEVICE@DAY */
FLEET_VERB(same);   /* A.json B.json: of one GPU? ERR_GATE if not */
FLEET_VERB(odd);    /* ERR_GATE if a device is */
FLEET_VERB(export); /* [DEVICE...]: jsonl has all days, openmetrics the last */

#endif
