#ifndef NEARFAR_SPLIT_DEAL_H
#define NEARFAR_SPLIT_DEAL_H

/*
 * Deals the points of a suite to shards, in the order of rows, series and
 * points: a shard holds points that follow each other, so that few shards share
 * a series and a shard opens few machines. Among all such cuts it is one whose
 * dearest shard is the cheapest, to one part in a million; the others come near
 * the mean.
 */
#include <stdbool.h>

#include "harness/split/split.h"

struct deal_point {
	size_t row, series, index;
	double cost;
};

/* Fills split->shards with `shard_count` of them, or as many as there are
   points (`whole`: series, of which none is cut). ERR_FAILED without memory. */
int deal(struct split *split, const struct deal_point *points,
	size_t point_count, size_t shard_count, bool whole,
	struct error *error);

#endif
