#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/job_launch.h"
#include "backend_cuda/launch.h"
#include "backend_cuda/steps.h"
#include "harness/kernel/steps.h"

#define PARAMETER_ALIGNMENT 16u
#define SHARED_PLAIN_BYTES  49152u /* what every kernel may have */

/* The driver reads as many bytes as the kernel declares. */
static int check_parameters(
	struct backend *b, const struct cuda_job_launch *p, struct error *error)
{
	const size_t count = job_parameters(p->launch);
	size_t i, offset, bytes;

	if (!b->driver.cuFuncGetParamInfo)
		return 0;
	for (i = 0; i < count; i++) {
		const size_t given = job_parameter_bytes(p->launch, i);

		if (b->driver.cuFuncGetParamInfo(
			    p->function, i, &offset, &bytes))
			return error_set(error, ERR_USAGE,
				"%s has %zu arguments, but the kernel takes "
				"%zu",
				p->name, count, i);
		if (bytes != given)
			return error_set(error, ERR_USAGE,
				"%s: parameter %zu of the kernel has %zu "
				"bytes, the argument %zu",
				p->name, i, bytes, given);
	}
	if (!b->driver.cuFuncGetParamInfo(p->function, i, &offset, &bytes))
		return error_set(error, ERR_USAGE,
			"%s has %zu arguments, but the kernel takes more",
			p->name, count);
	return 0;
}

/* Slots are as large as any parameter can be, and zero past the argument: a
   driver that cannot tell sizes reads no stray bytes. */
static int lay_out(struct cuda_job_launch *p, const struct job_places *places,
	struct error *error)
{
	const size_t count = job_parameters(p->launch);
	size_t i, offset = 0, total = JOB_PARAMETER_BYTES;

	for (i = 0; i < count; i++)
		total +=
			job_parameter_bytes(p->launch, i) + PARAMETER_ALIGNMENT;
	p->parameter_bytes = calloc(1, total);
	p->parameters = calloc(count + 1, sizeof(*p->parameters));
	if (!p->parameter_bytes || !p->parameters)
		return error_set(error, ERR_FAILED,
			"no memory for the arguments of %s", p->name);
	for (i = 0; i < count; i++) {
		p->parameters[i] = p->parameter_bytes + offset;
		job_parameter_write(p->launch, i, places, p->parameters[i]);
		offset += (job_parameter_bytes(p->launch, i) +
				  PARAMETER_ALIGNMENT - 1) /
			  PARAMETER_ALIGNMENT * PARAMETER_ALIGNMENT;
	}
	return 0;
}

/* CU_SHAREDMEM_CARVEOUT_DEFAULT */
#define CARVEOUT_DRIVER (-1)

/* How SMs are divided into L1 and shared memory, where any launch of the job
   says it. */
static int set_carveout(
	struct backend *b, const struct cuda_job_launch *p, struct error *error)
{
	if (!p->shares_carveout)
		return 0;
	return CUDA_CALL(b, error, cuFuncSetAttribute, p->function,
		CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
		p->launch->carveout_plus_1 ? p->launch->carveout_plus_1 - 1
					   : CARVEOUT_DRIVER);
}

static int measure_occupancy(
	struct backend *b, struct cuda_job_launch *p, struct error *error)
{
	const size_t shared_bytes = p->launch->shared_bytes;
	const int threads = (int)job_block_threads(p->launch);
	int code, fixed = 0;

	if (shared_bytes > b->device.shared_bytes_per_block_max)
		return error_set(error, ERR_SKIPPED,
			"%s needs %zu B of shared memory a block; the device "
			"has %llu B",
			p->name, shared_bytes,
			(unsigned long long)
				b->device.shared_bytes_per_block_max);
	code = CUDA_CALL(b, error, cuFuncGetAttribute, &fixed,
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, p->function);
	if (!code && shared_bytes + (size_t)fixed > SHARED_PLAIN_BYTES)
		code = CUDA_CALL(b, error, cuFuncSetAttribute, p->function,
			CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			(int)shared_bytes);
	if (!code)
		code = set_carveout(b, p, error);
	if (!code)
		code = CUDA_CALL(b, error, cuFuncGetAttribute, &p->registers,
			CU_FUNC_ATTRIBUTE_NUM_REGS, p->function);
	if (!code)
		code = CUDA_CALL(b, error,
			cuOccupancyMaxActiveBlocksPerMultiprocessor,
			&p->blocks_per_sm, p->function, threads, shared_bytes);
	/* Of a preference that leaves no room for a block the driver says 0,
	   and gives it room when it starts it. */
	if (!code && !p->blocks_per_sm && p->launch->carveout_plus_1)
		p->blocks_per_sm = 1;
	if (!code && !p->blocks_per_sm)
		code = error_set(error, ERR_SKIPPED,
			"%s: an SM cannot hold a block of it", p->name);
	return code;
}

/* Clusters of more than 8 blocks must be asked for: not every GPU has them. */
#define CLUSTER_PLAIN 8u

/* The blocks of a cluster: as the job says, or the kernel. */
static int find_cluster(struct backend *b, const struct cuda_job_launch *p,
	uint32_t *blocks, struct error *error)
{
	static const unsigned int attributes[3] = {
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
	const uint32_t *says = p->launch->cluster;
	int code = 0, value = 0, i;

	*blocks = 1;
	if (says[0]) {
		*blocks = says[0] * says[1] * says[2];
		return 0;
	}
	/* A driver of GPUs without clusters does not know the attributes. */
	if (!b->driver.cuLaunchKernelEx || b->device.sm_arch < 90)
		return 0;
	for (i = 0; !code && i < 3; i++) {
		code = CUDA_CALL(b, error, cuFuncGetAttribute, &value,
			attributes[i], p->function);
		*blocks *= value > 0 ? (uint32_t)value : 1;
	}
	return code;
}

static int check_programmatic(
	struct backend *b, const struct cuda_job_launch *p, struct error *error)
{
	if (p->launch->after != JOB_AFTER_PROGRAMMATIC)
		return 0;
	if (b->device.sm_arch < 90)
		return error_set(error, ERR_SKIPPED,
			"%s is after=programmatic; the device has compute "
			"capability %u.%u, which has no such launches",
			p->name, b->device.sm_arch / 10u,
			b->device.sm_arch % 10u);
	if (!b->driver.cuLaunchKernelEx)
		return error_set(error, ERR_SKIPPED,
			"%s is after=programmatic, for which the driver is too "
			"old: it has no 'cuLaunchKernelEx'",
			p->name);
	return 0;
}

/* Its blocks wait for each other: all of them must find room. */
static int check_cooperative(
	struct backend *b, const struct cuda_job_launch *p, struct error *error)
{
	const uint64_t blocks = job_grid_blocks(p->launch);
	const uint64_t room = (uint64_t)p->blocks_per_sm * b->device.sm_count;

	if (!p->launch->cooperative)
		return 0;
	if (!b->driver.cuLaunchKernelEx)
		return error_set(error, ERR_SKIPPED,
			"%s is cooperative, for which the driver is too old: "
			"it has no 'cuLaunchKernelEx'",
			p->name);
	if (blocks > room)
		return error_set(error, ERR_SKIPPED,
			"%s is cooperative and has %llu blocks, of which %llu "
			"fit on the device at once",
			p->name, (unsigned long long)blocks,
			(unsigned long long)room);
	return 0;
}

static int allow_cluster(
	struct backend *b, struct cuda_job_launch *p, struct error *error)
{
	uint32_t blocks;
	int code;

	if (p->launch->cluster[0] && b->device.sm_arch < 90)
		return error_set(error, ERR_SKIPPED,
			"%s has clusters; the device has compute capability "
			"%u.%u, which has none",
			p->name, b->device.sm_arch / 10u,
			b->device.sm_arch % 10u);
	if (p->launch->cluster[0] && !b->driver.cuLaunchKernelEx)
		return error_set(error, ERR_SKIPPED,
			"%s has clusters, for which the driver is too old: it "
			"has no 'cuLaunchKernelEx'",
			p->name);
	code = find_cluster(b, p, &blocks, error);
	if (code || blocks <= CLUSTER_PLAIN)
		return code;
	return CUDA_CALL(b, error, cuFuncSetAttribute, p->function,
		CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

static int find_window(struct backend *b, const struct job *job, uint32_t index,
	const struct job_places *places, struct cuda_job_launch *p,
	struct error *error)
{
	const struct step *window = job_window(job, index);

	if (!window)
		return 0;
	if (!b->driver.cuLaunchKernelEx)
		return error_set(error, ERR_SKIPPED,
			"the driver is too old for access-policy windows: it "
			"has no 'cuLaunchKernelEx'");
	return cuda_step_window(
		b, window, places->buffers[window->buffer], &p->window, error);
}

static bool has_carveouts(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->launch_count; i++)
		if (job->launches[i].carveout_plus_1)
			return true;
	return false;
}

int cuda_job_launch_prepare(struct backend *b, CUmodule module,
	const struct job *job, uint32_t index, const struct job_places *places,
	struct cuda_job_launch *prepared, struct error *error)
{
	const struct job_launch *launch = &job->launches[index];
	struct cuda_job_launch p = {
		.launch = launch, .shares_carveout = has_carveouts(job)};
	int code;

	snprintf(p.name, sizeof(p.name), "launch '%.80s'",
		job_launch_name(launch));
	code = CUDA_CALL(b, error, cuModuleGetFunction, &p.function, module,
		launch->entry);
	if (!code)
		code = check_parameters(b, &p, error);
	if (!code)
		code = measure_occupancy(b, &p, error);
	if (!code)
		code = allow_cluster(b, &p, error);
	if (!code)
		code = check_programmatic(b, &p, error);
	if (!code)
		code = find_window(b, job, index, places, &p, error);
	if (!code)
		code = check_cooperative(b, &p, error);
	if (!code)
		code = lay_out(&p, places, error);
	if (code)
		cuda_job_launch_free(&p);
	else
		*prepared = p;
	return code;
}

/* The attributes of the launch; how many they are. */
#define ATTRIBUTES_MAX 4

static unsigned int attributes_of(const struct cuda_job_launch *p,
	bool programmatic,
	struct cuda_launch_attribute attributes[ATTRIBUTES_MAX])
{
	const struct job_launch *l = p->launch;
	unsigned int count = 0;

	if (l->cooperative)
		attributes[count++] = (struct cuda_launch_attribute){
			.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
			.value.cooperative = 1,
		};
	if (l->cluster[0])
		attributes[count++] = (struct cuda_launch_attribute){
			.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
			.value.clusterDim = {l->cluster[0], l->cluster[1],
				l->cluster[2]},
		};
	if (programmatic)
		attributes[count++] = (struct cuda_launch_attribute){
			.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
			.value.programmaticStreamSerializationAllowed = 1,
		};
	if (p->window.num_bytes)
		attributes[count++] = (struct cuda_launch_attribute){
			.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
			.value.accessPolicyWindow = p->window,
		};
	return count;
}

/* A kernel that says its cluster itself needs no more than a plain launch. */
int cuda_job_launch_start(struct backend *b, const struct cuda_job_launch *p,
	CUstream stream, bool programmatic, struct error *error)
{
	const struct job_launch *l = p->launch;
	struct cuda_launch_attribute attributes[ATTRIBUTES_MAX];
	const struct cuda_launch_config config = {
		.gridDimX = l->grid[0],
		.gridDimY = l->grid[1],
		.gridDimZ = l->grid[2],
		.blockDimX = l->block[0],
		.blockDimY = l->block[1],
		.blockDimZ = l->block[2],
		.sharedMemBytes = (unsigned)l->shared_bytes,
		.hStream = stream,
		.attrs = attributes,
		.numAttrs = attributes_of(p, programmatic, attributes),
	};

	int code = set_carveout(b, p, error);

	if (code)
		return code;
	if (config.numAttrs)
		return CUDA_CALL(b, error, cuLaunchKernelEx, &config,
			p->function, p->parameters, NULL);
	return CUDA_CALL(b, error, cuLaunchKernel, p->function, l->grid[0],
		l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
		(unsigned)l->shared_bytes, stream, p->parameters, NULL);
}

void cuda_job_launch_free(struct cuda_job_launch *p)
{
	free(p->parameter_bytes);
	free(p->parameters);
	memset(p, 0, sizeof(*p));
}
