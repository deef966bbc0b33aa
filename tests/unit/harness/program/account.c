#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/account.h"
#include "harness/program/launch.h"
#include "harness/program/address.h"
#include "harness/program/legality/legality.h"
#include "tests/support/program_random.h"
#include "harness/program/text/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SMS          4

static const struct row {
	const char *role, *body;
	struct account expected; /* of the region */
} rows[] = {
	/* 32 lanes of 4 bytes side by side: one line, four sectors */
	{"blocks=1 threads=32", "ld.b32 [buf + lane*4]",
		{1, 10, 10, 320, 40, 10, 1280, 0, 0}},
	{"blocks=1 threads=32", "ld.b32 [buf + 32 + lane*4]",
		{1, 10, 10, 320, 40, 20, 1280, 0, 0}},
	{"blocks=1 threads=32", "st.v4.b32 [buf + lane*16]",
		{1, 10, 10, 320, 160, 40, 5120, 0, 0}},
	{"blocks=1 threads=32", "ld.b32 [buf]",
		{1, 10, 10, 320, 10, 10, 1280, 0, 0}},
	{"blocks=1 threads=32", "ld.b8 [buf + lane*32]",
		{1, 10, 10, 320, 320, 80, 320, 0, 0}},
	{"blocks=1 threads=32", "ld.b64 [buf + lane*128]",
		{1, 10, 10, 320, 320, 320, 2560, 0, 0}},
	{"blocks=1 threads=32 lanes=8", "ld.b32 [buf + lane*4]",
		{1, 10, 10, 80, 10, 10, 320, 0, 0}},
	/* a warp of 32 and one of 8 */
	{"blocks=1 threads=40", "ld.b32 [buf + lane*4]",
		{2, 10, 20, 400, 50, 20, 1600, 0, 0}},
	{"blocks=1 threads=64", "@lane0 ld.b32 [buf + lane*4]",
		{2, 10, 20, 20, 20, 20, 80, 0, 0}},
	{"blocks=1 threads=64", "@thread0 ld.b32 [buf + lane*4]",
		{2, 10, 10, 10, 10, 10, 40, 0, 0}},
	/* placements, on four SMs */
	{"blocks=3 threads=32", "ld.b32 [buf]",
		{3, 10, 30, 960, 30, 30, 3840, 0, 0}},
	{"sms=all threads=32", "ld.b32 [buf]",
		{4, 10, 40, 1280, 40, 40, 5120, 0, 0}},
	{"sms=1:2 per_sm=2 threads=32", "ld.b32 [buf]",
		{4, 10, 40, 1280, 40, 40, 5120, 0, 0}},
	/* atomics */
	{"blocks=1 threads=32", "atom.add.u32 [buf + lane*4]",
		{1, 10, 10, 320, 40, 10, 1280, 320, 0}},
	{"blocks=1 threads=32", "red.shared.add.u32 [shared]",
		{1, 10, 0, 0, 0, 0, 0, 0, 320}},
	{"blocks=1 threads=32", "ld.shared.b32 [shared]",
		{1, 10, 0, 0, 0, 0, 0, 0, 0}},
	/* what carries no data */
	{"blocks=1 threads=32 lanes=1", "prefetch.L2 [buf + lane*128]",
		{1, 10, 10, 10, 10, 10, 0, 0, 0}},
	{"blocks=1 threads=32 lanes=1", "discard.L2 [buf], 128",
		{1, 10, 10, 10, 40, 10, 0, 0, 0}},
	{"blocks=1 threads=32",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 0, 32",
		{1, 10, 0, 0, 0, 0, 0, 0, 0}},
	{"blocks=1 threads=32", "fence.gpu\nbarrier\ndelay 5",
		{1, 10, 0, 0, 0, 0, 0, 0, 0}},
	/* loops inside, and several instructions */
	{"blocks=1 threads=32", "repeat 3\nld.b32 [buf + loop1*32]\nend",
		{1, 10, 30, 960, 30, 30, 3840, 0, 0}},
	{"blocks=1 threads=32", "ld.b32 [buf]\nst.b32 [buf + lane*32]",
		{1, 10, 20, 640, 330, 90, 2560, 0, 0}},
	/* chases: each lane starts in its own part of the ring */
	{"blocks=1 threads=32 lanes=1", "ld.b64 [ring chase]",
		{1, 10, 10, 10, 10, 10, 80, 0, 0}},
	{"blocks=1 threads=32", "ld.b64 [ring chase]",
		{1, 10, 10, 320, 320, 320, 2560, 0, 0}},
	{"blocks=1 threads=32", "ld.b64 [shuffled chase]",
		{1, 10, 10, 320, 320, 320, 2560, 0, 0}},
	{"blocks=1 threads=32", "ld.b64 [rings chase]",
		{1, 10, 10, 320, 320, 320, 2560, 0, 0}},
};

static void load(const char *role, const char *body, struct program *p)
{
	char text[1024];
	struct error e = {""};

	snprintf(text, sizeof(text),
		"nearfar-program 1\nname t\nbuffer buf bytes=1MiB\n"
		"buffer ring bytes=1MiB fill=ring slot=128\n"
		"buffer shuffled bytes=1MiB fill=ring slot=128 "
		"order=shuffle\n"
		"buffer rings bytes=1MiB fill=ring slot=128 rings=32 "
		"order=shuffle\n"
		"launch a\nrole r %s shared=1KiB\n"
		"repeat 10 time=region region=m\n%s\nend\n",
		role, body);
	cr_assert_eq(program_parse(text, "t", p, &e), 0, "%s", e.text);
	cr_assert_eq(program_check(p, &e), 0, "%s", e.text);
}

static void expect_account(
	const struct account *a, const struct account *b, const char *what)
{
	cr_expect_float_eq(a->warps, b->warps, 1e-9, "%s: warps", what);
	cr_expect_float_eq(a->iterations, b->iterations, 1e-9, "%s: %g", what,
		a->iterations);
	cr_expect_float_eq(a->requests, b->requests, 1e-6,
		"%s: %g requests, not %g", what, a->requests, b->requests);
	cr_expect_float_eq(a->lanes, b->lanes, 1e-6, "%s: %g lanes, not %g",
		what, a->lanes, b->lanes);
	cr_expect_float_eq(a->sectors, b->sectors, 1e-6,
		"%s: %g sectors, not %g", what, a->sectors, b->sectors);
	cr_expect_float_eq(a->lines, b->lines, 1e-6, "%s: %g lines, not %g",
		what, a->lines, b->lines);
	cr_expect_float_eq(a->useful_bytes, b->useful_bytes, 1e-6,
		"%s: %g bytes, not %g", what, a->useful_bytes, b->useful_bytes);
	cr_expect_float_eq(a->atomics, b->atomics, 1e-6, "%s: atomics", what);
	cr_expect_float_eq(a->shared_atomics, b->shared_atomics, 1e-6,
		"%s: shared atomics", what);
}

Test(account, examples_count_as_a_coalescer_would)
{
	struct program p;
	struct account a;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		load(rows[i].role, rows[i].body, &p);
		account_region(&p, 0, SMS, &a);
		expect_account(&a, &rows[i].expected, rows[i].body);
	}
}

Test(account, random_addresses_are_sampled_the_same_each_time)
{
	struct account a, b;
	struct program p;

	load("sms=all per_sm=2 threads=1024", "ld.b32 [buf random slot=32]",
		&p);
	account_region(&p, 0, SMS, &a);
	account_region(&p, 0, SMS, &b);
	cr_expect_eq(memcmp(&a, &b, sizeof(a)), 0);
	cr_expect_eq(a.requests, 8 * 32 * 10);
	/* 32 draws of 32768 sectors seldom meet */
	cr_expect_gt(a.sectors / a.requests, 31.8);
	cr_expect_leq(a.sectors / a.requests, 32);
	load("blocks=1 threads=32",
		"ld.b32 [buf random slot=128 per=warp + lane*4]", &p);
	account_region(&p, 0, SMS, &a);
	cr_expect_eq(a.sectors, 40);
}

Test(account, others_are_the_sms_that_nobody_names)
{
	struct program p;
	struct error e;
	static const char text[] =
		"nearfar-program 1\nname t\nlaunch z\nrole q sms=all\nbarrier\n"
		"launch a\nrole r sms=0:3\nbarrier\n"
		"role s sms=others per_sm=2\nbarrier\nrole b blocks=7\nbarrier";

	cr_assert_eq(program_parse(text, "t", &p, &e), 0, "%s", e.text);
	cr_expect_eq(role_blocks(&p, &p.roles[0], 8), 8);
	cr_expect_eq(role_blocks(&p, &p.roles[1], 8), 3);
	cr_expect_eq(role_blocks(&p, &p.roles[2], 8), 10);
	cr_expect_eq(role_blocks(&p, &p.roles[2], 3), 0);
	cr_expect_eq(role_blocks(&p, &p.roles[3], 8), 7);
}

Test(account, a_region_that_is_not_there_counts_nothing)
{
	static const struct account none;
	struct account a;
	struct program p;

	load("blocks=1", "barrier", &p);
	account_region(&p, 1, SMS, &a);
	cr_expect_eq(memcmp(&a, &none, sizeof(a)), 0);
}

Test(account, random_programs_conserve_lanes_and_bytes)
{
	struct program_random knobs = program_random_default;
	uint32_t seed;

	for (seed = 0; seed < 1000; seed++) {
		struct region regions[PROGRAM_REGIONS_MAX];
		struct program p;
		size_t i, count;

		knobs.seed = seed;
		program_random(&p, &knobs);
		count = program_regions(&p, regions);
		for (i = 0; i < count; i++) {
			struct account a;

			account_region(&p, i, knobs.sms, &a);
			cr_assert_leq(a.requests, a.lanes + 1e-6);
			cr_assert_leq(a.requests, a.lines + 1e-6);
			cr_assert_leq(a.lines, a.sectors + 1e-6);
			cr_assert_leq(a.sectors, 4 * a.lines + 1e-6);
			cr_assert_leq(a.sectors, 4 * a.lanes + 1e-6);
			cr_assert_leq(a.useful_bytes, 32 * a.lanes + 1e-6);
			cr_assert_leq(a.atomics, a.lanes + 1e-6);
			cr_assert_lt(fabs(a.lanes - round(a.lanes)), 1e-6);
		}
	}
}
