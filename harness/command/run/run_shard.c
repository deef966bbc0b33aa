#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/command/run/run_files.h"
#include "harness/command/run/run_open.h"
#include "harness/command/run/run_provenance.h"
#include "harness/command/run/run_row.h"
#include "harness/command/run/run_shard.h"
#include "harness/split/merge.h"
#include "harness/split/stamp.h"
#include "harness/keep/stop.h"

/* A row of the shard. Its journal stays locked until the shard is written. */
struct shard_row {
	size_t index; /* of the split */
	struct run_row row;
	struct kept kept;
	bool has_journal;
};

/* All that workers use: one that does not stop uses it until the process
   ends. */
struct shard_run {
	const struct run_options *o;
	char *folder, *path; /* DIR, and DIR/N.json.gz */
	struct split split;
	size_t number;
	const struct split_shard *shard;
	struct shard_row *rows;
	size_t row_count;
	struct series_list list; /* what is finished */
	size_t finished;         /* points of it */
	bool done;               /* the file was there */
	bool abandoned;
	atomic_int *stop;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- which shard ---- */

static int find_shard(struct shard_run *s, struct error *error)
{
	s->shard = &s->split.shards[s->number - 1];
	s->path = split_path(s->folder, "%zu.json.gz", s->number);
	s->rows = calloc(s->shard->part_count + 1, sizeof(*s->rows));
	return s->path && s->rows ? 0 : no_memory(error);
}

/* Whether its file has all its points. */
static int look_for_file(struct shard_run *s, struct error *error)
{
	struct merge merge = {0};
	int code;

	if (access(s->path, F_OK))
		return 0;
	code = merge_begin(&merge, &s->split, false, error);
	if (!code)
		code = merge_file(&merge, s->path, error);
	if (code)
		error_suffix(error, code,
			"; remove the file to run the shard again");
	else
		s->done = !merge_missing(&merge, s->number);
	merge_free(&merge);
	return code;
}

/* ---- a row ---- */

/* Of each series only the part that is the shard's. */
static int cut(const struct shard_run *s, const struct shard_row *r,
	struct error *error)
{
	const struct split_row *planned = &s->split.rows[r->index];
	const struct run_plans *plans = &r->row.plans;
	uint64_t work;
	size_t i, k;
	int code = run_row_work(&r->row, &work, error);

	if (code)
		return code;
	if (work != planned->work || plans->count != planned->series_count)
		return error_set(error, ERR_FAILED,
			"row '%s' of '%s/plan.json' is other work here: a "
			"machine file, a program, or the number of SMs differs",
			planned->name, s->folder);
	for (i = 0; i < plans->count; i++) {
		const struct split_part *own = NULL;

		for (k = 0; k < s->shard->part_count; k++)
			if (s->shard->parts[k].row == r->index &&
				s->shard->parts[k].series == i)
				own = &s->shard->parts[k];
		plan_cut(&plans->items[i], own ? own->first : 0,
			own ? own->count : 0);
	}
	return 0;
}

static int open_journal(struct shard_run *s, struct shard_row *r,
	const struct run_config *config, struct error *error)
{
	const char *scratch = s->o->scratch;
	char *path =
		scratch ? split_path(scratch, "nearfar-%016" PRIx64 "-%zu.%zu",
				  s->split.digest, s->number, r->index)
			: split_path(s->folder, "%zu.%zu", s->number, r->index);
	int code = path ? kept_open(&r->kept, path, true, config,
				  r->row.plans.items, r->row.plans.count, error)
			: no_memory(error);

	free(path);
	r->has_journal = !code;
	if (!code)
		run_files_tell(&r->kept);
	return code;
}

/* The indices, in the whole series, of the points that are finished: they are
   in order, and some may be missing. */
static int find_points(const struct plan *plan, const struct series *series,
	size_t first, struct stamp *stamp, struct error *error)
{
	size_t i = 0, k;

	stamp->points = calloc(series->point_count + 1, sizeof(*stamp->points));
	if (!stamp->points)
		return no_memory(error);
	for (k = 0; k < plan->sweep.count && i < series->point_count; k++)
		if (plan->sweep.points[k] == series->points[i].x)
			stamp->points[i++] = first + k;
	return 0;
}

static size_t first_of(
	const struct shard_run *s, const struct shard_row *r, size_t series)
{
	size_t k;

	for (k = 0; k < s->shard->part_count; k++)
		if (s->shard->parts[k].row == r->index &&
			s->shard->parts[k].series == series)
			return s->shard->parts[k].first;
	return 0;
}

static int put_stamp(const struct shard_run *s, const struct shard_row *r,
	size_t index, struct series *series, struct error *error)
{
	struct stamp stamp = {s->number, r->index, index, NULL};
	int code = find_points(&r->row.plans.items[index], series,
		first_of(s, r, index), &stamp, error);

	if (!code && stamp_put(&s->split, &stamp, series))
		code = no_memory(error);
	stamp_free(&stamp);
	return code;
}

/* Moves the series that have points to the shard's list, stamped. */
static int take_series(struct shard_run *s, const struct shard_row *r,
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

static int measure(struct shard_run *s, struct shard_row *r,
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

static int run_row(struct shard_run *s, size_t index, struct error *error)
{
	const struct split_row *planned = &s->split.rows[index];
	struct shard_row *r = &s->rows[s->row_count++];
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
	if (code || s->done)
		return code;
	config.kept = &r->kept;
	code = measure(s, r, &config, error);
	return code ? error_prefix(error, code, "%s: ", place) : 0;
}

/* ---- all rows ---- */

/* A row that fails does not keep others from being run, unless the device is
   lost or somebody interrupts. */
static int run_rows(struct shard_run *s, struct error *error)
{
	struct error other;
	size_t i;
	int code = 0, result;

	for (i = 0; i < s->shard->part_count && !s->done; i++) {
		const size_t row = s->shard->parts[i].row;

		if (i && s->shard->parts[i - 1].row == row)
			continue;
		result = run_row(s, row, code ? &other : error);
		code = code ? code : result;
		if (result == ERR_INTERRUPTED || result == ERR_LOST ||
			s->abandoned)
			return result;
	}
	return code;
}

/* Journals go when the file holds everything. */
static void close_journals(struct shard_run *s, bool done)
{
	size_t i;

	for (i = 0; i < s->row_count; i++)
		if (s->rows[i].has_journal)
			kept_close(&s->rows[i].kept, done);
}

static bool has_records(const struct shard_run *s)
{
	size_t i, records = 0;

	for (i = 0; i < s->row_count; i++)
		records += s->rows[i].has_journal
				   ? s->rows[i].kept.journal.records
				   : 0;
	return records > 0;
}

static int finish(struct shard_run *s, int code, struct error *error)
{
	const bool all = s->finished == split_shard_points(s->shard);
	struct error other;
	int written = 0;

	if (s->done) {
		fprintf(stderr, "nearfar: shard %zu is there: '%s'\n",
			s->number, s->path);
	} else if (s->finished && code != ERR_INTERRUPTED) {
		written = series_write_file(
			&s->list, FORMAT_JSON, s->path, code ? &other : error);
		if (written && code)
			*error = other;
	}
	if (code && !all && has_records(s))
		error_suffix(error, code,
			"; 'nearfar run --shard %s' goes on from here",
			s->o->shard);
	close_journals(s, s->done || (all && !written));
	return written ? written : code;
}

static void free_run(struct shard_run *s)
{
	size_t i;

	for (i = 0; i < s->row_count; i++)
		run_row_free(&s->rows[i].row);
	series_list_free(&s->list);
	split_free(&s->split);
	free(s->rows);
	free(s->path);
	free(s->folder);
	free(s);
}

int run_shard(const struct run_options *o, struct split_place *place,
	bool *abandoned, struct error *error)
{
	struct shard_run *s = calloc(1, sizeof(*s));
	int code;

	if (!s)
		return no_memory(error);
	s->o = o;
	s->folder = place->folder;
	s->split = place->split;
	s->number = place->number;
	*place = (struct split_place){0};
	code = find_shard(s, error);
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
