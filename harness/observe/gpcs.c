/* Where no side tells GPCs apart: SMs that share what a GPC is given. */
#include <math.h>
#include <stdio.h>

#include "harness/observe/chip.h"

#define BOUND 0.8  /* of the rate of SMs that nothing binds */
#define ALIKE 1.05 /* as much as the least */

uint32_t chip_tpc_count(const struct chip *chip)
{
	return chip->device.sm_count / chip->sms_per_tpc;
}

uint32_t chip_tpcs_of(const struct chip *chip, unsigned divisor, uint32_t rest)
{
	return (chip_tpc_count(chip) + divisor - 1 - rest) / divisor;
}

/* Bytes a cycle of one SM; 0: it is no series of the row. */
static double rate_of(
	const struct chip *chip, const struct series *s, unsigned *gpcs)
{
	if (sscanf(s->bench, CHIP_GPCS_BENCH "%u", gpcs) != 1 || !*gpcs ||
		*gpcs > CHIP_GPCS_MAX || !s->point_count ||
		s->points[0].skipped)
		return 0;
	return point_summary(&s->points[0], METRIC_BYTES_PER_CYCLE)->median /
	       chip_tpcs_of(chip, *gpcs, 0);
}

void chip_read_gpcs(struct chip *chip, const struct series_list *list)
{
	double rates[CHIP_GPCS_MAX + 1] = {0}, least = INFINITY, most = 0;
	unsigned gpcs, found = 0;
	size_t i;

	if (chip->partitions != 1)
		return;
	for (i = 0; i < list->count; i++) {
		const double rate = rate_of(chip, &list->items[i], &gpcs);

		if (!(rate > 0))
			continue;
		rates[gpcs] = rate;
		most = fmax(most, rate);
		least = fmin(least, rate);
	}
	if (!(least <= BOUND * most))
		return;
	chip->gpcs_seen = true;
	if (rates[chip->gpc_count] > 0 &&
		rates[chip->gpc_count] <= ALIKE * least)
		return;
	/* The parts of a number give as little: the largest that does is it. */
	for (gpcs = 1; gpcs <= CHIP_GPCS_MAX; gpcs++)
		if (rates[gpcs] > 0 && rates[gpcs] <= ALIKE * least)
			found = gpcs;
	chip->gpc_count = found;
	chip->gpc_tpcs = 0;
	chip->gpc_of_rest = 0;
	chip->rotation_is_known = false;
}
