#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/backend.h"
#include "backend_cuda/driver/identity.h"
#include "backend_cuda/job.h"
#include "backend_cuda/run.h"
#include "harness/base/units.h"

#define JIT_LEVEL       4 /* the driver's own default */
#define WATCHDOG_S      20.0
#define WATCHDOG_MOST_S 86400.0

/* CUDA version of the driver, and the highest PTX it takes. */
static const struct {
	int cuda;
	uint32_t ptx;
} ptx_versions[] = {
	{13010, 91},
	{13000, 90},
	{12090, 88},
	{12080, 87},
	{12070, 86},
	{12050, 85},
	{12040, 84},
	{12030, 83},
	{12020, 82},
	{12010, 81},
	{12000, 80},
	{11080, 78},
	{11070, 77},
	{11060, 76},
	{11050, 75},
	{11040, 74},
	{11030, 73},
	{11020, 72},
	{11010, 71},
	{11000, 70},
};

static uint32_t ptx_version(int cuda)
{
	size_t i, count = sizeof(ptx_versions) / sizeof(ptx_versions[0]);

	for (i = 0; i < count; i++)
		if (cuda >= ptx_versions[i].cuda)
			return ptx_versions[i].ptx;
	return ptx_versions[count - 1].ptx;
}

/* The driver tells the most shared memory; the whole, which it shares with
   L1, is that and a part that is always cache. */
static uint64_t l1_bytes(uint32_t sm_arch, uint64_t shared_bytes)
{
	return shared_bytes + ((sm_arch < 80 ? UINT64_C(32) : 28) << 10);
}

/*
 * Of any GPU that runs these kernels. An SM's L1 has 128 B a cycle; chips give
 * their SMs 25 to 50 B of L2 a cycle. The shortest ways are two thirds and half
 * of what was measured on Volta, 28 and 193 cycles (Jia et al., "Dissecting the
 * NVIDIA Volta GPU Architecture via Microbenchmarking", 2018); later ones are
 * longer. Memory moves data on both edges of its clock.
 */
#define SM_BYTES_PER_CYCLE    128.0
#define SM_L2_BYTES_PER_CYCLE 64.0
#define L1_CYCLES_MIN         19.0
#define L2_CYCLES_MIN         96.0

static void set_limits(struct backend *b)
{
	double memory_hz = 1e3 * b->attributes.memory_clock_khz;
	double most_hz = nvml_sm_clock_max_hz(&b->nvml);

	b->device.limits = (struct device_limits){
		.clock_hz_max = most_hz > b->device.clock_hz
					? most_hz
					: b->device.clock_hz,
		.sm_bytes_per_cycle = SM_BYTES_PER_CYCLE,
		.l2_bytes_per_cycle =
			SM_L2_BYTES_PER_CYCLE * b->device.sm_count,
		.dram_bytes_per_s =
			2 * memory_hz / 8 * b->attributes.memory_bus_bits,
		.l1_cycles_min = L1_CYCLES_MIN,
		.l2_cycles_min = L2_CYCLES_MIN,
	};
}

static int read_device(struct backend *b, struct error *error)
{
	struct device *d = &b->device;
	size_t memory_bytes;
	int code;

	code = CUDA_CALL(b, error, cuDeviceTotalMem, &memory_bytes, b->handle);
	if (code)
		return code;
	snprintf(d->name, sizeof(d->name), "%s", b->identity.name);
	d->memory_bytes = memory_bytes;
	d->ptx_version = ptx_version(b->driver.version);
	return 0;
}

static int read_attributes(struct backend *b, struct error *error)
{
	const struct cuda_attributes *a = &b->attributes;
	struct device *d = &b->device;
	int code = cuda_attributes_read(
		&b->driver, b->handle, &b->attributes, error);

	if (code)
		return code;
	d->sm_count = a->sm_count;
	d->sm_arch = 10 * a->capability_major + a->capability_minor;
	d->warps_per_sm_max = a->threads_per_sm_max / PROGRAM_WARP_LANES;
	d->blocks_per_sm_max = a->blocks_per_sm_max;
	d->registers_per_sm = a->registers_per_sm;
	d->shared_bytes_per_sm = a->shared_bytes_per_sm;
	d->shared_reserved_bytes = a->shared_reserved_bytes;
	d->l1_bytes = l1_bytes(d->sm_arch, d->shared_bytes_per_sm);
	d->shared_bytes_per_block_max = a->shared_bytes_per_block_max;
	d->l2_bytes = a->l2_bytes;
	d->persisting_bytes_max = a->persisting_bytes_max;
	d->clock_hz = 1e3 * a->clock_khz;
	return 0;
}

static int find_device(struct backend *b, int index, struct error *error)
{
	int count, code;

	code = CUDA_CALL(b, error, cuDeviceGetCount, &count);
	if (code)
		return code;
	if (count == 0)
		return error_set(
			error, ERR_ABSENT, "no CUDA device on this machine");
	if (index < 0 || index >= count)
		return error_set(error, ERR_USAGE,
			"no CUDA device '%d': %d %s visible", index, count,
			count == 1 ? "is" : "are");
	b->index = index;
	b->count = count;
	return CUDA_CALL(b, error, cuDeviceGet, &b->handle, index);
}

/* A limit that the device does not have stays 0 and is never restored. */
static int read_limit(struct backend *b, unsigned int limit, size_t *value,
	struct error *error)
{
	cuda_result result = b->driver.cuCtxGetLimit(value, limit);

	if (!result)
		return 0;
	*value = 0;
	if (result == CUDA_ERROR_UNSUPPORTED_LIMIT ||
		result == CUDA_ERROR_INVALID_VALUE)
		return 0;
	return driver_check(&b->driver, result, "cuCtxGetLimit", NULL, error);
}

static int open_context(struct backend *b, struct error *error)
{
	int code = CUDA_CALL(b, error, cuCtxCreate, &b->context,
		CU_CTX_SCHED_AUTO, b->handle);

	if (!code)
		code = read_limit(b, CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
			&b->granularity_bytes, error);
	if (!code)
		code = read_limit(b, CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
			&b->carveout_bytes, error);
	return code;
}

static int read_watchdog(double *seconds, struct error *error)
{
	const char *text = getenv("NEARFAR_WATCHDOG_SECONDS");
	double value = WATCHDOG_S;

	if (text && *text &&
		(units_parse_real(text, &value, NULL) || !(value > 0) ||
			value > WATCHDOG_MOST_S))
		return error_set(error, ERR_USAGE,
			"NEARFAR_WATCHDOG_SECONDS is '%s', not a number of "
			"seconds from 0 to %g",
			text, WATCHDOG_MOST_S);
	*seconds = value;
	return 0;
}

static int read_jit_level(unsigned int *level, struct error *error)
{
	const char *text = getenv("NEARFAR_JIT_LEVEL");

	*level = JIT_LEVEL;
	if (!text || !*text)
		return 0;
	if (text[0] < '0' || text[0] > '4' || text[1])
		return error_set(error, ERR_USAGE,
			"NEARFAR_JIT_LEVEL is '%s', not a level from 0 to 4",
			text);
	*level = (unsigned int)(text[0] - '0');
	return 0;
}

/* After a hung kernel every driver call would wait for it; the end of the
   process ends it. */
static void close_backend(struct backend *b)
{
	/* The thread that closes may have opened another device since. */
	if (!b->lost && b->context)
		b->driver.cuCtxSetCurrent(b->context);
	cuda_module_free(b);
	if (!b->lost && b->context)
		cuda_memory_free(b);
	if (!b->hung)
		cuda_peer_close(b);
	if (!b->hung && b->context)
		b->driver.cuCtxDestroy(b->context);
	nvml_close(&b->nvml);
	if (!b->hung)
		driver_close(&b->driver);
	free(b);
}

static int open_backend(struct backend **backend,
	const struct backend_config *config, struct error *error)
{
	struct backend *b = calloc(1, sizeof(*b));
	int code;

	if (!b)
		return error_set(
			error, ERR_FAILED, "no memory for the CUDA backend");
	b->stop = config->stop;
	code = read_watchdog(&b->watchdog_s, error);
	if (!code)
		code = read_jit_level(&b->jit_level, error);
	if (!code)
		code = driver_open(&b->driver, error);
	if (!code)
		code = find_device(b, config->device_index, error);
	if (!code)
		code = cuda_peer_find(b, config->peer_number, error);
	if (!code)
		code = cuda_identify(
			&b->driver, b->handle, &b->identity, error);
	if (!code)
		code = read_device(b, error);
	if (!code)
		code = read_attributes(b, error);
	if (!code)
		code = nvml_open(
			&b->nvml, b->identity.uuid, b->identity.bus_id, error);
	if (!code) {
		set_limits(b);
		code = open_context(b, error);
		nvml_note_context(&b->nvml);
	}
	if (code)
		close_backend(b);
	else
		*backend = b;
	return code;
}

static int describe(struct backend *b, struct device *device,
	struct facts *facts, struct error *error)
{
	*device = b->device;
	if (cuda_facts(b, facts))
		return error_set(error, ERR_FAILED,
			"no memory for the facts of '%s'", b->device.name);
	return 0;
}

/* Whether the context can run something, and is the thread's. */
static int begin(struct backend *b, const char *what, const char *name,
	struct error *error)
{
	if (b->lost)
		return error_set(error, ERR_LOST,
			"the CUDA device was lost in an earlier run, so %s "
			"'%s' cannot run",
			what, name);
	return CUDA_CALL(b, error, cuCtxSetCurrent, b->context);
}

static int run(struct backend *b, const struct program *program,
	struct result *result, struct error *error)
{
	int code;

	result_clear(result);
	code = begin(b, "program", program->name, error);
	if (code)
		return code;
	b->program = program->name;
	code = cuda_run(b, program, result, error);
	b->program = NULL;
	return code;
}

static int run_job(struct backend *b, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	int code = begin(b, "job", job->name, error);

	if (code)
		return code;
	b->program = job->name;
	code = cuda_job(b, job, wishes, result, error);
	b->program = NULL;
	return code;
}

/* The driver compiles a module when the job runs, and decides then. */
static int check_job(const struct job *job, const struct device *device,
	bool executes, struct error *error)
{
	(void)job;
	(void)device;
	(void)executes;
	(void)error;
	return 0;
}

/* Machines and their parameters are the model's. */
static int machines(struct facts *list, struct error *error)
{
	(void)list;
	(void)error;
	return 0;
}

static int parameters(
	const char *machine, struct model_parameters *list, struct error *error)
{
	(void)machine;
	(void)list;
	(void)error;
	return 0;
}

static int instructions(struct model_instructions *list, struct error *error)
{
	(void)list;
	(void)error;
	return 0;
}

const struct backend_ops backend_cuda = {
	.name = "cuda",
	.summary = "an NVIDIA GPU through the CUDA driver",
	.parallel = false,
	.open = open_backend,
	.close = close_backend,
	.describe = describe,
	.machines = machines,
	.parameters = parameters,
	.instructions = instructions,
	.dump = cuda_dump,
	.run = run,
	.run_job = run_job,
	.check_job = check_job,
};
