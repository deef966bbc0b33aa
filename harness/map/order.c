#include <stdlib.h>

#include "harness/map/order.h"

struct rank {
	unsigned side;
	double cycles; /* mean over what is near */
	size_t index;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *one = a, *two = b;

	if (one->side != two->side)
		return one->side < two->side ? -1 : 1;
	if (one->cycles != two->cycles)
		return one->cycles < two->cycles ? -1 : 1;
	return (one->index > two->index) - (one->index < two->index);
}

static double near_mean(const struct map *map, size_t index, bool is_sm)
{
	const size_t others = is_sm ? map->cells.lines : map->cells.sms;
	double sum = 0;
	size_t count = 0, i;

	for (i = 0; i < others; i++) {
		const size_t sm = is_sm ? index : i, line = is_sm ? i : index;

		if (map->sides.sm[sm] != map->sides.line[line])
			continue;
		sum += map->cells.cycles[sm * map->cells.lines + line];
		count++;
	}
	return count ? sum / (double)count : 0;
}

size_t *map_order(const struct map *map, bool is_sm)
{
	const size_t count = is_sm ? map->cells.sms : map->cells.lines;
	const uint8_t *sides = is_sm ? map->sides.sm : map->sides.line;
	struct rank *ranks = calloc(count + 1, sizeof(*ranks));
	size_t *order = calloc(count + 1, sizeof(*order)), i;

	for (i = 0; ranks && order && i < count; i++)
		ranks[i] = (struct rank){sides[i], near_mean(map, i, is_sm), i};
	if (ranks && order) {
		qsort(ranks, count, sizeof(*ranks), by_rank);
		for (i = 0; i < count; i++)
			order[i] = ranks[i].index;
	} else {
		free(order);
		order = NULL;
	}
	free(ranks);
	return order;
}
