/* A launch: roles become blocks on SMs, blocks become warps. */
#include <stdlib.h>
#include <string.h>

#include "harness/program/account.h"
#include "backend_sim/core/engine.h"

#define BLOCKS_PER_SM_MAX 32
#define WARPS_MAX         (1u << 22)

static uint32_t warps_of(const struct role *role)
{
	return (role->threads + 31) / 32;
}

static const struct role *role_at(const struct engine *e, uint32_t i)
{
	return &e->p->roles[e->step->role_first + i];
}

static bool names_sm(
	const struct engine *e, const struct role *role, uint32_t sm)
{
	uint32_t stride = role->sm_stride ? role->sm_stride : 1;
	uint32_t count = role->sm_count ? role->sm_count : e->sm_count;

	return role->place == PLACE_SMS && sm >= role->sm_first &&
	       (sm - role->sm_first) % stride == 0 &&
	       (sm - role->sm_first) / stride < count;
}

static bool is_free(const struct engine *e, uint32_t sm)
{
	uint32_t i;

	for (i = 0; i < e->step->role_count; i++)
		if (names_sm(e, role_at(e, i), sm))
			return false;
	return true;
}

/* ---- memory for the launch ---- */

static int grow(void *items, uint32_t *capacity, uint32_t count, size_t size)
{
	void **at = items;
	void *larger;

	if (count <= *capacity)
		return 0;
	larger = realloc(*at, count * size);
	if (!larger)
		return -1;
	*at = larger;
	*capacity = count;
	return 0;
}

static int make_room(struct engine *e, struct error *error)
{
	uint64_t blocks = 0, warps = 0;
	uint32_t i;
	int failed;

	for (i = 0; i < e->step->role_count; i++) {
		const struct role *role = role_at(e, i);
		uint32_t count = role_blocks(e->p, role, e->sm_count);

		blocks += count;
		warps += (uint64_t)count * warps_of(role);
	}
	if (warps > WARPS_MAX)
		return error_set(error, ERR_SKIPPED,
			"launch '%s' has more than %u warps", e->step->name,
			WARPS_MAX);
	failed = grow(&e->blocks, &e->block_capacity, (uint32_t)blocks,
			 sizeof(*e->blocks)) ||
		 grow(&e->warps, &e->warp_capacity, (uint32_t)warps,
			 sizeof(*e->warps)) ||
		 grow(&e->positions, &e->position_capacity,
			 (uint32_t)warps * PROGRAM_WARP_LANES *
				 e->p->buffer_count,
			 sizeof(*e->positions)) ||
		 calendar_reserve(
			 &e->calendar, e->request_count + (uint32_t)warps);
	if (failed)
		return error_set(error, ERR_FAILED,
			"out of memory for %u warps", (unsigned)warps);
	return 0;
}

/* ---- warps ---- */

/* chase_start() of each lane, for every ring buffer. */
static void start_chases(
	struct engine *e, const struct warp *w, uint32_t threads)
{
	uint32_t buffer, lane;

	for (buffer = 0; buffer < e->p->buffer_count; buffer++) {
		const struct buffer *ring = &e->p->buffers[buffer];

		if (ring->fill != FILL_RING)
			continue;
		for (lane = 0; lane < w->lanes; lane++)
			e->positions[w->chase + buffer * PROGRAM_WARP_LANES +
				     lane] =
				chase_start((uint32_t)buffer_ring_slots(ring),
					ring->rings,
					w->global * w->lanes + lane, threads);
	}
}

static void add_warp(struct engine *e, uint32_t role_index, struct block *b,
	uint32_t block_index, uint32_t index)
{
	const struct role *role = role_at(e, role_index);
	struct warp *w = &e->warps[e->warp_count++];
	uint32_t blocks = role_blocks(e->p, role, e->sm_count);

	*w = (struct warp){
		.role = e->step->role_first + role_index,
		.pc = role->insn_first,
		.block = b->index,
		.block_index = block_index,
		.index = index,
		.global = b->index * warps_of(role) + index,
		.sm = b->sm,
		.lanes = (uint16_t)role->lanes,
		.active = (uint16_t)(role->threads - 32 * index < role->lanes
					     ? role->threads - 32 * index
					     : role->lanes),
		.next = NONE,
		.chase = e->position_count,
	};
	e->position_count += PROGRAM_WARP_LANES * e->p->buffer_count;
	start_chases(e, w, blocks * warps_of(role) * role->lanes);
	e->live++;
	if (!role->background)
		e->foreground_live++;
}

static void add_block(
	struct engine *e, uint32_t role_index, uint32_t index, uint32_t sm)
{
	uint32_t at = e->block_count++, i;
	struct block *b = &e->blocks[at];

	*b = (struct block){
		.role = e->step->role_first + role_index,
		.index = index,
		.first_warp = e->warp_count,
		.live = warps_of(role_at(e, role_index)),
		.waiting = NONE,
		.sm = (uint16_t)sm,
	};
	for (i = 0; i < b->live; i++)
		add_warp(e, role_index, b, at, i);
}

/* Blocks on each SM the role names, in the order of rank and claim. */
static void add_placed(struct engine *e, uint32_t role_index)
{
	const struct role *role = role_at(e, role_index);
	uint32_t sm, i, rank = 0;

	for (sm = 0; sm < e->sm_count; sm++) {
		bool mine = role->place == PLACE_OTHERS ? is_free(e, sm)
							: names_sm(e, role, sm);

		if (!mine)
			continue;
		for (i = 0; i < role->blocks; i++)
			add_block(e, role_index, rank * role->blocks + i, sm);
		rank++;
	}
}

/* Blocks dealt to the free SMs in turn, one on each before the second. */
static void add_anywhere(struct engine *e, uint32_t role_index)
{
	const struct role *role = role_at(e, role_index);
	uint32_t sm = e->sm_count - 1, i, tries;

	for (i = 0; i < role->blocks; i++) {
		for (tries = 0; tries < e->sm_count; tries++) {
			sm = (sm + 1) % e->sm_count;
			if (is_free(e, sm))
				break;
		}
		add_block(e, role_index, i, sm);
	}
}

/* ---- starting ---- */

static void start_block(struct engine *e, const struct block *b, uint64_t cycle)
{
	uint32_t i;

	for (i = 0; i < b->live; i++) {
		struct warp *w = &e->warps[b->first_warp + i];

		w->state = WARP_READY;
		w->ready = cycle;
		w->scheduler =
			(uint8_t)(e->sms[b->sm].dealt++ % e->cost.schedulers);
		engine_push_warp(e, b->first_warp + i, cycle);
	}
}

/* Blocks of a plain grid that an SM holds at once. */
static uint32_t resident(const struct engine *e, const struct role *role)
{
	uint32_t by_warps =
		(uint32_t)machine_get(e->machine, PARAMETER_warps_per_sm) /
		warps_of(role);

	if (by_warps > BLOCKS_PER_SM_MAX)
		by_warps = BLOCKS_PER_SM_MAX;
	return by_warps ? by_warps : 1;
}

/* Blocks that wait for each other see it at different times. */
static uint64_t late(const struct engine *e, uint32_t block)
{
	return e->block_count < 2 ? 0
				  : permute_draw(e->p->seed, 18, block,
					    e->cost.start_spread + 1);
}

static void start_blocks(struct engine *e)
{
	uint64_t cycle = e->calendar.now + 1;
	uint32_t i;

	if (e->step->turns) {
		e->queue_next = 1;
		start_block(e, &e->blocks[0], cycle);
		return;
	}
	for (i = 0; i < e->block_count; i++) {
		const struct role *role = &e->p->roles[e->blocks[i].role];

		if (role->place == PLACE_BLOCKS &&
			e->blocks[i].index >= resident(e, role) * e->sm_count)
			break;
		start_block(e, &e->blocks[i], cycle + late(e, i));
	}
	e->queue_next = i;
}

void launch_block_ended(struct engine *e, const struct block *ended)
{
	struct block *b;

	if (e->queue_next >= e->block_count)
		return;
	b = &e->blocks[e->queue_next++];
	if (e->step->turns) {
		start_block(e, b, e->calendar.now + e->cost.turn);
		return;
	}
	/* The queued block goes where one has ended. */
	if (b->sm != ended->sm) {
		uint32_t i;

		b->sm = ended->sm;
		for (i = 0; i < b->live; i++)
			e->warps[b->first_warp + i].sm = ended->sm;
	}
	start_block(e, b, e->calendar.now + 1);
}

/* What is set aside for the shared memory of an SM's blocks. The steps are
   those of compute capability 9.0 (CUDA C++ Programming Guide), of which
   older chips have fewer; that a driver takes the least that holds the
   blocks is assumed. */
static double carve(const struct engine *e, double shared_bytes)
{
	static const double steps_kib[] = {
		0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
	double most = machine_get(e->machine, PARAMETER_l1_total_bytes) -
		      machine_get(e->machine, PARAMETER_l1_cache_min_bytes);
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

/* L1 has what shared memory leaves it. */
static void divide_l1(struct engine *e)
{
	double cache = machine_get(e->machine, PARAMETER_l1_cache_bytes), left;
	bool reserves =
		machine_get(e->machine, PARAMETER_sm_arch) >= RESERVES_ARCH;
	uint64_t own = launch_static_bytes(e->p, e->step) +
		       (reserves ? RESERVED_BYTES : 0);
	uint64_t shared = 0;
	uint32_t i, lines;

	for (i = 0; i < e->step->role_count; i++) {
		const struct role *role = role_at(e, i);
		uint64_t bytes =
			(role->shared_bytes + own) *
			(role->place == PLACE_BLOCKS ? resident(e, role)
						     : role->blocks);

		shared = bytes > shared ? bytes : shared;
	}
	left = machine_get(e->machine, PARAMETER_l1_total_bytes) -
	       carve(e, (double)shared);
	lines = (uint32_t)((left < cache ? left : cache) / PROGRAM_LINE_BYTES);
	for (i = 0; i < e->sm_count; i++)
		e->sms[i].l1.lines_max = lines ? lines : 1;
}

static void find_makings(struct engine *e, const struct role *role)
{
	uint32_t blocks = role_blocks(e->p, role, e->sm_count), i;

	for (i = role->insn_first; i < role->insn_first + role->insn_count; i++)
		e->making_of[i] =
			(uint8_t)address_making(e->p, role, blocks, i);
}

int launch_start(struct engine *e, const struct step *step, struct error *error)
{
	uint32_t i;

	e->step = step;
	e->block_count = e->warp_count = e->position_count = 0;
	e->live = e->foreground_live = 0;
	chip_launch(e);
	divide_l1(e);
	if (make_room(e, error))
		return ERR_FAILED;
	for (i = 0; i < step->role_count; i++)
		find_makings(e, role_at(e, i));
	for (i = 0; i < step->role_count; i++)
		if (role_at(e, i)->place != PLACE_BLOCKS)
			add_placed(e, i);
	for (i = 0; i < step->role_count; i++)
		if (role_at(e, i)->place == PLACE_BLOCKS)
			add_anywhere(e, i);
	fetch_reset(e);
	if (e->block_count)
		start_blocks(e);
	return 0;
}
