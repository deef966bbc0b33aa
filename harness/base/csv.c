#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"

void csv_init(struct csv *csv, char *text, size_t bytes, const char *source)
{
	*csv = (struct csv){
		.next = text, .end = text + bytes, .source = source};
}

static int add_field(struct csv *csv, char *field, struct error *error)
{
	if (csv->field_count == csv->field_capacity) {
		const size_t capacity = 2 * csv->field_capacity + 16;
		char **fields =
			reallocarray(csv->fields, capacity, sizeof(*fields));

		if (!fields)
			return error_set(error, ERR_FAILED,
				"out of memory while reading '%s'",
				csv->source);
		csv->fields = fields;
		csv->field_capacity = capacity;
	}
	csv->fields[csv->field_count++] = field;
	return 0;
}

/* Closes the field at `stop` and says whether the record ends there. */
static bool end_field(struct csv *csv, char *stop)
{
	const char separator = stop == csv->end ? '\n' : *stop;

	csv->next = stop == csv->end ? stop : stop + 1;
	if (separator == '\n' && stop > csv->fields[csv->field_count - 1] &&
		stop[-1] == '\r')
		stop[-1] = '\0';
	*stop = '\0';
	csv->lines_done += separator == '\n';
	return separator == '\n';
}

/* Unescapes in place; `*stop` receives what follows the closing quote. */
static int read_quoted(struct csv *csv, char **stop, struct error *error)
{
	char *from = csv->next + 1, *to = csv->next;
	bool closed = false;

	for (; from < csv->end && !closed; from++) {
		if (*from == '"' && from[1] != '"') {
			closed = true;
			continue;
		}
		from += *from == '"';
		csv->lines_done += *from == '\n';
		*to++ = *from;
	}
	if (!closed)
		return error_set(error, ERR_USAGE,
			"%s:%zu: a quote is not closed", csv->source,
			csv->line);
	if (from[0] == '\r' && from[1] == '\n')
		from++;
	if (from < csv->end && *from != ',' && *from != '\n')
		return error_set(error, ERR_USAGE,
			"%s:%zu: a comma must follow a closing quote",
			csv->source, csv->line);
	*to = '\0';
	*stop = from;
	return 0;
}

static void read_comment(struct csv *csv)
{
	char *stop = memchr(csv->next, '\n', (size_t)(csv->end - csv->next));

	csv->comment = csv->next + 1;
	csv->comment += *csv->comment == ' ';
	csv->next = stop ? stop + 1 : csv->end;
	if (!stop)
		stop = csv->end;
	if (stop > csv->comment && stop[-1] == '\r')
		stop--;
	*stop = '\0';
	csv->lines_done++;
}

int csv_next(struct csv *csv, struct error *error)
{
	bool last = false;
	char *stop;
	int result;

	csv->line = csv->lines_done + 1;
	csv->field_count = 0;
	csv->comment = NULL;
	if (csv->next == csv->end)
		return 0;
	if (*csv->next == '#') {
		read_comment(csv);
		return 1;
	}
	while (!last) {
		result = add_field(csv, csv->next, error);
		if (result)
			return result;
		stop = csv->next + strcspn(csv->next, ",\n");
		if (*csv->next == '"' &&
			(result = read_quoted(csv, &stop, error)))
			return result;
		last = end_field(csv, stop);
	}
	if (csv->field_count == 1 && !*csv->fields[0])
		csv->field_count = 0;
	return 1;
}

void csv_free(struct csv *csv)
{
	free(csv->fields);
	csv->fields = NULL;
}
