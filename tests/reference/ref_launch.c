/* A launch: which blocks go to which SMs, and when they start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/ref.h"

static uint32_t warps_of(const struct role *role)
{
	return (role->threads + 31) / 32;
}

static const struct role *role_of(const struct reference *r, uint32_t i)
{
	return &r->p->roles[r->launch->role_first + i];
}

/* SMs first, first + stride, and so on; a count of 0 means all. */
static bool names(
	const struct reference *r, const struct role *role, uint32_t sm)
{
	uint32_t stride = role->sm_stride ? role->sm_stride : 1;
	uint32_t count = role->sm_count ? role->sm_count : r->sm_count;

	for (uint32_t i = 0; i < count; i++)
		if (role->place == PLACE_SMS &&
			role->sm_first + i * stride == sm)
			return true;
	return false;
}

static bool is_free(const struct reference *r, uint32_t sm)
{
	for (uint32_t i = 0; i < r->launch->role_count; i++)
		if (names(r, role_of(r, i), sm))
			return false;
	return true;
}

uint32_t ref_blocks(const struct reference *r, const struct role *role)
{
	uint32_t count = 0;

	if (role->place == PLACE_BLOCKS)
		return role->blocks;
	for (uint32_t sm = 0; sm < r->sm_count; sm++)
		if (role->place == PLACE_SMS ? names(r, role, sm)
					     : is_free(r, sm))
			count += role->blocks;
	return count;
}

/* Registers of a thread (program/launch.h states the rule): 16, one for each
   word that the loads by value of an iteration of the innermost loop bring, in
   all copies of its body, two for each random address; 32 to 248 by eights. */
uint32_t ref_registers(const struct reference *r)
{
	uint32_t most = 0, need;

	if (r->launch->registers)
		return r->launch->registers;
	for (uint32_t i = 0; i < r->launch->role_count; i++) {
		const struct role *role = role_of(r, i);
		uint32_t end = role->insn_first + role->insn_count;

		for (uint32_t k = role->insn_first; k < end; k++) {
			const struct insn *repeat = &r->p->insns[k];
			uint32_t words = 0, depth = 0, at = k;

			if (repeat->op != OP_REPEAT)
				continue;
			for (;;) {
				const struct insn *insn = &r->p->insns[++at];

				depth += insn->op == OP_REPEAT;
				if (insn->op == OP_END && depth-- == 0)
					break;
				if (depth)
					continue;
				if (insn->address.mode == ADDRESS_RANDOM)
					words += 2;
				if ((insn->op == OP_LD ||
					    insn->op == OP_ATOM) &&
					insn->address.mode != ADDRESS_CHASE)
					words +=
						(insn_lane_bytes(insn) + 3) / 4;
			}
			if (repeat->timing != TIMING_EACH && repeat->unroll)
				words *= repeat->unroll;
			if (words > most)
				most = words;
		}
	}
	need = (16 + most + 7) / 8 * 8;
	return need < 32 ? 32 : need > 248 ? 248 : need;
}

static uint64_t static_bytes(const struct reference *r);

/* Shared memory comes in units of 128 B. */
static uint64_t in_units(uint64_t bytes)
{
	return bytes % 128 ? bytes + 128 - bytes % 128 : bytes;
}

/* Blocks of a grid that an SM holds at a time. */
static uint32_t resident(const struct reference *r, const struct role *role)
{
	const double *value = r->machine->value;
	uint64_t shared =
		in_units(role->shared_bytes + static_bytes(r) +
			 (uint64_t)value[PARAMETER_shared_reserved_bytes]);
	uint64_t room = (uint64_t)(value[PARAMETER_l1_total_bytes] -
				   value[PARAMETER_l1_cache_min_bytes] +
				   value[PARAMETER_shared_reserved_bytes]);
	uint32_t count = 0;

	for (;;) { /* one more? */
		count++;
		if (count * warps_of(role) > REF_CYCLES_OF(r, warps_per_sm) ||
			count > REF_CYCLES_OF(r, blocks_per_sm) ||
			(uint64_t)count * warps_of(role) * 32 *
					ref_registers(r) >
				REF_CYCLES_OF(r, registers_per_sm) ||
			count * shared > room)
			break;
	}
	return count > 1 ? count - 1 : 1;
}

uint32_t ref_blocks_of_sm(const struct reference *r)
{
	const struct role *role = role_of(r, 0);

	return role->place == PLACE_BLOCKS ? resident(r, role) : role->blocks;
}

/* ---- blocks and warps, before they start ---- */

static void add_warp(struct reference *r, struct ref_block *b, uint32_t index)
{
	struct ref_warp *w = &r->warps[r->warp_count++];
	const struct role *role = b->role;
	uint32_t threads, i, lane;

	w->role = role;
	w->block = b;
	w->index = index;
	w->number = b->index * warps_of(role) + index;
	w->lanes = role->threads - 32 * index;
	if (w->lanes > role->lanes)
		w->lanes = role->lanes;
	w->pc = role->insn_first;
	threads = ref_blocks(r, role) * warps_of(role) * role->lanes;
	for (i = 0; i < r->p->buffer_count; i++) {
		const struct buffer *ring = &r->p->buffers[i];

		for (lane = 0; ring->fill == FILL_RING && lane < role->lanes;
			lane++)
			w->positions[i][lane] = chase_start(
				(uint32_t)buffer_ring_slots(ring), ring->rings,
				w->number * role->lanes + lane, threads);
	}
}

static void add_block(struct reference *r, const struct role *role,
	uint32_t index, uint32_t sm)
{
	struct ref_block *b = &r->blocks[r->block_count++];

	*b = (struct ref_block){
		.role = role,
		.index = index,
		.sm = &r->sms[sm],
		.warp_first = r->warp_count,
		.warp_count = warps_of(role),
		.live = warps_of(role),
	};
	for (uint32_t i = 0; i < b->warp_count; i++)
		add_warp(r, b, i);
}

static void add_placed(struct reference *r, const struct role *role)
{
	uint32_t index = 0;

	for (uint32_t sm = 0; sm < r->sm_count; sm++)
		if (role->place == PLACE_OTHERS ? is_free(r, sm)
						: names(r, role, sm))
			for (uint32_t i = 0; i < role->blocks; i++)
				add_block(r, role, index++, sm);
}

/* The SMs that no role names (the last SM, if there are none) in rounds, one
   block each. Of a round that is not full, SMs that the dealing of TPCs left
   over come first; then those with the fewest lower neighbours that are usable,
   too; ties go to the lowest number. Blocks of a round are numbered by SMs left
   over and not, by GPC, then by SM. */
static void add_anywhere(struct reference *r, const struct role *role)
{
	bool usable[REF_SMS] = {false}, chosen[REF_SMS];
	uint32_t per_tpc = (uint32_t)r->machine->value[PARAMETER_sms_per_tpc];
	uint32_t count = 0, index = 0, sm, gpc, left;

	for (sm = 0; sm < r->sm_count; sm++)
		count += usable[sm] = is_free(r, sm);
	if (!count)
		count = usable[r->sm_count - 1] = true;
	while (index < role->blocks) {
		left = role->blocks - index;
		for (sm = 0; sm < r->sm_count; sm++)
			chosen[sm] = usable[sm] && left >= count;
		for (uint32_t i = 0; left < count && i < left; i++) {
			uint32_t best = REF_SMS, best_rank = UINT32_MAX;

			for (sm = 0; sm < r->sm_count; sm++) {
				uint32_t rank = sm;

				for (uint32_t k = sm / per_tpc * per_tpc;
					k < sm; k++)
					rank += usable[k] * REF_SMS;
				if (!r->sms[sm].left_over)
					rank += REF_SMS * REF_SMS;
				if (usable[sm] && !chosen[sm] &&
					rank < best_rank) {
					best_rank = rank;
					best = sm;
				}
			}
			chosen[best] = true;
		}
		for (gpc = 0; gpc < 2 * r->gpc_count; gpc++)
			for (sm = 0; sm < r->sm_count; sm++)
				if (chosen[sm] &&
					r->sms[sm].gpc == gpc % r->gpc_count &&
					r->sms[sm].left_over ==
						(gpc < r->gpc_count))
					add_block(r, role, index++, sm);
	}
}

/* ---- starting ---- */

/* `apart`: ticks between the starts of its warps. */
static void start(struct reference *r, struct ref_block *b, uint64_t cycle,
	uint32_t apart, uint64_t to_begin)
{
	b->started = true;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct ref_warp *w = &r->warps[b->warp_first + i];

		w->to_begin = to_begin;
		w->ready = cycle + (uint64_t)i * apart / REF_TICKS;
		/* The first one has more to do: it begins after all others. */
		if (i == 0 && b->warp_count > 1 && apart)
			w->ready += (b->warp_count - 1) * (uint64_t)apart /
					    REF_TICKS +
				    REF_CYCLES_OF(r, launch_first_cycles);
		w->scheduler = b->sm->dealt++ % REF_CYCLES_OF(r, schedulers);
		ref_send_warp(r, w, w->ready);
	}
}

/* The SM's share of launching a block that has been sent to it. */
static uint64_t through_sm(struct reference *r, const struct ref_block *b,
	uint64_t sent, uint64_t earliest)
{
	uint64_t warps = b->warp_count;
	uint64_t over = ref_serve(&b->sm->launches, sent,
		REF_TICKS_OF(r, launch_block_cycles) +
			warps * REF_TICKS_OF(r, launch_warp_cycles));

	return over > earliest ? over : earliest;
}

/* As a block of a plain grid: the chip, its GPC and its SM launch blocks one
   after the other. */
static void start_launched(struct reference *r, struct ref_block *b,
	uint64_t earliest, uint32_t chip_ticks)
{
	uint64_t named = ref_serve(&r->chip_launches, r->now, chip_ticks);
	uint64_t sent = ref_serve(&r->gpcs[b->sm->gpc].launches, named,
		REF_TICKS_OF(r, launch_gpc_block_cycles) +
			(uint64_t)b->warp_count *
				REF_TICKS_OF(r, launch_gpc_warp_cycles));

	uint64_t work = REF_TICKS_OF(r, prologue_issue_cycles);
	uint64_t cycle = through_sm(r, b, sent, earliest);

	/* at the end of what it has to issue, if it were alone */
	cycle = cycle <= named + work / REF_TICKS ? named
						  : cycle - work / REF_TICKS;
	start(r, b, cycle, REF_TICKS_OF(r, launch_stagger_cycles), work);
}

static struct ref_block *next_block(struct reference *r)
{
	for (uint32_t i = 0; i < r->block_count; i++)
		if (!r->blocks[i].started)
			return &r->blocks[i];
	return NULL;
}

/* The next block takes the place of one that has ended. */
static void replace(struct reference *r, struct ref_block *ended)
{
	struct ref_block *b = next_block(r);

	ended->vacated_stamp = 0;
	b->sm = ended->sm;
	start_launched(r, b,
		ended->ended_cycle + 1 +
			REF_CYCLES_OF(r, launch_latency_cycles) +
			REF_CYCLES_OF(r, prologue_cycles),
		REF_TICKS_OF(r, launch_chip_block_cycles));
}

/* Of the places on an SM the one that has been vacant longest. */
static struct ref_block *vacant(
	const struct reference *r, const struct ref_sm *sm)
{
	struct ref_block *first = NULL;

	for (uint32_t i = 0; i < r->block_count; i++) {
		struct ref_block *b = &r->blocks[i];

		if (b->vacated_stamp && (!sm || b->sm == sm) &&
			(!first || b->vacated_stamp < first->vacated_stamp))
			first = b;
	}
	return first;
}

static void await_round(struct reference *r)
{
	uint64_t cycle = r->now + 1;

	while (cycle % REF_CYCLES_OF(r, launch_round_cycles))
		cycle++;
	ref_send(r, NULL, REF_ROUND, cycle);
}

/* Each SM gets one block at most: SMs left over by the dealing of TPCs before
   others, then by GPC, then by number. */
void ref_round(struct reference *r, struct ref_request *none)
{
	uint32_t pass, sm;

	(void)none;
	for (pass = 0; pass < 2 * r->gpc_count; pass++)
		for (sm = 0; sm < r->sm_count; sm++) {
			struct ref_block *b = vacant(r, &r->sms[sm]);

			if (b && next_block(r) &&
				b->sm->gpc == pass % r->gpc_count &&
				b->sm->left_over == (pass < r->gpc_count))
				replace(r, b);
		}
	if (next_block(r) && vacant(r, NULL))
		await_round(r);
}

/* With turns, the next block starts; else the next of a grid that did not fit
   starts on the SM that has room now, in a round if there are such. */
void ref_block_ended(struct reference *r, struct ref_block *ended)
{
	struct ref_block *b = next_block(r);

	ended->ended_cycle = r->now;
	if (!b)
		return;
	if (r->launch->turns) {
		start(r, b, r->now + REF_CYCLES_OF(r, turn_cycles), 0, 0);
	} else if (!REF_CYCLES_OF(r, launch_round_cycles)) {
		replace(r, ended);
	} else {
		if (!vacant(r, NULL))
			await_round(r);
		ended->vacated_stamp = ++r->stamp;
	}
}

uint32_t ref_foreground(const struct reference *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->warp_count; i++)
		count += r->warps[i].state != REF_ENDED &&
			 !r->warps[i].role->background;
	return count;
}

/* Several roles, or one that names its SMs, start together, unless the launch
   says otherwise. */
static bool together(const struct reference *r)
{
	if (r->launch->start == START_TOGETHER)
		return true;
	if (r->launch->start == START_FREE)
		return false;
	return r->launch->role_count > 1 ||
	       role_of(r, 0)->place != PLACE_BLOCKS;
}

/* How late a block is: `who` draws that from a range. In a launch of one role
   nobody draws less than the gap, but for `early`: that one is not late. Nor is
   one alone. */
static uint64_t lateness(
	const struct reference *r, uint32_t who, uint32_t early, uint64_t range)
{
	uint64_t least = (uint64_t)floor(
		(double)range * r->machine->value[PARAMETER_start_gap_share]);

	if (r->launch->role_count > 1)
		least = 0;
	if (r->block_count == 1 || (least > 0 && who == early))
		return 0;
	return least +
	       permute_draw(r->p->seed, 18, who, (uint32_t)(range - least + 1));
}

static uint32_t no_more_than_sms(const struct reference *r, uint32_t count)
{
	return count < r->sm_count ? count : r->sm_count;
}

static uint32_t tpc_of(const struct ref_block *b)
{
	return b->sm->gpc * 65536 + b->sm->tpc;
}

/* Where SMs wait for each other the range is wider where more of them do. The
   blocks of a TPC are as late as each other, and any may be the early one. */
static uint64_t lateness_together(const struct reference *r, uint32_t block)
{
	uint64_t looks = no_more_than_sms(r, r->block_count);
	uint32_t early = (uint32_t)permute_draw(
		r->p->seed, 18, r->block_count, r->block_count);

	return lateness(r, tpc_of(&r->blocks[block]), tpc_of(&r->blocks[early]),
		REF_CYCLES_OF(r, start_spread_cycles) +
			REF_TICKS_OF(r, start_spread_block_cycles) * looks /
				REF_TICKS);
}

/* Of the blocks that come to their SM first one is early. The others are later
   by something for each SM, the more so the more warps a block has. */
static void start_first(struct reference *r, uint32_t block)
{
	struct ref_block *b = &r->blocks[block];
	const struct role *role = role_of(r, 0);
	bool grid = role->place == PLACE_BLOCKS || r->launch->role_count > 1;
	uint32_t on_each = grid ? 1 : role->blocks;
	uint32_t sms = no_more_than_sms(r, r->block_count / on_each);
	uint32_t early =
		(uint32_t)permute_draw(r->p->seed, 18, r->block_count, sms) *
		on_each;
	bool alone = role->place == PLACE_BLOCKS && r->launch->role_count < 2 &&
		     block < r->gpc_count;
	uint64_t late = lateness(r, block, early,
		alone ? REF_CYCLES_OF(r, launch_spread_gpc_cycles)
		      : REF_CYCLES_OF(r, launch_spread_cycles));
	uint64_t cycle = through_sm(r, b, r->now + late, r->now + 1);
	double doublings = fmin(log2(b->warp_count), 3);

	if (late > 0)
		cycle += (uint64_t)floor(
			sms *
			(REF_TICKS_OF(r, launch_begin_block_cycles) +
				REF_TICKS_OF(r, launch_begin_warps_cycles) *
					doublings) /
			REF_TICKS);
	start(r, b, cycle, REF_TICKS_OF(r, launch_stagger_cycles), 0);
}

static bool launched_before(const struct reference *r, uint32_t block)
{
	for (uint32_t i = 0; i < block; i++)
		if (r->blocks[i].sm == r->blocks[block].sm)
			return true;
	return false;
}

/* Blocks start in order, up to the first of a grid for which there is no
   room. */
static void start_all(struct reference *r)
{
	for (uint32_t i = 0; i < r->block_count; i++) {
		struct ref_block *b = &r->blocks[i];
		uint64_t cycle = r->now + 1;

		if (r->launch->turns) {
			start(r, b, cycle, 0, 0);
			return;
		}
		if (b->role->place == PLACE_BLOCKS &&
			b->index >= resident(r, b->role) * r->sm_count)
			return;
		if (together(r))
			start(r, b, cycle + lateness_together(r, i),
				REF_TICKS_OF(r, launch_stagger_cycles), 0);
		else if (!launched_before(r, i))
			start_first(r, i);
		else
			start_launched(r, b, cycle,
				REF_TICKS_OF(r, launch_chip_first_cycles));
	}
}

/* Static shared memory of a block (program/launch.h states it): 16 bytes, 8 a
   thread, 4 for each sample of a region that times every iteration. */
static uint64_t static_bytes(const struct reference *r)
{
	uint64_t threads = 0, samples = 0;

	for (uint32_t i = 0; i < r->launch->role_count; i++) {
		const struct role *role = role_of(r, i);
		uint32_t end = role->insn_first + role->insn_count;

		if (role->threads > threads)
			threads = role->threads;
		for (uint32_t k = role->insn_first; k < end; k++) {
			const struct insn *insn = &r->p->insns[k];

			if (insn->op == OP_REPEAT &&
				insn->timing == TIMING_EACH &&
				insn->count * warps_of(role) > samples)
				samples = insn->count * warps_of(role);
		}
	}
	return 16 + 8 * threads + 4 * samples;
}

/* Lines of L1 beside the shared memory that the launch takes: the least of the
   machine's steps. */
static uint32_t l1_lines(const struct reference *r)
{
	const double *value = r->machine->value;
	uint64_t steps = (uint64_t)value[PARAMETER_carveout_step_mask];
	double most = value[PARAMETER_l1_total_bytes] -
		      value[PARAMETER_l1_cache_min_bytes] +
		      value[PARAMETER_shared_reserved_bytes];
	double taken = most, left;
	uint64_t needed = 0, own = static_bytes(r);
	uint32_t i, lines;

	own += (uint64_t)value[PARAMETER_shared_reserved_bytes];
	for (i = 0; i < r->launch->role_count; i++) {
		const struct role *role = role_of(r, i);
		uint64_t blocks = role->blocks;

		if (role->place == PLACE_BLOCKS) {
			/* An SM has as many as fit, or as it gets. */
			blocks = (blocks - 1) / r->sm_count + 1;
			if (blocks > resident(r, role))
				blocks = resident(r, role);
		}
		if (in_units(role->shared_bytes + own) * blocks > needed)
			needed = in_units(role->shared_bytes + own) * blocks;
	}
	for (i = 64; i-- > 0;)
		if (steps >> i & 1 && i * UINT64_C(4096) >= needed &&
			i * UINT64_C(4096) < most)
			taken = (double)(i * UINT64_C(4096));
	left = value[PARAMETER_l1_total_bytes] - taken -
	       value[PARAMETER_l1_reserved_bytes];
	if (left < 0)
		left = 0;
	if (left > value[PARAMETER_l1_cache_bytes])
		left = value[PARAMETER_l1_cache_bytes];
	lines = (uint32_t)(left / PROGRAM_LINE_BYTES);
	return lines ? lines : 1;
}

int ref_launch(
	struct reference *r, const struct step *step, struct error *error)
{
	uint32_t blocks = 0, warps = 0, i;

	r->launch = step;
	for (i = 0; i < step->role_count; i++) {
		uint32_t count = ref_blocks(r, role_of(r, i));

		blocks += count;
		warps += count * warps_of(role_of(r, i));
	}
	r->blocks = calloc(blocks + 1, sizeof(*r->blocks));
	r->warps = calloc(warps + 1, sizeof(*r->warps));
	r->block_count = r->warp_count = 0;
	if (!r->blocks || !r->warps)
		return error_set(error, ERR_FAILED, "out of memory");
	ref_l1_launch(r, l1_lines(r));
	for (i = 0; i < r->sm_count; i++) {
		r->sms[i].dealt = 0;
		r->sms[i].stored_count = 0;
		r->sms[i].launches = (struct ref_server){0};
		r->sms[i].arrivals = (struct ref_server){0};
	}
	for (i = 0; i < r->gpc_count; i++)
		r->gpcs[i].launches = (struct ref_server){0};
	r->chip_launches = (struct ref_server){0};
	for (i = 0; i < step->role_count; i++)
		if (role_of(r, i)->place != PLACE_BLOCKS)
			add_placed(r, role_of(r, i));
	for (i = 0; i < step->role_count; i++)
		if (role_of(r, i)->place == PLACE_BLOCKS)
			add_anywhere(r, role_of(r, i));
	start_all(r);
	return 0;
}
