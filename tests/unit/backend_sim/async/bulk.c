/* Bulk copies: what they move, what they cost, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/async/async.h"

TestSuite(bulk, .timeout = 120);

static uint32_t same(uint32_t i)
{
	return i;
}

static uint32_t next_of(uint32_t i)
{
	return i + 1;
}

Test(bulk, loads_what_is_there)
{
	kernel_leaves(
		SHARED PART INIT("1") EXPECT("512") COPY("%r10", "%d5", "512")
			WAIT("W", "0") "ld.shared.u32 %r4, [%r12];\n"
				       "st.global.u32 [%d4], %r4;\n",
		same);
}

/* Two phases, two copies each, a barrier that all threads arrive at. */
Test(bulk, phases_follow_each_other)
{
	kernel_leaves(
		SHARED PART INIT("129") EXPECT("512") COPY(
			"%r10", "%d5", "256") COPY("%r10+256", "%d5+256",
			"256") "mbarrier.arrive.shared.b64 %d7, [%r11];\n"
			       "V: mbarrier.try_wait.shared.b64 %p1, [%r11], "
			       "%d7;\n"
			       "@!%p1 bra V;\n"
			       "ld.shared.u32 %r4, [%r12];\n"
			       "bar.sync 0;\n" EXPECT("512") COPY("%r10", "%d5",
				       "512") "mbarrier.arrive.shared.b64 %d7, "
					      "[%r11];\n" WAIT("W",
						      "1") "ld.shared.u32 %r5, "
							   "[%r12];\n"
							   "sub.u32 %r5, %r5, "
							   "%r4;\nadd.u32 %r4, "
							   "%r4, %r5;\n"
							   "st.global.u32 "
							   "[%d4], %r4;\n",
		same);
}

Test(bulk, stores_what_threads_have_written)
{
	kernel_leaves(SHARED PART "add.u32 %r4, %r3, 1;\n"
				  "st.shared.u32 [%r12], %r4;\n" FENCE
				  "bar.sync 0;\n" STORE("%d6", "%r10", "512")
					  COMMIT
		"@%p0 cp.async.bulk.wait_group.read 0;\n",
		next_of);
}

/* It is of L2 alone. */
Test(bulk, a_prefetch_leaves_shared_memory)
{
	kernel_leaves(SHARED PART
		"add.u32 %r4, %r3, 1;\nst.shared.u32 [%r12], %r4;\n"
		"bar.sync 0;\n"
		"@%p0 cp.async.bulk.prefetch.L2.global [%d5], 512;\n"
		"nanosleep.u32 100000;\nld.shared.u32 %r4, [%r12];\n"
		"st.global.u32 [%d4], %r4;\n",
		next_of);
}

/* Each thread of a warp has copies and groups of its own. */
Test(bulk, each_lane_has_its_copy)
{
	kernel_leaves(SHARED PART
		"st.shared.u32 [%r12], %r3;\n" FENCE "bar.sync 0;\n"
		"setp.lt.u32 %p2, %r0, 32;\n"
		"shl.b32 %r4, %r0, 4;\nadd.u32 %r5, %r10, %r4;\n"
		"cvt.u64.u32 %d7, %r4;\nadd.s64 %d7, %d6, %d7;\n"
		"@%p2 cp.async.bulk.global.shared::cta.bulk_group [%d7], "
		"[%r5], 16;\n"
		"@%p2 cp.async.bulk.commit_group;\n"
		"@%p2 cp.async.bulk.wait_group 0;\n",
		same);
}

static uint32_t twice(uint32_t i)
{
	return 2 * (i % 128) + 8;
}

/* All blocks add to the same place: here each to its own, twice. */
Test(bulk, reduces)
{
	kernel_leaves(SHARED PART
		"add.u32 %r4, %r0, 4;\nst.shared.u32 [%r12], %r4;\n" FENCE
		"bar.sync 0;\n"
		"@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
		"u32 [%d6], [%r10], 512;\n"
		"@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
		"u32 [%d6], [%r10], 512;\n" COMMIT
		"@%p0 cp.async.bulk.wait_group 0;\n",
		twice);
}

static uint32_t state_of(uint32_t i)
{
	/* lanes arrive one after the other: what was pending then */
	return i % 128 < 32 ? 32 - i % 32 : 0;
}

Test(bulk, states_tell_what_was_pending)
{
	kernel_leaves(
		SHARED INIT("32") "setp.lt.u32 %p2, %r0, 32;\n"
				  "mov.u32 %r4, 0;\n"
				  "@%p2 mbarrier.arrive.shared.b64 %d7, "
				  "[%r11];\n"
				  "@%p2 mbarrier.pending_count.b64 %r4, %d7;\n"
				  "st.global.u32 [%d4], %r4;\n",
		state_of);
}

/* cp.async tells a barrier when it has come. */
Test(bulk, barriers_take_arrivals_of_cp_async)
{
	kernel_leaves(
		SHARED INIT(
			"128") "cp.async.ca.shared.global [%r12], [%d3], 4;\n"
			       "cp.async.mbarrier.arrive.noinc.shared.b64 "
			       "[%r11];\n" WAIT(
				       "W", "0") "ld.shared.u32 %r4, [%r12];\n"
						 "st.global.u32 [%d4], %r4;\n",
		same);
	/* A generic address of 32 bits is one of shared memory. */
	kernel_leaves(
		SHARED INIT(
			"128") "cp.async.ca.shared.global [%r12], [%d3], 4;\n"
			       "cp.async.mbarrier.arrive.noinc.b64 "
			       "[%r11];\n" WAIT(
				       "W", "0") "ld.shared.u32 %r4, [%r12];\n"
						 "st.global.u32 [%d4], %r4;\n",
		same);
}

/* ---- what it costs ---- */

static void run(struct ran *r, const char *body)
{
	const struct job_wishes wishes = {.max_cycles = 1000000};

	async_run(r, body, &wishes);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
}

static double counted(const char *body, const char *name)
{
	struct ran r;
	double count;

	run(&r, body);
	count = kernel_counter(&r, name);
	kernel_end(&r);
	return count;
}

#define FROM_SM "lts__t_sectors_srcunit_tex_op_read.sum"
#define WRITTEN "lts__t_sectors_op_write.sum"
#define FROM_L1 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"

/* Sectors are read from L2 once each, past L1; those that are stored are
   written as others are; a prefetch brings them and nobody reads them. */
Test(bulk, counts_its_sectors)
{
	static const char load[] = SHARED PART INIT("1") EXPECT("512")
		COPY("%r10", "%d5", "512") WAIT("W", "0");
	static const char prefetch[] = SHARED PART
		"@%p0 cp.async.bulk.prefetch.L2.global [%d5], 512;\n";

	cr_expect_eq(counted(load, FROM_SM), 128);
	cr_expect_eq(counted(load, FROM_L1), 0);
	cr_expect_eq(counted(SHARED PART STORE("%d6", "%r10", "512") COMMIT
			     "@%p0 cp.async.bulk.wait_group 0;\n",
			     WRITTEN),
		counted("st.global.u32 [%d4], %r3;\n", WRITTEN));
	cr_expect_eq(counted(prefetch, FROM_SM), 0);
	cr_expect_geq(counted(prefetch, "dram__sectors_read.sum"), 128);
	cr_expect_eq(
		counted(SHARED PART "@%p0 cp.async.bulk.prefetch.L2.global "
				    "[%d5+1048576], 512;\n",
			FROM_SM),
		0);
}

/* ---- what is refused ---- */

static const struct {
	const char *insn, *sentence;
} faults[] = {
	{COPY("%r10", "%d5+8", "16"), "needs a multiple of 16 as address"},
	{COPY("%r10+8", "%d5", "16"), "needs a multiple of 16 as address"},
	{COPY("%r10+4094", "%d5", "16"), "needs a multiple of 16 as address"},
	{COPY("%r10+4096", "%d5", "512"), "is outside of shared memory"},
	{COPY("%r10", "%d5+1048576", "16"), "is outside of all buffers"},
	{"mov.u32 %r4, 20;\n" COPY("%r10", "%d5", "%r4"),
		"is no multiple of 16 bytes"},
	{STORE("%d6+4", "%r10", "16"), "needs a multiple of 16 as address"},
	{STORE("%d6", "%r10+8", "16"), "needs a multiple of 16 as address"},
	{COPY("%r10", "%d5", "24"), "expected a multiple of 16 bytes"},
	{STORE("%d6", "%r10", "8"), "expected a multiple of 16 bytes"},
	{"cp.async.bulk.prefetch.L2.global [%d5+8], 16;\n",
		"needs a multiple of 16 as address"},
	{"cp.async.bulk.prefetch.L2.global [%d5], 40;\n",
		"expected a multiple of 16 bytes"},
	{"cp.async.bulk.global.shared::cluster.mbarrier::complete_tx::bytes "
	 "[%d5], [%r10], 16, [%r11];\n",
		"a bulk copy goes from .global"},
	{"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
	 "bytes [%r10], [%r10], 16, [%r11];\n",
		"an illegal instruction in a launch without clusters"},
	{"mov.u16 %h0, 2;\n"
	 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
	 "multicast::cluster [%r10], [%d5], 16, [%r11], %h0;\n",
		"goes to a rank that the cluster does not have"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
	 "multicast::cluster [%r10], [%d5], 16, [%r11], %r4;\n",
		"expected a mask of blocks, a register of 16 bits"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
	 "L2::cache_hint [%r10], [%d5], 16, [%r11];\n",
		"expected a policy of 64 bits"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
	 "L2::cache_hint [%r10], [%d5], 16, [%r11], %r4;\n",
		"expected a policy of 64 bits"},
	{"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d5], [%r10], "
	 "16, %h0;\n",
		"needs .target sm_100"},
	{"cp.async.bulk.global.shared::cta [%d5], [%r10], 16;\n",
		"expected .mbarrier::complete_tx::bytes"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d5], "
	 "[%r10], 16;\n",
		"is not a form of 'cp.reduce.async.bulk' that PTX has"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f32 [%d5], "
	 "[%r10], 16;\n",
		"is not a form of 'cp.reduce.async.bulk' that PTX has"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d5], "
	 "[%r10], 16;\n",
		"expected .noftz"},
	{"cp.async.bulk.wait_group %r4;\n", "expected a whole number"},
	{"fence.proxy.async.shared;\n", "is not a modifier of 'fence.proxy'"},
	{"fence.proxy.tensormap::generic.acquire.gpu [%d5], 64;\n",
		"expected 128 bytes"},
	{"fence.mbarrier_init.release.cta;\n", "'fence.mbarrier_init"},
	{"fence.acquire.sync_restrict::shared::cluster.cta;\n",
		"'.cta' is not a modifier of 'fence.acquire.sync_restrict"},
	{"fence.release.sync_restrict::shared::cta;\n",
		"expected .cluster in 'fence.release.sync_restrict"},
	{"fence.release.sync_restrict::shared::cluster.cluster;\n",
		"'.sync_restrict::shared::cluster' is not a modifier of "},
	{"fence.acquire.sync_restrict::shared::cta.cluster;\n",
		"'.sync_restrict::shared::cta' is not a modifier of "},
	{"mbarrier.init.shared::cluster.b64 [%r11], 1;\n",
		"is not a modifier of 'mbarrier.init'"},
	{"mbarrier.init.shared.b64 [%r11+4], 1;\n", "is not a multiple of"},
	{"mbarrier.init.shared.b64 [%r11], 0;\n", "is to take none"},
	{"mbarrier.init.shared.b64 [%r11], 1048576;\n", "is to take none"},
	{"mbarrier.init.b64 [%d5], 1;\n", "is in shared memory"},
	{"mbarrier.arrive.shared::cluster.b64 %d7, [%r11];\n", "expected '_'"},
	{"mbarrier.arrive.release.shared.b64 %d7, [%r11];\n",
		"expected one of .cta|cluster"},
	{"mbarrier.arrive.noComplete.shared.b64 %d7, [%r11];\n", "operand"},
	{"mbarrier.test_wait.parity.shared.b64 %p1, [%r11], %d5;\n",
		"is a register of type .b64"},
	{"mbarrier.try_wait.parity.acquire.gpu.shared.b64 %p1, [%r11], %r4;\n",
		"is not a modifier of 'mbarrier.try_wait.parity'"},
};

Test(bulk, what_the_chip_and_the_assembler_refuse_is_refused)
{
	char body[2048];
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		snprintf(body, sizeof(body), "%s%s%s%s", SHARED PART INIT("1"),
			"mov.u32 %r4, 0;\n", faults[i].insn, "");
		async_fails(body, faults[i].sentence);
	}
}
