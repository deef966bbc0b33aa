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

/* `path` must outlive the content. ERR_USAGE for a damaged gzip file,
   ERR_FAILED for one that cannot be read or exceeds 2 GiB. */
int content_read(
	const char *path, struct content *content, struct error *error);

void content_free(struct content *content);

#endif
