/* Which loops the assembler unrolls, and what it makes of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_unroll, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a, .param .u32 p_n)\n{\n"             \
	".reg .pred %p<4>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n"            \
	".reg .f32 %f<128>;\n.shared .align 16 .b8 tile[4096];\n"              \
	"ld.param.u64 %d0, [p_a];\nld.param.u32 %r9, [p_n];\n"                 \
	"cvta.to.global.u64 %d1, %d0;\nmov.u32 %r0, %tid.x;\n"                 \
	"mov.u32 %r1, tile;\nmov.u32 %r2, 0;\nmov.f32 %f1, 0f00000000;\n"
#define TAIL  "st.global.f32 [%d1], %f1;\nret;\n}\n"
#define COUNT "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\n"
#define LOAD                                                                   \
	"ld.global.nc.f32 %f2, [%d1+64];\nadd.s64 %d1, %d1, 4;\n"              \
	"add.f32 %f1, %f1, %f2;\n"

/* How often the code has `op` between the first and the last branch. */
static uint32_t count(const char *loop, enum ptx_op op)
{
	struct made_code m;
	uint32_t found = 0, i;

	code_of(&m, HEAD, TAIL, loop);
	for (i = 0; i < m.code.count; i++)
		found += m.code.insns[i].insn->op == op;
	code_end(&m);
	return found;
}

/* Four rounds, two, and the loop. */
#define UNROLLED 7u

static void is_unrolled(bool expected, const char *inside, const char *ending)
{
	char loop[8192];

	snprintf(loop, sizeof(loop), "L: %s%s", inside, ending);
	cr_assert_eq(count(loop, PTXO_COPYSIGN), expected ? UNROLLED : 1, "%s",
		loop);
}

/* A loop with `one`, `many` times, and a mark. */
static void is_unrolled_with(
	bool expected, const char *first, const char *one, int many)
{
	char inside[8192];
	size_t used = (size_t)snprintf(inside, sizeof(inside),
		"copysign.f32 %%f60, %%f1, %%f1;\n%s", first);

	while (many-- > 0)
		used += (size_t)snprintf(
			inside + used, sizeof(inside) - used, "%s", one);
	is_unrolled(expected, inside, COUNT);
}

#define FMA    "fma.rn.f32 %f1, %f1, %f3, %f4;\n"
#define SHARED "ld.shared.f32 %f5, [%r1+20];\nadd.f32 %f1, %f1, %f5;\n"

/* Counts from ptxas 13.0; the mark is one of the operations. */
Test(code_unroll, up_to_a_cost)
{
	is_unrolled_with(true, "", FMA, 17);
	is_unrolled_with(false, "", FMA, 18);
	is_unrolled_with(true, LOAD, FMA, 42);
	is_unrolled_with(false, LOAD, FMA, 43);
	is_unrolled_with(true, SHARED SHARED SHARED SHARED, FMA, 25);
	is_unrolled_with(false, SHARED SHARED SHARED SHARED, FMA, 28);
	is_unrolled_with(true, "", SHARED, 32);
	is_unrolled_with(false, "", SHARED, 33);
}

Test(code_unroll, by_what_stands_in_the_loop)
{
	static const struct {
		bool unrolled;
		const char *what;
	} ways[] = {
		{true, "bar.sync 0;\n"},
		{true, "ld.volatile.global.f32 %f5, [%d1];\n"},
		{true, "setp.gt.f32 %p2, %f2, %f1;\n@%p2 add.f32 %f1, %f1, "
		       "%f2;\n"},
		{true, "red.global.add.f32 [%d1], %f1;\n"},
		{true, "div.approx.f32 %f1, %f1, %f2;\n"},
		{false, "div.rn.f32 %f1, %f1, %f2;\n"},
		{false, "rem.u64 %d3, %d1, %d0;\n"},
		{false, "membar.gl;\n"},
		{false, "mov.u32 %r5, %clock;\n"},
		{false, ".pragma \"nounroll\";\nmov.u32 %r5, %r6;\n"},
		{true, ".pragma \"other\";\nmov.u32 %r5, %r6;\n"},
		{false, "@%p2 bra M;\nM:\n"},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		is_unrolled_with(ways[i].unrolled, LOAD, ways[i].what, 1);
	is_unrolled_with(true, LOAD, "red.global.add.u32 [%d1], %r0;\n", 3);
	is_unrolled_with(false, LOAD, "red.global.add.u32 [%d1], %r0;\n", 4);
}

#define STEP(step) "add.s32 %r2, %r2, " step ";\nsetp.lt.s32 %p1, %r2, %r9;\n"

Test(code_unroll, by_how_it_counts)
{
	static const struct {
		bool unrolled;
		const char *ending;
	} ways[] = {
		{true, "sub.s32 %r2, %r2, 4;\nsetp.ne.s32 %p1, %r2, 0;\n"
		       "@%p1 bra L;\n"},
		{true, "add.s64 %d4, %d4, 1;\nsetp.lt.u64 %p1, %d4, %d0;\n"
		       "@%p1 bra L;\n"},
		{false, "add.s32 %r2, %r2, %r9;\nsetp.lt.s32 %p1, %r2, %r9;\n"
			"@%p1 bra L;\n"},
		{false, "add.s32 %r2, %r2, 1;\nsetp.gt.s32 %p1, %r2, %r9;\n"
			"@%p1 bra L;\n"},
		{false, "setp.lt.s32 %p1, %r2, %r9;\nadd.s32 %r2, %r2, 1;\n"
			"@%p1 bra L;\n"},
		{false, "add.s32 %r2, %r2, 1;\nsetp.ge.s32 %p1, %r2, %r9;\n"
			"@!%p1 bra L;\n"},
		{false, "add.s32 %r2, %r2, 1;\nadd.s32 %r9, %r9, %r2;\n"
			"setp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\n"},
		{false, "add.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 2;\n"
			"@%p1 bra L;\n"},
		{false, "shl.b32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n"
			"@%p1 bra L;\n"},
		{false, "add.f32 %r2, %r2, 0f00000001;\n"
			"setp.lt.s32 %p1, %r2, %r9;\n@%p1 bra L;\n"},
		{false, "add.cc.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n"
			"@%p1 bra L;\n"},
		{false, "add.sat.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r9;\n"
			"@%p1 bra L;\n"},
		/* the body reads what the comparison writes */
		{false, STEP("1") "selp.u32 %r5, 10, 1, %p1;\n@%p1 bra L;\n"},
		{false, STEP("1") "@%p1 mov.u32 %r5, 1;\n@%p1 bra L;\n"},
		{false, STEP("1") "not.pred %p2, %p1;\n@%p1 bra L;\n"},
		{false, STEP("1") "vote.sync.ballot.b32 %r5, %p1, -1;\n"
				  "@%p1 bra L;\n"},
		/* and so does what stands behind */
		{false, STEP("1") "@%p1 bra L;\n@%p1 mov.u32 %r5, 1;\n"},
		/* three steps must be a number */
		{true, STEP("0x2aaaaaaa") "@%p1 bra L;\n"},
		{false, STEP("0x2aaaaaab") "@%p1 bra L;\n"},
		{false, STEP("0x60000000") "@%p1 bra L;\n"},
		{true, "add.s64 %d4, %d4, 0x60000000;\n"
		       "setp.lt.u64 %p1, %d4, %d0;\n@%p1 bra L;\n"},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		is_unrolled(ways[i].unrolled,
			"copysign.f32 %f60, %f1, %f1;\n" LOAD, ways[i].ending);
}

/* Lanes that make as many rounds as they like must not talk in them. */
Test(code_unroll, by_who_talks)
{
	static const char *const talk[] = {
		"shfl.sync.bfly.b32 %r5, %r0, 1, 31, -1;\n",
		"vote.sync.ballot.b32 %r5, %p2, -1;\n",
		"redux.sync.add.u32 %r5, %r0, -1;\n",
		"match.any.sync.b32 %r5, %r0, -1;\n", "activemask.b32 %r5;\n",
		"bar.warp.sync -1;\n", "bar.sync 0;\n"};
	static const struct {
		bool unrolled;
		const char *bound; /* into %r6 */
	} bounds[] = {
		{true, "mov.u32 %r6, %r9;\n"},
		{true, "mov.u32 %r6, %ntid.x;\n"},
		{true, "vote.sync.ballot.b32 %r6, %p2, -1;\n"},
		{true, "shfl.sync.idx.b32 %r6, %r0, 0, 31, -1;\n"},
		{true, "ld.global.u32 %r6, [%d1];\n"},
		{false, "mov.u32 %r6, %r0;\n"},
		{false, "shfl.sync.idx.b32 %r6, %r0, 0, 0x101f, -1;\n"},
		{false, "and.b32 %r5, %r0, 1;\n"
			"vote.sync.ballot.b32 %r6, %p2, %r5;\n"},
		{false, "atom.global.add.u32 %r6, [%d1], 1;\n"},
		{false, ".local .b8 own[4];\nld.local.u32 %r6, [own];\n"},
	};
	size_t i, k;

	for (k = 0; k < sizeof(bounds) / sizeof(*bounds); k++)
		for (i = 0; i < sizeof(talk) / sizeof(*talk); i++) {
			char loop[1024];

			snprintf(loop, sizeof(loop),
				"%sL: copysign.f32 %%f60, %%f1, %%f1;\n%s"
				"add.s32 %%r2, %%r2, 1;\n"
				"setp.lt.s32 %%p1, %%r2, %%r6;\n"
				"@%%p1 bra L;\n",
				bounds[k].bound, talk[i]);
			cr_assert_eq(count(loop, PTXO_COPYSIGN),
				bounds[k].unrolled ? UNROLLED : 1, "%s", loop);
		}
}

#define FAR(step)                                                              \
	"L: ld.global.f32 %f2, [%d1];\nadd.f32 %f1, %f1, %f2;\n"               \
	"add.s64 %d1, %d1, " step ";\n"

/* A register that only counts is counted once in four rounds, and in two. */
Test(code_unroll, what_only_counts_is_counted_once)
{
	/* the address and the counter three times; what a bound is made of */
	const uint32_t adds = 2 * 3 + UNROLLED + 1;

	cr_assert_eq(count("L: " LOAD COUNT, PTXO_ADD), adds);
	cr_assert_eq(
		count("L: " LOAD "cvt.u64.u32 %d5, %r2;\n" COUNT, PTXO_ADD),
		adds + UNROLLED - 3);
	/* further than an address has room for */
	cr_assert_eq(count(FAR("0x100004") COUNT, PTXO_ADD),
		count(FAR("0x100000") COUNT, PTXO_ADD) + UNROLLED - 3);
}

/* The four rounds' loads go ahead of the first use; all are of one line. */
Test(code_unroll, loads_of_rounds_go_ahead)
{
	struct made_code m;
	uint32_t loads = 0, most = 0, line = 0, i;
	uint64_t offset = 0;

	code_of(&m, HEAD, TAIL, "L: " LOAD COUNT);
	for (i = 0; i < m.code.count; i++) {
		const struct ptx_insn *insn = m.code.insns[i].insn;

		if (insn->op == PTXO_ADD && insn->type == PTX_f32)
			loads = 0;
		if (insn->op != PTXO_LD || insn->space != PTX_GLOBAL)
			continue;
		offset += m.code.insns[i].offset;
		most = ++loads > most ? loads : most;
		line = line ? line : insn->place.line;
		cr_assert_eq(insn->place.line, line);
	}
	cr_assert_eq(most, 4);
	cr_assert_eq(offset, 7 * 64 + (4 + 8 + 12) + 4);
	code_end(&m);
}

/* A loop that sums up `words` loads, the last one first: where each of its four
   rounds has its last load and its last sum. */
static void places_of_rounds(uint32_t words, uint32_t *load, uint32_t *sum)
{
	struct made_code m;
	char loop[4096] = "L: ";
	uint32_t loads = 0, sums = 0, i;
	size_t used = 3;

	for (i = 0; i < words; i++)
		used += (size_t)snprintf(loop + used, sizeof(loop) - used,
			"ld.global.nc.f32 %%f%u, [%%d1+%u];\n", 10 + i, 4 * i);
	for (i = words; i-- > 0;)
		used += (size_t)snprintf(loop + used, sizeof(loop) - used,
			"add.f32 %%f1, %%f1, %%f%u;\n", 10 + i);
	snprintf(loop + used, sizeof(loop) - used,
		"add.s64 %%d1, %%d1, 64;\n%s", COUNT);
	code_of(&m, HEAD, TAIL, loop);
	for (i = 0; i < m.code.count && sums < 4 * words; i++) {
		const struct ptx_insn *insn = m.code.insns[i].insn;

		if (insn->op == PTXO_LD && insn->space == PTX_GLOBAL)
			load[loads++ / words] = i;
		if (insn->op == PTXO_ADD && insn->type == PTX_f32)
			sum[sums++ / words] = i;
	}
	code_end(&m);
}

#define ROUNDS_SEEN 8

/* The first round is done before the third one takes the registers of what it
   has still to sum up. */
Test(code_unroll, a_round_goes_before_the_next_one)
{
	uint32_t load[ROUNDS_SEEN] = {0}, sum[ROUNDS_SEEN] = {0};

	places_of_rounds(8, load, sum);
	cr_expect_lt(sum[0], load[2], "%u, %u", sum[0], load[2]);
	cr_expect_lt(sum[0], sum[1]);
}

/* Of 28 registers the fourth round's five loads would have five, were not four
   kept for the first; with four loads a round there is room for all. */
Test(code_unroll, later_rounds_leave_registers_to_the_first)
{
	uint32_t load[ROUNDS_SEEN] = {0}, sum[ROUNDS_SEEN] = {0};

	places_of_rounds(5, load, sum);
	cr_expect_lt(load[2], sum[0]);
	cr_expect_gt(load[3], sum[0], "%u, %u", load[3], sum[0]);
	places_of_rounds(4, load, sum);
	cr_expect_lt(load[3], sum[0]);
}
