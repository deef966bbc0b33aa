#include <stdlib.h>

#include "harness/map/map.h"

static int analyse(const struct point *point, uint32_t toucher, struct map *m)
{
	unsigned side;
	int code = map_sides_find(&m->cells, &m->sides);

	if (code)
		return code;
	map_hash_solve(m->sides.line, m->cells.lines, map_offset(&m->cells, 0),
		m->cells.stride_bytes, &m->hash);
	code = map_slices_find(&m->cells, &m->sides, &m->slices);
	for (side = 0; side < m->sides.count && !code; side++)
		code = map_floor_fit(
			&m->cells, &m->sides, side, &m->floor[side]);
	return code ? code
		    : map_touch_read(
			      point, &m->cells, &m->sides, toucher, &m->touch);
}

int map_make(const struct point *point, uint32_t toucher, struct map *map,
	struct error *error)
{
	struct map made = {0};
	int code = map_cells_read(point, &made.cells, error);

	if (code)
		return code;
	if (toucher >= made.cells.sms)
		code = error_set(error, ERR_USAGE,
			"the toucher is SM %u, but there are samples of %zu "
			"SMs only",
			toucher, made.cells.sms);
	else if (analyse(point, toucher, &made))
		code = error_set(error, ERR_FAILED, "out of memory for a map");
	if (code)
		map_free(&made);
	else
		*map = made;
	return code;
}

int map_of_series(const struct series *series, const struct point *point,
	struct map *map, struct error *error)
{
	const char *toucher = facts_find(&series->options, "toucher");

	return map_make(point,
		toucher ? (uint32_t)strtoul(toucher, NULL, 10) : 0, map, error);
}

void map_free(struct map *map)
{
	map_cells_free(&map->cells);
	map_sides_free(&map->sides);
	map_slices_free(&map->slices);
}
