/* Instructions come to an SM part by part, once, where it has room for them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_fetched, .timeout = 120);

/* A part of 24 takes 45 cycles and 5 of the GPC's cache: two an instruction. */
#define PARTS  "code_part_instructions=24"
#define NONE   "code_part_instructions=0"
#define ONE    "grid=1 block=32"
#define ROUNDS "ld.global.u32 %r5, [%d0];\nmov.u32 %r6, 0;\nLOOP:\n"
#define AGAIN                                                                  \
	"add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, %r5;\n"                   \
	"@%p0 bra LOOP;\n"

static void add_sums(char *ptx, unsigned count)
{
	char line[64];
	unsigned i;

	for (i = 0; i < 6; i++) {
		snprintf(
			line, sizeof(line), "cvt.rn.f32.u32 %%f%u, %%r0;\n", i);
		strcat(ptx, line);
	}
	strcat(ptx, ROUNDS);
	for (i = 0; i < count; i++) {
		snprintf(line, sizeof(line),
			"fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", i % 6,
			i % 6, i % 6, i % 6);
		strcat(ptx, line);
	}
	strcat(ptx, AGAIN);
	for (i = 1; i < 6; i++) {
		snprintf(line, sizeof(line), "add.f32 %%f0, %%f0, %%f%u;\n", i);
		strcat(ptx, line);
	}
	strcat(ptx, "st.global.f32 [%d4], %f0;\n" TAIL);
}

/* Of the last launch, in which a warp executes `count` products that a
   scheduler could issue cycle by cycle, in each of the first element's rounds:
   500 of them take as long as the load of that element. */
static double cycles_of(const char *set, unsigned count, unsigned rounds,
	const char *launch, double *waited)
{
	const struct job_wishes wishes = {
		.profile = waited != NULL, .max_cycles = 1000000};
	const struct job_launch_result *last;
	char ptx[65536] = HEAD, buffers[256];
	struct ran r;
	double cycles;

	add_sums(ptx, count);
	snprintf(buffers, sizeof(buffers),
		"buffer a bytes=4KiB type=u32 fill=iota first=%u\n"
		"buffer b bytes=4KiB type=u32\n",
		rounds);
	kernel_run(set, &r, ptx, buffers, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	last = &r.result.launches[r.result.launch_count - 1];
	cycles = last->cycles;
	if (waited)
		*waited = last->profile->wait_cycles[JOB_WAIT_CODE];
	kernel_end(&r);
	return cycles;
}

/* What 480 more of them take, which are 20 parts. */
#define MORE_PARTS 20.

static double more(const char *set, unsigned rounds, const char *launch)
{
	return cycles_of(set, 1200, rounds, launch, NULL) -
	       cycles_of(set, 720, rounds, launch, NULL);
}

Test(kernel_fetched, that_are_new_take_longer_than_their_instructions)
{
	cr_expect_float_eq(more(NONE, 1, ONE), 480, 5);
	cr_expect_float_eq(more(PARTS, 1, ONE), MORE_PARTS * 49.3, 30);
	/* a part that takes no longer than its instructions comes in time */
	cr_expect_float_eq(more("code_fetch_cycles=10", 1, ONE), 480, 5);
}

Test(kernel_fetched, are_there_in_the_next_round)
{
	double once = cycles_of(PARTS, 480, 1, ONE, NULL);
	double often = cycles_of(PARTS, 480, 11, ONE, NULL);

	cr_expect_float_eq(often - once,
		cycles_of(NONE, 480, 11, ONE, NULL) -
			cycles_of(NONE, 480, 1, ONE, NULL),
		10);
}

Test(kernel_fetched, that_do_not_fit_come_again_each_round)
{
	const char *set = "code_kept_instructions=240";

	cr_expect_gt(cycles_of(set, 480, 11, ONE, NULL) -
			     cycles_of(set, 480, 1, ONE, NULL),
		10 * 480 * 1.9);
}

/* Warps at more places than fit push each other's parts out, and go on. */
Test(kernel_fetched, that_have_come_are_there_for_who_asked)
{
	cr_expect_lt(cycles_of("code_kept_instructions=48", 480, 3,
			     "grid=1 block=1024", NULL),
		100000);
}

Test(kernel_fetched, are_there_when_the_kernel_runs_again)
{
	cr_expect_float_eq(more(PARTS, 1, ONE " warmups=1"), 480, 5);
	cr_expect_gt(more("code_kept_instructions=240", 1, ONE " warmups=1"),
		480 * 1.9);
}

/* Two SMs of a GPC take turns. */
Test(kernel_fetched, come_from_a_cache_of_the_gpc)
{
	const char *set = "code_gpc_cycles=100";

	cr_expect_float_eq(more(set, 1, ONE), MORE_PARTS * 145, 100);
	cr_expect_float_eq(
		more(set, 1, "grid=8 block=32"), MORE_PARTS * 200, 200);
}

Test(kernel_fetched, have_a_class_of_their_own_in_a_profile)
{
	double waited, none;

	cycles_of(PARTS, 480, 1, ONE, &waited);
	cycles_of(NONE, 480, 1, ONE, &none);
	cr_expect_float_eq(waited, MORE_PARTS * 25.3, 60);
	cr_expect_eq(none, 0);
}
