/* Where no side tells GPCs apart: SMs that share what a GPC is given. */
#include <math.h>
#include <stdio.h>

#include "harness/fit/suite.h"

#define CLASSES_MOST 6   /* roles: two for each */
#define SM_KIB       64u /* what each SM reads, in one pass */
#define PASSES       16
#define BOUND        0.8  /* of the rate of SMs that nothing binds */
#define ALIKE        1.05 /* as much as the least */
#define NAME         "fit-gpcs-"

static uint32_t tpc_count(const struct chip *chip)
{
	return chip->device.sm_count / chip->sms_per_tpc;
}

/* TPCs whose number leaves `rest` when it is divided. */
static uint32_t tpcs_of(
	const struct chip *chip, unsigned divisor, uint32_t rest)
{
	return (tpc_count(chip) + divisor - 1 - rest) / divisor;
}

static void put_read(FILE *out, uint32_t base_kib)
{
	fprintf(out,
		"      repeat %u unroll=%u\n"
		"        ld.global.cg.v4.b32 [data + %uKiB + lane*16 + "
		"warp*512 + block*%uKiB + loop1*16KiB]\n"
		"      end\n",
		SM_KIB / 16, SM_KIB / 16, base_kib, SM_KIB);
}

/* With as many GPCs, half of them have all SMs that read here, and give all
   that is read; with another number most of them have some. */
int fit_write_gpcs(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const uint32_t classes = count / 2;
	uint32_t base_kib = 0, rest, sm, role = 0, sms = 0;

	if (!chip->mapped || chip->partitions != 1)
		return error_set(error, ERR_SKIPPED,
			"the sides say in which rotation GPCs have their SMs");
	if (tpc_count(chip) < 2 * count || classes > CLASSES_MOST)
		return error_set(error, ERR_SKIPPED,
			"there are not enough SMs for %u GPCs", count);
	for (rest = 0; rest < classes; rest++)
		sms += chip->sms_per_tpc * tpcs_of(chip, count, rest);
	fprintf(out,
		"nearfar-program 1\nname " NAME "%u\nseed 1\n"
		"buffer data bytes=%uKiB\nlaunch measure\n",
		count, sms * SM_KIB);
	for (rest = 0; rest < classes; rest++)
		for (sm = 0; sm < chip->sms_per_tpc; sm++, role++) {
			const uint32_t tpcs = tpcs_of(chip, count, rest);

			fprintf(out,
				"  role r%u sms=%u:%u:%u threads=1024\n"
				"    repeat 2\n",
				role, rest * chip->sms_per_tpc + sm, tpcs,
				count * chip->sms_per_tpc);
			put_read(out, base_kib);
			fprintf(out, "    end\n    repeat %d%s\n", PASSES,
				role ? "" : " time=region region=measure");
			put_read(out, base_kib);
			fputs("    end\n", out);
			base_kib += tpcs * SM_KIB;
		}
	return 0;
}

/* Bytes a cycle of one SM; 0: it is no series of the row. */
static double rate_of(
	const struct chip *chip, const struct series *s, unsigned *gpcs)
{
	if (sscanf(s->bench, NAME "%u", gpcs) != 1 || !*gpcs ||
		*gpcs > CHIP_GPCS_MAX || !s->point_count ||
		s->points[0].skipped)
		return 0;
	return point_summary(&s->points[0], METRIC_BYTES_PER_CYCLE)->median /
	       tpcs_of(chip, *gpcs, 0);
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
