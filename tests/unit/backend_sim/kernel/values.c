/* What instructions make of values and of memory where it is not the plain
   thing; the words are those of an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_values, .timeout = 120);

static void run_sized(struct ran *r, const char *body, const char *launch)
{
	const struct job_wishes wishes = {.contents = true};
	char ptx[4096];

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(NULL, r, ptx, BUFFERS, launch, &wishes);
}

/* The first word of b, of a block of one thread. */
static uint32_t word_of(const char *body)
{
	struct ran r;
	uint32_t word;

	run_sized(&r, body, "grid=1 block=1");
	cr_assert_eq(r.code, 0, "%s: %s", body, r.error.text);
	memcpy(&word, r.result.contents[1], sizeof(word));
	kernel_end(&r);
	return word;
}

static void refuses(const char *body, const char *sentence)
{
	struct ran r;

	run_sized(&r, body, "grid=1 block=1");
	cr_expect_neq(r.code, 0, "%s", body);
	cr_expect(strstr(r.error.text, sentence), "%s: %s", body, r.error.text);
	kernel_end(&r);
}

#define PUT "st.global.u32 [%d1], %r9;\n"

/* A place of 64 bits in shared memory. */
#define PLACE ".shared .align 8 .b8 place[8];\n"

Test(kernel_values, sums_in_global_memory_flush_and_those_in_an_sm_do_not)
{
	cr_expect_eq(word_of("mov.b32 %r5, 1;\nst.global.u32 [%d1], %r5;\n"
			     "atom.global.add.f32 %r6, [%d1], %r5;\n"),
		0);
	cr_expect_eq(word_of("mov.b32 %r5, 0x80800000;\nmov.b32 %r6, 1;\n"
			     "st.global.u32 [%d1], %r5;\n"
			     "red.global.add.f32 [%d1], %r6;\n"),
		0x80800000);
	/* the sum has no exponent of its own */
	cr_expect_eq(word_of("mov.b32 %r5, 0x00800001;\n"
			     "mov.b32 %r6, 0x80800000;\n"
			     "st.global.u32 [%d1], %r5;\n"
			     "red.add.f32 [%d1], %r6;\n"),
		0);
	cr_expect_eq(word_of(PLACE "mov.b32 %r5, 1;\nst.shared.u32 [place], "
				   "%r5;\natom.shared.add.f32 %r6, [place], "
				   "%r5;\nld.shared.u32 %r9, [place];\n" PUT),
		2);
}

/* The upper half of the sum of two that are no numbers. */
Test(kernel_values, sums_keep_what_is_no_number)
{
#define TWO                                                                    \
	"mov.b64 %d5, 0x7ff0000000000001;\nmov.b64 %d6, "                      \
	"0xfff8123456789abc;\n"
	cr_expect_eq(
		word_of(TWO "st.global.u64 [%d1], %d5;\n"
			    "red.global.add.f64 [%d1], 0d0000000000000000;\n"
			    "ld.global.u64 %d7, [%d1];\n"
			    "shr.u64 %d7, %d7, 32;\n"
			    "cvt.u32.u64 %r9, %d7;\n" PUT),
		0x7ff00000);
	cr_expect_eq(word_of(TWO "st.global.u64 [%d1], %d5;\n"
				 "red.global.add.f64 [%d1], %d6;\n"
				 "ld.global.u64 %d7, [%d1];\n"
				 "shr.u64 %d7, %d7, 32;\n"
				 "cvt.u32.u64 %r9, %d7;\n" PUT),
		0xfff81234);
	cr_expect_eq(word_of(PLACE TWO "st.shared.u64 [place], %d5;\n"
				       "red.shared.add.f64 [place], %d6;\n"
				       "ld.shared.u64 %d7, [place];\n"
				       "shr.u64 %d7, %d7, 32;\n"
				       "cvt.u32.u64 %r9, %d7;\n" PUT),
		0x7ff80000);
#undef TWO
}

Test(kernel_values, a_product_saturates_with_its_sum)
{
#define MAD(a, b, c)                                                           \
	"mov.u32 %r5, " a ";\nmov.u32 %r6, " b ";\nmov.u32 %r7, " c            \
	";\nmad.hi.sat.s32 %r9, %r5, %r6, %r7;\n" PUT
	cr_expect_eq(word_of(MAD("64", "0x7fffffff", "0x7fffffff")), INT32_MAX);
	cr_expect_eq(word_of(MAD("-2", "1", "0x80000000")), 0x80000000);
	cr_expect_eq(word_of(MAD("0x10000", "0x30000", "4")), 7);
#undef MAD
	refuses("mad.lo.sat.s32 %r9, %r5, %r5, %r5;\n", "is not a form of");
	refuses("mad.hi.sat.u32 %r9, %r5, %r5, %r5;\n", "is not a form of");
}

/* A difference that borrows has no carry, and a sum with it adds none. */
Test(kernel_values, a_sum_takes_the_carry_of_a_difference)
{
	cr_expect_eq(word_of("mov.u32 %r5, 1;\nmov.u32 %r6, 2;\n"
			     "sub.cc.u32 %r7, %r5, %r6;\n"
			     "addc.u32 %r9, 0, 0;\n" PUT),
		0);
	cr_expect_eq(word_of("mov.u32 %r5, 2;\nmov.u32 %r6, 1;\n"
			     "sub.cc.u32 %r7, %r5, %r6;\n"
			     "addc.u32 %r9, 0, 0;\n" PUT),
		1);
}

Test(kernel_values, registers_of_16_bits_hold_no_more)
{
	cr_expect_eq(word_of("mov.b16 %h0, 0xff;\ncvt.s16.s8 %h1, %h0;\n"
			     "mov.b16 %h2, 0;\nnot.b16 %h3, %h2;\n"
			     "xor.b16 %h1, %h1, %h3;\ncnot.b16 %h2, %h1;\n"
			     "cvt.u32.u16 %r9, %h2;\n" PUT),
		1);
}

/* What C compilers write for a cast of 64 bits to int. */
Test(kernel_values, a_conversion_reads_the_low_part_of_a_wide_register)
{
	cr_expect_eq(word_of("mov.b64 %d5, 0x1234567880000000;\n"
			     "cvt.s64.s32 %d6, %d5;\nshr.u64 %d6, %d6, 32;\n"
			     "cvt.u32.u64 %r9, %d6;\n" PUT),
		0xffffffff);
	refuses("cvt.u16.u32 %h0, %h1;\n",
		"a register of type .b16, expected .u32 or wider");
	refuses("cvt.u64.u64 %r5, %d1;\n",
		"a register of type .b32, expected .u64 or wider");
	refuses("cvt.f32.bf16 %f1, %r5;\n",
		"a register of type .b32, expected .bf16");
	refuses("cvt.rn.bf16.f32 %r5, %f1;\n",
		"a register of type .b32, expected .bf16");
}

Test(kernel_values, narrow_sums_are_rounded_to_the_nearest_alone)
{
	refuses("fma.rz.bf16 %h0, %h1, %h1, %h1;\n", "is not modelled");
}

/* What a type does not have is no word that is dropped. */
Test(kernel_values, modifiers_stand_with_their_types_alone)
{
	static const char *const forms[] = {
		"min.NaN.s32 %r9, %r5, %r5;\n",
		"min.NaN.f64 %d5, %d5, %d5;\n",
		"max.abs.f32 %r9, %r5, %r5;\n",
		"max.xorsign.f16 %h0, %h1, %h1;\n",
		"max.NaN.relu.f16 %h0, %h1, %h1;\n",
		"min.relu.u32 %r9, %r5, %r5;\n",
		"min.relu.f16 %h0, %h1, %h1;\n",
		"fma.rn.relu.f32 %r9, %r5, %r5, %r5;\n",
		"cvt.rn.relu.f16.f64 %h0, %d5;\n",
		"cvt.rn.satfinite.f32.f64 %r9, %d5;\n",
		"cvt.rzi.relu.s32.f32 %r9, %r5;\n",
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		refuses(forms[i], "m.ptx:22:1: ");
}

Test(kernel_values, a_block_has_its_shared_memory_by_128_bytes)
{
	static const struct {
		const char *launch;
		uint32_t dynamic, total;
	} cases[] = {
		{"grid=1 block=1", 0, 128},
		{"grid=1 block=1 shared=1", 1, 128},
		{"grid=1 block=1 shared=100", 100, 256},
		{"grid=1 block=1 shared=512", 512, 640},
		{"grid=1 block=1 shared=1000", 1000, 1152},
	};
	struct ran r;
	uint32_t words[3];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run_sized(&r,
			".shared .align 4 .b8 words[20];\n"
			"mov.u32 %r5, %dynamic_smem_size;\n"
			"mov.u32 %r6, %total_smem_size;\n"
			"mov.u32 %r7, %aggr_smem_size;\n"
			"st.global.v2.u32 [%d1], {%r5, %r6};\n"
			"st.global.u32 [%d1+8], %r7;\n",
			cases[i].launch);
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		memcpy(words, r.result.contents[1], sizeof(words));
		cr_expect_eq(words[0], cases[i].dynamic, "%u", words[0]);
		cr_expect_eq(words[1], cases[i].total, "%u", words[1]);
		cr_expect_eq(
			words[2], 20 + cases[i].dynamic + 1024, "%u", words[2]);
		kernel_end(&r);
	}
}

/* And are global memory, too. */
Test(kernel_values, parameters_have_a_window_of_their_own)
{
	uint32_t words[3];
	struct ran r;

	run_sized(&r,
		"mov.u64 %d5, p_a;\ncvta.param.u64 %d5, %d5;\n"
		"isspacep.param %p1, %d5;\nisspacep.param %p2, %d0;\n"
		"isspacep.global %p3, %d5;\nselp.u32 %r5, 1, 0, %p1;\n"
		"selp.u32 %r6, 1, 0, %p2;\nselp.u32 %r7, 1, 0, %p3;\n"
		"st.global.v2.u32 [%d1], {%r5, %r6};\n"
		"st.global.u32 [%d1+8], %r7;\n",
		"grid=1 block=1");
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(words, r.result.contents[1], sizeof(words));
	cr_expect_eq(words[0], 1);
	cr_expect_eq(words[1], 0);
	cr_expect_eq(words[2], 1);
	kernel_end(&r);
}

/* ---- what lies beyond a buffer ---- */

#define COPY(at, size)                                                         \
	".shared .align 16 .b8 place[16];\nmov.u32 %r5, " size                 \
	";\nmov.u32 %r6, 0xffffffff;\nst.shared.v4.u32 [place], {%r6, "        \
	"%r6, %r6, %r6};\ncp.async.cg.shared.global [place], [%d0+" at         \
	"], 16, %r5;\ncp.async.wait_all;\n"

Test(kernel_values, a_copy_reads_no_more_than_its_source)
{
	cr_expect_eq(
		word_of(COPY("4096", "0") "ld.shared.u32 %r9, [place];\n" PUT),
		0);
	cr_expect_eq(
		word_of(COPY("4080", "4") "ld.shared.u32 %r9, [place];\n" PUT),
		1020);
	cr_expect_eq(word_of(COPY("4080",
			     "4") "ld.shared.u32 %r9, [place+4];\n" PUT),
		0);
	/* more than the copy has is all of it */
	cr_expect_eq(word_of(COPY("4080",
			     "32") "ld.shared.u32 %r9, [place+12];\n" PUT),
		1023);
	refuses(COPY("4096", "4"), "outside of 'a' (4096 bytes), offset 4096");
}

/* The last of the warp's lanes copy nothing, and ask for nothing. */
Test(kernel_values, a_copy_of_nothing_asks_for_nothing)
{
	static const char body[] =
		".shared .align 16 .b8 places[512];\n"
		"setp.lt.u32 %%p1, %%r0, %u;\nselp.u32 %%r5, 16, 0, %%p1;\n"
		"mov.u32 %%r6, places;\nmad.lo.u32 %%r6, %%r0, 16, %%r6;\n"
		"shl.b64 %%d5, %%d2, 2;\nadd.u64 %%d5, %%d0, %%d5;\n"
		"cp.async.cg.shared.global [%%r6], [%%d5], 16, %%r5;\n"
		"cp.async.wait_all;\n";
	double sectors[2];
	struct ran r;
	char text[1024];
	unsigned i;

	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), body, i ? 16 : 32);
		run_sized(&r, text, "grid=1 block=32");
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		sectors[i] = kernel_counter(&r, "lts__t_sectors_op_read.sum");
		kernel_end(&r);
	}
	cr_expect_gt(sectors[0] - sectors[1], 7);
}

Test(kernel_values, a_prefetch_beyond_a_buffer_is_dropped)
{
	cr_expect_eq(word_of("prefetch.global.L2 [%d0+1048576];\n"
			     "mov.u32 %r9, 5;\n" PUT),
		5);
	cr_expect_eq(word_of("mov.u64 %d5, 64;\nprefetch.global.L1 [%d5];\n"
			     "prefetch.L2 [%d5];\nmov.u32 %r9, 6;\n" PUT),
		6);
}

/* Memory that the launch gives begins where the module's variables want it: a
   kernel's own lies before. */
Test(kernel_values, memory_of_the_launch_begins_at_a_multiple)
{
	const struct job_wishes wishes = {.contents = true};
	uint32_t words[2];
	struct ran r;

	kernel_run(NULL, &r,
		".version 8.6\n.target sm_90\n.address_size 64\n"
		".extern .shared .align 16 .b8 some[];\n"
		".extern .shared .align 1024 .b8 other[];\n"
		".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		".reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"
		".shared .align 8 .b8 own[24];\n"
		"ld.param.u64 %d1, [p_b];\nmov.u32 %r1, some;\n"
		"mov.u32 %r2, own;\nsub.u32 %r1, %r1, %r2;\n"
		"mov.u32 %r2, %total_smem_size;\n"
		"st.global.v2.u32 [%d1], {%r1, %r2};\nret;\n}\n",
		BUFFERS, "grid=1 block=1 shared=512", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(words, r.result.contents[1], sizeof(words));
	cr_expect_eq(words[0], 1024);
	cr_expect_eq(words[1], 1536);
	kernel_end(&r);
}

/* The system's memory is none of the block's, and zeros when a launch starts.
 */
Test(kernel_values, reserved_memory_lies_apart)
{
	uint32_t words[5];
	struct ran r;

	run_sized(&r,
		".shared .align 4 .b8 own[12];\nmov.u32 %r4, own;\n"
		"mov.u32 %r5, %reserved_smem_offset_1;\n"
		"mov.u32 %r6, %reserved_smem_offset_begin;\n"
		"mov.u32 %r7, %reserved_smem_offset_end;\n"
		"mov.u32 %r8, %reserved_smem_offset_cap;\n"
		"ld.shared.u32 %r9, [%r5+4];\nst.shared.u32 [%r4+8], 7;\n"
		"st.shared.u32 [%r5+4], 5;\nld.shared.u32 %r10, [%r4+8];\n"
		"ld.shared.u32 %r11, [%r5+4];\nmad.lo.u32 %r10, %r10, 10, "
		"%r11;\nsub.u32 %r7, %r7, %r6;\nsub.u32 %r8, %r8, %r6;\n"
		"st.global.u32 [%d4], %r7;\nst.global.u32 [%d4+4], %r8;\n"
		"st.global.u32 [%d4+8], %r9;\nst.global.u32 [%d4+12], %r10;\n"
		"mov.u32 %r4, %total_smem_size;\n"
		"st.global.u32 [%d4+16], %r4;\n",
		"grid=1 block=1");
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(words, r.result.contents[1], sizeof(words));
	cr_expect_eq(words[0], 0x120);
	cr_expect_eq(words[1], 0x400);
	cr_expect_eq(words[2], 0);
	cr_expect_eq(words[3], 75);
	cr_expect_eq(words[4], 128);
	kernel_end(&r);
}
