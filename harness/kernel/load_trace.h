#ifndef NEARFAR_KERNEL_LOAD_TRACE_H
#define NEARFAR_KERNEL_LOAD_TRACE_H

/* Jobs that replay traces (trace.h): modules that are traces instead of PTX. */
#include "harness/kernel/job.h"

/* The kernel whose trace the module is. ERR_USAGE. */
int load_trace_name(const struct job_module *module, char *name, size_t bytes,
	struct error *error);

/* The launch has the extents and the memory of the trace that it replays;
   registers, if it names none. ERR_USAGE where it does not. */
int load_trace_launch(const struct job_module *module,
	struct job_launch *launch, struct error *error);

/* Is it a list of traces, by its ending? */
bool load_trace_is_list(const char *path);

/* A module and a launch for each trace that a kernelslist.g names; copies that
   it names cost nothing. The modules are not read yet. `job` is empty.
   ERR_USAGE, ERR_FAILED; job_free() then, too. */
int load_trace_list(const char *text, const char *source, struct job *job,
	struct error *error);

#endif
