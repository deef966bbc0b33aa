/*
 * What has been run, in a file of JSON lines:
 *
 *   {"schema": "nearfar-calibration/1", "machine": DIGEST,
 *    "targets": ["FILE DIGEST", ...]}
 *   {"settings": DIGEST, "point": N, "outcome": [NUMBER or null, ...]}
 *
 * A line that was cut off by the end of the process is dropped; any other
 * that is not of this form is an error.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/calibrate/parts.h"
#include "harness/base/content.h"
#include "harness/base/emit.h"

#define SCHEMA        "nearfar-calibration/1"
#define FIRST_ENTRIES 1024

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for the state");
}

/* ---- in memory ---- */

static struct memo_entry *find(
	const struct memo *memo, uint64_t settings, size_t point)
{
	size_t at =
		(size_t)((settings ^ (point * UINT64_C(0x9e3779b97f4a7c15))) &
			 (memo->capacity - 1));

	while (memo->entries[at].settings &&
		(memo->entries[at].settings != settings ||
			memo->entries[at].point != point))
		at = (at + 1) & (memo->capacity - 1);
	return &memo->entries[at];
}

static int grow(struct memo *memo)
{
	const size_t capacity =
		memo->capacity ? 2 * memo->capacity : FIRST_ENTRIES;
	struct memo larger = {.capacity = capacity};
	size_t i;

	larger.entries = calloc(capacity, sizeof(*larger.entries));
	if (!larger.entries)
		return ERR_FAILED;
	for (i = 0; i < memo->capacity; i++)
		if (memo->entries[i].settings)
			*find(&larger, memo->entries[i].settings,
				memo->entries[i].point) = memo->entries[i];
	free(memo->entries);
	memo->entries = larger.entries;
	memo->capacity = capacity;
	return 0;
}

static int remember(struct memo *memo, uint64_t settings, size_t point,
	const struct outcome *outcome)
{
	struct memo_entry *entry;

	if (2 * memo->count >= memo->capacity && grow(memo))
		return ERR_FAILED;
	entry = find(memo, settings, point);
	memo->count += !entry->settings;
	*entry = (struct memo_entry){settings, (uint32_t)point, *outcome};
	return 0;
}

bool memo_get(const struct memo *memo, uint64_t settings, size_t point,
	struct outcome *outcome)
{
	const struct memo_entry *entry;

	if (!memo->capacity)
		return false;
	entry = find(memo, settings, point);
	if (!entry->settings)
		return false;
	*outcome = entry->outcome;
	return true;
}

/* ---- on disk ---- */

int memo_put(struct memo *memo, uint64_t settings, size_t point,
	const struct outcome *outcome)
{
	size_t i;

	if (remember(memo, settings, point, outcome))
		return ERR_FAILED;
	if (!memo->file)
		return 0;
	fprintf(memo->file,
		"{\"settings\": \"%016" PRIx64
		"\", \"point\": %zu, \"outcome\": [",
		settings, point);
	for (i = 0; i < OUTCOME_COUNT; i++) {
		fputs(i ? ", " : "", memo->file);
		emit_json_number(memo->file, outcome->field[i]);
	}
	fputs("]}\n", memo->file);
	return fflush(memo->file) ? ERR_FAILED : 0;
}

static json_t *make_header(
	const struct targets *targets, const char *machine_digest)
{
	json_t *list = json_array();
	size_t i;
	int failed = !list;

	for (i = 0; !failed && i < targets->file_count; i++)
		failed = json_array_append_new(
			list, json_sprintf("%s %s", targets->files[i].path,
				      targets->files[i].digest));
	if (failed) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:o}", "schema", SCHEMA, "machine",
		machine_digest, "targets", list);
}

static int check_header(const char *path, const char *line,
	const json_t *wanted, struct error *error)
{
	json_t *found = json_loads(line, 0, NULL);
	const char *schema =
		json_string_value(json_object_get(found, "schema"));
	int code = 0;

	if (!schema || strcmp(schema, SCHEMA))
		code = error_set(error, ERR_USAGE,
			"'%s' is not the state of a calibration (" SCHEMA ")",
			path);
	else if (!json_equal(json_object_get(found, "machine"),
			 json_object_get(wanted, "machine")))
		code = error_set(error, ERR_USAGE,
			"'%s' is the state of a calibration that began with "
			"another machine",
			path);
	else if (!json_equal(found, wanted))
		code = error_set(error, ERR_USAGE,
			"'%s' is the state of a calibration to other targets",
			path);
	json_decref(found);
	return code;
}

static int read_entry(struct memo *memo, const char *line)
{
	json_t *entry = json_loads(line, 0, NULL);
	const char *digest =
		json_string_value(json_object_get(entry, "settings"));
	json_t *point = json_object_get(entry, "point");
	json_t *list = json_object_get(entry, "outcome");
	uint64_t settings = digest ? strtoull(digest, NULL, 16) : 0;
	struct outcome outcome;
	size_t i;
	int code = settings && json_is_integer(point) &&
				   json_array_size(list) == OUTCOME_COUNT
			   ? 0
			   : ERR_USAGE;

	for (i = 0; !code && i < OUTCOME_COUNT; i++) {
		json_t *number = json_array_get(list, i);

		if (!json_is_number(number) && !json_is_null(number))
			code = ERR_USAGE;
		outcome.field[i] = json_is_number(number)
					   ? json_number_value(number)
					   : NAN;
	}
	if (!code)
		code = remember(memo, settings,
			(size_t)json_integer_value(point), &outcome);
	json_decref(entry);
	return code;
}

/* `bytes` receives how much of the file is whole. */
static int read_state(struct memo *memo, const char *path, const json_t *header,
	size_t *bytes, struct error *error)
{
	struct content content;
	char *line, *end;
	size_t number = 1;
	int code = content_read(path, CONTENT_MOST, &content, error);

	if (code)
		return code;
	for (line = content.text; !code && (end = strchr(line, '\n')) != NULL;
		line = end + 1, number++) {
		*end = '\0';
		code = number == 1 ? check_header(path, line, header, error)
				   : read_entry(memo, line);
		if (code == ERR_USAGE && number > 1)
			error_set(error, ERR_USAGE,
				"%s:%zu: this is no line of a calibration's "
				"state",
				path, number);
		else if (code == ERR_FAILED)
			no_memory(error);
	}
	if (!code && number == 1 && content.bytes)
		code = check_header(path, line, header, error);
	*bytes = (size_t)(line - content.text);
	content_free(&content);
	return code;
}

int memo_open(struct memo *memo, const struct calibrate_config *config,
	const struct targets *targets, const char *machine_digest,
	struct error *error)
{
	json_t *header = make_header(targets, machine_digest);
	const char *path = config->state;
	size_t bytes = 0;
	int code = 0;

	*memo = (struct memo){0};
	if (!header || grow(memo))
		code = no_memory(error);
	if (!code && config->resume && !access(path, F_OK))
		code = read_state(memo, path, header, &bytes, error);
	if (!code && path) {
		memo->file = fopen(path, bytes ? "r+" : "w");
		if (!memo->file ||
			ftruncate(fileno(memo->file), (off_t)bytes) ||
			fseek(memo->file, 0, SEEK_END))
			code = error_set(error, ERR_FAILED,
				"the state '%s' cannot be written: %s", path,
				strerror(errno));
	}
	if (!code && path && !bytes) {
		json_dumpf(header, memo->file, 0);
		if (fputc('\n', memo->file) == EOF || fflush(memo->file))
			code = error_set(error, ERR_FAILED,
				"the state '%s' cannot be written: %s", path,
				strerror(errno));
	}
	json_decref(header);
	if (code)
		memo_close(memo);
	return code;
}

void memo_close(struct memo *memo)
{
	if (memo->file)
		fclose(memo->file);
	free(memo->entries);
	*memo = (struct memo){0};
}
