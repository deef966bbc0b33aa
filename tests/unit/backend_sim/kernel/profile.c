/* Where the time of kernels goes: every warp-cycle and every sector once. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_profile, .timeout = 120);

static const struct job_wishes profiled = {.profile = true};

static const struct job_profile *profile_on(
	const char *set, struct ran *r, const char *ptx, const char *launch)
{
	kernel_run(set, r, ptx, BUFFERS, launch, &profiled);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
	return r->result.launches[0].profile;
}

static const struct job_line *line_of(
	const struct job_profile *p, uint32_t number)
{
	size_t i;

	for (i = 0; i < p->line_count; i++)
		if (p->lines[i].line == number)
			break;
	cr_assert_lt(i, p->line_count, "line %u was not executed", number);
	return &p->lines[i];
}

static double waited(const struct job_line *l)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++)
		sum += l->wait_cycles[i];
	return sum;
}

/* The classes, and the lines, make up all resident warp-cycles, which the model
   counts from each warp's first and last cycle. */
static void adds_up(const struct job_profile *p)
{
	double classes = 0, lines = 0;
	size_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++)
		classes += p->wait_cycles[i];
	for (i = 0; i < p->line_count; i++)
		lines += waited(&p->lines[i]);
	cr_assert_gt(p->warp_cycles, 0);
	cr_assert_eq(classes, p->warp_cycles);
	cr_assert_eq(lines, p->warp_cycles);
}

/* Shared memory, a barrier, an atomic, a fence, a copy, lanes that part, and
   more loads under way than a warp has scoreboards. */
#define EVERYTHING                                                             \
	HEAD ".shared .align 16 .b8 s[512];\n"                                 \
	     "mov.u32 %r5, s;\nand.b32 %r6, %r0, 127;\nshl.b32 %r6, %r6, 2;\n" \
	     "add.u32 %r5, %r5, %r6;\n"                                        \
	     "cp.async.ca.shared.global [%r5], [%d3], 4;\n"                    \
	     "cp.async.commit_group;\ncp.async.wait_group 0;\n"                \
	     "bar.sync 0;\nld.shared.u32 %r7, [%r5];\n"                        \
	     "add.u32 %r7, %r7, 1;\n"                                          \
	     "ld.global.u32 %r8, [%d0];\nld.global.u32 %r9, [%d0+128];\n"      \
	     "ld.global.u32 %r10, [%d0+256];\n"                                \
	     "ld.global.u32 %r11, [%d0+384];\n"                                \
	     "ld.global.u32 %r12, [%d0+512];\n"                                \
	     "ld.global.u32 %r13, [%d0+640];\n"                                \
	     "ld.global.u32 %r14, [%d0+768];\n"                                \
	     "ld.global.u32 %r15, [%d0+896];\n"                                \
	     "add.u32 %r8, %r8, %r9;\nadd.u32 %r8, %r8, %r10;\n"               \
	     "add.u32 %r8, %r8, %r11;\nadd.u32 %r8, %r8, %r12;\n"              \
	     "add.u32 %r8, %r8, %r13;\nadd.u32 %r8, %r8, %r14;\n"              \
	     "add.u32 %r8, %r8, %r15;\nadd.u32 %r8, %r8, %r7;\n"               \
	     "st.global.u32 [%d4], %r8;\nmembar.gl;\n"                         \
	     "atom.global.add.u32 %r16, [%d1], %r8;\n"                         \
	     "setp.lt.u32 %p1, %r0, 5;\n@%p1 bra DONE;\n"                      \
	     "st.global.u32 [%d4], %r16;\nDONE:\n" TAIL

Test(kernel_profile, every_cycle_of_every_warp_has_one_class)
{
	struct ran r;
	const struct job_profile *p =
		profile_on(NULL, &r, EVERYTHING, "grid=8 block=128");
	size_t i;

	adds_up(p);
	/* 8 blocks of 4 warps are resident at once, none longer than all. */
	cr_assert_leq(p->warp_cycles, 8 * 4 * r.result.launches[0].cycles);
	for (i = 0; i < p->line_count; i++)
		cr_assert_geq(waited(&p->lines[i]), 0);
	cr_assert_gt(p->wait_cycles[JOB_WAIT_SHARED], 0);
	cr_assert_gt(p->wait_cycles[JOB_WAIT_BARRIER], 0);
	cr_assert_gt(p->wait_cycles[JOB_WAIT_ATOMIC], 0);
	cr_assert_gt(p->wait_cycles[JOB_WAIT_ISSUE], 0);
	cr_assert_gt(p->wait_cycles[JOB_WAIT_ARITHMETIC], 0);
	kernel_end(&r);
}

/* Each line has its own sectors, however many are under way. */
Test(kernel_profile, every_sector_of_a_load_is_found_once)
{
	struct ran r;
	const struct job_profile *p =
		profile_on(NULL, &r, EVERYTHING, "grid=8 block=128");
	unsigned loads = 0;
	size_t i, k;

	for (i = 0; i < p->line_count; i++) {
		const struct job_line *l = &p->lines[i];
		uint64_t found = 0;

		for (k = 0; k < JOB_LEVEL_COUNT; k++)
			found += l->found[k];
		if (!found)
			continue;
		cr_assert_eq(found, l->sectors, "line %u", l->line);
		cr_assert_eq(l->answered, l->requests, "line %u", l->line);
		cr_assert_gt(l->latency_cycles, 0);
		loads++;
	}
	/* the copy and eight loads */
	cr_assert_eq(loads, 9);
	kernel_end(&r);
}

/* Line 22 loads, line 23 uses the value: the wait is the load's. */
#define LOAD_AND_USE                                                           \
	HEAD "ld.global.u32 %r4, [%d3];\nadd.u32 %r4, %r4, 1;\n"               \
	     "st.global.u32 [%d4], %r4;\n" TAIL

Test(kernel_profile, a_wait_belongs_to_the_load_that_ends_it)
{
	struct ran r;
	const struct job_profile *p =
		profile_on(NULL, &r, LOAD_AND_USE, "grid=8 block=128");
	const struct job_line *load = line_of(p, 22), *use = line_of(p, 23);

	adds_up(p);
	cr_assert_gt(load->wait_cycles[JOB_WAIT_DRAM], 0.5 * p->warp_cycles);
	cr_assert_eq(use->wait_cycles[JOB_WAIT_DRAM], 0);
	cr_assert_eq(load->executions, 32);
	cr_assert_eq(load->lanes, 1024);
	cr_assert_eq(load->sectors, 128);
	cr_assert_eq(load->found[JOB_LEVEL_DRAM], 128);
	kernel_end(&r);
}

/* Line 23 is a branch that no lane takes. */
Test(kernel_profile, all_lanes_execute_a_branch)
{
	struct ran r;
	const struct job_profile *p = profile_on(NULL, &r,
		HEAD "setp.gt.u32 %p1, %r0, 5000;\n@%p1 bra E;\n"
		     "st.global.u32 [%d4], %r0;\nE:\n" TAIL,
		"grid=8 block=128");

	cr_expect_eq(line_of(p, 23)->executions, 32);
	cr_expect_eq(line_of(p, 23)->lanes, 1024);
	kernel_end(&r);
}

static double share(const char *set, enum job_wait why)
{
	struct ran r;
	const struct job_profile *p =
		profile_on(set, &r, LOAD_AND_USE, "grid=8 block=128");
	double found = p->wait_cycles[why] / p->warp_cycles;

	adds_up(p);
	kernel_end(&r);
	return found;
}

Test(kernel_profile, a_translation_has_its_part_of_a_wait)
{
	cr_assert_gt(share("tlb_miss_cycles=4096", JOB_WAIT_TLB), 0.5);
	cr_assert_lt(share("tlb_miss_cycles=0", JOB_WAIT_TLB), 0.1);
}

Test(kernel_profile, a_load_waits_for_room_among_requests)
{
	cr_assert_gt(share("sm_inflight_sectors=4", JOB_WAIT_ROOM), 0.1);
	cr_assert_eq(share(NULL, JOB_WAIT_ROOM), 0);
}

/* A profile looks on: no cycle changes. */
Test(kernel_profile, a_profile_changes_no_cycle)
{
	static const struct job_wishes none = {.max_cycles = 0};
	struct ran with, without;

	profile_on(NULL, &with, EVERYTHING, "grid=8 block=128");
	kernel_run(
		NULL, &without, EVERYTHING, BUFFERS, "grid=8 block=128", &none);
	cr_assert_eq(with.result.launches[0].cycles,
		without.result.launches[0].cycles);
	cr_assert_null(without.result.launches[0].profile);
	kernel_end(&with);
	kernel_end(&without);
}

/* What a text that ends without `ret` waits for in the end is its last
   instruction's. */
Test(kernel_profile, adds_up_without_a_return)
{
	struct ran r;

	adds_up(profile_on(NULL, &r, HEAD "st.global.u32 [%d4], %r3;\n}\n",
		"grid=2 block=64"));
	kernel_end(&r);
}
