/* Traces on the model: what they cost, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/trace/trace.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(replay, .timeout = 120);

#define WARP32(insns, text)                                                    \
	"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"       \
	"-shmem = 4096\n-nregs = 16\n"                                         \
	"-shmem base_addr = 0x7f0000000000\n"                                  \
	"-local mem base_addr = 0x7e0000000000\n"                              \
	"-accelsim tracer version = 5\nthread block = 0,0,0\nwarp = 0\n"       \
	"insts = " insns "\n" text

/* Runs a trace, as a job's only module. */
static void replay_grid(
	struct ran *r, const char *trace, unsigned grid, unsigned block)
{
	static const char *const sets[] = {"sm_count=8", "gpc_count=4",
		"gpc_side_mask=10", "memory_bytes=1GiB", "l2_slices_used=6",
		"l2_slices=8", "l2_bytes=256KiB",
		"dram_refresh_interval_cycles=0"};
	const struct backend_config config = {
		.sets = sets, .set_count = sizeof(sets) / sizeof(*sets)};
	const struct job_wishes wishes = {.profile = true};
	struct backend *backend;
	char text[256];

	memset(r, 0, sizeof(*r));
	snprintf(text, sizeof(text),
		"nearfar-kernel 1\nname test\nmodule t.traceg\n"
		"launch k grid=%u block=%u shared=4096 registers=16\n",
		grid, block);
	cr_assert_eq(job_parse(text, "test", &r->job, &r->error), 0, "%s",
		r->error.text);
	r->job.modules[0].text = strdup(trace);
	r->job.modules[0].bytes = strlen(trace);
	r->job.modules[0].is_trace = true;
	cr_assert_eq(backend_sim.open(&backend, &config, &r->error), 0, "%s",
		r->error.text);
	r->code = backend_sim.run_job(
		backend, &r->job, &wishes, &r->result, &r->error);
	backend_sim.close(backend);
}

static void replay(struct ran *r, const char *trace, unsigned block)
{
	replay_grid(r, trace, 1, block);
}

static double cycles_of_grid(const char *trace, unsigned grid, unsigned block)
{
	struct ran r;
	double cycles;

	replay_grid(&r, trace, grid, block);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

static double cycles_of(const char *trace)
{
	return cycles_of_grid(trace, 1, 32);
}

static void refuses(const char *trace, const char *sentence)
{
	struct ran r;

	replay(&r, trace, 32);
	cr_expect_eq(r.code, ERR_USAGE);
	cr_expect_str_eq(r.error.text, sentence);
	kernel_end(&r);
}

#define LOAD   "0010 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7f1000000000 4 0\n"
#define LOAD_2 "0020 ffffffff 1 R5 LDG.E 1 R8 4 1 0x7f1000100000 4 0\n"
#define CHASE  "0020 ffffffff 1 R5 LDG.E 1 R4 4 1 0x7f1000100000 4 0\n"
#define EXIT   "0100 ffffffff 0 EXIT 0 0 0\n"

Test(replay, registers_make_a_load_wait_for_another)
{
	double beside = cycles_of(WARP32("3", LOAD LOAD_2 EXIT));
	double behind = cycles_of(WARP32("3", LOAD CHASE EXIT));

	cr_expect_gt(behind, beside + 400);
}

/* R5 is the second word of a load of 64 bits, and of an address. */
Test(replay, wide_operands_have_two_registers)
{
	double alone = cycles_of(WARP32("3",
		"0010 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7f1000000000 8 0\n"
		"0020 ffffffff 1 R9 FADD 2 R5 R5 0 0\n" EXIT));
	double wide = cycles_of(WARP32("3",
		"0010 ffffffff 1 R4 LDG.E.64 1 R6 8 1 0x7f1000000000 8 0\n"
		"0020 ffffffff 1 R9 FADD 2 R5 R5 0 0\n" EXIT));
	double low = cycles_of(WARP32("3", LOAD
		"0020 ffffffff 1 R5 LDG.E 1 R3 4 1 0x7f1000100000 4 0\n" EXIT));

	cr_expect_gt(wide, alone);
	cr_expect_gt(low, cycles_of(WARP32("3", LOAD LOAD_2 EXIT)) + 400);
}

Test(replay, accesses_are_counted_as_those_of_kernels)
{
	struct ran r;

	replay(&r,
		WARP32("5", LOAD "0020 0000ffff 0 STG.E 2 R2 R3 4 1 "
				 "0x7f1000200000 32\n"
				 "0030 ffffffff 1 R5 LDG.E.STRONG.GPU 1 R8 4 1 "
				 "0x7f1000000000 4 0\n"
				 "0040 00000000 0 BRA 0 0 0\n" EXIT),
		32);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_eq(kernel_counter(&r, "smsp__inst_executed.sum"), 5);
	cr_expect_eq(
		kernel_counter(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld."
				   "sum"),
		8);
	cr_expect_eq(
		kernel_counter(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_"
				   "lookup_hit.sum"),
		0);
	cr_expect_geq(kernel_counter(&r, "lts__t_sectors_op_write.sum"), 16);
	cr_expect_eq(r.result.launches[0].registers, 16);
	cr_expect_eq(r.result.launches[0].profile->lines[0].line, 12);
	kernel_end(&r);
}

/* 32 lanes on one bank; the same words in the window of generic addresses. */
Test(replay, shared_memory_has_banks)
{
	double apart = cycles_of(
		WARP32("3", "0010 ffffffff 1 R4 LDS 1 R6 4 1 0x0 4 0\n"
			    "0020 ffffffff 1 R9 FADD 2 R4 R4 0 0\n" EXIT));
	double same = cycles_of(
		WARP32("3", "0010 ffffffff 1 R4 LDS 1 R6 4 1 0x0 128 0\n"
			    "0020 ffffffff 1 R9 FADD 2 R4 R4 0 0\n" EXIT));
	double generic = cycles_of(WARP32("3",
		"0010 ffffffff 1 R4 LD.E 1 R6 4 1 0x7f0000000000 128 0\n"
		"0020 ffffffff 1 R9 FADD 2 R4 R4 0 0\n" EXIT));

	cr_expect_eq(same, apart + 31);
	cr_expect_gt(generic, apart);
	cr_expect_lt(generic, apart + 100);
}

Test(replay, local_memory_hits_in_l1)
{
	double global = cycles_of(
		WARP32("3", LOAD "0020 ffffffff 1 R9 FADD 2 R4 R4 0 0\n" EXIT));
	double local = cycles_of(WARP32("3",
		"0010 ffffffff 1 R4 LD.E 1 R6 4 1 0x7e0000000000 4 0\n"
		"0020 ffffffff 1 R9 FADD 2 R4 R4 0 0\n" EXIT));

	cr_expect_lt(local, global - 200);
}

Test(replay, copies_are_waited_for)
{
	const char *copy =
		WARP32("4", "0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 "
			    "0x7f1000000000 4 0\n"
			    "0020 ffffffff 0 LDGDEPBAR 0 0 0\n"
			    "0030 ffffffff 0 DEPBAR.LE 0 0 0\n" EXIT);

	cr_expect_gt(cycles_of(copy), cycles_of(WARP32("1", EXIT)) + 400);
}

/* A block of two warps: the second one loads before it reaches the barrier. */
Test(replay, a_barrier_waits_for_the_block)
{
	static const char two[] =
		"-kernel name = k\n-grid dim = (1,1,1)\n"
		"-block dim = (64,1,1)\n-shmem = 4096\n-nregs = 16\n"
		"-accelsim tracer version = 3\nthread block = 0,0,0\n"
		"warp = 0\ninsts = 3\n0010 ffffffff 0 BAR.SYNC 0 0\n"
		"0020 ffffffff 1 R5 LDG.E 1 R8 4 1 0x7f1000100000 4\n"
		"0030 ffffffff 0 EXIT 0 0\n"
		"warp = 1\ninsts = 4\n"
		"0040 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7f1000000000 4\n"
		"0050 ffffffff 1 R9 FADD 2 R4 R4 0\n"
		"0060 ffffffff 0 BAR.SYNC 0 0\n"
		"0070 ffffffff 0 EXIT 0 0\n";
	struct ran r;

	replay(&r, two, 64);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_gt(
		r.result.launches[0].profile->wait_cycles[JOB_WAIT_BARRIER],
		400.0);
	kernel_end(&r);
}

Test(replay, a_trace_that_does_not_fit_is_refused)
{
	refuses(WARP32("1", "0010 ffffffff 0 TEX.SCR 0 0 0\n"),
		"t.traceg:12:1: 'TEX.SCR' is not modelled");
	refuses(WARP32("1", "0010 ffffffff 0 HMMA.SP.16816.F32 0 0 0\n"),
		"t.traceg:12:1: 'HMMA.SP.16816.F32' is not modelled: sparse "
		"matrices are not modelled");
	refuses(WARP32("1", "0010 ffffffff 0 BAR.ARV 0 0 0\n"),
		"t.traceg:12:1: 'BAR.ARV' is not modelled: the trace does not "
		"say for sure at which barrier, and of how many");
	refuses(WARP32("1", "0010 0000ffff 1 R4 LDSM.16.M88 1 R6 2 1 0x0 16 "
			    "0\n"),
		"t.traceg:12:1: all lanes load and store matrices");
	refuses(WARP32("1", "0010 ffffffff 1 R4 LDSM.16.M88 1 R6 2 1 0x0 8 "
			    "0\n"),
		"t.traceg:12:1: a row of a matrix begins at a multiple of 16 "
		"bytes");
	refuses(WARP32("1", "0010 ffffffff 1 R2 LDG.E 1 R4 0 0\n"),
		"t.traceg:12:1: 'LDG.E' is not modelled");
	refuses(WARP32("1", "0013 ffffffff 0 EXIT 0 0 0\n"),
		"t.traceg:12:1: a PC is a multiple of 8 below 16 MiB");
	refuses(WARP32("2", EXIT),
		"t.traceg:13:1: the trace ends within a warp");
	refuses(WARP32("1", EXIT "warp = 1\ninsts = 0\n"),
		"t.traceg:15:1: there is no such warp");
	refuses(WARP32("1", EXIT "warp = 0\ninsts = 0\n"),
		"t.traceg:15:1: the warp is there already");
	refuses(WARP32("1", EXIT "thread block = 1,0,0\n"),
		"t.traceg:14:1: the trace has more blocks than its grid");
	refuses(WARP32("2", LOAD "0010 ffffffff 1 R4 LDG.E 1 R6 8 1 0x0 8 0\n"),
		"t.traceg:13:1: the instruction of this PC has accesses of 4 "
		"bytes elsewhere");
}

/* ---- matrices, warpgroups and clusters ---- */

#define HEAD_6(grid, block)                                                    \
	"-kernel name = k\n-grid dim = (" grid ",1,1)\n-block dim = (" block   \
	",1,1)\n-shmem = 4096\n-nregs = 16\n-shmem base_addr = 0x7f0000000000" \
	"\n-accelsim tracer version = 6\n"
#define BLOCK_6(number)       "thread block = " number ",0,0\n"
#define WARP_6(number, insns) "warp = " number "\ninsts = " insns "\n"
#define ONE_6(insns, text)                                                     \
	HEAD_6("1", "32") BLOCK_6("0") WARP_6("0", insns) text
#define EXIT_6 "0100 ffffffff 0 EXIT 0 0 0 0 NoVal\n"

#define PRODUCT(pc, d, a, b)                                                   \
	pc " ffffffff 1 " d " HMMA.16816.F32 3 " a " " b " " d " 0 0\n"

Test(replay, products_wait_for_their_registers)
{
	const double chain = cycles_of(WARP32("4",
		PRODUCT("0010", "R8", "R20", "R24") PRODUCT("0020", "R8", "R20",
			"R24") PRODUCT("0030", "R8", "R20", "R24") EXIT));
	const double apart = cycles_of(WARP32("4",
		PRODUCT("0010", "R8", "R20", "R24")
			PRODUCT("0020", "R12", "R20", "R24")
				PRODUCT("0030", "R16", "R20", "R24") EXIT));
	/* The last register of A is the first one's last sum. */
	const double fed = cycles_of(WARP32("4",
		PRODUCT("0010", "R8", "R20", "R24") PRODUCT("0020", "R30", "R8",
			"R24") PRODUCT("0030", "R34", "R20", "R33") EXIT));

	cr_expect_float_eq(
		chain, apart + 2 * (25 - 6), 3, "%g, %g", chain, apart);
	cr_expect_gt(fed, apart + 30);
}

#define GROUPS(wait)                                                           \
	"0010 ffffffff 0 WARPGROUP.ARRIVE 0 0 0 0 NoVal\n"                     \
	"0020 ffffffff 1 R24 HGMMA.64x256x16.F32.BF16 2 UR4 R24 1 0 0 0 "      \
	"NoVal\n"                                                              \
	"0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 " wait " NoVal\n"

/* A group that is over is waited for; the last so many are not. */
Test(replay, warpgroups_wait_for_their_groups)
{
	const double all = cycles_of(ONE_6("4", GROUPS("0 0") EXIT_6));
	const double none = cycles_of(ONE_6("4", GROUPS("1 0") EXIT_6));

	cr_expect_gt(all, none + 150);
	refuses(WARP32("1", "0020 ffffffff 1 R24 HGMMA.64x256x16.F32.BF16 1 "
			    "R24 0 0\n"),
		"t.traceg:12:1: 'HGMMA.64x256x16.F32.BF16' is not modelled: "
		"traces of version 6 say which product ends a group");
}

#define ROWS(stride)                                                           \
	"0010 ffffffff 1 R4 LDSM.16.M88.4 1 R8 2 1 0x0 " stride " 0\n"         \
	"0020 ffffffff 1 R9 FADD 2 R7 R7 0 0\n"

/* Eight rows of a matrix side by side, and all on the same banks. */
Test(replay, rows_of_matrices_go_through_the_banks)
{
	const double apart = cycles_of(WARP32("3", ROWS("16") EXIT));
	const double same = cycles_of(WARP32("3", ROWS("128") EXIT));

	cr_expect_float_eq(same, apart + 2 * 4 * 7, 1, "%g, %g", same, apart);
}

#define CTA_6(number)                                                          \
	BLOCK_6(number)                                                        \
	"cluster id = 0,0,0\ncluster cta = " number                            \
	",0,0\ncluster rank = " number "\n"
#define MEET_6                                                                 \
	"0060 ffffffff 0 UCGABAR_ARV 0 0 0 0 NoVal\n"                          \
	"0070 ffffffff 0 UCGABAR_WAIT 0 0 0 0 NoVal\n"
#define LOAD_6                                                                 \
	"0010 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7e1000000000 4 0 0 NoVal\n"       \
	"0020 ffffffff 1 R9 FADD 2 R4 R4 0 0 0 NoVal\n"

/* The second block's first warp loads before it arrives. */
Test(replay, a_barrier_of_the_cluster_waits_for_all_blocks)
{
	struct ran r;

	replay_grid(&r,
		HEAD_6("2", "32") CTA_6("0") WARP_6("0", "3")
			MEET_6 EXIT_6 CTA_6("1") WARP_6("0", "5")
				LOAD_6 MEET_6 EXIT_6,
		2, 32);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_gt(
		r.result.launches[0].profile->wait_cycles[JOB_WAIT_BARRIER],
		400.0);
	kernel_end(&r);
	/* One that has ended is not waited for. */
	replay_grid(&r,
		HEAD_6("2", "32") CTA_6("0") WARP_6("0", "3")
			MEET_6 EXIT_6 CTA_6("1") WARP_6("0", "1") EXIT_6,
		2, 32);
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
	refuses(HEAD_6("3", "32") CTA_6("0") WARP_6("0", "1") EXIT_6 CTA_6("1")
			WARP_6("0", "1") EXIT_6 BLOCK_6("2") WARP_6("0", "1")
				EXIT_6,
		"t.traceg:8:1: a cluster has at most 16 blocks, and the grid "
		"is "
		"a whole number of clusters");
}

#define FAR(address)                                                           \
	"0010 ffffffff 1 R4 LD.E 1 R8 4 1 " address " 4 0 0 NoVal\n"           \
	"0020 ffffffff 1 R9 FADD 2 R4 R4 0 0 0 NoVal\n"
#define PAIR(text)                                                             \
	HEAD_6("2", "32")                                                      \
	CTA_6("0")                                                             \
	WARP_6("0", "3") text EXIT_6 CTA_6("1") WARP_6("0", "1") EXIT_6

/* The windows of ranks 0 and 1 among generic addresses. */
Test(replay, shared_memory_of_other_blocks_is_far)
{
	const double own = cycles_of_grid(PAIR(FAR("0x7f0000000100")), 2, 32);
	const double other = cycles_of_grid(PAIR(FAR("0x7f0001000100")), 2, 32);

	cr_expect_float_eq(other, own + 175, 25, "%g, %g", other, own);
}

#define FEWER "0030 ffffffff 0 USETMAXREG.DEALLOC.CTAPOOL 0 0 8 0 NoVal\n"
#define MORE  "0040 ffffffff 1 UP0 USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 24 0 NoVal\n"

/* The second warp takes what the first one leaves behind its load. */
Test(replay, registers_are_left_and_taken)
{
	struct ran r;

	replay(&r,
		HEAD_6("1", "64") BLOCK_6("0") WARP_6("0", "4")
			LOAD_6 FEWER EXIT_6 WARP_6("1", "2") MORE EXIT_6,
		64);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_gt(
		r.result.launches[0].profile->wait_cycles[JOB_WAIT_BARRIER],
		400.0);
	kernel_end(&r);
}

#define UNIFORM(read)                                                          \
	"0010 ffffffff 1 UR4 S2UR 0 0 0 0 NoVal\n"                             \
	"0020 ffffffff 1 R5 IADD3 2 " read " R8 0 0 0 Val 1 0x0 1 0x5\n"

Test(replay, uniform_registers_are_waited_for)
{
	const double waits = cycles_of(ONE_6("3", UNIFORM("UR4") EXIT_6));
	const double apart = cycles_of(ONE_6("3", UNIFORM("UR5") EXIT_6));

	cr_expect_geq(waits, apart + 10, "%g, %g", waits, apart);
}
