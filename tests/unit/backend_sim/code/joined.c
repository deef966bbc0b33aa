/* Logic of three operands. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_joined, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a)\n{\n"                              \
	".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n"            \
	"ld.param.u64 %d0, [p_a];\nmov.u32 %r0, %tid.x;\n"                     \
	"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0];\n"                      \
	"ld.global.v2.u64 {%d1, %d2}, [%d0+16];\n"
#define LINE 13 /* of the first line of the body */
#define TAIL "st.global.u32 [%d0], %r8;\nst.global.u64 [%d0+8], %d8;\nret;\n}\n"

/* A letter for each line of the body: its slots. */
static void takes(const char *body, const char *expected)
{
	code_takes(HEAD, TAIL, body, LINE, expected);
}

#define XOR(d, a, b) "xor.b32 %r" d ", %r" a ", %r" b ";\n"
#define AND(d, a, b) "and.b32 %r" d ", %r" a ", %r" b ";\n"

Test(code_joined, logic_has_three_operands)
{
	takes(XOR("5", "1", "2") AND("8", "5", "3"), "01");
	takes(XOR("5", "1", "2") XOR("6", "5", "3") XOR("8", "6", "4"), "011");
	takes(XOR("5", "1", "2") XOR("6", "3", "4") XOR("8", "5", "6"), "101");
	/* three values in all, however often */
	takes(XOR("5", "1", "2") AND("6", "1", "3") XOR("8", "5", "6"), "001");
	takes("not.b32 %r5, %r1;\n" AND("8", "5", "2"), "01");
}

Test(code_joined, what_others_read_stays)
{
	takes(XOR("5", "1", "2")
			AND("8", "5", "3") "st.global.u32 [%d0+64], %r5;\n",
		"111");
	takes(XOR("5", "1", "2") "mov.u32 %r1, %clock;\n" AND(
		      "8", "5", "3") "st.global.u32 [%d0+64], %r1;\n",
		"1111");
	takes(XOR("5", "1", "2") "@%p1 " AND("8", "5", "3"), "11");
}

Test(code_joined, a_register_that_its_own_logic_writes_over)
{
	takes("cvt.u64.u32 %d8, %r1;\nxor.b64 %d8, %d8, %d1;\n"
	      "and.b64 %d8, %d8, %d2;\n",
		"002");
}

Test(code_joined, halves_that_are_zero_cost_nothing)
{
	takes("xor.b64 %d8, %d1, %d2;\n", "2");
	takes("cvt.u64.u32 %d3, %r1;\nand.b64 %d8, %d3, %d2;\n", "01");
	takes("cvt.u64.u32 %d3, %r1;\nxor.b64 %d8, %d3, %d2;\n", "01");
	takes("mov.b64 %d4, 0;\nxor.b64 %d8, %d1, %d4;\n", "00");
}
