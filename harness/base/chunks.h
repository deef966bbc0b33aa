#ifndef NEARFAR_CHUNKS_H
#define NEARFAR_CHUNKS_H

/* A file a chunk at a time, unpacked if it is gzipped; "-" is standard input.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct chunks {
	char *text; /* the chunk, followed by a zero byte */
	size_t bytes;
	const char *source;  /* as messages name it: the path, or "standard
				input" */
	size_t packed_bytes; /* of the file; 0 of gzip through a pipe */
	bool is_packed, is_text;

	/* its own */
	void *file;
	size_t most_bytes, total_bytes, values;
};

/* `path` must outlive the chunks. `is_text`: a byte 0 is refused as soon as one
   is read, so that /dev/zero is not read to the end. ERR_FAILED for a file that
   cannot be read. */
int chunks_open(const char *path, size_t most_bytes, bool is_text,
	struct chunks *chunks, struct error *error);

/* 1 with a chunk, 0 at the end. ERR_USAGE for a damaged gzip file and a byte 0,
   ERR_FAILED for a file that cannot be read or is larger than most_bytes. */
int chunks_next(struct chunks *chunks, struct error *error);

/*
 * Whether the chunks so far hold no more values than the size of the file lets
 * expect: ERR_USAGE if they have more of `separators` than a million and 64 for
 * each byte of the file. A few kilobytes of gzip can hold a great many. Asked
 * once a chunk.
 */
int chunks_check_values(
	struct chunks *chunks, const char *separators, struct error *error);

void chunks_close(struct chunks *chunks);

#endif
