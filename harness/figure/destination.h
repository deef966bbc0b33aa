#ifndef NEARFAR_DESTINATION_H
#define NEARFAR_DESTINATION_H

/*
 * Where a command writes, and in which form: what -o and -f say together. The
 * end of a file's name chooses the form where -f does not; an ending that is
 * not known is refused.
 *
 *   destination_open -> write to .stream, or a figure -> destination_close
 */
#include "harness/base/output.h"
#include "harness/figure/figure.h"
#include "harness/series/io.h"

struct destination {
	enum series_format format;
	const struct figure_format *figure; /* NULL: text */
	FILE *stream;
	struct output output;
	bool opened;
};

/* What a command can write: a bit set of 1 << FORMAT_*, and figures. */
struct destination_forms {
	unsigned formats;
	bool figures;
};

/*
 * `path` NULL: `out`. `format` -1: by the ending, or FORMAT_TABLE. ERR_USAGE
 * for a form that the command does not write, ERR_FAILED where the file cannot
 * be. A destination that is open does not move.
 */
int destination_open(struct destination *destination, const char *path,
	int format, struct destination_forms forms, FILE *out,
	struct error *error);

/* Commits what was written if `code` is 0 or ERR_GATE, which judges what was
   written; else leaves the file as it was. Returns the code, or the failure to
   commit. */
int destination_close(
	struct destination *destination, int code, struct error *error);

/* ERR_USAGE if `path` (NULL: none) is one of the files that are read; those
   that are NULL do not count. */
int destination_apart(const char *path, const char *const *inputs, size_t count,
	struct error *error);

#endif
