#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/stream.h"
#include "harness/split/merge.h"
#include "harness/split/stamp.h"
#include "harness/judge/mark_rules.h"
#include "harness/series/formats.h"
#include "harness/series/io.h"

/* Facts of one value, whichever part they come from. */
static const char *const agreed[] = {"version", "backend", "machine",
	"machine.digest", "device.name", "seed", "repeats", "warmups"};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

int merge_begin(struct merge *merge, const struct split *split, bool one_device,
	struct error *error)
{
	size_t i, k;

	*merge = (struct merge){.split = split, .one_device = one_device};
	merge->rows = calloc(split->row_count + 1, sizeof(*merge->rows));
	if (!merge->rows)
		return no_memory(error);
	for (i = 0; i < split->row_count; i++) {
		const struct split_row *row = &split->rows[i];

		merge->rows[i] =
			calloc(row->series_count + 1, sizeof(*merge->rows[i]));
		if (!merge->rows[i])
			return no_memory(error);
		for (k = 0; k < row->series_count; k++) {
			struct merge_series *to = &merge->rows[i][k];

			to->points = calloc(row->series[k].point_count + 1,
				sizeof(*to->points));
			if (!to->points)
				return no_memory(error);
		}
	}
	return 0;
}

static void free_series(struct merge_series *from, size_t point_count)
{
	size_t i;

	for (i = 0; from->points && i < point_count; i++) {
		point_free(&from->points[i].point);
		free(from->points[i].path);
	}
	free(from->points);
	free(from->path);
	series_free(&from->series);
}

void merge_free(struct merge *merge)
{
	size_t i, k;

	for (i = 0; merge->rows && i < merge->split->row_count; i++) {
		const struct split_row *row = &merge->split->rows[i];

		for (k = 0; merge->rows[i] && k < row->series_count; k++)
			free_series(
				&merge->rows[i][k], row->series[k].point_count);
		free(merge->rows[i]);
	}
	free(merge->rows);
	*merge = (struct merge){0};
}

/* ---- facts ---- */

struct taking {
	struct merge *merge;
	const struct stamp *stamp;
	const char *path;
	struct error *error;
};

static bool must_agree(const struct merge *merge, const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(agreed) / sizeof(agreed[0]); i++)
		if (!strcmp(agreed[i], key))
			return true;
	return merge->one_device && !strcmp(key, "device.uuid");
}

static bool has_fact(const struct facts *facts, const struct fact *fact)
{
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].key, fact->key) &&
			!strcmp(facts->items[i].value, fact->value))
			return true;
	return false;
}

static int disagree(const struct taking *t, const struct merge_series *to,
	const struct fact *fact)
{
	const char *other = facts_find(&to->series.provenance, fact->key);

	return error_set(t->error, ERR_FAILED,
		"'%s' disagrees with '%s' in row '%s': its %s is '%s', not "
		"'%s'",
		t->path, to->path, t->merge->split->rows[t->stamp->row].name,
		fact->key, fact->value, other ? other : "");
}

/* Adds what is not there yet. */
static int add_facts(const struct taking *t, const struct series *from,
	struct merge_series *to, bool first)
{
	struct facts *facts = &to->series.provenance;
	size_t i;

	for (i = 0; i < from->provenance.count; i++) {
		const struct fact *fact = &from->provenance.items[i];

		if (stamp_has(fact->key) || (!first && has_fact(facts, fact)))
			continue;
		if (!first && must_agree(t->merge, fact->key))
			return disagree(t, to, fact);
		if (facts_add(facts, fact->key, "%s", fact->value))
			return no_memory(t->error);
	}
	return 0;
}

static bool same_facts(const struct facts *a, const struct facts *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (strcmp(a->items[i].key, b->items[i].key) ||
			strcmp(a->items[i].value, b->items[i].value))
			return false;
	return true;
}

static int take_first(
	const struct taking *t, struct series *from, struct merge_series *to)
{
	to->series.bench = from->bench;
	to->series.axis = from->axis;
	to->series.metrics = from->metrics;
	to->series.options = from->options;
	from->bench = from->axis = NULL;
	from->options = (struct facts){0};
	to->path = strdup(t->path);
	return to->path ? add_facts(t, from, to, true) : no_memory(t->error);
}

static int take_facts(
	const struct taking *t, struct series *from, struct merge_series *to)
{
	if (!to->series.bench)
		return take_first(t, from, to);
	if (from->metrics != to->series.metrics ||
		!same_facts(&from->options, &to->series.options))
		return error_set(t->error, ERR_FAILED,
			"'%s' disagrees with '%s' in row '%s': the options or "
			"the metrics of a series differ",
			t->path, to->path,
			t->merge->split->rows[t->stamp->row].name);
	return add_facts(t, from, to, false);
}

/* ---- points ---- */

static char *point_text(const struct series *series, const struct point *point)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	series_put_point(series, point, out);
	return fclose(out) ? NULL : text;
}

static int compare(const struct taking *t, const struct merge_series *series,
	const struct merge_point *there, const struct point *point)
{
	char *a = point_text(&series->series, &there->point);
	char *b = point_text(&series->series, point);
	char x[EMIT_NUMBER_BYTES];
	int code = 0;

	if (!a || !b) {
		code = no_memory(t->error);
	} else if (strcmp(a, b)) {
		emit_format(point->x, x);
		code = error_set(t->error, ERR_FAILED,
			"'%s' disagrees with '%s' in row '%s': the point at "
			"%s=%s is there twice, with different values",
			t->path, there->path,
			t->merge->split->rows[t->stamp->row].name,
			series->series.axis, x);
	}
	free(a);
	free(b);
	return code;
}

static int take_points(
	const struct taking *t, struct series *from, struct merge_series *to)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < from->point_count; i++) {
		struct merge_point *there = &to->points[t->stamp->points[i]];

		if (there->path) {
			code = compare(t, to, there, &from->points[i]);
			continue;
		}
		there->path = strdup(t->path);
		if (!there->path)
			return no_memory(t->error);
		there->point = from->points[i];
		from->points[i] = (struct point){0};
	}
	return code;
}

int merge_file(struct merge *merge, const char *path, struct error *error)
{
	struct series_list list;
	struct stamp stamp;
	const struct taking t = {merge, &stamp, path, error};
	size_t i;
	int code = series_read(path, &list, error);

	if (code)
		return error_prefix(error, ERR_FAILED, "part: ");
	for (i = 0; !code && i < list.count; i++) {
		struct series *from = &list.items[i];
		struct merge_series *to;

		code = stamp_read(merge->split, from, path, &stamp, error);
		if (code)
			break;
		merge->last = stamp.part;
		to = &merge->rows[stamp.row][stamp.series];
		code = take_facts(&t, from, to);
		if (!code)
			code = take_points(&t, from, to);
		stamp_free(&stamp);
	}
	series_list_free(&list);
	return code;
}

/* ---- what is there ---- */

static size_t missing_of(const struct merge *merge, size_t row, size_t series,
	const struct part *part)
{
	const struct split_row *planned = &merge->split->rows[row];
	const struct merge_series *from = &merge->rows[row][series];
	size_t missing = 0, i;

	for (i = 0; i < planned->series[series].point_count; i++)
		missing +=
			!from->points[i].path &&
			(!part || part_has(part, planned->name, series,
					  planned->series[series].points[i]));
	return missing;
}

size_t merge_missing(const struct merge *merge, const struct part *part)
{
	size_t missing = 0, i, k;

	for (i = 0; i < merge->split->row_count; i++)
		for (k = 0; k < merge->split->rows[i].series_count; k++)
			missing += missing_of(merge, i, k, part);
	return missing;
}

static int move_points(struct merge_series *from, size_t count,
	struct series *to, struct error *error)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct merge_point *point = &from->points[i];
		struct point *room;

		if (!point->path)
			continue;
		room = series_add_point(to, point->point.x);
		if (!room)
			return no_memory(error);
		*room = point->point;
		point->point = (struct point){0};
	}
	return 0;
}

int merge_list(struct merge *merge, size_t row, struct series_list *list,
	struct error *error)
{
	const struct split_row *planned = &merge->split->rows[row];
	size_t i;
	int code = 0;

	for (i = 0; !code && i < planned->series_count; i++) {
		struct merge_series *from = &merge->rows[row][i];
		struct series *to;

		if (!from->series.bench)
			continue;
		to = series_list_add(list);
		if (!to)
			return no_memory(error);
		*to = from->series;
		from->series = (struct series){0};
		code = move_points(
			from, planned->series[i].point_count, to, error);
		if (!code && marks_add_series(to))
			code = no_memory(error);
	}
	return code;
}
