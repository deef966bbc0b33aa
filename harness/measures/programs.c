/* Programs of the suite that no bench builds: which SMs they use depends on
   the chip's geometry. */
#include "harness/measures/rows.h"

#define PAGE_MIB 2

/* ---- which slice ---- */

#define PROBES 16

/* 16 SMs, or `count`, time an atomic on every 256 bytes of a page each, while
   half of the chip, which has SMs of all GPCs, keeps one slice busy: an SM
   waits where others of its GPC do. */
int measure_write_contention(
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

/* The SMs of one side read at once: the slices of that side give it all, their
   own lines and copies of the others. */
int measure_write_side(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	struct crowd c = {.sms = chip->device.sm_count};
	uint32_t sm;

	(void)count;
	if (!chip->mapped)
		return error_set(error, ERR_SKIPPED,
			"which SMs are of one side is not known");
	for (sm = 0; sm < c.sms; sm++)
		c.member[sm] = chip->side[sm] == 0;
	return put_crowd(
		chip, &c, "fit-side", "ld.global.cg.v4.b32", out, error);
}

/* ---- words that are new ---- */

#define FRESH_PASSES 64   /* of 4 KiB an SM */
#define WARM_KIB     128u /* a line a lane, 32 warps */

/* All SMs add to every word of lines that lie in L2, each once. */
int measure_write_fresh(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	const uint32_t sms = chip->device.sm_count;
	const uint32_t pass_kib = sms * 4;
	uint64_t passes = chip->device.l2_bytes / 1024 / 2 / pass_kib, kib;

	(void)count;
	if (passes > FRESH_PASSES)
		passes = FRESH_PASSES;
	kib = passes * pass_kib;
	if (!passes)
		return error_set(error, ERR_SKIPPED,
			"half of L2 does not hold a line for every warp");
	fprintf(out,
		"nearfar-program 1\nname fit-fresh\nseed 1\n"
		"buffer data bytes=%lluKiB\n"
		"launch warm\n"
		"  role warm blocks=%llu threads=1024\n"
		"    red.global.add.u32 [data + lane*128 + warp*4KiB + "
		"block*%uKiB]\n"
		"launch measure\n"
		"  role measure sms=0:%u threads=1024\n"
		"    repeat %llu time=region region=measure\n"
		"      red.global.add.u32 [data + lane*4 + warp*128 + "
		"block*4KiB + loop0*%uKiB]\n"
		"    end\n",
		(unsigned long long)kib, (unsigned long long)(kib / WARM_KIB),
		WARM_KIB, sms, (unsigned long long)passes, pass_kib);
	return 0;
}

/* ---- translation ---- */

#define TLB_LOADS 4096 /* at most, and lines of at most that share of L2 */
#define TLB_SHARE 8
#define TLB_LINE  128
#define TLB_MANY  192  /* pages: more than a TLB of an SM has entries */
#define TLB_DRIFT 1152 /* bytes; a multiple of a line, and of no page */
#define MIB       (1ull << 20)

/* Lines that stay in L2 from one time to the next: what is not there shows DRAM
   and not the TLB. */
static unsigned long long tlb_loads(const struct device *device)
{
	const unsigned long long lines =
		device->l2_bytes / TLB_SHARE / TLB_LINE;

	return lines && lines < TLB_LOADS ? lines : TLB_LOADS;
}

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
			"    repeat %llu%s\n"
			"      %s [data + loop0*%llu wrap %lluMiB]\n"
			"    end\n",
			tlb_loads(&chip->device),
			timed ? " time=each region=measure" : "", load,
			stride + TLB_DRIFT, pages * stride / MIB);
	return 0;
}

int measure_write_tlb_entries(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb-entries", count, 256 * MIB, out, error);
}

int measure_write_tlb_reach(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb-reach", count, 2 * MIB, out, error);
}

/* An entry that reaches further than a stride misses less than each time. */
int measure_write_tlb_stride(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	char name[32];

	snprintf(name, sizeof(name), "fit-tlb-stride-%u", count);
	return put_round(chip, name, TLB_MANY, count * MIB, out, error);
}

int measure_write_tlb2_reach(
	const struct chip *chip, unsigned count, FILE *out, struct error *error)
{
	return put_round(chip, "fit-tlb2-reach", count, 32 * MIB, out, error);
}
