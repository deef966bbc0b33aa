/* Cooperative launches: what their grids have, and how many blocks may be. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_cooperative, .timeout = 120);

/* %d5 is the address of what the grid has. */
#define WORDS                                                                  \
	"mov.b32 %r4, %envreg1;\nmov.b32 %r5, %envreg2;\n"                     \
	"mov.b64 %d5, {%r5, %r4};\n"
/* As grid.sync() of cooperative groups: the first block's thread 0 adds what
   makes the sum of all blocks 2^31, and all wait until this bit is another. */
#define SYNC(label)                                                            \
	"bar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra E" label ";\n"        \
	"mov.u32 %r6, %nctaid.x;\nsub.u32 %r6, 0x80000001, %r6;\n"             \
	"setp.eq.u32 %p2, %r1, 0;\nselp.u32 %r6, %r6, 1, %p2;\n"               \
	"atom.add.release.gpu.u32 %r7, [%d5+4], %r6;\n"                        \
	"L" label ": ld.acquire.gpu.u32 %r8, [%d5+4];\n"                       \
	"xor.b32 %r8, %r8, %r7;\nsetp.ge.s32 %p3, %r8, 0;\n"                   \
	"@%p3 bra L" label ";\nE" label ": bar.sync 0;\n"

static void run(struct ran *r, const char *ptx, const char *launch)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 1000000};

	kernel_run(NULL, r, ptx, BUFFERS, launch, &wishes);
}

/* Each thread stores its number, and reads what the last block's have stored,
   which is done twice. */
Test(kernel_cooperative, blocks_wait_for_each_other)
{
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	run(&r,
		HEAD WORDS "st.global.u32 [%d3], %r3;\n" SYNC(
			"A") "xor.b32 %r9, %r3, 1023;\n"
			     "mul.wide.u32 %d6, %r9, 4;\n"
			     "add.s64 %d6, %d0, %d6;\n"
			     "ld.global.u32 %r10, [%d6];\n" SYNC(
				     "B") "st.global.u32 [%d3], "
					  "%r10;\n" SYNC("C") "ld."
							      "global."
							      "u32 "
							      "%r11, "
							      "[%d6];\n"
							      "add.u32 "
							      "%r11, "
							      "%r11, "
							      "%r10;\n"
							      "st."
							      "global."
							      "u32 "
							      "[%d4], "
							      "%r11;"
							      "\n" TAIL,
		"grid=8 block=128 cooperative");
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)r.result.contents[1];
	for (i = 0; i < 1024; i++)
		cr_expect_eq(b[i], 1023, "word %u: %u", i, b[i]);
	kernel_end(&r);
}

/* Each time the words are as at first; who cooperates with nobody has those of
   the last launch of the stream that did, and moves them. */
Test(kernel_cooperative, grids_have_the_words_of_a_driver)
{
	static const char ptx[] = HEAD WORDS
		"setp.ne.u32 %p0, %r0, 0;\n@%p0 exit;\n"
		"mov.u32 %r6, 0;\nsetp.eq.u64 %p1, %d5, 0;\n@%p1 bra N;\n"
		"ld.v2.u32 {%r6, %r7}, [%d5];\nld.u32 %r8, [%d5+8];\n"
		"shl.b32 %r7, %r7, 8;\nshl.b32 %r8, %r8, 16;\n"
		"add.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r8;\n"
		"st.u32 [%d5+4], 7;\nN: st.global.u32 [%d1], %r6;\n" TAIL;
	static const uint32_t words[] = {0, 0x10010, 0x10710, 0, 0x10010};
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 1000000};
	const uint32_t *b;
	struct ran r;
	size_t i;

	kernel_run_lines(NULL, &r, ptx,
		BUFFERS "launch k grid=1 block=32 args=a,b flush\n"
			"launch k grid=1 block=32 args=a,b+4 cooperative "
			"repeats=2 flush\n"
			"launch k grid=1 block=32 args=a,b+8 flush\n"
			"launch k grid=1 block=32 args=a,b+12 stream=1 flush\n"
			"launch k grid=1 block=32 args=a,b+16 cooperative "
			"stream=1 flush\n",
		&wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)r.result.contents[1];
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		cr_expect_eq(b[i], words[i], "%zu: 0x%x", i, b[i]);
	kernel_end(&r);
}

Test(kernel_cooperative, a_grid_that_does_not_fit_is_refused)
{
	struct ran r;

	run(&r, HEAD TAIL, "grid=17 block=1024 cooperative");
	cr_expect_eq(r.code, ERR_SKIPPED);
	cr_expect_str_eq(r.error.text,
		"launch 'k' is cooperative and has 17 blocks, of which 16 fit "
		"on the device at once");
	kernel_end(&r);
	run(&r, HEAD TAIL, "grid=16 block=1024 cooperative");
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}
