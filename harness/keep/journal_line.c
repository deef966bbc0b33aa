#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/json/json_text.h"
#include "harness/keep/journal_line.h"

#define BEGIN  "{\"check\": \""
#define MIDDLE "\", \"record\": "
#define END    "}\n"
#define DIGITS 8

#define BEGIN_BYTES  (sizeof(BEGIN) - 1)
#define MIDDLE_BYTES (sizeof(MIDDLE) - 1)
#define END_BYTES    (sizeof(END) - 1)
#define RECORD_AT    (BEGIN_BYTES + DIGITS + MIDDLE_BYTES)

_Static_assert(RECORD_AT + END_BYTES == JOURNAL_LINE_BYTES, "what a line adds");

static uint32_t check_of(uint32_t before, const char *record, size_t bytes)
{
	return (uint32_t)crc32_z(before, (const unsigned char *)record, bytes);
}

char *journal_line_make(uint32_t *check, const char *record, size_t bytes)
{
	char *line = malloc(bytes + JOURNAL_LINE_BYTES);

	if (!line)
		return NULL;
	*check = check_of(*check, record, bytes);
	/* Its zero byte is overwritten by the record. */
	snprintf(line, RECORD_AT + 1, BEGIN "%08" PRIx32 MIDDLE, *check);
	memcpy(line + RECORD_AT, record, bytes);
	memcpy(line + RECORD_AT + bytes, END, END_BYTES);
	return line;
}

bool journal_line_begins(const char *line, size_t bytes)
{
	return bytes >= BEGIN_BYTES && !memcmp(line, BEGIN, BEGIN_BYTES);
}

const char *journal_line_read(
	uint32_t *check, const char *line, size_t line_bytes, size_t *bytes)
{
	char digits[DIGITS + 1];
	uint32_t computed;

	if (line_bytes <= JOURNAL_LINE_BYTES ||
		!journal_line_begins(line, line_bytes) ||
		memcmp(line + line_bytes - END_BYTES, END, END_BYTES) ||
		memcmp(line + BEGIN_BYTES + DIGITS, MIDDLE, MIDDLE_BYTES))
		return NULL;
	computed = check_of(
		*check, line + RECORD_AT, line_bytes - JOURNAL_LINE_BYTES);
	snprintf(digits, sizeof(digits), "%08" PRIx32, computed);
	if (memcmp(line + BEGIN_BYTES, digits, DIGITS))
		return NULL;
	*check = computed;
	*bytes = line_bytes - JOURNAL_LINE_BYTES;
	return line + RECORD_AT;
}

/* ---- headers ---- */

/* A fact as text; one with several values as JSON. */
static char *text_of(const json_t *value)
{
	const char *text = json_string_value(value);

	return text ? strdup(text) : json_text_write(value, JSON_ENCODE_ANY);
}

static int refuse_fact(const char *path, const char *key, const json_t *found,
	const json_t *wanted, struct error *error)
{
	char *is = text_of(found), *shall = text_of(wanted);
	int code = error_set(error, ERR_USAGE,
		"the journal '%s' belongs to other work: its %s is '%.200s', "
		"not '%.200s'",
		path, key, is ? is : "missing", shall ? shall : "missing");

	free(is);
	free(shall);
	return code;
}

static int refuse_work(
	const char *path, json_t *found, json_t *wanted, struct error *error)
{
	const char *key;
	json_t *value;

	json_object_foreach(wanted, key, value)
	{
		json_t *other = json_object_get(found, key);

		if (!json_equal(value, other))
			return refuse_fact(path, key, other, value, error);
	}
	return error_set(error, ERR_USAGE,
		"the journal '%s' belongs to other work", path);
}

int journal_line_refuse(const char *path, const char *found, size_t bytes,
	const char *schema, const char *wanted, struct error *error)
{
	json_t *is = json_text_read(found, bytes, 0, NULL);
	json_t *shall = json_text_read(wanted, strlen(wanted), 0, NULL);
	const char *name = json_string_value(json_object_get(is, "schema"));
	int code;

	if (!is || !shall)
		code = error_set(error, ERR_FAILED, "out of memory");
	else if (!name || strcmp(name, schema))
		code = error_set(error, ERR_USAGE,
			"'%s' is no journal of this kind ('%s', not '%s')",
			path, name ? name : "none", schema);
	else
		code = refuse_work(path, json_object_get(is, "work"),
			json_object_get(shall, "work"), error);
	json_decref(is);
	json_decref(shall);
	return code;
}
