/* Grid, block and output of a kernel. */
#include "harness/lower/launch_parts.h"

#define RECORD_ALIGNMENT 32u /* a sector */

static void shape_output(struct launch *l)
{
	struct ptx_kernel *k = l->kernel;
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < l->region_count; i++) {
		const struct region *r = &l->regions[i];
		struct ptx_region *place = &k->regions[k->region_count];

		if (r->role_index < l->step->role_first ||
			r->role_index >=
				l->step->role_first + l->step->role_count)
			continue;
		place->region = (uint32_t)i;
		place->warps = role_warps(r->role) *
			       role_blocks(l->p, r->role, l->device->sm_count);
		place->samples = r->repeat->timing == TIMING_EACH
					 ? (uint32_t)r->repeat->count
					 : 0;
		place->record_offset = at;
		at += place->warps * sizeof(struct ptx_warp_record);
		place->sample_offset = at;
		at += 4ull * place->warps * place->samples;
		at = (at + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT *
		     RECORD_ALIGNMENT;
		place->block_offset = at;
		place->blocks = place->warps / role_warps(r->role);
		place->writes =
			r->repeat->timing == TIMING_REGION &&
			ptx_writes(l->p, r->insn_index,
				program_matching_end(l->p, r->insn_index));
		at += place->blocks * sizeof(struct ptx_block_record);
		at = (at + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT *
		     RECORD_ALIGNMENT;
		k->region_count++;
	}
	k->output_bytes = at + 8;
}

static void shape_shared(struct launch *l)
{
	l->scratch = LAUNCH_CLAIM_BYTES;
	l->samples = l->scratch + 8 * l->kernel->threads;
	l->w.shared_bytes = launch_static_bytes(l->p, l->step);
}

/* Blocks may wait for each other only if an SM holds them all at once. */
static bool fit_together(const struct launch *l, uint64_t per_sm)
{
	const struct device *d = l->device;
	uint64_t shared = launch_block_shared(
		(uint64_t)l->kernel->dynamic_shared_bytes + l->w.shared_bytes,
		d->shared_reserved_bytes);

	return per_sm <= d->blocks_per_sm_max &&
	       per_sm * l->kernel->threads <=
		       d->warps_per_sm_max * PROGRAM_WARP_LANES &&
	       per_sm * shared <= d->shared_bytes_per_sm;
}

/* Of a grid whose blocks come and go: those of its largest role. */
static uint32_t resident_alone(const struct launch *l)
{
	const struct device *d = l->device;
	const struct sm_limits limits = {d->warps_per_sm_max,
		d->blocks_per_sm_max, d->registers_per_sm,
		d->shared_bytes_per_sm, d->shared_reserved_bytes};
	uint32_t least = UINT32_MAX, i;

	for (i = 0; i < l->step->role_count; i++) {
		uint32_t blocks = launch_resident(
			l->p, l->step, ptx_role_at(l, i), &limits);

		least = blocks < least ? blocks : least;
	}
	return least;
}

/* Of a plain grid in three waves or more, those between the first and the last,
   if no region wants the times of single iterations. */
static void shape_quiet(struct launch *l)
{
	struct ptx_kernel *k = l->kernel;
	uint32_t at_once = k->resident * l->device->sm_count;
	size_t i;

	if (l->step->role_count > 1 || l->blocks <= 2 * at_once ||
		ptx_role_at(l, 0)->place != PLACE_BLOCKS)
		return;
	for (i = 0; i < k->region_count; i++)
		if (k->regions[i].samples)
			return;
	for (i = 0; i < k->region_count; i++) {
		k->regions[i].quiet_first = at_once;
		k->regions[i].quiet_end = l->blocks - at_once;
	}
}

void ptx_shape(struct launch *l)
{
	struct ptx_kernel *k = l->kernel;
	uint32_t per_sm = 0, resident = 0, i;
	bool placed = false;

	for (i = 0; i < l->step->role_count; i++) {
		const struct role *role = ptx_role_at(l, i);
		uint32_t blocks = ptx_blocks_of(l, i);

		l->blocks += blocks;
		if (!role->background)
			l->foreground_blocks += blocks;
		l->background |= role->background;
		if (role->threads > k->threads)
			k->threads = role->threads;
		if (role->shared_bytes > k->dynamic_shared_bytes)
			k->dynamic_shared_bytes = role->shared_bytes;
		if (role->place == PLACE_BLOCKS)
			resident += blocks;
		else if (role->blocks > per_sm)
			per_sm = role->blocks;
		placed |= role->place != PLACE_BLOCKS;
	}
	per_sm += (resident + l->device->sm_count - 1) / l->device->sm_count;
	k->grid = l->blocks;
	if (placed || l->step->role_count > 1)
		k->grid = l->device->sm_count * (per_sm + 1) * 2;
	shape_output(l);
	shape_shared(l);
	l->together = launch_starts_together(l->p, l->step) &&
		      fit_together(l, per_sm);
	k->resident = l->together ? per_sm : resident_alone(l);
	if (k->resident > per_sm)
		k->resident = per_sm;
	shape_quiet(l);
	l->w.threads = k->threads;
	l->w.resident = k->resident;
	l->w.registers = l->step->registers;
}
