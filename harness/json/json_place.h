#ifndef NEARFAR_JSON_PLACE_H
#define NEARFAR_JSON_PLACE_H

/*
 * A value in a JSON document together with the way to it, so that a reader's
 * message can say where it is wrong:
 *
 *   FILE: 'series[0].points[3].x' must be a number, not a string
 *
 * Places live on the reader's stack and hold a reference to the one above;
 * `value` is borrowed from the document and NULL where a key is missing. The
 * readers return 0, ERR_USAGE or (without memory) ERR_FAILED, and write their
 * out-parameter only on success.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

struct json_place {
	const struct json_place *up; /* NULL: the document */
	const char *key;             /* NULL: an element of an array */
	size_t index;
	json_t *value;
	const char *source;
	struct error *error;
};

/* Parses a document. ERR_USAGE with SOURCE:LINE:COLUMN:, ERR_FAILED without
   memory; the caller drops the reference to root->value. */
int place_load(const char *text, size_t bytes, const char *source,
	struct json_place *root, struct error *error);

struct json_place place_key(const struct json_place *up, const char *key);
struct json_place place_index(const struct json_place *up, size_t index);

/* ERR_USAGE: FILE: 'PATH' and the rest of the sentence. */
int place_fail(const struct json_place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int place_no_memory(const struct json_place *place);

/* `count` receives the number of elements. */
int place_object(const struct json_place *place);
int place_array(const struct json_place *place, size_t *count);

int place_string(const struct json_place *place, const char **text);
int place_copy(const struct json_place *place, char **copy);
int place_number(const struct json_place *place, double *value);
int place_number_or_null(const struct json_place *place, double *value);
int place_count(const struct json_place *place, uint64_t most, uint64_t *value);

#endif
