/*
 * google-benchmark's JSON, as its tools/compare.py reads it: an entry a value
 * of the point, as if each were a repetition, so that its U test has them; one
 * entry with the median where values were not kept or are too many.
 *
 * The time of an entry is the latency of one access or, of a series of rates,
 * the time of one byte, load or atomic; less is better in either. All metrics'
 * medians are counters beside it; marks are its label. Names have the bench,
 * its options and the place, so that equal places of two runs have equal names;
 * --set values, machines and devices stand in them only where series of one
 * file differ in those.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/marks/marks.h"
#include "harness/series/formats.h"
#include "harness/series/identity.h"

/* More would be a line of output each. */
#define REPETITIONS_MAX 100

/* What a time is made from, best first. */
enum source { NANOSECONDS, GB_PER_S, PER_CYCLE };

static const struct {
	int metric;
	enum source source;
} sources[] = {
	{METRIC_LATENCY_NS, NANOSECONDS},
	{METRIC_USEFUL_GB_PER_S, GB_PER_S},
	{METRIC_MOVED_GB_PER_S, GB_PER_S},
	{METRIC_LOAD_GB_PER_S, GB_PER_S},
	{METRIC_ATOMICS_PER_CYCLE, PER_CYCLE},
	{METRIC_LOADS_PER_CYCLE, PER_CYCLE},
	{METRIC_BYTES_PER_CYCLE, PER_CYCLE},
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

/* The index of the source, SOURCES without one. */
static size_t find_source(const struct series *series)
{
	size_t i = 0;

	while (i < SOURCES && !(series->metrics >> sources[i].metric & 1))
		i++;
	return i;
}

static double time_ns(size_t source, double value, double clock_hz)
{
	switch (sources[source].source) {
	case NANOSECONDS:
		return value;
	case GB_PER_S:
		return 1 / value;
	case PER_CYCLE:
		break;
	}
	return 1e9 / (value * clock_hz);
}

struct entry {
	const struct identity *identity; /* of the list */
	const struct series *series;
	const struct point *point;
	size_t family, instance; /* series, point */
	size_t source;
	const char *gap;
};

/* "pointer-chase/op:ld.cg/footprint_bytes:4096", quoted. */
static void put_name(const struct entry *e, FILE *out)
{
	const struct facts *options = &e->series->options;
	const struct identity *identity = e->identity;
	char x[EMIT_NUMBER_BYTES], *name = NULL;
	size_t bytes, i;
	FILE *text = stream_open_text(&name, &bytes);

	if (!text) {
		stream_fail(out);
		return;
	}
	fputs(e->series->bench, text);
	for (i = 0; i < options->count; i++)
		fprintf(text, "/%s:%s", options->items[i].key,
			options->items[i].value);
	for (i = 0; i < identity->key_count; i++)
		if (identity->keys[i].kind >= TRAIT_SET)
			fprintf(text, "/%s:%s", identity->keys[i].name,
				identity_word(identity, e->family, i));
	emit_format(e->point->x, x);
	fprintf(text, "/%s:%s", e->series->axis, x);
	if (fclose(text))
		stream_fail(out);
	else
		emit_json_string(out, name);
	free(name);
}

static void put_head(
	const struct entry *e, size_t index, size_t count, FILE *out)
{
	fputs(e->gap, out);
	fputs("{\"name\": ", out);
	put_name(e, out);
	fprintf(out,
		", \"family_index\": %zu, \"per_family_instance_index\": %zu, "
		"\"run_name\": ",
		e->family, e->instance);
	put_name(e, out);
	fprintf(out,
		", \"run_type\": \"iteration\", \"repetitions\": %zu, "
		"\"repetition_index\": %zu, \"threads\": 1, \"iterations\": 1",
		count, index);
}

static void put_time(const struct entry *e, double value, FILE *out)
{
	const double ns = time_ns(e->source, value, e->point->clock_hz);
	int metric;

	fputs(",\n \"real_time\": ", out);
	emit_json_number(out, ns);
	fputs(", \"cpu_time\": ", out);
	emit_json_number(out, ns);
	fputs(", \"time_unit\": \"ns\"", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		const double median = point_summary(e->point, metric)->median;

		if (!(e->series->metrics >> metric & 1) || !isfinite(median))
			continue;
		emit_json_number_member(out, metric_columns[metric], median);
	}
	if (e->point->marks) {
		fputs(", \"label\": \"", out);
		marks_put_names(e->point->marks, out);
		fputc('"', out);
	}
	fputc('}', out);
}

static void put_point(struct entry *e, FILE *out)
{
	const int metric = sources[e->source].metric;
	const struct metric_values *reading = point_metric(e->point, metric);
	const size_t count = reading->value_count;
	size_t i;

	if (!count || count > REPETITIONS_MAX) {
		put_head(e, 0, 1, out);
		put_time(e, reading->summary.median, out);
		e->gap = ",\n";
		return;
	}
	for (i = 0; i < count; i++) {
		put_head(e, i, count, out);
		put_time(e, reading->values[i], out);
		e->gap = ",\n";
	}
}

static void put_context(const struct series_list *list, FILE *out)
{
	const struct facts *facts =
		list->count ? &list->items[0].provenance : NULL;
	const char *date = facts ? facts_find(facts, "date") : NULL;

	fputs("{\"context\": {\"date\": ", out);
	emit_json_string(out, date ? date : "");
	fputs(", \"executable\": \"nearfar\", \"num_cpus\": 1, "
	      "\"mhz_per_cpu\": 0, \"cpu_scaling_enabled\": false, "
	      "\"caches\": [], \"load_avg\": [], "
	      "\"library_build_type\": \"release\",\n \"nearfar\": ",
		out);
	emit_json_facts(out, facts ? facts : &(struct facts){0}, "");
	fputs("},\n\"benchmarks\": [\n", out);
}

/* Points without a time (skipped, or of shares alone) have no entry. */
int series_put_gbench(const struct series_list *list, FILE *out)
{
	struct identity identity;
	struct entry e = {.gap = "", .identity = &identity};

	if (identity_of_list(list, &identity, NULL))
		return ERR_FAILED;
	put_context(list, out);
	for (e.family = 0; e.family < list->count; e.family++) {
		e.series = &list->items[e.family];
		e.source = find_source(e.series);
		for (e.instance = 0; e.source < SOURCES &&
				     e.instance < e.series->point_count;
			e.instance++) {
			e.point = &e.series->points[e.instance];
			if (!e.point->skipped)
				put_point(&e, out);
		}
	}
	fputs("\n]}\n", out);
	identity_free(&identity);
	return 0;
}
