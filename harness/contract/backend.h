#ifndef NEARFAR_BACKEND_H
#define NEARFAR_BACKEND_H

/*
 * The contract of a backend: something that executes access programs and jobs.
 *
 * Life cycle: open -> describe and run, in any number -> close. An instance
 * is used by one thread at a time; instances share nothing that can change,
 * so the model runs one instance a worker. All callbacks are required.
 *
 * run() executes a checked program from a cold device: the first step sees
 * empty caches. It appends one sample per timed warp (TIMING_REGION) or per
 * timed warp and iteration (TIMING_EACH), in the order region, block, warp,
 * iteration, and fills one span per region. run_job() does the same with a
 * user's kernels, and reports each launch (job_result.h).
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/facts.h"
#include "harness/contract/counter.h"
#include "harness/contract/instructions.h"
#include "harness/contract/job_result.h"
#include "harness/contract/parameters.h"
#include "harness/contract/timeline.h"
#include "harness/program/places.h"

/* What no run on a device can exceed, or stay below; 0 where it is not known. A
   measurement that does was none (bounds.h). */
struct device_limits {
	double clock_hz_max;       /* SM clock */
	double sm_bytes_per_cycle; /* between one SM's registers and L1 */
	double l2_bytes_per_cycle; /* that all SMs take from L2 */
	double dram_bytes_per_s;
	double l1_cycles_min; /* of an access that L1 answers */
	double l2_cycles_min; /* of one that goes past L1 */
};

/* What a benchmark may know of the device it builds programs for. */
struct device {
	char name[96];
	uint32_t sm_count;
	uint32_t sm_arch;     /* 90: compute capability 9.0 */
	uint32_t ptx_version; /* the highest it takes; 80: PTX 8.0 */
	uint32_t warps_per_sm_max, blocks_per_sm_max, registers_per_sm;
	uint64_t l1_bytes; /* of one SM, shared memory included */
	uint64_t shared_bytes_per_sm, shared_bytes_per_block_max;
	uint64_t shared_reserved_bytes; /* of each block, by the driver */
	uint64_t l2_bytes;              /* of the chip */
	uint64_t memory_bytes;
	uint64_t persisting_bytes_max;
	double clock_hz; /* SM clock; measured per run where it can move */
	struct device_limits limits;
};

struct sample {
	double cycles;      /* of the region, or of the iteration */
	uint32_t iteration; /* TIMING_EACH; 0 otherwise */
	uint32_t warp;      /* of the role: block * warps a block + warp */
	uint16_t sm;
	uint16_t region; /* program_regions() */
};

/* From the first warp's entry to a region until the last one's exit. */
struct span {
	double cycles, ns;
	double step_ns; /* of the timer that it was read from; 0: it is known
			   to the cycle */
};

/* What was seen beside a run that may have changed its numbers: a bit set. */
enum run_disturbance {
	DISTURBED_CLOCK_UNKNOWN =
		1,               /* not measured in the run: a nominal one */
	DISTURBED_THROTTLED = 2, /* power or heat held the clock down */
	DISTURBED_SHARED = 4,    /* another process computed there */
};

struct result {
	struct sample *samples; /* owned; result_free */
	size_t sample_count, sample_capacity;
	struct span spans[PROGRAM_REGIONS_MAX];
	struct copied copied; /* of the last copies */
	double clock_hz;      /* SM clock over this run */
	unsigned disturbances;
	struct counter counters[BACKEND_COUNTERS_MAX];
	size_t counter_count;
	struct job_result launches; /* as run_job() reports them, where the
				       backend sees inside a kernel; owned */
	/* The caller's, or NULL: what is to be recorded; lines that messages
	   and profiles name; what is wished of run_job(), of which the model
	   takes all but contents, races and values. */
	struct timeline *timeline;
	const struct program_places *places;
	const struct job_wishes *wishes;
};

/* Appends; ERR_FAILED without memory. */
int result_add(struct result *result, const struct sample *sample);
void result_clear(struct result *result); /* keeps the memory of samples, and
						what is the caller's */
void result_free(struct result *result);

/* How far the launches of kernels are that have begun, of all instances that
   share it. */
struct backend_progress {
	atomic_ullong blocks, ended;
};

struct backend_config {
	const char *machine;     /* model: name or file; NULL: the default */
	const char *const *sets; /* model: "parameter=value" */
	size_t set_count;
	int device_index; /* hardware; under CUDA_VISIBLE_DEVICES */
	atomic_int *stop; /* nonzero: run() ends soon with ERR_INTERRUPTED;
			     NULL: it never does */
	int peer_number;  /* hardware: 1 + the index of the GPU that has the
			     memory of peer buffers; 0: the next one */
	struct backend_progress *progress; /* model: kept up; or NULL */
};

struct backend; /* each backend defines its own */

struct backend_ops {
	const char *name;    /* "sim" */
	const char *summary; /* one line for `list backends` */
	bool parallel;       /* instances may run at the same time */

	/* ERR_ABSENT where this machine lacks what the backend needs,
	   ERR_USAGE for a wrong configuration. */
	int (*open)(struct backend **backend,
		const struct backend_config *config, struct error *error);
	void (*close)(struct backend *backend);

	/* Fills `device` and appends what identifies it to `facts`. */
	int (*describe)(struct backend *backend, struct device *device,
		struct facts *facts, struct error *error);

	/* Appends the name and the description of each built-in machine.
	   Hardware has none. ERR_FAILED without memory. */
	int (*machines)(struct facts *machines, struct error *error);

	/* Appends the parameters of a machine (NULL: the default). Hardware has
	   none. ERR_USAGE if there is no such machine. */
	int (*parameters)(const char *machine, struct model_parameters *list,
		struct error *error);

	/* Appends the operations of PTX that run_job() knows, and those that it
	   refuses by name. Hardware lists none: its driver decides. ERR_FAILED
	   without memory. */
	int (*instructions)(
		struct model_instructions *list, struct error *error);

	/* Writes what run() would execute on such a device, as text: the
	   program itself, or PTX. Needs no open instance and no hardware. */
	int (*dump)(const struct program *program, const struct device *device,
		FILE *out, struct error *error);

	/* `result` is cleared first. ERR_SKIPPED: the device lacks it.
	   ERR_LOST: this and every later run fails. */
	int (*run)(struct backend *backend, const struct program *program,
		struct result *result, struct error *error);

	/* Executes a checked job (job.h) from a cold device. `result` is
	   empty, and the caller frees it, also after an error: what was done
	   until then is in it. ERR_SKIPPED: the device lacks what the job
	   needs. */
	int (*run_job)(struct backend *backend, const struct job *job,
		const struct job_wishes *wishes, struct job_result *result,
		struct error *error);

	/* Whether each launch fits its kernel on such a device: that it is
	   there, its arguments and its threads; if `executes`, that run_job()
	   executes all that is in it. Needs no open instance. ERR_USAGE. */
	int (*check_job)(const struct job *job, const struct device *device,
		bool executes, struct error *error);
};

extern const struct backend_ops backend_sim;
extern const struct backend_ops backend_cuda;

#endif
