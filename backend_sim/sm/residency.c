#include "backend_sim/sm/residency.h"
#include "harness/program/launch.h"

uint64_t residency_shared_most(const struct costs *cost)
{
	return cost->l1_total_bytes - cost->l1_cache_min_bytes +
	       cost->shared_reserved_bytes;
}

uint32_t residency_blocks(const struct execution *x, const struct role *role)
{
	const struct costs *cost = &x->core->cost;
	const struct sm_limits limits = {
		.warps = cost->warps_per_sm,
		.blocks = cost->blocks_per_sm,
		.registers = cost->registers_per_sm,
		.shared_bytes = residency_shared_most(cost),
		.shared_reserved_bytes = cost->shared_reserved_bytes,
	};

	return launch_resident(x->p, x->step, role, &limits);
}

uint64_t residency_shared(const struct execution *x, uint64_t bytes)
{
	return launch_block_shared(bytes, x->core->cost.shared_reserved_bytes);
}

#define CARVEOUT_UNIT_BYTES 4096u

/* What is set aside for the shared memory of an SM's blocks: the least step
   that holds it. */
uint64_t residency_carved(const struct costs *cost, uint64_t shared_bytes)
{
	uint64_t most = residency_shared_most(cost);
	uint64_t steps = cost->carveout_step_mask, step;

	for (; steps; steps &= steps - 1) {
		step = (uint64_t)__builtin_ctzll(steps) * CARVEOUT_UNIT_BYTES;
		if (step >= shared_bytes)
			return step < most ? step : most;
	}
	return most;
}

/* Blocks of a role that an SM has at once. Of a plain grid, no more than it
   gets. The CUDA backend adds the blocks of several plain roles; here the role
   that needs most counts. */
static uint64_t blocks_at_once(
	const struct execution *x, const struct role *role)
{
	const uint32_t sms = x->core->cost.sm_count;
	uint64_t fit, dealt;

	if (role->place != PLACE_BLOCKS)
		return role->blocks;
	fit = residency_blocks(x, role);
	dealt = (role->blocks + sms - 1) / sms;
	return fit < dealt ? fit : dealt;
}

/* Measured on an H200: beside the program's shared memory, that of the kernel
   which runs it counts, and what the driver keeps of each block's. */
static uint64_t shared_bytes(const struct execution *x)
{
	uint64_t own = launch_static_bytes(x->p, x->step);
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < x->step->role_count; i++) {
		const struct role *role = launch_role(x->p, x->step, i);
		uint64_t bytes = blocks_at_once(x, role) *
				 residency_shared(x, role->shared_bytes + own);

		most = bytes > most ? bytes : most;
	}
	return most;
}

uint32_t residency_l1_lines_beside(const struct execution *x, uint64_t bytes)
{
	const struct costs *cost = &x->core->cost;
	uint64_t taken =
		residency_carved(cost, bytes) + cost->l1_reserved_bytes;
	uint64_t left =
		cost->l1_total_bytes > taken ? cost->l1_total_bytes - taken : 0;
	uint64_t cache = cost->l1_cache_bytes;
	uint32_t lines =
		(uint32_t)((left < cache ? left : cache) / PROGRAM_LINE_BYTES);

	return lines ? lines : 1;
}

uint32_t residency_l1_lines(const struct execution *x)
{
	return residency_l1_lines_beside(x, shared_bytes(x));
}
