#include <stdio.h>
#include <string.h>

#include "harness/json/json_where.h"

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Behind the closing quote. */
static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
	unsigned depth = 0;

	do {
		if (*at == '"') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth--;
		else if (!depth) /* a number or a word */
			return at + strcspn(at, ",]} \t\r\n");
		at++;
	} while (*at && depth);
	return at;
}

/* On to the next member or element; NULL behind the last. */
static const char *next(const char *at)
{
	at = skip_space(skip_value(at));
	return *at == ',' ? skip_space(at + 1) : NULL;
}

static const char *find_key(const char *object, const char *key)
{
	const size_t length = strlen(key);
	const char *at = skip_space(object + 1);

	while (at && *at == '"') {
		const char *name = at + 1;
		const char *end = skip_string(at);

		at = skip_space(skip_space(end) + 1); /* the colon */
		if ((size_t)(end - 1 - name) == length &&
			!strncmp(name, key, length))
			return at;
		at = next(at);
	}
	return object;
}

static const char *find_index(const char *array, size_t index)
{
	const char *at = skip_space(array + 1);

	while (at && index--)
		at = next(at);
	return at ? at : array;
}

static const char *find(const struct json_place *place, const char *text)
{
	const char *up;

	if (!place->up)
		return skip_space(text);
	up = find(place->up, text);
	if (place->key)
		return *up == '{' ? find_key(up, place->key) : up;
	return *up == '[' ? find_index(up, place->index) : up;
}

struct json_place json_where(const struct json_place *place, const char *text,
	const char *file, char source[JSON_WHERE_BYTES])
{
	const char *at = find(place, text);
	const char *line_start = text, *c;
	struct json_place there = *place;
	unsigned line = 1;

	for (c = text; c < at; c++)
		if (*c == '\n') {
			line++;
			line_start = c + 1;
		}
	snprintf(source, JSON_WHERE_BYTES, "%s:%u:%zu", file, line,
		(size_t)(at - line_start) + 1);
	there.source = source;
	return there;
}
