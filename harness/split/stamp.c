#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/split/stamp.h"

#define PREFIX "part."

bool stamp_has(const char *key)
{
	return !strncmp(key, PREFIX, strlen(PREFIX));
}

void stamp_free(struct stamp *stamp)
{
	free(stamp->points);
	*stamp = (struct stamp){0};
}

/* ---- writing ---- */

/* "4-11,13" */
static char *points_text(const size_t *points, size_t count)
{
	char *text = NULL;
	size_t bytes, i = 0, end;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	for (; i < count; i = end + 1) {
		for (end = i;
			end + 1 < count && points[end + 1] == points[end] + 1;)
			end++;
		fprintf(out, "%s%zu", i ? "," : "", points[i]);
		if (end > i)
			fprintf(out, "-%zu", points[end]);
	}
	return fclose(out) ? NULL : text;
}

int stamp_put(const struct split *split, const struct stamp *stamp,
	struct series *series)
{
	struct facts *to = &series->provenance;
	char *points = points_text(stamp->points, series->point_count);
	char part[PART_TEXT_BYTES];
	int code = points ? 0 : ERR_FAILED;

	part_format(&stamp->part, part);
	if (!code)
		code = facts_add(to, PREFIX "build", "%s", split->build);
	if (!code)
		code = facts_add(to, PREFIX "of", "%s", part);
	if (!code)
		code = facts_add(
			to, PREFIX "row", "%s", split->rows[stamp->row].name);
	if (!code)
		code = facts_add(to, PREFIX "work", "%016" PRIx64,
			split->rows[stamp->row].work);
	if (!code)
		code = facts_add(to, PREFIX "series", "%zu", stamp->series);
	if (!code)
		code = facts_add(to, PREFIX "points", "%s", points);
	free(points);
	return code;
}

/* ---- reading ---- */

struct reading {
	const struct split *split;
	const struct series *series;
	const char *path;
	struct error *error;
};

static int find(const struct reading *r, const char *key, const char **value)
{
	*value = facts_find(&r->series->provenance, key);
	if (*value)
		return 0;
	return error_set(r->error, ERR_FAILED,
		"'%s' is no file of a part: a series has no '%s'", r->path,
		key);
}

static int read_number(const struct reading *r, const char *key, size_t first,
	size_t last, size_t *number)
{
	const char *text;
	char *end;
	unsigned long value;
	int code = find(r, key, &text);

	if (code)
		return code;
	value = strtoul(text, &end, 10);
	if (strspn(text, "0123456789") && !*end && value >= first &&
		value <= last) {
		*number = value;
		return 0;
	}
	return error_set(r->error, ERR_FAILED,
		"'%s' does not fit its suite: '%s' is '%s'", r->path, key,
		text);
}

static int find_row(const struct reading *r, size_t *row)
{
	const char *name;
	int code = find(r, PREFIX "row", &name);

	for (*row = 0; !code && *row < r->split->row_count; ++*row)
		if (r->split->rows[*row].series_count &&
			!strcmp(r->split->rows[*row].name, name))
			return 0;
	return code ? code
		    : error_set(r->error, ERR_FAILED,
			      "'%s' does not fit its suite: there is no row "
			      "'%s'",
			      r->path, name);
}

static int check_build(const struct reading *r)
{
	const char *text;
	int code = find(r, PREFIX "build", &text);

	if (code || !strcmp(text, r->split->build))
		return code;
	return error_set(r->error, ERR_FAILED,
		"'%s' is of another build of nearfar, which may measure "
		"others: %s, not %s",
		r->path, text, r->split->build);
}

static int read_part(const struct reading *r, struct part *part)
{
	const char *text;
	int code = find(r, PREFIX "of", &text);

	if (code || part_read(text, part))
		return code;
	return error_set(r->error, ERR_FAILED,
		"'%s' does not fit its suite: '" PREFIX "of' is '%s'", r->path,
		text);
}

static int check_work(const struct reading *r, size_t row)
{
	char wanted[32];
	const char *text;
	int code = find(r, PREFIX "work", &text);

	snprintf(wanted, sizeof(wanted), "%016" PRIx64,
		r->split->rows[row].work);
	if (code || !strcmp(text, wanted))
		return code;
	return error_set(r->error, ERR_FAILED,
		"'%s': row '%s' is other work here: its words, a machine file, "
		"a program, or the number of SMs differs",
		r->path, r->split->rows[row].name);
}

/* "4-11,13", as many as the series has, ascending. */
static bool read_points(
	const struct reading *r, const char *at, struct stamp *stamp)
{
	const struct split_row *row = &r->split->rows[stamp->row];
	const struct split_series *planned = &row->series[stamp->series];
	const size_t count = r->series->point_count;
	size_t found = 0, point = 0;
	char *end;

	while (found < count) {
		const size_t first = strtoul(at, &end, 10);
		const size_t last =
			*end == '-' ? strtoul(end + 1, &end, 10) : first;

		if ((found && first <= point) || last < first ||
			last - first >= count - found)
			return false;
		for (point = first; point <= last; point++) {
			if (point >= planned->point_count ||
				!part_has(&stamp->part, row->name,
					stamp->series, planned->points[point]))
				return false;
			stamp->points[found++] = point;
		}
		point = last;
		if (*end != (found < count ? ',' : '\0'))
			return false;
		at = end + 1;
	}
	return true;
}

static int read_all_points(const struct reading *r, struct stamp *stamp)
{
	const char *text;
	int code = find(r, PREFIX "points", &text);

	if (code)
		return code;
	stamp->points =
		calloc(r->series->point_count + 1, sizeof(*stamp->points));
	if (!stamp->points)
		return error_set(r->error, ERR_FAILED, "out of memory");
	if (read_points(r, text, stamp))
		return 0;
	stamp_free(stamp);
	return error_set(r->error, ERR_FAILED,
		"'%s' does not fit its suite: '" PREFIX "points' is '%s'",
		r->path, text);
}

int stamp_read(const struct split *split, const struct series *series,
	const char *path, struct stamp *stamp, struct error *error)
{
	const struct reading r = {split, series, path, error};
	const struct split_series *planned;
	int code;

	*stamp = (struct stamp){0};
	code = check_build(&r);
	if (!code)
		code = read_part(&r, &stamp->part);
	if (!code)
		code = find_row(&r, &stamp->row);
	if (!code)
		code = check_work(&r, stamp->row);
	if (!code)
		code = read_number(&r, PREFIX "series", 0,
			split->rows[stamp->row].series_count - 1,
			&stamp->series);
	if (code)
		return code;
	planned = &split->rows[stamp->row].series[stamp->series];
	if (strcmp(planned->bench, series->bench) ||
		strcmp(planned->axis, series->axis))
		return error_set(error, ERR_FAILED,
			"'%s' does not fit its suite: '%s' over %s stands "
			"where "
			"'%s' over %s should",
			path, series->bench, series->axis, planned->bench,
			planned->axis);
	return read_all_points(&r, stamp);
}
