/* The model as a backend: backend.h on one side, the engine on the other. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/code.h"
#include "backend_sim/engine.h"
#include "backend_sim/grid/grid.h"
#include "backend_sim/grid/ready.h"
#include "harness/program/text/text.h"

struct backend {
	struct machine machine;
	struct engine engine;
};

static int sim_open(struct backend **backend,
	const struct backend_config *config, struct error *error)
{
	struct backend *b = calloc(1, sizeof(*b));
	size_t i;
	int code;

	if (!b)
		return error_set(error, ERR_FAILED, "out of memory");
	code = machine_load(config->machine, &b->machine, error);
	for (i = 0; !code && i < config->set_count; i++)
		code = machine_set(&b->machine, config->sets[i], error);
	if (!code) {
		code = engine_init(&b->engine, &b->machine, error);
		b->engine.stop = config->stop;
		if (code)
			engine_free(&b->engine);
	}
	if (code) {
		free(b);
		return code;
	}
	*backend = b;
	return 0;
}

static void sim_close(struct backend *b)
{
	engine_free(&b->engine);
	free(b);
}

#define GET(b, name) ((b)->machine.value[PARAMETER_##name])

/* What the mechanisms cannot exceed; the floor plan has the least way to L2. */
static struct device_limits limits(const struct backend *b)
{
	const struct floor *floor = &b->engine.core.floor;
	size_t routes = (size_t)floor->sm_count * floor->slices, i;
	double hit = GET(b, l1_hit_cycles), least = UINT16_MAX;

	if (GET(b, texture_caches) > 0 && GET(b, texture_hit_cycles) < hit)
		hit = GET(b, texture_hit_cycles);
	for (i = 0; i < routes; i++)
		if (floor->route[i] < least)
			least = floor->route[i];
	return (struct device_limits){
		.clock_hz_max = GET(b, clock_hz),
		.sm_bytes_per_cycle =
			GET(b, schedulers) *
			fmax(GET(b, scheduler_data_bytes_per_cycle),
				GET(b, scheduler_narrow_bytes_per_cycle)),
		.l2_bytes_per_cycle =
			GET(b, sm_count) * GET(b, sm_reply_bytes_per_cycle),
		.dram_bytes_per_s = GET(b, dram_bytes_per_s),
		.l1_cycles_min = hit,
		.l2_cycles_min = least,
	};
}

static void describe(const struct backend *b, struct device *device)
{
	*device = (struct device){
		.sm_count = (uint32_t)GET(b, sm_count),
		.sm_arch = (uint32_t)GET(b, sm_arch),
		.ptx_version = (uint32_t)GET(b, ptx_version),
		.warps_per_sm_max = (uint32_t)GET(b, warps_per_sm),
		.blocks_per_sm_max = (uint32_t)GET(b, blocks_per_sm),
		.registers_per_sm = (uint32_t)GET(b, registers_per_sm),
		.l1_bytes = (uint64_t)GET(b, l1_total_bytes),
		.shared_bytes_per_sm =
			(uint64_t)(GET(b, l1_total_bytes) -
				   GET(b, l1_cache_min_bytes) +
				   GET(b, shared_reserved_bytes)),
		.shared_reserved_bytes =
			(uint64_t)GET(b, shared_reserved_bytes),
		.shared_bytes_per_block_max =
			(uint64_t)(GET(b, l1_total_bytes) -
				   GET(b, l1_cache_min_bytes)),
		.l2_bytes = (uint64_t)GET(b, l2_bytes),
		.memory_bytes = (uint64_t)GET(b, memory_bytes),
		.persisting_bytes_max =
			(uint64_t)GET(b, l2_persisting_max_bytes),
		.clock_hz = GET(b, clock_hz),
		.limits = limits(b),
	};
	snprintf(device->name, sizeof(device->name), "%s (model)",
		b->machine.name);
}

static int sim_describe(struct backend *b, struct device *device,
	struct facts *facts, struct error *error)
{
	describe(b, device);
	if (facts_add(facts, "machine", "%s", b->machine.name) ||
		facts_add(facts, "machine.about", "%s", b->machine.about) ||
		facts_add(facts, "machine.digest", "%016" PRIx64,
			machine_digest(&b->machine)) ||
		facts_add(
			facts, "device.sm_clock_hz", "%.0f", device->clock_hz))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

static int sim_run(struct backend *b, const struct program *program,
	struct result *result, struct error *error)
{
	struct device device;

	describe(b, &device);
	return lowered_run(&b->engine, program, &device, result, error);
}

static int sim_run_job(struct backend *b, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	return engine_run_job(&b->engine, job, wishes, result, error);
}

static int sim_check_job(const struct job *job, const struct device *device,
	bool executes, struct error *error)
{
	return ready_check(job, device->sm_arch, executes, error);
}

static int sim_machines(struct facts *machines, struct error *error)
{
	const struct machine_file *file;
	struct machine machine;

	for (file = machine_files; file->name; file++) {
		if (machine_load(file->name, &machine, error))
			return ERR_FAILED;
		if (facts_add(machines, machine.name, "%s", machine.about))
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

static int sim_parameters(
	const char *name, struct model_parameters *list, struct error *error)
{
	struct machine machine;
	int i, code = machine_load(name, &machine, error);

	for (i = 0; !code && i < PARAMETER_COUNT; i++) {
		const struct model_parameter parameter = {
			.name = parameters[i].name,
			.unit = parameters[i].unit,
			.what = parameters[i].what,
			.minimum = parameters[i].minimum,
			.maximum = parameters[i].maximum,
			.value = machine.value[i],
			.origin = machine.origin[i],
		};

		if (model_parameters_add(list, &parameter))
			code = error_set(error, ERR_FAILED, "out of memory");
	}
	return code;
}

static int sim_dump(const struct program *program, const struct device *device,
	FILE *out, struct error *error)
{
	(void)device; /* the model runs the program as it is */
	if (program_print(program, out))
		return error_set(error, ERR_FAILED, "the text was not written");
	return 0;
}

const struct backend_ops backend_sim = {
	.name = "sim",
	.summary = "a cycle model of the hierarchy; runs anywhere",
	.parallel = true,
	.open = sim_open,
	.close = sim_close,
	.describe = sim_describe,
	.machines = sim_machines,
	.parameters = sim_parameters,
	.instructions = code_list,
	.dump = sim_dump,
	.run = sim_run,
	.run_job = sim_run_job,
	.check_job = sim_check_job,
};
