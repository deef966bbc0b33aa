/* Loads that L1 serves although another SM has written the words since. Block 0
   reads, lets block 1 write by a flag, and reads again. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_races, .timeout = 120);

#define FIRST  "ld.global.ca.u32 %r4, [%d1];\nst.global.u32 [%d0+64], %r4;\n"
#define AGAIN  "ld.global.ca.u32 %r5, [%d1];\nst.global.u32 [%d0+68], %r5;\n"
#define WRITE  "st.global.u32 [%d1], 7;\n"
#define BESIDE "st.global.u32 [%d1+4], 7;\n"

#define PARTS "setp.ne.u32 %p0, %r1, 0;\n@%p0 bra WRITER;\n"

/* Words that were stale, of all lines, where block 0 executes `reads`, waits
   for block 1 to execute `writes`, and executes `then`. */
static uint64_t stale(const char *reads, const char *writes, const char *then)
{
	static const struct job_wishes wishes = {
		.profile = true, .races = true};
	const struct job_profile *p;
	char ptx[4096];
	struct ran r;
	uint64_t words = 0;
	size_t i;

	snprintf(ptx, sizeof(ptx),
		"%s%s%sred.global.add.u32 [%%d0+2048], 1;\n"
		"WAIT:\nld.relaxed.gpu.global.u32 %%r6, [%%d0+3072];\n"
		"setp.lt.u32 %%p1, %%r6, 1000;\n@%%p1 bra WAIT;\n%sret;\n"
		"WRITER:\nld.relaxed.gpu.global.u32 %%r6, [%%d0+2048];\n"
		"setp.lt.u32 %%p1, %%r6, 513;\n@%%p1 bra WRITER;\n"
		"%sfence.acq_rel.gpu;\n"
		"red.global.add.u32 [%%d0+3072], 1000;\n" TAIL,
		HEAD, PARTS, reads, then, writes);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=2 block=1", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	p = r.result.launches[0].profile;
	for (i = 0; i < p->line_count; i++)
		words += p->lines[i].stale_words;
	kernel_end(&r);
	return words;
}

Test(kernel_races, a_load_in_l1_of_what_another_sm_wrote_is_found)
{
	cr_assert_eq(stale(FIRST, WRITE, AGAIN), 1);
	cr_assert_eq(stale(FIRST, WRITE, AGAIN AGAIN), 2);
	cr_assert_eq(stale(FIRST, "red.global.add.u32 [%d1], 7;\n", AGAIN), 1);
}

Test(kernel_races, what_cannot_be_stale_is_not_told)
{
	cr_assert_eq(stale("", WRITE, AGAIN), 0, "nothing was in L1");
	cr_assert_eq(stale(FIRST, "", AGAIN), 0, "nobody has written");
	cr_assert_eq(stale(FIRST, BESIDE, AGAIN), 0, "another word");
	cr_assert_eq(stale(FIRST, WRITE,
			     "ld.global.cg.u32 %r5, [%d1];\n"
			     "st.global.u32 [%d0+68], %r5;\n"),
		0, "from L2");
}

Test(kernel_races, what_acquires_has_no_stale_words_behind_it)
{
	cr_assert_eq(stale(FIRST, WRITE,
			     "ld.acquire.gpu.global.u32 %r7, [%d0+3072];\n"
			     "st.global.u32 [%d0+72], %r7;\n" AGAIN),
		0);
	cr_assert_eq(stale(FIRST, WRITE, "fence.acq_rel.gpu;\n" AGAIN), 0);
	cr_assert_eq(stale(FIRST, WRITE, "fence.acq_rel.cta;\n" AGAIN), 1,
		"within the block only");
}
