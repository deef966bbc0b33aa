#ifndef NEARFAR_IMPORT_H
#define NEARFAR_IMPORT_H

/*
 * Measurements by other tools as series (nearfar-series/1). Where a tool
 * measures what a bench of ours measures, the series has that bench's name,
 * axis, metrics and those of its options that are known, so that `compare`
 * finds the partner; where it does not, the bench's name begins with the
 * tool's. What the method is known to do to the numbers stands in the
 * provenance as `bias`, once for each.
 *
 * An importer is one row of importers[] and one small file.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/series/series.h"
#include "harness/stats/values.h"

/* One input, read whole. */
struct import_file {
	const char *source; /* as messages name it */
	const char *text;   /* followed by a zero byte */
	size_t bytes;
	const char *gpu; /* the user's word for it, or NULL */
};

struct importer {
	const char *name, *what;

	/* Whether the text looks like this format: from its beginning only. */
	bool (*detect)(const struct import_file *file);

	/* Appends to `list`, which the caller frees, also after an error.
	   ERR_USAGE with FILE:LINE:COLUMN and what was expected there. */
	int (*read)(const struct import_file *file, struct series_list *list,
		struct error *error);
};

extern const struct importer *const importers[]; /* ends with NULL */

/* `format`: the name of an importer, or NULL to detect it by content. Appends
   the file's series; `list` stays as it was after an error. */
int import_read(const char *path, const char *format, const char *gpu,
	struct series_list *list, struct error *error);

/* ---- for importers: what all series share ---- */

struct import_origin {
	const char *tool, *version, *source;
	const char *gpu, *gpu_from; /* if the user does not say */
	const char *const *biases;  /* ends with NULL; or NULL */
};

struct import_curve {
	const char *bench, *axis;
	uint32_t metrics;
	const char *const *options; /* key, value, ..., NULL; or NULL */
};

/* NULL without memory, with its sentence. */
struct series *import_series(const struct import_file *file,
	const struct import_origin *origin, const struct import_curve *curve,
	struct series_list *list, struct error *error);

/* The last but `up` part of the path without its extension: "h100" of
   "a/h100.txt", "a" for up = 1, "" if there is none. */
void import_name(
	const struct import_file *file, unsigned up, char *name, size_t bytes);

/* A value that stands alone: its spread is not known. ERR_FAILED without
   memory. */
int import_single(
	struct point *point, int metric, double value, struct error *error);

/* The values of repeats; one of them stands alone. ERR_FAILED without memory.
 */
int import_repeats(struct point *point, int metric,
	const struct values *repeats, struct error *error);

/* ---- for importers: text, line by line ---- */

struct import_scan {
	const struct import_file *file;
	const char *at, *line_start;
	unsigned line;
	struct error *error;
};

void import_scan_init(struct import_scan *scan, const struct import_file *file,
	struct error *error);

/* On to the first character of the next line that is not empty. false at the
   end. The first call finds the first line. */
bool import_scan_line(struct import_scan *scan);

/* A finite number, behind blanks. `what` completes "expected". */
int import_scan_number(
	struct import_scan *scan, const char *what, double *value);
/* The same, positive. */
int import_scan_positive(
	struct import_scan *scan, const char *what, double *value);
/* These characters, behind blanks. */
int import_scan_word(struct import_scan *scan, const char *word);
/* Whether they are there; they are passed if so. */
bool import_scan_try(struct import_scan *scan, const char *word);
/* Whether nothing but blanks is left of the line. */
bool import_scan_at_end(struct import_scan *scan);
/* The same, or else an error. */
int import_scan_end(struct import_scan *scan);

/* ERR_USAGE: FILE:LINE:COLUMN: the sentence. */
int import_scan_fail(struct import_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
