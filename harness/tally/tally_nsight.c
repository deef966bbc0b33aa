/*
 * What `ncu --csv` writes, in one of two forms, with lines of the profiler and
 * of the program around it:
 *
 *   --page raw   a head, a row of units, a row for each kernel
 *   else         a head, a row for each metric of a kernel, which says its
 *                unit; fields at the end may be missing, and other tables come
 *                between, with heads of their own
 *
 * So does Nsight Compute 2025.3.1; units of older versions are taken, too.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/tally/tally_words.h"

#define HEAD_BEGIN "\"ID\","

/* The head begins a line. */
static char *find_head(const char *text)
{
	const char *at = text;

	for (at = strstr(at, HEAD_BEGIN); at; at = strstr(at + 1, HEAD_BEGIN))
		if (at == text || at[-1] == '\n')
			return (char *)(uintptr_t)at;
	return NULL;
}

bool tally_is_nsight(const char *text)
{
	const char *head = find_head(text);
	const char *name = head ? strstr(head, "\"Kernel Name\"") : NULL;

	return name && name < head + strcspn(head, "\n");
}

/* ---- records ---- */

/* A column of the head. */
struct column {
	char *metric; /* owned; NULL: it is none */
	double scale; /* to base units */
};

#define NOWHERE SIZE_MAX

struct reader {
	struct csv csv;
	struct column *columns;
	size_t count;
	size_t kernel;            /* the column of names */
	size_t name, unit, value; /* of a metric; NOWHERE: of --page raw */
	size_t others;            /* fields of another table's rows; 0: none */
	char *id;                 /* of the kernel whose rows are read; owned */
	struct tally_launch *launch;
	struct words_style style;
	struct tally *tally;
	struct error *error;
};

static int no_memory(struct reader *r)
{
	return error_set(r->error, ERR_FAILED, "out of memory");
}

static size_t find_column(const struct reader *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (!strcmp(r->csv.fields[i], name))
			return i;
	return NOWHERE;
}

static int take_head(struct reader *r)
{
	bool failed;
	size_t i;

	r->count = r->csv.field_count;
	r->kernel = find_column(r, "Kernel Name");
	r->name = find_column(r, "Metric Name");
	r->unit = find_column(r, "Metric Unit");
	r->value = find_column(r, "Metric Value");
	if (r->unit == NOWHERE || r->value == NOWHERE)
		r->name = NOWHERE;
	r->columns = calloc(r->count + 1, sizeof(*r->columns));
	if (!r->columns)
		return no_memory(r);
	for (i = 0; i < r->count; i++) {
		r->columns[i].scale = 1;
		r->columns[i].metric = words_metric(r->csv.fields[i], &failed);
		if (failed)
			return no_memory(r);
	}
	return 0;
}

static void take_units(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		r->columns[i].scale = words_scale(r->csv.fields[i]);
}

static int add_launch(struct reader *r)
{
	r->launch = tally_add(r->tally, words_kernel(r->csv.fields[r->kernel]));
	return r->launch ? 0 : no_memory(r);
}

/* A row of --page raw. */
static int take_kernel(struct reader *r)
{
	double value;
	size_t i;
	int code = add_launch(r);

	for (i = 0; !code && i < r->count; i++)
		if (r->columns[i].metric &&
			words_number(&r->style, r->csv.fields[i], &value) &&
			!tally_add_value(r->launch, r->columns[i].metric,
				value * r->columns[i].scale))
			code = no_memory(r);
	return code;
}

static bool has_value(const struct tally_launch *launch, const char *name)
{
	size_t i;

	for (i = 0; i < launch->count; i++)
		if (!strcmp(launch->values[i].name, name))
			return true;
	return false;
}

/* Several sections may have the same metric. */
static int take_metric(struct reader *r)
{
	char **fields = r->csv.fields, *metric;
	bool failed;
	double value;

	if (!r->id || strcmp(r->id, fields[0]) != 0) {
		free(r->id);
		r->id = strdup(fields[0]);
		if (!r->id || add_launch(r))
			return no_memory(r);
	}
	metric = words_metric(fields[r->name], &failed);
	if (metric && !has_value(r->launch, metric) &&
		words_number(&r->style, fields[r->value], &value))
		failed = !tally_add_value(r->launch, metric,
			value * words_scale(fields[r->unit]));
	free(metric);
	return failed ? no_memory(r) : 0;
}

/* A kernel's row begins with its number; lines of others do not, but rows of
   another table, which has as many fields as its head. */
static bool is_kernel_row(struct reader *r)
{
	const char *id = r->csv.fields[0];
	const size_t count = r->csv.field_count;

	if (count < 2)
		return false;
	if (*id && !id[strspn(id, "0123456789")])
		return count != r->others;
	r->others = *id && r->name != NOWHERE ? count : 0;
	return false;
}

static int take_row(struct reader *r)
{
	const size_t least = r->name == NOWHERE ? r->count : r->value + 1;

	if (r->csv.field_count < least || r->csv.field_count > r->count)
		return error_set(r->error, ERR_USAGE,
			"kernel %s of Nsight Compute's CSV has %zu fields "
			"instead of %zu",
			r->csv.fields[0], r->csv.field_count, r->count);
	return r->name == NOWHERE ? take_kernel(r) : take_metric(r);
}

static int take_rows(struct reader *r)
{
	int code = csv_next(&r->csv, r->error);
	bool has_units = false;

	if (code == 1)
		code = take_head(r);
	while (!code && (code = csv_next(&r->csv, r->error)) == 1) {
		code = 0;
		if (r->csv.comment)
			continue;
		if (is_kernel_row(r)) {
			code = take_row(r);
		} else if (!has_units && r->csv.field_count == r->count &&
			   r->name == NOWHERE) {
			take_units(r);
			has_units = true;
		}
	}
	return code;
}

static void reader_free(struct reader *r)
{
	size_t i;

	for (i = 0; r->columns && i < r->count; i++)
		free(r->columns[i].metric);
	free(r->columns);
	free(r->id);
	csv_free(&r->csv);
}

/* Reads the text, which is changed, by a style, or to find one. */
static int read_by(struct words_style *style, char *text, size_t bytes,
	const char *source, struct tally *tally, struct error *error)
{
	struct reader r = {.style = *style, .tally = tally, .error = error};
	int code;

	csv_init(&r.csv, text, bytes, source);
	code = take_rows(&r);
	*style = r.style;
	reader_free(&r);
	return code;
}

/* The style of the numbers; ERR_USAGE where they may be of two. */
static int find_style(struct words_style *style, const char *text, size_t bytes,
	const char *source, struct error *error)
{
	struct tally unread = {0};
	char *copy = strndup(text, bytes);
	int code;

	*style = (struct words_style){.decimal = 0};
	if (!copy)
		return error_set(error, ERR_FAILED, "out of memory");
	code = read_by(style, copy, strlen(copy), source, &unread, error);
	tally_free(&unread);
	free(copy);
	style->decimal = style->commas && !style->dots ? ',' : '.';
	if (!code && style->either && !style->commas && !style->dots)
		code = error_set(error, ERR_USAGE,
			"of no number in '%s' can be said whether its dot "
			"separates decimals or thousands: run ncu with "
			"LC_ALL=C",
			source);
	return code;
}

static bool is_empty(const struct tally *tally)
{
	size_t i;

	for (i = 0; i < tally->count; i++)
		if (tally->launches[i].count)
			return false;
	return true;
}

int tally_read_nsight(char *text, size_t bytes, const char *source,
	struct tally *tally, struct error *error)
{
	char *head = find_head(text);
	struct words_style style;
	int code;

	bytes -= (size_t)(head - text);
	code = find_style(&style, head, bytes, source, error);
	if (!code)
		code = read_by(&style, head, bytes, source, tally, error);
	if (!code && tally->count && is_empty(tally))
		code = error_set(error, ERR_USAGE,
			"'%s' has labels of sections instead of names of "
			"metrics: ncu --page raw writes these",
			source);
	return code;
}
