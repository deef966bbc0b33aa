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
	/* Wasserstein-1 distance of the values over the mean of the base's,
	   where both points have a value for every load; else NaN. */
	double distance_percent;
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
	size_t only_base, only_new;      /* points, skipped ones included */
	struct compare_errors all, flat; /* flat: without knees */
	struct compare_knee knees[2 * KNEES_MAX];
	size_t knee_count;
};

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

/*
 * ERR_GATE if the median error of a comparison exceeds `percent`: the
 * sentence names the worst. ERR_FAILED if there is nothing to judge: no
 * comparison, or one without a common point.
 */
int comparison_list_gate(const struct comparison_list *list, double percent,
	struct error *error);

/* FORMAT_TABLE, CSV, JSON or MD. ERR_FAILED without memory; what the stream
   does shows in ferror(). */
int comparison_list_put(const struct comparison_list *list,
	enum series_format format, FILE *out, struct error *error);

#endif
