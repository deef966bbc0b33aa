#ifndef NEARFAR_CUDA_JOB_LAUNCH_H
#define NEARFAR_CUDA_JOB_LAUNCH_H

/* A job's launch as the driver wants it. */
#include "backend_cuda/backend.h"

struct cuda_job_launch {
	const struct job_launch *launch;
	char name[96]; /* for messages: "launch 'triad'" */
	CUfunction function;
	unsigned char *parameter_bytes; /* of all parameters; owned */
	void **parameters;              /* into them; owned */
	int registers, blocks_per_sm;
	struct cuda_access_policy_window window; /* num_bytes 0: none */
	bool shares_carveout; /* it is set again before each start, for another
				 launch may have the same function */
};

/* Finds the kernel of the job's launch `index`, asks what it takes, and lays
   its parameters out. ERR_USAGE where the kernel has other parameters than the
   job; ERR_SKIPPED where the device cannot hold a block, or has no such window.
   On failure nothing is left. */
int cuda_job_launch_prepare(struct backend *b, CUmodule module,
	const struct job *job, uint32_t index, const struct job_places *places,
	struct cuda_job_launch *prepared, struct error *error);

/* Puts it into a stream. `programmatic`: it need not wait for the end of what
   is before it there. */
int cuda_job_launch_start(struct backend *b,
	const struct cuda_job_launch *prepared, CUstream stream,
	bool programmatic, struct error *error);

void cuda_job_launch_free(struct cuda_job_launch *prepared);

/* ---- job_streams.c ---- */

/*
 * Launches of a job that may run at the same time: a stream of the driver's for
 * each of the job's. All of them stand in line before any may begin, for it
 * takes the host longer to hand a launch over than a kernel may take: the
 * streams wait for a word of the host's memory.
 *
 * A launch is timed by two events of its stream. Between launches of which one
 * need not wait for the end of the other no event may stand, for it would wait
 * for that end (seen on an H100): they are timed together, and each has the
 * time from the begin of the first to the end of the last.
 *
 * `ns` has room for `count`: the time of each run. ERR_SKIPPED where the driver
 * cannot let streams wait.
 */
int cuda_job_streams(struct backend *b, const struct job *job,
	const struct cuda_job_launch *launches, const struct job_run *runs,
	size_t count, double *ns, struct error *error);

#endif
