#ifndef NEARFAR_JOB_STEPS_H
#define NEARFAR_JOB_STEPS_H

/* What stands around a job's launches: where its memory is, and what the host
   does between them. */
#include "backend_sim/engine.h"
#include "backend_sim/grid/grid.h"
#include "harness/contract/job_result.h"
#include "harness/kernel/steps.h"

/* Gives the job's memory pages: all of it is one buffer of the program `p`,
   and far buffers are pages of it that were moved. The seed is of what is
   drawn. ERR_SKIPPED where the machine has not that memory, or not so much. */
int job_place(struct engine *e, const struct job *job,
	const struct space *space, uint32_t seed, struct program *p,
	struct error *error);

/* The first bytes of a buffer, all of them there. */
uint8_t *job_bytes(const struct space *space, size_t buffer, uint64_t bytes);

/* What the host does before the launch, or, behind all of them, at the end.
   ERR_SKIPPED for what the machine has not. */
int job_act(struct engine *e, const struct job *job, struct space *space,
	uint32_t launch, struct job_result *result, struct error *error);

/* The window of a launch, as addresses of the job's memory, written to `to`; or
   NULL: it has none. */
const struct step *job_window_at(const struct job *job,
	const struct space *space, const struct job_launch *launch,
	struct step *to);

#endif
