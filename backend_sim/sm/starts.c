/* When the blocks of a launch start, and their warps. */
#include <math.h>

#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/sm/starts.h"

/* The block's warps start at `cycle`, one after the other. */
static void start_block(
	struct execution *x, const struct block *b, uint64_t cycle)
{
	const uint32_t stagger = x->core->cost.launch_stagger_ticks;
	struct core *core = x->core;
	uint32_t i;

	for (i = 0; i < b->live; i++) {
		struct warp *w = &x->warps[b->first_warp + i];

		w->state = WARP_READY;
		w->ready = cycle + (uint64_t)i * stagger / TICKS_A_CYCLE +
			   core->cost.kernel_first_cycles;
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

/* So do the chip and each GPC. */
static void launch(
	struct execution *x, const struct block *b, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	uint64_t named = serve(&x->launch_chip, SENDER_NOBODY,
		core_now(x->core), cost->launch_chip_first_ticks);
	uint64_t sent = serve(&x->launch_gpc[x->core->floor.sms[b->sm].gpc],
		SENDER_NOBODY, named,
		cost->launch_gpc_block_ticks +
			(uint64_t)b->live * cost->launch_gpc_warp_ticks);
	uint64_t begin = launch_on_sm(x, b, sent, earliest);

	start_block(x, b, begin > named ? begin : named);
}

/* Blocks start at different times, each by what it draws: half start within
   half of the spread (results/probes/start_skew.tsv). */
static uint64_t late(const struct execution *x, uint32_t block, uint64_t spread)
{
	if (x->block_count < 2)
		return 0;
	return permute_draw(x->seed, STREAM_START, block, (uint32_t)spread + 1);
}

static uint32_t at_most_sms(const struct execution *x, uint32_t count)
{
	return count < x->core->cost.sm_count ? count : x->core->cost.sm_count;
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

/* Sent from cycle `from` on. */
static void start_apart(
	struct execution *x, uint32_t block, uint64_t from, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	const struct block *b = &x->blocks[block];
	uint32_t sms = at_most_sms(x, x->block_count);
	uint64_t spread = block < x->core->floor.gpc_count
				  ? cost->launch_spread_gpc_cycles
				  : cost->launch_spread_cycles;
	uint64_t by = late(x, block, spread);
	uint64_t done = launch_on_sm(x, b, from + by, earliest);

	start_block(x, b, done + (by ? first_cycles(x, b, sms) : 0));
}

void start_of_kernel(
	struct execution *x, uint32_t block, bool is_first, uint64_t earliest)
{
	if (is_first)
		start_apart(x, block, earliest, earliest);
	else
		launch(x, &x->blocks[block], earliest);
}
