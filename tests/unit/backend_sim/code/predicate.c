/* Which branches the assembler makes predicates of. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_predicate, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a, .param .u32 p_n)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n"            \
	".reg .f32 %f<128>;\n.shared .align 16 .b8 tile[4096];\n"              \
	"ld.param.u64 %d0, [p_a];\nld.param.u32 %r9, [p_n];\n"                 \
	"cvta.to.global.u64 %d1, %d0;\nmov.u32 %r0, %tid.x;\n"                 \
	"mov.u32 %r1, tile;\nmov.u32 %r2, 0;\nld.global.f32 %f1, [%d1];\n"     \
	"ld.global.f32 %f2, [%d1+64];\nsetp.gt.u32 %p1, %r0, %r9;\n"
#define TAIL                                                                   \
	"st.global.f32 [%d1], %f1;\nst.global.f32 [%d1+4], %f2;\n"             \
	"st.global.u32 [%d1+8], %r2;\nret;\n}\n"

#define FMA     "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
#define FMA_4   FMA FMA FMA FMA
#define LOAD    "ld.global.f32 %f2, [%d1+128];\n"
#define SHARED  "ld.shared.f32 %f2, [%r1+128];\n"
#define ADDRESS "mul.wide.u32 %d3, %r0, 4;\nadd.s64 %d4, %d1, %d3;\n"

static uint32_t branches(const char *body, uint32_t *guarded)
{
	struct made_code m;
	uint32_t found = 0, i;

	code_of(&m, HEAD, TAIL, body);
	for (i = 0, *guarded = 0; i < m.code.count; i++) {
		const struct code_insn *c = &m.code.insns[i];

		found += c->kind == CODE_BRANCH;
		*guarded += c->kind != CODE_BRANCH && c->guarded;
	}
	code_end(&m);
	return found;
}

static void leaves(uint32_t expected, const char *body)
{
	uint32_t guarded;

	cr_expect_eq(branches(body, &guarded), expected, "%s", body);
}

static void around(uint32_t expected, const char *inside)
{
	char body[8192];

	snprintf(body, sizeof(body), "@%%p1 bra L;\n%sL:\n", inside);
	leaves(expected, body);
}

/* Counts from ptxas 13.0. */
Test(code_predicate, up_to_a_number)
{
	around(0, FMA);
	around(0, FMA_4 FMA_4);
	around(1, FMA_4 FMA_4 FMA);
	around(0, "add.s64 %d1, %d1, %d0;\nadd.s64 %d1, %d1, %d0;\n"
		  "add.s64 %d1, %d1, %d0;\nadd.s64 %d1, %d1, %d0;\n");
	around(1, "add.s64 %d1, %d1, %d0;\nadd.s64 %d1, %d1, %d0;\n"
		  "add.s64 %d1, %d1, %d0;\nadd.s64 %d1, %d1, %d0;\n" FMA);
	around(0, ADDRESS "st.global.f32 [%d4], %f1;\n" FMA_4 FMA FMA);
	around(0, SHARED FMA_4 FMA FMA FMA);
	around(1, SHARED FMA_4 FMA_4);
	around(0, LOAD FMA_4 FMA_4 FMA_4 FMA_4 FMA FMA FMA);
	around(1, LOAD FMA_4 FMA_4 FMA_4 FMA_4 FMA_4);
}

Test(code_predicate, by_what_stands_there)
{
	around(0, "st.shared.f32 [%r1], %f1;\n");
	around(1, "red.global.add.u32 [%d1], %r0;\n");
	around(1, "atom.global.add.f32 %f1, [%d1], %f2;\n");
	around(1, "membar.gl;\n");
	around(1, "mov.u32 %r2, %clock;\n");
	around(1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];\n");
	around(1, "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;\n");
	around(1, "div.rn.f32 %f1, %f1, %f2;\n");
	around(1, "div.u64 %d1, %d1, %d0;\n");
	around(1, "@%p2 add.f32 %f1, %f1, %f2;\n");
	around(2, "setp.gt.u32 %p2, %r0, 5;\n@%p2 bra M;\nM:\n" FMA);
	around(1, "setp.gt.u32 %p1, %r0, 5;\n");
}

Test(code_predicate, by_how_the_branch_goes)
{
	leaves(0, "@!%p1 bra L;\n" FMA "L:\n");
	leaves(0, "@%p1 bra M;\n" FMA_4 FMA FMA FMA "bra L;\nM:\n" FMA_4 FMA_4
		  "L:\n");
	leaves(2, "@%p1 bra M;\n" FMA_4 FMA_4 "bra L;\nM:\n" FMA "L:\n");
	leaves(2, "@%p1 bra M;\n" FMA "bra L;\nM:\n" FMA_4 FMA_4 FMA "L:\n");
	/* another way in; the way to the end is an exit */
	leaves(2, "@%p1 bra L;\n" FMA "M:\n" FMA "L:\n@%p2 bra M;\n");
	leaves(1, "@%p1 bra L;\nst.global.f32 [%d1], %f1;\nL:\nret;\n");
	/* the outer one of two stays */
	leaves(1, "@%p1 bra L;\nsetp.gt.f32 %p2, %f1, %f2;\n@%p2 bra M;\n" FMA
		  "M:\n" FMA "L:\n");
}

#define LOOP  ".pragma \"nounroll\";\nadd.u32 %r2, %r2, 1;\n"
#define AGAIN "setp.lt.u32 %p5, %r2, %r9;\n@%p5 bra K;\n"

/* A loop would wait for the load of the round before. */
Test(code_predicate, a_loop_keeps_a_branch_around_what_it_carries)
{
	leaves(1, "K:\n" LOOP "@%p1 bra L;\n" FMA "L:\n" AGAIN);
	leaves(2, "K:\n" LOOP "@%p1 bra L;\n" LOAD "L:\n" AGAIN);
	leaves(2, "K:\n" LOOP "@%p1 bra L;\nld.global.f32 %f5, [%d1];\n"
		  "add.f32 %f2, %f2, %f5;\nL:\n" AGAIN);
	leaves(1, "K:\n" LOOP "mov.f32 %f2, 0f00000000;\n@%p1 bra L;\n" LOAD
		  "L:\nst.shared.f32 [%r1], %f2;\n" AGAIN);
}

/* What is used there alone is made on both ways. */
Test(code_predicate, what_stays_inside_has_no_predicate)
{
	uint32_t guarded;

	cr_expect_eq(
		branches("@%p1 bra L;\n" ADDRESS
			 "mov.u32 %r20, 5;\nst.global.u32 [%d4], %r20;\nL:\n",
			&guarded),
		0);
	cr_expect_eq(guarded, 1);
	cr_expect_eq(
		branches("@%p1 bra L;\nmov.u32 %r2, 5;\n" FMA "L:\n", &guarded),
		0);
	cr_expect_eq(guarded, 2);
	/* what takes a load that has one has one, too */
	cr_expect_eq(
		branches("@%p1 bra L;\nld.global.u32 %r20, [%d1];\n"
			 "add.u32 %r21, %r20, %r0;\nxor.b32 %r22, %r0, 5;\n"
			 "st.global.u32 [%d1+4], %r21;\n"
			 "st.global.u32 [%d1+8], %r22;\nL:\n",
			&guarded),
		0);
	cr_expect_eq(guarded, 4);
}
