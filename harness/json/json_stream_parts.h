#ifndef NEARFAR_JSON_STREAM_PARTS_H
#define NEARFAR_JSON_STREAM_PARTS_H

/* Between the parser of a stream and the walk through its rules. */
#include <setjmp.h>
#include <yajl/yajl_parse.h>

#include "harness/json/json_stream.h"

#define BLOCKS_MAX 16 /* that the parser holds at a time */

/* An object or array that has begun and not ended. */
struct frame {
	const struct json_rule *rule;   /* its own; NULL: skipped */
	const struct json_rule *inside; /* NULL: all of it is skipped */
	const struct json_rule *member; /* of the value at hand */
	const char *key;                /* of the member at hand */
	size_t index;                   /* elements that have begun */
	uint64_t seen;                  /* rows whose member is there: of 64 */
	void *others;                   /* keys without a row of their own */
	bool is_array;
};

struct json_stream {
	const struct json_rule *root;
	void *reader;
	const char *source;
	struct error *error;
	int result;

	struct frame frames[JSON_STREAM_DEPTH_MAX];
	size_t depth;

	char *text; /* the string at hand */
	size_t text_bytes;

	const struct json_rule *rule; /* of the value at hand */

	const char *piece;
	size_t piece_bytes;
	size_t lines, line_bytes; /* before the piece */

	yajl_handle parser;
	yajl_alloc_funcs memory;
	void *blocks[BLOCKS_MAX];
	jmp_buf no_memory;
};

/* Before all else about a value. */
void stream_begin_value(struct json_stream *s);

/* Each returns 0 or the code of its error. A value: an object or array begins,
   or all of another. */
int stream_value(struct json_stream *s, const struct json_value *value);
int stream_boolean(struct json_stream *s, bool value);
int stream_key(struct json_stream *s, const unsigned char *text, size_t bytes);
int stream_end_value(struct json_stream *s);

/* Keeps the string in s->text, with a zero byte behind it. */
int stream_hold_text(
	struct json_stream *s, const unsigned char *text, size_t bytes);

#endif
