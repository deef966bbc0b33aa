#ifndef NEARFAR_GATE_H
#define NEARFAR_GATE_H

/*
 * Gates: how far the new series of a comparison may be from the base.
 *
 * A gate is a list of NAME=VALUE, separated by commas:
 *   P%             median=P%,worst=P%
 *   median=P%      the median error of all points
 *   worst=P%       the error of every point outside the base's knees
 *   level=P%       the error of the median of every level between knees
 *   knee=OCTAVES   how far a knee may move; one that vanished or is new fails
 *   direction=both|higher|lower|worse
 *                  only errors of that sign count; `worse` is what the metric
 *                  says: latencies that rise, rates that fall
 *   test=yes|no    whether a point counts for `worst` only if the bootstrap
 *                  says, at 95 %, that its difference is one (no)
 *   missing=yes|no whether points or series that the base has and the new one
 *                  has not may be missing (no)
 * or "none": nothing is judged.
 *
 * A file of gates has a line for each kind of series, PATTERN GATE (pattern.h),
 * and the first line that matches the base's series decides; # begins a
 * comment. A series without a line is an error, so that none is forgotten.
 */
#include "harness/report/compare.h"

enum gate_limit { GATE_MEDIAN, GATE_WORST, GATE_LEVEL, GATE_KNEE, GATE_LIMITS };

enum gate_direction { GATE_BOTH, GATE_HIGHER, GATE_LOWER, GATE_WORSE };

struct gate {
	double limits[GATE_LIMITS]; /* percent, octaves; NaN: not judged */
	enum gate_direction direction;
	bool test, may_miss;
	bool none;
};

/* ERR_USAGE with what is wrong. */
int gate_parse(const char *text, struct gate *gate, struct error *error);

struct gate_rule {
	char *pattern; /* owned */
	struct gate gate;
};

struct gates {
	struct gate_rule *rules;
	size_t count;
};

/* One rule, for all series. ERR_FAILED without memory. */
int gates_single(
	const struct gate *gate, struct gates *gates, struct error *error);

/* ERR_USAGE with FILE:LINE, ERR_FAILED for a file that cannot be read. */
int gates_read(const char *path, struct gates *gates, struct error *error);

/* The gate of a series, NULL without. */
const struct gate *gates_find(
	const struct gates *gates, const struct series *series);
void gates_free(struct gates *gates);

/*
 * 0 if all gates hold; ERR_GATE with the sentence of the worst violation, its
 * point named, and how many there are; ERR_USAGE if a series has no gate;
 * ERR_FAILED without memory, and if there is nothing to judge. The verdict is
 * written in any case and ended by verdict_free().
 */
int gates_judge(const struct gates *gates, const struct comparison_list *list,
	struct verdict *verdict, struct error *error);
void verdict_free(struct verdict *verdict);

#endif
