/* When the blocks of a launch start, and their warps. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/sm/starts.h"

/* When a warp of a block starts, after the block: one after the other,
   `stagger` ticks apart. Of a program the first one reads clocks before it
   begins and starts behind the others. */
static uint64_t start_of(const struct execution *x, const struct block *b,
	uint32_t i, uint32_t stagger)
{
	if (i || b->live < 2 || !stagger || x->grid)
		return (uint64_t)i * stagger / TICKS_A_CYCLE;
	return (uint64_t)(b->live - 1) * stagger / TICKS_A_CYCLE +
	       x->core->cost.launch_first_cycles;
}

void start_block(struct execution *x, const struct block *b, uint64_t cycle,
	uint32_t stagger)
{
	struct core *core = x->core;
	uint32_t i;

	for (i = 0; i < b->live; i++) {
		struct warp *w = &x->warps[b->first_warp + i];

		w->state = WARP_READY;
		w->ready = cycle + start_of(x, b, i, stagger);
		w->scheduler = (uint8_t)(x->sms[b->sm].dealt++ %
					 core->cost.schedulers);
		event_push(core, b->first_warp + i, AT_WARP, w->ready);
	}
}

/* The chip, a GPC and an SM launch one block after the other, and each of its
   warps takes time: measured on an H200 as the distance of the starts of a
   grid's blocks. What the warps do before their work begins when the block may
   start. The first block of an SM is late. */
void start_launched(struct execution *x, const struct block *b,
	uint64_t late_cycles, uint64_t earliest, uint32_t prologue_ticks,
	uint32_t chip_ticks)
{
	const struct costs *cost = &x->core->cost;
	uint64_t named =
		serve(&x->launch_chip_free, core_now(x->core), chip_ticks);
	uint64_t sent = serve(&x->launch_free[x->core->floor.sms[b->sm].gpc],
		named,
		cost->launch_gpc_block_ticks +
			(uint64_t)b->live * cost->launch_gpc_warp_ticks);
	uint64_t *sm = &x->sms[b->sm].launch_free;
	uint64_t done = serve(sm, sent + late_cycles,
		cost->launch_block_ticks +
			(uint64_t)b->live * cost->launch_warp_ticks);

	if (done < earliest)
		done = earliest;
	if (prologue_ticks)
		done = serve(sm, done, (uint64_t)b->live * prologue_ticks);
	start_block(x, b, done, cost->launch_stagger_ticks);
}

void start_next(struct execution *x, const struct block *b, uint64_t earliest,
	uint32_t prologue_ticks)
{
	start_launched(x, b, 0, earliest, prologue_ticks,
		x->core->cost.launch_chip_block_ticks);
}

/* Blocks start at different times: those of a grid as they come, those that
   wait for each other as their SM sees it, which takes longer the more SMs
   look. Where all have one role, one of them is early and the others start near
   the end of the spread. */
uint64_t start_late(const struct execution *x, uint32_t block, bool together)
{
	const struct costs *cost = &x->core->cost;
	uint32_t looks = x->block_count < cost->sm_count ? x->block_count
							 : cost->sm_count;
	uint64_t spread = cost->launch_spread_cycles, gap;

	if (x->block_count < 2)
		return 0;
	if (together)
		spread = cost->start_spread_cycles +
			 (uint64_t)looks * cost->start_spread_block_ticks /
				 TICKS_A_CYCLE;
	gap = x->step->role_count > 1
		      ? 0
		      : (uint64_t)(cost->start_gap_share * (double)spread);
	if (gap && block == permute_draw(x->p->seed, STREAM_START,
				    x->block_count, x->block_count))
		return 0;
	return gap + permute_draw(x->p->seed, STREAM_START, block,
			     (uint32_t)(spread - gap) + 1);
}
