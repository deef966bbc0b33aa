#ifndef NEARFAR_PAIRS_H
#define NEARFAR_PAIRS_H

/*
 * Which series of two lists belong together. Series are borrowed from their
 * lists, which must outlive the pairs.
 *
 * Partners have the same bench and axis and agree in every option that both
 * have. Where several do, the partner is the one that differs least in --set
 * values, backend, machine and device (identity.h), and of equal ones the
 * first. If each list has exactly one series of that bench and axis, they are
 * partners whatever their options: a comparison names what differs.
 *
 * Series are paired one to one; but where one list has a single series that
 * agrees with several of the other, it is the partner of all of them: one
 * measurement beside four what-ifs makes four pairs.
 */
#include "harness/base/error.h"
#include "harness/series/identity.h"
#include "harness/series/series.h"

struct series_pair {
	const struct series *base, *new;
};

/* A series without a partner. */
struct series_alone {
	const struct series *series;
	const struct series *nearest; /* of the other list: same bench and
					 axis, fewest options that differ;
					 NULL without */
	bool in_base;
};

struct series_pairs {
	struct series_pair *items; /* in the order of the base */
	size_t count;
	struct series_alone *alone; /* the base's first */
	size_t only_base, only_new; /* how many are alone */
	const struct series_list *base, *new;
};

/* ERR_FAILED without memory. */
int series_pairs_find(const struct series_list *base,
	const struct series_list *new, struct series_pairs *pairs,
	struct error *error);
void series_pairs_free(struct series_pairs *pairs);

/* What tells pairs apart: the identity of their bases, or that of their new
   series where one base has several partners; `identity` counts as the pairs
   do. ERR_FAILED without memory. */
int series_pairs_identity(const struct series_pair *pairs, size_t count,
	struct identity *identity, struct error *error);

/* ERR_FAILED, with the first series that is alone and its nearest: there is
   no pair. */
int series_pairs_none(const struct series_pairs *pairs, struct error *error);

/* "only in the base: ..." of one that is alone; the caller frees it. NULL
 * without memory, with the sentence. */
char *series_pairs_alone_text(
	const struct series_pairs *pairs, size_t index, struct error *error);

/*
 * Nothing if no series is alone; else "series: 2 only in the base, 1 only in
 * the new" and a line for each: "only in the base: pointer-chase op=ld.ca; the
 * nearest in the new has op=ld.cg instead of ld.ca". ERR_FAILED without
 * memory.
 */
int series_pairs_put_alone(const struct series_pairs *pairs, const char *bullet,
	FILE *out, struct error *error);

#endif
