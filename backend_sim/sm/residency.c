#include "backend_sim/sm/residency.h"
#include "harness/program/account.h"

#define BLOCKS_PER_SM_MAX 32

uint32_t residency_blocks(const struct execution *x, const struct role *role)
{
	uint32_t by_warps = x->core->cost.warps_per_sm / launch_warps(role);

	if (by_warps > BLOCKS_PER_SM_MAX)
		by_warps = BLOCKS_PER_SM_MAX;
	return by_warps ? by_warps : 1;
}

/* What is set aside for the shared memory of an SM's blocks. The steps are
   those of compute capability 9.0 (CUDA C++ Programming Guide), of which
   older chips have fewer; that a driver takes the least that holds the
   blocks is assumed. */
static uint64_t carve(const struct costs *cost, uint64_t shared_bytes)
{
	static const uint64_t steps_kib[] = {
		0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
	uint64_t most = cost->l1_total_bytes - cost->l1_cache_min_bytes;
	size_t i;

	for (i = 0; i < sizeof(steps_kib) / sizeof(steps_kib[0]); i++)
		if (steps_kib[i] * 1024 >= shared_bytes)
			return steps_kib[i] * 1024 < most ? steps_kib[i] * 1024
							  : most;
	return most;
}

/* Measured on an H200: beside the program's shared memory, that of the kernel
   which runs it counts, and what the driver keeps of each block's (CUDA C++
   Programming Guide: 1 KiB on compute capability 8.x and 9.0). */
#define RESERVED_BYTES 1024
#define RESERVES_ARCH  80

static uint64_t shared_bytes(const struct execution *x)
{
	bool reserves = x->core->cost.sm_arch >= RESERVES_ARCH;
	uint64_t own = launch_static_bytes(x->p, x->step) +
		       (reserves ? RESERVED_BYTES : 0);
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < x->step->role_count; i++) {
		const struct role *role = launch_role(x, i);
		uint64_t blocks = role->place == PLACE_BLOCKS
					  ? residency_blocks(x, role)
					  : role->blocks;
		uint64_t bytes = (role->shared_bytes + own) * blocks;

		most = bytes > most ? bytes : most;
	}
	return most;
}

uint32_t residency_l1_lines(const struct execution *x)
{
	const struct costs *cost = &x->core->cost;
	uint64_t left = cost->l1_total_bytes - carve(cost, shared_bytes(x));
	uint64_t cache = cost->l1_cache_bytes;
	uint32_t lines =
		(uint32_t)((left < cache ? left : cache) / PROGRAM_LINE_BYTES);

	return lines ? lines : 1;
}
