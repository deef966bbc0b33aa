/* The parts of pages that tables tell: each parser's or writer's own. */
#include <string.h>

#include "harness/command/topics/topics.h"
#include "harness/contract/counter.h"
#include "harness/contract/parameters.h"
#include "harness/kernel/job.h"
#include "harness/manual/manual.h"
#include "harness/marks/marks.h"
#include "harness/program/text/text.h"
#include "harness/run/registry.h"
#include "harness/series/io.h"
#include "harness/series/series.h"

static void put_names(const char *const *names, const char *const *meanings,
	int count, FILE *out)
{
	int i;

	for (i = 0; i < count; i++)
		manual_put_row(out, MANUAL_INDENT, names[i], meanings[i]);
}

static void put_metrics(FILE *out)
{
	put_names(metric_columns, metric_meanings, METRIC_COUNT, out);
}

static void put_marks(FILE *out)
{
	put_names(mark_names, mark_sentences, MARK_COUNT, out);
}

static void put_counters(FILE *out)
{
	char what[256];
	int i;

	for (i = 0; i < COUNTER_COUNT; i++) {
		snprintf(what, sizeof(what), "%s: %s", counter_kinds[i].unit,
			counter_kinds[i].meaning);
		manual_put_row(out, MANUAL_INDENT, counter_kinds[i].name, what);
	}
}

static void put_formats(FILE *out)
{
	static const char *const rows[][2] = {
#define FORMAT_ROW(name, text, ending, put, what) {text " (" ending ")", what},
		SERIES_FORMATS(FORMAT_ROW)
#undef FORMAT_ROW
	};
	size_t i;

	for (i = 0; i < FORMAT_COUNT; i++)
		manual_put_row(out, MANUAL_INDENT, rows[i][0], rows[i][1]);
}

static int put_parameters(FILE *out, struct error *error)
{
	struct model_parameters list = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->parameters(NULL, &list, error);
	for (i = 0; !code && i < list.count; i++) {
		char what[512];

		snprintf(what, sizeof(what), "%s: %s", list.items[i].unit,
			list.items[i].what);
		manual_put_row(out, MANUAL_INDENT, list.items[i].name, what);
	}
	model_parameters_free(&list);
	return code;
}

static const struct {
	const char *name;
	void (*put)(FILE *out);
	int (*make)(FILE *out, struct error *error); /* or what may fail */
} parts[] = {
	{"program-statements", program_statements_put, NULL},
	{"program-instructions", program_instructions_put, NULL},
	{"program-qualifiers", program_qualifiers_put, NULL},
	{"job-statements", job_statements_put, NULL},
	{"parameters", NULL, put_parameters},
	{"formats", put_formats, NULL},
	{"metrics", put_metrics, NULL},
	{"counters", put_counters, NULL},
	{"marks", put_marks, NULL},
};

int topic_put_part(
	const char *name, size_t length, FILE *out, struct error *error)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strlen(parts[i].name) != length ||
			strncmp(parts[i].name, name, length))
			continue;
		if (parts[i].make)
			return parts[i].make(out, error);
		parts[i].put(out);
		return 0;
	}
	return error_set(error, ERR_FAILED, "pages have no part '%.*s'",
		(int)length, name);
}
