/* What the model does for the assembler changes no word of memory: each kernel
   leaves what it leaves as it is written, though one thing in it must keep a
   pass from it. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_kept, .timeout = 120);

#define BYTES 4096

static void run(struct ran *r, const char *ptx, bool as_written)
{
	const struct job_wishes wishes = {.contents = true,
		.max_cycles = 20000000,
		.as_written = as_written};

	kernel_run(NULL, r, ptx, BUFFERS, "grid=8 block=128", &wishes);
	cr_assert_eq(r->code, 0, "%s:\n%s", r->error.text, ptx);
}

static void keeps_text(const char *ptx)
{
	struct ran made, written;
	int i;

	run(&made, ptx, false);
	run(&written, ptx, true);
	for (i = 0; i < 2; i++)
		cr_expect_eq(memcmp(made.result.contents[i],
				     written.result.contents[i], BYTES),
			0, "buffer %d:\n%s", i, ptx);
	kernel_end(&made);
	kernel_end(&written);
}

static void keep(const char *const *bodies, size_t count)
{
	char ptx[4096];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, bodies[i],
			"st.global.u32 [%d4], %r4;\n" TAIL);
		keeps_text(ptx);
	}
}

#define COUNT(bodies) (sizeof(bodies) / sizeof(*(bodies)))
#define BEGIN         "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
#define AGAIN         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, %r6;\n@%p0 bra L;\n"
/* Rounds in which lanes say who is there. */
#define ASK BEGIN "L: activemask.b32 %r7;\nmad.lo.u32 %r4, %r4, 3, %r7;\n" AGAIN

Test(kernel_kept, loops_of_all_kinds)
{
	static const char *const bodies[] = {
		/* an address that is counted twice a round */
		BEGIN
		"mov.u64 %d5, %d0;\nmov.u32 %r6, 11;\n"
		"L: ld.global.u32 %r7, [%d5];\n"
		"mad.lo.u32 %r4, %r4, 3, %r7;\nadd.s64 %d5, %d5, 4;\n"
		"ld.global.u32 %r8, [%d5+4];\n"
		"mad.lo.u32 %r4, %r4, 5, %r8;\nadd.s64 %d5, %d5, 8;\n" AGAIN,
		/* one that begins again each round */
		BEGIN
		"mov.u32 %r6, 11;\n"
		"L: mov.u64 %d5, %d3;\nld.global.u32 %r7, [%d5];\n"
		"mad.lo.u32 %r4, %r4, 3, %r7;\nadd.s64 %d5, %d5, 4;\n" AGAIN,
		/* a counter that is counted twice */
		BEGIN "and.b32 %r6, %r3, 15;\n"
		      "L: add.u32 %r4, %r4, 1;\nadd.u32 %r5, %r5, 1;\n" AGAIN,
		/* a comparison that not every round makes */
		BEGIN "and.b32 %r6, %r3, 15;\nsetp.eq.u32 %p0, %r4, %r4;\n"
		      "L: add.u32 %r4, %r4, 1;\nadd.u32 %r5, %r5, 1;\n"
		      "and.b32 %r7, %r5, 1;\nsetp.ne.u32 %p2, %r7, 0;\n"
		      "@%p2 setp.lt.u32 %p0, %r5, %r6;\n@%p0 bra L;\n",
		/* a branch back where the comparison does not hold */
		BEGIN "mov.u32 %r6, 0xf0000000;\n"
		      "L: add.u32 %r4, %r4, 1;\nadd.u32 %r5, %r5, 0x10000000;\n"
		      "setp.lt.u32 %p0, %r5, %r6;\n@!%p0 bra L;\n",
		/* lanes that leave, and others that see it */
		"mov.u32 %r6, %laneid;\n" ASK,
		"atom.global.add.u32 %r6, [%d3], 0;\nand.b32 %r6, %r6, "
		"15;\n" ASK,
		"mov.u32 %r6, 5;\nand.b32 %r7, %r0, 1;\n"
		"setp.eq.u32 %p1, %r7, 0;\n@%p1 bra M;\nmembar.cta;\n"
		"mov.u32 %r6, 9;\nM:\n" ASK,
	};

	keep(bodies, COUNT(bodies));
}

#define SIDES "and.b32 %r7, %r0, 1;\nsetp.eq.u32 %p1, %r7, 0;\n"

Test(kernel_kept, sides_of_branches)
{
	static const char *const bodies[] = {
		/* a register of one side, which the other side reads, too */
		SIDES "mov.u32 %r8, %r3;\n@%p1 bra M;\nmov.u32 %r8, 5;\n"
		      "add.u32 %r4, %r8, 1;\nbra E;\n"
		      "M: add.u32 %r4, %r8, 7;\nE:\n",
		/* a carry from before, that one side leaves alone */
		SIDES "add.cc.u32 %r8, %r3, -1;\nmov.u32 %r9, -1;\n"
		      "@%p1 bra M;\nadd.cc.u32 %r10, %r9, %r9;\nM:\n"
		      "addc.u32 %r4, %r3, 0;\n",
	};

	keep(bodies, COUNT(bodies));
	/* registers of a function that is called there */
	keeps_text(".version 8.6\n.target sm_90\n.address_size 64\n"
		   ".func (.param .b32 o) f(.param .b32 i)\n{\n"
		   ".reg .b32 %q<9>;\n.reg .pred %z<9>;\n"
		   "ld.param.u32 %q1, [i];\nmul.lo.u32 %q2, %q1, 3;\n"
		   "st.param.b32 [o], %q2;\nret;\n}\n"
		   ".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		   ".reg .b32 %r<9>;\n.reg .pred %p<9>;\n.reg .b64 %d<9>;\n"
		   "ld.param.u64 %d1, [p_b];\nmov.u32 %r0, %tid.x;\n"
		   "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d4, %d1, %d2;\n"
		   "and.b32 %r7, %r0, 1;\nsetp.eq.u32 %p8, %r7, 0;\n"
		   "mov.u32 %r4, %r0;\n@%p8 bra L;\n"
		   "{ .param .b32 x; .param .b32 y;\n"
		   "st.param.b32 [x], %r4;\ncall (y), f, (x);\n"
		   "ld.param.b32 %r4, [y]; }\nL:\n"
		   "st.global.u32 [%d4], %r4;\nret;\n}\n");
}

/* %r8 is the place of a thread's 16 bytes, %r9 that of a thread of another
   warp's. */
#define PLACES                                                                 \
	".shared .align 16 .b8 t[2048];\nmov.u32 %r8, t;\n"                    \
	"shl.b32 %r10, %r0, 4;\nadd.u32 %r9, %r8, %r10;\n"                     \
	"xor.b32 %r10, %r10, 1024;\nadd.u32 %r8, %r8, %r10;\n"                 \
	"st.shared.v4.u32 [%r8], {%r3, %r0, %r1, %r2};\nbar.sync 0;\n"

Test(kernel_kept, loads_and_what_is_stored_before)
{
	static const char *const bodies[] = {
		/* a generic load behind a store to either memory */
		".shared .align 16 .b8 s[4];\nld.global.u32 %r5, [%d3];\n"
		"mul.lo.u32 %r5, %r5, 7;\nst.global.u32 [%d4], %r5;\n"
		"st.shared.u32 [s], %r0;\nld.u32 %r6, [%d4];\n"
		"mul.lo.u32 %r4, %r6, 5;\n",
		/* neighbours, and between them the address that they have, */
		PLACES "ld.shared.u32 %r5, [%r8];\nxor.b32 %r8, %r8, 16;\n"
		       "ld.shared.u32 %r6, [%r8+4];\n"
		       "mad.lo.u32 %r4, %r5, 3, %r6;\n",
		/* the register that one of them loads into, */
		PLACES "mov.u32 %r6, 7;\nld.shared.u32 %r5, [%r8];\n"
		       "add.u32 %r7, %r6, %r5;\nld.shared.u32 %r6, [%r8+4];\n"
		       "mad.lo.u32 %r4, %r7, 3, %r6;\n",
		PLACES "ld.shared.u32 %r5, [%r8];\nadd.u32 %r6, %r5, 1;\n"
		       "ld.shared.u32 %r6, [%r8+4];\n"
		       "mad.lo.u32 %r4, %r5, 3, %r6;\n",
		/* a store by a generic address, */
		PLACES "cvt.u64.u32 %d5, %r8;\ncvta.shared.u64 %d5, %d5;\n"
		       "ld.shared.u32 %r5, [%r8];\nst.u32 [%d5+4], %r5;\n"
		       "ld.shared.u32 %r6, [%r8+4];\n"
		       "mad.lo.u32 %r4, %r5, 3, %r6;\n",
		/* and a barrier */
		PLACES "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r0, 64;\n"
		       "@%p1 bra N;\n.pragma \"nounroll\";\n"
		       "K: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 99;\n"
		       "@%p2 bra K;\nN:\n"
		       "st.shared.u32 [%r8+4], 9;\nld.shared.u32 %r5, [%r9];\n"
		       "bar.sync 0;\nld.shared.u32 %r6, [%r9+4];\n"
		       "mad.lo.u32 %r4, %r5, 3, %r6;\n",
		/* a parameter by an address that changes before an exit */
		"mov.b64 %d5, p_b;\nld.param.u64 %d6, [%d5];\n"
		"mov.b64 %d5, p_a;\nsetp.ge.u32 %p1, %r3, 1000;\n"
		"@%p1 exit;\nadd.u64 %d4, %d6, %d2;\nmov.u32 %r4, %r3;\n",
	};

	keep(bodies, COUNT(bodies));
}
