#include <stdlib.h>

#include "harness/split/deal.h"

#define HALVINGS 40

/* Points that go together: one, or those of a series. */
struct piece {
	size_t first, count;
	double cost;
};

struct dealing {
	const struct deal_point *points;
	struct piece *pieces;
	size_t piece_count;
	size_t *needed; /* shards that the pieces from each one on need */
	double cost, dearest;
};

static bool same_series(const struct deal_point *a, const struct deal_point *b)
{
	return a->row == b->row && a->series == b->series;
}

static void make_pieces(struct dealing *d, size_t point_count, bool whole)
{
	size_t i;

	for (i = 0; i < point_count; i++) {
		const struct deal_point *point = &d->points[i];
		struct piece *piece = d->pieces + d->piece_count;

		if (whole && i && same_series(point, point - 1))
			piece--;
		else
			d->pieces[d->piece_count++] = (struct piece){i, 0, 0};
		piece->count++;
		piece->cost += point->cost;
		d->cost += point->cost;
		if (piece->cost > d->dearest)
			d->dearest = piece->cost;
	}
}

/* ---- how dear a shard must be allowed to be ---- */

/* The piece behind those from `first` on that cost at most `most` together. */
static size_t fill(const struct dealing *d, size_t first, double most)
{
	double cost = d->pieces[first].cost;
	size_t at = first + 1;

	while (at < d->piece_count && cost + d->pieces[at].cost <= most)
		cost += d->pieces[at++].cost;
	return at;
}

static size_t shards_below(const struct dealing *d, double most)
{
	size_t at = 0, count = 0;

	for (; at < d->piece_count; count++)
		at = fill(d, at, most);
	return count;
}

static double find_most(const struct dealing *d, size_t shard_count)
{
	double low = d->dearest, high = d->cost;
	int i;

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

/* ---- shards ---- */

/* Up to the mean of what is left, and on where the shards behind it could not
   hold the rest; each of those has at least one piece. */
static size_t take(const struct dealing *d, size_t first, size_t shards_left,
	double cost_left)
{
	const double mean = cost_left / (double)shards_left;
	double cost = d->pieces[first].cost;
	size_t at = first + 1;

	while (d->piece_count - at > shards_left - 1 &&
		(d->needed[at] > shards_left - 1 ||
			cost + d->pieces[at].cost <= mean))
		cost += d->pieces[at++].cost;
	return at;
}

static int add_part(struct split_shard *shard, const struct deal_point *point,
	struct error *error)
{
	struct split_part *parts = reallocarray(
		shard->parts, shard->part_count + 1, sizeof(*parts));

	if (!parts)
		return error_set(error, ERR_FAILED, "out of memory");
	shard->parts = parts;
	parts[shard->part_count++] = (struct split_part){
		point->row, point->series, point->index, 0, 0};
	return 0;
}

static int fill_shard(const struct dealing *d, size_t first, size_t end,
	struct split_shard *shard, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = first; !code && i < end; i++) {
		const struct deal_point *point = &d->points[i];
		struct split_part *part;

		if (i == first || !same_series(point, point - 1))
			code = add_part(shard, point, error);
		if (code)
			break;
		part = &shard->parts[shard->part_count - 1];
		part->count++;
		part->cost += point->cost;
		shard->cost += point->cost;
	}
	return code;
}

static int fill_shards(const struct dealing *d, size_t shard_count,
	struct split *split, struct error *error)
{
	double left = d->cost;
	size_t at = 0, end;
	int code = 0;

	for (; !code && at < d->piece_count; at = end) {
		struct split_shard *shard = &split->shards[split->shard_count];
		const struct piece *last;

		end = take(d, at, shard_count - split->shard_count++, left);
		last = &d->pieces[end - 1];
		code = fill_shard(d, d->pieces[at].first,
			last->first + last->count, shard, error);
		left -= shard->cost;
	}
	return code;
}

int deal(struct split *split, const struct deal_point *points,
	size_t point_count, size_t shard_count, bool whole, struct error *error)
{
	struct dealing d = {.points = points};
	double most;
	size_t i;
	int code = ERR_FAILED;

	d.pieces = calloc(point_count + 1, sizeof(*d.pieces));
	d.needed = calloc(point_count + 1, sizeof(*d.needed));
	split->shards = calloc(
		(shard_count < point_count ? shard_count : point_count) + 1,
		sizeof(*split->shards));
	if (!d.pieces || !d.needed || !split->shards) {
		error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	make_pieces(&d, point_count, whole);
	if (shard_count > d.piece_count)
		shard_count = d.piece_count;
	most = find_most(&d, shard_count);
	for (i = d.piece_count; i-- > 0;)
		d.needed[i] = 1 + d.needed[fill(&d, i, most)];
	code = fill_shards(&d, shard_count, split, error);
out:
	free(d.pieces);
	free(d.needed);
	return code;
}
