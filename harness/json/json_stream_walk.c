#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/json/json_stream_parts.h"

#define PATH_BYTES 256

/* ---- places and messages ---- */

static void print_path(
	const struct json_stream *s, const char *below, char path[PATH_BYTES])
{
	size_t length = 0, i;

	*path = '\0';
	for (i = 0; i < s->depth && length < PATH_BYTES; i++) {
		const struct frame *f = &s->frames[i];

		if (f->is_array)
			length += (size_t)snprintf(path + length,
				PATH_BYTES - length, "[%zu]", f->index - 1);
		else
			length += (size_t)snprintf(path + length,
				PATH_BYTES - length, "%s%s", length ? "." : "",
				f->key);
	}
	if (length < PATH_BYTES)
		snprintf(path + length, PATH_BYTES - length, "%s", below);
}

int json_stream_fail(
	struct json_stream *s, const char *below, const char *format, ...)
{
	char path[PATH_BYTES], rest[PATH_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(rest, sizeof(rest), format, arguments);
	va_end(arguments);
	print_path(s, below, path);
	return error_set(s->error, ERR_USAGE, "%s: '%s' %s", s->source,
		*path ? path : "the document", rest);
}

int json_stream_no_memory(struct json_stream *s)
{
	return error_set(s->error, ERR_FAILED,
		"out of memory while reading '%s'", s->source);
}

/* What a row asks for, as a reader says it: a constant before an array. */
static const char *wanted_name(unsigned wants)
{
	return wants & WANT_TEXT     ? "a string"
	       : wants & WANT_NUMBER ? "a number"
	       : wants & WANT_WHOLE  ? "a whole number"
	       : wants & WANT_OBJECT ? "an object"
				     : "an array";
}

static const char *kind_name(enum json_want kind)
{
	return kind == WANT_OBJECT   ? "an object"
	       : kind == WANT_ARRAY  ? "an array"
	       : kind == WANT_TEXT   ? "a string"
	       : kind == WANT_NUMBER ? "a number"
				     : "null";
}

/* `name`: of what it is. */
static int wrong(
	struct json_stream *s, const struct json_rule *rule, const char *name)
{
	return json_stream_fail(
		s, "", "must be %s, not %s", wanted_name(rule->wants), name);
}

/* ---- values ---- */

static struct frame *top(struct json_stream *s)
{
	return s->depth ? &s->frames[s->depth - 1] : NULL;
}

/* Without a row, the value is skipped. */
void stream_begin_value(struct json_stream *s)
{
	struct frame *f = top(s);

	if (f && f->is_array)
		f->index++;
	s->rule = !f ? s->root : f->is_array ? f->inside : f->member;
}

static bool is_wanted(
	const struct json_rule *rule, const struct json_value *value)
{
	return rule->wants & value->kind ||
	       (rule->wants & WANT_WHOLE && value->kind == WANT_NUMBER &&
		       value->whole);
}

static int take(struct json_stream *s, const struct json_rule *rule,
	const struct json_value *value)
{
	if (!rule)
		return 0;
	if (is_wanted(rule, value))
		return rule->take ? rule->take(s->reader, s, value) : 0;
	if (rule->wants & WANT_WHOLE && value->kind == WANT_NUMBER)
		return json_stream_fail(s, "", "must be a whole number");
	return wrong(s, rule, kind_name(value->kind));
}

static int push(struct json_stream *s, const struct json_rule *rule,
	enum json_want kind)
{
	if (s->depth == JSON_STREAM_DEPTH_MAX)
		return json_stream_fail(s, "",
			"is nested too deep: at most %d values hold each other",
			JSON_STREAM_DEPTH_MAX);
	s->frames[s->depth++] = (struct frame){.rule = rule,
		.inside = rule ? rule->inside : NULL,
		.is_array = kind == WANT_ARRAY,
		.key = ""};
	return 0;
}

int stream_value(struct json_stream *s, const struct json_value *value)
{
	const struct json_rule *rule = s->rule;
	int code = take(s, rule, value);

	if (!code && value->kind & (WANT_OBJECT | WANT_ARRAY))
		code = push(s, rule, value->kind);
	return code;
}

/* No row wants one. */
int stream_boolean(struct json_stream *s, bool value)
{
	return s->rule ? wrong(s, s->rule, value ? "true" : "false") : 0;
}

static int check_needed(struct json_stream *s, struct frame *f)
{
	size_t i;

	for (i = 0; f->inside && f->inside[i].wants; i++) {
		if (!f->inside[i].needed || f->seen >> i & 1)
			continue;
		f->key = f->inside[i].key;
		return json_stream_fail(s, "", "is missing");
	}
	return 0;
}

int stream_end_value(struct json_stream *s)
{
	struct frame *f = top(s);
	int code = f->is_array ? 0 : check_needed(s, f);

	tdestroy(f->others, free);
	f->others = NULL;
	if (code)
		return code;
	s->depth--;
	return f->rule && f->rule->end ? f->rule->end(s->reader, s) : 0;
}

/* Room for a string of that many bytes; NULL without memory. */
static char *make_room(struct json_stream *s, size_t bytes)
{
	char *larger;

	if (bytes < s->text_bytes)
		return s->text;
	larger = realloc(s->text, 2 * bytes + 64);
	if (!larger)
		return NULL;
	s->text_bytes = 2 * bytes + 64;
	return s->text = larger;
}

/* The string at hand, in s->text. */
int stream_hold_text(
	struct json_stream *s, const unsigned char *text, size_t bytes)
{
	char *held = make_room(s, bytes);

	if (!held)
		return json_stream_no_memory(s);
	memcpy(held, text, bytes);
	held[bytes] = '\0';
	if (strlen(held) != bytes)
		return json_stream_fail(s, "", "holds a character 0");
	if (!emit_is_utf8(held))
		return json_stream_fail(s, "", "is no Unicode text");
	return 0;
}

/* ---- keys ---- */

static int compare_keys(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Keys without a row of their own: each is kept, so that none comes twice. */
static int hold_key(struct json_stream *s, struct frame *f)
{
	char *copy = strdup(s->text);
	const char *const *found = NULL;

	if (copy)
		found = tsearch(copy, &f->others, compare_keys);
	if (!found) {
		free(copy);
		return json_stream_no_memory(s);
	}
	f->key = *found;
	if (*found == copy)
		return 0;
	free(copy);
	return json_stream_fail(s, "", "is there twice");
}

static bool is_key(const char *key, const unsigned char *text, size_t bytes)
{
	return !strncmp(key, (const char *)text, bytes) && !key[bytes];
}

int stream_key(struct json_stream *s, const unsigned char *text, size_t bytes)
{
	struct frame *f = top(s);
	size_t i;
	int code;

	f->member = NULL;
	for (i = 0; f->inside && f->inside[i].wants; i++) {
		const struct json_rule *rule = &f->inside[i];

		if (!rule->key)
			f->member = rule;
		if (!rule->key || !is_key(rule->key, text, bytes))
			continue;
		f->member = rule;
		f->key = rule->key;
		if (f->seen >> i & 1)
			return json_stream_fail(s, "", "is there twice");
		f->seen |= UINT64_C(1) << i;
		return 0;
	}
	f->key = "";
	code = stream_hold_text(s, text, bytes);
	return code ? code : hold_key(s, f);
}

/* ---- for the functions of rules ---- */

size_t json_stream_row(const struct json_stream *s)
{
	const struct frame *f = &s->frames[s->depth - 1];

	return (size_t)(f->member - f->inside);
}

size_t json_stream_index(const struct json_stream *s)
{
	size_t i = s->depth;

	while (i && !s->frames[i - 1].is_array)
		i--;
	return i ? s->frames[i - 1].index - 1 : 0;
}

const char *json_stream_key(const struct json_stream *s)
{
	size_t i = s->depth;

	while (i && s->frames[i - 1].is_array)
		i--;
	return i ? s->frames[i - 1].key : "";
}

/* The frame that has just been left. */
bool json_stream_has(const struct json_stream *s, size_t row)
{
	return s->frames[s->depth].seen >> row & 1;
}

int json_stream_count(struct json_stream *s, const struct json_value *value,
	uint64_t most, uint64_t *count)
{
	if (value->number < 0 || value->number > (double)most)
		return json_stream_fail(s, "", "must be between 0 and %llu",
			(unsigned long long)most);
	*count = (uint64_t)value->number;
	return 0;
}

int json_stream_copy(
	struct json_stream *s, const struct json_value *value, char **copy)
{
	*copy = strdup(value->text);
	return *copy ? 0 : json_stream_no_memory(s);
}
