#include <stdio.h>
#include <time.h>

#include "backend_cuda/launch.h"
#include "harness/program/launch.h"

#define POLL_NS 20000

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct cuda_launch cuda_launch_of(
	const struct ptx_kernel *kernel, CUfunction function, const char *name)
{
	struct cuda_launch launch = {
		.name = name,
		.function = function,
		.grid = kernel->grid,
		.threads = kernel->threads,
		.shared_bytes = kernel->dynamic_shared_bytes,
		.blocks_per_sm = kernel->resident,
	};

	return launch;
}

static int carveout_percent(
	const struct backend *b, const struct cuda_launch *launch, int fixed)
{
	return (int)launch_carveout_percent(
		launch_block_shared(launch->shared_bytes + (uint64_t)fixed,
			b->device.shared_reserved_bytes),
		launch->blocks_per_sm, b->device.shared_bytes_per_sm);
}

int cuda_launch_configure(struct backend *b, const struct cuda_launch *launch,
	struct error *error)
{
	int code, fixed = 0;

	code = CUDA_CALL(b, error, cuFuncGetAttribute, &fixed,
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, launch->function);
	if (!code && launch->shared_bytes)
		code = CUDA_CALL(b, error, cuFuncSetAttribute, launch->function,
			CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			(int)launch->shared_bytes);
	if (!code)
		code = CUDA_CALL(b, error, cuFuncSetAttribute, launch->function,
			CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
			carveout_percent(b, launch, fixed));
	return code;
}

int cuda_launch_occupancy(struct backend *b, const struct cuda_launch *launch,
	int *registers, int *blocks, struct error *error)
{
	int code = CUDA_CALL(b, error, cuFuncGetAttribute, registers,
		CU_FUNC_ATTRIBUTE_NUM_REGS, launch->function);

	return code ? code
		    : CUDA_CALL(b, error,
			      cuOccupancyMaxActiveBlocksPerMultiprocessor,
			      blocks, launch->function, (int)launch->threads,
			      launch->shared_bytes);
}

static int start_with_window(struct backend *b,
	const struct cuda_launch *launch, void **parameters,
	struct error *error)
{
	struct cuda_launch_attribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
		.value.accessPolicyWindow = *launch->window,
	};
	struct cuda_launch_config config = {
		.gridDimX = launch->grid,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = launch->threads,
		.blockDimY = 1,
		.blockDimZ = 1,
		.sharedMemBytes = launch->shared_bytes,
		.attrs = &attribute,
		.numAttrs = 1,
	};

	if (!b->driver.cuLaunchKernelEx)
		return error_set(error, ERR_SKIPPED,
			"the driver is too old for access-policy windows: it "
			"has no 'cuLaunchKernelEx'");
	return CUDA_CALL(b, error, cuLaunchKernelEx, &config, launch->function,
		parameters, NULL);
}

int cuda_launch_start(struct backend *b, const struct cuda_launch *launch,
	struct error *error)
{
	uint64_t values[CUDA_PARAMETERS_MAX];
	void *parameters[CUDA_PARAMETERS_MAX];
	int i, code;

	for (i = 0; i < CUDA_PARAMETERS_MAX; i++) {
		values[i] = launch->parameters[i];
		parameters[i] = &values[i];
	}
	code = cuda_launch_configure(b, launch, error);
	if (code)
		return code;
	b->launched_s = now_s();
	if (launch->window)
		return start_with_window(b, launch, parameters, error);
	return CUDA_CALL(b, error, cuLaunchKernel, launch->function,
		launch->grid, 1, 1, launch->threads, 1, 1, launch->shared_bytes,
		NULL, parameters, NULL);
}

int cuda_launch_wait(struct backend *b, const char *name, struct error *error)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	double deadline_s = now_s() + b->watchdog_s;
	cuda_result result = b->driver.cuStreamQuery(NULL);
	char call[64];

	while (result == CUDA_ERROR_NOT_READY && now_s() < deadline_s &&
		!(b->stop && atomic_load(b->stop))) {
		nanosleep(&pause, NULL);
		result = b->driver.cuStreamQuery(NULL);
	}
	if (b->launched_s > 0)
		b->kernels_s += now_s() - b->launched_s;
	b->launched_s = 0;
	if (result == CUDA_SUCCESS)
		return 0;
	b->lost = true;
	if (result == CUDA_ERROR_NOT_READY) {
		b->hung = true;
		if (b->stop && atomic_load(b->stop))
			return error_set(error, ERR_INTERRUPTED,
				"interrupted in %s of program '%s'", name,
				b->program);
		return error_set(error, ERR_LOST,
			"%s of program '%s' did not end within %g s "
			"(NEARFAR_WATCHDOG_SECONDS allows more)",
			name, b->program, b->watchdog_s);
	}
	snprintf(call, sizeof(call), "cuLaunchKernel of %s", name);
	driver_check(&b->driver, result, call, b->program, error);
	return ERR_LOST;
}

int cuda_launch(struct backend *b, const struct cuda_launch *launch,
	struct error *error)
{
	int code = cuda_launch_start(b, launch, error);

	return code ? code : cuda_launch_wait(b, launch->name, error);
}
