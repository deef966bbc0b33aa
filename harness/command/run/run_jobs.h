#ifndef NEARFAR_RUN_JOBS_H
#define NEARFAR_RUN_JOBS_H

/*
 * What `nearfar run --kernel` does besides series. A file of digests has a line
 * for each buffer of each job: the job's name, the buffer's and the digest
 * (compare.h), apart by tabs.
 */
#include "harness/command/run/run_options.h"

/* The job's text, or the PTX of its modules. */
int run_job_dump(
	const struct job *job, bool ptx, FILE *out, struct error *error);

/* A line for each launch. */
void run_job_list(const struct job *job, FILE *out);

/* Writes the digests that are asked for, and holds those that were found
   against a file: ERR_GATE with the first buffer that differs. A job that was
   skipped has none; ERR_SKIPPED if all were. After a run that failed (`code`)
   digests are written, and `code` and its sentence stay. */
int run_jobs_finish(const struct run_options *o, const struct plan *plans,
	size_t plan_count, const struct series_list *list, int code,
	struct error *error);

#endif
