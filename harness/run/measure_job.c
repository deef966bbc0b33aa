#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/kernel/compare.h"
#include "harness/run/measure.h"

struct measurement {
	const struct run_config *config;
	const struct job *job;
	struct backend *backend;
	size_t runs;                  /* of launches, in a run of the job */
	unsigned repeats;             /* of the job so far */
	double *cycles, *ns, *clocks; /* by launch and repeat; by repeat */
	struct point *points;         /* all of them; owned until they move */
	struct facts *facts;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- what identifies the job ---- */

static int describe_launch(
	struct facts *facts, const struct job_launch *l, const char *key)
{
	char stream[24] = "", repeats[24] = "";

	if (l->repeats > 1)
		snprintf(repeats, sizeof(repeats), " repeats=%" PRIu32,
			l->repeats);
	if (l->stream)
		snprintf(stream, sizeof(stream), " stream=%" PRIu32, l->stream);
	return facts_add(facts, key,
		"%s grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " block=%" PRIu32
		",%" PRIu32 ",%" PRIu32 "%s%s%s%s%s%s",
		l->entry, l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1], l->block[2], stream,
		l->after == JOB_AFTER_PROGRAMMATIC ? " after=programmatic" : "",
		l->cooperative ? " cooperative" : "", repeats,
		l->name[0] ? " name=" : "", l->name);
}

static int describe(struct measurement *m)
{
	const struct job *job = m->job;
	struct facts *facts = m->facts;
	char key[32];
	uint64_t digest = 0;
	size_t i;
	int code = job_digest(job, &digest);

	code |= facts_add(facts, "job.digest", "%016" PRIx64, digest);
	for (i = 0; i < job->module_count; i++)
		code |= facts_add(
			facts, "job.module", "%s", job->modules[i].path);
	for (i = 0; i < job->launch_count; i++) {
		snprintf(key, sizeof(key), "job.launch%zu", i);
		code |= describe_launch(facts, &job->launches[i], key);
	}
	return code;
}

/* ---- what the first run left ---- */

static int add_digests(struct measurement *m, const struct job_result *result)
{
	char digest[DIGEST_BYTES], key[JOB_BUFFER_BYTES + 16];
	size_t i;
	int code = 0;

	for (i = 0; !code && i < result->content_count; i++) {
		const struct job_buffer *b = &m->job->buffers[i];

		compare_digest(b, result->contents[i], digest);
		snprintf(key, sizeof(key), "job.buffer.%s", b->name);
		code = facts_add(m->facts, key, "%s", digest);
	}
	return code;
}

static int dump(struct measurement *m, const struct job_result *result,
	const struct job_dump *dump, struct error *error)
{
	const int index = job_buffer_find(m->job, dump->buffer);
	struct output output;
	int code;

	if (index < 0)
		return error_set(error, ERR_USAGE,
			"job '%s' has no buffer '%s'", m->job->name,
			dump->buffer);
	code = output_open(&output, dump->path, error);
	if (code)
		return code;
	fwrite(result->contents[index], 1, m->job->buffers[index].bytes,
		output.stream);
	return output_commit(&output, error);
}

static int keep_contents(struct measurement *m, const struct job_result *result,
	struct error *error)
{
	size_t i;
	int code = 0;

	if (m->config->digests && add_digests(m, result))
		return no_memory(error);
	for (i = 0; !code && i < m->config->dump_count; i++)
		code = dump(m, result, &m->config->dumps[i], error);
	return code;
}

static int keep_counters(
	struct point *point, const struct job_launch_result *launch)
{
	const struct counter known[] = {
		{COUNTER_REGISTERS, launch->registers},
		{COUNTER_BLOCKS, launch->blocks_per_sm},
	};
	const size_t more = sizeof(known) / sizeof(known[0]);
	size_t i;

	point->counters =
		calloc(launch->counter_count + more, sizeof(*point->counters));
	if (!point->counters)
		return ERR_FAILED;
	for (i = 0; i < launch->counter_count + more; i++) {
		const struct counter *c =
			i < launch->counter_count
				? &launch->counters[i]
				: &known[i - launch->counter_count];

		point->counters[i].name = strdup(c->name);
		point->counters[i].value = c->value;
		if (!point->counters[i].name)
			return ERR_FAILED;
		point->counter_count++;
	}
	return 0;
}

/* A fact that is there once. */
static int keep_once(struct measurement *m, const char *key, const char *words)
{
	size_t i;

	for (i = 0; i < m->facts->count; i++)
		if (!strcmp(m->facts->items[i].key, key) &&
			!strcmp(m->facts->items[i].value, words))
			return 0;
	return facts_add(m->facts, key, "%s", words);
}

/* Of which operations the cycles are not fitted yet, and what the model has
   done beside what the kernel says: a fact each. */
static int keep_notes(
	struct measurement *m, const struct job_launch_result *launch)
{
	char words[128];
	int code = 0;

	if (launch->assumed) {
		snprintf(words, sizeof(words), "not fitted yet: %s",
			launch->assumed);
		code = keep_once(m, FACT_TIME, words);
	}
	if (!code && launch->note[0])
		code = keep_once(m, FACT_NOTE, launch->note);
	return code;
}

/* Whether values were left out: a fact. */
static int keep_values(struct measurement *m, const struct job_result *result)
{
	if (m->config->values != JOB_VALUES_NONE)
		return 0;
	return facts_add(m->facts, FACT_VALUES, "%s",
		result->all_values
			? "ieee, not none: all of them decide an address, a "
			  "branch or the like"
			: "none: what buffers hold is not defined");
}

static int keep_profile(struct point *point, struct job_launch_result *launch)
{
	struct job_launch_result *kept = job_result_add(&point->profiled);

	if (!kept)
		return ERR_FAILED;
	*kept = *launch;
	launch->profile = NULL;
	return 0;
}

/* Each point has the job's text, up to so many bytes in all; of a job that has
   more the first one has it. */
#define TEXTS_BYTES_MAX ((size_t)64 << 20)

static int keep_first(
	struct measurement *m, struct job_result *result, struct error *error)
{
	size_t bytes = 0, i;

	for (i = 0; i < m->runs; i++) {
		struct point *point = &m->points[i];

		if (!i || bytes * m->runs <= TEXTS_BYTES_MAX)
			point->program = job_text(m->job);
		if (!i && point->program)
			bytes = strlen(point->program);
		if ((!i && !point->program) ||
			keep_counters(point, &result->launches[i]) ||
			keep_notes(m, &result->launches[i]) ||
			(m->config->profiles &&
				keep_profile(point, &result->launches[i])))
			return no_memory(error);
	}
	if (keep_values(m, result))
		return no_memory(error);
	return keep_contents(m, result, error);
}

/* ---- repeats ---- */

static int run_once(struct measurement *m, uint32_t repeat, bool counted,
	struct error *error)
{
	const bool first = counted && !repeat;
	const struct job_wishes wishes = {
		.contents =
			first && (m->config->digests || m->config->dump_count),
		.profile = first && m->config->profiles,
		.races = first && m->config->races,
		.max_cycles = m->config->max_cycles,
		.unchecked = m->config->unchecked,
		.as_written = m->config->as_written,
		.values = m->config->values,
		.timeline = first ? m->config->timeline : NULL,
	};
	struct job_result result = {0};
	size_t i;
	int code;

	if (m->config->stop && atomic_load(m->config->stop))
		return error_set(error, ERR_INTERRUPTED, "interrupted");
	code = m->config->opened->ops->run_job(
		m->backend, m->job, &wishes, &result, error);

	if (result.printed && m->config->printed)
		m->config->printed(result.printed, result.printed_bytes,
			result.printed_more);
	for (i = 0; !code && counted && i < m->runs; i++) {
		const size_t at = i * m->config->repeats.count + repeat;

		m->cycles[at] = result.launches[i].cycles;
		m->ns[at] = result.launches[i].ns;
		m->clocks[repeat] = result.clock_hz;
	}
	if (!code && first)
		code = keep_first(m, &result, error);
	job_result_free(&result);
	return code;
}

static int summarize_metric(struct point *point, enum metric metric,
	const double *values, size_t count, uint32_t seed)
{
	struct metric_values *reading = point_add_metric(point, metric);

	if (!reading || !count)
		return ERR_FAILED;
	reading->values = malloc(count * sizeof(double));
	if (!reading->values)
		return ERR_FAILED;
	memcpy(reading->values, values, count * sizeof(double));
	reading->value_count = count;
	return stats_summarize(reading->values, count, seed + (uint64_t)metric,
		&reading->summary);
}

static int summarize(struct measurement *m, struct error *error)
{
	const size_t stride = m->config->repeats.count, repeats = m->repeats;
	size_t i;

	stats_sort(m->clocks, repeats);
	for (i = 0; i < m->runs; i++) {
		struct point *point = &m->points[i];

		point->clock_hz = stats_quantile(m->clocks, repeats, 0.5);
		if (summarize_metric(point, METRIC_ELAPSED_CYCLES,
			    m->cycles + i * stride, repeats, m->config->seed) ||
			summarize_metric(point, METRIC_ELAPSED_NS,
				m->ns + i * stride, repeats, m->config->seed))
			return no_memory(error);
	}
	return 0;
}

/* All launches of the job have to have their intervals. */
static bool enough(const struct measurement *m, struct repeats_course *course)
{
	return repeats_enough(course, m->repeats,
		&(struct repeats_values){METRIC_ELAPSED_CYCLES, m->cycles,
			m->repeats, m->runs, m->config->repeats.count});
}

static int repeat_all(struct measurement *m, struct error *error)
{
	struct repeats_course course;
	uint32_t repeat;
	int code = 0;

	for (repeat = 0; !code && repeat < m->config->warmups; repeat++)
		code = run_once(m, repeat, false, error);
	repeats_begin(&course, &m->config->repeats);
	while (!code && !enough(m, &course))
		code = run_once(m, m->repeats++, true, error);
	return code ? code : summarize(m, error);
}

static int prepare(struct measurement *m, struct error *error)
{
	const size_t repeats = m->config->repeats.count;
	size_t i;

	m->points = calloc(m->runs, sizeof(*m->points));
	m->cycles = calloc(m->runs * repeats, sizeof(double));
	m->ns = calloc(m->runs * repeats, sizeof(double));
	m->clocks = calloc(repeats, sizeof(double));
	if (!m->points || !m->cycles || !m->ns || !m->clocks)
		return no_memory(error);
	for (i = 0; i < m->runs; i++)
		m->points[i].x = (double)i;
	return describe(m) ? no_memory(error) : 0;
}

/* The first one stands for all launches if the job was skipped. */
static int move_points(struct measurement *m, bool skipped, struct point *first,
	struct measured *further, struct error *error)
{
	size_t i;

	for (i = 0; skipped && i < m->runs; i++)
		point_free(&m->points[i]);
	*first = m->points[0];
	if (skipped) {
		first->skipped = strdup(error->text);
		return first->skipped ? 0 : no_memory(error);
	}
	memmove(m->points, m->points + 1, (m->runs - 1) * sizeof(*m->points));
	further->points = m->points;
	further->point_count = m->runs - 1;
	m->points = NULL;
	return 0;
}

int measure_job(const struct run_config *config, struct backend *backend,
	const struct plan *plan, struct point *first, struct measured *further,
	struct error *error)
{
	struct measurement m = {
		.config = config,
		.job = plan->job,
		.backend = backend,
		.runs = job_runs(plan->job),
		.facts = &further->facts,
	};
	size_t i;
	int code = prepare(&m, error);

	if (!code)
		code = repeat_all(&m, error);
	if (code)
		error_prefix(error, code, "job '%s': ", plan->job->name);
	if (!code || code == ERR_SKIPPED)
		code = move_points(
			&m, code == ERR_SKIPPED, first, further, error);
	else
		for (i = 0; m.points && i < m.runs; i++)
			point_free(&m.points[i]);
	free(m.points);
	free(m.cycles);
	free(m.ns);
	free(m.clocks);
	return code;
}
