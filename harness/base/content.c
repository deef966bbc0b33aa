#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/content.h"
#include "harness/base/units.h"

#define FIRST_BYTES   65536
#define VALUES_LEAST  ((size_t)1 << 20)
#define VALUES_A_BYTE 64

static int grow(struct content *content, size_t *capacity, size_t most_bytes,
	struct error *error)
{
	size_t bytes = *capacity ? 2 * *capacity : FIRST_BYTES;
	char limit[32], *text;

	if (bytes > most_bytes) {
		units_format_bytes(most_bytes, limit, sizeof(limit));
		return error_set(error, ERR_FAILED, "'%s' is larger than %s",
			content->source, limit);
	}
	text = realloc(content->text, bytes + 1);
	if (!text)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", content->source);
	content->text = text;
	*capacity = bytes;
	return 0;
}

/* 0 where it cannot be known: gzip through a pipe. */
static size_t packed_bytes(gzFile file, size_t bytes)
{
	const z_off_t offset = gzoffset(file);

	if (gzdirect(file))
		return bytes;
	return offset > 0 ? (size_t)offset : 0;
}

static int read_stream(gzFile file, size_t most_bytes, bool is_text,
	struct content *content, struct error *error)
{
	size_t capacity = 0;
	int got = 1, code;

	while (got > 0) {
		if (content->bytes == capacity) {
			int result =
				grow(content, &capacity, most_bytes, error);

			if (result)
				return result;
		}
		got = gzread(file, content->text + content->bytes,
			(unsigned)(capacity - content->bytes));
		if (got <= 0)
			continue;
		/* What is not text is as a rule so from its beginning. */
		if (is_text &&
			memchr(content->text + content->bytes, 0, (size_t)got))
			return error_set(error, ERR_USAGE,
				"'%s' has a byte 0, so it is no text",
				content->source);
		content->bytes += (size_t)got;
	}
	content->packed_bytes = packed_bytes(file, content->bytes);
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

static int read_any(const char *path, size_t most_bytes, bool is_text,
	struct content *content, struct error *error)
{
	struct content found = {.source = path};
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
	result = read_stream(file, most_bytes, is_text, &found, error);
	gzclose(file);
	if (result)
		content_free(&found);
	else
		*content = found;
	return result;
}

int content_read(const char *path, size_t most_bytes, struct content *content,
	struct error *error)
{
	return read_any(path, most_bytes, false, content, error);
}

int content_read_text(const char *path, size_t most_bytes,
	struct content *content, struct error *error)
{
	return read_any(path, most_bytes, true, content, error);
}

int content_check_values(const struct content *content, const char *separators,
	struct error *error)
{
	const size_t most =
		VALUES_LEAST + VALUES_A_BYTE * content->packed_bytes;
	size_t values = 0, i;

	for (i = 0; i < content->bytes && values <= most; i++)
		values += strchr(separators, content->text[i]) != NULL;
	if (values <= most)
		return 0;
	return error_set(error, ERR_USAGE,
		"'%s' holds more than %zu values in %zu bytes of gzip: this is "
		"no measurement",
		content->source, most, content->packed_bytes);
}

/* Of this machine, not of the name or the file. */
static bool is_fault(int reason)
{
	return reason == ENOMEM || reason == EMFILE || reason == ENFILE ||
	       reason == EIO;
}

int content_read_written(
	const char *path, struct content *content, struct error *error)
{
	int code, reason;

	errno = 0;
	code = content_read_text(path, CONTENT_WRITTEN_MOST, content, error);
	reason = errno;
	return code == ERR_FAILED && !is_fault(reason) ? ERR_USAGE : code;
}

void content_free(struct content *content)
{
	free(content->text);
	content->text = NULL;
}
