/* How many rounds of a loop are left: the tests of its copies. */
#include <stdlib.h>

#include "backend_sim/passes/unroll_parts.h"

/* How the counter and the bound are compared: with its direction. */
struct ptx_insn unroll_test(const struct unroll *u)
{
	struct ptx_insn test = *unroll_at(u, u->loop.test)->insn;
	const bool is_wide = ptx_types[test.type].bytes == 8;

	if (test.word[PTX_CLASS_COMPARE] != PTXW_COMPARE_ne)
		return test;
	test.type = is_wide ? PTX_s64 : PTX_s32;
	test.word[PTX_CLASS_COMPARE] =
		u->loop.step > 0 ? PTXW_COMPARE_lt : PTXW_COMPARE_gt;
	return test;
}

/* The bound that leaves so many rounds more, if it is a number. */
static uint64_t nearer(const struct unroll *u, uint64_t bound, uint32_t rounds)
{
	return bound - (uint64_t)(u->loop.step * (int64_t)rounds);
}

/* `if not (the test) go to ...`, which is aimed later. */
uint32_t unroll_unless(
	struct unroll *u, uint32_t instance, const struct ptx_insn *test)
{
	struct ptx_insn branch = *unroll_at(u, u->loop.end - 1)->insn;

	unroll_emit(u, unroll_at(u, u->loop.test), instance, test);
	branch.guard_negated = true;
	branch.word[PTX_CLASS_UNIFORM] = 0;
	return unroll_emit(u, unroll_at(u, u->loop.end - 1), instance, &branch);
}

/* The distance of the counter from the bound, into the instance's own
   register: no bound comes near the end of what its type holds so. */
static void emit_distance(struct unroll *u, uint32_t instance, uint32_t own)
{
	const struct ptx_insn *test = unroll_at(u, u->loop.test)->insn;
	struct ptx_insn sub = *unroll_at(u, u->loop.add)->insn;
	const bool up = u->loop.step > 0;

	sub.op = PTXO_SUB;
	sub.operands[0].index = own;
	sub.operands[1] = test->operands[up ? 2 : 1];
	sub.operands[2] = test->operands[up ? 1 : 2];
	unroll_emit(u, unroll_at(u, u->loop.test), instance, &sub);
}

/* `if not (so many more rounds are left) go to ...` */
uint32_t unroll_unless_left(
	struct unroll *u, uint32_t instance, uint32_t own, uint32_t rounds)
{
	struct ptx_insn test = unroll_test(u);
	const bool strict = test.word[PTX_CLASS_COMPARE] == PTXW_COMPARE_lt ||
			    test.word[PTX_CLASS_COMPARE] == PTXW_COMPARE_gt;

	if (test.operands[2].kind == PTX_NUMBER) {
		test.operands[2].bits =
			nearer(u, test.operands[2].bits, rounds);
		return unroll_unless(u, instance, &test);
	}
	emit_distance(u, instance, own);
	test.word[PTX_CLASS_COMPARE] =
		strict ? PTXW_COMPARE_gt : PTXW_COMPARE_ge;
	test.operands[1].index = own;
	test.operands[2] = (struct ptx_operand){.kind = PTX_NUMBER,
		.bits = (uint64_t)(llabs(u->loop.step) * rounds)};
	return unroll_unless(u, instance, &test);
}

/* The test that four rounds end with; before them the bound that it takes is
   put into the instance's own register, where it is none that is known. */
struct ptx_insn unroll_last_test(
	struct unroll *u, uint32_t instance, uint32_t own)
{
	struct ptx_insn test = unroll_test(u);
	struct ptx_insn add = *unroll_at(u, u->loop.add)->insn;

	if (test.operands[2].kind == PTX_NUMBER) {
		test.operands[2].bits =
			nearer(u, test.operands[2].bits, ROUNDS - 1);
		return test;
	}
	add.op = PTXO_ADD;
	add.operands[0].index = own;
	add.operands[1] = test.operands[2];
	add.operands[2] = (struct ptx_operand){
		.kind = PTX_NUMBER, .bits = nearer(u, 0, ROUNDS - 1)};
	unroll_emit(u, unroll_at(u, u->loop.add), instance, &add);
	test.operands[2].index = own;
	return test;
}
