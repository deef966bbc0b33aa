#ifndef NEARFAR_MACHINE_H
#define NEARFAR_MACHINE_H

/*
 * A machine: the parameters of the model, read from YAML.
 *
 *   schema: nearfar-machine/1
 *   name: h100-pcie
 *   base: h200-sxm            # optional: what is not set here comes from it
 *   about: one sentence
 *   parameters:
 *     sm_count: {value: 114, unit: count, origin: "published: ..."}
 *
 * An origin begins with one of: measured, published, fitted, assumed; that of
 * a parameter taken over ends in "of BASE". A machine without a base states
 * every parameter that has no default. Sizes may carry units.h
 * suffixes where the unit is bytes; masks may be hexadecimal.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

enum parameter {
#define PARAMETER(kind, stem, name, ...) PARAMETER_##name,
#include "backend_sim/machine/parameters.def"
#undef PARAMETER
	PARAMETER_COUNT
};

struct parameter_info {
	const char *name, *unit;
	double minimum, maximum;
	double fallback; /* of a file without a base; NaN: it must say */
	const char *what;
};

extern const struct parameter_info parameters[PARAMETER_COUNT];

#define MACHINE_TEXT_BYTES 192

struct machine {
	char name[64];
	char about[512];
	double value[PARAMETER_COUNT];
	char origin[PARAMETER_COUNT][MACHINE_TEXT_BYTES];
};

/* What a file's text may have: its keys, those of a parameter, and the words
   that begin an origin. Each ends with NULL. `nearfar help machines` tells
   them. */
extern const char *const machine_keys[];
extern const char *const machine_fields[];
extern const char *const machine_origins[];

/* A built-in machine by name, or a file if the text ends in .yaml or holds a
   slash; NULL is the default, h200-sxm. ERR_USAGE with FILE:LINE:COLUMN. */
int machine_load(
	const char *name, struct machine *machine, struct error *error);

/* "parameter=value", the value as in a file. Its origin becomes "set on the
   command line". */
int machine_set(
	struct machine *machine, const char *assignment, struct error *error);

/* The parameter of that name, or PARAMETER_COUNT. */
enum parameter machine_parameter(const char *name);

/* A value in the parameter's unit and within its bounds: sizes may have a
   suffix, masks be hexadecimal. ERR_USAGE with a sentence. */
int machine_parse_value(
	enum parameter p, const char *text, double *value, struct error *error);

/* A digest of all values (FNV-1a, 64 bit), for provenance. */
uint64_t machine_digest(const struct machine *machine);

/* The built-in files, embedded when the program is built. */
struct machine_file {
	const char *name;
	const char *text, *end;
};
extern const struct machine_file machine_files[]; /* ends with NULL */

static inline double machine_get(const struct machine *m, enum parameter p)
{
	return m->value[p];
}

/* The rules between parameters: ERR_USAGE and a sentence that begins with
   `source` where one is broken. */
int machine_check(
	const struct machine *m, const char *source, struct error *error);

/* A value that is counted in whole units: the nearest. */
static inline uint32_t machine_whole(double value)
{
	return (uint32_t)lround(value);
}

#endif
