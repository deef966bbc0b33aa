/* Maps of near-far, with SMs and lines in an order that shows the sides. */
#include <stdlib.h>
#include <string.h>

#include "harness/map/order.h"
#include "harness/page/parts.h"

static int add(struct page_maps *maps, const struct series *series,
	size_t index, const struct point *point, struct error *error)
{
	struct page_map *items =
		reallocarray(maps->items, maps->count + 1, sizeof(*items));
	struct page_map *map;
	int code;

	if (!items)
		return error_set(error, ERR_FAILED, "out of memory");
	maps->items = items;
	map = &items[maps->count];
	*map = (struct page_map){.series = index};
	code = map_of_series(series, point, &map->map, error);
	if (code)
		return code;
	maps->count++;
	map->sm_order = map_order(&map->map, true);
	map->line_order = map_order(&map->map, false);
	if (!map->sm_order || !map->line_order)
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

int page_maps_make(const struct page_input *input, struct page_maps *maps,
	struct error *error)
{
	struct page_maps made = {0};
	size_t i, k;
	int code = 0;

	for (i = 0; i < input->count; i++) {
		const struct series *series = input->series[i].series;

		for (k = 0; !code && k < series->point_count; k++) {
			const struct point *point = &series->points[k];

			if (!strcmp(series->bench, "near-far") &&
				!point->skipped && point->samples.count)
				code = add(&made, series, i, point, error);
		}
		if (code) {
			code = error_prefix(
				error, code, "%s: ", input->series[i].path);
			break;
		}
	}
	if (code)
		page_maps_free(&made);
	*maps = made;
	return code;
}

void page_maps_free(struct page_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->count; i++) {
		map_free(&maps->items[i].map);
		free(maps->items[i].sm_order);
		free(maps->items[i].line_order);
	}
	free(maps->items);
	*maps = (struct page_maps){0};
}
