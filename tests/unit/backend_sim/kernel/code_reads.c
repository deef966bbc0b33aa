/* What a launch reads beside what its warps ask for: with cold caches its code
   comes from DRAM once, and each GPC reads it by its own side of L2. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(code_reads, .timeout = 120);

struct reads {
	double dram, l2, found, missed;
};

/* A kernel that stores, after so many additions that depend on each other. */
static struct reads reads_of(const char *set, unsigned sums, const char *launch)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	char ptx[16384] = HEAD;
	struct reads reads;
	struct ran r;

	while (sums--)
		strcat(ptx, "mad.lo.u32 %r3, %r3, %r3, %r2;\n");
	strcat(ptx, "st.global.u32 [%d4], %r3;\n" TAIL);
	kernel_run(set, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	reads = (struct reads){kernel_counter(&r, "dram__sectors_read.sum"),
		kernel_counter(&r, "lts__t_sectors_op_read.sum"),
		kernel_counter(&r, "lts__t_sectors_lookup_hit.sum"),
		kernel_counter(&r, "lts__t_sectors_lookup_miss.sum")};
	kernel_end(&r);
	return reads;
}

#define PLAIN "grid=1 block=128"

/* Two instructions are a sector; four GPCs and the far side's copy read it. */
Test(code_reads, count_once_in_dram_and_for_each_gpc_in_l2)
{
	struct reads few = reads_of(NULL, 2, PLAIN);
	struct reads many = reads_of(NULL, 34, PLAIN);

	cr_expect_eq(many.dram - few.dram, 16);
	cr_expect_eq(many.l2 - few.l2, 16 * (4 + 1));
	cr_expect_eq(many.missed - few.missed, 16 * 2);
	cr_expect_eq(many.found - few.found, 16 * 3);
}

Test(code_reads, are_of_the_launch_and_not_of_its_blocks)
{
	struct reads one = reads_of(NULL, 2, PLAIN);
	struct reads eight = reads_of(NULL, 2, "grid=8 block=128");

	cr_expect_eq(one.dram, eight.dram);
	cr_expect_eq(one.l2, eight.l2);
}

Test(code_reads, have_what_the_machine_adds)
{
	struct reads none = reads_of("kernel_code_sectors=100", 2, PLAIN);
	struct reads some = reads_of("kernel_code_sectors=200", 2, PLAIN);
	struct reads other = reads_of("kernel_other_sectors=1170", 2, PLAIN);

	cr_expect_eq(some.dram - none.dram, 100);
	cr_expect_eq(some.l2 - none.l2, 100 * (4 + 1));
	cr_expect_eq(
		other.l2 - reads_of("kernel_other_sectors=170", 2, PLAIN).l2,
		1000);
	cr_expect_eq(other.dram,
		reads_of("kernel_other_sectors=170", 2, PLAIN).dram);
	/* a machine on which this was not measured */
	cr_expect_eq(reads_of("kernel_code_sectors=0", 34, PLAIN).dram,
		reads_of("kernel_code_sectors=0", 2, PLAIN).dram);
}

/* Warm, the code is in the GPCs: what is beside it is read once from L2. */
Test(code_reads, are_few_when_caches_are_warm)
{
	struct reads few = reads_of(NULL, 2, PLAIN " warmups=1");
	struct reads many = reads_of(NULL, 34, PLAIN " warmups=1");

	cr_expect_eq(many.l2, few.l2);
	cr_expect_eq(many.dram, 0);
	cr_expect_eq(few.l2, 88 + 170);
}
