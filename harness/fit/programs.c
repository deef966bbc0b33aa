/* Programs of the suite that no bench builds: which SMs they use depends on
   the chip's geometry. */
#include "harness/fit/suite.h"

#define PAGE_MIB 2

/* ---- which slice ---- */

#define PROBES 16

/* 16 SMs, or `count`, time an atomic on every 256 bytes of a page each, while
   half of the chip, which has SMs of all GPCs, keeps one slice busy: an SM
   waits where others of its GPC do. */
int fit_write_contention(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const uint32_t sms = chip->device.sm_count;
	const uint64_t room = chip->device.l2_bytes / 2 / (PAGE_MIB << 20);
	const uint32_t most = count ? count : PROBES;
	uint32_t probes = sms / 3 < most ? sms / 3 : most;
	const uint32_t noise = sms / 2;

	if (probes > room)
		probes = (uint32_t)room;
	if (!probes)
		return error_set(error, ERR_SKIPPED,
			"fewer than three SMs, or 4 MiB of L2, cannot show "
			"contention");
	fprintf(out,
		"nearfar-program 1\nname fit-contention\nseed 1\n"
		"buffer data bytes=%uMiB\n"
		"launch warm\n"
		"  role warm sms=0:%u threads=1024\n"
		"    repeat 512\n"
		"      red.global.add.u32 [data + lane*4 + warp*128 + "
		"block*2MiB + loop0*4KiB]\n"
		"    end\n"
		"launch measure\n"
		"  role probe sms=0:%u threads=1 lanes=1\n"
		"    repeat 64\n"
		"      atom.global.add.u32 [data + 64KiB]\n"
		"    end\n"
		"    repeat 8192 time=each region=measure\n"
		"      atom.global.add.u32 [data + loop0*256 + block*2MiB]\n"
		"    end\n"
		"  role noise sms=%u:%u threads=32 background\n"
		"    repeat 256\n"
		"      red.global.add.u32 [data + 1MiB]\n"
		"    end\n",
		probes * PAGE_MIB, probes, probes, sms - noise, noise);
	return 0;
}

/* ---- SMs in lists ---- */

#define STRIDE_MAX   48
#define ROLES        12  /* of ten instructions: a program has 128 */
#define SM_KIB       16u /* of one iteration: 32 warps, 16 bytes a lane */
#define UNROLL       8u
#define PASSES_FIRST 2 /* untimed: what is read comes near */
#define PASSES       8
#define L2_SHARE     4 /* of L2, a quarter is in use at most */

/* SMs as `sms=FIRST:COUNT:STRIDE`. */
struct run {
	uint32_t first, count, stride;
};

struct crowd {
	bool member[CHIP_SMS_MAX]; /* SMs that are in no run yet */
	uint32_t sms, count;
	struct run runs[ROLES];
	uint32_t run_count;
};

static uint32_t run_length(const struct crowd *c, const struct run *r)
{
	uint32_t count = 0, sm;

	for (sm = r->first; sm < c->sms && c->member[sm]; sm += r->stride)
		count++;
	return count;
}

static struct run longest_run(const struct crowd *c)
{
	struct run best = {0, 0, 1}, r;

	for (r.stride = 1; r.stride <= STRIDE_MAX; r.stride++)
		for (r.first = 0; r.first < c->sms; r.first++) {
			r.count = run_length(c, &r);
			if (r.count > best.count)
				best = r;
		}
	return best;
}

/* The first run is the one that is timed, unless the caller has chosen it. */
static void find_runs(struct crowd *c)
{
	uint32_t i, k;

	while (c->run_count < ROLES) {
		struct run r = longest_run(c);

		if (!r.count)
			break;
		c->runs[c->run_count++] = r;
		for (k = 0; k < r.count; k++)
			c->member[r.first + k * r.stride] = false;
	}
	for (i = 0, c->count = 0; i < c->run_count; i++)
		c->count += c->runs[i].count;
}

/* One pass of a role over its part of the data. */
static void put_pass(const struct run *r, const char *word, uint32_t iterations,
	uint32_t base_kib, const char *loop, FILE *out)
{
	fprintf(out,
		"      repeat %u unroll=%u\n"
		"        %s [data + %uKiB + lane*16 + warp*512 + "
		"block*%uKiB + %s*%uKiB]\n"
		"      end\n",
		iterations, iterations < UNROLL ? iterations : UNROLL, word,
		base_kib, SM_KIB, loop, r->count * SM_KIB);
}

static void put_role(const struct run *r, uint32_t number, const char *word,
	uint32_t iterations, uint32_t base_kib, FILE *out)
{
	fprintf(out, "  role r%u sms=%u:%u:%u threads=1024\n", number, r->first,
		r->count, r->stride);
	fprintf(out, "    repeat %d\n", PASSES_FIRST);
	put_pass(r, word, iterations, base_kib, "loop1", out);
	fprintf(out,
		"    end\n"
		"    repeat %d%s\n",
		PASSES, number ? "" : " time=region region=measure");
	put_pass(r, word, iterations, base_kib, "loop1", out);
	fputs("    end\n", out);
}

/* All SMs of the crowd do the same at once, each in its own part of L2; the
   first run is timed. */
static int put_crowd(const struct chip *chip, struct crowd *c, const char *name,
	const char *word, FILE *out, struct error *error)
{
	uint32_t iterations, base_kib = 0, i;

	find_runs(c);
	if (c->count < 2)
		return error_set(error, ERR_SKIPPED,
			"no two SMs share what is to be measured");
	iterations = (uint32_t)(chip->device.l2_bytes / 1024 / L2_SHARE /
				(c->count * SM_KIB));
	iterations = iterations >= 16 ? 16 : iterations < 1 ? 1 : iterations;
	if (iterations > UNROLL)
		iterations = iterations / UNROLL * UNROLL;
	fprintf(out,
		"nearfar-program 1\nname %s\nseed 1\n"
		"buffer data bytes=%uKiB\nlaunch measure\n",
		name, c->count * SM_KIB * iterations);
	for (i = 0; i < c->run_count; i++) {
		put_role(&c->runs[i], i, word, iterations, base_kib, out);
		base_kib += c->runs[i].count * SM_KIB * iterations;
	}
	return 0;
}

/* The GPC with the most SMs, but for the one that the rest joins. */
static uint32_t fullest_gpc(const struct chip *chip)
{
	uint32_t count[CHIP_GPCS_MAX + 1] = {0}, sm, best = 0, gpc;

	for (sm = 0; sm < chip->device.sm_count; sm++)
		count[chip_gpc(chip, sm)]++;
	for (gpc = 0; gpc < chip->gpc_count; gpc++)
		if (count[gpc] > count[best] &&
			!(chip->rest_sms && gpc == chip->gpc_of_rest))
			best = gpc;
	return best;
}

/* The SMs of a GPC store at once. */
int fit_write_gpc(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	struct crowd c = {.sms = chip->device.sm_count};
	const uint32_t gpc = fullest_gpc(chip);
	uint32_t sm;

	(void)count;
	if (!chip->rotation_fits)
		return error_set(error, ERR_SKIPPED,
			"which SMs are of one GPC is not known: no rotation "
			"gives the sides");
	for (sm = 0; sm < c.sms; sm++)
		c.member[sm] = chip_gpc(chip, sm) == gpc;
	return put_crowd(
		chip, &c, "fit-gpc", "st.global.wb.v4.b32", out, error);
}

/* ---- one slice ---- */

#define SLICE_ROLES  5
#define SLICE_LOADS  16 /* of a role, all under way at once */
#define SLICE_SMS    8  /* of a role, each of another GPC */
#define SLICE_PASSES 64

/* SMs of as many GPCs as there are read lines that contention has shown to be
   in one slice: each role its own, so that no reply serves two SMs. */
int fit_write_slice(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const uint32_t stride = chip->sms_per_tpc;
	uint32_t sms =
		chip->gpc_count < SLICE_SMS ? chip->gpc_count : SLICE_SMS;
	uint32_t loads = chip->together_count / SLICE_ROLES, role, i;

	(void)count;
	if (loads > SLICE_LOADS)
		loads = SLICE_LOADS;
	if (loads < 4 || sms * stride * SLICE_ROLES > chip->device.sm_count)
		return error_set(error, ERR_SKIPPED,
			"contention has not shown enough lines of one slice");
	fputs("nearfar-program 1\nname fit-slice\nseed 1\n"
	      "buffer data bytes=2MiB\nlaunch measure\n",
		out);
	for (role = 0; role < SLICE_ROLES; role++) {
		fprintf(out,
			"  role r%u sms=%u:%u:%u threads=32 lanes=16\n"
			"    repeat %d%s\n",
			role, role * sms * stride, sms, stride, SLICE_PASSES,
			role ? "" : " time=region region=measure");
		for (i = 0; i < loads; i++)
			fprintf(out,
				"      ld.global.cg.v4.b32 [data + %u + "
				"lane*16]\n",
				chip->together[role * loads + i]);
		fputs("    end\n", out);
	}
	return 0;
}

/* ---- translation ---- */

#define TLB_LOADS 8192 /* a block has no more samples */
#define TLB_DRIFT 1152 /* bytes; a multiple of a line, and of no page */
#define MIB       (1ull << 20)

/* Single loads that go round the pages, each time to other lines: so the mean
   is over all slices, be there ever so few pages. */
static int put_round(const struct chip *chip, const char *name, unsigned pages,
	unsigned long long stride, FILE *out, struct error *error)
{
	const char *load = "ld.global.cg.b32";
	int timed;

	if (pages * stride > chip->device.memory_bytes / 100 * 95)
		return error_set(error, ERR_SKIPPED,
			"%u pages %llu MiB apart are more than the device's "
			"memory",
			pages, stride / MIB);
	fprintf(out,
		"nearfar-program 1\nname %s-%u\nseed 1\n"
		"buffer data bytes=%lluMiB\nlaunch measure\n"
		"  role probe sms=0:1 threads=1 lanes=1\n",
		name, pages, pages * stride / MIB);
	for (timed = 0; timed < 2; timed++)
		fprintf(out,
			"    repeat %d%s\n"
			"      %s [data + loop0*%llu wrap %lluMiB]\n"
			"    end\n",
			TLB_LOADS, timed ? " time=each region=measure" : "",
			load, stride + TLB_DRIFT, pages * stride / MIB);
	return 0;
}

int fit_write_tlb_entries(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb-entries", count, 256 * MIB, out, error);
}

int fit_write_tlb_reach(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb-reach", count, 2 * MIB, out, error);
}

int fit_write_tlb2_reach(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb2-reach", count, 32 * MIB, out, error);
}
