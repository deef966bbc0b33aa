#include <ctype.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/json_stream_parts.h"

#define NUMBER_BYTES 512 /* of the longest spelling */
#define EXACT_DIGITS 15

/* ---- the parser's memory ----
 *
 * yajl does not look whether it got what it asked for, so a lack of memory
 * leaves it by a jump. What it holds is known here, and freed here.
 */

static void **slot_of(struct json_stream *s, const void *block)
{
	size_t i;

	for (i = 0; i < BLOCKS_MAX; i++)
		if (s->blocks[i] == block)
			return &s->blocks[i];
	longjmp(s->no_memory, 1);
}

static void *parser_realloc(void *context, void *block, size_t bytes)
{
	struct json_stream *s = context;
	void **slot = slot_of(s, block);
	void *larger = realloc(block, bytes);

	if (!larger)
		longjmp(s->no_memory, 1);
	return *slot = larger;
}

static void *parser_malloc(void *context, size_t bytes)
{
	return parser_realloc(context, NULL, bytes);
}

static void parser_free(void *context, void *block)
{
	if (!block)
		return;
	*slot_of(context, block) = NULL;
	free(block);
}

/* ---- what the parser calls: 0 stops it ---- */

static int went_on(struct json_stream *s, int code)
{
	s->result = code;
	return !code;
}

static int on_null(void *context)
{
	stream_begin_value(context);
	return went_on(context,
		stream_value(context, &(struct json_value){.kind = WANT_NULL,
					      .number = NAN}));
}

static int on_boolean(void *context, int value)
{
	stream_begin_value(context);
	return went_on(context, stream_boolean(context, value));
}

/* Whole numbers of few digits are exact, and as a rule the most. */
static bool read_digits(const char *text, size_t bytes, double *number)
{
	uint64_t value = 0;
	size_t i;

	if (bytes > EXACT_DIGITS)
		return false;
	for (i = 0; i < bytes; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		value = 10 * value + (uint64_t)(text[i] - '0');
	}
	*number = (double)value;
	return true;
}

static int read_number(struct json_stream *s, const char *text, size_t bytes,
	struct json_value *value)
{
	char spelled[NUMBER_BYTES];

	value->whole = true;
	if (read_digits(text, bytes, &value->number))
		return 0;
	if (bytes >= NUMBER_BYTES)
		return json_stream_fail(
			s, "", "has more than %d digits", NUMBER_BYTES - 1);
	memcpy(spelled, text, bytes);
	spelled[bytes] = '\0';
	value->whole = !strpbrk(spelled, ".eE");
	value->number = strtod(spelled, NULL);
	if (isinf(value->number))
		return json_stream_fail(s, "", "is too large a number");
	return 0;
}

static int on_number(void *context, const char *text, size_t bytes)
{
	struct json_value value = {.kind = WANT_NUMBER};
	int code;

	stream_begin_value(context);
	code = read_number(context, text, bytes, &value);
	return went_on(context, code ? code : stream_value(context, &value));
}

static int on_string(void *context, const unsigned char *text, size_t bytes)
{
	const struct json_stream *s = context;
	int code;

	stream_begin_value(context);
	code = stream_hold_text(context, text, bytes);
	return went_on(
		context, code ? code
			      : stream_value(context,
					&(struct json_value){.kind = WANT_TEXT,
						.text = s->text}));
}

static int on_object(void *context)
{
	stream_begin_value(context);
	return went_on(
		context, stream_value(context,
				 &(struct json_value){.kind = WANT_OBJECT}));
}

static int on_array(void *context)
{
	stream_begin_value(context);
	return went_on(
		context, stream_value(context,
				 &(struct json_value){.kind = WANT_ARRAY}));
}

static int on_key(void *context, const unsigned char *text, size_t bytes)
{
	return went_on(context, stream_key(context, text, bytes));
}

static int on_end(void *context)
{
	return went_on(context, stream_end_value(context));
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_array,
	.yajl_end_array = on_end};

/* ---- the stream ---- */

/* False without memory, and then nothing may follow. */
static bool start(struct json_stream *s)
{
	if (setjmp(s->no_memory))
		return false;
	s->parser = yajl_alloc(&callbacks, &s->memory, s);
	return true;
}

struct json_stream *json_stream_open(const struct json_rule *root, void *reader,
	const char *source, struct error *error)
{
	struct json_stream *s = calloc(1, sizeof(*s));

	if (s) {
		s->root = root;
		s->reader = reader;
		s->source = source;
		s->error = error;
		s->memory = (yajl_alloc_funcs){
			parser_malloc, parser_realloc, parser_free, s};
		if (start(s))
			return s;
	}
	json_stream_free(s);
	error_set(
		error, ERR_FAILED, "out of memory while reading '%s'", source);
	return NULL;
}

/* The lines of the first bytes of a piece, and the bytes of the last. */
static void count_lines(struct json_stream *s, const char *text, size_t bytes)
{
	const char *end, *at;

	if (!bytes) /* and no text, at the end */
		return;
	end = text + bytes;
	while ((at = memchr(text, '\n', (size_t)(end - text)))) {
		s->lines++;
		s->line_bytes = 0;
		text = at + 1;
	}
	s->line_bytes += (size_t)(end - text);
}

/* The parser's word, "parse error: WHAT.\n" or "lexical error: WHAT.\n". */
static int no_json(struct json_stream *s)
{
	const size_t used = yajl_get_bytes_consumed(s->parser);
	unsigned char *said = yajl_get_error(s->parser, 0, NULL, 0);
	const char *what = strstr((const char *)said, ": ");
	size_t length;

	what = what ? what + 2 : (const char *)said;
	length = strcspn(what, "\n");
	length -= length && what[length - 1] == '.';
	count_lines(s, s->piece, used < s->piece_bytes ? used : s->piece_bytes);
	error_set(s->error, ERR_USAGE, "%s:%zu:%zu: %.*s", s->source,
		s->lines + 1, s->line_bytes, (int)length, what);
	yajl_free_error(s->parser, said);
	return ERR_USAGE;
}

/* The piece at hand; the end where there is none. */
static int parse(struct json_stream *s)
{
	yajl_status status;

	if (setjmp(s->no_memory))
		return json_stream_no_memory(s);
	status = s->piece ? yajl_parse(s->parser,
				    (const unsigned char *)s->piece,
				    s->piece_bytes)
			  : yajl_complete_parse(s->parser);
	if (status == yajl_status_client_canceled)
		return s->result;
	return status == yajl_status_error ? no_json(s) : 0;
}

int json_stream_feed(struct json_stream *s, const char *text, size_t bytes)
{
	int code;

	s->piece = text;
	s->piece_bytes = bytes;
	code = parse(s);
	if (!code)
		count_lines(s, text, bytes);
	return code;
}

int json_stream_end(struct json_stream *s)
{
	s->piece = NULL;
	s->piece_bytes = 0;
	return parse(s);
}

void json_stream_free(struct json_stream *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < BLOCKS_MAX; i++)
		free(s->blocks[i]);
	for (i = 0; i < s->depth; i++)
		tdestroy(s->frames[i].others, free);
	free(s->text);
	free(s);
}
