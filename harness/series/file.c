#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/output.h"
#include "harness/series/formats.h"
#include "harness/series/io.h"

/* Unpacked; a few bytes of gzip must not take all memory. */
#define FILE_BYTES_MAX ((size_t)1 << 31)
#define FIRST_BYTES    65536

const char *const series_format_names[FORMAT_COUNT] = {
#define SERIES_FORMAT_NAME(name, text) [FORMAT_##name] = text,
	SERIES_FORMATS(SERIES_FORMAT_NAME)
#undef SERIES_FORMAT_NAME
};

static void (*const writers[FORMAT_COUNT])(
	const struct series_list *list, FILE *out) = {
	[FORMAT_TABLE] = series_put_table,
	[FORMAT_CSV] = series_put_csv,
	[FORMAT_JSON] = series_put_json,
	[FORMAT_JSONL] = series_put_jsonl,
	[FORMAT_MD] = series_put_md,
};

int series_format_find(const char *name)
{
	int format;

	for (format = 0; format < FORMAT_COUNT; format++)
		if (!strcmp(series_format_names[format], name))
			return format;
	return -1;
}

enum series_format series_format_of(const char *path)
{
	int format;
	size_t length;

	for (format = 0; path && format < FORMAT_COUNT; format++) {
		const char *dot = strrchr(path, '.');
		char ending[32];

		if (dot && !strcmp(dot, ".gz"))
			while (dot > path && *--dot != '.')
				;
		length = strlen(series_format_names[format]);
		snprintf(ending, sizeof(ending), ".%s",
			series_format_names[format]);
		if (dot && !strncmp(dot, ending, length + 1) &&
			(!dot[length + 1] || dot[length + 1] == '.'))
			return (enum series_format)format;
	}
	return FORMAT_TABLE;
}

/* ---- reading ---- */

struct content {
	char *text; /* followed by a zero byte */
	size_t bytes, capacity;
};

static int grow(struct content *content, const char *path, struct error *error)
{
	const size_t capacity =
		content->capacity ? 2 * content->capacity : FIRST_BYTES;
	char *text;

	if (capacity > FILE_BYTES_MAX)
		return error_set(
			error, ERR_FAILED, "'%s' is larger than 2 GiB", path);
	text = realloc(content->text, capacity + 1);
	if (!text)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", path);
	content->text = text;
	content->capacity = capacity;
	return 0;
}

static int read_stream(gzFile file, const char *path, struct content *content,
	struct error *error)
{
	int got = 1, code, result;

	while (got > 0) {
		if (content->bytes == content->capacity &&
			(result = grow(content, path, error)))
			return result;
		got = gzread(file, content->text + content->bytes,
			(unsigned)(content->capacity - content->bytes));
		if (got > 0)
			content->bytes += (size_t)got;
	}
	content->text[content->bytes] = '\0';
	gzerror(file, &code);
	if (code == Z_BUF_ERROR || code == Z_DATA_ERROR)
		return error_set(
			error, ERR_USAGE, "'%s' is damaged or cut short", path);
	if (got < 0)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			path, strerror(errno));
	return 0;
}

static int read_all(const char *path, const char *source,
	struct content *content, struct error *error)
{
	gzFile file;
	int result;

	errno = ENOMEM;
	file = strcmp(path, "-") ? gzopen(path, "rb")
				 : gzdopen(dup(STDIN_FILENO), "rb");
	if (!file)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			source, strerror(errno));
	result = read_stream(file, source, content, error);
	gzclose(file);
	return result;
}

static int parse(struct content *content, const char *source,
	struct series_list *list, struct error *error)
{
	const char *first = content->text;

	while (isspace((unsigned char)*first))
		first++;
	if (first == content->text + content->bytes)
		return error_set(error, ERR_USAGE, "'%s' is empty", source);
	if (*first == '{' || *first == '[')
		return series_parse_json(
			content->text, content->bytes, source, list, error);
	return series_parse_csv(
		content->text, content->bytes, source, list, error);
}

int series_read(const char *path, struct series_list *list, struct error *error)
{
	const char *source = strcmp(path, "-") ? path : "standard input";
	struct content content = {0};
	struct series_list found = {0};
	int result;

	result = read_all(path, source, &content, error);
	if (!result)
		result = parse(&content, source, &found, error);
	free(content.text);
	if (result)
		series_list_free(&found);
	else
		*list = found;
	return result;
}

/* ---- writing ---- */

int series_write(const struct series_list *list, enum series_format format,
	FILE *out, struct error *error)
{
	writers[format](list, out);
	if (!fflush(out) && !ferror(out))
		return 0;
	return error_set(
		error, ERR_FAILED, "cannot write: %s", strerror(errno));
}

static int write_file(const struct series_list *list,
	void (*writer)(const struct series_list *list, FILE *out),
	const char *path, struct error *error)
{
	struct output output;
	int result = output_open(&output, path, error);

	if (result)
		return result;
	writer(list, output.stream);
	return output_commit(&output, error);
}

int series_write_file(const struct series_list *list, enum series_format format,
	const char *path, struct error *error)
{
	return write_file(list, writers[format], path, error);
}

int series_write_raw(
	const struct series_list *list, const char *path, struct error *error)
{
	return write_file(list, series_put_raw, path, error);
}

int series_probe_file(const char *path, struct error *error)
{
	struct output output;
	struct stat status;
	int result;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return error_set(error, ERR_FAILED, "cannot write '%s': %s",
			path, strerror(EISDIR));
	result = output_open(&output, path, error);
	if (!result)
		output_abort(&output);
	return result;
}
