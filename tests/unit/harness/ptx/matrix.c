/* Matrix instructions as ptxas 13.0 takes and refuses them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/ptx/ptx.h"

#define REGISTERS                                                              \
	".shared .align 16 .b8 m[64];\n.entry k(){\n"                          \
	".reg .b32 r<24>; .reg .f32 f<24>; .reg .f64 e<24>; .reg .b64 q<4>; "  \
	".reg .b16 h<4>; .reg .f16x2 x<4>; .reg .pred p;\n"

static int read(const char *target, const char *insn, struct ptx_module *m,
	struct error *error)
{
	char text[2048];

	snprintf(text, sizeof(text),
		".version 8.8\n.target %s\n.address_size 64\n" REGISTERS
		"%s\nret;\n}\n",
		target, insn);
	return ptx_parse("m.ptx", text, strlen(text), m, error);
}

static void takes(const char *target, const char *insn)
{
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(
		read(target, insn, &m, &error), 0, "%s: %s", insn, error.text);
	cr_expect_null(m.functions[0].unmodelled, "%s", insn);
	ptx_free(&m);
}

static void refuses(const char *target, const char *insn, const char *sentence)
{
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(read(target, insn, &m, &error), ERR_USAGE, "'%s' is read",
		insn);
	cr_expect_str_eq(error.text, sentence);
}

/* It is PTX, and the model has it not. */
static void lacks(const char *target, const char *insn, const char *sentence)
{
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(read(target, insn, &m, &error), 0, "%s", error.text);
	cr_assert_not_null(m.functions[0].unmodelled, "%s", insn);
	cr_expect_str_eq(m.functions[0].unmodelled, sentence);
	ptx_free(&m);
}

#define F4 "{f0,f1,f2,f3}"
#define R4 "{r0,r1,r2,r3}"

Test(ptx_matrix, products_are_taken)
{
	takes("sm_90", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " F4
		       "," R4 ",{r4,r5}," F4 ";");
	takes("sm_90", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		       "{_,f1,f2,f3},{x0,r1,r2,0},{r4,r5}," F4 ";");
	takes("sm_90", "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 "
		       "{f0,f1,f2,f3,f4,f5,f6,f7},{r0,r1},{r2,r3}," R4 ";");
	takes("sm_90", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rn "
		       "{e0,e1,e2,e3},{e0,e1,e2,e3},{e4,e5},{e0,e1,e2,e3};");
	takes("sm_90", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8."
		       "s32 " R4 "," R4 ",{r4,r5}," R4 ";");
	takes("sm_90", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 "
		       "{r0,r1}," R4 ",{r4,r5},{r0,r1};");
	takes("sm_90", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
		       "{f0,f1,f2,f3,f4,f5,f6,f7},{r0,r1,r2,r3,r4,r5,r6,r7},"
		       "{r0,r1,r2,r3,r4,r5,r6,r7},{f0,f1,f2,f3,f4,f5,f6,f7};");
	takes("sm_90a",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " F4
		", q0, q1, p, 1, -1, 0, 1;");
	takes("sm_90a", "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8." /**/
			"satfinite " R4 ", {r4,r5,r6,r7}, q1, 1;");
}

Test(ptx_matrix, products_are_refused)
{
	refuses("sm_90",
		"mma.sync.m16n8k16.row.col.f32.f16.f16.f32 " F4 "," R4
		",{r4,r5}," F4 ";",
		"m.ptx:7:1: expected .aligned in "
		"'mma.sync.m16n8k16.row.col.f32.f16.f16.f32'");
	refuses("sm_90",
		"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 " F4 "," R4
		",{r4,r5}," F4 ";",
		"m.ptx:7:1: 'mma.sync.aligned.m16n8k16.row.row.f32.f16.f16."
		"f32' is not a form of 'mma' that PTX has");
	refuses("sm_90",
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {r0,r1}," R4
		",{r4,r5}," F4 ";",
		"m.ptx:7:1: 'mma.sync.aligned.m16n8k16.row.col.f16.f16.f16."
		"f32' is not a form of 'mma' that PTX has");
	refuses("sm_90",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4
		",{r0,r1,r2},{r4,r5}," F4 ";",
		"m.ptx:7:1: expected a vector of 4 registers as operand 2 of "
		"'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32'");
	refuses("sm_90",
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " F4
		",{r0,r1},r4," F4 ";",
		"m.ptx:7:1: expected a vector of 1 register as operand 3 of "
		"'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32'");
	refuses("sm_90",
		"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " F4
		",{x0,x1,x2,x3},{r4,r5}," F4 ";",
		"m.ptx:7:1: expected registers of .b32 in operand 2 of "
		"'mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32'");
	refuses("sm_75",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4 "," R4
		",{r4,r5}," F4 ";",
		"m.ptx:7:1: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16."
		"f32' needs .target sm_80, the module has sm_75");
	lacks("sm_90",
		"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 "
		"{r0,r1},{r0},{r4},{r0,r1};",
		"m.ptx:7:1: '.s4' of 'mma.sync.aligned.m8n8k32.row.col.s32.s4."
		"u4.s32' is not modelled");
	lacks("sm_90",
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4
		",{r0,r1},{r0,r1}," F4 ", r5, 0;",
		"m.ptx:7:1: 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16."
		"f32': sparse matrices are not modelled");
}

#define WGMMA "wgmma.mma_async.sync.aligned."

Test(ptx_matrix, products_of_warpgroups_are_refused)
{
	refuses("sm_90", WGMMA "m64n8k16.f32.f16.f16 " F4 ",q0,q1,p,1,1,0,0;",
		"m.ptx:7:1: '" WGMMA
		"m64n8k16.f32.f16.f16' needs .target sm_90a, the module has "
		"sm_90");
	refuses("sm_90a", WGMMA "m64n8k16.f32.f16.f16 " F4 ",q0,q1,p,1,2,0,0;",
		"m.ptx:7:1: expected 1 or -1 as operand 6 of '" WGMMA
		"m64n8k16.f32.f16.f16'");
	refuses("sm_90a", WGMMA "m64n8k16.f32.f16.f16 " F4 ",q0,q1,p,1,1,0,3;",
		"m.ptx:7:1: expected 0 or 1 as operand 8 of '" WGMMA
		"m64n8k16.f32.f16.f16'");
	refuses("sm_90a", WGMMA "m64n8k16.f32.f16.f16 " F4 ",q0,q1,p,1,1;",
		"m.ptx:7:1: expected 8 operands of '" WGMMA
		"m64n8k16.f32.f16.f16', not 6");
	refuses("sm_90a", WGMMA "m64n8k8.f32.tf32.tf32 " F4 ",q0,q1,p,1,1,0,0;",
		"m.ptx:7:1: expected 6 operands of '" WGMMA
		"m64n8k8.f32.tf32.tf32', not 8");
	refuses("sm_90a", WGMMA "m64n8k16.f32.f16.f16 " F4 ",r0,q1,p,1,1,0,0;",
		"m.ptx:7:1: expected a descriptor of 64 bits as operand 2 of "
		"'" WGMMA "m64n8k16.f32.f16.f16'");
	refuses("sm_90a", WGMMA "m64n40k32.s32.s8.s8 " R4 ",q0,q1,p;",
		"m.ptx:7:1: '" WGMMA
		"m64n40k32.s32.s8.s8' is not a form of 'wgmma.mma_async' that "
		"PTX has");
	refuses("sm_90a", WGMMA "m64n16k16.f32.f16.f16 " F4 ",q0,q1,p,1,1,0,0;",
		"m.ptx:7:1: expected a vector of 8 registers as operand 1 of "
		"'" WGMMA "m64n16k16.f32.f16.f16'");
	refuses("sm_90a", "wgmma.wait_group.sync.aligned r1;",
		"m.ptx:7:1: expected a whole number, 0 or greater, as operand "
		"1 of "
		"'wgmma.wait_group.sync.aligned'");
	lacks("sm_90a",
		"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " F4
		",q0,q1,r0,0,p,1,1,0,0;",
		"m.ptx:7:1: 'wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16."
		"f16': sparse matrices are not modelled");
}

Test(ptx_matrix, moves_are_taken_and_refused)
{
	takes("sm_90", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " R4
		       ", [r4+16];");
	takes("sm_90", "ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {r0}, "
		       "[m+16];");
	takes("sm_90", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [r4], "
		       "{r0,r1};");
	takes("sm_90", "movmatrix.sync.aligned.m8n8.trans.b16 r0, r1;");
	refuses("sm_90", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0}, [r4];",
		"m.ptx:7:1: expected a vector of 2 registers as operand 1 of "
		"'ldmatrix.sync.aligned.m8n8.x2.shared.b16'");
	refuses("sm_90", "ldmatrix.sync.aligned.m8n8.shared.b16 {r0}, [r4];",
		"m.ptx:7:1: expected one of .x1|x2|x4 in "
		"'ldmatrix.sync.aligned.m8n8.shared.b16'");
	refuses("sm_90", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [16];",
		"m.ptx:7:1: expected a register or a variable in the address "
		"of 'ldmatrix.sync.aligned.m8n8.x1.shared.b16'");
	refuses("sm_90",
		"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r0,r1}, "
		"[r4];",
		"m.ptx:7:1: 'ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8' "
		"needs .target sm_100, the module has sm_90");
	refuses("sm_90", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [r4], {0};",
		"m.ptx:7:1: expected registers of 32 bits in operand 2 of "
		"'stmatrix.sync.aligned.m8n8.x1.shared.b16'");
	refuses("sm_90", "movmatrix.sync.aligned.m8n8.b16 r0, r1;",
		"m.ptx:7:1: expected .trans in "
		"'movmatrix.sync.aligned.m8n8.b16'");
	refuses("sm_90", "movmatrix.sync.aligned.m8n8.trans.b16 r0, h1;",
		"m.ptx:7:1: expected a register of 32 bits as operand 2 of "
		"'movmatrix.sync.aligned.m8n8.trans.b16'");
	refuses("sm_90",
		"wmma.load.a.sync.aligned.row.m16n16k16.bf16 {r0,r1}, [q0];",
		"m.ptx:7:1: expected a vector of 4 registers as operand 1 of "
		"'wmma.load.a.sync.aligned.row.m16n16k16.bf16'");
	refuses("sm_90",
		"wmma.load.c.sync.aligned.row.m16n16k16.f32 "
		"{f0,f1,f2,f3,f4,f5,f6,f7}, [q0], q1;",
		"m.ptx:7:1: expected a whole number of 32 bits as operand 3 of "
		"'wmma.load.c.sync.aligned.row.m16n16k16.f32'");
}
