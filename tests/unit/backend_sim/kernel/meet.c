/* Lanes of a warp that wait for each other, wherever they stand. What they
   leave is what an H200 leaves of kernels of the same forms. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_meet, .timeout = 60);

#define STORE  "st.global.u32 [%d4], %r4;\n"
#define PARITY "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p0, %r5, 0;\n"
#define SIDES(odd, even)                                                       \
	PARITY "@%p0 bra E;\n" odd "bra.uni J;\nE: " even "J:\n" STORE
/* All lanes' numbers in the warp. */
#define LANE "mov.u32 %r6, %laneid;\n"

/* ---- both sides of a branch ---- */

static uint32_t sum(uint32_t i)
{
	(void)i;
	return 496;
}

Test(kernel_meet, both_sides_add_up)
{
	kernel_leaves(LANE SIDES("redux.sync.add.u32 %r4, %r6, -1;\n",
			      "mov.u32 %r7, %r6;\nmov.u32 %r8, -1;\n"
			      "redux.sync.add.u32 %r4, %r7, %r8;\n"),
		sum);
}

static uint32_t swapped(uint32_t i)
{
	const uint32_t from = (i ^ 1) & 31;

	return i & 1 ? 2000 + from : 1000 + from + 1;
}

Test(kernel_meet, both_sides_shuffle)
{
	kernel_leaves(LANE SIDES("add.u32 %r7, %r6, 1000;\n"
				 "shfl.sync.bfly.b32 %r4, %r7, 1, 31, -1;\n",
			      "add.u32 %r8, %r6, 2000;\n"
			      "shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;\n"
			      "add.u32 %r4, %r9, 1;\n"),
		swapped);
}

static uint32_t pairs(uint32_t i)
{
	const uint32_t lane = i & 31;

	return lane + (lane ^ 16);
}

/* Pairs at one instruction, to which lanes come by three ways: those whose
   partner is still on its way stay, and the others go on. */
Test(kernel_meet, pairs_meet_one_after_the_other)
{
	kernel_leaves(LANE "xor.b32 %r7, %r6, 16;\nshl.b32 %r8, 1, %r6;\n"
			   "shl.b32 %r9, 1, %r7;\nor.b32 %r8, %r8, %r9;\n"
			   "setp.gt.u32 %p3, %r6, 100;\n"
			   "setp.lt.u32 %p0, %r6, 16;\n@%p0 bra P;\n"
			   "@%p3 bra J;\n"
			   "setp.lt.u32 %p1, %r6, 24;\n@%p1 bra P;\n"
			   "nanosleep.u32 100;\n@%p3 bra J;\n"
			   "P: redux.sync.add.u32 %r4, %r6, %r8;\n"
			   "J: st.global.u32 [%d4], %r4;\n",
		pairs);
}

/* The vote leaves its lanes where those read whom to wait for. */
static uint32_t odd_lanes_twice(uint32_t i)
{
	(void)i;
	return 0xaaaaaaaa;
}

Test(kernel_meet, a_vote_may_write_over_its_members)
{
	kernel_leaves("mov.u32 %r4, -1;\nsetp.eq.u32 %p1, %r0, %r0;\n" SIDES(
			      "vote.sync.ballot.b32 %r4, %p1, %r4;\n",
			      "vote.sync.ballot.b32 %r4, !%p1, %r4;\n"),
		odd_lanes_twice);
	kernel_leaves("mov.u32 %r7, -1;\n" LANE SIDES(
			      "redux.sync.add.u32 %r7, %r6, %r7;\n"
			      "mov.u32 %r4, %r7;\n",
			      "redux.sync.add.u32 %r7, %r6, %r7;\n"
			      "mov.u32 %r4, %r7;\n"),
		sum);
}

static uint32_t odd_lanes(uint32_t i)
{
	return i & 1 ? 0xaaaaaaaa : 0xaaaaaaaa + 1;
}

/* Each side brings its own predicate, one of them negated. */
Test(kernel_meet, both_sides_vote)
{
	kernel_leaves(SIDES("setp.eq.u32 %p1, %r0, %r0;\n"
			    "vote.sync.ballot.b32 %r4, %p1, -1;\n",
			      "setp.eq.u32 %p2, %r0, %r0;\n"
			      "vote.sync.ballot.b32 %r7, !%p2, -1;\n"
			      "add.u32 %r4, %r7, 1;\n"),
		odd_lanes);
}

static uint32_t all_agree(uint32_t i)
{
	(void)i;
	return 0xffffffff;
}

Test(kernel_meet, both_sides_match)
{
	kernel_leaves(SIDES("match.any.sync.b32 %r4, 7, -1;\n",
			      "mov.u32 %r7, 7;\n"
			      "match.any.sync.b32 %r4, %r7, -1;\n"),
		all_agree);
	kernel_leaves(SIDES("match.all.sync.b32 %r4|%p2, 7, -1;\n",
			      "match.all.sync.b32 %r4|%p1, 7, -1;\n"),
		all_agree);
}

static uint32_t first(uint32_t i)
{
	return (i & 31) == 0;
}

Test(kernel_meet, both_sides_elect)
{
	kernel_leaves("mov.u32 %r4, 0;\n" SIDES(
			      "elect.sync _|%p2, -1;\n@%p2 mov.u32 %r4, 1;\n",
			      "elect.sync %r7|%p1, -1;\n"
			      "@%p1 mov.u32 %r4, 1;\n"),
		first);
}

static uint32_t of_neighbour(uint32_t i)
{
	return i ^ 1;
}

/* What was stored before is there behind it. */
#define OWN_WORD                                                               \
	".shared .align 4 .b8 words[512];\nmov.u32 %r8, words;\n"              \
	"shl.b32 %r9, %r0, 2;\nadd.u32 %r9, %r8, %r9;\nxor.b32 %r10, %r9, "    \
	"4;\n"
#define WORDS(wait)                                                            \
	"st.shared.u32 [%r9], %r3;\n" wait "ld.shared.u32 %r4, [%r10];\n"

Test(kernel_meet, both_sides_wait_for_the_warp)
{
	kernel_leaves(OWN_WORD SIDES(WORDS("bar.warp.sync -1;\n"),
			      WORDS("mov.u32 %r11, -1;\n"
				    "bar.warp.sync %r11;\n")),
		of_neighbour);
}

Test(kernel_meet, both_sides_wait_for_the_block)
{
	kernel_leaves(OWN_WORD SIDES(WORDS("bar.sync 0;\n"),
			      WORDS("barrier.sync 0;\n")),
		of_neighbour);
}

/* Four sides, and a sum behind each of two branches. */
static uint32_t of_quarters(uint32_t i)
{
	return 496 + (i & 3);
}

Test(kernel_meet, sides_of_sides_meet)
{
	kernel_leaves(LANE
		"and.b32 %r7, %r6, 2;\nsetp.ne.u32 %p1, %r7, 0;\n"
		"and.b32 %r8, %r6, 1;\nsetp.ne.u32 %p2, %r8, 0;\n"
		"@%p1 bra A;\n@%p2 bra B;\n"
		"redux.sync.add.u32 %r4, %r6, -1;\nbra.uni M;\n"
		"B: redux.sync.add.u32 %r4, %r6, -1;\nadd.u32 %r4, %r4, 1;\n"
		"M: bra.uni J;\n"
		"A: @%p2 bra C;\nredux.sync.add.u32 %r4, %r6, -1;\n"
		"add.u32 %r4, %r4, 2;\nbra.uni J;\n"
		"C: redux.sync.add.u32 %r4, %r6, -1;\nadd.u32 %r4, %r4, 3;\n"
		"J:\n" STORE,
		of_quarters);
}

/* ---- groups of lanes ---- */

static uint32_t of_thirds(uint32_t i)
{
	uint32_t lane = i & 31, other, all = 0;

	for (other = lane % 3; other < 32; other += 3)
		all += other;
	return all;
}

/* Lanes at one instruction may name different lanes. */
Test(kernel_meet, groups_are_asked_one_by_one)
{
	kernel_leaves(LANE "rem.u32 %r7, %r6, 3;\n"
			   "match.any.sync.b32 %r8, %r7, -1;\n"
			   "redux.sync.add.u32 %r4, %r6, %r8;\n" STORE,
		of_thirds);
}

static uint32_t of_half(uint32_t i)
{
	return i & 16 ? 0xffff0000 : 0xffff;
}

Test(kernel_meet, votes_count_their_own_group)
{
	kernel_leaves("and.b32 %r5, %r0, 16;\nsetp.ne.u32 %p0, %r5, 0;\n"
		      "selp.b32 %r6, 0xffff0000, 0xffff, %p0;\n"
		      "setp.eq.u32 %p1, %r0, %r0;\n"
		      "vote.sync.ballot.b32 %r4, %p1, %r6;\n" STORE,
		of_half);
}

/* A side that names its own lanes waits for nobody. */
static uint32_t of_side(uint32_t i)
{
	return i & 1 ? 256 : 240;
}

Test(kernel_meet, sides_that_name_themselves_do_not_wait)
{
	kernel_leaves(LANE SIDES("redux.sync.add.u32 %r4, %r6, 0xaaaaaaaa;\n",
			      "redux.sync.add.u32 %r4, %r6, 0x55555555;\n"),
		of_side);
}

/* ---- guards and ends ---- */

Test(kernel_meet, a_guard_parts_lanes_as_a_branch_does)
{
	kernel_leaves(LANE PARITY
		"@%p0 redux.sync.add.u32 %r4, %r6, -1;\n"
		"@!%p0 redux.sync.add.u32 %r4, %r6, -1;\n" STORE,
		sum);
	kernel_leaves(OWN_WORD PARITY
		"st.shared.u32 [%r9], %r3;\n@%p0 bar.sync 0;\n"
		"@!%p0 bar.sync 0;\nld.shared.u32 %r4, [%r10];\n" STORE,
		of_neighbour);
}

static uint32_t below_20(uint32_t i)
{
	return (i & 31) < 20 ? 190 : 0;
}

/* Those that have ended are not waited for, however they did. */
Test(kernel_meet, lanes_that_have_ended_do_not_count)
{
	static const char *const ends[] = {"@%p0 bra E;\n", "@%p0 ret;\n",
		"@%p0 exit;\n", "@!%p0 bra S;\nret;\nS:\n"};
	char body[512];
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		strcpy(body, LANE "setp.ge.u32 %p0, %r6, 20;\n");
		strcat(body, ends[i]);
		strcat(body,
			"bar.sync 0;\nredux.sync.add.u32 %r4, %r6, -1;\n" STORE
			"E:\n");
		kernel_leaves(body, below_20);
	}
}

static uint32_t stored_or_summed(uint32_t i)
{
	return (i & 31) < 20 ? (i & 31) ^ 1 : 7;
}

Test(kernel_meet, lanes_may_store_and_end_before_a_barrier)
{
	kernel_leaves(OWN_WORD LANE
		"setp.lt.u32 %p0, %r6, 20;\n@%p0 bra S;\n"
		"mov.u32 %r4, 7;\n" STORE "ret;\n"
		"S: st.shared.u32 [%r9], %r6;\nbar.sync 0;\n"
		"ld.shared.u32 %r4, [%r10];\n" STORE,
		stored_or_summed);
}

Test(kernel_meet, a_trap_that_nobody_takes_is_nothing)
{
	kernel_leaves(OWN_WORD PARITY
		"@%p0 bra J;\nsetp.eq.u32 %p1, %r3, 9999;\n@!%p1 bra S;\n"
		"trap;\nS: mov.u32 %r11, 5;\nJ: st.shared.u32 [%r9], %r3;\n"
		"bar.sync 0;\nld.shared.u32 %r4, [%r10];\n" STORE,
		of_neighbour);
}

static double executed_with(const char *trap, const char *meet)
{
	const struct job_wishes wishes = {.max_cycles = 100000};
	char ptx[8192] = HEAD PARITY "@%p0 bra J;\n";
	double executed;
	struct ran r;
	int i;

	strcat(ptx, trap);
	strcat(ptx, "J: mov.u32 %r4, %r0;\n");
	strcat(ptx, meet);
	for (i = 0; i < 100; i++)
		strcat(ptx, "mul.lo.u32 %r4, %r4, %r0;\n");
	strcat(ptx, STORE TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=32", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	executed = kernel_counter(&r, "smsp__inst_executed.sum");
	kernel_end(&r);
	return executed;
}

#define UNTAKEN(end) "setp.eq.u32 %p1, %r3, 9999;\n@!%p1 bra J;\n" end ";\n"

/* What has met at a barrier goes on together. */
Test(kernel_meet, paths_that_meet_at_a_barrier_are_one)
{
	const double none = executed_with("mov.u32 %r6, 5;\n", "bar.sync 0;\n");
	const double ends = executed_with(UNTAKEN("ret"), "bar.sync 0;\n");

	cr_expect_lt(ends, none + 20, "%g, %g", ends, none);
}

/* They meet behind a trap; an exit is taken to be taken. */
Test(kernel_meet, a_trap_does_not_keep_paths_apart)
{
	const double none = executed_with("mov.u32 %r6, 5;\n", "");
	const double trap = executed_with(UNTAKEN("trap"), "");
	const double ends = executed_with(UNTAKEN("ret"), "");

	cr_expect_lt(trap, none + 20, "%g, %g", trap, none);
	cr_expect_gt(ends, none + 80, "%g, %g", ends, none);
}

/* Lanes 16 to 31 end when all others wait, of which 0 to 7 need wait no more:
   then 8 to 15 can meet them. */
static uint32_t of_those_left(uint32_t i)
{
	const uint32_t lane = i & 31;

	return lane < 8 ? 28 + 120 : lane < 16 ? 120 : 0;
}

Test(kernel_meet, ends_let_those_go_on_that_waited_before)
{
	kernel_leaves(LANE
		"mov.u32 %r4, 0;\nsetp.lt.u32 %p0, %r6, 16;\n"
		"setp.lt.u32 %p1, %r6, 8;\n@%p0 bra S;\nret;\n"
		"S: @%p1 bra A;\nredux.sync.add.u32 %r5, %r6, 0xffff;\n"
		"bra.uni J;\n"
		"A: redux.sync.add.u32 %r4, %r6, 0xffff00ff;\n"
		"redux.sync.add.u32 %r5, %r6, 0xffff;\n"
		"J: add.u32 %r4, %r4, %r5;\n" STORE,
		of_those_left);
}

/* Lanes 4n wait in a branch for odd ones; lanes 4n + 2 have gone around it, go
   on meanwhile, and do not go the same way once more. */
static uint32_t once(uint32_t i)
{
	return (i & 1 ? 0 : 1000) + ((i & 3) == 2 ? 0 : 368);
}

Test(kernel_meet, who_goes_on_is_not_waited_for_where_others_meet)
{
	kernel_leaves(LANE PARITY
		"and.b32 %r7, %r6, 3;\nsetp.eq.u32 %p1, %r7, 2;\n"
		"mov.u32 %r4, 0;\nmov.u32 %r8, 0;\n@%p0 bra B;\n"
		"redux.sync.add.u32 %r8, %r6, 0xbbbbbbbb;\nbra.uni J;\n"
		"B: @%p1 bra M;\nredux.sync.add.u32 %r8, %r6, 0xbbbbbbbb;\n"
		"M: add.u32 %r4, %r4, 1000;\nJ: add.u32 %r4, %r4, %r8;\n" STORE,
		once);
}

/* One lane waits in a loop for what another one does behind a sum. */
static uint32_t told(uint32_t i)
{
	return (i & 31) == 31 ? 99 : 465;
}

Test(kernel_meet, lanes_that_poll_let_others_meet)
{
	kernel_leaves(OWN_WORD LANE
		"mov.u32 %r11, 0;\nst.shared.u32 [%r9], %r11;\n"
		"bar.sync 0;\nand.b32 %r12, %r9, 0xffffff80;\n"
		"setp.eq.u32 %p0, %r6, 31;\n@%p0 bra P;\n"
		"redux.sync.add.u32 %r4, %r6, 0x7fffffff;\n"
		"mov.u32 %r11, 99;\nst.volatile.shared.u32 [%r12], %r11;\n"
		"bra.uni J;\n"
		"P: ld.volatile.shared.u32 %r4, [%r12];\n"
		"setp.eq.u32 %p1, %r4, 0;\n@%p1 bra P;\nJ:\n" STORE,
		told);
}

/* ---- what never meets ---- */

Test(kernel_meet, what_never_meets_is_said)
{
	kernel_fails(LANE SIDES("redux.sync.add.u32 %r4, %r6, -1;\n",
			     "shfl.sync.bfly.b32 %r4, %r6, 1, 31, -1;\n"),
		"m.ptx:26: threads of a warp wait for each other and never "
		"meet: 16 at m.ptx:26 (redux), 16 at m.ptx:28 (shfl)");
	kernel_fails(LANE SIDES("redux.sync.add.u32 %r4, %r6, -1;\n",
			     "redux.sync.min.u32 %r4, %r6, -1;\n"),
		"m.ptx:26: threads of a warp wait for each other and never "
		"meet: 16 at m.ptx:26 (redux), 16 at m.ptx:28 (redux)");
	kernel_fails(LANE SIDES("shfl.sync.up.b32 %r4, %r6, 1, 0, -1;\n",
			     "shfl.sync.down.b32 %r4, %r6, 1, 31, -1;\n"),
		"m.ptx:26: threads of a warp wait for each other and never "
		"meet: 16 at m.ptx:26 (shfl), 16 at m.ptx:28 (shfl)");
	kernel_fails(LANE SIDES("redux.sync.add.u32 %r4, %r6, -1;\n",
			     "redux.sync.add.u32 %r4, %r6, 0xfffffffe;\n"),
		"m.ptx:26: threads of a warp wait for each other and never "
		"meet: 16 at m.ptx:26 (redux), 16 at m.ptx:28 (redux)");
	kernel_fails(SIDES("bar.sync 0;\n", "bar.sync 1;\n"),
		"m.ptx:25: threads of a warp wait for each other and never "
		"meet: 16 at m.ptx:25 (bar), 16 at m.ptx:27 (bar)");
}
