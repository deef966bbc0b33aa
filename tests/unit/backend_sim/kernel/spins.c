/* Loops that only read the clock: most of their rounds are skipped, and nothing
   tells. Who profiles has them all executed. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

/* Of a kernel that waits in the middle: what a thread sees before and behind
   goes to b. */
#define WAIT(body)                                                             \
	HEAD "mov.u64 %d10, %clock64;\n" body                                  \
	     "mov.u32 %r9, %clock;\nst.global.u32 [%d4], %r9;\n" TAIL

#define ROUND(read, start, compare, go)                                        \
	WAIT("L:\n" read start compare go " bra L;\n")

#define CLOCK "mov.u64 %d11, %clock64;\n"
#define SINCE "sub.s64 %d12, %d11, %d10;\n"

static const char *const kernels[] = {
	ROUND(CLOCK, SINCE, "setp.lt.u64 %p1, %d12, 30000;\n", "@%p1"),
	ROUND(CLOCK, SINCE, "setp.le.s64 %p1, %d12, 30000;\n", "@%p1"),
	ROUND(CLOCK, SINCE, "setp.ge.u64 %p1, %d12, 30000;\n", "@!%p1"),
	ROUND(CLOCK, SINCE, "setp.gt.s64 %p1, 30000, %d12;\n", "@%p1"),
	ROUND(CLOCK, "", "setp.lt.u64 %p1, %d11, 50000;\n", "@%p1"),
	/* until the lower half of what a thread has added wraps */
	WAIT("mov.u32 %r8, %clock;\nadd.u32 %r8, %r8, 40000;\nL:\n"
	     "mov.u32 %r9, %clock;\nsub.u32 %r9, %r9, %r8;\n"
	     "setp.gt.u32 %p1, %r9, 100;\n@%p1 bra L;\n"),
	/* each warp, and each half of it, as long as it wants to */
	WAIT("mul.wide.u32 %d13, %r0, 211;\nL:\n" CLOCK SINCE
	     "setp.lt.u64 %p1, %d12, %d13;\n@%p1 bra L;\n"),
	/* one thread of a block, the others at a barrier */
	WAIT("setp.ne.u32 %p2, %r0, 5;\n@%p2 bra M;\nL:\n" CLOCK SINCE
	     "setp.lt.u64 %p1, %d12, 30000;\n@%p1 bra L;\nM:\nbar.sync 0;\n"),
	/* beside a warp that loads */
	WAIT("setp.lt.u32 %p2, %r0, 32;\n@%p2 bra N;\nL:\n" CLOCK SINCE
	     "setp.lt.u64 %p1, %d12, 30000;\n@%p1 bra L;\nbra M;\n"
	     "N:\nmov.u32 %r8, 0;\nO:\nld.volatile.global.u32 %r9, [%d3];\n"
	     "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, 7;\n@%p3 bra O;\n"
	     "M:\n"),
};

static const char *const launches[] = {
	"grid=1 block=32",
	"grid=1 block=512",
	"grid=10 block=96",
};

static void is_the_same(const char *ptx, const char *launch)
{
	static const struct job_wishes skips = {.contents = true};
	static const struct job_wishes runs = {
		.contents = true, .profile = true};
	struct ran a = {0}, b = {0};
	size_t i;

	kernel_run(NULL, &a, ptx, BUFFERS, launch, &skips);
	kernel_run(NULL, &b, ptx, BUFFERS, launch, &runs);
	cr_assert_eq(a.code, 0, "%s", a.error.text);
	cr_assert_eq(b.code, 0, "%s", b.error.text);
	cr_expect_gt(a.result.launches[0].cycles, 5000);
	cr_expect_eq(a.result.launches[0].cycles, b.result.launches[0].cycles,
		"%g, %g of %s in\n%s", a.result.launches[0].cycles,
		b.result.launches[0].cycles, launch, ptx);
	cr_expect_arr_eq(a.result.contents[1], b.result.contents[1],
		a.job.buffers[1].bytes, "%s in\n%s", launch, ptx);
	for (i = 0; i < a.result.launches[0].counter_count; i++) {
		const struct counter *x = &a.result.launches[0].counters[i];
		const struct counter *y = &b.result.launches[0].counters[i];

		cr_expect(x->value == y->value ||
				  !strcmp(x->name, "nearfar__events.sum"),
			"%s: %g, %g of %s in\n%s", x->name, x->value, y->value,
			launch, ptx);
	}
	kernel_end(&a);
	kernel_end(&b);
}

Test(spins, what_is_skipped_changes_nothing)
{
	size_t i, k;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		for (k = 0; k < sizeof(launches) / sizeof(launches[0]); k++)
			is_the_same(kernels[i], launches[k]);
}

static double seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec +
	       (double)usage.ru_utime.tv_usec / 1e6;
}

#define LONG ROUND(CLOCK, SINCE, "setp.lt.u64 %p1, %d12, 4000000000;\n", "@%p1")

/* Round by round it takes a minute. */
Test(spins, four_billion_cycles_are_over_at_once)
{
	static const struct job_wishes none = {0};
	const double before = seconds();
	struct ran r = {0};

	kernel_run(NULL, &r, LONG, BUFFERS, launches[2], &none);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_gt(r.result.launches[0].cycles, 4e9);
	cr_expect_lt(r.result.launches[0].cycles, 4e9 + 1e5);
	cr_expect_lt(seconds() - before, 1);
	kernel_end(&r);
}

static void stops(const char *ptx, uint64_t max_cycles, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = max_cycles};
	struct ran r = {0};

	kernel_run(NULL, &r, ptx, BUFFERS, launches[0], &wishes);
	cr_expect_eq(r.code, ERR_FAILED);
	cr_expect(strstr(r.error.text, sentence), "%s", r.error.text);
	kernel_end(&r);
}

Test(spins, a_launch_beyond_the_clock_is_refused)
{
	stops(ROUND(CLOCK, SINCE, "setp.lt.u64 %p1, %d12, 9007199254740992;\n",
		      "@%p1"),
		0,
		"kernel 'k' takes more than 2^52 cycles, which the model does "
		"not count");
	stops(LONG, 1000000, "kernel 'k' runs for more than 1000000 cycles");
}
