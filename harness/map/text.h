#ifndef NEARFAR_MAP_TEXT_H
#define NEARFAR_MAP_TEXT_H

/*
 * A map as text for people and as JSON for programs (schema nearfar-map/1,
 * in harness/command/formats.md). Stream errors show in ferror().
 */
#include <jansson.h>
#include <stdio.h>

#include "harness/base/text_table.h"
#include "harness/map/map.h"

#define MAP_SCHEMA      "nearfar-map/1"
#define MAP_BLOCKS      64
#define MAP_BLOCK_BYTES 4096

/*
 * The homes of the first blocks of the buffer, a letter each: A or B, `?`
 * where lines of one block disagree, `.` where there is no line.
 */
void map_home_letters(const struct map *map, char letters[MAP_BLOCKS + 1]);

/* The SMs of a side as ranges: "0-1,4,6-9". NULL without memory; the caller
   frees it. */
char *map_sm_ranges(const struct map *map, unsigned side);

/* The bits of a mask: "12 13 15"; "none". */
void map_bit_names(uint32_t bits, char *text, size_t bytes);

void map_put_table(const struct map *map, FILE *out);

/* What a touch leaves, as a table in that style. */
void map_put_touches(const struct map *map, enum text_style style, FILE *out);

/* A new object without the point's own keys; NULL without memory. */
json_t *map_json(const struct map *map);

#endif
