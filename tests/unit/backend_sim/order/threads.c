/* Accesses of threads to shared memory that nothing orders, and what orders
   them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(order_threads, .timeout = 120);

/* A kernel of 8 blocks of 128 threads; %r11: the thread's word of s, %r12: that
   of another warp's thread, %r13: of the next lane of its own warp; %p0: thread
   0. */
#define WORDS                                                                  \
	".shared .align 16 .b8 s[1024];\n"                                     \
	"mov.u32 %r10, s;\nshl.b32 %r11, %r0, 2;\n"                            \
	"xor.b32 %r12, %r11, 128;\nadd.u32 %r12, %r12, %r10;\n"                \
	"xor.b32 %r13, %r11, 4;\nadd.u32 %r13, %r13, %r10;\n"                  \
	"add.u32 %r11, %r11, %r10;\nsetp.eq.u32 %p0, %r0, 0;\n"
#define OWN   "st.shared.u32 [%r11], %r3;\n"
#define OTHER "ld.shared.u32 %r4, [%r12];\n"
#define NEXT  "ld.shared.u32 %r4, [%r13];\n"
#define USE   "st.global.u32 [%d4], %r4;\n"
#define SYNC  "bar.sync 0;\n"
/* %p2: of the first warp, which comes behind the others. */
#define LATE "setp.lt.u32 %p2, %r0, 32;\n@%p2 nanosleep.u32 20000;\n"
#define MEET "bar.warp.sync -1;\n"

/* `part`: of the sentence, or NULL: nothing is said. */
static void says(const char *body, bool races, const char *part)
{
	const struct job_wishes wishes = {
		.max_cycles = 1000000, .profile = races, .races = races};
	char ptx[8192];
	struct ran r;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=8 block=128", &wishes);
	if (!part)
		cr_expect_eq(r.code, 0, "%s\n    of %s", r.error.text, body);
	else
		cr_expect(r.code && strstr(r.error.text, part),
			"'%s'\n    expected: %s", r.error.text, part);
	kernel_end(&r);
}

#define NO_BARRIER                                                             \
	"no barrier that both pass, nor a release and an acquire, comes "      \
	"between"

Test(order_threads, a_read_waits_for_the_write_of_another_warp)
{
	says(WORDS OWN LATE "@%p2 ld.shared.u32 %r4, [%r12];\n" USE, true,
		", thread 0: a read of 4 bytes of shared memory at offset 128, "
		"which block ");
	says(WORDS OWN LATE "@%p2 ld.shared.u32 %r4, [%r12];\n" USE, true,
		", thread 32 has written at line 31: " NO_BARRIER);
	says(WORDS OWN OTHER USE, true, NO_BARRIER);
	says(WORDS OWN SYNC OTHER USE, true, NULL);
	says(WORDS OWN "bar.arrive 1, 128;\n" OTHER USE, true, NO_BARRIER);
	says(WORDS OWN "bar.sync 1, 128;\n" OTHER USE, true, NULL);
}

Test(order_threads, a_write_waits_for_reads_and_writes_of_others)
{
	says(WORDS OWN SYNC OTHER USE OWN SYNC, true, NULL);
	says(WORDS OTHER USE "st.shared.u32 [%r11], 7;\n", true, NO_BARRIER);
	says(WORDS OTHER USE LATE "@%p2 st.shared.u32 [%r11], 7;\n", true,
		", thread 0: a write of 4 bytes of shared memory at offset 0, "
		"which block ");
	says(WORDS OTHER USE SYNC "st.shared.u32 [%r11], 7;\n", true, NULL);
	says(WORDS OWN "st.shared.u32 [%r12], %r3;\n", true, "has written at");
	says(WORDS OWN SYNC "st.shared.u32 [%r12], %r3;\n", true, NULL);
}

/* One of two readers is behind a barrier with who writes, the other is not. */
Test(order_threads, readers_are_kept_apart)
{
	says(WORDS "setp.lt.u32 %p1, %r0, 64;\n"
		   "ld.shared.u32 %r4, [%r10];\n" USE
		   "@%p1 bar.sync 1, 64;\n" LATE
		   "@%p0 st.shared.u32 [%r10], 7;\n",
		true, "has read at line 32");
}

Test(order_threads, lanes_of_a_warp_meet_by_what_has_sync)
{
	says(WORDS OWN NEXT USE, true, "no bar.warp.sync comes between");
	says(WORDS OWN MEET NEXT USE, true, NULL);
	says(WORDS OWN "vote.sync.any.pred %p1, %p0, -1;\n"
		       "vote.sync.any.pred %p1, !%p1, -1;\n"
		       "@%p1 ld.shared.u32 %r4, [%r13];\n"
		       "st.global.u32 [%d4], %r4;\n",
		true, NULL);
	says(WORDS OWN MEET NEXT USE OWN, true, NULL);
	says(WORDS OWN MEET NEXT USE "st.shared.u32 [%r11], 7;\n", true,
		"no bar.warp.sync comes between");
	/* lanes that do not take part know nothing */
	says(WORDS OWN "and.b32 %r5, %r0, 31;\nsetp.lt.u32 %p1, %r5, 16;\n"
		       "@%p1 bar.warp.sync 0xffff;\n" NEXT USE,
		true, "no bar.warp.sync comes between");
}

/* By what PTX promises: .volatile is strong, and convergence is nothing. */
Test(order_threads, strong_accesses_are_no_race)
{
	says(WORDS "st.volatile.shared.u32 [%r11], %r3;\n"
		   "ld.volatile.shared.u32 %r4, [%r13];\n" USE,
		true, NULL);
	says(WORDS "red.shared.add.u32 [%r10], 1;\n"
		   "atom.shared.add.u32 %r4, [%r10], 1;\n" USE,
		true, NULL);
	says(WORDS OWN "ld.volatile.shared.u32 %r4, [%r12];\n" USE, true,
		NO_BARRIER);
	says(WORDS "red.shared.add.u32 [%r10], 1;\n"
		   "ld.shared.u32 %r4, [%r10];\n" USE,
		true, ": " NO_BARRIER);
	/* the weak one of two reads is named, whichever comes first */
	says(WORDS "setp.ge.u32 %p1, %r0, 96;\n"
		   "@%p1 ld.shared.u32 %r4, [%r10];\n"
		   "@%p1 ld.volatile.shared.u32 %r5, [%r10];\n" LATE
		   "@%p0 red.shared.add.u32 [%r10], 1;\n" USE,
		true, "has read at line 32");
	says(WORDS "setp.ge.u32 %p1, %r0, 96;\n"
		   "@%p1 ld.volatile.shared.u32 %r5, [%r10];\n"
		   "@%p1 ld.shared.u32 %r4, [%r10];\n" LATE
		   "@%p0 red.shared.add.u32 [%r10], 1;\n" USE,
		true, "has read at line 33");
}

Test(order_threads, who_writes_the_same_is_not_accused)
{
	says(WORDS "st.shared.u32 [%r10], 7;\n" SYNC
		   "ld.shared.u32 %r4, [%r10];\n" USE,
		true, NULL);
	says(WORDS "st.shared.u32 [%r10], %r1;\n", true, NULL);
	says(WORDS "st.shared.u32 [%r10], %r0;\n", true, "has written at");
	/* lanes of one instruction: one of them is done */
	says(WORDS "setp.lt.u32 %p1, %r0, 32;\n"
		   "@%p1 st.shared.u32 [%r10], %r0;\n"
		   "@%p1 ld.shared.u32 %r4, [%r10];\n",
		true, NULL);
}

#define FLAG  "[%r10+1020]"
#define GIVES "@%p0 st.shared.u32 [%r10+512], 7;\n"
#define POLL                                                                   \
	"W: ld.acquire.cta.shared.u32 %r5, " FLAG ";\n"                        \
	"setp.eq.u32 %p1, %r5, 0;\n@%p1 bra W;\n"
#define TAKES "ld.shared.u32 %r4, [%r10+512];\n" USE
#define CLEAR "@%p0 st.shared.u32 " FLAG ", 0;\n" SYNC

Test(order_threads, a_release_and_an_acquire_order)
{
	says(WORDS CLEAR GIVES "@%p0 st.release.cta.shared.u32 " FLAG
			       ", 1;\n" POLL TAKES,
		true, NULL);
	says(WORDS CLEAR GIVES "@%p0 fence.acq_rel.cta;\n"
			       "@%p0 st.volatile.shared.u32 " FLAG
			       ", 1;\n" POLL TAKES,
		true, NULL);
	says(WORDS CLEAR GIVES "@%p0 membar.cta;\n"
			       "@%p0 atom.shared.exch.b32 %r6, " FLAG
			       ", 1;\n" POLL TAKES,
		true, NULL);
	/* what no fence has let go is not handed on */
	says(WORDS CLEAR GIVES "@%p0 st.volatile.shared.u32 " FLAG
			       ", 1;\n" POLL TAKES,
		true, NO_BARRIER);
	says(WORDS CLEAR "@%p0 fence.acq_rel.cta;\n" GIVES
			 "@%p0 st.volatile.shared.u32 " FLAG
			 ", 1;\n" POLL TAKES,
		true, NO_BARRIER);
}

/* Halves of a word are two words where a kernel has such. */
Test(order_threads, bytes_side_by_side_are_apart)
{
	says(WORDS "add.u32 %r14, %r10, %r0;\ncvt.u16.u32 %h0, %r0;\n"
		   "st.shared.u8 [%r14], %h0;\n"
		   "ld.shared.u8 %h1, [%r14];\ncvt.u32.u16 %r4, %h1;\n" USE,
		true, NULL);
	says(WORDS "add.u32 %r14, %r10, %r0;\ncvt.u16.u32 %h0, %r0;\n"
		   "st.shared.u8 [%r14], %h0;\n"
		   "ld.shared.u8 %h1, [%r14+32];\ncvt.u32.u16 %r4, %h1;\n" USE,
		true, "of 1 byte of shared memory at offset 32, which");
}

/* Without --races, where a kernel waits for copies or has barriers in memory.
 */
Test(order_threads, kernels_with_barriers_in_memory_are_always_looked_at)
{
	says(WORDS OWN OTHER USE, false, NULL);
	says(WORDS ".shared .align 8 .b64 bar;\n"
		   "@%p0 mbarrier.init.shared.b64 [bar], 128;\n" SYNC OWN OTHER
			   USE,
		false, NO_BARRIER);
#define ARRIVES                                                                \
	WORDS ".shared .align 8 .b64 bar;\n"                                   \
	      "@%p0 mbarrier.init.shared.b64 [bar], 128;\n" SYNC OWN           \
	      "mbarrier.arrive.shared.b64 _, [bar];\n"
	says(ARRIVES "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n"
		     "@!%p1 bra W;\n" OTHER NEXT USE,
		false, NULL);
	says(ARRIVES OTHER USE, false, NO_BARRIER);
}

/* A block in the place of another one has nothing to do with it. */
Test(order_threads, blocks_in_the_same_place_are_apart)
{
	struct job_wishes wishes = {.max_cycles = 1000000, .profile = true};
	struct ran r;

	wishes.races = true;
	kernel_run(NULL, &r,
		HEAD WORDS "st.shared.u32 [%r11], %r3;\n"
			   "ld.shared.u32 %r4, [%r11];\n" TAIL,
		BUFFERS, "grid=8192 block=128", &wishes);
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

/* ---- tensor maps ---- */

#define MAPS                                                                   \
	".shared .align 128 .b8 m[128];\n.shared .align 128 .b8 t[4096];\n"    \
	".shared .align 8 .b64 bar;\n"                                         \
	"mov.u32 %r10, m;\nsetp.lt.u32 %p0, %r0, 32;\n"                        \
	"setp.eq.u32 %p1, %r0, 64;\nand.b32 %r11, %r0, 31;\n"                  \
	"shl.b32 %r11, %r11, 2;\nadd.u32 %r11, %r11, %r10;\n"                  \
	"mul.wide.u32 %d5, %r1, 128;\nadd.s64 %d5, %d5, %d1;\n"                \
	"@!%p0 bra MADE;\nst.shared.u32 [%r11], 0;\n"
#define COPIED                                                                 \
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."       \
	"release.gpu.sync.aligned [%d5], [%r10], 128;\n"
#define ACQUIRED "fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;\n"
#define USED                                                                   \
	"@%p1 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d5, {0, "      \
	"0}];\n"

Test(order_threads, a_map_that_is_made_is_waited_for)
{
	says(MAPS MEET COPIED ACQUIRED "MADE:\n" USED, false,
		"a copy by a tensor map that block 6 has made at line 36: no "
		"barrier that both threads pass comes between");
	says(MAPS MEET COPIED "MADE:\n" SYNC USED, false,
		"no fence.proxy.tensormap::generic.acquire");
	/* nothing is wrong but the map itself, which is all zeros: of 1
	 * dimension */
	says(MAPS MEET COPIED ACQUIRED "MADE:\n" SYNC USED, false,
		"a tensor copy of 2 dimensions has a tensor map of 1");
	says(MAPS MEET COPIED "MADE:\n" SYNC ACQUIRED USED, false,
		"a tensor copy of 2 dimensions has a tensor map of 1");
	says(MAPS COPIED ACQUIRED "MADE:\n" SYNC USED, false,
		"a tensor copy of 2 dimensions has a tensor map of 1");
	says(MAPS "ld.shared.u32 %r4, [%r10+4];\n"
		  "st.global.u32 [%d4], %r4;\n" MEET COPIED "MADE:\n" USED,
		false, "no bar.warp.sync comes between");
}
