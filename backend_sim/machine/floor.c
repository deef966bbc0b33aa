#include <math.h>
#include <stdlib.h>

#include "backend_sim/machine/floor.h"
#include "backend_sim/machine/streams.h"
#include "harness/program/permute.h"

double floor_draw(uint32_t seed, uint32_t index)
{
	return permute_draw(seed, STREAM_FLOOR, index, 65536) / 32767.5 - 1;
}

/* The GPCs of a side lie right and left of its middle in turn. */
static bool is_left(uint64_t sides, uint32_t gpc)
{
	uint64_t before = (UINT64_C(1) << gpc) - 1;
	uint64_t same = sides >> gpc & 1 ? sides : ~sides;

	return __builtin_parityll(same & before);
}

/* Left or right by the GPC, so far out by the CPC. */
static double sm_position(const struct costs *cost, const struct floor_sm *sm)
{
	const double out[GPC_CPCS] = {cost->floor_cpc_0_share,
		cost->floor_cpc_1_share, cost->floor_cpc_2_share};

	return (is_left(cost->gpc_side_mask, sm->gpc) ? -1 : 1) * out[sm->cpc];
}

/* Slices, too, leave the middle free. */
static double slice_position(const struct costs *cost, uint32_t slice)
{
	double where = floor_draw(cost->floor_seed, FLOOR_PLACES + slice);

	return (slice & 1 ? -1 : 1) *
	       (cost->floor_slice_mean_share +
		       cost->floor_slice_spread_share * where);
}

/* `slice` is its number on the chip. */
static uint16_t route(const struct costs *cost, const struct floor_sm *sm,
	uint32_t tpc, uint32_t slice)
{
	uint32_t seed = cost->floor_seed;
	double cycles =
		cost->l2_near_cycles +
		cost->floor_sm_cycles * floor_draw(seed, FLOOR_TPCS + tpc) +
		cost->floor_slice_cycles *
			floor_draw(seed, FLOOR_SLICES + slice) +
		cost->floor_product_cycles * sm_position(cost, sm) *
			slice_position(cost, slice);

	return (uint16_t)lround(cycles > 2 ? cycles : 2);
}

/* How many TPCs the rotation gives a GPC. */
static uint32_t rotation_tpcs(const struct costs *cost, uint32_t gpc)
{
	if (!cost->gpc_tpcs)
		return UINT32_MAX;
	return gpc < 16 ? cost->gpc_tpcs >> 4 * gpc & 15 : 0;
}

/* The GPC after `last` that takes one more; gpc_count: none does. */
static uint32_t next_gpc(
	const struct costs *cost, const uint32_t *tpcs, uint32_t last)
{
	uint32_t i, gpc;

	for (i = 1; i <= cost->gpc_count; i++) {
		gpc = (last + i) % cost->gpc_count;
		if (tpcs[gpc] < rotation_tpcs(cost, gpc))
			return gpc;
	}
	return cost->gpc_count;
}

static void place_sms(struct floor *f, const struct costs *cost)
{
	uint32_t tpcs[GPCS_MAX] = {0}, gpc = cost->gpc_count - 1, sm, i;
	bool rest = false;

	for (sm = 0; sm < f->sm_count; sm += cost->sms_per_tpc) {
		if (!rest)
			gpc = next_gpc(cost, tpcs, gpc);
		if (gpc == cost->gpc_count) {
			rest = true;
			gpc = cost->gpc_of_rest;
		}
		for (i = sm; i < sm + cost->sms_per_tpc && i < f->sm_count; i++)
			f->sms[i] = (struct floor_sm){
				.gpc = (uint8_t)gpc,
				.side = cost->l2_partitions == 2 &&
					cost->gpc_side_mask >> gpc & 1,
				.cpc = (uint8_t)(tpcs[gpc] % GPC_CPCS),
				.tpc = (uint16_t)tpcs[gpc],
				.rest = rest,
			};
		tpcs[gpc]++;
	}
}

static void order_sms(struct floor *f)
{
	uint32_t count = 0, gpc, sm;
	int rest;

	for (rest = 1; rest >= 0; rest--)
		for (gpc = 0; gpc < f->gpc_count; gpc++)
			for (sm = 0; sm < f->sm_count; sm++)
				if (f->sms[sm].rest == rest &&
					f->sms[sm].gpc == gpc)
					f->order[count++] = (uint16_t)sm;
}

int floor_init(struct floor *f, const struct costs *cost)
{
	uint32_t sm, slice;

	f->sm_count = cost->sm_count;
	f->gpc_count = cost->gpc_count;
	f->slices = cost->l2_slices_used / cost->l2_partitions;
	f->sms = calloc(f->sm_count, sizeof(*f->sms));
	f->route = calloc((size_t)f->sm_count * f->slices, sizeof(*f->route));
	f->order = calloc(f->sm_count, sizeof(*f->order));
	if (!f->sms || !f->route || !f->order)
		return -1;
	place_sms(f, cost);
	order_sms(f);
	for (sm = 0; sm < f->sm_count; sm++)
		for (slice = 0; slice < f->slices; slice++)
			f->route[sm * f->slices + slice] =
				route(cost, &f->sms[sm], sm / cost->sms_per_tpc,
					slice + f->sms[sm].side * f->slices);
	return 0;
}

void floor_free(struct floor *f)
{
	free(f->sms);
	free(f->route);
	free(f->order);
}
