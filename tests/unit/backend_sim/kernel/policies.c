/* Cache policies in kernels: their bits, the accesses that have them, and what
   becomes of the lines. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_policies, .timeout = 120);

/* ---- bits ---- */

/* What thread 0 stores of the policy in %d5. */
static uint64_t bits_of(const char *body)
{
	const struct job_wishes wishes = {.contents = true};
	char ptx[2048];
	uint64_t bits;
	struct ran r;

	snprintf(ptx, sizeof(ptx), "%s%sst.global.u64 [%%d1], %%d5;\n%s", HEAD,
		body, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=1", &wishes);
	cr_assert_eq(r.code, 0, "%s: %s", body, r.error.text);
	memcpy(&bits, r.result.contents[1], sizeof(bits));
	kernel_end(&r);
	return bits;
}

Test(kernel_policies, are_bits_that_can_be_stored)
{
	static const struct {
		const char *body;
		uint64_t bits;
	} cases[] = {
		{"createpolicy.fractional.L2::evict_first.b64 %d5, 1.0;\n",
			0x12f0000000000000},
		{"createpolicy.fractional.L2::evict_first.b64 %d5;\n",
			0x12f0000000000000},
		{"createpolicy.fractional.L2::evict_last.L2::evict_first.b64 "
		 "%d5, 0.5;\n",
			0x1570000000000000},
		{"mov.f32 %f1, 0f3e99999a;\n"
		 "createpolicy.fractional.L2::evict_normal.b64 %d5, %f1;\n",
			0x1640000000000000},
		{"mov.b64 %d6, 0x7f0000012300;\n"
		 "createpolicy.range.L2::evict_last.L2::evict_first.b64 "
		 "%d5, [%d6+64], 4096, 8192;\n",
			0x1d01204000000000},
		{"mov.b64 %d6, 0x7f0000000000;\nmov.b32 %r5, 4097;\n"
		 "mov.b32 %r6, 524289;\n"
		 "createpolicy.range.global.L2::evict_first.b64 %d5, [%d6], "
		 "%r5, %r6;\n",
			0x1a10002000000000},
		{"mov.b64 %d6, 0x14f0000000000000;\n"
		 "createpolicy.cvt.L2.b64 %d5, %d6;\n",
			0x14f0000000000000},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint64_t bits = bits_of(cases[i].body);

		cr_expect_eq(bits, cases[i].bits, "%s: 0x%" PRIx64,
			cases[i].body, bits);
	}
}

Test(kernel_policies, of_a_range_begin_at_a_variable_too)
{
	static const char ptx[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".global .align 128 .b8 v[8192];\n"
		".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		".reg .b64 %d<8>;\nld.param.u64 %d1, [p_b];\n"
		"createpolicy.range.L2::evict_last.b64 %d5, [v+4096], 64, "
		"4096;\n"
		"mov.u64 %d6, v;\n"
		"createpolicy.range.L2::evict_last.b64 %d7, [%d6+4096], 64, "
		"4096;\n"
		"st.global.v2.u64 [%d1], {%d5, %d7};\nret;\n}\n";
	const struct job_wishes wishes = {.contents = true};
	uint64_t bits[2];
	struct ran r;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=1", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(bits, r.result.contents[1], sizeof(bits));
	cr_assert_eq(bits[0], bits[1]);
	cr_assert_eq(bits[0] >> 57, 0x1c >> 1);
	kernel_end(&r);
}

/* ---- words ---- */

static uint32_t same(uint32_t i)
{
	return i;
}

static uint32_t twice(uint32_t i)
{
	return 2 * i;
}

static uint32_t five_more(uint32_t i)
{
	return i + 5;
}

#define FIRST "createpolicy.fractional.L2::evict_first.b64 %d5, 1.0;\n"
#define LAST  "createpolicy.fractional.L2::evict_last.b64 %d6, 0.5;\n"

Test(kernel_policies, change_no_word)
{
	static const char *const bodies[] = {
		FIRST "ld.global.L1::evict_first.L2::cache_hint.u32 %r4, [%d3 "
		      "+ 0], %d5;\n"
		      "st.global.L2::cache_hint.u32 [%d4], %r4, %d5;\n",
		FIRST LAST
		"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r4, "
		"[%d3], %d6;\n"
		"st.global.L1::no_allocate.L2::cache_hint.u32 [%d4], %r4, "
		"%d5;\n",
		/* A number, and bits that went through memory. */
		"ld.global.L2::cache_hint.u32 %r4, [%d3], "
		"0x10f0000000000000;\n"
		"st.global.u32 [%d4], %r4;\n",
		FIRST ".shared .align 8 .b8 kept[8];\n"
		      "st.shared.u64 [kept], %d5;\nbar.sync 0;\n"
		      "ld.shared.u64 %d7, [kept];\n"
		      "ld.global.L2::cache_hint.u32 %r4, [%d3], %d7;\n"
		      "st.global.u32 [%d4], %r4;\n",
		/* Lanes are in two groups, each with its policy. */
		FIRST LAST
		"and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
		"@%p1 ld.global.L2::cache_hint.u32 %r4, [%d3], %d5;\n"
		"@!%p1 ld.global.L2::cache_hint.u32 %r4, [%d3], %d6;\n"
		"selp.b64 %d7, %d5, %d6, %p1;\n"
		"st.global.L2::cache_hint.u32 [%d4], %r4, %d7;\n",
	};
	size_t i;

	for (i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		kernel_leaves(bodies[i], same);
}

Test(kernel_policies, are_read_before_their_register_is_loaded)
{
	kernel_leaves(FIRST "and.b64 %d7, %d3, -8;\n"
			    "ld.global.L2::cache_hint.u64 %d5, [%d7], %d5;\n"
			    "and.b32 %r5, %r3, 1;\nshl.b32 %r5, %r5, 5;\n"
			    "shr.u64 %d5, %d5, %r5;\ncvt.u32.u64 %r4, %d5;\n"
			    "st.global.u32 [%d4], %r4;\n",
		same);
}

Test(kernel_policies, go_with_atomics)
{
	/* With its value; without one a reduction, of all lanes by one. */
	kernel_leaves(FIRST
		"st.global.u32 [%d4], %r3;\n"
		"atom.global.add.L2::cache_hint.u32 %r5, [%d4], %r3, "
		"%d5;\n"
		"sub.u32 %r5, %r5, %r3;\n"
		"red.global.add.L2::cache_hint.u32 [%d4], %r5, %d5;\n",
		twice);
	kernel_leaves(FIRST
		"red.global.add.L2::cache_hint.u32 [%d0], 1, %d5;\n"
		"atom.global.add.L2::cache_hint.u32 %r5, [%d0], 1, "
		"%d5;\n"
		"membar.gl;\nadd.u32 %r4, %r3, 5;\n"
		"atom.global.exch.L2::cache_hint.b32 %r5, [%d4], %r4, "
		"%d5;\n"
		"atom.global.cas.b32 %r5, [%d4], 3, 9;\n",
		five_more);
}

static double executed(const char *body)
{
	const struct job_wishes wishes = {0};
	char ptx[2048];
	struct ran r;
	double count;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=32", &wishes);
	cr_assert_eq(r.code, 0, "%s: %s", body, r.error.text);
	count = kernel_counter(&r, "smsp__inst_executed.sum");
	kernel_end(&r);
	return count;
}

/* The assembler lets a lane do it for all, with a policy as without. */
Test(kernel_policies, go_with_atomics_of_a_warp)
{
#define ADDRESS FIRST "ld.param.u64 %d11, [p_a];\n"
	const double plain =
		executed(ADDRESS "red.global.add.u32 [%d11], 1;\n");

	cr_assert_gt(plain, executed(ADDRESS "red.global.or.b32 [%d11], 1;\n"));
	cr_assert_eq(
		plain, executed(ADDRESS "red.global.add.L2::cache_hint.u32 "
					"[%d11], 1, %d5;\n"));
	cr_assert_eq(
		plain, executed(ADDRESS "atom.global.add.L2::cache_hint.u32 "
					"%r5, [%d11], 1, %d5;\n"));
#undef ADDRESS
}

#define COPY                                                                   \
	".shared .align 16 .b8 s[2048];\n" FIRST                               \
	"mov.u64 %d8, s;\nmul.wide.u32 %d9, %r0, 4;\nadd.u64 %d8, %d8, %d9;\n"
#define COPIED                                                                 \
	"cp.async.wait_all;\nld.shared.u32 %r4, [%d8];\n"                      \
	"st.global.u32 [%d4], %r4;\n"

static uint32_t even(uint32_t i)
{
	return i & 1 ? 0 : i;
}

Test(kernel_policies, go_with_copies_to_shared_memory)
{
	kernel_leaves(COPY "cp.async.ca.shared.global.L2::cache_hint.L2::128B "
			   "[%d8], [%d3], 4, %d5;\n" COPIED,
		same);
	kernel_leaves(COPY "mov.u32 %r4, 4;\n"
			   "cp.async.ca.shared.global.L2::cache_hint [%d8], "
			   "[%d3], 4, %r4, %d5;\n" COPIED,
		same);
	/* What a predicate leaves out is zero. */
	kernel_leaves(COPY "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p1, %r5, 1;\n"
			   "cp.async.ca.shared.global.L2::cache_hint [%d8], "
			   "[%d3], 4, %p1, %d5;\n" COPIED,
		even);
	kernel_leaves(COPY "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
			   "cp.async.ca.shared.global [%d8], [%d3], 4, "
			   "!%p1;\n" COPIED,
		even);
}

Test(kernel_policies, lines_keep_their_words)
{
	kernel_leaves("ld.global.u32 %r4, [%d3];\nst.global.u32 [%d4], %r4;\n"
		      "bar.sync 0;\nand.b64 %d7, %d4, -128;\n"
		      "applypriority.global.L2::evict_normal [%d7], 128;\n"
		      "prefetch.global.L2::evict_last [%d7];\n"
		      "prefetch.global.L2::evict_normal [%d4+4];\n"
		      "prefetchu.L1 [%d4];\n"
		      "discard.global.L2 [%d7], 128;\n",
		same);
}

/* ---- what can't be ---- */

Test(kernel_policies, that_createpolicy_does_not_make_stop_the_run)
{
	kernel_fails("mov.u64 %d5, 1;\n"
		     "ld.global.L2::cache_hint.u32 %r4, [%d3], %d5;\n",
		"m.ptx:23: block 6, thread 0: createpolicy makes no policy "
		"0x0000000000000001, and what the hardware does with it is "
		"not modelled");
	kernel_fails("ld.param.u64 %d5, [p_a];\nsetp.gt.u32 %p1, %r0, 69;\n"
		     "@%p1 st.global.L2::cache_hint.u32 [%d4], %r0, %d5;\n",
		"m.ptx:24: block 6, thread 70: createpolicy makes no policy "
		"0x00007f0000000000, and what the hardware does with it is "
		"not modelled");
	kernel_fails(".shared .align 16 .b8 s[16];\nmov.u64 %d5, 0;\n"
		     "cp.async.ca.shared.global.L2::cache_hint [s], [%d0], 16, "
		     "%d5;\n",
		"m.ptx:24: block 6, thread 0: createpolicy makes no policy "
		"0x0000000000000000, and what the hardware does with it is "
		"not modelled");
}

Test(kernel_policies, of_lines_are_for_lines_of_global_memory)
{
	kernel_fails("discard.global.L2 [%d4], 128;\n",
		"m.ptx:22: block 6, thread 1: address 0x7f0000200c04 is not "
		"a multiple of the access's 128 bytes");
	kernel_fails(".shared .align 128 .b8 s[256];\nmov.u64 %d5, s;\n"
		     "cvta.shared.u64 %d5, %d5;\n"
		     "applypriority.L2::evict_normal [%d5], 128;\n",
		"m.ptx:25: block 6, thread 0: 'applypriority' is for global "
		"memory, and address 0x7f00000000000000 is not there");
	kernel_fails("discard.L2 [%d1+4096], 128;\n",
		"m.ptx:22: block 6, thread 0: an access of 128 bytes outside "
		"of 'b' "
		"(4096 bytes), offset 4096");
}

Test(kernel_policies, prefetches_of_other_memory_are_dropped)
{
	kernel_leaves(".shared .align 16 .b8 s[16];\nmov.u64 %d5, s;\n"
		      "cvta.shared.u64 %d5, %d5;\nprefetch.L2 [%d5+4096];\n"
		      "prefetch.L1 [%d5];\nprefetchu.L1 [%d5];\n"
		      "prefetch.local.L1 [%d5];\nprefetch.local.L2 [4096];\n"
		      "st.global.u32 [%d4], %r3;\n",
		same);
}

/* ---- lines ---- */

#define SETS                                                                   \
	"buffer a bytes=32KiB type=u32 fill=iota\n"                            \
	"buffer b bytes=1MiB type=u32\n"

/* All threads of a block of 1,024 read as many rounds of 4 KiB from %d9 on. */
static void put_rounds(
	FILE *out, const char *label, unsigned rounds, const char *load)
{
	fprintf(out,
		"mov.u32 %%r5, %u;\n%s:\n%sadd.u64 %%d9, %%d9, 4096;\n"
		"sub.u32 %%r5, %%r5, 1;\nsetp.ne.u32 %%p1, %%r5, 0;\n"
		"@%%p1 bra %s;\nbar.sync 0;\n",
		rounds, label, load, label);
}

/* The sectors that come from DRAM where a hot set of 32 KiB is read, then a
   stream of 1 MiB goes by, four times L2, and the hot set is read again. */
static double sectors(const char *policy, const char *hot, const char *stream,
	bool as_written)
{
	const struct job_wishes wishes = {.as_written = as_written};
	struct ran r;
	double count;
	char *ptx;
	size_t bytes;
	FILE *out = open_memstream(&ptx, &bytes);

	fprintf(out, "%s%smov.u64 %%d9, %%d3;\n", HEAD, policy);
	put_rounds(out, "HOT", 8, hot);
	fprintf(out, "mov.u64 %%d9, %%d4;\n");
	put_rounds(out, "STREAM", 256, stream);
	fprintf(out, "mov.u64 %%d9, %%d3;\n");
	put_rounds(out, "AGAIN", 8, "ld.global.cg.u32 %r4, [%d9];\n");
	fprintf(out, "%s", TAIL);
	fclose(out);
	kernel_run(NULL, &r, ptx, SETS, "grid=1 block=1024", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	count = kernel_counter(&r, "dram__sectors_read.sum");
	kernel_end(&r);
	free(ptx);
	return count;
}

#define LAST_OF_ALL "createpolicy.fractional.L2::evict_last.b64 %d5, 1.0;\n"
#define PLAIN       "ld.global.cg.u32 %r4, [%d9];\n"
#define HINT        "ld.global.cg.L2::cache_hint.u32 %r4, [%d9], %d5;\n"

static double kept_by(const char *policy, bool of_stream, bool as_written)
{
	return sectors("", PLAIN, PLAIN, as_written) -
	       sectors(policy, of_stream ? PLAIN : HINT,
		       of_stream ? HINT : PLAIN, as_written);
}

#define HOT_SECTORS (32768.0 / 32)

/* What makes the policy is read from DRAM, too. */
#define IS_NEAR(a, b) (fabs((a) - (b)) <= 20)

Test(kernel_policies, keep_lines_and_give_them_up)
{
	const double kept = kept_by(
		"createpolicy.fractional.L2::evict_last.b64 %d5, 1.0;\n", false,
		false);
	const double half = kept_by(
		"createpolicy.fractional.L2::evict_last.b64 %d5, 0.5;\n", false,
		false);

	/* Without a carve-out some of the hot set stays; where the stream goes
	   first, all of it. */
	cr_assert_gt(kept, HOT_SECTORS / 4);
	cr_assert(
		half > HOT_SECTORS / 8 && half < kept, "%g of %g", half, kept);
	cr_assert_gt(kept_by(FIRST, true, false), HOT_SECTORS * 0.95);
	/* A range of all, and CUDA's property, are the whole fraction. */
	cr_assert(IS_NEAR(kept, kept_by("createpolicy.range.L2::evict_last.b64 "
					"%d5, [%d0], 32768, 32768;\n",
					false, false)));
	cr_assert(IS_NEAR(kept, kept_by("mov.u64 %d6, 0x14f0000000000000;\n"
					"createpolicy.cvt.L2.b64 %d5, %d6;\n",
					false, false)));
	/* What stands beside a range's primary part has the other priority. */
	cr_assert_gt(kept_by("createpolicy.range.L2::evict_last.L2::"
			     "evict_first.b64 %d5, [%d0], 4096, 2097152;\n",
			     true, false),
		HOT_SECTORS * 0.9);
	/* What says nothing keeps nothing. */
	cr_assert(IS_NEAR(0, kept_by("createpolicy.fractional.L2::"
				     "evict_unchanged.b64 %d5;\n",
				     false, false)));
	cr_assert(IS_NEAR(0, kept_by("createpolicy.range.L2::evict_last.b64 "
				     "%d5, [%d1+32768], 32768, 32768;\n",
				     false, false)));
}

/* As kept_by(), of what the hot set and the stream are read with. */
static double kept_with(const char *policy, const char *hot, const char *stream)
{
	return sectors("", PLAIN, PLAIN, false) -
	       sectors(policy, hot, stream, false);
}

Test(kernel_policies, hold_for_copies_prefetches_and_reductions)
{
	static const char shared[] =
		FIRST ".shared .align 4 .b8 s[4096];\nmov.u32 %r8, s;\n"
		      "shl.b32 %r9, %r0, 2;\nadd.u32 %r8, %r8, %r9;\n";

	cr_assert_gt(kept_with(shared, PLAIN,
			     "cp.async.ca.shared.global.L2::cache_hint [%r8], "
			     "[%d9], 4, %d5;\ncp.async.wait_all;\n"),
		HOT_SECTORS * 0.9);
	cr_assert_lt(kept_with(shared, PLAIN,
			     "cp.async.ca.shared.global [%r8], [%d9], 4;\n"
			     "cp.async.wait_all;\n"),
		HOT_SECTORS * 0.1);
	cr_assert_gt(
		kept_with("", "prefetch.global.L2::evict_last [%d9];\n", PLAIN),
		HOT_SECTORS / 4);
	cr_assert_lt(kept_with("", "prefetch.global.L2::evict_normal [%d9];\n",
			     PLAIN),
		HOT_SECTORS * 0.1);
	cr_assert_gt(
		kept_with(LAST_OF_ALL,
			"red.global.add.L2::cache_hint.u32 [%d9], %r0, %d5;\n",
			PLAIN),
		HOT_SECTORS / 4);
	/* Kept, and made normal again when they are there. */
	cr_assert_lt(
		kept_with(LAST_OF_ALL,
			HINT "and.b32 %r4, %r4, 0;\ncvt.u64.u32 %d11, %r4;\n"
			     "add.u64 %d10, %d9, %d11;\n"
			     "and.b64 %d10, %d10, -128;\n"
			     "applypriority.global.L2::evict_normal [%d10], "
			     "128;\n",
			PLAIN),
		HOT_SECTORS * 0.1);
}

Test(kernel_policies, stay_with_their_accesses_in_any_order)
{
	static const char last[] =
		"createpolicy.fractional.L2::evict_last.b64 %d5, 0.3;\n";

	cr_assert_eq(kept_by(last, false, false), kept_by(last, false, true));
	cr_assert_eq(kept_by(FIRST, true, false), kept_by(FIRST, true, true));
}
