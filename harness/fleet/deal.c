#include <stdlib.h>

#include "harness/fleet/deal.h"

#define HALVINGS 40

struct dealing {
	struct fleet *fleet;
	const struct deal_point *points;
	size_t point_count;
	bool whole;
	struct error *error;
};

static bool same_series(const struct deal_point *a, const struct deal_point *b)
{
	return a->row == b->row && a->series == b->series;
}

/* How many points from `first` on go together, and what they cost. */
static size_t piece(const struct dealing *d, size_t first, double *cost)
{
	size_t end = first + 1;

	*cost = d->points[first].cost;
	for (; d->whole && end < d->point_count &&
		same_series(&d->points[first], &d->points[end]);
		end++)
		*cost += d->points[end].cost;
	return end - first;
}

/* How many points from `first` on fit below `most`: at least one piece. */
static size_t fill(
	const struct dealing *d, size_t first, double most, double *cost)
{
	size_t at = first;
	double more;

	*cost = 0;
	while (at < d->point_count) {
		const size_t count = piece(d, at, &more);

		if (at > first && *cost + more > most)
			break;
		*cost += more;
		at += count;
	}
	return at - first;
}

static size_t shards_below(const struct dealing *d, double most)
{
	size_t at = 0, count = 0;
	double cost;

	for (; at < d->point_count; count++)
		at += fill(d, at, most, &cost);
	return count;
}

/* The least that the dearest shard must be allowed to cost. */
static double find_most(const struct dealing *d, size_t shard_count)
{
	double low = 0, high = 0, cost;
	size_t i;

	for (i = 0; i < d->point_count; i++)
		high += d->points[i].cost;
	/* One piece may be dearer than the mean, and is a shard. */
	for (i = 0; i < d->point_count;) {
		i += piece(d, i, &cost);
		low = cost > low ? cost : low;
	}
	if (shards_below(d, low) <= shard_count)
		return low;
	for (i = 0; i < HALVINGS && high - low > high * 1e-6; i++) {
		const double middle = (low + high) / 2;

		if (shards_below(d, middle) <= shard_count)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static int add_part(struct fleet_shard *shard, const struct deal_point *point,
	struct error *error)
{
	struct fleet_part *parts = reallocarray(
		shard->parts, shard->part_count + 1, sizeof(*parts));

	if (!parts)
		return error_set(error, ERR_FAILED, "out of memory");
	shard->parts = parts;
	parts[shard->part_count++] = (struct fleet_part){
		point->row, point->series, point->index, 0, 0};
	return 0;
}

static int fill_shard(const struct dealing *d, size_t first, size_t count,
	struct fleet_shard *shard)
{
	size_t i;
	int code = 0;

	for (i = first; !code && i < first + count; i++) {
		const struct deal_point *point = &d->points[i];
		struct fleet_part *part;

		if (i == first || !same_series(point, point - 1))
			code = add_part(shard, point, d->error);
		if (code)
			break;
		part = &shard->parts[shard->part_count - 1];
		part->count++;
		part->cost += point->cost;
		shard->cost += point->cost;
	}
	return code;
}

int deal(struct fleet *fleet, const struct deal_point *points,
	size_t point_count, size_t shard_count, bool whole, struct error *error)
{
	const struct dealing d = {fleet, points, point_count, whole, error};
	const double most = find_most(&d, shard_count);
	size_t at = 0, count;
	double cost;
	int code = 0;

	fleet->shards =
		calloc(shards_below(&d, most) + 1, sizeof(*fleet->shards));
	if (!fleet->shards)
		return error_set(error, ERR_FAILED, "out of memory");
	for (; !code && at < point_count; at += count) {
		count = fill(&d, at, most, &cost);
		code = fill_shard(
			&d, at, count, &fleet->shards[fleet->shard_count++]);
	}
	return code;
}
