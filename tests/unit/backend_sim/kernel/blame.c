/* Waits of kernels in three parts, and who waited in line for whom. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_blame, .timeout = 120);

#define WIDE_BUFFERS                                                           \
	"buffer a bytes=4MiB type=u32 fill=random below=1024 seed=1\n"         \
	"buffer b bytes=4MiB type=u32\n"

/* A word each, counted in one of 1,024 bins. */
#define BINS                                                                   \
	HEAD "ld.global.u32 %r4, [%d3];\nmul.wide.u32 %d5, %r4, 4;\n"          \
	     "add.s64 %d6, %d1, %d5;\n"                                        \
	     "red.global.add.u32 [%d6], 1;\n" TAIL

/* Shared memory, barriers, atomics with answers, copies, stores in part. */
#define MIXED                                                                  \
	HEAD ".shared .align 16 .b8 s[512];\nmov.u32 %r5, s;\n"                \
	     "and.b32 %r6, %r0, 127;\nshl.b32 %r6, %r6, 2;\n"                  \
	     "add.u32 %r5, %r5, %r6;\n"                                        \
	     "cp.async.ca.shared.global [%r5], [%d3], 4;\n"                    \
	     "cp.async.commit_group;\ncp.async.wait_group 0;\n"                \
	     "bar.sync 0;\nld.shared.u32 %r7, [%r5];\n"                        \
	     "ld.global.u32 %r8, [%d3];\nadd.u32 %r8, %r8, %r7;\n"             \
	     "atom.global.add.u32 %r9, [%d1], %r8;\n"                          \
	     "bar.sync 0;\nst.global.u8 [%d4], %r9;\nmembar.gl;\n"             \
	     "fma.rn.f32 %f1, %f0, %f0, %f0;\nst.global.f32 [%d4], "           \
	     "%f1;\n" TAIL

/* Warp 0 of a block goes round a loop while the others wait for it. */
#define LATE                                                                   \
	HEAD ".reg .b32 %n;\nmov.u32 %n, 0;\nsetp.ge.u32 %p1, %r0, 32;\n"      \
	     "@%p1 bra M;\nL:\nadd.u32 %n, %n, 1;\n"                           \
	     "setp.lt.u32 %p2, %n, 500;\n@%p2 bra L;\nM:\nbar.sync 0;\n"       \
	     "st.global.u32 [%d4], %n;\n" TAIL

static const struct job_server *server_of(
	const struct job_profile *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->server_count; i++)
		if (!strcmp(p->servers[i].name, name))
			return &p->servers[i];
	cr_assert_fail("server '%s' did nothing", name);
	return NULL;
}

/* At each server, and so in all. */
static void is_balanced(const struct job_profile *p)
{
	double *suffered = calloc(p->server_count, sizeof(*suffered));
	double *caused = calloc(p->server_count, sizeof(*caused));
	size_t i;

	for (i = 0; i < p->queue_count; i++) {
		const struct job_queue *q = &p->queues[i];

		cr_assert(q->line == JOB_NO_LINE || q->line < p->line_count);
		cr_assert_lt(q->server, p->server_count);
		cr_assert(
			!i || q->line > q[-1].line || q->server > q[-1].server);
		suffered[q->server] += q->suffered_cycles;
		caused[q->server] += q->caused_cycles;
	}
	for (i = 0; i < p->server_count; i++) {
		cr_assert_float_eq(
			suffered[i], caused[i], 1e-6, "%s", p->servers[i].name);
		cr_assert_leq(suffered[i], p->servers[i].waited_cycles + 1e-6,
			"%s", p->servers[i].name);
	}
	free(suffered);
	free(caused);
}

/* Loads and atomics with answers: way, queue and service are their latency, to
   the cycle; and those by answer are those by line. */
static void has_three_parts(const struct job_profile *p)
{
	double by_line = 0, by_answer = 0;
	unsigned lines = 0;
	size_t i;

	for (i = 0; i < p->line_count; i++) {
		const struct job_line *l = &p->lines[i];
		const double all = l->took.way_cycles + l->took.queue_cycles +
				   l->took.service_cycles;

		by_line += all;
		if (!l->answered)
			continue;
		lines++;
		cr_assert_eq(l->took.requests, l->answered);
		cr_assert_float_eq(
			all, l->latency_cycles, 1e-6, "line %u", l->line);
		cr_assert_gt(l->took.way_cycles, 0);
		cr_assert_gt(l->took.service_cycles, 0);
	}
	for (i = 0; i < JOB_ANSWER_COUNT; i++)
		by_answer += p->took[i].way_cycles + p->took[i].queue_cycles +
			     p->took[i].service_cycles;
	cr_assert_gt(lines, 0);
	cr_assert_float_eq(by_line, by_answer, 1e-6);
}

/* Every cycle that a warp waits is one in which a line cannot be issued. */
static void stalls_as_long(const struct job_profile *p)
{
	size_t i, k;

	for (k = 0; k < JOB_WAIT_COUNT; k++) {
		double stalled = 0;

		for (i = 0; i < p->line_count; i++)
			stalled += p->lines[i].stalled_cycles[k];
		cr_assert_eq(stalled, p->wait_cycles[k]);
	}
}

static void holds(const char *set, const char *ptx, const char *launch)
{
	struct ran r;
	const struct job_profile *p =
		kernel_profile_of(set, &r, ptx, WIDE_BUFFERS, launch);

	is_balanced(p);
	has_three_parts(p);
	stalls_as_long(p);
	kernel_end(&r);
}

Test(kernel_blame, sums_hold_of_loads_and_reductions)
{
	holds(NULL, BINS, "grid=64 block=256");
	holds("dram_bytes_per_s=1e11", BINS, "grid=256 block=256");
}

Test(kernel_blame, sums_hold_of_all_kinds_of_accesses)
{
	holds(NULL, MIXED, "grid=64 block=128");
	holds("sm_inflight_sectors=64", MIXED, "grid=64 block=128");
}

/* The load waits behind reductions, and its line is what warps wait for. */
Test(kernel_blame, reductions_that_a_load_waits_for_are_named)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of(
		NULL, &r, BINS, WIDE_BUFFERS, "grid=1024 block=256");
	const struct job_queue *most = &p->queues[0];
	double red = 0, all = 0;
	size_t i;

	for (i = 0; i < p->queue_count; i++) {
		const struct job_queue *q = &p->queues[i];

		all += q->caused_cycles;
		most = q->caused_cycles > most->caused_cycles ? q : most;
		if (q->line != JOB_NO_LINE && !p->lines[q->line].answered)
			red += q->caused_cycles;
	}
	cr_assert_lt(most->line, p->line_count);
	cr_assert_gt(p->lines[most->line].requests, 0);
	cr_assert_eq(p->lines[most->line].answered, 0, "not the load");
	cr_assert_gt(red, 0.9 * all);
	kernel_end(&r);
}

/* Three warps of each block suffer at their barrier as long as the first
   computes. */
Test(kernel_blame, who_waits_at_a_barrier_waits_for_the_last)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of(
		NULL, &r, LATE, WIDE_BUFFERS, "grid=1 block=128");
	const struct job_server *meeting = server_of(p, "barrier");
	double suffered = 0;
	size_t i;

	is_balanced(p);
	for (i = 0; i < p->queue_count; i++) {
		const struct job_queue *q = &p->queues[i];

		if (&p->servers[q->server] != meeting)
			continue;
		suffered += q->suffered_cycles;
		cr_assert_lt(q->line, p->line_count);
		cr_assert_gt(
			p->lines[q->line].wait_cycles[JOB_WAIT_BARRIER], 0);
	}
	cr_assert_gt(suffered, 3 * 500);
	/* arrivals take a little of it */
	cr_assert_leq(suffered, meeting->waited_cycles);
	cr_assert_gt(suffered, 0.95 * meeting->waited_cycles);
	/* behind the last arrival all four wait a little */
	cr_assert_lt(suffered, p->wait_cycles[JOB_WAIT_BARRIER]);
	cr_assert_gt(suffered, 0.9 * p->wait_cycles[JOB_WAIT_BARRIER] - 200);
	kernel_end(&r);
}

/* The load is what the warp waits for, its use is what cannot be issued. */
Test(kernel_blame, a_use_stalls_where_its_load_is_waited_for)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of(NULL, &r,
		HEAD "ld.global.u32 %r4, [%d3];\nadd.u32 %r5, %r0, 1;\n"
		     "add.u32 %r4, %r4, %r5;\nst.global.u32 [%d4], %r4;\n" TAIL,
		WIDE_BUFFERS, "grid=1 block=32");
	const struct job_line *load = NULL, *use = NULL;
	size_t i;

	for (i = 0; i < p->line_count; i++) {
		if (p->lines[i].wait_cycles[JOB_WAIT_DRAM] > 0)
			load = &p->lines[i];
		if (p->lines[i].stalled_cycles[JOB_WAIT_DRAM] > 0)
			use = &p->lines[i];
	}
	cr_assert_not_null(load);
	cr_assert_not_null(use);
	cr_assert_eq(use->line, load->line + 2);
	cr_assert_eq(use->stalled_cycles[JOB_WAIT_DRAM],
		load->wait_cycles[JOB_WAIT_DRAM]);
	cr_assert_eq(load->stalled_cycles[JOB_WAIT_DRAM], 0);
	kernel_end(&r);
}

/* A warp that has stored ends kernel_drain_cycles later, each at its `ret`. */
Test(kernel_blame, a_warp_that_has_stored_drains)
{
	struct ran r;
	const struct job_profile *p =
		kernel_profile_of("kernel_drain_cycles=22", &r,
			HEAD "st.global.u32 [%d4], %r0;\n" TAIL, WIDE_BUFFERS,
			"grid=4 block=64");
	double drained = 0;
	size_t i;

	for (i = 0; i < p->line_count; i++)
		drained =
			fmax(drained, p->lines[i].wait_cycles[JOB_WAIT_DRAIN]);
	cr_assert_eq(p->wait_cycles[JOB_WAIT_DRAIN], 4 * 2 * 22);
	cr_assert_eq(drained, 4 * 2 * 22, "all of it is the last line's");
	cr_assert_eq(p->wait_cycles[JOB_WAIT_WRITE], 0);
	kernel_end(&r);
	p = kernel_profile_of(NULL, &r, HEAD "ld.global.u32 %r4, [%d3];\n" TAIL,
		WIDE_BUFFERS, "grid=4 block=64");
	cr_assert_eq(p->wait_cycles[JOB_WAIT_DRAIN], 0);
	kernel_end(&r);
}
