#ifndef NEARFAR_SERIES_JSON_H
#define NEARFAR_SERIES_JSON_H

/*
 * The parts of the JSON reader. Each takes the place of what holds its value
 * and fills what is given; on failure what was read so far stays in it, for
 * the caller to free with the series.
 */
#include "harness/base/json_place.h"
#include "harness/series/series.h"

/* Appends the point at `place` to the series, whose metrics are known. */
int series_parse_point(const struct json_place *place, struct series *series);

/* Optional keys of the point at `up`; regions come first, since samples and
   spans index them. */
int series_parse_regions(const struct json_place *up, struct point *point);
int series_parse_samples(const struct json_place *up, struct point *point);
int series_parse_spans(const struct json_place *up, struct point *point);

#endif
