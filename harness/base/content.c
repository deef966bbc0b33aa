#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/content.h"

/* Unpacked; a few bytes of gzip must not take all memory. */
#define BYTES_MAX   ((size_t)1 << 31)
#define FIRST_BYTES 65536

static int grow(struct content *content, size_t *capacity, struct error *error)
{
	size_t bytes = *capacity ? 2 * *capacity : FIRST_BYTES;
	char *text;

	if (bytes > BYTES_MAX)
		return error_set(error, ERR_FAILED, "'%s' is larger than 2 GiB",
			content->source);
	text = realloc(content->text, bytes + 1);
	if (!text)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", content->source);
	content->text = text;
	*capacity = bytes;
	return 0;
}

static int read_stream(
	gzFile file, struct content *content, struct error *error)
{
	size_t capacity = 0;
	int got = 1, code;

	while (got > 0) {
		if (content->bytes == capacity) {
			int result = grow(content, &capacity, error);

			if (result)
				return result;
		}
		got = gzread(file, content->text + content->bytes,
			(unsigned)(capacity - content->bytes));
		if (got > 0)
			content->bytes += (size_t)got;
	}
	content->text[content->bytes] = '\0';
	gzerror(file, &code);
	if (code == Z_BUF_ERROR || code == Z_DATA_ERROR)
		return error_set(error, ERR_USAGE,
			"'%s' is damaged or cut short", content->source);
	if (got < 0)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			content->source, strerror(errno));
	return 0;
}

int content_read(const char *path, struct content *content, struct error *error)
{
	struct content found = {NULL, 0, path};
	gzFile file;
	int result;

	errno = ENOMEM;
	if (strcmp(path, "-") == 0) {
		found.source = "standard input";
		file = gzdopen(dup(STDIN_FILENO), "rb");
	} else {
		file = gzopen(path, "rb");
	}
	if (!file)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			found.source, strerror(errno));
	result = read_stream(file, &found, error);
	gzclose(file);
	if (result)
		content_free(&found);
	else
		*content = found;
	return result;
}

void content_free(struct content *content)
{
	free(content->text);
	content->text = NULL;
}
