/* What decides in a job, and whether accesses keep to it. */
#include <inttypes.h>
#include <stdlib.h>

#include "backend_sim/code/code.h"
#include "backend_sim/idle/needed.h"

/* ---- of a job ---- */

static struct origin_memory memory_of(
	const struct space *space, const struct job *job)
{
	struct origin_memory m = {.buffers = space->addresses,
		.buffer_count = job->buffer_count,
		.rest = SPACE_BASE +
			(space->region_count > job->buffer_count
					? space->regions[job->buffer_count]
						  .first
					: space->size),
		.end = SPACE_BASE + space->size};
	size_t i;

	for (i = 0; i < job->map_count; i++)
		m.mapped |= origin_of_buffer(job->maps[i].buffer);
	return m;
}

static int look_at(struct space *space, const struct job *job,
	const struct job_launch *launch, const struct job_wishes *wishes,
	bool *skips, struct error *error)
{
	const struct job_module *module = &job->modules[launch->module];
	struct grid g = {.launch = launch,
		.space = space,
		.file = module->path,
		.as_written = wishes->as_written};
	int code;

	/* A trace has no values. */
	if (module->is_trace) {
		*skips = true;
		return 0;
	}
	code = grid_compile(&g, error);
	space->needs->global |= g.needs.global;
	space->needs->makes_maps |= g.needs.makes_maps;
	*skips = g.needs.skips;
	code_free(&g.code);
	free(g.parameters);
	return code;
}

int needed_find(struct space *space, const struct job *job,
	const struct job_wishes *wishes, struct needs *needs, bool *all,
	struct error *error)
{
	bool *skips = calloc(job->launch_count + 1, sizeof(*skips));
	size_t i, last = 0, k;
	int code = skips ? 0 : error_set(error, ERR_FAILED, "out of memory");

	*needs = (struct needs){.space = memory_of(space, job)};
	for (i = 0; i < space->kept_count; i++)
		needs->global |= origin_of_buffer(space->kept[i]);
	space->needs = needs;
	/* Again and again, up to the last one that added something. */
	for (i = 0; !code && i <= last + job->launch_count - 1; i++) {
		const struct needs before = *needs;

		k = i % job->launch_count;
		code = look_at(space, job, &job->launches[k], wishes, &skips[k],
			error);
		if (needs->global != before.global ||
			needs->makes_maps != before.makes_maps)
			last = i;
	}
	*all = true;
	for (k = 0; !code && k < job->launch_count; k++)
		*all = *all && !skips[k];
	if (*all)
		space->needs = NULL;
	free(skips);
	return code;
}

/* ---- accesses ---- */

static bool fails(struct execution *x, uint32_t warp, uint32_t pc)
{
	const struct warp *w = &x->warps[warp];

	grid_fail(x, warp, pc,
		"block %" PRIu64 ", warp %u: an address leads elsewhere than "
		"what it is made of says, so that '--values none' can't tell "
		"which values decide: '--values ieee' computes all",
		x->grid->blocks[w->block_index].number, w->index);
	return false;
}

/* Whether what the offset of global memory holds decides. */
static bool decides(const struct grid *g, uint64_t offset)
{
	return (origin_of_address(&g->needs.space, SPACE_BASE + offset) &
		       g->needs.memory) != 0;
}

/* Lanes are in one buffer as a rule. */
static bool all_are(const struct access_of *a, bool decide)
{
	uint32_t rest;

	for (rest = a->global; rest; rest &= rest - 1)
		if (decides(a->g, a->address[__builtin_ctz(rest)]) != decide)
			return false;
	return true;
}

static bool is_right(const struct access_of *a, bool decide)
{
	const uint64_t memory = a->g->needs.memory;

	if (a->shared | a->remote && ((memory & ORIGIN_SHARED) != 0) != decide)
		return false;
	if (a->local && ((memory & ORIGIN_LOCAL) != 0) != decide)
		return false;
	return all_are(a, decide);
}

bool needed_access(const struct access_of *a, bool reads, bool writes)
{
	if (!a->g->needs.memory || a->c->is_told)
		return true;
	if (a->c->idle ? !writes || is_right(a, false)
		       : !reads || is_right(a, true))
		return true;
	return fails(a->x, a->warp, a->pc);
}

bool needed_run(
	const struct access_of *a, uint64_t offset, bool reads, bool writes)
{
	if (!a->g->needs.memory || a->c->is_told)
		return true;
	if (a->c->idle ? !writes || !decides(a->g, offset)
		       : !reads || decides(a->g, offset))
		return true;
	return fails(a->x, a->warp, a->pc);
}

bool needed_copy(struct execution *x, const struct copy_order *o)
{
	const struct grid *g = x->grid;
	const bool idle = g->code.insns[o->pc].idle;
	uint32_t i;

	if (!g->needs.memory || o->kind == COPY_PREFETCH ||
		o->kind == COPY_WORDS || o->kind == COPY_ACROSS)
		return true;
	for (i = 0; i < o->run_count; i++) {
		const uint64_t at = o->runs[i].global;

		if (at == COPY_FILL || idle != decides(g, at))
			continue;
		if (idle == (o->kind != COPY_LOAD))
			return fails(x, o->warp, o->pc);
	}
	return true;
}
