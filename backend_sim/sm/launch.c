/* A launch: roles become blocks on SMs, blocks become warps. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sm/deal.h"
#include "backend_sim/sm/placement.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/residency.h"
#include "backend_sim/sm/starts.h"
#include "harness/program/launch.h"

#define WARPS_MAX (1u << 22)

/* ---- memory for the launch ---- */

/* What it holds is lost unless `keeps`: a launch begins with none. */
static int grow(void *items, uint32_t *capacity, uint32_t count, size_t size,
	bool keeps)
{
	void **at = items;
	void *larger;

	if (count <= *capacity)
		return 0;
	larger = memory_table(count, size);
	if (!larger)
		return -1;
	if (keeps && *at)
		memcpy(larger, *at, *capacity * size);
	free(*at);
	*at = larger;
	*capacity = count;
	return 0;
}

int launch_reserve(struct execution *x, uint32_t blocks, uint32_t warps,
	bool keeps, struct error *error)
{
	struct core *core = x->core;

	if (grow(&x->blocks, &x->block_capacity, blocks, sizeof(*x->blocks),
		    keeps) ||
		grow(&x->warps, &x->warp_capacity, warps, sizeof(*x->warps),
			keeps) ||
		(!keeps && calendar_reserve(&core->calendar,
				   core->request_count + warps)))
		return error_set(
			error, ERR_FAILED, "out of memory for %u warps", warps);
	return 0;
}

int launch_count(const struct program *p, const struct step *step,
	uint32_t sm_count, struct launch_counts *counts, struct error *error)
{
	uint64_t blocks = 0, warps = 0;
	uint32_t i;

	for (i = 0; i < step->role_count; i++) {
		const struct role *role = launch_role(p, step, i);
		uint32_t count = role_blocks(p, role, sm_count);

		blocks += count;
		warps += (uint64_t)count * role_warps(role);
	}
	if (warps > WARPS_MAX)
		return error_set(error, ERR_SKIPPED,
			"launch '%s' has more than %u warps", step->name,
			WARPS_MAX);
	*counts = (struct launch_counts){(uint32_t)blocks, (uint32_t)warps};
	return 0;
}

static int make_room(struct execution *x, struct error *error)
{
	struct launch_counts counts;
	int code = launch_count(
		x->p, x->step, x->core->cost.sm_count, &counts, error);

	if (code)
		return code;
	if (grow(&x->positions, &x->position_capacity,
		    counts.warps * PROGRAM_WARP_LANES * x->p->buffer_count,
		    sizeof(*x->positions), false))
		return error_set(error, ERR_FAILED,
			"out of memory for %u warps", counts.warps);
	return launch_reserve(x, counts.blocks, counts.warps, false, error);
}

/* ---- warps ---- */

/* chase_start() of each lane, for every ring buffer. */
static void start_chases(
	struct execution *x, const struct warp *w, const struct role *role)
{
	uint32_t threads = 0, buffer, lane;

	for (buffer = 0; buffer < x->p->buffer_count; buffer++) {
		const struct buffer *ring = &x->p->buffers[buffer];

		if (ring->fill != FILL_RING)
			continue;
		if (!threads)
			threads = role_blocks(
					  x->p, role, x->core->cost.sm_count) *
				  role_warps(role) * role->lanes;
		for (lane = 0; lane < w->lanes; lane++)
			x->positions[w->chase + buffer * PROGRAM_WARP_LANES +
				     lane] =
				chase_start((uint32_t)buffer_ring_slots(ring),
					ring->rings,
					w->global * w->lanes + lane, threads);
	}
}

static void add_warp(struct execution *x, uint32_t role_index, struct block *b,
	uint32_t block_index, uint32_t index)
{
	const struct role *role = launch_role(x->p, x->step, role_index);
	struct warp *w = &x->warps[x->warp_count++];

	*w = (struct warp){
		.role = x->step->role_first + role_index,
		.pc = role->insn_first,
		.block = b->index,
		.block_index = block_index,
		.index = index,
		.global = b->index * role_warps(role) + index,
		.sm = b->sm,
		.lanes = (uint16_t)role->lanes,
		.active =
			(uint16_t)(role->threads - PROGRAM_WARP_LANES * index <
						   role->lanes
					   ? role->threads -
						     PROGRAM_WARP_LANES * index
					   : role->lanes),
		.next = NONE,
		.chase = x->position_count,
	};
	x->position_count += PROGRAM_WARP_LANES * x->p->buffer_count;
	start_chases(x, w, role);
	x->live++;
	if (!role->background)
		x->foreground_live++;
}

static void add_block(
	struct execution *x, uint32_t role_index, uint32_t index, uint32_t sm)
{
	uint32_t at = x->block_count++, i;
	struct block *b = &x->blocks[at];

	*b = (struct block){
		.role = x->step->role_first + role_index,
		.index = index,
		.first_warp = x->warp_count,
		.live = role_warps(launch_role(x->p, x->step, role_index)),
		.waiting = NONE,
		.sm = (uint16_t)sm,
	};
	for (i = 0; i < b->live; i++)
		add_warp(x, role_index, b, at, i);
}

/* Blocks on each SM of the role, in the order of rank and claim. */
static void add_placed(struct execution *x, uint32_t role_index)
{
	uint32_t blocks = launch_role(x->p, x->step, role_index)->blocks;
	uint32_t sm, i;

	for (sm = 0; sm < x->core->cost.sm_count; sm++)
		if (x->slots[sm].role_plus_1 == role_index + 1)
			for (i = 0; i < blocks; i++)
				add_block(x, role_index,
					x->slots[sm].rank * blocks + i, sm);
}

static int add_anywhere(struct execution *x, uint32_t role_index)
{
	uint32_t blocks = launch_role(x->p, x->step, role_index)->blocks, i;
	uint16_t *sms = calloc(blocks + 1, sizeof(*sms));
	int code = sms ? placement_deal(x, blocks, sms) : ERR_FAILED;

	for (i = 0; !code && i < blocks; i++)
		add_block(x, role_index, i, sms[i]);
	free(sms);
	return code;
}

/* ---- starting ---- */

/* Blocks of the role that have room on the SMs at once. */
static uint64_t room(const struct execution *x, const struct role *role)
{
	return role->place == PLACE_BLOCKS
		       ? (uint64_t)residency_blocks(x, role) *
				 x->core->cost.sm_count
		       : UINT64_MAX;
}

static void start_blocks(struct execution *x)
{
	uint64_t cycle = core_now(x->core) + 1, most = 0;
	bool together = launch_starts_together(x->p, x->step);
	uint32_t i;

	if (x->step->turns) {
		x->queue_next = 1;
		x->queued = x->block_count - 1;
		start_block(x, &x->blocks[0], cycle, 0, 0);
		return;
	}
	for (i = 0; i < x->block_count; i++) {
		const struct block *b = &x->blocks[i];

		if (!i || b->role != b[-1].role)
			most = room(x, &x->p->roles[b->role]);
		if (b->index >= most)
			break;
		if (together)
			start_together(x, i, cycle);
		else if (!x->sms[b->sm].dealt)
			start_first(x, i, cycle);
		else
			start_beside(x, b, cycle);
	}
	x->queue_next = i;
	x->queued = x->block_count - i;
}

/* The queued block goes where one has ended. */
static void move_block(struct execution *x, struct block *b, uint16_t sm)
{
	uint32_t i;

	b->sm = sm;
	for (i = 0; i < b->live; i++)
		x->warps[b->first_warp + i].sm = sm;
}

void launch_refill(struct execution *x, uint32_t block, uint64_t earliest)
{
	struct block *b = &x->blocks[x->queue_next++];

	move_block(x, b, x->blocks[block].sm);
	start_next(x, b, earliest, x->core->cost.prologue_issue_ticks);
}

void launch_block_ended(struct execution *x, uint32_t ended)
{
	const struct costs *cost = &x->core->cost;
	uint64_t now = core_now(x->core);

	if (!x->step->turns) {
		deal_place(x, ended,
			now + 1 + cost->launch_latency_cycles +
				cost->prologue_cycles);
	} else if (x->queued) {
		x->queued--;
		start_block(x, &x->blocks[x->queue_next++],
			now + cost->turn_cycles, 0, 0);
	}
}

/* Slots at the end of an iteration of an unrolled loop, for addresses of its
   own accesses that wrap between iterations alone. Those that wrap within one
   take their slots copy by copy (address_making()). */
static uint32_t wrap_end_ticks(const struct execution *x,
	const struct role *role, uint32_t blocks, uint32_t repeat)
{
	uint32_t wraps = 0, i;

	if (x->p->insns[repeat].unroll < 2)
		return 0;
	for (i = execution_next_own(x, repeat); i < x->end_of[repeat];
		i = execution_next_own(x, i)) {
		const struct insn *insn = &x->p->insns[i];

		wraps += insn->op <= OP_RED &&
			 insn->address.mode == ADDRESS_AFFINE &&
			 address_wraps(x->p, role, blocks, i) &&
			 address_is_straight(x->p, role, blocks, i);
	}
	return wraps * x->core->cost.loop_wrap_issue_ticks;
}

/* What is the same for all warps that execute an instruction. */
static void prepare_insns(struct execution *x, const struct role *role)
{
	uint32_t blocks = role_blocks(x->p, role, x->core->cost.sm_count), i;

	for (i = role->insn_first; i < role->insn_first + role->insn_count;
		i++) {
		const struct insn *insn = &x->p->insns[i];

		x->making_of[i] =
			(uint8_t)address_making(x->p, role, blocks, i);
		x->wraps[i] = insn->op == OP_ST &&
			      insn->address.mode == ADDRESS_AFFINE &&
			      address_wraps(x->p, role, blocks, i);
		if (insn->op == OP_REPEAT)
			x->wrap_end_ticks[i] =
				wrap_end_ticks(x, role, blocks, i);
		qualifiers_ask(x, insn, &x->asks[i]);
	}
}

void launch_clear(struct execution *x, uint32_t l1_lines)
{
	uint32_t i;

	x->block_count = x->warp_count = x->position_count = 0;
	server_clear(&x->launch_chip);
	for (i = 0; i < GPCS_MAX; i++)
		server_clear(&x->launch_gpc[i]);
	x->live = x->foreground_live = 0;
	for (i = 0; i < x->core->cost.sm_count; i++) {
		x->sms[i].dealt = 0;
		server_clear(&x->sms[i].launch);
		server_clear(&x->sms[i].barrier);
		x->sms[i].stores.count = 0;
	}
	deal_clear(x);
	l1_launch(x->l1, l1_lines);
}

int launch_start(
	struct execution *x, const struct step *step, struct error *error)
{
	uint32_t i;
	int code;

	x->step = step;
	launch_clear(x, residency_l1_lines(x));
	code = make_room(x, error);
	if (code)
		return code;
	launch_slots(x->p, step, x->core->cost.sm_count, x->slots);
	for (i = 0; i < step->role_count; i++)
		prepare_insns(x, launch_role(x->p, x->step, i));
	for (i = 0; i < step->role_count; i++)
		if (launch_role(x->p, x->step, i)->place != PLACE_BLOCKS)
			add_placed(x, i);
	for (i = 0; i < step->role_count; i++)
		if (launch_role(x->p, x->step, i)->place == PLACE_BLOCKS &&
			add_anywhere(x, i))
			return error_set(error, ERR_FAILED,
				"out of memory for the blocks of launch '%s'",
				step->name);
	fetch_reset(&x->core->fetches);
	if (x->block_count)
		start_blocks(x);
	return 0;
}
