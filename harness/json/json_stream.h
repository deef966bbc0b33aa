#ifndef NEARFAR_JSON_STREAM_H
#define NEARFAR_JSON_STREAM_H

/*
 * JSON read as a stream: a document comes in pieces of any size, and each
 * value is handed on as soon as it is there, so that a reader holds what it
 * makes of the document and never the document itself.
 *
 * Tables of rules say what a document holds. A table for the members of an
 * object has a row for each key, in whatever order the keys come; a row
 * without a key takes all other members. The table of an array is a single row
 * for its elements. A member without a row is skipped with all that it holds.
 * What a row does not want, a key that is needed and not there, and a key that
 * is there twice are refused, with the way to the value:
 *
 *   FILE: 'series[0].points[3].x' must be a number, not a string
 *
 * What is no JSON is refused with FILE:LINE:COLUMN. Numbers are the nearest
 * doubles of what is spelled. Strings are Unicode without the character 0; a
 * surrogate without its other half reads as '?'.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

#define JSON_STREAM_DEPTH_MAX 1024

struct json_stream;

/* What a row wants: a set. */
enum json_want {
	WANT_OBJECT = 1 << 0,
	WANT_ARRAY = 1 << 1,
	WANT_TEXT = 1 << 2,
	WANT_NUMBER = 1 << 3,
	WANT_WHOLE = 1 << 4, /* a number without fraction and exponent */
	WANT_NULL = 1 << 5,
};

/* A value, for the time of one call. An object or an array is given before what
   it holds. */
struct json_value {
	enum json_want kind; /* WANT_NUMBER for every number */
	const char *text;    /* of a string; followed by a zero byte */
	double number;       /* NaN for null */
	bool whole;
};

/* A table ends with a row that wants nothing. */
struct json_rule {
	const char *key; /* NULL: any other key, or an element */
	unsigned wants;
	bool needed;
	const struct json_rule *inside; /* of an object or an array */
	/* Both may be NULL, and return 0 or the code of their error. */
	int (*take)(void *reader, struct json_stream *stream,
		const struct json_value *value);
	int (*end)(void *reader, struct json_stream *stream);
};

/* `root` is the row of the document; `reader` is given to its functions.
   `source` is borrowed. NULL without memory, with the sentence. */
struct json_stream *json_stream_open(const struct json_rule *root, void *reader,
	const char *source, struct error *error);

/* The next piece. ERR_USAGE, or ERR_FAILED without memory; after a failure
   nothing may follow but json_stream_free. */
int json_stream_feed(
	struct json_stream *stream, const char *text, size_t bytes);
/* No piece follows. */
int json_stream_end(struct json_stream *stream);
void json_stream_free(struct json_stream *stream);

/* ---- for the functions of rules ---- */

/* The row of the member at hand in its table, from 0. */
size_t json_stream_row(const struct json_stream *stream);
/* The element of the nearest array around the value. */
size_t json_stream_index(const struct json_stream *stream);
/* The name of the nearest member around the value, or of the value itself. */
const char *json_stream_key(const struct json_stream *stream);
/* At the end of an object: whether it has the member of that row. */
bool json_stream_has(const struct json_stream *stream, size_t row);

/* ERR_USAGE: FILE: 'PATH' and the rest of the sentence; `below` is what follows
   the value at hand in the path: "", "[3]" or ".key". */
int json_stream_fail(struct json_stream *stream, const char *below,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
int json_stream_no_memory(struct json_stream *stream);

/* ERR_USAGE if the number is not between 0 and `most`. */
int json_stream_count(struct json_stream *stream,
	const struct json_value *value, uint64_t most, uint64_t *count);
/* A copy of the string in the place of *copy. */
int json_stream_copy(struct json_stream *stream, const struct json_value *value,
	char **copy);

#endif
