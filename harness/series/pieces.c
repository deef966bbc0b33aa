#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/series/pieces.h"

int pieces_open(const char *path, struct pieces *pieces, struct error *error)
{
	struct pieces opened = {.source = path, .line = 1};

	errno = ENOMEM;
	opened.buffer = malloc(PIECES_MOST_BYTES + 1);
	opened.file = opened.buffer ? gzopen(path, "rb") : NULL;
	if (!opened.file) {
		free(opened.buffer);
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			path, strerror(errno));
	}
	*pieces = opened;
	return 0;
}

static int fill(struct pieces *pieces, struct error *error)
{
	int got = 1, code;

	while (got > 0 && pieces->held < PIECES_MOST_BYTES) {
		got = gzread(pieces->file, pieces->buffer + pieces->held,
			(unsigned)(PIECES_MOST_BYTES - pieces->held));
		if (got > 0)
			pieces->held += (size_t)got;
	}
	gzerror(pieces->file, &code);
	if (code == Z_BUF_ERROR || code == Z_DATA_ERROR)
		return error_set(error, ERR_USAGE,
			"'%s' is damaged or cut short", pieces->source);
	if (got < 0)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			pieces->source, strerror(errno));
	return 0;
}

/* What is behind the last piece moves to the front. The byte that ended it is
   a line feed, which no text needs. */
static void drop_piece(struct pieces *pieces)
{
	pieces->line += pieces->lines;
	pieces->held -= pieces->used;
	memmove(pieces->buffer, pieces->buffer + pieces->used, pieces->held);
}

static size_t count_lines(const char *text, size_t bytes)
{
	const char *end = text + bytes, *at = text;
	size_t lines = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		lines++;
		at++;
	}
	return lines;
}

int pieces_next(struct pieces *pieces, struct error *error)
{
	char *end;
	int code;

	if (!pieces->file)
		return 0;
	drop_piece(pieces);
	code = fill(pieces, error);
	if (code || !pieces->held)
		return code;
	pieces->text = pieces->buffer;
	pieces->bytes = pieces->used = pieces->held;
	if (pieces->held == PIECES_MOST_BYTES) {
		end = memrchr(pieces->buffer, '\n', pieces->held);
		if (!end)
			return error_set(error, ERR_USAGE,
				"%s:%zu: the line is longer than %zu bytes",
				pieces->source, pieces->line,
				PIECES_MOST_BYTES);
		pieces->bytes = (size_t)(end - pieces->buffer);
		pieces->used = pieces->bytes + 1;
	}
	pieces->lines = count_lines(pieces->text, pieces->used);
	pieces->text[pieces->bytes] = '\0';
	return 1;
}

void pieces_close(struct pieces *pieces)
{
	if (pieces->file)
		gzclose(pieces->file);
	free(pieces->buffer);
	*pieces = (struct pieces){0};
}
