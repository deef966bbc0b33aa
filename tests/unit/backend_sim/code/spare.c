/* What the assembler leaves out. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_spare, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a)\n{\n"                              \
	".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n"            \
	"ld.param.u64 %d0, [p_a];\nmov.u32 %r0, %tid.x;\n"
#define LINE 11 /* of the first line of the body */
#define TAIL "st.global.u32 [%d0], %r0;\nret;\n}\n"

/* A letter for each line of the body: 's' for one that is left out. */
static void leaves(const char *body, const char *expected)
{
	struct made_code m;
	uint32_t i;

	code_of(&m, HEAD, TAIL, body);
	for (i = 0; expected[i]; i++) {
		const struct code_insn *c =
			&m.code.insns[code_place(&m, LINE + i)];

		cr_expect_eq(!c->slots, expected[i] == 's', "line %u of\n%s",
			i + 1, body);
	}
	code_end(&m);
}

#define ADD "add.u32 %r0, %r0, 4;\n"

Test(code_spare, additions_of_numbers_are_one)
{
	leaves(ADD ADD ADD, "ss+");
	leaves(ADD "sub.u32 %r0, %r0, 1;\n" ADD, "ss+");
	/* what somebody reads in between stays */
	leaves(ADD "st.global.u32 [%d0+4], %r0;\n" ADD, "+++");
	leaves(ADD "@%p1 add.u32 %r0, %r0, 4;\n" ADD, "+++");
	leaves(ADD "add.u32 %r0, %r0, %r0;\n" ADD, "+++");
	/* so does what another block may read */
	leaves(ADD "bra L;\nL:\n" ADD, "++");
}

Test(code_spare, results_that_nobody_reads)
{
	leaves("mul.lo.u32 %r1, %r0, 3;\nadd.u32 %r2, %r1, 5;\n", "ss");
	leaves("mul.lo.u32 %r1, %r0, 3;\nadd.u32 %r1, %r0, 5;\n"
	       "st.global.u32 [%d0+4], %r1;\n",
		"s++");
	/* under a predicate the register may stay as it was */
	leaves("mul.lo.u32 %r1, %r0, 3;\n@%p1 add.u32 %r1, %r0, 5;\n"
	       "st.global.u32 [%d0+4], %r1;\n",
		"+++");
	/* a load, an atomic, a clock and a vote are more than their results */
	leaves("ld.global.u32 %r1, [%d0];\nmov.u32 %r2, %clock;\n"
	       "vote.sync.any.pred %p2, %p1, -1;\n",
		"+++");
}
