/* 128 bits, atomics of vectors and of narrow reals, and operations that few
   kernels have. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_wide, .timeout = 60);

#define LEAVES "st.global.u32 [%d4], %r5;\n"

/* ---- 128 bits ---- */

#define WIDE                                                                   \
	".reg .b128 q<4>; .shared .align 16 .b8 words[2048];\n"                \
	"shl.b32 %r4, %r0, 4; mov.u32 %r6, words; add.u32 %r4, %r4, %r6;\n"    \
	"cvt.u64.u32 %d5, %r0; add.u64 %d6, %d5, 1000;\n"

static uint32_t own(uint32_t i)
{
	return 2 * (i % 128) + 1000;
}

Test(kernel_wide, registers_of_128_bits_are_moved)
{
	kernel_leaves(WIDE
		"mov.b128 q0, {%d5, %d6}; mov.b128 q1, q0;\n"
		"st.shared.b128 [%r4], q1; ld.shared.b128 q2, [%r4];\n"
		"mov.b128 {%r7, %r8, %r9, %r10}, q2; add.u32 %r5, %r7, %r9;\n"
		"add.u32 %r5, %r5, %r8; add.u32 %r5, %r5, %r10;\n" LEAVES,
		own);
	kernel_leaves(WIDE
		"cvt.u32.u64 %r7, %d5; cvt.u32.u64 %r8, %d6; mov.u32 %r9, 0;\n"
		"mov.b128 q0, {%r7, %r9, %r8, %r9};\n"
		"mov.b128 {%d7, _}, q0; mov.b128 {_, %d8}, q0;\n"
		"add.u64 %d7, %d7, %d8; cvt.u32.u64 %r5, %d7;\n" LEAVES,
		own);
}

static uint32_t all_ones(uint32_t i)
{
	(void)i;
	return UINT32_MAX;
}

Test(kernel_wide, numbers_of_128_bits_have_their_sign)
{
	kernel_leaves(WIDE "st.shared.b128 [%r4], -1; ld.shared.u32 %r5, "
			   "[%r4+12];\n" LEAVES,
		all_ones);
}

/* What was there, and what is there then: the second time it is another. */
static uint32_t exchanged(uint32_t i)
{
	return i % 128 + 1000 + 10 * (i % 128) + 1;
}

Test(kernel_wide, atomics_of_128_bits_compare_all_of_them)
{
	kernel_leaves(WIDE
		"mov.b128 q0, {%d5, %d6}; st.shared.b128 [%r4], q0;\n"
		"mul.lo.u64 %d7, %d5, 10; mov.b128 q1, {%d7, %d5};\n"
		"add.u64 %d8, %d6, 1; mov.b128 q2, {%d5, %d8};\n"
		"atom.shared.cas.b128 q3, [%r4], q2, q2;\n" /* not equal */
		"atom.shared.cas.b128 q3, [%r4], q0, q1;\n" /* equal */
		"mov.b128 {_, %d9}, q3; cvt.u32.u64 %r5, %d9;\n"
		"ld.shared.u32 %r7, [%r4]; add.u32 %r5, %r5, %r7;\n"
		"mov.b128 q2, {%d5, 1};\n"
		"atom.shared.exch.b128 q3, [%r4], q2;\n"
		"ld.shared.u32 %r7, [%r4+8]; add.u32 %r5, %r5, %r7;\n" LEAVES,
		exchanged);
}

/* ---- atomics of vectors ---- */

#define FOUR                                                                   \
	".global .align 16 .b32 sums[4];\nmov.u64 %d5, sums;\n"                \
	"mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"

/* Behind a barrier, and of one block alone: the first thread's sum. */
#define SUMMED                                                                 \
	"bar.sync 0; ld.volatile.global.f32 %f3, [%d5+12];\n"                  \
	"setp.ge.f32 %p1, %f3, 0f43800000; selp.u32 %r5, 1, 0, %p1;\n" LEAVES

static uint32_t one(uint32_t i)
{
	(void)i;
	return 1;
}

Test(kernel_wide, vectors_are_added_element_by_element)
{
	kernel_leaves(FOUR
		"red.global.add.v4.f32 [%d5], {%f1, %f1, %f1, %f2};\n" SUMMED,
		one);
	kernel_leaves(FOUR "atom.global.v2.f32.add {%f4, _}, [%d5+8],\n"
			   "{%f1, %f2};\n" SUMMED,
		one);
	kernel_leaves(FOUR
		"atom.global.v2.f32.add _, [%d5+8], {%f1, %f2};\n" SUMMED,
		one);
}

static uint32_t of_halves(uint32_t i)
{
	(void)i;
	return 0x42003e00;
}

Test(kernel_wide, narrow_reals_are_added_and_compared)
{
	/* 1.5 + 0, 2 + 1 */
	kernel_leaves(".shared .align 16 .b8 words[512];\nmov.u32 %r4, words;\n"
		      "shl.b32 %r6, %r0, 2; add.u32 %r4, %r4, %r6;\n"
		      "mov.u32 %r7, 0x40003e00; st.shared.u32 [%r4], %r7;\n"
		      "mov.u32 %r8, 0x3c000000;\n"
		      "red.shared.add.noftz.f16x2 [%r4], %r8;\n"
		      "ld.shared.u32 %r5, [%r4];\n" LEAVES,
		of_halves);
	kernel_leaves("mov.u32 %r7, 0x42003c00; st.global.u32 [%d4], %r7;\n"
		      "mov.b32 {%h0, %h1}, 0x40003e00;\n"
		      "red.global.max.noftz.v2.f16 [%d4], {%h0, %h1};\n",
		of_halves);
}

Test(kernel_wide, what_the_assembler_refuses_is_refused)
{
	kernel_fails("red.global.add.f16x2 [%d4], %r4;\n",
		"m.ptx:22:1: expected .noftz in 'red.global.add.f16x2'");
	kernel_fails("red.global.add.noftz.f32 [%d4], %f1;\n",
		"m.ptx:22:1: 'red.global.add.noftz.f32' is not a form of "
		"'red' that PTX has");
	kernel_fails("red.global.add.v2.u32 [%d4], {%r4, %r5};\n",
		"m.ptx:22:1: 'red.global.add.v2.u32' is not a form of 'red' "
		"that PTX has");
	kernel_fails("red.global.max.noftz.f16x2 [%d4], %r4;\n",
		"m.ptx:22:1: expected one of .v2|v4|v8 in "
		"'red.global.max.noftz.f16x2'");
}

static uint32_t turned(uint32_t i)
{
	return 0x01020304 + i % 128;
}

Test(kernel_wide, registers_of_bytes_are_parts)
{
	kernel_leaves(".reg .b8 q<4>; add.u32 %r4, %r0, 0x01020304;\n"
		      "mov.b32 {q0, q1, q2, q3}, %r4;\n"
		      "mov.b16 %h0, {q3, 0}; mov.b16 %h1, {q1, q0};\n"
		      "mov.b16 {q1, _}, %h0; mov.b16 {q3, q2}, %h1;\n"
		      "mov.b32 %r5, {q2, q3, 2, q1};\n" LEAVES,
		turned);
}

Test(kernel_wide, words_of_devices_are_words)
{
	kernel_leaves("add.u32 %r4, %r0, 0x01020304;\n"
		      "st.mmio.relaxed.sys.global.u32 [%d4], %r4;\n"
		      "ld.mmio.relaxed.sys.u32 %r5, [%d4];\n" LEAVES,
		turned);
}

/* ---- operations ---- */

#define NO_BIT UINT32_MAX

/* An H100's words. */
static const struct {
	uint32_t mask, base;
	int32_t offset;
	uint32_t word;
} searches[] = {
	{0x197d7b2f, 19, 7, 28},
	{0x9902004, 14, 4, 27},
	{0x18600002, 26, 2, 28},
	{0x3915dad, 1, 4, 7},
	{0x26145f81, 20, 2, 25},
	{0xffff0000, 31, 1, 31},
	{0xffffffff, 1, 5, 5},
	{0xd2cc06e8, 27, -9, 6},
	{0x20620011, 25, -2, 21},
	{0xec156a0a, 5, -1, 3},
	{0xedc437dd, 13, -8, 4},
	{0xb80d1145, 28, -3, 19},
	{0xd4121128, 29, -4, 17},
	{0x27690060, 24, -3, 21},
	{0x90e78181, 22, 0, 22},
	{0x7a7713b1, 21, 0, 21},
	{0x237eeb80, 13, 0, 13},
	{0x80000001, 63, -16, NO_BIT},
	{0x40000000, 63, -5, NO_BIT},
	{0xaaaaaaaa, 63, -2, NO_BIT},
	{0xffffffff, 0xffffffff, -2147483647, NO_BIT},
	{0xffffffff, 0xffffffff, 5, NO_BIT},
	{0xffffffff, 0xffffffff, -31, NO_BIT},
	{0xffff, 1, INT32_MIN, 0},
	{0x12345678, 32, INT32_MIN, 0},
	{0x1, 15, INT32_MIN, 0},
	{0xfffffffe, 15, 2147483647, NO_BIT},
	{0x12345678, 5, -2147483647, NO_BIT},
};

static uint32_t none(uint32_t i)
{
	(void)i;
	return 0;
}

Test(kernel_wide, the_nth_bit_is_found)
{
	char body[512];
	size_t i;

	for (i = 0; i < sizeof(searches) / sizeof(*searches); i++) {
		snprintf(body, sizeof(body),
			"mov.b32 %%r6, 0x%x; mov.b32 %%r7, 0x%x;\n"
			"mov.b32 %%r8, %" PRId32 ";\n"
			"fns.b32 %%r5, %%r6, %%r7, %%r8;\n"
			"sub.u32 %%r5, %%r5, 0x%x;\n%s",
			searches[i].mask, searches[i].base, searches[i].offset,
			searches[i].word, LEAVES);
		kernel_leaves(body, none);
	}
}

static uint32_t permuted(uint32_t i)
{
	static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	const uint32_t s = i & 3;
	uint32_t sum = 0, k;

	for (k = 0; k < 4; k++) {
		sum += (uint32_t)bytes[s + k] << (8 * k);
		sum += (uint32_t)bytes[(s - k) & 7] << (8 * k);
		sum += (uint32_t)bytes[s] << (8 * k);
		sum += (uint32_t)bytes[k > s ? k : s] << (8 * k);
		sum += (uint32_t)bytes[k < s ? k : s] << (8 * k);
		sum += (uint32_t)bytes[2 * (s & 1) + (k & 1)] << (8 * k);
	}
	return sum;
}

Test(kernel_wide, bytes_are_permuted_by_mode)
{
	kernel_leaves(
		"mov.u32 %r6, 0x04030201; mov.u32 %r7, 0x08070605;\n"
		"prmt.b32.f4e %r5, %r6, %r7, %r3;\n"
		"prmt.b32.b4e %r8, %r6, %r7, %r3; add.u32 %r5, %r5, %r8;\n"
		"prmt.b32.rc8 %r8, %r6, %r7, %r3; add.u32 %r5, %r5, %r8;\n"
		"prmt.b32.ecl %r8, %r6, %r7, %r3; add.u32 %r5, %r5, %r8;\n"
		"prmt.b32.ecr %r8, %r6, %r7, %r3; add.u32 %r5, %r5, %r8;\n"
		"prmt.b32.rc16 %r8, %r6, %r7, %r3; add.u32 %r5, %r5, "
		"%r8;\n" LEAVES,
		permuted);
}

static uint32_t logic(uint32_t i)
{
	const uint32_t r = i ^ 7 ^ 5;
	const uint32_t odd = i & 1;

	return r + 4096 * (uint32_t)(r != 0) * odd + 8192 * ((r != 0) | odd);
}

Test(kernel_wide, logic_has_a_predicate)
{
	kernel_leaves(
		"and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 1;\n"
		"mov.u32 %r6, 7; mov.u32 %r7, 5;\n"
		"lop3.and.b32 %r5|%p2, %r3, %r6, %r7, 0x96, %p1;\n"
		"lop3.or.b32 _|%p3, %r3, %r6, %r7, 0x96, %p1;\n"
		"selp.u32 %r8, 4096, 0, %p2; add.u32 %r5, %r5, %r8;\n"
		"selp.u32 %r8, 8192, 0, %p3; add.u32 %r5, %r5, %r8;\n" LEAVES,
		logic);
}

static uint32_t products(uint32_t i)
{
	return (uint32_t)(-3 * (int32_t)(i & 127) + 2 * 200 + 9);
}

Test(kernel_wide, halves_are_multiplied_by_bytes)
{
	kernel_leaves("and.b32 %r6, %r3, 127; or.b32 %r6, %r6, 0x00c80000;\n"
		      "mov.u32 %r7, 0x02fd0000;\n"
		      "dp2a.hi.s32.s32 %r5, %r6, %r7, 9;\n" LEAVES,
		products);
}

static uint32_t extended(uint32_t i)
{
	const uint32_t bits = i & 63;
	const uint32_t x = 0xabcd1234;
	const uint32_t sign = bits && bits < 32 && x >> (bits - 1) & 1;
	const uint32_t mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
	const uint32_t low = (1u << (bits & 31)) - 1;

	return (sign ? x | ~mask : x & mask) + (x & low);
}

Test(kernel_wide, numbers_of_so_many_bits_are_extended)
{
	kernel_leaves(
		"and.b32 %r6, %r3, 63; mov.u32 %r7, 0xabcd1234;\n"
		"szext.clamp.s32 %r5, %r7, %r6; szext.wrap.u32 %r8, %r7, %r6;\n"
		"add.u32 %r5, %r5, %r8;\n" LEAVES,
		extended);
}

static uint32_t packed(uint32_t i)
{
	const int32_t a = (int32_t)i - 512;
	const uint32_t s8 = (uint32_t)(a < -128 ? -128 : a > 127 ? 127 : a);
	const uint32_t u4 = (uint32_t)(a < 0 ? 0 : a > 15 ? 15 : a);

	return ((s8 & 255) << 8 | 100 | 0x12340000) ^
	       ((u4 << 4 | 15) | 0x77 << 8);
}

Test(kernel_wide, integers_are_packed)
{
	kernel_leaves("sub.s32 %r6, %r3, 512; mov.u32 %r7, 100;\n"
		      "mov.u32 %r8, 0x1234; mov.u32 %r9, 0x77;\n"
		      "cvt.pack.sat.s8.s32.b32 %r5, %r6, %r7, %r8;\n"
		      "cvt.pack.sat.u4.s32.b32 %r10, %r6, %r7, %r9;\n"
		      "xor.b32 %r5, %r5, %r10;\n" LEAVES,
		packed);
}

static uint32_t tested(uint32_t i)
{
	static const uint8_t kinds[] = {
		1 | 4 | 16, 1 | 4 | 16, 2 | 4, 8, 1 | 4 | 32};

	return kinds[i % 5];
}

/* 1, -0, -inf, no number, and one without an exponent of its own. */
Test(kernel_wide, reals_are_tested)
{
	kernel_leaves(
		".global .align 4 .b32 reals[] = {0x3f800000, 0x80000000,\n"
		"0xff800000, 0x7f800001, 0x80000001};\n"
		"rem.u32 %r6, %r3, 5; mul.wide.u32 %d5, %r6, 4;\n"
		"mov.u64 %d6, reals; add.u64 %d5, %d5, %d6;\n"
		"ld.global.f32 %f1, [%d5];\n"
		"testp.finite.f32 %p1, %f1; selp.u32 %r5, 1, 0, %p1;\n"
		"testp.infinite.f32 %p1, %f1; selp.u32 %r7, 2, 0, %p1;\n"
		"or.b32 %r5, %r5, %r7;\n"
		"testp.number.f32 %p1, %f1; selp.u32 %r7, 4, 0, %p1;\n"
		"or.b32 %r5, %r5, %r7;\n"
		"testp.notanumber.f32 %p1, %f1; selp.u32 %r7, 8, 0, %p1;\n"
		"or.b32 %r5, %r5, %r7;\n"
		"testp.normal.f32 %p1, %f1; selp.u32 %r7, 16, 0, %p1;\n"
		"or.b32 %r5, %r5, %r7;\n"
		"testp.subnormal.f32 %p1, %f1; selp.u32 %r7, 32, 0, %p1;\n"
		"or.b32 %r5, %r5, %r7;\n" LEAVES,
		tested);
}

/* ---- tf32 and reals of 8 bits ---- */

static uint32_t narrowed(uint32_t i)
{
	(void)i;
	/* 448 and -1.125, 1.5 and 2^-9, as f16 again. */
	return (0x7eb9u + 0x5001u) ^ 0x3f804000u ^ 0x3e001800u;
}

Test(kernel_wide, reals_become_narrow)
{
	kernel_leaves("mov.f32 %f1, 0f44000000; mov.f32 %f2, 0fBF900000;\n"
		      "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;\n"
		      "mov.u32 %r6, 0x50003000; cvt.u32.u16 %r5, %h0;\n"
		      "mov.b32 %r6, 0x50000010;\n"
		      "cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r6;\n"
		      "cvt.u32.u16 %r7, %h1; add.u32 %r5, %r5, %r7;\n"
		      "add.u32 %r5, %r5, 1;\n"
		      "mov.f32 %f3, 0f3F802FFF; cvt.rna.tf32.f32 %r8, %f3;\n"
		      "add.u32 %r8, %r8, 0x2000; xor.b32 %r5, %r5, %r8;\n"
		      "mov.b16 %h2, 0x3c01; cvt.rn.f16x2.e4m3x2 %r9, %h2;\n"
		      "xor.b32 %r5, %r5, %r9;\n" LEAVES,
		narrowed);
}
