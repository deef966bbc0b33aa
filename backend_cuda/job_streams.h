#ifndef NEARFAR_CUDA_JOB_STREAMS_H
#define NEARFAR_CUDA_JOB_STREAMS_H

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
 */
#include "backend_cuda/job_launch.h"

/* `ns` has room for `count`: the time of each run. ERR_SKIPPED where the driver
   cannot let streams wait. */
int cuda_job_streams(struct backend *b, const struct job *job,
	const struct cuda_job_launch *launches, const struct job_run *runs,
	size_t count, double *ns, struct error *error);

#endif
