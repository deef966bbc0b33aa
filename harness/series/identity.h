#ifndef NEARFAR_IDENTITY_H
#define NEARFAR_IDENTITY_H

/*
 * What tells series apart. A trait of a series is a key and a value: its
 * bench, each option, each parameter that --set changed, its backend, machine
 * or device, and details such as the seed. Among a set of series, those traits
 * matter in which they differ.
 *
 * Bench, options, parameters, backend, machine and device count whenever they
 * differ. Details (axis, digest of the machine, UUID of the device, seed,
 * file, versions, repeats, date) count only where series would be alike
 * without them, and "run" (1, 2, ...) where even those are equal. So no two
 * series of an identity have the same label, and legends, headers, rows and
 * columns that go by it lose none.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/series/series.h"

enum trait_kind {
	TRAIT_BENCH,
	TRAIT_OPTION, /* of the bench, or a variable of the program */
	TRAIT_SET,    /* a parameter that --set changed; its name is the key */
	TRAIT_ORIGIN, /* backend, machine, device.name */
	TRAIT_DETAIL,
	TRAIT_RUN
};

struct trait_key {
	enum trait_kind kind;
	char *name;
};

struct identity {
	struct trait_key *keys; /* in which the series differ, in order */
	size_t key_count;
	size_t count;  /* series */
	char **words;  /* [series * key_count + key]; "" where the series has
			  no such trait, "default" for a parameter that its
			  machine has and no --set changed */
	char **labels; /* "op=ld.cg bridge_cycles=41, cuda, NVIDIA H200"; the
			  bench's name where there is nothing to tell */
};

/* The series are borrowed for the call alone. ERR_FAILED without memory; the
   identity is then empty. */
int identity_make(const struct series *const *series, size_t count,
	struct identity *identity, struct error *error);
int identity_of_list(const struct series_list *list, struct identity *identity,
	struct error *error);
void identity_free(struct identity *identity);

/* "pointer-chase op=ld.cg": the bench and the label, the bench once. */
void identity_put_title(const struct identity *identity, size_t series,
	const char *bench, FILE *out);

/* The index of a key by its name, key_count without one. */
size_t identity_key(const struct identity *identity, const char *name);
const char *identity_word(
	const struct identity *identity, size_t series, size_t key);

/* The keys of the kinds ORIGIN and DETAIL, in order; NULL ends them. */
extern const char *const trait_origins[], *const trait_details[];

/* A trait of one series, NULL without: for TRAIT_BENCH and TRAIT_RUN `name`
   does not matter, and a run has none. Borrowed from the series. */
const char *series_trait(
	const struct series *series, enum trait_kind kind, const char *name);

/* The trait of that name, of the first kind from OPTION to DETAIL that has
   it; NULL without. */
const char *series_trait_named(const struct series *series, const char *name);

/* The name of the `index`-th parameter that --set changed, NULL after the last;
   the caller frees it. ERR_FAILED without memory. */
int series_set_name(const struct series *series, size_t index, char **name);

/* Whether `a` and `b` have the same bench and axis. */
bool series_same_kind(const struct series *a, const struct series *b);

/* How many options that both have differ, and in how many parameters and
   origins the two differ. */
size_t series_options_apart(const struct series *a, const struct series *b);
size_t series_origins_apart(const struct series *a, const struct series *b);

#endif
