#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/json/json_place.h"
#include "harness/json/json_text.h"

#define PATH_BYTES 256

/* The parser's own word for a lack of memory may be that the text is wrong. */
int place_load(const char *text, size_t bytes, const char *source,
	struct json_place *root, struct error *error)
{
	json_error_t syntax;

	*root = (struct json_place){.source = source, .error = error};
	errno = 0;
	root->value =
		json_text_read(text, bytes, JSON_REJECT_DUPLICATES, &syntax);
	if (root->value)
		return 0;
	if (errno == ENOMEM)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", source);
	return error_set(error, ERR_USAGE, "%s:%d:%d: %s", source, syntax.line,
		syntax.column, syntax.text);
}

struct json_place place_key(const struct json_place *up, const char *key)
{
	return (struct json_place){.up = up,
		.key = key,
		.value = json_object_get(up->value, key),
		.source = up->source,
		.error = up->error};
}

struct json_place place_index(const struct json_place *up, size_t index)
{
	return (struct json_place){.up = up,
		.index = index,
		.value = json_array_get(up->value, index),
		.source = up->source,
		.error = up->error};
}

static void print_path(const struct json_place *place, char *path)
{
	size_t length;

	if (!place->up) {
		*path = '\0';
		return;
	}
	print_path(place->up, path);
	length = strlen(path);
	if (place->key)
		snprintf(path + length, PATH_BYTES - length, "%s%s",
			length ? "." : "", place->key);
	else
		snprintf(path + length, PATH_BYTES - length, "[%zu]",
			place->index);
}

int place_fail(const struct json_place *place, const char *format, ...)
{
	char path[PATH_BYTES], rest[PATH_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(rest, sizeof(rest), format, arguments);
	va_end(arguments);
	print_path(place, path);
	return error_set(place->error, ERR_USAGE, "%s: '%s' %s", place->source,
		*path ? path : "the document", rest);
}

int place_no_memory(const struct json_place *place)
{
	return error_set(place->error, ERR_FAILED,
		"out of memory while reading '%s'", place->source);
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null"};

	return names[json_typeof(value)];
}

static int wrong(const struct json_place *place, const char *wanted)
{
	if (!place->value)
		return place_fail(place, "is missing");
	return place_fail(
		place, "must be %s, not %s", wanted, type_name(place->value));
}

int place_object(const struct json_place *place)
{
	return json_is_object(place->value) ? 0 : wrong(place, "an object");
}

int place_array(const struct json_place *place, size_t *count)
{
	if (!json_is_array(place->value))
		return wrong(place, "an array");
	*count = json_array_size(place->value);
	return 0;
}

int place_string(const struct json_place *place, const char **text)
{
	if (!json_is_string(place->value))
		return wrong(place, "a string");
	*text = json_string_value(place->value);
	return 0;
}

int place_copy(const struct json_place *place, char **copy)
{
	const char *text = NULL;
	char *own;
	int result = place_string(place, &text);

	if (result)
		return result;
	own = strdup(text);
	if (!own)
		return place_no_memory(place);
	*copy = own;
	return 0;
}

int place_number(const struct json_place *place, double *value)
{
	if (!json_is_number(place->value))
		return wrong(place, "a number");
	*value = json_number_value(place->value);
	return 0;
}

int place_number_or_null(const struct json_place *place, double *value)
{
	if (!json_is_null(place->value))
		return place_number(place, value);
	*value = NAN;
	return 0;
}

int place_count(const struct json_place *place, uint64_t most, uint64_t *value)
{
	json_int_t whole;

	if (!json_is_integer(place->value))
		return json_is_real(place->value)
			       ? place_fail(place, "must be a whole number")
			       : wrong(place, "a whole number");
	whole = json_integer_value(place->value);
	if (whole < 0 || (uint64_t)whole > most)
		return place_fail(place, "must be between 0 and %llu",
			(unsigned long long)most);
	*value = (uint64_t)whole;
	return 0;
}
