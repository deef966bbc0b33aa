/* Fences: what they wait for, and for whom. Each kernel leaves cycles in b. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(fences, .timeout = 120);

#define BEGIN "mov.u32 %r10, %clock;\n"
#define END                                                                    \
	"mov.u32 %r11, %clock;\nsub.u32 %r12, %r11, %r10;\n"                   \
	"st.global.u32 [%d4], %r12;\n"

/* The word that a thread of a launch leaves. */
static uint32_t left(
	const char *set, const char *body, const char *launch, size_t thread)
{
	static const struct job_wishes wishes = {
		.contents = true, .unchecked = true};
	char ptx[8192];
	struct ran r;
	uint32_t word;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(set, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(&word, r.result.contents[1] + 4 * thread, sizeof(word));
	kernel_end(&r);
	return word;
}

#define ONE "grid=1 block=32"

static uint32_t alone(const char *set, const char *before, const char *fence)
{
	char body[1024];

	snprintf(body, sizeof(body), "%s%s%s%s", before, BEGIN, fence, END);
	return left(set, body, ONE, 0);
}

#define STORE   "st.global.u32 [%d3], %r3;\n"
#define LOAD    "ld.global.cg.u32 %r8, [%d3];\nadd.u32 %r9, %r8, %r8;\n"
#define RELEASE "fence.release.gpu;\n"
#define BOTH    "fence.acq_rel.gpu;\n"

Test(fences, take_the_way_to_what_their_sm_has_accessed)
{
	uint32_t idle = alone(NULL, "", RELEASE);
	uint32_t store = alone(NULL, STORE, RELEASE);
	uint32_t far = alone("bridge_cycles=1000", STORE, RELEASE);

	cr_expect_gt(idle, 250);
	cr_expect_lt(idle, 280);
	cr_expect_gt(store, idle);
	cr_expect(far > 2000 + idle || far == store, "%u", far);
	cr_expect_leq(alone(NULL, STORE RELEASE, RELEASE), idle,
		"a fence begins anew what the next one waits for");
	cr_expect_gt(alone(NULL, LOAD, RELEASE), idle);
}

Test(fences, that_acquire_empty_l1_and_take_longer)
{
	cr_expect_eq(alone(NULL, "", BOTH), alone(NULL, "", RELEASE));
	cr_expect_eq(
		alone(NULL, STORE, BOTH), alone(NULL, STORE, RELEASE) + 85);
	cr_expect_eq(alone("kernel_fence_acquire_cycles=0", STORE, BOTH),
		alone(NULL, STORE, RELEASE));
}

/* The warp goes on when the word is there. */
#define LOADED                                                                 \
	"ld.global.ca.u32 %r8, [%d3];\nsetp.eq.u32 %p1, %r8, 5000;\n"          \
	"@%p1 ret;\n"
#define AGAIN(fence) LOADED fence BEGIN LOADED END

Test(fences, that_release_leave_what_is_in_l1)
{
	uint32_t hit = left(NULL, AGAIN(""), ONE, 0);

	cr_expect_leq(left(NULL, AGAIN(RELEASE), ONE, 0), hit + 10);
	cr_expect_gt(left(NULL, AGAIN(BOTH), ONE, 0), hit + 100);
}

#define BEFORE_USE(load)                                                       \
	LOADED BEGIN load " %r13, [%d3];\n" END "st.global.u32 [%d3], %r13;\n"

/* What stands behind an acquire waits, whether or not it needs the word. */
Test(fences, an_access_that_acquires_is_waited_for)
{
	uint32_t relaxed =
		left(NULL, BEFORE_USE("ld.relaxed.gpu.global.u32"), ONE, 0);

	cr_expect_lt(relaxed, 50, "%u", relaxed);
	cr_expect_eq(
		left(NULL, BEFORE_USE("ld.acquire.cta.global.u32"), ONE, 0),
		relaxed);
	cr_expect_gt(
		left(NULL, BEFORE_USE("ld.acquire.gpu.global.u32"), ONE, 0),
		200);
}

/* Warp 1 stores to 32 lines, again and again; then warp 0 fences. */
#define OTHERS(rounds, fence)                                                  \
	"setp.lt.u32 %p1, %r0, 32;\nmul.lo.u32 %r4, %r0, 128;\n"               \
	"cvt.u64.u32 %d5, %r4;\nadd.u64 %d5, %d5, %d1;\nmov.u32 %r5, 0;\n"     \
	"@%p1 bra M;\n"                                                        \
	"L: .pragma \"nounroll\";\nst.global.u32 [%d5], %r5;\n"                \
	"add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, " rounds                  \
	";\n@%p2 bra L;\n"                                                     \
	"M: bar.sync 0;\n@!%p1 ret;\n" BEGIN fence END

Test(fences, wait_for_stores_of_all_warps_of_their_sm)
{
	static const char lines[] = "buffer a bytes=4KiB type=u32\n"
				    "buffer b bytes=64KiB type=u32\n"
				    "launch k grid=1 block=64 args=a,b\n";
	uint32_t few, many;

	for (int i = 0; i < 2; i++) {
		static const struct job_wishes wishes = {
			.contents = true, .unchecked = true};
		struct ran r;

		kernel_run_lines(NULL, &r,
			i ? HEAD OTHERS("64", RELEASE) TAIL
			  : HEAD OTHERS("1", RELEASE) TAIL,
			lines, &wishes);
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		memcpy(i ? &many : &few, r.result.contents[1], 4);
		kernel_end(&r);
	}
	cr_expect_gt(many, few + 150, "%u %u", few, many);
}

/* Warp w fences w * delta cycles later than the first, behind its store, which
   comes at once or then. */
#define SOME_LATER(delta, early, late)                                         \
	"shr.u32 %r4, %r0, 5;\nmul.lo.u32 %r4, %r4, " delta ";\n"              \
	"bar.sync 0;\nmov.u32 %r10, %clock;\n" early                           \
	"L: mov.u32 %r5, %clock;\nsub.u32 %r5, %r5, %r10;\n"                   \
	"setp.lt.u32 %p1, %r5, %r4;\n@%p1 bra L;\n" late RELEASE END

#define TWO "grid=1 block=64"

Test(fences, of_an_sm_go_together_or_wait_for_each_other)
{
	uint32_t first = left(NULL, SOME_LATER("0", STORE, ""), TWO, 0);
	uint32_t soon = left(NULL, SOME_LATER("0", STORE, ""), TWO, 32);
	uint32_t next = left(NULL, SOME_LATER("100", STORE, ""), TWO, 32);
	uint32_t later = left(NULL, SOME_LATER("100", "", STORE), TWO, 32);

	cr_expect_leq(soon, first + 30, "%u %u", first, soon);
	cr_expect_gt(next, first + 40, "%u %u", first, next);
	cr_expect_lt(next, first + 100, "%u %u", first, next);
	cr_expect_gt(later, next, "%u %u", next, later);
	cr_expect_leq(left("kernel_fence_join_cycles=1000",
			      SOME_LATER("100", STORE, ""), TWO, 32),
		first + 30);
}

/* Warp 0 fences, and soon after it warp 1, which has just stored. */
#define OTHER_STORES                                                           \
	"setp.ge.u32 %p1, %r0, 32;\nselp.u32 %r4, 10, 0, %p1;\n"               \
	"bar.sync 0;\n" BEGIN                                                  \
	"L: mov.u32 %r5, %clock;\nsub.u32 %r5, %r5, %r10;\n"                   \
	"setp.lt.u32 %p2, %r5, %r4;\n@%p2 bra L;\n"                            \
	"@%p1 st.global.u32 [%d0], %r5;\n" RELEASE END

Test(fences, end_with_none_that_does_not_wait_for_their_stores)
{
	static const char join[] = "kernel_fence_join_cycles=100";
	uint32_t idle = left(join, OTHER_STORES, TWO, 0);
	uint32_t storing = left(join, OTHER_STORES, TWO, 32);

	cr_expect_lt(idle, 300, "%u", idle);
	cr_expect_geq(storing,
		alone(NULL, "st.global.u32 [%d0], %r3;\n", RELEASE), "%u",
		storing);
}

/* The next fences begin no sooner than time does. */
Test(fences, that_are_next_may_begin_long_before)
{
	cr_expect_leq(left("kernel_fence_early_cycles=65536",
			      SOME_LATER("100", STORE, ""), TWO, 32),
		left(NULL, SOME_LATER("100", STORE, ""), TWO, 32));
}

/* Two launches are on the same SMs. */
Test(fences, of_launches_side_by_side_go_together)
{
	static const char lines[] =
		"buffer a bytes=1MiB type=u32\n"
		"buffer b bytes=1MiB type=u32\n"
		"launch k grid=132 block=64 args=a,b\n"
		"launch k grid=132 block=1024 args=a,b stream=1\n";
	static const struct job_wishes wishes = {
		.contents = true, .unchecked = true};
	struct ran r;

	kernel_run_lines(NULL, &r,
		HEAD "mov.u32 %r5, 0;\n" BEGIN
		     "L: .pragma \"nounroll\";\n" STORE BOTH
		     "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 4;\n"
		     "@%p2 bra L;\n" END TAIL,
		lines, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

Test(fences, of_the_system_take_a_long_way)
{
	cr_expect_gt(alone(NULL, STORE, "fence.release.sys;\n"),
		alone(NULL, STORE, RELEASE) + 300);
}
