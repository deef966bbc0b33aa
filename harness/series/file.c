#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/series/formats.h"
#include "harness/series/io.h"

const char *const series_format_names[FORMAT_COUNT] = {
#define SERIES_FORMAT_NAME(name, text, ending, put, what)                      \
	[FORMAT_##name] = text,
	SERIES_FORMATS(SERIES_FORMAT_NAME)
#undef SERIES_FORMAT_NAME
};

static const struct {
	const char *ending;
	int (*put)(const struct series_list *list, FILE *out);
} formats[FORMAT_COUNT] = {
#define SERIES_FORMAT_ROW(name, text, ending, put, what)                       \
	[FORMAT_##name] = {ending, put},
	SERIES_FORMATS(SERIES_FORMAT_ROW)
#undef SERIES_FORMAT_ROW
};

int series_format_find(const char *name)
{
	int format;

	for (format = 0; format < FORMAT_COUNT; format++)
		if (!strcmp(series_format_names[format], name))
			return format;
	return -1;
}

void series_format_list(char text[SERIES_FORMAT_LIST_BYTES])
{
	size_t length = 0;
	int format;

	for (format = 0; format < FORMAT_COUNT; format++)
		length += (size_t)snprintf(text + length,
			SERIES_FORMAT_LIST_BYTES - length, "%s%s",
			format ? ", " : "", series_format_names[format]);
}

void series_ending_list(char text[SERIES_FORMAT_LIST_BYTES])
{
	size_t length = 0;
	int format;

	for (format = 0; format < FORMAT_COUNT; format++)
		length += (size_t)snprintf(text + length,
			SERIES_FORMAT_LIST_BYTES - length, "%s%s",
			format ? " " : "", formats[format].ending);
}

int series_format_of(const char *path, enum series_format *format)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	size_t length, ending;
	int i;

	*format = FORMAT_TABLE;
	if (!name || !strchr(name, '.'))
		return 0;
	length = strlen(name);
	if (length > 3 && !strcmp(name + length - 3, ".gz"))
		length -= 3;
	if (!memchr(name, '.', length))
		return 0;
	for (i = 0; i < FORMAT_COUNT; i++) {
		ending = strlen(formats[i].ending);
		if (ending > length || strncmp(name + length - ending,
					       formats[i].ending, ending))
			continue;
		*format = (enum series_format)i;
		return 0;
	}
	return ERR_USAGE;
}

/* ---- reading ---- */

static int parse(const struct content *content, struct series_list *list,
	struct error *error)
{
	const char *first = content->text;

	while (isspace((unsigned char)*first))
		first++;
	if (content_check_values(content, ",[{\n", error))
		return ERR_USAGE;
	if (first == content->text + content->bytes)
		return error_set(
			error, ERR_USAGE, "'%s' is empty", content->source);
	if (*first == '{' || *first == '[')
		return series_parse_json(content->text, content->bytes,
			content->source, list, error);
	return series_parse_csv(
		content->text, content->bytes, content->source, list, error);
}

int series_parse(const struct content *content, struct series_list *list,
	struct error *error)
{
	struct series_list found = {0};
	int result = parse(content, &found, error);

	if (result)
		series_list_free(&found);
	else
		*list = found;
	return result;
}

/* JSON is read as it comes; all else is parsed whole. */
static int read_chunks(
	struct chunks *chunks, struct series_list *list, struct error *error)
{
	const char first = chunks->text[strspn(chunks->text, " \t\r\n")];
	struct content content;
	int result;

	if (first == '{' || first == '[')
		return series_read_json(chunks, list, error);
	result = content_rest(chunks, &content, error);
	if (result)
		return result;
	result = parse(&content, list, error);
	content_free(&content);
	return result;
}

int series_read(const char *path, struct series_list *list, struct error *error)
{
	struct series_list found = {0};
	struct chunks chunks;
	int result = chunks_open(path, CONTENT_MOST, true, &chunks, error);

	if (result)
		return result;
	result = chunks_next(&chunks, error);
	if (result >= 0)
		result = read_chunks(&chunks, &found, error);
	chunks_close(&chunks);
	if (result)
		series_list_free(&found);
	else
		*list = found;
	return result;
}

/* ---- writing ---- */

enum text_style series_style(enum series_format format)
{
	return format == FORMAT_MD    ? TEXT_MD
	       : format == FORMAT_TEX ? TEXT_TEX
				      : TEXT_PLAIN;
}

int series_write(const struct series_list *list, enum series_format format,
	FILE *out, struct error *error)
{
	if (formats[format].put(list, out))
		return error_set(error, ERR_FAILED, "out of memory");
	if (!fflush(out) && !ferror(out))
		return 0;
	return error_set(
		error, ERR_FAILED, "cannot write: %s", strerror(errno));
}

static int write_file(const struct series_list *list,
	int (*put)(const struct series_list *list, FILE *out), const char *path,
	struct error *error)
{
	struct output output;
	int result = output_open(&output, path, error);

	if (result)
		return result;
	if (!put(list, output.stream))
		return output_commit(&output, error);
	output_abort(&output);
	return error_set(error, ERR_FAILED, "out of memory");
}

int series_write_file(const struct series_list *list, enum series_format format,
	const char *path, struct error *error)
{
	return write_file(list, formats[format].put, path, error);
}

int series_write_raw(
	const struct series_list *list, const char *path, struct error *error)
{
	return write_file(list, series_put_raw, path, error);
}
