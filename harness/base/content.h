#ifndef NEARFAR_CONTENT_H
#define NEARFAR_CONTENT_H

/* A whole file in memory, unpacked if it is gzipped; "-" is standard input. */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/chunks.h"
#include "harness/base/error.h"

struct content {
	char *text; /* followed by a zero byte; content_free */
	size_t bytes;
	size_t packed_bytes; /* of the file, which may be gzipped */
	const char *source;  /* as messages name it: the path, or
				"standard input" */
};

/* Unpacked, at the most. */
#define CONTENT_MOST ((size_t)1 << 30)
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

/* The same of text: a byte 0 is ERR_USAGE as soon as one is read, so that
   /dev/zero is not read to the end of memory. */
int content_read_text(const char *path, size_t most_bytes,
	struct content *content, struct error *error);

/* What is left of a file: the chunk at hand, if there is one, and all that
   follow. */
int content_rest(
	struct chunks *chunks, struct content *content, struct error *error);

/* As chunks_check_values, of all that was read. What is made of text takes 100
   bytes a value. */
int content_check_values(const struct content *content, const char *separators,
	struct error *error);

void content_free(struct content *content);

/* Whether an errno is a fault of this machine (no memory, no descriptor, a disk
   that fails), not of the name or of the file. */
bool content_is_fault(int reason);

#endif
