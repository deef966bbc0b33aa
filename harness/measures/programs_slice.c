/* Programs of the suite that keep one slice busy, whose lines contention has
   shown. */
#include "harness/measures/rows.h"

#define SLICE_ROLES  5
#define SLICE_LOADS  16 /* of a role, all under way at once */
#define SLICE_SMS    8  /* of a role, each of another GPC */
#define SLICE_PASSES 64

static int put_reads(const struct chip *chip, const char *name,
	const char *load, unsigned lanes, unsigned lane_bytes, FILE *out,
	struct error *error)
{
	const uint32_t stride = chip->sms_per_tpc;
	uint32_t sms =
		chip->gpc_count < SLICE_SMS ? chip->gpc_count : SLICE_SMS;
	uint32_t loads = chip->together_count / SLICE_ROLES, role, i;

	if (loads > SLICE_LOADS)
		loads = SLICE_LOADS;
	if (loads < 4 || sms * stride * SLICE_ROLES > chip->device.sm_count)
		return error_set(error, ERR_SKIPPED,
			"contention has not shown enough lines of one slice");
	fprintf(out,
		"nearfar-program 1\nname %s\nseed 1\n"
		"buffer data bytes=2MiB\nlaunch measure\n",
		name);
	for (role = 0; role < SLICE_ROLES; role++) {
		fprintf(out,
			"  role r%u sms=%u:%u:%u threads=32 lanes=%u\n"
			"    repeat %d%s\n",
			role, role * sms * stride, sms, stride, lanes,
			SLICE_PASSES,
			role ? "" : " time=region region=measure");
		for (i = 0; i < loads; i++)
			fprintf(out, "      %s [data + %u + lane*%u]\n", load,
				chip->together[role * loads + i], lane_bytes);
		fputs("    end\n", out);
	}
	return 0;
}

/* SMs of as many GPCs as there are read lines that contention has shown to be
   in one slice: each role its own, so that no reply serves two SMs. */
int measure_write_slice(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	(void)count;
	return put_reads(
		chip, "fit-slice", "ld.global.cg.v4.b32", 16, 16, out, error);
}

/* One sector of each of those lines. */
int measure_write_slice_sectors(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	(void)count;
	return put_reads(chip, "fit-slice-sectors", "ld.global.cg.b32", 2, 128,
		out, error);
}
