#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/base/file_name.h"
#include "harness/keep/build_id.h"
#include "harness/json/json_stream.h"
#include "harness/program/text/text.h"
#include "harness/run/kept.h"
#include "harness/series/formats.h"
#include "harness/series/json.h"

#define SCHEMA "nearfar-run-journal/1"
#define SUFFIX ".journal"

bool kept_possible(const char *output)
{
	struct stat status;

	if (file_name_descriptor(output) >= 0)
		return false;
	return stat(output, &status) || S_ISREG(status.st_mode);
}

char *kept_path(const char *output)
{
	char *end = file_name_follow(output), *path;

	if (!end || asprintf(&path, "%s" SUFFIX, end) < 0)
		path = NULL;
	free(end);
	return path;
}

/* ---- what the work is ---- */

static uint64_t digest_points(const struct plan *plan)
{
	uint64_t digest = digest_add(DIGEST_EMPTY, plan->sweep.points,
		plan->sweep.count * sizeof(*plan->sweep.points));
	size_t i;

	for (i = 0; plan->texts && i < plan->sweep.count; i++)
		digest = digest_add(
			digest, plan->texts[i], strlen(plan->texts[i]));
	return digest;
}

/* A what-if is another machine, which its digest names. */
static void put_settings(const struct plan *plan, FILE *out)
{
	const size_t count = plan->setting_per_point ? plan->sweep.count : 1;
	size_t i;

	for (i = 0; plan->settings && i < count; i++) {
		const char *digest =
			facts_find(&plan->settings[i].facts, "machine.digest");

		fprintf(out, " on %s", digest ? digest : "?");
	}
}

static int digest_program(const struct plan *plan, uint64_t *digest)
{
	char *text = program_text(&plan->program);

	if (!text)
		return ERR_FAILED;
	*digest = digest_add(DIGEST_EMPTY, text, strlen(text));
	free(text);
	return 0;
}

/* "pointer-chase op=ld.cg warps=1 footprint_bytes 8 points DIGEST", or the
   name and the digest of a program. */
static int add_series(const struct plan *plan, struct facts *work)
{
	const struct bench_option *option = plan->args.options;
	uint64_t digest = digest_points(plan), program = 0;
	char *text = NULL;
	size_t bytes, i;
	FILE *out = stream_open_text(&text, &bytes);
	int code;

	if (!out)
		return ERR_FAILED;
	code = plan->bench || plan->texts ? 0 : digest_program(plan, &program);
	if (program)
		digest = program;
	fputs(plan->name, out);
	for (i = 0; option && option[i].name; i++)
		fprintf(out, " %s=%s", option[i].name,
			plan->args.values[i].text);
	for (i = 0; i < plan->options.count; i++)
		fprintf(out, " %s=%s", plan->options.items[i].key,
			plan->options.items[i].value);
	put_settings(plan, out);
	fprintf(out, " %s %zu points %016" PRIx64, plan->axis,
		plan->sweep.count, digest);
	if (ferror(out))
		code = ERR_FAILED;
	if (fclose(out))
		code = ERR_FAILED;
	if (!code)
		code = facts_add(work, "series", "%s", text);
	free(text);
	return code;
}

static int describe_device(const struct facts *facts, struct facts *work)
{
	static const char *const device[] = {"machine", "machine.digest",
		"device.name", "device.uuid", "cuda.version", "driver.version"};
	size_t i;
	int code = 0;

	for (i = 0; i < sizeof(device) / sizeof(device[0]); i++)
		if (facts_find(facts, device[i]))
			code |= facts_add(work, device[i], "%s",
				facts_find(facts, device[i]));
	return code;
}

static int describe_work(const struct run_config *config, bool any_device,
	const struct plan *plans, size_t plan_count, struct facts *work)
{
	char build[BUILD_ID_BYTES], repeats[REPEATS_BYTES];
	size_t i;
	int code;

	build_id(build);
	repeats_text(&config->repeats, repeats);
	code = facts_add(work, "build", "%s", build);
	code |= facts_add(work, "backend", "%s", config->opened->ops->name);
	for (i = 0; !any_device && i < run_devices(config); i++)
		code |= describe_device(&config->opened[i].facts, work);
	code |= facts_add(work, "seed", "%" PRIu32, config->seed);
	code |= facts_add(work, "repeats", "%s", repeats);
	code |= facts_add(work, "warmups", "%u", config->warmups);
	code |= facts_add(
		work, "samples", "%s", config->without_samples ? "no" : "yes");
	if (config->as_written)
		code |= facts_add(work, "code", "as written");
	if (config->values)
		code |= facts_add(work, FACT_VALUES, "%s",
			job_values_names[config->values]);
	for (i = 0; !code && i < plan_count; i++)
		code = add_series(&plans[i], work);
	return code;
}

int kept_work(const struct run_config *config, bool any_device,
	const struct plan *plans, size_t plan_count, uint64_t *digest)
{
	struct facts work = {0};
	size_t i;
	int code = describe_work(config, any_device, plans, plan_count, &work);

	*digest = DIGEST_EMPTY;
	for (i = 0; i < work.count; i++) {
		const struct fact *fact = &work.items[i];

		*digest = digest_add(*digest, fact->key, strlen(fact->key) + 1);
		*digest = digest_add(
			*digest, fact->value, strlen(fact->value) + 1);
	}
	facts_free(&work);
	return code;
}

/* ---- records ---- */

/* In JSON a line feed is either between values or written as "\n". */
static void join_lines(char *text)
{
	for (; (text = strchr(text, '\n')); text++)
		*text = ' ';
}

char *kept_record(const struct plan *plan, size_t plan_index, size_t index,
	const struct point *point, const char *reason, size_t *bytes)
{
	const struct series series = {.metrics = plan->metrics};
	char *text = NULL;
	FILE *out = stream_open_text(&text, bytes);
	bool failed;

	if (!out)
		return NULL;
	fprintf(out, "{\"series\": %zu, \"index\": %zu, ", plan_index, index);
	if (reason) {
		fputs("\"failed\": ", out);
		emit_json_string(out, reason);
	} else {
		fputs("\"point\": ", out);
		series_put_point(&series, point, out);
	}
	fputc('}', out);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	join_lines(text);
	return text;
}

bool kept_has(const struct kept *kept, size_t plan, size_t index)
{
	size_t i;

	for (i = 0; i < kept->count; i++)
		if (kept->items[i].plan == plan &&
			kept->items[i].index == index && !kept->items[i].failed)
			return true;
	return false;
}

int kept_add(
	struct kept *kept, const struct kept_point *item, struct error *error)
{
	struct kept_point *items =
		reallocarray(kept->items, kept->count + 1, sizeof(*items));

	if (!items)
		return error_set(error, ERR_FAILED, "out of memory");
	kept->items = items;
	items[kept->count++] = *item;
	return 0;
}

/* What the rules of a record fill. */
struct record {
	struct series_reader point; /* first: the rules of a point take it */
	struct series series;       /* of that point alone */
	uint64_t numbers[2];        /* of the series, and of the point in it */
	bool failed;
};

static int take_number(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct record *record = reader;

	return json_stream_count(stream, value, SERIES_POINTS_MAX,
		&record->numbers[json_stream_row(stream)]);
}

static int take_failed(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	(void)stream;
	(void)value;
	((struct record *)reader)->failed = true;
	return 0;
}

static const struct json_rule record_rules[] = {
	{"series", WANT_WHOLE, true, .take = take_number},
	{"index", WANT_WHOLE, true, .take = take_number},
	{"failed", WANT_TEXT, .take = take_failed},
	{"point", WANT_OBJECT, .inside = series_point_rules,
		.take = series_begin_point, .end = series_end_point},
	{0}};

static const struct json_rule record_rule = {
	.wants = WANT_OBJECT, .inside = record_rules};

static int parse_record(const char *text, size_t bytes, struct record *record)
{
	struct error ignored;
	struct json_stream *stream =
		json_stream_open(&record_rule, record, "journal", &ignored);
	int code = stream ? json_stream_feed(stream, text, bytes) : ERR_FAILED;

	if (!code)
		code = json_stream_end(stream);
	json_stream_free(stream);
	return code;
}

/* The point, out of the record. */
static int take_point(const struct plan *plan, struct record *record,
	struct kept_point *item, struct error *error)
{
	struct series *series = &record->series;

	series->metrics = plan->metrics;
	if (series->point_count != 1 || series_lacks_metric(series, 0) >= 0)
		return error_set(error, ERR_USAGE, "holds no point");
	if (series->points[0].x != plan->sweep.points[item->index])
		return error_set(error, ERR_USAGE, "is of another point");
	item->point = series->points[0];
	series->points[0] = (struct point){0};
	return 0;
}

static int read_item(const struct kept *kept, struct record *record,
	struct kept_point *item, struct error *error)
{
	const uint64_t plan = record->numbers[0], index = record->numbers[1];

	if (plan >= kept->plan_count || index >= kept->plans[plan].sweep.count)
		return error_set(error, ERR_USAGE, "names no point of the run");
	item->plan = (size_t)plan;
	item->index = (size_t)index;
	item->failed = record->failed;
	if (kept_has(kept, item->plan, item->index))
		return error_set(
			error, ERR_USAGE, "repeats a point that is finished");
	return item->failed
		       ? 0
		       : take_point(&kept->plans[plan], record, item, error);
}

static int read_record(
	void *context, const char *text, size_t bytes, struct error *error)
{
	struct kept *kept = context;
	struct kept_point item = {0};
	struct record record = {.point.series = &record.series};
	int code = parse_record(text, bytes, &record);

	if (code == ERR_FAILED)
		error_set(error, ERR_FAILED,
			"out of memory for the points of the journal");
	else if (code)
		error_set(error, code, "holds no point of the run");
	else
		code = read_item(kept, &record, &item, error);
	if (!code)
		code = kept_add(kept, &item, error);
	if (code)
		point_free(&item.point);
	series_free(&record.series);
	return code;
}

/* ---- life ---- */

int kept_open(struct kept *kept, const char *output, bool resume,
	const struct run_config *config, const struct plan *plans,
	size_t plan_count, struct error *error)
{
	struct facts facts_of_it = {0};
	const struct journal_work work = {.schema = SCHEMA,
		.facts = &facts_of_it,
		.resume = resume,
		.option = "--resume",
		.read = read_record,
		.context = kept};
	char *path = kept_path(output);
	int code;

	*kept = (struct kept){.plans = plans, .plan_count = plan_count};
	if (!path ||
		describe_work(config, false, plans, plan_count, &facts_of_it))
		code = error_set(
			error, ERR_FAILED, "out of memory for the journal");
	else
		code = journal_open(&kept->journal, path, &work, error);
	facts_free(&facts_of_it);
	free(path);
	if (code)
		kept_close(kept, false);
	return code;
}

int kept_put(struct kept *kept, const char *record, size_t bytes,
	struct error *error)
{
	return journal_append(&kept->journal, record, bytes, error);
}

void kept_close(struct kept *kept, bool done)
{
	size_t i;

	if (done)
		journal_remove(&kept->journal);
	else
		journal_close(&kept->journal);
	for (i = 0; i < kept->count; i++)
		point_free(&kept->items[i].point);
	free(kept->items);
	*kept = (struct kept){0};
}
