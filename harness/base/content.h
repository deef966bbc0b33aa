#ifndef NEARFAR_CONTENT_H
#define NEARFAR_CONTENT_H

/* A whole file in memory, unpacked if it is gzipped; "-" is standard input. */
#include <stddef.h>

#include "harness/base/error.h"

struct content {
	char *text; /* followed by a zero byte; content_free */
	size_t bytes;
	const char *source; /* as messages name it: the path, or
			       "standard input" */
};

/* Unpacked, at the most; a few bytes of gzip must not take all memory. */
#define CONTENT_MOST ((size_t)1 << 31)
/* The same of what people write: programs and machine files. */
#define CONTENT_WRITTEN_MOST ((size_t)16 << 20)

/* `path` must outlive the content. ERR_USAGE for a damaged gzip file,
   ERR_FAILED for one that cannot be read or is larger than `most_bytes`. */
int content_read(const char *path, size_t most_bytes, struct content *content,
	struct error *error);

/* The same of what people write and name: what they can mend is ERR_USAGE, a
   file that is not there, cannot be opened or is too large. */
int content_read_written(
	const char *path, struct content *content, struct error *error);

void content_free(struct content *content);

#endif
