#ifndef NEARFAR_PROGRAM_JOB_H
#define NEARFAR_PROGRAM_JOB_H

/*
 * A program as a job: the kernels that a GPU would run for it, one a launch,
 * with what they work on; the modules are named for the steps. So a program can
 * be run as kernels are, which the model profiles line by line.
 */
#include "harness/base/error.h"
#include "harness/contract/backend.h"
#include "harness/kernel/job.h"
#include "harness/program/places.h"

struct program_job;

/* Of a checked program, for the device. With `places`, which it borrows, the
   kernels name the program's lines; NULL: they do not. Who runs the job gives
   the buffers their content (struct job_content), which the model does.
   ERR_FAILED without memory. On success program_job_free() ends it. */
int program_job_make(struct program_job **made, const struct program *p,
	const struct program_places *places, const struct device *device,
	struct error *error);
void program_job_free(struct program_job *made); /* and NULL */

/* Lives as long as `made`. */
const struct job *program_job_of(const struct program_job *made);
#endif
