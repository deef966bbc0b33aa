#include <math.h>
#include <stdbool.h>
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

/* Left or right by the GPC, so far out by the CPC. TPCs belong to the GPCs in
   rotation, and within a GPC to its CPCs in rotation. */
static double sm_position(const struct costs *cost, uint32_t tpc)
{
	const double out[] = {cost->floor_cpc_0_share, cost->floor_cpc_1_share,
		cost->floor_cpc_2_share};

	return (is_left(cost->gpc_side_mask, tpc % cost->gpc_count) ? -1 : 1) *
	       out[tpc / cost->gpc_count % (sizeof(out) / sizeof(out[0]))];
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
static uint16_t route(const struct costs *cost, uint32_t tpc, uint32_t slice)
{
	uint32_t seed = cost->floor_seed;
	double cycles =
		cost->l2_near_cycles +
		cost->floor_sm_cycles * floor_draw(seed, FLOOR_TPCS + tpc) +
		cost->floor_slice_cycles *
			floor_draw(seed, FLOOR_SLICES + slice) +
		cost->floor_product_cycles * sm_position(cost, tpc) *
			slice_position(cost, slice);

	return (uint16_t)lround(cycles > 2 ? cycles : 2);
}

int floor_init(struct floor *f, const struct costs *cost)
{
	uint32_t sm, slice;

	f->sm_count = cost->sm_count;
	f->gpc_count = cost->gpc_count;
	f->slices = cost->l2_slices_used / cost->l2_partitions;
	f->sms = calloc(f->sm_count, sizeof(*f->sms));
	f->route = calloc((size_t)f->sm_count * f->slices, sizeof(*f->route));
	if (!f->sms || !f->route)
		return -1;
	for (sm = 0; sm < f->sm_count; sm++) {
		uint32_t tpc = sm / cost->sms_per_tpc;
		uint32_t gpc = tpc % f->gpc_count;
		uint32_t side = cost->l2_partitions == 2 &&
				cost->gpc_side_mask >> gpc & 1;

		f->sms[sm].gpc = (uint8_t)gpc;
		f->sms[sm].side = (uint8_t)side;
		for (slice = 0; slice < f->slices; slice++)
			f->route[sm * f->slices + slice] =
				route(cost, tpc, slice + side * f->slices);
	}
	return 0;
}

void floor_free(struct floor *f)
{
	free(f->sms);
	free(f->route);
}
