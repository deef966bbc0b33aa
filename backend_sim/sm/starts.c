/* When the blocks of a launch start, and their warps. */
#include <math.h>

#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/sm/starts.h"

static uint32_t at_most_sms(const struct execution *x, uint32_t count)
{
	return count < x->core->cost.sm_count ? count : x->core->cost.sm_count;
}

/* The grid's first instructions come to one scheduler after the other. */
static bool comes_by_fetch(const struct execution *x, enum block_start how)
{
	return how != START_IN_PLACE && x->is_warm &&
	       x->core->cost.launch_fetch_ticks;
}

/* SMs of the GPC on which the grid begins, if each GPC has its share. */
static uint64_t sms_beside(const struct execution *x, uint32_t sm)
{
	const struct floor *f = &x->core->floor;
	const uint32_t count = at_most_sms(x, x->block_count);
	uint64_t sms = 0;
	uint32_t i;

	for (i = 0; i < f->sm_count; i++)
		sms += f->sms[i].gpc == f->sms[sm].gpc;
	return (sms * count + f->sm_count - 1) / f->sm_count;
}

/*
 * The first warp of each scheduler of an SM waits for the grid's first
 * instructions, which a GPC brings to its SMs in turn. The schedulers of one
 * block ask together, and two are served at once. A further block asks when
 * the SM's first one is served. From `cycle` on for the SM's first warp.
 */
static void fetch_first(
	struct execution *x, const struct block *b, uint64_t cycle)
{
	const struct costs *cost = &x->core->cost;
	struct sm *sm = &x->sms[b->sm];
	const uint32_t before = sm->dealt;
	uint32_t i, end = before + b->live;
	uint64_t round;

	if (before >= cost->schedulers)
		return;
	if (!before)
		sm->begun = cycle;
	round = sms_beside(x, b->sm) * cost->launch_fetch_ticks;
	for (i = before; i < end && i < cost->schedulers; i++)
		sm->fetched[i] =
			sm->begun + (before ? round * (i + 1) : round * i / 2) /
					    TICKS_A_CYCLE;
}

/* The block's warps start at `cycle`, one after the other. */
static void start_block(struct execution *x, const struct block *b,
	enum block_start how, uint64_t cycle)
{
	struct core *core = x->core;
	const struct costs *cost = &core->cost;
	const bool fetches = comes_by_fetch(x, how);
	const uint64_t stagger = fetches ? cost->launch_first_warp_ticks
					 : cost->launch_stagger_ticks;
	struct sm *sm = &x->sms[b->sm];
	uint32_t i;

	if (fetches)
		fetch_first(x, b, cycle);
	for (i = 0; i < b->live; i++) {
		struct warp *w = &x->warps[b->first_warp + i];
		uint64_t begin = cycle + i * stagger / TICKS_A_CYCLE;

		w->state = WARP_READY;
		w->scheduler = (uint8_t)(sm->dealt++ % cost->schedulers);
		if (fetches && begin < sm->fetched[w->scheduler])
			begin = sm->fetched[w->scheduler];
		w->ready = begin + cost->kernel_first_cycles;
		event_push(core, b->first_warp + i, AT_WARP, w->ready);
	}
}

/* An SM launches one block after the other, and each of its warps takes time:
   measured on an H200 as the distance of the starts of a grid's blocks. */
static uint64_t launch_on_sm(struct execution *x, const struct block *b,
	enum block_start how, uint64_t sent, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	const uint64_t ticks =
		comes_by_fetch(x, how)
			? (uint64_t)b->live * cost->launch_first_warp_ticks
			: cost->launch_block_ticks +
				  (uint64_t)b->live * cost->launch_warp_ticks;
	uint64_t done =
		serve(&x->sms[b->sm].launch, SENDER_NOBODY, sent, ticks);

	return done < earliest ? earliest : done;
}

/* So do the chip and each GPC. */
static void launch(struct execution *x, const struct block *b,
	enum block_start how, uint64_t earliest)
{
	const struct costs *cost = &x->core->cost;
	uint64_t named = serve(&x->launch_chip, SENDER_NOBODY,
		core_now(x->core), cost->launch_chip_first_ticks);
	uint64_t sent = serve(&x->launch_gpc[x->core->floor.sms[b->sm].gpc],
		SENDER_NOBODY, named,
		cost->launch_gpc_block_ticks +
			(uint64_t)b->live * cost->launch_gpc_warp_ticks);
	uint64_t begin = launch_on_sm(x, b, how, sent, earliest);

	start_block(x, b, how, begin > named ? begin : named);
}

/* Blocks start at different times, each by what it draws: half start within
   half of the spread (results/probes/start_skew.tsv). */
static uint64_t late(const struct execution *x, uint32_t block, uint64_t spread)
{
	if (x->block_count < 2)
		return 0;
	return permute_draw(x->seed, STREAM_START, block, (uint32_t)spread + 1);
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
	uint64_t done = launch_on_sm(x, b, START_FIRST, from + by, earliest);

	start_block(
		x, b, START_FIRST, done + (by ? first_cycles(x, b, sms) : 0));
}

void start_of_kernel(struct execution *x, uint32_t block, enum block_start how,
	uint64_t earliest)
{
	if (how == START_FIRST)
		start_apart(x, block, earliest, earliest);
	else
		launch(x, &x->blocks[block], how, earliest);
}
