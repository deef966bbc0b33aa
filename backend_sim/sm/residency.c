#include "backend_sim/sm/residency.h"
#include "harness/program/launch.h"

uint64_t residency_shared_most(const struct costs *cost)
{
	return cost->l1_total_bytes - cost->l1_cache_min_bytes +
	       cost->shared_reserved_bytes;
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
