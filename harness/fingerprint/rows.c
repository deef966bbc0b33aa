#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/fingerprint/rows.h"

const struct measure fingerprint_rows[] = {
#define QUICK_MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t fingerprint_row_count =
	sizeof(fingerprint_rows) / sizeof(fingerprint_rows[0]);

size_t fingerprint_row_find(const char *name)
{
	size_t i;

	for (i = 0; i < fingerprint_row_count; i++)
		if (!strcmp(fingerprint_rows[i].name, name))
			break;
	return i;
}

/* A program needs no file here. */
static int plan_written(const struct measure *row, const struct device *device,
	struct measure_plan *made, struct error *error)
{
	const struct chip chip = {.device = *device};
	size_t bytes;
	FILE *out;
	int code;

	*made = (struct measure_plan){.text = NULL};
	out = stream_open_text(&made->text, &bytes);
	if (!out)
		return error_set(error, ERR_FAILED, "out of memory");
	code = row->program(&chip,
		row->counts ? (unsigned)strtoul(row->counts, NULL, 10) : 0, out,
		error);
	if (fclose(out) && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = plan_text(&made->plan, made->text, row->name, error);
	if (code) {
		free(made->text);
		made->text = NULL;
	}
	return code;
}

int fingerprint_plan(const struct measure *row, const struct device *device,
	struct measure_plan *made, struct error *error)
{
	return row->program ? plan_written(row, device, made, error)
			    : measure_plan_make(made, row, NULL, device, error);
}

/* ---- the programs ---- */

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

	if (bytes < least_bytes || bytes < 4 * chip->device.l2_bytes / REGIONS)
		return error_set(error, ERR_SKIPPED,
			"%llu bytes of memory are too few to tell %d parts of "
			"them apart",
			(unsigned long long)chip->device.memory_bytes, REGIONS);
	fprintf(out, "nearfar-program 1\nname %s\nseed 1\n", name);
	for (k = 0; k < REGIONS; k++)
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
		2 * (REGION_LOADS + 1) * (uint64_t)LINE_STRIDE, out, error);

	(void)count;
	if (code)
		return code;
	fputs("launch measure\n  role probe sms=0:1 threads=1 lanes=1\n", out);
	for (k = 0; k < REGIONS; k++) {
		/* the pages' translations first, by lines beside the timed */
		fprintf(out,
			"    repeat %d\n"
			"      ld.global.cg.b32 [part%u + 256 + loop0*%d]\n"
			"    end\n"
			"    repeat %d time=each ",
			REGION_LOADS / 16, k, 16 * LINE_STRIDE, REGION_LOADS);
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

double region_rate_bytes(const struct device *device)
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
	for (k = 0; !code && k < REGIONS; k++) {
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
