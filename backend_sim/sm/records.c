/*
 * What the kernel of a program stores of its regions' times on silicon
 * (harness/lower/record.c): here it only takes the load/store pipe, as any
 * other store does. Left out: the first blocks of an SM, whose stores are over
 * before the others load; the barrier behind which the warps of a block store
 * together where no block waits for a place; the copies of single iterations'
 * times; and the store behind a fence.
 */
#include "backend_sim/core/server.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/residency.h"
#include "backend_sim/sm/warp_parts.h"

/* Of a block, by its first warp: its SM and both clocks before, both clocks
   behind; of a warp: when its region began and ended. */
#define BLOCK_BEGINS 2u
#define BLOCK_ENDS   1u
#define WARP_ENDS    1u

static uint32_t timed(const struct execution *x, const struct warp *w)
{
	uint32_t regions = 0;
	size_t i;

	for (i = 0; i < x->region_count; i++)
		regions += x->regions[i].role_index == w->role;
	return regions;
}

/* Of a plain grid in three waves or more those between the first and the last
   leave no records, unless single iterations are timed. */
static bool is_quiet(const struct execution *x, const struct warp *w)
{
	const struct role *role = &x->p->roles[w->role];
	uint32_t at_once;
	size_t i;

	if (role->place != PLACE_BLOCKS || x->step->role_count > 1)
		return false;
	at_once = residency_blocks(x, role) * x->core->cost.sm_count;
	if (role->blocks <= 2 * at_once || w->block < at_once ||
		w->block >= role->blocks - at_once)
		return false;
	for (i = 0; i < x->region_count; i++)
		if (x->regions[i].role_index == w->role &&
			x->regions[i].repeat->timing == TIMING_EACH)
			return false;
	return true;
}

static void charge(
	const struct execution *x, const struct warp *w, uint32_t stores)
{
	uint32_t all = stores * timed(x, w);

	if (RULE(RECORDS) && all && !is_quiet(x, w))
		serve(&x->sms[w->sm].lsu, SENDER_NOBODY, core_now(x->core),
			(uint64_t)all * x->core->cost.lsu_store_ticks);
}

void records_before(const struct execution *x, const struct warp *w)
{
	if (w->index == 0)
		charge(x, w, BLOCK_BEGINS);
}

void records_behind(const struct execution *x, const struct warp *w)
{
	charge(x, w, w->index == 0 ? WARP_ENDS + BLOCK_ENDS : WARP_ENDS);
}
