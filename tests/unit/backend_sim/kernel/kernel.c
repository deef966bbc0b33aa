/* Kernels on the model: what they leave in memory, and what stops them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel, .timeout = 120);

static const struct job_wishes contents = {.contents = true};

/* Element i of b after 1024 threads in blocks of 128. */
static uint32_t thrice(uint32_t i)
{
	return 3 * i;
}

Test(kernel, a_load_an_operation_and_a_store)
{
	kernel_leaves("ld.global.u32 %r4, [%d3];\nmul.lo.u32 %r4, %r4, 3;\n"
		      "st.global.u32 [%d4], %r4;\n",
		thrice);
}

static uint32_t by_parity(uint32_t i)
{
	return i & 1 ? i * i : i + 7;
}

Test(kernel, lanes_that_part_meet_again)
{
	kernel_leaves(
		"and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
		"@%p1 bra EVEN;\nmul.lo.u32 %r5, %r3, %r3;\nbra.uni DONE;\n"
		"EVEN: add.u32 %r5, %r3, 7;\n"
		"DONE: activemask.b32 %r6;\n"
		"setp.ne.u32 %p2, %r6, -1;\n@%p2 mov.u32 %r5, 0;\n"
		"st.global.u32 [%d4], %r5;\n",
		by_parity);
}

static uint32_t collatz(uint32_t i)
{
	uint32_t x = i + 1, steps = 0;

	for (; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	return steps;
}

Test(kernel, a_loop_ends_for_each_lane_by_itself)
{
	kernel_leaves("add.u32 %r4, %r3, 1;\nmov.u32 %r5, 0;\n"
		      "LOOP: setp.eq.u32 %p1, %r4, 1;\n@%p1 bra OUT;\n"
		      "and.b32 %r6, %r4, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
		      "shr.u32 %r7, %r4, 1;\nmad.lo.u32 %r8, %r4, 3, 1;\n"
		      "selp.b32 %r4, %r7, %r8, %p2;\nadd.u32 %r5, %r5, 1;\n"
		      "bra LOOP;\nOUT: st.global.u32 [%d4], %r5;\n",
		collatz);
}

static uint32_t three(uint32_t i)
{
	(void)i;
	return 3;
}

/* Far from 2^32 cycles, and from 4 s, the high words are 0. */
Test(kernel, clocks_have_a_low_word_and_a_high_one)
{
	kernel_leaves("ld.global.u32 %r4, [%d3];\nadd.u32 %r4, %r4, 1;\n"
		      "mov.u32 %r5, %clock;\nmov.u32 %r6, %clock_hi;\n"
		      "mov.u32 %r7, %globaltimer_lo;\n"
		      "mov.u32 %r8, %globaltimer_hi;\n"
		      "setp.ne.u32 %p1, %r5, 0;\nselp.u32 %r9, 1, 0, %p1;\n"
		      "setp.ne.u32 %p1, %r7, 0;\nselp.u32 %r10, 2, 0, %p1;\n"
		      "add.u32 %r9, %r9, %r10;\nadd.u32 %r9, %r9, %r6;\n"
		      "add.u32 %r9, %r9, %r8;\nst.global.u32 [%d4], %r9;\n",
		three);
}

/* 1.0 and 3.0 as halves: 0x3c00 above 0x4200. */
static uint32_t halves(uint32_t i)
{
	(void)i;
	return 0x3c004200;
}

Test(kernel, two_reals_become_two_halves)
{
	kernel_leaves(
		"mov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f40400000;\n"
		"cvt.rn.f16x2.f32 %r4, %f1, %f2;\nst.global.u32 [%d4], %r4;\n",
		halves);
}

Test(kernel, a_predicate_may_be_a_number)
{
	kernel_leaves("selp.u32 %r4, 3, 5, 1;\nvote.sync.all.pred %p1, 0, -1;\n"
		      "@%p1 mov.u32 %r4, 7;\nst.global.u32 [%d4], %r4;\n",
		three);
}

static uint32_t neighbour(uint32_t i)
{
	return i ^ 127;
}

Test(kernel, a_block_speaks_through_shared_memory)
{
	kernel_leaves(
		".shared .align 4 .b8 s[512];\nmov.u64 %d5, s;\n"
		"cvt.u64.u32 %d6, %r0;\nshl.b64 %d6, %d6, 2;\n"
		"add.s64 %d7, %d5, %d6;\nst.shared.u32 [%d7], %r3;\n"
		"bar.sync 0;\nxor.b64 %d6, %d6, 508;\nadd.s64 %d7, %d5, %d6;\n"
		"ld.shared.u32 %r4, [%d7];\nst.global.u32 [%d4], %r4;\n",
		neighbour);
}

static uint32_t own(uint32_t i)
{
	return i;
}

/* As the compiler writes it where an index begins below its array. */
Test(kernel, a_shared_address_of_32_bits_wraps)
{
	kernel_leaves(
		".shared .align 4 .b8 s[512];\nmov.u32 %r8, s;\n"
		"shl.b32 %r9, %r0, 2;\nadd.u32 %r9, %r8, %r9;\n"
		"sub.u32 %r9, %r9, 1024;\nst.shared.u32 [%r9+1024], %r3;\n"
		"bar.sync 0;\nld.shared.u32 %r4, [%r9+1024];\n"
		"st.global.u32 [%d4], %r4;\n",
		own);
}

static uint32_t sum_of_warp(uint32_t i)
{
	uint32_t first = i & ~31u;

	return 32 * first + 31 * 16;
}

Test(kernel, lanes_add_up_by_shuffles)
{
	kernel_leaves(
		"mov.u32 %r4, %r3;\n"
		"shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;\nadd.u32 %r4, %r4, "
		"%r5;\nshfl.sync.bfly.b32 %r5, %r4, 8, 31, -1;\nadd.u32 %r4, "
		"%r4, %r5;\nshfl.sync.bfly.b32 %r5, %r4, 4, 31, -1;\n"
		"add.u32 %r4, %r4, %r5;\n"
		"shfl.sync.bfly.b32 %r5, %r4, 2, 31, -1;\nadd.u32 %r4, %r4, "
		"%r5;\nshfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\n"
		"add.u32 %r4, %r4, %r5;\nst.global.u32 [%d4], %r4;\n",
		sum_of_warp);
}

/* Lanes go round 3 * lane times, more often than a path may before it lets
   others go first; then all say how often. */
#define LATE_LANES                                                             \
	"and.b32 %r4, %r0, 31;\nmul.lo.u32 %r4, %r4, 3;\nmov.u32 %r5, 0;\n"    \
	"LOOP: setp.ge.u32 %p1, %r5, %r4;\n@%p1 bra OUT;\n"                    \
	"add.u32 %r5, %r5, 1;\nbra LOOP;\nOUT: mov.u32 %r6, %r5;\n"

static uint32_t all_turns(uint32_t i)
{
	(void)i;
	return 3 * (31 * 32 / 2);
}

Test(kernel, late_lanes_are_waited_for_where_all_must_be)
{
	kernel_leaves(LATE_LANES "redux.sync.add.u32 %r7, %r6, -1;\n"
				 "st.global.u32 [%d4], %r7;\n",
		all_turns);
}

/* The last lane of the warp is the last to write its word. */
static uint32_t last_turns(uint32_t i)
{
	(void)i;
	return 3 * 31;
}

#define OWN_WORD                                                               \
	".shared .align 4 .b8 words[512];\nmov.u32 %r8, words;\n"              \
	"shl.b32 %r9, %r0, 2;\nadd.u32 %r9, %r8, %r9;\n"                       \
	"st.shared.u32 [%r9], %r6;\n"

Test(kernel, late_lanes_are_waited_for_at_barriers)
{
	kernel_leaves(LATE_LANES OWN_WORD
		"bar.sync 0;\nld.shared.u32 %r7, [%r8+508];\n"
		"st.global.u32 [%d4], %r7;\n",
		last_turns);
	kernel_leaves(LATE_LANES OWN_WORD
		"bar.warp.sync -1;\nor.b32 %r9, %r9, 124;\n"
		"ld.shared.u32 %r7, [%r9];\n"
		"st.global.u32 [%d4], %r7;\n",
		last_turns);
}

static uint32_t carried(uint32_t i)
{
	return i + (i + 0xfffffe00u < i);
}

/* The sum that takes the carry could go first: its operands are there. */
Test(kernel, a_carry_keeps_its_order)
{
	kernel_leaves("add.cc.u32 %r4, %r3, 0xfffffe00;\n"
		      "addc.u32 %r5, %r3, 0;\nst.global.u32 [%d4], %r5;\n",
		carried);
}

static uint32_t hundred_of_first(uint32_t i)
{
	return i ? 0 : 1024 * 1025 / 2;
}

Test(kernel, atomics_of_all_blocks_add_up)
{
	kernel_leaves("add.u32 %r4, %r3, 1;\n"
		      "atom.global.add.u32 %r5, [%d1], %r4;\n",
		hundred_of_first);
}

static uint32_t counted(uint32_t i)
{
	return i == 1 ? 8 * 16 : 0;
}

/* 16 threads of each block take the lock in word 0 of b, add to word 1 without
   an atomic and give it back: lanes that spin let the one that has it go on. */
Test(kernel, a_lock_is_taken_by_one_lane_after_the_other)
{
	kernel_leaves(
		"setp.ge.u32 %p2, %r0, 16;\n@%p2 bra DONE;\n"
		"LOOP: atom.global.cas.b32 %r4, [%d1], 0, 1;\n"
		"setp.ne.s32 %p1, %r4, 0;\n@%p1 bra LOOP;\n"
		"ld.volatile.global.u32 %r5, [%d1+4];\nadd.u32 %r5, %r5, 1;\n"
		"st.volatile.global.u32 [%d1+4], %r5;\nmembar.gl;\n"
		"atom.global.exch.b32 %r6, [%d1], 0;\nDONE:\n",
		counted);
}

static uint32_t squared(uint32_t i)
{
	return i * i + 5;
}

Test(kernel, calls_are_expanded)
{
	struct ran r;
	static const char ptx[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".func (.param .b32 out) square(.param .b32 in)\n{\n"
		".reg .b32 %x<3>;\n.reg .pred %q;\n"
		"ld.param.b32 %x0, [in];\nsetp.eq.u32 %q, %x0, 0;\n"
		"mul.lo.u32 %x1, %x0, %x0;\nst.param.b32 [out], %x1;\n"
		"@%q ret;\nst.param.b32 [out], %x1;\nret;\n}\n"
		".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
		".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
		"mov.u32 %r0, %tid.x;\nld.param.u64 %d0, [b];\n"
		"{ .param .b32 i; .param .b32 o;\nst.param.b32 [i], %r0;\n"
		"call.uni (o), square, (i);\nld.param.b32 %r1, [o]; }\n"
		"add.u32 %r1, %r1, 5;\nmul.wide.u32 %d1, %r0, 4;\n"
		"add.s64 %d2, %d0, %d1;\nst.global.u32 [%d2], %r1;\nret;\n}\n";
	const uint32_t *b;
	uint32_t i;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=1024", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 1024; i++)
		cr_assert_eq(b[i], squared(i));
	kernel_end(&r);
}

Test(kernel, blocks_of_waves_have_three_dimensions)
{
	struct ran r;
	static const char ptx[] = HEAD
		"mov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %tid.y;\n"
		"mov.u32 %r6, %nctaid.x;\nmad.lo.u32 %r4, %r4, %r6, %r1;\n"
		"mov.u32 %r7, %ntid.y;\nmad.lo.u32 %r4, %r4, %r7, %r5;\n"
		"mad.lo.u32 %r4, %r4, %r2, %r0;\nmul.wide.u32 %d5, %r4, 4;\n"
		"add.s64 %d6, %d1, %d5;\nst.global.u32 [%d6], %r4;\n" TAIL;
	const uint32_t *b;
	uint32_t i;

	kernel_run(NULL, &r, ptx,
		"buffer a bytes=4KiB type=u32\n"
		"buffer b bytes=2MiB type=u32\n",
		"grid=64,32 block=16,16", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 64 * 32 * 256; i++)
		cr_assert_eq(b[i], i);
	cr_assert_eq(r.result.launches[0].blocks_per_sm, 8);
	kernel_end(&r);
}

Test(kernel, what_stops_a_kernel_is_named_with_its_line)
{
	kernel_fails("st.global.u32 [%d4+4096], %r3;\n",
		"m.ptx:22: block 6, thread 0: an access of 4 bytes outside of "
		"'b' "
		"(4096 bytes), offset 7168");
	kernel_fails("mov.u64 %d5, 64;\nld.global.u32 %r4, [%d5];\n",
		"m.ptx:23: block 6, thread 0: an access at address 0x40, which "
		"belongs to no buffer");
	kernel_fails("ld.global.u32 %r4, [%d3+2];\n",
		"m.ptx:22: block 6, thread 0: address 0x7f0000000c02 is not a "
		"multiple of the access's 4 bytes");
	kernel_fails("trap;\n", "m.ptx:22: the kernel executed 'trap'");
	kernel_fails("LOOP: bra LOOP;\n",
		"kernel 'k' runs for more than 20000 cycles: 32 warps at "
		"m.ptx:22");
}

/* The last word of a thread's own memory, which ends with the 16 bytes of the
   parameters, and the one behind it. */
Test(kernel, local_memory_ends_where_it_ends)
{
	kernel_leaves(
		".local .align 8 .b8 own[16];\nst.local.u32 [own+28], 3;\n"
		"ld.local.u32 %r4, [own+28];\nst.global.u32 [%d4], %r4;\n",
		three);
	kernel_fails(
		".local .align 8 .b8 own[16];\nst.local.u32 [own+32], 3;\n",
		"m.ptx:23: block 6, thread 0: an access of 4 bytes outside of "
		"local "
		"memory, offset 32");
}

/* Of no value that is used: no rows, and no base of an address. */
Test(kernel, a_kernel_without_values_runs)
{
	struct ran r;

	kernel_run(NULL, &r,
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		".reg .b64 %d<2>;\nld.param.u64 %d0, [p_a];\nret;\n}\n",
		BUFFERS, "grid=1 block=32", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

/* The first buffer of all begins where the space does. */
Test(kernel, an_access_over_the_end_names_the_buffer)
{
	struct ran r;

	kernel_run(NULL, &r,
		HEAD "ld.global.v2.u32 {%r4, %r5}, [%d0];\n"
		     "add.u32 %r4, %r4, %r5;\nst.global.u32 [%d4], %r4;\n" TAIL,
		"buffer a bytes=4 type=u32\nbuffer b bytes=4KiB type=u32\n",
		"grid=1 block=32", &contents);
	cr_assert_neq(r.code, 0);
	cr_expect_str_eq(r.error.text, "m.ptx:22: block 0, thread 0: an access "
				       "of 8 bytes outside of 'a' "
				       "(4 bytes), offset 0");
	kernel_end(&r);
}

static double cycles_with(const char *set)
{
	struct ran r;
	double cycles;

	kernel_run(set, &r,
		HEAD
		"ld.global.u32 %r4, [%d3];\nst.global.u32 [%d4], %r4;\n" TAIL,
		BUFFERS, "grid=8 block=128", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* What Nsight counts before and after a kernel, and its first instructions. */
Test(kernel, a_kernel_has_a_beginning_and_an_end)
{
	double none = cycles_with("kernel_cycles=0");

	cr_assert_eq(cycles_with("kernel_cycles=1000"), none + 1000);
	cr_assert_gt(cycles_with("kernel_cold_cycles=5000"),
		cycles_with("kernel_cold_cycles=0") + 4900);
}

/* The last store is waited for: the way from the far side is a part of it. */
Test(kernel, a_kernel_ends_when_its_stores_have_arrived)
{
	double cycles[2];
	int i;

	for (i = 0; i < 2; i++) {
		struct ran r;

		kernel_run(i ? "l2_near_cycles=1268" : "l2_near_cycles=268", &r,
			HEAD "st.global.u32 [%d4], %r3;\n" TAIL, BUFFERS,
			"grid=8 block=128", &contents);
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		cycles[i] = r.result.launches[0].cycles;
		kernel_end(&r);
	}
	cr_assert_gt(cycles[1], cycles[0] + 900);
}

/* 400 loads of 16 bytes a lane, by 16 warps of an SM. */
static double reading_shared(const char *lane)
{
	char ptx[2048];
	struct ran r;
	double cycles;

	snprintf(ptx, sizeof(ptx), "%s%s%s",
		HEAD ".shared .align 16 .b8 tile[1024];\n"
		     "mov.u32 %r5, tile;\nand.b32 %r6, %r0, 31;\n",
		lane,
		"add.u32 %r5, %r5, %r6;\nmov.u32 %r7, 0;\n"
		"LOOP: ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r5];\n"
		"add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 400;\n"
		"@%p1 bra LOOP;\n" TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=2 block=512", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* 512 bytes pass through the banks in four turns, the same 16 in one; the way
   to the registers, which all take, hides most of that. */
Test(kernel, lanes_that_read_the_same_share_a_pass)
{
	double apart = reading_shared("shl.b32 %r6, %r6, 4;\n");
	double halves =
		reading_shared("shr.u32 %r6, %r6, 4;\nshl.b32 %r6, %r6, 4;\n");
	double same = reading_shared("mov.u32 %r6, 0;\n");

	cr_assert_gt(apart, same + 2000);
	cr_assert_float_eq(halves, same, 200);
}

/* Until each thread of 64 blocks has counted itself. */
static double counting_cycles(const char *atomic)
{
	char ptx[1024];
	struct ran r;
	double cycles;
	uint32_t count;

	snprintf(ptx, sizeof(ptx),
		"%s and.b32 %%r5, %%r3, 0;\nmul.wide.u32 %%d5, %%r5, 4;\n"
		"add.s64 %%d6, %%d1, %%d5;\n"
		"ld.param.u64 %%d7, [p_b];\n%s\n%s",
		HEAD, atomic, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=64 block=1024", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(&count, r.result.contents[1], sizeof(count));
	cr_assert_eq(count, 65536);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* A word that is the same for all lanes as far as the assembler sees, and one
   of which only the values say so. */
Test(kernel, one_lane_counts_for_its_warp)
{
	double all = counting_cycles("red.global.add.u32 [%d6], 1;");
	double one = counting_cycles("red.global.add.u32 [%d7], 1;");

	cr_assert_lt(one + 500, all, "%g, %g", one, all);
}

/* A kernel's blocks draw from the whole spread of starts. */
Test(kernel, blocks_start_within_a_spread)
{
	double without = cycles_with("launch_round_cycles=0");

	cr_expect_gt(cycles_with("launch_spread_cycles=1000"), without + 300);
	cr_expect_gt(
		cycles_with("launch_spread_gpc_cycles=1000"), without + 300);
}
