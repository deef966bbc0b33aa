/* Loads that share a lookup in L2 and a reply: before a slice, and in L1. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/model_fixture.h"

TestSuite(merge, .timeout = 120);

#define HEAD    "nearfar-program 1\nname test\nseed 1\n"
#define LOOKUPS "lts__t_sectors_srcunit_tex_op_read.sum"
#define REPLIES "l1tex__m_xbar2l1tex_read_sectors.sum"

/* SMs 0 to 3 know the page. */
#define WARM                                                                   \
	"buffer data bytes=1MiB\nlaunch w\nrole w sms=0:4 threads=32 "         \
	"lanes=1\n"                                                            \
	"ld.global.cg.b32 [data + 512KiB + block*128]\n"

static double count_all(const char *name, const char *launch)
{
	struct result r = {0};
	double value;

	model_run_added(NULL, &r, HEAD WARM "%s", launch);
	value = model_counter(&r, name);
	result_free(&r);
	return value;
}

/* What a launch counts, in sectors, whose roles are given. */
static double count(const char *name, const char *roles)
{
	char launch[1024];

	snprintf(launch, sizeof(launch), "launch a\n%s", roles);
	return count_all(name, launch) - count_all(name, "");
}

static void expect(const char *name, const char *roles, double wanted)
{
	double found = count(name, roles);

	cr_expect_eq(found, wanted, "%g %s for %s", found, name, roles);
}

/* ---- before a slice ---- */

#define ONE_SECTOR(warps)                                                      \
	"role r sms=0:1 threads=" warps " lanes=1\nld.global.cg.b32 [data]\n"

/* A reply is for four at most, also of one SM; each has a copy of its own. */
Test(merge, four_loads_of_a_sector_are_looked_up_once)
{
	expect(LOOKUPS, ONE_SECTOR("128"), 1);
	expect(LOOKUPS, ONE_SECTOR("160"), 2);
	expect(REPLIES, ONE_SECTOR("160"), 5);
	model_set("gpc_merge_requests=1");
	expect(LOOKUPS, ONE_SECTOR("160"), 5);
}

Test(merge, a_machine_may_have_none_of_it)
{
	model_set("gpc_merge_cycles=0");
	expect(LOOKUPS, ONE_SECTOR("160"), 5);
}

/* A load of SM 1, 100 cycles or more behind one of SM 0 for the same sector. */
#define LATER                                                                  \
	"role a sms=0:1 threads=32 lanes=1\nld.global.cg.b32 [data]\n"         \
	"role b sms=1:1 threads=32 lanes=1\ndelay 100\n"                       \
	"ld.global.cg.b32 [data]\n"

/* Of a miss they share the lookup as long as there is no answer. */
Test(merge, what_l2_waits_for_is_shared_however_late)
{
	expect(LOOKUPS, LATER, 1);
	expect(LOOKUPS, LATER "launch b\n" LATER, 1 + 2);
}

/* Another sector of the line ends it, and is not shared itself: loads of
   sectors 0, 1 and 1 by a warp are three lookups. */
Test(merge, other_sectors_of_the_line_end_it)
{
	static const char format[] = "role r sms=0:1 threads=32 lanes=1\n"
				     "ld.global.cg.b32 [data]\n"
				     "ld.global.cg.b32 [data + %u]\n"
				     "ld.global.cg.b32 [data + %u]\n";
	char text[160];

	snprintf(text, sizeof(text), format, 32u, 36u);
	expect(LOOKUPS, text, 3);
	snprintf(text, sizeof(text), format, 4u, 8u);
	expect(LOOKUPS, text, 1);
}

#define PAIRS(name, sm, offset)                                                \
	"role " name " sms=" sm ":1 threads=64 lanes=1\nrepeat 64\n"           \
	"ld.global.cg.b32 [data + " offset " + loop0*4096]\nend\n"

/* SMs 0 and 2 are of two GPCs: they do not share, but each keeps
   the other from sharing where it loads another sector of the line. */
Test(merge, gpcs_do_not_share_but_disturb)
{
	double other;

	model_set("l2_partitions=1");
	expect(LOOKUPS, PAIRS("a", "0", "0"), 64);
	expect(LOOKUPS, PAIRS("a", "0", "0") PAIRS("b", "2", "0"), 128);
	other = count(LOOKUPS, PAIRS("a", "0", "0") PAIRS("b", "2", "32"));
	cr_expect_gt(other, 160, "%g", other);
}

/* Two SMs of a GPC: one reply of a whole line is for both, and takes the time
   of one on the way from the slices; of the same SM each has its own. */
Test(merge, a_line_goes_to_several_sms_at_once)
{
	static const char sms[] =
		"role r sms=0:2 threads=32\nld.global.cg.b32 [data + lane*4]\n";

	expect(LOOKUPS, sms, 4);
	expect(REPLIES, sms, 8);
}

/* Cycles of loops over 8 lines of L2, by warps of the role. */
static double cycles(const char *role)
{
	return model_cycles(NULL,
		WARM "launch m\nrole r %s\nrepeat 256 time=region region=t\n"
		     "ld.global.cg.b32 [data + lane*4 + warp*128 wrap 1024]\n"
		     "end\n",
		role);
}

/* The slice sends its data again for a second warp of an SM. */
Test(merge, replies_of_their_own_take_the_slice_again)
{
	double shared, own;

	model_set("l2_partitions=1");
	model_set("l2_slices_used=2");
	model_set("slice_bytes_per_cycle=4");
	shared = cycles("sms=0:2 threads=256");
	own = cycles("sms=0:1 threads=512");
	cr_expect_gt(own, 1.3 * shared, "%g, %g", own, shared);
}

#define LINES(name, sm, delay)                                                 \
	"role " name " sms=" sm ":1 threads=1024\n" delay                      \
	"ld.global.cg.b32 [data + lane*4 + warp*128]\n"

/* SM 1 loads 32 lines that SM 0 has loaded 150 cycles before: lookups beyond
   those of the two alone. */
static double lookups_of_both(void)
{
	static const char once[] = "launch a\n" LINES("a", "0", "");
	static const char twice[] =
		"launch a\n" LINES("a", "0", "") "launch b\n" LINES(
			"a", "0", "") LINES("b", "1", "delay 150\n");

	model_set("l2_partitions=1");
	model_set("l2_slices_used=2");
	return count_all(LOOKUPS, twice) - 2 * count_all(LOOKUPS, once) +
	       count_all(LOOKUPS, "");
}

/* A slice sends 32 lines to SM 0 in 500 cycles: SM 1 shares those that wait for
   others. */
Test(merge, what_waits_at_its_slice_is_shared)
{
	double lookups;

	model_set("slice_bytes_per_cycle=4");
	lookups = lookups_of_both();
	cr_expect_gt(lookups, 0, "%g", lookups);
	cr_expect_lt(lookups, 4 * 32 - 32, "%g", lookups);
}

/* Where lookups take so long, SM 1's are behind those of SM 0, whose data have
   left. */
Test(merge, who_waits_for_a_lookup_does_not_share_yet)
{
	double lookups;

	model_set("slice_request_cycles=16");
	lookups = lookups_of_both();
	cr_expect_gt(lookups, 4 * 32 - 1, "%g", lookups);
}

/* ---- in L1 ---- */

/* Warp 0 loads the first half of line 1, warp 1 all of it. */
#define HALVES "ld.global.ca.b32 [data + 64 + lane*4 + warp*64]\n"

Test(merge, what_others_fetch_into_l1_is_not_fetched_again)
{
	double replies = count(REPLIES, "role r sms=0:1 threads=64\n" HALVES);

	cr_expect_eq(replies, 2 + 4, "%g", replies);
}

/* It fetches the other half at once: both come in the time of one. */
Test(merge, the_rest_is_fetched_at_once)
{
	static const char format[] =
		WARM "launch m\nrole r sms=0:1 threads=%u\n"
		     "repeat 1 time=region region=t\n" HALVES "end\n";
	double one = model_cycles(NULL, format, 32u);
	double both = model_cycles(NULL, format, 64u);

	cr_expect_lt(both, one + 100, "%g, %g", both, one);
}
