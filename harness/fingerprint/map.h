#ifndef NEARFAR_FINGERPRINT_MAP_H
#define NEARFAR_FINGERPRINT_MAP_H

#include <jansson.h>

#include "harness/map/map.h"

/* The map as map_json() has it, and two numbers of each SM: `sm_near_cycles`,
   the mean over the near lines, and `sm_l2_share`, the rate while all SMs read
   L2 over that of the median SM (in the first repeat; without `rates` none).
   NULL without memory. */
json_t *fingerprint_map(const struct map *map, const struct series *rates);

#endif
