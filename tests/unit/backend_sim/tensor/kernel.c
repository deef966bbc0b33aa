/* Kernels that make a tensor map and copy by it: values, and what is refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(tensor_kernel, .timeout = 120);

/* One block of 32 threads. a and b are 32 rows of 32 words; the map is of a, or
   of what MAP says, and lies in the last row of b, %d6. s has 4 KiB of shared
   memory, %r5 its address, %r6 that of a barrier; thread 0 is %p0. */
#define BEGIN(version, target)                                                 \
	".version " version "\n.target " target "\n.address_size 64\n"         \
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b16 %h<2>;\n.reg .b32 %r<20>;\n.reg .b64 "   \
	"%d<20>;\n"                                                            \
	".shared .align 128 .b8 s[4096];\n.shared .align 128 .b8 m[128];\n"    \
	".shared .align 8 .b64 bar;\n"                                         \
	"ld.param.u64 %d0, [p_a];\nld.param.u64 %d1, [p_b];\n"                 \
	"cvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\n"         \
	"mov.u32 %r0, %tid.x;\nmov.u32 %r5, s;\nmov.u32 %r6, bar;\n"           \
	"mov.u32 %r7, m;\nsetp.eq.u32 %p0, %r0, 0;\nshl.b32 %r1, %r0, 2;\n"    \
	"add.u32 %r2, %r1, %r7;\nst.shared.u32 [%r2], 0;\n"                    \
	"add.s64 %d6, %d1, 3968;\nbar.warp.sync -1;\n"
#define REPLACE "@%p0 tensormap.replace.tile."
#define AT      ".shared::cta.b1024.b32 [%r7], "
/* Of rank 2, with so many rows, and what follows. */
#define MAP(base, rows, more)                                                  \
	REPLACE "global_address.shared::cta.b1024.b64 [%r7], " base            \
		";\n" REPLACE "rank" AT "1;\n" REPLACE "box_dim" AT            \
		"0, 32;\n" REPLACE "box_dim" AT "1, 8;\n" REPLACE              \
		"global_dim" AT "0, 32;\n" REPLACE "global_dim" AT "1, " rows  \
		";\n" REPLACE                                                  \
		"global_stride.shared::cta.b1024.b64 [%r7], 0, 128;\n" REPLACE \
		"element_stride" AT "0, 1;\n" REPLACE "element_stride" AT      \
		"1, 1;\n" REPLACE "elemtype" AT "2;\n" more                    \
		"bar.warp.sync -1;\n"                                          \
		"tensormap.cp_fenceproxy.global.shared::cta.tensormap::"       \
		"generic."                                                     \
		"release.gpu.sync.aligned [%d6], [%r7], 128;\n"                \
		"fence.proxy.tensormap::generic.acquire.gpu [%d6], 128;\n"     \
		"@%p0 mbarrier.init.shared.b64 [%r6], 1;\nbar.sync 0;\n"
#define EXPECT "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 1024;\n"
#define LOAD(to, x, y)                                                         \
	"@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile."            \
	"mbarrier::complete_tx::bytes [" to "], [%d6, {" x ", " y              \
	"}], [%r6];\n"
#define WAIT                                                                   \
	"W: mbarrier.try_wait.parity.shared.b64 %p1, [%r6], 0;\n"              \
	"@!%p1 bra W;\n"
/* 8 rows of shared memory to b. */
#define GIVE                                                                   \
	"mov.u32 %r8, 0;\n"                                                    \
	"L: add.u32 %r9, %r5, %r1;\nld.shared.u32 %r10, [%r9];\n"              \
	"cvt.u64.u32 %d7, %r1;\nadd.s64 %d7, %d7, %d1;\n"                      \
	"st.global.u32 [%d7], %r10;\nadd.u32 %r1, %r1, 128;\n"                 \
	"add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p2, %r8, 8;\n@%p2 bra L;\n"
#define SUM(operation, x, y)                                                   \
	"@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation    \
	".tile.bulk_group [%d6, {" x ", " y "}], [%r5];\n"                     \
	"cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
#define STORE(x, y)                                                            \
	"@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "     \
	"[%d6, {" x ", " y "}], [%r5];\ncp.async.bulk.commit_group;\n"         \
	"cp.async.bulk.wait_group 0;\n"
#define NEWEST BEGIN("8.6", "sm_90a")

static void run(struct ran *r, const char *ptx)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 100000000};

	kernel_run(NULL, r, ptx, BUFFERS, "grid=1 block=32", &wishes);
}

static void leaves(const char *ptx, uint32_t (*expected)(uint32_t i))
{
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	run(&r, ptx);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)r.result.contents[1];
	for (i = 0; i < 8 * 32; i++)
		cr_expect_eq(b[i], expected(i), "word %u: %u", i, b[i]);
	kernel_end(&r);
}

static void fails(const char *ptx, const char *part)
{
	struct ran r;

	run(&r, ptx);
	cr_expect_neq(r.code, 0, "nothing is said, expected: %s", part);
	cr_expect(strstr(r.error.text, part), "%s\n    expected: %s",
		r.error.text, part);
	kernel_end(&r);
}

/* Rows -2 to 5: the first two are outside. */
static uint32_t shifted(uint32_t i)
{
	return i < 64 ? 0 : i - 64;
}

Test(tensor_kernel, loads_a_box_and_fills_what_is_outside)
{
	leaves(NEWEST MAP("%d0", "31", "") EXPECT LOAD("%r5", "0", "-2")
			WAIT GIVE "ret;\n}\n",
		shifted);
}

Test(tensor_kernel, a_prefetch_leaves_shared_memory)
{
	leaves(NEWEST MAP("%d0", "31", "") EXPECT LOAD("%r5", "0", "-2") WAIT
		"@%p0 cp.async.bulk.prefetch.tensor.2d.L2.global."
		"tile [%d6, {0, 0}];\n"
		"nanosleep.u32 100000;\n" GIVE "ret;\n}\n",
		shifted);
}

static uint32_t swizzled(uint32_t i)
{
	return i ^ (i / 32 % 8 * 4);
}

Test(tensor_kernel, swizzles)
{
	leaves(NEWEST MAP("%d0", "31", REPLACE "swizzle_mode" AT "3;\n")
			EXPECT LOAD("%r5", "0", "0") WAIT GIVE "ret;\n}\n",
		swizzled);
}

static uint32_t twice(uint32_t i)
{
	return 2 * i;
}

Test(tensor_kernel, reduces_what_it_has_loaded)
{
	leaves(NEWEST MAP("%d0", "31", "") EXPECT LOAD("%r5", "0", "0")
			WAIT REPLACE
		"global_address.global.b1024.b64 [%d6], %d1;\n"
		"fence.proxy.tensormap::generic.acquire.gpu [%d6], 128;\n" SUM(
			"add", "0", "0") SUM("add", "0", "0") "ret;\n}\n",
		twice);
}

#define MANY(to, ranks)                                                        \
	"mov.u16 %h0, " ranks ";\n@%p0 cp.async.bulk.tensor.2d.shared::"       \
	"cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster " \
	"[" to "], [%d6, {0, 0}], [%r6], %h0;\n"

/* Each of two blocks gets the box that the first one's copy brings, at its own
   barrier; the second writes it behind what the first does. */
static uint32_t both(uint32_t i)
{
	return i;
}

Test(tensor_kernel, a_multicast_comes_to_each_rank)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 100000000};
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	kernel_run(NULL, &r,
		NEWEST MAP("%d0", "31", "") EXPECT
		"fence.mbarrier_init.release.cluster;\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		"mov.u32 %r11, %cluster_ctarank;\n"
		"setp.eq.and.u32 %p0, %r11, 0, %p0;\n" MANY("%r5", "3") WAIT
		"mul.wide.u32 %d8, %r11, 1024;\nadd.s64 %d1, %d1, %d8;\n" GIVE
		"ret;\n}\n",
		BUFFERS, "grid=2 block=32 cluster=2", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)r.result.contents[1];
	for (i = 0; i < 2 * 8 * 32; i++)
		cr_expect_eq(b[i], both(i % 256), "word %u: %u", i, b[i]);
	kernel_end(&r);
}

Test(tensor_kernel, a_multicast_goes_to_blocks_of_the_cluster)
{
	fails(NEWEST MAP("%d0", "31", "") EXPECT MANY("%r5", "2") "ret;\n}\n",
		"a tensor copy goes to a rank that the cluster does not have: "
		"0x1");
	fails(NEWEST MAP("%d0", "31", "") EXPECT
		"cp.async.bulk.tensor.2d.shared::cluster.global."
		"tile.mbarrier::complete_tx::bytes.multicast::"
		"cluster [%r5], [%d6, {0, 0}], [%r6], %r11;\n"
		"ret;\n}\n",
		"expected a mask of blocks, a register of 16 bits, as operand "
		"5");
	fails(NEWEST MAP("%d0", "31", "") EXPECT
		"cp.async.bulk.tensor.2d.shared::cluster.global."
		"tile.mbarrier::complete_tx::bytes.multicast::"
		"cluster [%r5], [%d6, {0, 0}], [%r6];\n"
		"ret;\n}\n",
		"expected 5 operands");
}

Test(tensor_kernel, illegal_copies_are_named)
{
	fails(NEWEST MAP("%d0", "31", "")
			EXPECT LOAD("%r5", "1", "0") "ret;\n}\n",
		"begins at element 1 of u32 in dimension 0, which is no "
		"multiple of 16 bytes");
	fails(NEWEST MAP("%d0", "31", "") STORE("0", "-1") "ret;\n}\n",
		"to global memory has coordinate -1 in dimension 1");
	fails(NEWEST MAP("%d0", "31", "")
			EXPECT LOAD("%r5+64", "0", "0") "ret;\n}\n",
		"needs a multiple of 128 as address in shared memory");
	fails(NEWEST MAP("%d0", "31", "")
			EXPECT LOAD("%r5+3968", "0", "0") "ret;\n}\n",
		"is outside of shared memory");
	fails(NEWEST MAP("%d0", "31", REPLACE "rank" AT "2;\n")
			EXPECT LOAD("%r5", "0", "0") "ret;\n}\n",
		"of 2 dimensions has a tensor map of 3");
	fails(NEWEST MAP("%d0", "31", REPLACE "rank" AT "6;\n")
			EXPECT LOAD("%r5", "0", "0") "ret;\n}\n",
		"has a tensor map that is none");
	fails(NEWEST MAP("%d0", "31", REPLACE "elemtype" AT "7;\n")
			SUM("min", "0", "0") "ret;\n}\n",
		"by .min has elements of f32");
	fails(NEWEST MAP("4096", "31", "")
			EXPECT LOAD("%r5", "0", "0") "ret;\n}\n",
		"is outside of all buffers, at address 0x1000");
	fails(NEWEST
		"add.s64 %d6, %d6, -32;\n" MAP("%d0", "31", "") "ret;\n}\n",
		"needs a multiple of 64");
}

/* Rules of a driver that an H100 holds the maps of kernels to. */
Test(tensor_kernel, maps_that_no_driver_makes_are_illegal)
{
	static const struct {
		const char *ptx, *part;
	} rows[] = {
		{NEWEST MAP("%d0", "31", REPLACE "swizzle_mode" AT "2;\n")
				LOAD("%r5", "0", "0") "ret;\n}\n",
			"rows of 128 bytes, a swizzle of 64 bytes has at most "
			"as many: an illegal instruction"},
		{NEWEST MAP("%d0", "31", REPLACE "box_dim" AT "0, 5;\n")
				LOAD("%r5", "0", "0") "ret;\n}\n",
			"rows of 20 bytes, expected a multiple of 16: an "
			"illegal instruction"},
		{NEWEST MAP("%d0", "31", REPLACE "fill_mode" AT "1;\n")
				LOAD("%r5", "0", "0") "ret;\n}\n",
			"fill=nan belongs to reals, not to u32: an illegal "
			"instruction"},
		{NEWEST MAP("%d0", "31", REPLACE "interleave_layout" AT "1;\n")
				LOAD("%r5", "0", "0") "ret;\n}\n",
			"an interleaved tensor has at least 3 dimensions, not "
			"2: an illegal instruction"},
		{NEWEST "add.s64 %d0, %d0, 8;\n" MAP("%d0", "31", "")
				LOAD("%r5", "0", "0") "ret;\n}\n",
			"which is no multiple of 16: a misaligned address"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fails(rows[i].ptx, rows[i].part);
}

Test(tensor_kernel, forms_that_are_none_are_refused)
{
	fails(BEGIN("8.6", "sm_90") MAP("%d0", "31", "") "ret;\n}\n",
		"needs .target sm_90a, the module has sm_90");
	fails(BEGIN("8.2", "sm_90a") MAP("%d0", "31", "") "ret;\n}\n",
		"needs .version 8.3");
	fails(NEWEST REPLACE "elemtype" AT "13;\nret;\n}\n",
		"expected a number of 0 to 12 as operand 2");
	fails(NEWEST REPLACE "box_dim" AT "5, 1;\nret;\n}\n",
		"expected a number of 0 to 4 as operand 2");
	fails(NEWEST LOAD("%r5", "0", "0, 0") "ret;\n}\n",
		"expected 2 coordinates of");
	fails(NEWEST "ld.shared.u32 %r10, [%r5, {%r1}];\nret;\n}\n",
		"expected an address as operand 2");
	fails(NEWEST
		"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
		"[%d6], [%r5];\nret;\n}\n",
		"expected an address and coordinates, [a, {x, y}], as operand "
		"1");
	fails(NEWEST
		"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs."
		"bulk_group [%d6, {%r1, %r1, %r1}], [%r5];\nret;\n}\n",
		"tensor copies by .im2col are not modelled");
}
