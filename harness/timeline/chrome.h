#ifndef NEARFAR_CHROME_H
#define NEARFAR_CHROME_H

/*
 * A timeline as Chrome trace JSON (schema nearfar-trace/1), which Perfetto and
 * chrome://tracing open. Each SM is a process: a thread for each place of a
 * warp, and as many for requests as there are at once. The servers of a kind
 * are a process: a thread for each that worked, and a counter of all that stand
 * in line and are served. Times are microseconds of the SM clock, cut to 0.1
 * ns, so that what follows each other never overlaps; `args` has cycles.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/timeline.h"
#include "harness/kernel/job.h"

#define CHROME_SCHEMA "nearfar-trace/1"

/* What was run, and on what. */
struct chrome_about {
	const char *ran, *backend, *machine; /* NULL: not known */
	const struct job *job; /* whose lines of PTX spans name; or NULL */
};

/* ERR_USAGE for a name that does not end in .json or .json.gz; "-" is standard
   output. */
int chrome_check_path(const char *path, struct error *error);
/* ERR_FAILED without memory, or where the file is not written. */
int chrome_write(const struct timeline *t, const struct chrome_about *about,
	FILE *out, struct error *error);
int chrome_write_file(const struct timeline *t,
	const struct chrome_about *about, const char *path,
	struct error *error);

#endif
