#ifndef NEARFAR_PROGRAM_JOB_H
#define NEARFAR_PROGRAM_JOB_H

/*
 * A program as a job: the kernels that a GPU would run for it, with what they
 * work on. First those that fill buffers, then the program's launches, one a
 * step; the modules are named for the steps. So a program can be run as kernels
 * are, which the model profiles line by line.
 */
#include "harness/base/error.h"
#include "harness/contract/backend.h"
#include "harness/kernel/job.h"

struct program_job;

/* Of a checked program, for the device. ERR_FAILED without memory. On success
   program_job_free() ends it. */
int program_job_make(struct program_job **made, const struct program *p,
	const struct device *device, struct error *error);
void program_job_free(struct program_job *made); /* and NULL */

/* Lives as long as `made`. */
const struct job *program_job_of(const struct program_job *made);
/* The job's first launch that is the program's. */
size_t program_job_first(const struct program_job *made);

#endif
