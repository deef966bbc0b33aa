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

/* A letter for each line of the body: its slots. */
static void takes(const char *body, const char *expected)
{
	code_takes(HEAD, TAIL, body, LINE, expected);
}

#define ADD "add.u32 %r0, %r0, 4;\n"

Test(code_spare, additions_of_numbers_are_one)
{
	takes(ADD ADD ADD, "00+");
	takes(ADD "sub.u32 %r0, %r0, 1;\n" ADD, "00+");
	/* what somebody reads in between stays */
	takes(ADD "st.global.u32 [%d0+4], %r0;\n" ADD, "+++");
	takes(ADD "@%p1 add.u32 %r0, %r0, 4;\n" ADD, "+++");
	takes(ADD "add.u32 %r0, %r0, %r0;\n" ADD, "+++");
	/* so does what another block may read */
	takes(ADD "bra L;\nL:\n" ADD, "++");
}

Test(code_spare, results_that_nobody_reads)
{
	takes("mul.lo.u32 %r1, %r0, 3;\nadd.u32 %r2, %r1, 5;\n", "00");
	takes("mul.lo.u32 %r1, %r0, 3;\nadd.u32 %r1, %r0, 5;\n"
	      "st.global.u32 [%d0+4], %r1;\n",
		"0++");
	/* under a predicate the register may stay as it was */
	takes("mul.lo.u32 %r1, %r0, 3;\n@%p1 add.u32 %r1, %r0, 5;\n"
	      "st.global.u32 [%d0+4], %r1;\n",
		"+++");
	/* a load, an atomic, a clock and a vote are more than their results */
	takes("ld.global.u32 %r1, [%d0];\nmov.u32 %r2, %clock;\n"
	      "vote.sync.any.pred %p2, %p1, -1;\n",
		"+++");
}
