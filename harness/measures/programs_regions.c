/* Programs that time parts of memory: eight buffers in a row fill four fifths
   of it. */
#include "harness/measures/rows.h"
#include "harness/observe/readers.h"

#define LOADS        512 /* of a region */
#define PAGE         (UINT64_C(2) << 20)
#define BUFFER_SHARE 10   /* of memory, one buffer has one of so many parts */
#define LINE_STRIDE  4224 /* varies every address bit from 7 up */
#define RATE_LEAD    8    /* iterations of 16 bytes a lane, untimed */
#define RATE_TIMED   16

static int put_buffers(const struct chip *chip, const char *name,
	uint64_t least_bytes, FILE *out, struct error *error)
{
	const uint64_t bytes =
		chip->device.memory_bytes / BUFFER_SHARE / PAGE * PAGE;
	unsigned k;

	if (bytes < least_bytes ||
		bytes < 4 * chip->device.l2_bytes / OBSERVE_REGIONS)
		return error_set(error, ERR_SKIPPED,
			"%llu bytes of memory are too few to tell %d parts of "
			"them apart",
			(unsigned long long)chip->device.memory_bytes,
			OBSERVE_REGIONS);
	fprintf(out, "nearfar-program 1\nname %s\nseed 1\n", name);
	for (k = 0; k < OBSERVE_REGIONS; k++)
		fprintf(out, "buffer part%u bytes=%llu\n", k,
			(unsigned long long)bytes);
	return 0;
}

static void put_region_name(unsigned k, FILE *out)
{
	if (k)
		fprintf(out, "region=part%u\n", k);
	else
		fputs("region=measure\n", out);
}

int measure_write_region_latency(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	unsigned k;
	int code = put_buffers(chip, "region-latency",
		2 * (LOADS + 1) * (uint64_t)LINE_STRIDE, out, error);

	(void)count;
	if (code)
		return code;
	fputs("launch measure\n  role probe sms=0:1 threads=1 lanes=1\n", out);
	for (k = 0; k < OBSERVE_REGIONS; k++) {
		/* the pages' translations first, by lines beside the timed */
		fprintf(out,
			"    repeat %d\n"
			"      ld.global.cg.b32 [part%u + 256 + loop0*%d]\n"
			"    end\n"
			"    repeat %d time=each ",
			LOADS / 16, k, 16 * LINE_STRIDE, LOADS);
		put_region_name(k, out);
		fprintf(out,
			"      ld.global.cg.b32 [part%u + loop0*%d]\n"
			"    end\n",
			k, LINE_STRIDE);
	}
	return 0;
}

/* Of one iteration: 32 warps of 32 lanes, 16 bytes each, an SM. */
static uint64_t step_bytes(const struct device *device)
{
	return device->sm_count * UINT64_C(16384);
}

double measure_region_bytes(const struct device *device)
{
	return RATE_TIMED * (double)step_bytes(device);
}

int measure_write_region_rate(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const unsigned sms = chip->device.sm_count;
	const unsigned long long step = step_bytes(&chip->device);
	unsigned k, part;
	int code = put_buffers(chip, "region-rate",
		(RATE_LEAD + RATE_TIMED) * step, out, error);

	(void)count;
	for (k = 0; !code && k < OBSERVE_REGIONS; k++) {
		fprintf(out,
			"launch l%u\n  role all sms=0:%u threads=1024 "
			"lanes=32\n",
			k, sms);
		for (part = 0; part < 2; part++) {
			fprintf(out, "    repeat %d unroll=8 ",
				part ? RATE_TIMED : RATE_LEAD);
			if (part)
				fputs("time=region ", out);
			if (part)
				put_region_name(k, out);
			fprintf(out,
				"\n      ld.global.cg.v4.b32 [part%u + %llu + "
				"lane*16 + warp*512 + block*16384 + "
				"loop0*%llu]\n    end\n",
				k, part * RATE_LEAD * step, step);
		}
	}
	return code;
}
