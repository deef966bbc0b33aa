#ifndef NEARFAR_COMPARE_H
#define NEARFAR_COMPARE_H

/*
 * Two runs of the same benches side by side: which series belong together,
 * and by how much the new one differs from the base. Series are borrowed from
 * their lists and must outlive what is made here.
 */
#include <stdio.h>

#include "harness/report/pairs.h"
#include "harness/series/identity.h"
#include "harness/series/io.h"
#include "harness/stats/curve.h"

/* ---- by how much they differ ---- */

struct compare_row {
	double x, base, new;
	double ratio;         /* new / base; NaN if base is 0 */
	double error_percent; /* signed; 0 / 0 is 0, otherwise base 0: inf */
	bool knee;            /* the base has a knee here */
	/* The bootstrap interval of the error, at the comparison's confidence;
	   of the summaries' intervals where the values were not kept; NaN
	   without either, or if base is 0. */
	double error_low_percent, error_high_percent;
	/* Wasserstein-1 distance of the values over the mean of the base's,
	   where both points have a value for every load; else NaN. */
	double distance_percent;
	uint32_t base_marks, new_marks; /* of the points (marks.h) */
};

/* Whether the difference is one: 0 is outside its interval. False too where
   there is no interval. */
bool compare_row_differs(const struct compare_row *row);

/* The median of both curves on a level of the base (spots_levels). */
struct compare_level {
	double from_x, to_x, base, new, error_percent;
	size_t count; /* points */
};

/* Of absolute errors; NaN if count is 0. */
struct compare_errors {
	size_t count;
	double median_percent, worst_percent, worst_x;
};

/* Knees are paired in order, so that they move as little as possible; a rise
   is never paired with a fall. What only one curve has is NaN in the other. */
struct compare_knee {
	double base_x, new_x;
	double octaves;  /* log2(new_x / base_x) */
	double from, to; /* levels: the base's, or else the new one's */
};

/* Returns how many rows; `rows` is in the curves' order. */
size_t compare_knees(const struct knee *base, size_t base_count,
	const struct knee *new, size_t new_count,
	struct compare_knee rows[2 * KNEES_MAX]);

struct comparison {
	struct series_pair pair;
	int metric;
	struct compare_row *rows; /* ascending x */
	size_t row_count;
	size_t only_base, only_new; /* points, skipped ones included */
	size_t missing;             /* of the base's points with a value:
				       the new one has none there */
	const struct point *first_missing;
	struct compare_errors all, flat; /* flat: without knees */
	struct compare_knee knees[2 * KNEES_MAX];
	size_t knee_count;
	struct compare_level levels[KNEES_MAX + 1];
	size_t level_count;
};

#define COMPARE_CONFIDENCE 0.95

/* `metric`: -1 is the first that both have. ERR_USAGE if one lacks it,
   ERR_FAILED without memory. */
int comparison_make(const struct series_pair *pair, int metric,
	struct comparison *comparison, struct error *error);
void comparison_free(struct comparison *comparison);

/* ---- what came of it ---- */

struct comparison_list {
	struct comparison *items;
	size_t count;
	struct series_pairs pairs; /* those of the items, and what is alone */
	struct identity identity;  /* of the pairs: a label an item */
};

int comparison_list_make(const struct series_list *base,
	const struct series_list *new, int metric, struct comparison_list *list,
	struct error *error);
void comparison_list_free(struct comparison_list *list);

/* "pointer-chase op=ld.cg": what the comparison is of; the caller frees it.
   NULL without memory. */
char *comparison_title(const struct comparison_list *list, size_t index);

/* What a gate found (gate.h). */
struct violation {
	double severity; /* value over limit; infinite for what is missing */
	char *text;      /* a sentence; owned */
};

struct verdict {
	struct violation *items; /* in the order of the comparisons */
	size_t count;
	size_t judged_count; /* comparisons with a gate that is not "none" */
};

/* Any format but FORMAT_GBENCH (sheet.h). `verdict` may be NULL: there is no
   gate. ERR_FAILED without memory; what the stream does shows in ferror(). */
int comparison_list_put(const struct comparison_list *list,
	const struct verdict *verdict, enum series_format format, FILE *out,
	struct error *error);

#endif
