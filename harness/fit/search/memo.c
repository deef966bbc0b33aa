/*
 * What has been run, in a journal (harness/keep/journal.h) of records
 *
 *   {"settings": DIGEST, "point": N, "outcome": [NUMBER or null, ...]}
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/fit/search/parts.h"
#include "harness/base/emit.h"
#include "harness/json/json_text.h"
#include "harness/keep/build_id.h"

#define SCHEMA        "nearfar-calibration/2"
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

static char *make_record(uint64_t settings, size_t point,
	const struct outcome *outcome, size_t *bytes)
{
	char *text = NULL;
	FILE *out = stream_open_text(&text, bytes);
	bool failed;
	size_t i;

	if (!out)
		return NULL;
	fprintf(out,
		"{\"settings\": \"%016" PRIx64
		"\", \"point\": %zu, \"outcome\": [",
		settings, point);
	for (i = 0; i < OUTCOME_COUNT; i++) {
		fputs(i ? ", " : "", out);
		emit_json_number(out, outcome->field[i]);
	}
	fputs("]}", out);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

int memo_put(struct memo *memo, uint64_t settings, size_t point,
	const struct outcome *outcome, struct error *error)
{
	size_t bytes;
	char *record;
	int code;

	if (remember(memo, settings, point, outcome))
		return no_memory(error);
	if (!memo->journal.path)
		return 0;
	record = make_record(settings, point, outcome, &bytes);
	if (!record)
		return no_memory(error);
	code = journal_append(&memo->journal, record, bytes, error);
	free(record);
	return code;
}

static int describe_work(const struct targets *targets,
	const char *machine_digest, struct facts *work)
{
	char build[BUILD_ID_BYTES];
	size_t i;
	int code;

	build_id(build);
	code = facts_add(work, "build", "%s", build);
	code |= facts_add(work, "machine", "%s", machine_digest);
	for (i = 0; i < targets->file_count; i++)
		code |= facts_add(work, "target", "%s %s",
			targets->files[i].path, targets->files[i].digest);
	return code;
}

static int read_outcome(const json_t *list, struct outcome *outcome)
{
	size_t i;

	if (json_array_size(list) != OUTCOME_COUNT)
		return ERR_USAGE;
	for (i = 0; i < OUTCOME_COUNT; i++) {
		const json_t *number = json_array_get(list, i);

		if (!json_is_number(number) && !json_is_null(number))
			return ERR_USAGE;
		outcome->field[i] = json_is_number(number)
					    ? json_number_value(number)
					    : NAN;
	}
	return 0;
}

/* As the journal spells it. */
static bool is_same(const struct outcome *a, const struct outcome *b)
{
	size_t i;

	for (i = 0; i < OUTCOME_COUNT; i++)
		if (a->field[i] != b->field[i] &&
			!(isnan(a->field[i]) && isnan(b->field[i])))
			return false;
	return true;
}

static int read_entry(
	struct memo *memo, json_t *entry, bool others, struct error *error)
{
	const char *digest =
		json_string_value(json_object_get(entry, "settings"));
	const json_t *point = json_object_get(entry, "point");
	uint64_t settings = digest ? strtoull(digest, NULL, 16) : 0;
	struct outcome outcome, known;

	if (!settings || !json_is_integer(point) ||
		json_integer_value(point) < 0 ||
		read_outcome(json_object_get(entry, "outcome"), &outcome))
		return error_set(error, ERR_USAGE, "is no outcome of a fit");
	if (!memo_get(
		    memo, settings, (size_t)json_integer_value(point), &known))
		return remember(memo, settings,
			       (size_t)json_integer_value(point), &outcome)
			       ? no_memory(error)
			       : 0;
	if (!others)
		return error_set(
			error, ERR_USAGE, "repeats an outcome that is known");
	return is_same(&outcome, &known)
		       ? 0
		       : error_set(error, ERR_USAGE,
				 "differs from what another part has of the "
				 "same point");
}

static int read_record(struct memo *memo, const char *record, size_t bytes,
	bool others, struct error *error)
{
	json_t *entry = json_text_read(record, bytes, 0, NULL);
	int code = entry ? read_entry(memo, entry, others, error)
			 : no_memory(error);

	json_decref(entry);
	return code;
}

static int read_own(
	void *context, const char *record, size_t bytes, struct error *error)
{
	return read_record(context, record, bytes, false, error);
}

static int read_others(
	void *context, const char *record, size_t bytes, struct error *error)
{
	return read_record(context, record, bytes, true, error);
}

int memo_open(struct memo *memo, const struct search_config *config,
	const struct targets *targets, const char *machine_digest,
	struct error *error)
{
	struct journal_work work = {.schema = SCHEMA,
		.facts = &memo->facts,
		.resume = config->resume,
		.option = "--state",
		.read = read_own,
		.context = memo};
	int code = 0;

	*memo = (struct memo){0};
	if (grow(memo) || describe_work(targets, machine_digest, &memo->facts))
		code = no_memory(error);
	else if (config->state)
		code = journal_open(
			&memo->journal, config->state, &work, error);
	if (!code && *memo->journal.words)
		fprintf(stderr, "nearfar: %s\n", memo->journal.words);
	memo->hearing = work;
	memo->hearing.read = read_others;
	memo->hearing.resume = true;
	if (code)
		memo_close(memo);
	return code;
}

int memo_follow(struct memo *memo, const char *path,
	struct journal_follow *journal, struct error *error)
{
	return journal_follow_open(journal, path, &memo->hearing, error);
}

void memo_close(struct memo *memo)
{
	journal_close(&memo->journal);
	facts_free(&memo->facts);
	free(memo->entries);
	*memo = (struct memo){0};
}
