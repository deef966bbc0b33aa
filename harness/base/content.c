#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"

#define FIRST_BYTES 65536

/* Room for `bytes` and a zero byte. */
static int make_room(struct content *content, size_t *capacity, size_t bytes,
	struct error *error)
{
	size_t larger = *capacity ? *capacity : FIRST_BYTES;
	char *text;

	while (larger < bytes)
		larger *= 2;
	if (larger == *capacity)
		return 0;
	text = realloc(content->text, larger + 1);
	if (!text)
		return error_set(error, ERR_FAILED,
			"out of memory while reading '%s'", content->source);
	content->text = text;
	*capacity = larger;
	return 0;
}

int content_rest(
	struct chunks *chunks, struct content *content, struct error *error)
{
	struct content rest = {.source = chunks->source};
	size_t capacity = 0;
	int code = 1;

	while (code > 0) {
		code = make_room(
			&rest, &capacity, rest.bytes + chunks->bytes, error);
		if (code)
			break;
		memcpy(rest.text + rest.bytes, chunks->text, chunks->bytes);
		rest.bytes += chunks->bytes;
		code = chunks_next(chunks, error);
	}
	if (code) {
		content_free(&rest);
		return code;
	}
	rest.text[rest.bytes] = '\0';
	rest.packed_bytes =
		chunks->is_packed ? chunks->packed_bytes : rest.bytes;
	*content = rest;
	return 0;
}

static int read_any(const char *path, size_t most_bytes, bool is_text,
	struct content *content, struct error *error)
{
	struct chunks chunks;
	int code = chunks_open(path, most_bytes, is_text, &chunks, error);

	if (code)
		return code;
	code = content_rest(&chunks, content, error);
	chunks_close(&chunks);
	return code;
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
	struct chunks whole = {.text = content->text,
		.bytes = content->bytes,
		.source = content->source,
		.packed_bytes = content->packed_bytes,
		.is_packed = true};

	return chunks_check_values(&whole, separators, error);
}

bool content_is_fault(int reason)
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
	return code == ERR_FAILED && !content_is_fault(reason) ? ERR_USAGE
							       : code;
}

void content_free(struct content *content)
{
	free(content->text);
	content->text = NULL;
}
