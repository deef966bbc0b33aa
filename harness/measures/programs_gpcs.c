/* The program that shows GPCs where no side tells them apart: SMs that share
   what a GPC is given. */
#include <stdio.h>

#include "harness/measures/rows.h"

#define CLASSES_MOST 6   /* roles: two for each */
#define SM_KIB       64u /* what each SM reads, in one pass */
#define PASSES       16

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
int measure_write_gpcs(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const uint32_t classes = count / 2;
	uint32_t base_kib = 0, rest, sm, role = 0, sms = 0;

	if (!chip->mapped || chip->partitions != 1)
		return error_set(error, ERR_SKIPPED,
			"the sides say in which rotation GPCs have their SMs");
	if (chip_tpc_count(chip) < 2 * count || classes > CLASSES_MOST)
		return error_set(error, ERR_SKIPPED,
			"there are not enough SMs for %u GPCs", count);
	for (rest = 0; rest < classes; rest++)
		sms += chip->sms_per_tpc * chip_tpcs_of(chip, count, rest);
	fprintf(out,
		"nearfar-program 1\nname " CHIP_GPCS_BENCH "%u\nseed 1\n"
		"buffer data bytes=%uKiB\nlaunch measure\n",
		count, sms * SM_KIB);
	for (rest = 0; rest < classes; rest++)
		for (sm = 0; sm < chip->sms_per_tpc; sm++, role++) {
			const uint32_t tpcs = chip_tpcs_of(chip, count, rest);

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
