#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/command/run/run_files.h"
#include "harness/command/run/run_open.h"
#include "harness/command/suite/part_before.h"
#include "harness/command/suite/run_part.h"
#include "harness/command/run/run_provenance.h"
#include "harness/command/suite/run_row.h"

#include "harness/split/merge.h"
#include "harness/split/stamp.h"
#include "harness/keep/stop.h"

/* A row of the part. Its journal stays locked until the part is written. */
struct part_row {
	size_t index; /* of the suite */
	struct run_row row;
	struct kept kept;
	bool has_journal;
};

/* All that workers use: one that does not stop uses it until the process
   ends. */
struct part_run {
	const struct run_options *o;
	char *path; /* DIR/K-of-N.json.gz */
	const struct split *split;
	struct part part;
	struct part_row *rows;
	size_t row_count;
	struct series_list list; /* what is finished */
	size_t finished;         /* points of it */
	struct merge before;     /* what the file held */
	bool done;               /* the file was there, with all points */
	bool kept_out;           /* of a journal, which another one has locked,
				    or which cannot be written */
	bool abandoned;
	atomic_int *stop;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- which points ---- */

/* Of a series: those of the part. */
static size_t points_of(
	const struct part_run *s, size_t row, size_t series, bool *own)
{
	const struct split_row *planned = &s->split->rows[row];
	const struct split_series *of = &planned->series[series];
	size_t i, count = 0;

	for (i = 0; i < of->point_count; i++) {
		const bool has = part_has(
			&s->part, planned->name, series, of->points[i]);

		if (own)
			own[i] = has;
		count += has;
	}
	return count;
}

static size_t points_of_row(const struct part_run *s, size_t row)
{
	size_t count = 0, i;

	for (i = 0; i < s->split->rows[row].series_count; i++)
		count += points_of(s, row, i, NULL);
	return count;
}

static size_t points_of_part(const struct part_run *s)
{
	size_t count = 0, i;

	for (i = 0; i < s->split->row_count; i++)
		count += points_of_row(s, i);
	return count;
}

static int begin(struct part_run *s, struct error *error)
{
	s->path = split_path(s->o->output, "%zu-of-%zu.json.gz", s->part.number,
		s->part.count);
	s->rows = calloc(s->split->row_count + 1, sizeof(*s->rows));
	return s->path && s->rows ? 0 : no_memory(error);
}

/* What its file holds, and whether that is all. */
static int look_for_file(struct part_run *s, struct error *error)
{
	int code;

	merge_free(&s->before);
	if (access(s->path, F_OK))
		return 0;
	code = merge_begin(&s->before, s->split, false, error);
	if (!code)
		code = merge_file(&s->before, s->path, error);
	if (code)
		return error_suffix(
			error, code, "; remove the file to run the part again");
	s->done = !merge_missing(&s->before, &s->part);
	return 0;
}

/* ---- a row ---- */

/* Of each series only the points that are the part's. */
static int cut(
	const struct part_run *s, const struct part_row *r, struct error *error)
{
	const struct split_row *planned = &s->split->rows[r->index];
	const struct run_plans *plans = &r->row.plans;
	uint64_t work;
	size_t i;
	int code = run_row_work(&r->row, &work, error);

	if (code)
		return code;
	if (work != planned->work || plans->count != planned->series_count)
		return error_set(error, ERR_FAILED,
			"row '%s' is other work on this device: its number of "
			"SMs differs",
			planned->name);
	for (i = 0; i < plans->count; i++) {
		bool *own = calloc(
			planned->series[i].point_count + 1, sizeof(*own));

		if (!own)
			return no_memory(error);
		points_of(s, r->index, i, own);
		code = plan_keep(&plans->items[i], own);
		free(own);
		if (code)
			return no_memory(error);
	}
	return 0;
}

static int open_journal(struct part_run *s, struct part_row *r,
	const struct run_config *config, struct error *error)
{
	const struct split_row *planned = &s->split->rows[r->index];
	const char *scratch = s->o->scratch;
	char *path =
		scratch ? split_path(scratch,
				  "nearfar-%016" PRIx64 "-%zu-of-%zu.%s",
				  planned->work, s->part.number, s->part.count,
				  planned->name)
			: split_path(s->o->output, "%zu-of-%zu.%s",
				  s->part.number, s->part.count, planned->name);
	int code = path ? kept_open(&r->kept, path, true, config,
				  r->row.plans.items, r->row.plans.count, error)
			: no_memory(error);

	free(path);
	r->has_journal = !code;
	s->kept_out = code == ERR_FAILED;
	if (!code)
		run_files_tell(&r->kept);
	return code;
}

/* The indices, in the whole series, of the points that are finished: they are
   in order, and some may be missing. */
static int find_points(const struct part_run *s, const struct part_row *r,
	size_t index, const struct series *series, struct stamp *stamp,
	struct error *error)
{
	const struct split_series *of = &s->split->rows[r->index].series[index];
	size_t i = 0, k;

	stamp->points = calloc(series->point_count + 1, sizeof(*stamp->points));
	if (!stamp->points)
		return no_memory(error);
	for (k = 0; k < of->point_count && i < series->point_count; k++)
		if (of->points[k] == series->points[i].x)
			stamp->points[i++] = k;
	return 0;
}

static int put_stamp(const struct part_run *s, const struct part_row *r,
	size_t index, struct series *series, struct error *error)
{
	struct stamp stamp = {s->part, r->index, index, NULL};
	int code = find_points(s, r, index, series, &stamp, error);

	if (!code && stamp_put(s->split, &stamp, series))
		code = no_memory(error);
	stamp_free(&stamp);
	return code;
}

/* Moves the series that have points to the part's list, stamped. */
static int take_series(struct part_run *s, const struct part_row *r,
	struct series_list *list, struct error *error)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct series *from = &list->items[i], *to;
		int code;

		if (!from->point_count)
			continue;
		code = put_stamp(s, r, i, from, error);
		if (code)
			return code;
		to = series_list_add(&s->list);
		if (!to)
			return no_memory(error);
		*to = *from;
		*from = (struct series){0};
		s->finished += to->point_count;
	}
	return 0;
}

static int measure(struct part_run *s, struct part_row *r,
	const struct run_config *config, struct error *error)
{
	struct series_list list = {0};
	struct facts facts = {0};
	struct run_report report = {0};
	struct error other;
	int code = runner_run(config, r->row.plans.items, r->row.plans.count,
		&list, &facts, &report, error);
	int made = run_provenance_add(
		config, r->row.plans.items, &facts, &report, &list, &other);

	s->abandoned |= report.abandoned;
	if (!made)
		made = take_series(s, r, &list, &other);
	if (made && !code) {
		*error = other;
		code = made;
	}
	series_list_free(&list);
	facts_free(&facts);
	return code;
}

static int run_row(struct part_run *s, size_t index, struct error *error)
{
	const struct split_row *planned = &s->split->rows[index];
	struct part_row *r = &s->rows[s->row_count++];
	struct run_config config;
	char place[128];
	int code;

	r->index = index;
	snprintf(place, sizeof(place), "row '%.100s'", planned->name);
	code = run_row_make(&r->row, place, planned, false, s->stop, error);
	if (!code)
		code = cut(s, r, error);
	if (code)
		return code;
	r->row.options.jobs = s->o->jobs;
	config = run_open_config(&r->row.options, &r->row.opened, s->stop);
	config.part = true;
	code = open_journal(s, r, &config, error);
	/* Who had the journal until now may have written the file. */
	if (!code && s->row_count == 1)
		code = look_for_file(s, error);
	if (!code && !s->done && s->before.rows)
		code = part_before_take(
			&s->before, index, &r->row, &r->kept, error);
	if (code || s->done)
		return code;
	config.kept = &r->kept;
	code = measure(s, r, &config, error);
	return code ? error_prefix(error, code, "%s: ", place) : 0;
}

/* ---- all rows ---- */

/* A row that fails does not keep others from being run, unless the device is
   lost, somebody interrupts, or another process runs the part. */
static int run_rows(struct part_run *s, struct error *error)
{
	struct error other;
	size_t i;
	int code = 0, result;

	for (i = 0; i < s->split->row_count && !s->done; i++) {
		if (!points_of_row(s, i))
			continue;
		result = run_row(s, i, code ? &other : error);
		code = code ? code : result;
		if (result == ERR_INTERRUPTED || result == ERR_LOST ||
			s->kept_out || s->abandoned)
			return result;
	}
	return code;
}

/* Journals go when the file holds everything. */
static void close_journals(struct part_run *s, bool done)
{
	size_t i;

	for (i = 0; i < s->row_count; i++)
		if (s->rows[i].has_journal)
			kept_close(&s->rows[i].kept, done);
}

static bool has_records(const struct part_run *s)
{
	size_t i, records = 0;

	for (i = 0; i < s->row_count; i++)
		records += s->rows[i].has_journal
				   ? s->rows[i].kept.journal.records
				   : 0;
	return records > 0;
}

static int finish(struct part_run *s, int code, struct error *error)
{
	const bool all = s->finished == points_of_part(s);
	struct error other;
	int written = 0;

	if (s->done) {
		fprintf(stderr, "nearfar: part %zu is there: '%s'\n",
			s->part.number, s->path);
	} else if (s->finished && code != ERR_INTERRUPTED) {
		written = series_write_file(
			&s->list, FORMAT_JSON, s->path, code ? &other : error);
		if (written && code)
			*error = other;
	}
	if (code && !all && has_records(s))
		error_suffix(
			error, code, "; the same command goes on from here");
	close_journals(s, s->done || (all && !written));
	return written ? written : code;
}

static void free_run(struct part_run *s)
{
	size_t i;

	for (i = 0; i < s->row_count; i++)
		run_row_free(&s->rows[i].row);
	series_list_free(&s->list);
	merge_free(&s->before);
	free(s->rows);
	free(s->path);
	free(s);
}

int run_part(const struct run_options *o, const struct split *split,
	const struct part *part, bool *abandoned, struct error *error)
{
	struct part_run *s = calloc(1, sizeof(*s));
	int code;

	if (!s)
		return no_memory(error);
	s->o = o;
	s->split = split;
	s->part = *part;
	code = begin(s, error);
	if (!code)
		code = look_for_file(s, error);
	if (!code && !s->done)
		code = output_probe(s->path, error);
	if (!code) {
		s->stop = stop_catch(NULL);
		code = finish(s, run_rows(s, error), error);
	}
	*abandoned = s->abandoned;
	if (!s->abandoned)
		free_run(s);
	return code;
}
