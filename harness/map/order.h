#ifndef NEARFAR_MAP_ORDER_H
#define NEARFAR_MAP_ORDER_H

/* An order of SMs, or of lines, that shows the sides: those of side A first,
   within a side the nearest first. The caller frees it; NULL without
   memory. */
#include "harness/map/map.h"

size_t *map_order(const struct map *map, bool is_sm);

#endif
