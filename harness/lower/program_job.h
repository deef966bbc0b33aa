#ifndef NEARFAR_LOWER_PROGRAM_JOB_H
#define NEARFAR_LOWER_PROGRAM_JOB_H

/* What a program becomes as a job (harness/contract/program_job.h), and where
   its kernels leave their records. */
#include "harness/lower/lower.h"
#include "harness/contract/program_job.h"
#include "harness/kernel/fill.h"

#define PROGRAM_JOB_LAUNCHES (PROGRAM_BUFFERS_MAX + PROGRAM_STEPS_MAX)
#define PROGRAM_JOB_BUFFERS  (PROGRAM_BUFFERS_MAX + 3 * PROGRAM_JOB_LAUNCHES)
#define PROGRAM_JOB_WORDS    (4 + PROGRAM_BUFFERS_MAX)
#define PROGRAM_JOB_FILE     (PROGRAM_NAME_BYTES + 8)

/* All in one piece. */
struct program_job {
	struct job job;
	struct job_module modules[PROGRAM_JOB_LAUNCHES];
	struct job_buffer buffers[PROGRAM_JOB_BUFFERS];
	struct job_launch launches[PROGRAM_JOB_LAUNCHES];
	struct job_step steps[PROGRAM_STEPS_MAX];
	struct job_argument arguments[PROGRAM_JOB_LAUNCHES][PROGRAM_JOB_WORDS];
	char files[PROGRAM_JOB_LAUNCHES][PROGRAM_JOB_FILE]; /* names */
	struct ptx_kernel kernels[PROGRAM_JOB_LAUNCHES];    /* of each launch */
	uint32_t outputs[PROGRAM_JOB_LAUNCHES];             /* its buffer */
	size_t first_timed; /* before it, what fills buffers */
	struct program program;
	const struct program_places *places; /* or NULL; borrowed */
	struct program_content {
		const struct program *p;
		uint32_t buffer;
	} filled[PROGRAM_BUFFERS_MAX];
	struct job_content contents[PROGRAM_BUFFERS_MAX];
};

/* As program_job_make(), but the first launches fill the buffers. */
int program_job_filled(struct program_job **made, const struct program *p,
	const struct device *device, struct error *error);

#endif
