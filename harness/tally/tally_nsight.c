/* What `ncu --csv --page raw` writes: a head, a row of units, a row for each
   kernel; and lines of the profiler and of the program around them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/tally/tally.h"

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

/* A column of the head. */
struct column {
	char *metric; /* owned; NULL: it is none */
	double scale; /* to base units */
};

struct reader {
	struct csv csv;
	struct column *columns;
	size_t count;
	size_t kernel; /* the column of names */
	struct tally *tally;
	struct error *error;
};

static int no_memory(struct reader *r)
{
	return error_set(r->error, ERR_FAILED, "out of memory");
}

/* "launch__x" may come as "section: launch__x (unit)". */
static char *metric_of(const char *field)
{
	const char *middle = strstr(field, "__"), *end;

	if (!middle)
		return NULL;
	while (middle > field && middle[-1] != ' ')
		middle--;
	end = middle + strcspn(middle, " (");
	return strndup(middle, (size_t)(end - middle));
}

static int take_head(struct reader *r)
{
	size_t i;

	r->count = r->csv.field_count;
	r->columns = calloc(r->count + 1, sizeof(*r->columns));
	if (!r->columns)
		return no_memory(r);
	for (i = 0; i < r->count; i++) {
		const char *field = r->csv.fields[i];

		r->columns[i].scale = 1;
		if (!strcmp(field, "Kernel Name"))
			r->kernel = i;
		if (!strstr(field, "__"))
			continue;
		r->columns[i].metric = metric_of(field);
		if (!r->columns[i].metric)
			return no_memory(r);
	}
	return 0;
}

static double scale_of(const char *unit)
{
	static const char prefixes[] = "KMGT";
	const char *prefix = *unit ? strchr(prefixes, *unit) : NULL;

	return prefix && unit[1] ? pow(1000, (double)(prefix - prefixes + 1))
				 : 1;
}

static void take_units(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		r->columns[i].scale = scale_of(r->csv.fields[i]);
}

/* "1,234.5"; false for what is no number. */
static bool read_number(char *text, double *value)
{
	char *to = text, *end;
	const char *from;

	for (from = text; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	*value = strtod(text, &end);
	return end != text && !*end && isfinite(*value);
}

static int take_kernel(struct reader *r)
{
	struct tally_launch *launch;
	char *name = r->csv.fields[r->kernel];
	double value;
	size_t i;

	name[strcspn(name, "(")] = '\0'; /* the entry without its parameters */
	launch = tally_add(r->tally, name);
	if (!launch)
		return no_memory(r);
	for (i = 0; i < r->count; i++)
		if (r->columns[i].metric &&
			read_number(r->csv.fields[i], &value) &&
			!tally_add_value(launch, r->columns[i].metric,
				value * r->columns[i].scale))
			return no_memory(r);
	return 0;
}

/* A row of a kernel that is not whole, whose number would go to the next one;
   lines of others do not begin with a number and a comma. */
static bool is_broken(const struct reader *r)
{
	const char *id = r->csv.fields[0];

	return r->csv.field_count > 1 && *id && !id[strspn(id, "0123456789")];
}

/* Lines of others have other numbers of fields. */
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
		if (r->csv.field_count != r->count) {
			if (is_broken(r))
				return error_set(r->error, ERR_USAGE,
					"kernel %s of Nsight Compute's CSV has "
					"%zu fields instead of %zu",
					r->csv.fields[0], r->csv.field_count,
					r->count);
			continue;
		}
		if (!*r->csv.fields[0] && !has_units) {
			take_units(r);
			has_units = true;
		} else if (*r->csv.fields[0]) {
			code = take_kernel(r);
		}
	}
	return code;
}

int tally_read_nsight(char *text, size_t bytes, const char *source,
	struct tally *tally, struct error *error)
{
	struct reader r = {.tally = tally, .error = error};
	char *head = find_head(text);
	size_t i;
	int code;

	csv_init(&r.csv, head, bytes - (size_t)(head - text), source);
	code = take_rows(&r);
	for (i = 0; r.columns && i < r.count; i++)
		free(r.columns[i].metric);
	free(r.columns);
	csv_free(&r.csv);
	return code;
}
