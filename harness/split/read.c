/* plan.json, read and held to what the header says of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/content.h"
#include "harness/json/json_place.h"
#include "harness/split/split.h"
#include "harness/series/series.h"

static int read_digest(
	const struct json_place *up, const char *key, uint64_t *digest)
{
	const struct json_place place = place_key(up, key);
	const char *text;
	char *end;
	int code = place_string(&place, &text);

	if (code)
		return code;
	*digest = strtoull(text, &end, 16);
	if (strlen(text) == 16 && !*end &&
		strspn(text, "0123456789abcdef") == 16)
		return 0;
	return place_fail(&place, "must be 16 hexadecimal digits");
}

static int read_count(const struct json_place *up, const char *key,
	uint64_t most, size_t *count)
{
	const struct json_place place = place_key(up, key);
	uint64_t value;
	int code = place_count(&place, most, &value);

	if (!code)
		*count = (size_t)value;
	return code;
}

static int read_cost(const struct json_place *up, double *cost)
{
	const struct json_place place = place_key(up, "cost");

	return place_number(&place, cost);
}

/* An array, of which `*items` has room for each element, zeroed. */
static int begin_array(const struct json_place *place, size_t most,
	size_t item_bytes, void **items, size_t *count)
{
	int code = place_array(place, count);

	if (code)
		return code;
	if (*count > most)
		return place_fail(place, "has more than %zu elements", most);
	*items = calloc(*count + 1, item_bytes);
	if (*items)
		return 0;
	*count = 0;
	return place_no_memory(place);
}

/* ---- rows ---- */

static int read_series(
	const struct json_place *place, struct split_series *series)
{
	const struct json_place bench = place_key(place, "bench");
	const struct json_place axis = place_key(place, "axis");
	int code = place_object(place);

	if (!code)
		code = place_copy(&bench, &series->bench);
	if (!code)
		code = place_copy(&axis, &series->axis);
	if (!code)
		code = read_count(place, "points", SERIES_POINTS_MAX,
			&series->point_count);
	return code;
}

static int read_words(
	const struct json_place *place, char ***words, size_t *count)
{
	size_t i;
	int code = begin_array(
		place, SPLIT_WORDS_MAX, sizeof(**words), (void **)words, count);

	for (i = 0; !code && i < *count; i++) {
		const struct json_place word = place_index(place, i);

		code = place_copy(&word, &(*words)[i]);
	}
	return code;
}

static int read_row(const struct json_place *place, struct split_row *row)
{
	const struct json_place name = place_key(place, "name");
	const struct json_place words = place_key(place, "words");
	const struct json_place series = place_key(place, "series");
	size_t seed = 0, i;
	int code = place_object(place);

	if (!code)
		code = place_copy(&name, &row->name);
	if (!code)
		code = read_count(place, "seed", UINT32_MAX, &seed);
	row->seed = (uint32_t)seed;
	if (!code)
		code = read_digest(place, "work", &row->work);
	if (!code)
		code = read_words(&words, &row->words, &row->word_count);
	if (!code)
		code = begin_array(&series, SPLIT_SERIES_MAX,
			sizeof(*row->series), (void **)&row->series,
			&row->series_count);
	if (!code && !row->series_count)
		code = place_fail(&series, "must not be empty");
	for (i = 0; !code && i < row->series_count; i++) {
		const struct json_place item = place_index(&series, i);

		code = read_series(&item, &row->series[i]);
	}
	return code;
}

/* ---- shards ---- */

static int read_part(const struct json_place *place, const struct split *split,
	struct split_part *part)
{
	const struct split_row *row;
	size_t points;
	int code = place_object(place);

	if (!code && !split->row_count)
		code = place_fail(place, "names a row, and there are none");
	if (!code)
		code = read_count(
			place, "row", split->row_count - 1, &part->row);
	if (code)
		return code;
	row = &split->rows[part->row];
	code = read_count(
		place, "series", row->series_count - 1, &part->series);
	if (code)
		return code;
	points = row->series[part->series].point_count;
	code = read_count(place, "first", points, &part->first);
	if (!code)
		code = read_count(
			place, "count", points - part->first, &part->count);
	return code ? code : read_cost(place, &part->cost);
}

static bool comes_after(const struct split_part *b, const struct split_part *a)
{
	if (a->row != b->row)
		return b->row > a->row;
	if (a->series != b->series)
		return b->series > a->series;
	return b->first >= a->first + a->count;
}

static int read_shard(const struct json_place *place, const struct split *split,
	struct split_shard *shard)
{
	const struct json_place parts = place_key(place, "parts");
	size_t i;
	int code = place_object(place);

	if (!code)
		code = read_cost(place, &shard->cost);
	if (!code)
		code = begin_array(&parts, SPLIT_SERIES_MAX,
			sizeof(*shard->parts), (void **)&shard->parts,
			&shard->part_count);
	for (i = 0; !code && i < shard->part_count; i++) {
		const struct json_place item = place_index(&parts, i);

		code = read_part(&item, split, &shard->parts[i]);
		if (!code && i &&
			!comes_after(&shard->parts[i], &shard->parts[i - 1]))
			code = place_fail(
				&item, "does not come after the part before");
	}
	return code;
}

/* ---- all ---- */

/* Shards hold every point once: as many points as the rows have, and, since
   parts of all shards follow each other, none twice. */
static int check_cover(
	const struct json_place *shards, const struct split *split)
{
	const struct split_part *before = NULL;
	size_t points = 0, i, k;

	for (i = 0; i < split->row_count; i++)
		for (k = 0; k < split->rows[i].series_count; k++)
			points += split->rows[i].series[k].point_count;
	for (i = 0; i < split->shard_count; i++)
		for (k = 0; k < split->shards[i].part_count; k++) {
			const struct split_part *part =
				&split->shards[i].parts[k];

			if (before && !comes_after(part, before))
				return place_fail(shards,
					"must hold each point once, in order: "
					"shard %zu does not",
					i + 1);
			before = part;
		}
	if (split_points(split) == points)
		return 0;
	return place_fail(shards, "hold %zu points, but the rows have %zu",
		split_points(split), points);
}

static int read_build(const struct json_place *root, struct split *split)
{
	const struct json_place place = place_key(root, "build");
	const char *text;
	int code = place_string(&place, &text);

	if (code)
		return code;
	if (strlen(text) >= sizeof(split->build))
		return place_fail(&place, "is too long");
	strcpy(split->build, text);
	return 0;
}

static int read_head(const struct json_place *root, struct split *split)
{
	const struct json_place schema = place_key(root, "schema");
	const char *text;
	int code = place_object(root);

	if (!code)
		code = place_string(&schema, &text);
	if (!code && strcmp(text, SPLIT_SCHEMA))
		code = place_fail(&schema, "is '%s', but only '%s' is known",
			text, SPLIT_SCHEMA);
	if (!code)
		code = read_build(root, split);
	return code ? code : read_digest(root, "suite", &split->suite);
}

static int read_document(const struct json_place *root, struct split *split)
{
	const struct json_place rows = place_key(root, "rows");
	const struct json_place shards = place_key(root, "shards");
	const struct json_place words = place_key(root, "calibrate");
	size_t i;
	int code = read_head(root, split);

	if (!code)
		code = begin_array(&rows, SPLIT_ROWS_MAX, sizeof(*split->rows),
			(void **)&split->rows, &split->row_count);
	if (!code && words.value)
		code = read_words(
			&words, &split->calibrate, &split->calibrate_count);
	if (!code && split->calibrate && split->row_count)
		code = place_fail(&rows, "must be empty beside 'calibrate'");
	for (i = 0; !code && i < split->row_count; i++) {
		const struct json_place item = place_index(&rows, i);

		code = read_row(&item, &split->rows[i]);
	}
	if (!code)
		code = begin_array(&shards, SPLIT_SHARDS_MAX,
			sizeof(*split->shards), (void **)&split->shards,
			&split->shard_count);
	for (i = 0; !code && i < split->shard_count; i++) {
		const struct json_place item = place_index(&shards, i);

		code = read_shard(&item, split, &split->shards[i]);
	}
	return code ? code : check_cover(&shards, split);
}

static int parse(
	const struct content *content, struct split *split, struct error *error)
{
	struct json_place root;
	int code = content_check_values(content, ",[{\n", error);

	if (!code)
		code = place_load(content->text, content->bytes,
			content->source, &root, error);
	if (code)
		return code;
	code = read_document(&root, split);
	json_decref(root.value);
	split->digest = fingerprint_add(
		FINGERPRINT_EMPTY, content->text, content->bytes);
	return code;
}

int split_read(const char *folder, struct split *split, struct error *error)
{
	char *path = split_path(folder, "plan.json");
	struct content content;
	int code;

	*split = (struct split){0};
	if (!path)
		return error_set(error, ERR_FAILED, "out of memory");
	if (access(path, F_OK))
		code = error_set(error, ERR_USAGE,
			"'%s' holds no split: there is no 'plan.json' in it, "
			"which 'nearfar plan SUITE -o DIR' writes",
			folder);
	else
		code = content_read_text(path, CONTENT_MOST, &content, error);
	if (!code) {
		code = parse(&content, split, error);
		content_free(&content);
	}
	free(path);
	if (code)
		split_free(split);
	return code;
}
