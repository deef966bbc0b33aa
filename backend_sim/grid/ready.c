#include "backend_sim/grid/ready.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/cluster.h"
#include "backend_sim/code/code.h"

/* ---- a launch and its kernel ---- */

static int check_arguments(const struct ptx_module *module,
	const struct ptx_function *f, const struct job_launch *launch,
	struct error *error)
{
	const size_t count = job_parameters(launch);
	size_t i;

	if (count != f->parameter_count)
		return error_set(error, ERR_USAGE,
			"launch '%s' has %zu arguments, the kernel takes %u",
			job_launch_name(launch), count, f->parameter_count);
	for (i = 0; i < count; i++) {
		const struct ptx_variable *v =
			&module->variables[f->parameter_first + i];
		const size_t bytes = job_parameter_bytes(launch, i);

		if (bytes != v->bytes)
			return error_set(error, ERR_USAGE,
				"argument %zu of launch '%s' has %zu bytes, "
				"the kernel's parameter %" PRIu64,
				i + 1, job_launch_name(launch), bytes,
				v->bytes);
	}
	return 0;
}

static uint64_t threads_of(const uint32_t extent[3])
{
	return (uint64_t)extent[0] * extent[1] * extent[2];
}

/* As a driver refuses them: of .maxntid the product counts, of .reqntid each
   extent. */
static int check_bounds(const struct ptx_function *f,
	const struct job_launch *launch, struct error *error)
{
	const uint32_t *most = f->maxntid, *exact = f->reqntid;
	const uint32_t *block = launch->block;

	if (exact[0] && memcmp(exact, block, 3 * sizeof(*block)) != 0)
		return error_set(error, ERR_USAGE,
			"launch '%s' has block=%u,%u,%u, the kernel requires "
			"%u,%u,%u (.reqntid)",
			job_launch_name(launch), block[0], block[1], block[2],
			exact[0], exact[1], exact[2]);
	if (most[0] && threads_of(block) > threads_of(most))
		return error_set(error, ERR_USAGE,
			"launch '%s' has blocks of %" PRIu64
			" threads, the kernel allows %" PRIu64 " (.maxntid)",
			job_launch_name(launch), threads_of(block),
			threads_of(most));
	if (f->maxnreg && launch->registers > f->maxnreg)
		return error_set(error, ERR_USAGE,
			"launch '%s' has registers=%u, the kernel allows %u "
			"(.maxnreg)",
			job_launch_name(launch), launch->registers, f->maxnreg);
	return 0;
}

uint32_t ready_registers(const struct ptx_function *f, uint32_t of_sm)
{
	const uint32_t *block = f->reqntid[0] ? f->reqntid : f->maxntid;
	const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	const uint64_t warps = (threads + LANES - 1) / LANES;
	const uint64_t blocks = f->minnctapersm ? f->minnctapersm : 1;
	uint64_t most = REGISTERS_MOST;

	if (f->maxnreg)
		return f->maxnreg < most ? f->maxnreg : (uint32_t)most;
	if (warps)
		most = of_sm / LANES / (warps * blocks) / REGISTERS_UNIT *
		       REGISTERS_UNIT;
	most = most < REGISTERS_LEAST ? REGISTERS_LEAST : most;
	return most > REGISTERS_MOST ? REGISTERS_MOST : (uint32_t)most;
}

int ready_launch(const struct ptx_module *module, const char *file,
	const struct job_launch *launch, const struct ptx_function **entry,
	struct error *error)
{
	const struct ptx_function *f = ptx_entry(module, launch->entry);
	uint32_t cluster[3];
	int code;

	if (!f || !f->has_body)
		return error_set(error, ERR_USAGE,
			"%s: there is no kernel '%s'", file, launch->entry);
	/* Of a head that is not modelled they are not known: code_make()
	   refuses it. */
	code = f->head_unmodelled ? 0
				  : check_arguments(module, f, launch, error);
	if (!code)
		code = check_bounds(f, launch, error);
	if (!code)
		code = cluster_take(f, launch, cluster, error);
	if (!code)
		*entry = f;
	return code;
}

/* As the assembler and the driver have it. */
#define SHARED_BYTES_MAX 49152u
#define LOCAL_BYTES_MAX  524288u

int ready_memory(const struct code *code, const char *file, struct error *error)
{
	const struct ptx_name *name = &code->function->name;

	if (code->shared_bytes > SHARED_BYTES_MAX)
		return error_set(error, ERR_USAGE,
			"%s: the kernel '%.*s' has %" PRIu64
			" bytes of static shared memory, at most %u can be",
			file, (int)name->length, name->text, code->shared_bytes,
			SHARED_BYTES_MAX);
	if (code->local_bytes > LOCAL_BYTES_MAX)
		return error_set(error, ERR_USAGE,
			"%s: a thread of the kernel '%.*s' has %" PRIu64
			" bytes of local memory, at most %u can be",
			file, (int)name->length, name->text, code->local_bytes,
			LOCAL_BYTES_MAX);
	return 0;
}

/* ---- a job ---- */

/* What a driver compiles for another GPU, it does not load on this one. */
static int check_target(const struct ptx_module *m, const char *file,
	uint32_t sm_arch, struct error *error)
{
	if (m->target_is_exact && m->target != sm_arch)
		return error_set(error, ERR_USAGE,
			"%s:%u:%u: '.target sm_%ua' is for compute capability "
			"%u.%u alone, the machine has %u.%u",
			file, m->target_place.line, m->target_place.column,
			m->target, m->target / 10, m->target % 10, sm_arch / 10,
			sm_arch % 10);
	if (m->target <= sm_arch)
		return 0;
	return error_set(error, ERR_USAGE,
		"%s:%u:%u: '.target sm_%u' is newer than the machine, which "
		"has compute capability %u.%u",
		file, m->target_place.line, m->target_place.column, m->target,
		sm_arch / 10, sm_arch % 10);
}

static int check_code(const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, const uint64_t *variables,
	struct error *error)
{
	struct code made;
	int code = code_make(file, module, entry, variables, true, false, NULL,
		&made, error);

	if (code)
		return code;
	code = ready_memory(&made, file, error);
	code_free(&made);
	return code;
}

/* Kernels that have been looked at: a flag for each function, module after
   module. */
struct seen {
	uint8_t *flags; /* owned */
	size_t *first;  /* of each module; owned */
};

static int seen_make(struct seen *s, const struct job *job,
	const struct ptx_module *modules, struct error *error)
{
	size_t count = 0, i;

	s->first = calloc(job->module_count + 1, sizeof(*s->first));
	for (i = 0; s->first && i < job->module_count; i++) {
		s->first[i] = count;
		count += modules[i].function_count;
	}
	s->flags = calloc(count + 1, 1);
	return s->first && s->flags
		       ? 0
		       : error_set(error, ERR_FAILED, "out of memory");
}

static int check_launch(const struct job *job, const struct ptx_module *modules,
	size_t index, uint64_t *const *variables, bool looks, struct seen *s,
	struct error *error)
{
	const struct job_launch *launch = &job->launches[index];
	const struct ptx_module *m = &modules[launch->module];
	const char *file = job->modules[launch->module].path;
	const struct ptx_function *entry = NULL;
	uint8_t *seen;
	int code = ready_launch(m, file, launch, &entry, error);

	if (code)
		return code;
	seen = &s->flags[s->first[launch->module] +
			 (size_t)(entry - m->functions)];
	if (*seen || !variables)
		return 0;
	*seen = 1;
	return looks ? check_code(
			       file, m, entry, variables[launch->module], error)
		     : 0;
}

int ready_job(const struct job *job, const struct ptx_module *modules,
	uint64_t *const *variables, uint32_t sm_arch, bool first,
	struct error *error)
{
	struct seen seen = {0};
	size_t i;
	int code = seen_make(&seen, job, modules, error);

	for (i = 0; !code && i < job->module_count; i++)
		if (!job->modules[i].is_trace)
			code = check_target(&modules[i], job->modules[i].path,
				sm_arch, error);
	for (i = 0; !code && i < job->launch_count; i++)
		if (!job->modules[job->launches[i].module].is_trace)
			code = check_launch(job, modules, i, variables,
				first || i, &seen, error);
	free(seen.flags);
	free(seen.first);
	return code;
}

/* Addresses of variables that are nowhere yet. */
static int read_modules(const struct job *job, struct ptx_module *modules,
	uint64_t **variables, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < job->module_count; i++) {
		const struct job_module *m = &job->modules[i];

		if (!m->is_trace)
			code = ptx_parse(
				m->path, m->text, m->bytes, &modules[i], error);
		if (code)
			return code;
		variables[i] = calloc(
			modules[i].variable_count + 1, sizeof(**variables));
		if (!variables[i])
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return code;
}

int ready_check(const struct job *job, uint32_t sm_arch, bool executes,
	struct error *error)
{
	struct ptx_module *modules =
		calloc(job->module_count + 1, sizeof(*modules));
	uint64_t **variables =
		calloc(job->module_count + 1, sizeof(*variables));
	size_t i;
	int code = modules && variables
			   ? read_modules(job, modules, variables, error)
			   : error_set(error, ERR_FAILED, "out of memory");

	if (!code)
		code = ready_job(job, modules, executes ? variables : NULL,
			sm_arch, true, error);
	for (i = 0; modules && variables && i < job->module_count; i++) {
		ptx_free(&modules[i]);
		free(variables[i]);
	}
	free(modules);
	free(variables);
	return code;
}
