#ifndef NEARFAR_READY_H
#define NEARFAR_READY_H

/*
 * What must be right of a job before anything runs: its modules are for the
 * machine, each launch names a kernel that is there, gives it the arguments
 * that it takes and as many threads as it allows, and what the kernel holds is
 * modelled.
 */
#include "backend_sim/code/code.h"
#include "harness/kernel/job.h"

#define REGISTERS_UNIT  8u
#define REGISTERS_LEAST 16u
#define REGISTERS_MOST  255u

/* The registers that the kernel's head leaves to a thread: as the assembler,
   what .maxnreg says, or what lets an SM of so many registers hold
   .minnctapersm blocks of the size that .reqntid or .maxntid says. */
uint32_t ready_registers(const struct ptx_function *f, uint32_t of_sm);

/* Whether a kernel's own .shared and .local memory are what the assembler and
   the driver allow; ERR_USAGE. */
int ready_memory(
	const struct code *code, const char *file, struct error *error);

/* The launch's kernel; ERR_USAGE where the launch does not fit it. `file` is
   the module's. */
int ready_launch(const struct ptx_module *module, const char *file,
	const struct job_launch *launch, const struct ptx_function **entry,
	struct error *error);

/*
 * All launches of a job whose modules have been read, on a machine of compute
 * capability `sm_arch` (90: 9.0). `variables` as code_make() takes them, of
 * each module; NULL: what kernels hold is not looked at. `first`: the first
 * launch's kernel is, too; else that is for who launches it. ERR_USAGE, and
 * ERR_FAILED without memory.
 */
int ready_job(const struct job *job, const struct ptx_module *modules,
	uint64_t *const *variables, uint32_t sm_arch, bool first,
	struct error *error);

/* A job whose modules have not been read: check_job() of backend.h. */
int ready_check(const struct job *job, uint32_t sm_arch, bool executes,
	struct error *error);

#endif
