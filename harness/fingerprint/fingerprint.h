#ifndef NEARFAR_FINGERPRINT_H
#define NEARFAR_FINGERPRINT_H

/*
 * A fingerprint: who a GPU is, and a few dozen figures that tell it from
 * others of its kind, each with its interval. It is taken by a few points of
 * benches, and by programs that are there for other ends, too.
 *
 * figures.def is the table of the figures; measures.def has what is run for
 * them. A figure that a device cannot show has the reason in its place.
 *
 * As a file: JSON, schema nearfar-fingerprint/1 (results/schema).
 */
#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "harness/base/facts.h"
#include "harness/contract/backend.h"

#define FINGERPRINT_SCHEMA "nearfar-fingerprint/1"
#define FINGERPRINT_KEY    96 /* bytes of a device's or a kind's name */

enum figure_id {
#define FIGURE(name, noun, unit, worse, grain, repeat, chips, row, reader,     \
	argument, sentence)                                                    \
	FIGURE_##name,
#include "harness/fingerprint/figures.def"
#undef FIGURE
	FIGURE_COUNT
};

enum figure_worse { WORSE_EITHER, WORSE_HIGH, WORSE_LOW };

/* In the place of a grain: counted events. */
#define EVENTS (-1.0)
/* In the place of what chips differ by. */
#define UNKNOWN (-1.0)

struct figure_about {
	const char *name, *noun, *unit;
	enum figure_worse worse;
	double grain;    /* the step in which it is read; 0: none; or EVENTS */
	double repeat;   /* deviation of takes of one GPU, as a share */
	double chips;    /* the same of chips of a kind; or UNKNOWN */
	const char *row; /* NULL: a fact of the device */
	const char *sentence;
};

extern const struct figure_about figure_about[FIGURE_COUNT];

/* The enum figure_id of a name, or -1. */
int figure_find(const char *name);

struct figure {
	double value;     /* NaN: it was not measured */
	double low, high; /* 95 % interval of the median; the value itself
			     where one repeat gives one value */
	char *reason;     /* why it was not measured, or NULL */
};

struct fingerprint {
	char device[FINGERPRINT_KEY]; /* UUID, or the name that was given */
	char sku[FINGERPRINT_KEY];    /* the kind of device: its peers' too */
	struct facts identity;        /* what the driver says, host, date */
	struct figure figures[FIGURE_COUNT];
	json_t *map; /* map_json() of near-far, or NULL */
};

void fingerprint_init(struct fingerprint *fingerprint);
void fingerprint_free(struct fingerprint *fingerprint);

struct fingerprint_config {
	const struct backend_ops *ops;
	struct backend_config backend;
	const char *name; /* of the device; NULL: its UUID, of the model the
			     machine's name */
	unsigned jobs, repeats, warmups;
	uint32_t seed;
	atomic_int *stop; /* nonzero: stop; may be NULL */
};

/* ERR_SKIPPED if the device can show no figure at all. The fingerprint is
   initialised, and the caller's to free, also after an error. */
int fingerprint_measure(const struct fingerprint_config *config,
	struct fingerprint *fingerprint, struct error *error);

/* To a file that appears whole or not at all; NULL or "-": to `out`. */
int fingerprint_write(const struct fingerprint *fingerprint, const char *path,
	FILE *out, struct error *error);

/* ERR_USAGE with FILE:LINE:COLUMN for what is no fingerprint. */
int fingerprint_read(
	const char *path, struct fingerprint *fingerprint, struct error *error);

#endif
