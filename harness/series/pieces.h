#ifndef NEARFAR_PIECES_H
#define NEARFAR_PIECES_H

/*
 * A text file, unpacked if it is gzipped, a piece of whole lines at a time:
 * memory does not grow with the file. A line longer than PIECES_MOST_BYTES is
 * refused.
 *
 *   pieces_open -> pieces_next until it returns 0 or fails -> pieces_close
 */
#include <stddef.h>

#include "harness/base/error.h"

#define PIECES_MOST_BYTES ((size_t)1 << 20)

struct pieces {
	char *text;   /* the piece, followed by a zero byte; may be changed */
	size_t bytes; /* of it */
	size_t line;  /* number of its first line, from 1 */
	const char *source;

	/* its own: what lies behind the piece */
	void *file;
	char *buffer;
	size_t held, used, lines;
};

/* `path` must outlive the pieces. ERR_FAILED for a file that cannot be
   read. */
int pieces_open(const char *path, struct pieces *pieces, struct error *error);

/* 1 with a piece, 0 at the end and where there is no file. ERR_USAGE for a
   damaged gzip file, ERR_FAILED for one that cannot be read. */
int pieces_next(struct pieces *pieces, struct error *error);

void pieces_close(struct pieces *pieces);

#endif
