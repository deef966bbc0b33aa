#ifndef NEARFAR_JSON_WHERE_H
#define NEARFAR_JSON_WHERE_H

/*
 * Lines and columns for json_place: the JSON library keeps none for the values
 * of a document, so the text, which has been found to be JSON, is walked once
 * more to the value at hand; to what should hold it where it is missing.
 */
#include "harness/json/json_place.h"

#define JSON_WHERE_BYTES 512

/* The place with a source of FILE:LINE:COLUMN, written into `source`; `file`
   is FILE. */
struct json_place json_where(const struct json_place *place, const char *text,
	const char *file, char source[JSON_WHERE_BYTES]);

#endif
