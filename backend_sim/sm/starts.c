/* When the blocks of a launch start, and their warps. */
#include <math.h>

#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/starts.h"
#include "harness/program/launch.h"

/* When a warp of a block starts, after the block: one after the other,
   `stagger` ticks apart. Of a program the first one reads clocks before it
   begins and starts behind the others. */
static uint64_t start_of(const struct execution *x, const struct block *b,
	uint32_t i, uint32_t stagger)
{
	if (x->grid)
		return (uint64_t)i * stagger / TICKS_A_CYCLE +
		       x->core->cost.kernel_first_cycles;
	if (i || b->live < 2 || !stagger)
		return (uint64_t)i * stagger / TICKS_A_CYCLE;
	return (uint64_t)(b->live - 1) * stagger / TICKS_A_CYCLE +
	       x->core->cost.launch_first_cycles;
}

void start_block(struct execution *x, const struct block *b, uint64_t cycle,
	uint32_t stagger, uint32_t first)
{
	struct core *core = x->core;
	uint32_t i;

	for (i = 0; i < b->live; i++) {
		struct warp *w = &x->warps[b->first_warp + i];

		w->state = WARP_READY;
		w->ready = cycle + start_of(x, b, i, stagger);
		w->first_ticks = first;
		w->scheduler = (uint8_t)(x->sms[b->sm].dealt++ %
					 core->cost.schedulers);
		event_push(core, b->first_warp + i, AT_WARP, w->ready);
	}
}

/* An SM launches one block after the other, and each of its warps takes time:
   measured on an H200 as the distance of the starts of a grid's blocks. */
static uint64_t launch_on_sm(struct execution *x, const struct block *b,
	uint64_t sent, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	uint64_t done = serve(&x->sms[b->sm].launch, SENDER_NOBODY, sent,
		cost->launch_block_ticks +
			(uint64_t)b->live * cost->launch_warp_ticks);

	return done < earliest ? earliest : done;
}

/* So do the chip and each GPC. What warps issue before their work they issue
   beside the work of other blocks: by what that takes alone they start
   earlier, as the distances of blocks were measured behind it. */
static void launch(struct execution *x, const struct block *b,
	uint64_t earliest, uint32_t first, uint32_t chip_ticks)
{
	const struct costs *cost = &x->core->cost;
	uint64_t named = serve(
		&x->launch_chip, SENDER_NOBODY, core_now(x->core), chip_ticks);
	uint64_t sent = serve(&x->launch_gpc[x->core->floor.sms[b->sm].gpc],
		SENDER_NOBODY, named,
		cost->launch_gpc_block_ticks +
			(uint64_t)b->live * cost->launch_gpc_warp_ticks);

	uint64_t begin = launch_on_sm(x, b, sent, earliest);
	uint64_t alone = first / TICKS_A_CYCLE;

	begin = begin > named + alone ? begin - alone : named;
	start_block(x, b, begin, cost->launch_stagger_ticks, first);
}

void start_next(struct execution *x, const struct block *b, uint64_t earliest,
	uint32_t first)
{
	launch(x, b, earliest, first, x->core->cost.launch_chip_block_ticks);
}

void start_beside(struct execution *x, const struct block *b, uint64_t earliest)
{
	launch(x, b, earliest, x->core->cost.prologue_issue_ticks,
		x->core->cost.launch_chip_first_ticks);
}

/* Which one of so many blocks is early. */
static uint32_t draw_early(const struct execution *x, uint32_t count)
{
	return (uint32_t)permute_draw(
		x->p->seed, STREAM_START, x->block_count, count);
}

/* Blocks start at different times, each by what `who` draws. Where all have one
   role, one is early and the others start near the end of the spread; not those
   of a kernel, of which half start within half of it
   (results/probes/start_skew.tsv). */
static uint64_t late(const struct execution *x, uint32_t who, uint32_t early,
	uint64_t spread)
{
	uint64_t gap = x->grid || x->step->role_count > 1
			       ? 0
			       : (uint64_t)(x->core->cost.start_gap_share *
					    (double)spread);

	if (x->block_count < 2 || (gap && who == early))
		return 0;
	return gap + permute_draw(x->p->seed, STREAM_START, who,
			     (uint32_t)(spread - gap) + 1);
}

static uint32_t at_most_sms(const struct execution *x, uint32_t count)
{
	return count < x->core->cost.sm_count ? count : x->core->cost.sm_count;
}

/* The SMs of a TPC see that all blocks are there at the same time. */
static uint32_t tpc_of(const struct execution *x, uint32_t block)
{
	const struct floor_sm *sm = &x->core->floor.sms[x->blocks[block].sm];

	return RULE(TPC_STARTS) ? (uint32_t)sm->gpc << 16 | sm->tpc : block;
}

void start_together(struct execution *x, uint32_t block, uint64_t cycle)
{
	const struct costs *cost = &x->core->cost;
	uint64_t spread = cost->start_spread_cycles +
			  (uint64_t)at_most_sms(x, x->block_count) *
				  cost->start_spread_block_ticks /
				  TICKS_A_CYCLE;

	uint32_t early = draw_early(x, x->block_count);

	start_block(x, &x->blocks[block],
		cycle + late(x, tpc_of(x, block), tpc_of(x, early), spread),
		cost->launch_stagger_ticks, 0);
}

/* More warps of a block begin no later: they issue beside each other. */
#define BEGIN_WARPS_MAX 8

/* By how many cycles the first blocks of SMs are later than the early one,
   beside what they draw. */
static uint64_t first_cycles(
	const struct execution *x, const struct block *b, uint32_t sms)
{
	const struct costs *cost = &x->core->cost;
	double ticks = cost->launch_begin_block_ticks +
		       cost->launch_begin_warps_ticks *
			       log2(fmin(b->live, BEGIN_WARPS_MAX));

	return (uint64_t)(sms * ticks / TICKS_A_CYCLE);
}

/* A kernel's grid, or a launch of one role that does not name its SMs. */
static bool is_plain(const struct execution *x)
{
	return x->grid ||
	       (x->step->role_count == 1 &&
		       launch_role(x->p, x->step, 0)->place == PLACE_BLOCKS);
}

/* Of a role that names its SMs; a grid has one on each before a second. */
static uint32_t blocks_of_an_sm(const struct execution *x)
{
	return is_plain(x) || x->step->role_count > 1
		       ? 1
		       : launch_role(x->p, x->step, 0)->blocks;
}

/* Sent from cycle `from` on. */
static void start_apart(
	struct execution *x, uint32_t block, uint64_t from, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	const struct block *b = &x->blocks[block];
	uint32_t each = blocks_of_an_sm(x);
	uint32_t sms = at_most_sms(x, x->block_count / each);
	uint64_t spread = is_plain(x) && block < x->core->floor.gpc_count
				  ? cost->launch_spread_gpc_cycles
				  : cost->launch_spread_cycles;
	uint64_t by = late(x, block, draw_early(x, sms) * each, spread);
	uint64_t done = launch_on_sm(x, b, from + by, earliest);

	start_block(x, b, done + (by ? first_cycles(x, b, sms) : 0),
		cost->launch_stagger_ticks, 0);
}

void start_first(struct execution *x, uint32_t block, uint64_t earliest)
{
	start_apart(x, block, core_now(x->core), earliest);
}

void start_of_kernel(
	struct execution *x, uint32_t block, bool is_first, uint64_t earliest)
{
	if (is_first)
		start_apart(x, block, earliest, earliest);
	else
		launch(x, &x->blocks[block], earliest, 0,
			x->core->cost.launch_chip_first_ticks);
}
