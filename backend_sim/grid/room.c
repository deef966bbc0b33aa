/* How many blocks of a launch are resident, and where. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/room.h"
#include "backend_sim/grid/ready.h"
#include "backend_sim/sm/placement.h"
#include "backend_sim/sm/residency.h"

/* ---- how many blocks an SM holds ---- */

/* A warp gets registers by 256, an SM's four schedulers have a share each.
   Source: CUDA occupancy calculator, compute capability 9.0. */
#define REGISTER_UNIT 256u

static uint32_t at_most(uint32_t a, uint64_t b)
{
	return b < a ? (uint32_t)b : a;
}

void room_limits(const struct grid *g, const struct execution *x,
	uint32_t limits[JOB_LIMIT_COUNT], uint64_t *shared_bytes)
{
	const struct costs *cost = &x->core->cost;
	uint32_t by_warp = (g->registers * LANES + REGISTER_UNIT - 1) /
			   REGISTER_UNIT * REGISTER_UNIT;
	uint32_t warps = by_warp ? cost->registers_per_sm / cost->schedulers /
					   by_warp * cost->schedulers
				 : UINT32_MAX;

	*shared_bytes = residency_shared(x, g->shared_own_bytes);
	limits[JOB_LIMIT_WARPS] = cost->warps_per_sm / g->block_warps;
	limits[JOB_LIMIT_REGISTERS] = warps / g->block_warps;
	limits[JOB_LIMIT_BLOCKS] = cost->blocks_per_sm;
	limits[JOB_LIMIT_SHARED] = at_most(UINT32_MAX,
		(g->launch->carveout_plus_1
				? residency_carved(cost, room_carveout(g, x))
				: residency_shared_most(cost)) /
			*shared_bytes);
}

uint64_t room_carveout(const struct grid *g, const struct execution *x)
{
	const uint64_t most = residency_shared_most(&x->core->cost);
	const uint64_t one = residency_shared(x, g->shared_own_bytes);
	uint64_t wanted;

	if (!g->launch->carveout_plus_1)
		return 0;
	wanted = most * (g->launch->carveout_plus_1 - 1u) / 100;
	return wanted > one ? wanted : one;
}

uint64_t room_shared(const struct grid *g, const struct execution *x)
{
	const uint64_t all =
		residency_shared(x, g->shared_own_bytes) * g->blocks_per_sm;
	const uint64_t wanted = room_carveout(g, x);

	return all > wanted ? all : wanted;
}

int room_of_sm(struct grid *g, const struct execution *x, struct error *error)
{
	uint32_t limits[JOB_LIMIT_COUNT], most = UINT32_MAX, i;
	uint64_t shared;

	room_limits(g, x, limits, &shared);
	for (i = 0; i < JOB_LIMIT_COUNT; i++)
		most = at_most(most, limits[i]);
	if (!most)
		return error_set(error, ERR_SKIPPED,
			"an SM has no room for a block of launch '%s': %u "
			"threads of %u registers and %" PRIu64
			" bytes of shared memory",
			job_launch_name(g->launch), g->block_threads,
			g->registers, g->shared_own_bytes);
	g->blocks_per_sm = most;
	return 0;
}

/* The most registers that setmaxnreg asks for; 0: it does not. */
static uint32_t largest_change(const struct code *code)
{
	uint32_t most = 0, i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].kind == CODE_REGISTERS &&
			code->insns[i].offset > most)
			most = (uint32_t)code->insns[i].offset;
	return most;
}

/* The assembler gives such a kernel what its head says, and else ignores
   setmaxnreg. */
static bool is_known(const struct ptx_function *f)
{
	return f->maxnreg ||
	       ((f->maxntid[0] || f->reqntid[0]) && f->minnctapersm);
}

/* Beside those that are alive at once, the assembler keeps a few. */
#define REGISTERS_BESIDE 3u

void room_registers(struct grid *g, const struct costs *cost)
{
	const struct ptx_function *f = g->code.function;
	const uint32_t largest = largest_change(&g->code);
	uint32_t alive = g->code.registers + REGISTERS_BESIDE, most;

	g->registers = g->launch->registers;
	g->registers_estimated = !g->registers;
	g->has_pool = largest && (g->registers || is_known(f));
	if (g->registers)
		return;
	if (g->has_pool) {
		most = ready_registers(f, cost->registers_per_sm);
		g->registers = !f->maxnreg && largest < most ? largest : most;
		g->registers_estimated = false;
		return;
	}
	alive = (alive + REGISTERS_UNIT - 1) / REGISTERS_UNIT * REGISTERS_UNIT;
	alive = alive < REGISTERS_LEAST ? REGISTERS_LEAST : alive;
	most = ready_registers(f, cost->registers_per_sm);
	g->registers = alive > most ? most : alive;
}

/* ---- on which SMs ---- */

int room_places(struct grid *g, struct execution *x, struct error *error)
{
	const uint64_t slots =
		(uint64_t)g->blocks_per_sm * x->core->cost.sm_count;
	int64_t clusters;

	g->slot_count = at_most((uint32_t)slots, g->block_count);
	g->placed = calloc(g->slot_count + 1, sizeof(*g->placed));
	/* No SM is a role's, as one of a program before may have been. */
	memset(x->slots, 0, x->core->cost.sm_count * sizeof(*x->slots));
	if (!g->placed)
		return error_set(error, ERR_FAILED, "out of memory");
	clusters = g->slot_count;
	if (g->cluster_blocks == 1 &&
		placement_deal(x, g->slot_count, g->placed))
		clusters = ERR_FAILED;
	else if (g->cluster_blocks > 1)
		clusters = placement_clusters(x, g->cluster_blocks,
			g->blocks_per_sm, g->slot_count / g->cluster_blocks,
			g->placed);
	if (clusters < 0)
		return error_set(error, ERR_FAILED, "out of memory");
	if (!clusters)
		return error_set(error, ERR_SKIPPED,
			"no GPC has room for a cluster of %u blocks of launch "
			"'%s', of which an SM holds %u",
			g->cluster_blocks, job_launch_name(g->launch),
			g->blocks_per_sm);
	g->slot_count = (uint32_t)clusters * g->cluster_blocks;
	g->end_slot = g->first_slot + g->slot_count;
	if (g->launch->cooperative && g->slot_count < g->block_count)
		return error_set(error, ERR_SKIPPED,
			"launch '%s' is cooperative and has %" PRIu64
			" blocks, of which %u fit on the device at once",
			job_launch_name(g->launch), g->block_count,
			g->slot_count);
	return 0;
}
