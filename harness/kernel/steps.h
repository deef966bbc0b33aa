#ifndef NEARFAR_KERNEL_STEPS_H
#define NEARFAR_KERNEL_STEPS_H

/* What a job's host actions are to its launches. */
#include "harness/kernel/job.h"

/* How many host actions, without windows, stand before the launch: those from
 *first on, among which windows may stand. */
size_t job_steps_before(const struct job *job, uint32_t launch, size_t *first);
/* Whether the device is made cold before the run. */
bool job_run_is_flushed(const struct job *job, const struct job_run *run);
/* The window of a launch, or NULL. */
const struct step *job_window(const struct job *job, uint32_t launch);
/* Copies that go with the one at `step`; how many, itself included. */
size_t job_copies_together(const struct job *job, size_t step);
/* Whether any is of that kind. */
bool job_has_step(const struct job *job, enum step_kind kind);

#endif
