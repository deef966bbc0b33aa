/* A block gets a slot of an SM, and its warps their special registers. */
#include <string.h>

#include "backend_sim/lives/lives.h"
#include "backend_sim/lives/residents.h"
#include "backend_sim/core/server.h"
#include "backend_sim/calls/calls.h"
#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/grid/ready.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/sm/deal.h"
#include "backend_sim/sm/starts.h"

/* ---- special registers ---- */

/* Of clusters. */
static uint32_t cluster_value(
	const struct execution *x, uint32_t slot, uint8_t special)
{
	const struct grid *g = x->grid;
	const uint32_t rank = cluster_rank(g, slot), *each = g->cluster;
	const uint32_t *grid = g->launch->grid;
	const uint64_t block = g->blocks[slot].number;
	const uint64_t at[3] = {block % grid[0], block / grid[0] % grid[1],
		block / grid[0] / grid[1]};

	switch (special) {
	case PTXS_cluster_ctarank:
		return rank;
	case PTXS_cluster_nctarank:
		return g->cluster_blocks;
	case PTXS_is_explicit_cluster:
		return g->is_explicit ? UINT32_MAX : 0;
	default:
		break;
	}
	if (special <= PTXS_clusterid_z)
		return (uint32_t)(at[special - PTXS_clusterid_x] /
				  each[special - PTXS_clusterid_x]);
	if (special <= PTXS_nclusterid_z)
		return grid[special - PTXS_nclusterid_x] /
		       each[special - PTXS_nclusterid_x];
	if (special <= PTXS_cluster_ctaid_z)
		return (uint32_t)(at[special - PTXS_cluster_ctaid_x] %
				  each[special - PTXS_cluster_ctaid_x]);
	return each[special - PTXS_cluster_nctaid_x];
}

/* Of the system's memory, as an H100 has it. */
static uint64_t reserved_offset(uint8_t special, uint64_t bytes)
{
	return special == PTXS_reserved_smem_offset_end   ? 0x120
	       : special == PTXS_reserved_smem_offset_cap ? bytes
							  : 0;
}

/* Of all lanes of a warp, or of its first lane. */
static uint32_t special_value(
	const struct execution *x, uint32_t warp, uint8_t special)
{
	const struct grid *g = x->grid;
	const struct warp *w = &x->warps[warp];
	const struct job_launch *l = g->launch;
	const uint64_t reserved = x->core->cost.shared_reserved_bytes;
	uint64_t block = g->blocks[w->block_index].number;

	switch (special) {
	case PTXS_ctaid_x:
		return (uint32_t)(block % l->grid[0]);
	case PTXS_ctaid_y:
		return (uint32_t)(block / l->grid[0] % l->grid[1]);
	case PTXS_ctaid_z:
		return (uint32_t)(block / l->grid[0] / l->grid[1]);
	case PTXS_ntid_x:
	case PTXS_ntid_y:
	case PTXS_ntid_z:
		return l->block[special - PTXS_ntid_x];
	case PTXS_nctaid_x:
	case PTXS_nctaid_y:
	case PTXS_nctaid_z:
		return l->grid[special - PTXS_nctaid_x];
	case PTXS_warpid:
		return w->index;
	case PTXS_nwarpid:
		return x->core->cost.warps_per_sm;
	case PTXS_smid:
		return w->sm;
	case PTXS_nsmid:
		return x->core->cost.sm_count;
	case PTXS_dynamic_smem_size:
		return (uint32_t)l->shared_bytes;
	case PTXS_aggr_smem_size:
		return (uint32_t)(g->code.shared_bytes + l->shared_bytes +
				  reserved);
	case PTXS_envreg1:
		return (uint32_t)(g->words >> 32);
	case PTXS_envreg2:
		return (uint32_t)g->words;
	case PTXS_total_smem_size:
		return (uint32_t)((g->shared_own_bytes + 127) & ~UINT64_C(127));
	case PTXS_reserved_smem_offset_begin:
	case PTXS_reserved_smem_offset_end:
	case PTXS_reserved_smem_offset_cap:
	case PTXS_reserved_smem_offset_0:
	case PTXS_reserved_smem_offset_1:
		return (uint32_t)(cluster_base(g, w->block_index) +
				  g->shared_bytes - reserved +
				  reserved_offset(special, reserved));
	default:
		return special >= PTXS_clusterid_x &&
				       special <= PTXS_is_explicit_cluster
			       ? cluster_value(x, w->block_index, special)
			       : 0;
	}
}

static uint32_t lane_value(uint8_t special, unsigned lane)
{
	switch (special) {
	case PTXS_laneid:
		return lane;
	case PTXS_lanemask_eq:
		return 1u << lane;
	case PTXS_lanemask_le:
		return UINT32_MAX >> (31 - lane);
	case PTXS_lanemask_lt:
		return (1u << lane) - 1;
	case PTXS_lanemask_ge:
		return UINT32_MAX << lane;
	default:
		return lane == 31 ? 0 : UINT32_MAX << (lane + 1);
	}
}

/* A thread's place in its block. */
static void fill_places(
	const struct execution *x, uint32_t warp, uint8_t special, row_u32 *row)
{
	const struct job_launch *l = x->grid->launch;
	uint32_t thread = x->warps[warp].index * LANES, lane;
	uint32_t place[3] = {thread % l->block[0],
		thread / l->block[0] % l->block[1],
		thread / l->block[0] / l->block[1]};

	/* Side by side in a row of the block. */
	if (place[0] + LANES <= l->block[0]) {
		const uint32_t step = special == PTXS_tid_x;

		for (lane = 0; lane < LANES; lane++)
			row[lane] = place[special - PTXS_tid_x] + lane * step;
		return;
	}
	for (lane = 0; lane < LANES; lane++) {
		row[lane] = place[special - PTXS_tid_x];
		if (++place[0] < l->block[0])
			continue;
		place[0] = 0;
		if (++place[1] < l->block[1])
			continue;
		place[1] = 0;
		place[2]++;
	}
}

static void fill_special(
	const struct execution *x, uint32_t warp, uint8_t special, void *row)
{
	const bool is_wide = ptx_specials[special].bits == 64;
	uint32_t value, lane;

	if (special <= PTXS_tid_z) {
		fill_places(x, warp, special, row);
		return;
	}
	if (special == PTXS_laneid ||
		(special >= PTXS_lanemask_eq && special <= PTXS_lanemask_gt)) {
		for (lane = 0; lane < LANES; lane++)
			((row_u32 *)row)[lane] = lane_value(special, lane);
		return;
	}
	value = special_value(x, warp, special);
	if (is_wide)
		for (lane = 0; lane < LANES; lane++)
			((row_u64 *)row)[lane] = value;
	else
		for (lane = 0; lane < LANES; lane++)
			((row_u32 *)row)[lane] = value;
}

/* Addresses of shared memory, which have the block's rank in them. */
static void fill_home(const struct code_home *home, uint64_t base, void *row)
{
	uint32_t lane;

	for (lane = 0; lane < LANES; lane++)
		if (home->is_wide)
			((row_u64 *)row)[lane] = home->bits + base;
		else
			((row_u32 *)row)[lane] = (uint32_t)(home->bits + base);
}

void block_begin_warp(const struct execution *x, uint32_t warp)
{
	const struct code *code = &x->grid->code;
	uint8_t *rows = kernel_rows(x->grid, &x->grid->warps[warp]);
	uint32_t i;

	x->grid->warps[warp].begun = 1;
	for (i = 0; i < code->special_count; i++)
		fill_special(x, warp, code->specials[i].special,
			rows + code->specials[i].offset);
	for (i = 0; i < code->home_count; i++)
		fill_home(&code->homes[i],
			cluster_base(x->grid, x->warps[warp].block_index),
			rows + code->homes[i].offset);
}

/* ---- blocks ---- */

static void open_warp(struct execution *x, uint32_t slot, uint32_t index)
{
	struct grid *g = x->grid;
	uint32_t number = slot * g->block_warps + index;
	uint32_t left = g->block_threads - index * LANES;
	struct warp *w = &x->warps[number];
	struct kernel_warp *k = &g->warps[number];
	/* What the slot's last warp stored may still be under way. */
	const uint32_t loose = w->loose, far = w->far;

	*w = (struct warp){
		.block_index = slot,
		.index = index,
		.global = (uint32_t)g->blocks[slot].number * g->block_warps +
			  index,
		.sm = x->blocks[slot].sm,
		.loose = loose,
		.far = far,
		.next = NONE,
	};
	k->paths[0] = (struct path){
		.meets = UINT32_MAX,
		.mask = left < LANES ? (1u << left) - 1 : UINT32_MAX,
	};
	k->depth = 1;
	k->carry = k->spins = k->polls = 0;
	k->group = k->told_count = 0;
	k->products_group = 0;
	k->product_over = 0;
	k->products_pending = 0;
	k->arrived = k->passes = 0;
	k->registers = (uint16_t)((g->registers + REGISTERS_UNIT - 1) /
				  REGISTERS_UNIT * REGISTERS_UNIT);
	k->remote_over = 0;
	k->pipe_booked = 0;
	k->begun = 0;
	k->stored = k->polled = 0;
	k->computed = k->known = 0;
	k->part = k->awaited = 0;
	k->run_pc = 0;
	memset(k->marks, 0, g->code.slot_count * sizeof(*k->marks));
	calls_open(g->calls, number);
	x->live++;
}

void block_open(
	struct execution *x, uint32_t slot, uint32_t sm, uint64_t earliest)
{
	struct grid *g = x->grid;
	struct kernel_block *b = &g->blocks[slot];
	const uint64_t turn = g->next_block++;
	uint32_t i;

	x->blocks[slot] = (struct block){
		.first_warp = slot * g->block_warps,
		.live = g->block_warps,
		.waiting = NONE,
		.sm = (uint16_t)sm,
	};
	b->number = g->cluster_blocks == 1
			    ? turn
			    : cluster_block(g, turn / g->cluster_blocks,
				      cluster_rank(g, slot));
	b->spare = 0;
	b->wanting = NONE;
	if (g->clusters && !cluster_rank(g, slot))
		g->clusters[slot / g->cluster_blocks] = (struct kernel_cluster){
			.alive = g->cluster_blocks * g->block_threads,
			.waiting = NONE,
		};
	for (i = 0; i < BARRIERS; i++) {
		b->arrived[i] = b->wanted[i] = 0;
		b->threads[i] = b->truths[i] = 0;
		b->waiting[i] = NONE;
	}
	b->asleep = NONE;
	b->triggered = b->waited = b->is_told = false;
	order_open(g, slot);
	for (i = 0; i < g->block_warps; i++)
		open_warp(x, slot, i);
	if (g->trace)
		replay_open(g, slot);
	start_of_kernel(x, slot,
		turn >= g->slot_count           ? START_IN_PLACE
		: turn < x->core->cost.sm_count ? START_FIRST
						: START_BESIDE,
		earliest);
	/* A warp is resident before it can issue. */
	for (i = 0; i < g->block_warps; i++) {
		struct kernel_warp *k = &g->warps[slot * g->block_warps + i];

		k->since = x->warps[slot * g->block_warps + i].ready -
			   x->core->cost.kernel_first_cycles;
		k->resident_since = k->since;
		k->group_copies = NONE;
		k->nap = (struct nap){.number = k->nap.number};
		profile_why(k, JOB_WAIT_ISSUE, 0);
	}
}

/* The chip takes the ends of blocks one after the other: then others can come
   in their place. */
static uint64_t take_end(struct execution *x)
{
	struct grid *g = x->grid;
	uint64_t taken = serve(g->ends, SENDER_NOBODY, core_now(x->core),
		x->core->cost.launch_chip_block_ticks);

	g->last_cycle = taken > g->last_cycle ? taken : g->last_cycle;
	return taken;
}

static bool cluster_has_ended(const struct execution *x, uint32_t slot)
{
	const uint32_t first = cluster_first(x->grid, slot);
	uint32_t i;

	for (i = first; i < first + x->grid->cluster_blocks; i++)
		if (x->blocks[i].live)
			return false;
	return true;
}

void grid_warp_ended(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	uint64_t now = core_now(x->core), taken;
	struct warp *w = &x->warps[warp];
	struct block *b = &x->blocks[w->block_index];

	w->state = WARP_DONE;
	if (g->profile) {
		const uint64_t since = g->warps[warp].resident_since;

		g->profile->warp_cycles += (double)(now - since);
		residents_warp(g->residents, w->sm, since, now);
		if (x->core->lives)
			lives_ended(x->core->lives, warp, (double)now);
	}
	x->live--;
	if (--b->live)
		return;
	if (x->core->progress)
		atomic_fetch_add_explicit(
			&x->core->progress->ended, 1, memory_order_relaxed);
	order_close(x, warp);
	taken = take_end(x);
	now += 1 + x->core->cost.launch_latency_cycles;
	if (!cluster_has_ended(x, w->block_index))
		return;
	(g->beside ? g->beside->vacated : deal_place)(
		x, cluster_first(g, w->block_index), now > taken ? now : taken);
}

/* A cluster's blocks begin together. */
void block_refill(struct execution *x, uint32_t slot, uint64_t earliest)
{
	uint32_t i;

	for (i = slot; i < slot + x->grid->cluster_blocks; i++)
		block_open(x, i, x->blocks[i].sm, earliest);
}
