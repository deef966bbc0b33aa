/* The life cycle of L2, and what host actions do to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/memory/l2_parts.h"

static size_t slice_count(const struct l2 *l)
{
	return (size_t)l->core->slices.count * l->core->slices.partitions;
}

static size_t entry_count(const struct l2 *l)
{
	return (size_t)l->sides[0].sets.by * l->sides[0].ways;
}

int l2_init(struct l2 *l, struct core *core, struct network *network,
	struct dram *dram)
{
	const struct costs *cost = &core->cost;
	uint32_t lines = (uint32_t)(cost->l2_bytes / cost->l2_partitions /
				    PROGRAM_LINE_BYTES);
	unsigned side;

	l->core = core;
	l->network = network;
	l->dram = dram;
	l->slices = calloc(slice_count(l), sizeof(*l->slices));
	l->in_line = calloc(
		slice_count(l) * core->floor.sm_count, sizeof(*l->in_line));
	l->turns = calloc(core->floor.sm_count, sizeof(*l->turns));
	if (!l->slices || !l->in_line || !l->turns)
		return -1;
	for (side = 0; side < cost->l2_partitions; side++) {
		if (cache_init(&l->sides[side], lines / cost->l2_ways,
			    cost->l2_ways, cost->l2_random_share))
			return -1;
		l->sides[side].first_ways = cost->l2_first_ways;
	}
	return 0;
}

void l2_free(struct l2 *l)
{
	unsigned side;

	for (side = 0; side < PARTITIONS_MAX; side++)
		cache_free(&l->sides[side]);
	free(l->slices);
	free(l->in_line);
	free(l->turns);
}

void l2_flush(struct l2 *l)
{
	unsigned side;
	size_t i;

	for (side = 0; side < l->core->slices.partitions; side++)
		for (i = 0; i < entry_count(l); i++)
			l->sides[side].entries[i] = ENTRY_FOREIGN;
}

void l2_cold(struct l2 *l)
{
	size_t i;
	unsigned side;

	l2_flush(l);
	memset(l->slices, 0, slice_count(l) * sizeof(*l->slices));
	memset(l->in_line, 0,
		slice_count(l) * l->core->floor.sm_count * sizeof(*l->in_line));
	for (i = 0; i < slice_count(l); i++)
		l->slices[i].writes =
			(struct write_queue){.queue = REQUEST_QUEUE_EMPTY};
	for (i = 0; i < l->core->floor.sm_count; i++)
		l->turns[i] =
			(struct atomic_turns){.queue = REQUEST_QUEUE_EMPTY};
	for (side = 0; side < PARTITIONS_MAX; side++)
		l->sides[side].random_state = side + 1;
	l->fetch_bytes = (uint32_t)l->core->cost.l2_fetch_bytes;
	l2_carve_out(l, 0);
}

bool l2_is_settled(const struct l2 *l)
{
	bool settled = true;
	size_t i;

	for (i = 0; i < slice_count(l); i++)
		settled = settled && !l->slices[i].writes.count &&
			  l->slices[i].writes.queue.head == NONE;
	return settled;
}

void l2_servers(struct l2 *l, struct books *books)
{
	uint32_t i;

	for (i = 0; i < slice_count(l); i++) {
		struct slice *s = &l->slices[i];

		books_add(books, SERVER_LOOKUP, i, &s->lookup);
		books_add(books, SERVER_DATA, i, &s->data);
		books_add(books, SERVER_WRITE, i, &s->write);
		books_add(books, SERVER_WRITEBACKS, i, &s->writes.room);
		books_add(books, SERVER_ATOMIC, i, &s->atomics.server);
		books_add(books, SERVER_ATOMIC_NEAR, i, &s->atomics.ports[0]);
		books_add(books, SERVER_ATOMIC_FAR, i, &s->atomics.ports[1]);
	}
	for (i = 0; i < l->core->floor.sm_count; i++)
		books_add(books, SERVER_ATOMIC_ORDER, i, &l->turns[i].server);
}

void l2_carve_out(struct l2 *l, uint64_t bytes)
{
	const struct costs *cost = &l->core->cost;
	double ways = (double)bytes / (double)cost->l2_bytes * cost->l2_ways;
	double least = cost->l2_last_ways;

	l->last_max = (uint32_t)ceil(ways > least ? ways : least);
}

void l2_reset_persisting(struct l2 *l)
{
	unsigned side;
	size_t i;

	for (side = 0; side < l->core->slices.partitions; side++)
		for (i = 0; i < entry_count(l); i++) {
			cache_entry *entry = &l->sides[side].entries[i];

			if (ENTRY_CLASS(*entry) == CLASS_LAST)
				*entry ^= (uint64_t)(CLASS_LAST ^ CLASS_NORMAL)
					  << ENTRY_CLASS_SHIFT;
		}
}
