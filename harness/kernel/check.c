#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/kernel/parsing.h"

#define GRID_YZ_MAX   65535u
#define BLOCK_MAX     1024u
#define BLOCK_Z_MAX   64u
#define RUNS_MAX      65536u
#define POWER_MAX     8
#define REGISTERS_MAX 255u
#define ORDERED_MAX   (UINT64_C(1) << 31) /* of permute.h */

/* The most elements whose indices the type can hold. */
static uint64_t indices_max(enum element_type type)
{
	const struct element *e = &elements[type];
	unsigned bits = 8u * e->bytes;

	if (e->kind == ELEMENT_FLOAT)
		bits = e->significant_bits;
	else if (e->kind == ELEMENT_SIGNED)
		bits--;
	return bits < 31 ? UINT64_C(1) << bits : ORDERED_MAX;
}

/* Rules of a buffer: each holds, or its sentence says what is wrong. */
static const char *fill_fault(const struct job_buffer *b)
{
	const struct element *e = &elements[b->type];
	const uint64_t slot = b->slot_bytes ? b->slot_bytes : e->bytes;
	const bool ring = b->fill == JOB_FILL_RING;
	const bool iota = b->fill == JOB_FILL_IOTA;
	const bool random = b->fill == JOB_FILL_RANDOM;

	if ((b->first != 0 || b->step != 1) && !iota)
		return "first= and step= belong to fill=iota";
	if (iota && e->kind != ELEMENT_FLOAT &&
		(b->first != floor(b->first) || b->step != floor(b->step) ||
			fabs(b->first) > 9e15 || fabs(b->step) > 9e15))
		return "first= and step= of whole elements are whole numbers";
	if (b->below && !iota && !(random && e->kind != ELEMENT_FLOAT))
		return "below= belongs to fill=iota and to fill=random of "
		       "whole numbers";
	if (b->below > UINT32_MAX)
		return "below= is at most 4294967295";
	if (b->power != 1 && !(random && b->below))
		return "power= belongs to fill=random with below=";
	if (b->power < 1 || b->power > POWER_MAX)
		return "power= is 1 to 8";
	if ((b->slot_bytes || b->order) && !ring)
		return "slot= and order= belong to fill=ring";
	if (ring && (slot % e->bytes || b->bytes % slot))
		return "a ring is whole slots, and a slot whole elements";
	if (ring && b->bytes / slot > ORDERED_MAX)
		return "a ring has at most 2^31 slots";
	if ((ring || b->fill == JOB_FILL_PERMUTATION) &&
		job_buffer_elements(b) > indices_max(b->type))
		return "its type cannot hold the index of every element";
	if ((b->fill == JOB_FILL_FILE) != (b->file != NULL))
		return "fill=file and file= go together";
	return NULL;
}

static int check_buffer(const struct job_buffer *b, struct error *error)
{
	const struct element *e = &elements[b->type];
	const char *fault = NULL;

	if (!b->bytes || b->bytes % e->bytes)
		return error_set(error, ERR_USAGE,
			"buffer '%s' holds %" PRIu64
			" bytes, which are no whole elements of %s",
			b->name, b->bytes, e->name);
	if (b->compare == JOB_COMPARE_ULP && e->kind != ELEMENT_FLOAT)
		fault = "compare=ulp belongs to floats";
	if (b->peer && b->memory != MEMORY_PEER)
		fault = "peer= belongs to memory=peer";
	if (!fault)
		fault = fill_fault(b);
	return fault ? error_set(error, ERR_USAGE, "buffer '%s': %s", b->name,
			       fault)
		     : 0;
}

/* Buffers begin at pages of 2 MiB: every address is aligned. */
static int check_map(const struct job_map *map, struct error *error)
{
	const int status = tensor_map_check(&map->tensor, error);

	return status ? error_prefix(
				error, status, "tensormap '%s': ", map->name)
		      : 0;
}

/* Of a launch that has clusters. */
static const char *cluster_fault(const struct job_launch *l)
{
	const uint32_t *c = l->cluster;
	int i;

	if (!c[0] && !c[1] && !c[2])
		return NULL;
	if (!c[0] || !c[1] || !c[2])
		return "a cluster has at least one block";
	for (i = 0; i < 3; i++)
		if (c[i] > JOB_CLUSTER_MAX)
			return "a cluster has at most 16 blocks";
	if (c[0] * c[1] * c[2] > JOB_CLUSTER_MAX)
		return "a cluster has at most 16 blocks";
	for (i = 0; i < 3; i++)
		if (l->grid[i] % c[i])
			return "its grid is no whole number of clusters";
	return NULL;
}

static const char *launch_fault(const struct job_launch *l)
{
	const uint64_t threads =
		(uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (!l->grid[0] || !l->grid[1] || !l->grid[2])
		return "a grid has at least one block";
	if (l->grid[1] > GRID_YZ_MAX || l->grid[2] > GRID_YZ_MAX)
		return "a grid has at most 65535 blocks in y and in z";
	if (!threads || l->block[0] > BLOCK_MAX || l->block[1] > BLOCK_MAX ||
		threads > BLOCK_MAX)
		return "a block has 1 to 1024 threads";
	if (l->block[2] > BLOCK_Z_MAX)
		return "a block has at most 64 threads in z";
	if (l->registers > REGISTERS_MAX)
		return "a thread has at most 255 registers";
	if (cluster_fault(l))
		return cluster_fault(l);
	if (!l->repeats)
		return "repeats= is at least 1";
	if (l->shared_bytes > UINT32_MAX)
		return "shared= is less than 4 GiB";
	if (l->stream >= JOB_STREAMS_MAX)
		return "stream= is at most 127";
	if (l->after == JOB_AFTER_PROGRAMMATIC && l->flush)
		return "after=programmatic and flush exclude each other: a "
		       "flush waits for all launches";
	return NULL;
}

static int check_launch(const struct job_launch *l, struct error *error)
{
	const char *fault = launch_fault(l);
	size_t i, bytes = 0;

	for (i = 0; !fault && i < job_parameters(l); i++)
		bytes += job_parameter_bytes(l, i);
	if (bytes > JOB_PARAMETER_BYTES)
		fault = "the arguments are at most 4096 bytes";
	return fault ? error_set(error, ERR_USAGE, "launch '%s': %s",
			       job_launch_name(l), fault)
		     : 0;
}

/* Who comes after another one has one before it. */
static int check_after(const struct job *job, size_t at, struct error *error)
{
	const struct job_launch *l = &job->launches[at];
	size_t i;

	if (l->after != JOB_AFTER_PROGRAMMATIC || l->warmups + l->repeats > 1)
		return 0;
	for (i = 0; i < at; i++)
		if (job->launches[i].stream == l->stream)
			return 0;
	return error_set(error, ERR_USAGE,
		"launch '%s': after=programmatic: no launch comes before it in "
		"stream %u",
		job_launch_name(l), l->stream);
}

static int check_names(const struct job *job, struct error *error)
{
	size_t i, k;

	for (i = 0; i < job->launch_count; i++)
		for (k = 0; k < i && job->launches[i].name[0]; k++)
			if (!strcmp(job->launches[i].name,
				    job->launches[k].name))
				return error_set(error, ERR_USAGE,
					"two launches have the name '%s'",
					job->launches[i].name);
	return 0;
}

int job_check(const struct job *job, struct error *error)
{
	uint64_t runs = 0;
	size_t i;
	int status = 0;

	if (!job->module_count)
		return error_set(error, ERR_USAGE, "a job has a module");
	if (!job->launch_count)
		return error_set(error, ERR_USAGE, "a job has a launch");
	for (i = 0; !status && i < job->buffer_count; i++)
		status = check_buffer(&job->buffers[i], error);
	for (i = 0; !status && i < job->map_count; i++)
		status = check_map(&job->maps[i], error);
	for (i = 0; !status && i < job->launch_count; i++) {
		status = check_launch(&job->launches[i], error);
		if (!status)
			status = check_after(job, i, error);
		runs += (uint64_t)job->launches[i].repeats +
			job->launches[i].warmups;
	}
	if (!status)
		status = check_names(job, error);
	if (!status)
		status = job_steps_check(job, error);
	if (!status && runs > RUNS_MAX)
		status = error_set(error, ERR_USAGE,
			"a job runs at most %u launches, repeats and warm-ups "
			"included",
			RUNS_MAX);
	return status;
}
