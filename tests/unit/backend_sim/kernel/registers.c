/* setmaxnreg: which warps have to wait for registers, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

/* A kernel of three warps; %p0 is true in the first one, %r1 is the thread. The
   word that each thread leaves in b is 7. */
static void run(struct ran *r, const char *head, const char *body)
{
	static const struct job_wishes wishes = {
		.contents = true, .max_cycles = 200000};
	char ptx[2048];

	snprintf(ptx, sizeof(ptx),
		".version 8.6\n.target sm_90a\n.address_size 64\n"
		".visible .entry k(.param .u64 p_a, .param .u64 p_b) %s {\n"
		".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n"
		"ld.param.u64 %%d1, [p_b];\ncvta.to.global.u64 %%d1, %%d1;\n"
		"mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d2, %%r1, 4;\n"
		"add.s64 %%d1, %%d1, %%d2;\nsetp.lt.u32 %%p0, %%r1, 32;\n"
		"%s\nst.global.u32 [%%d1], 7;\nret;\n}\n",
		head, body);
	kernel_run(NULL, r, ptx, BUFFERS, "grid=1 block=96", &wishes);
}

static void runs(const char *head, const char *body)
{
	const uint32_t *b;
	struct ran r;
	int i;

	run(&r, head, body);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 96; i++)
		cr_assert_eq(b[i], 7, "thread %d", i);
	kernel_end(&r);
}

static void fails(const char *head, const char *body, const char *sentence)
{
	struct ran r;

	run(&r, head, body);
	cr_assert_neq(r.code, 0);
	cr_assert_str_eq(r.error.text, sentence);
	kernel_end(&r);
}

#define GIVE(n) "setmaxnreg.dec.sync.aligned.u32 " #n ";\n"
#define TAKE(n) "setmaxnreg.inc.sync.aligned.u32 " #n ";\n"
#define APART(first, others)                                                   \
	"@%p0 bra FIRST;\n" others "bra.uni MET;\nFIRST:\n" first "MET:\n"

/* One warp gives 144, two take 72 each. */
Test(kernel_registers, what_a_warp_gives_others_take)
{
	runs(".maxnreg 168", APART(GIVE(24), TAKE(240)));
	runs(".maxnreg 168",
		APART("nanosleep.u32 5000;\n" GIVE(24), TAKE(240)));
}

Test(kernel_registers, who_takes_more_than_others_give_waits_for_ever)
{
	fails(".maxnreg 168", APART(GIVE(32), TAKE(240)),
		"kernel 'k' never ends: its warps wait for what cannot come: 1 "
		"warp at m.ptx:15");
}

Test(kernel_registers, more_is_taken_and_less_is_given)
{
	fails(".maxnreg 64", TAKE(40),
		"m.ptx:14: block 0, warp 0 has 64 registers a thread and is to "
		"have 40: setmaxnreg.inc makes them more");
	fails(".maxnreg 64", GIVE(72),
		"m.ptx:14: block 0, warp 0 has 64 registers a thread and is to "
		"have 72: setmaxnreg.dec makes them fewer");
}

/* As the assembler has it. */
Test(kernel_registers, without_a_known_number_nothing_happens)
{
	runs("", APART(GIVE(24), TAKE(240)));
	runs(".maxntid 96", APART(GIVE(24), TAKE(240)));
}

static void has(const char *head, uint32_t registers)
{
	struct ran r;

	run(&r, head, APART(GIVE(24), GIVE(40)));
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_eq(r.result.launches[0].registers, registers, "%s: %u", head,
		r.result.launches[0].registers);
	kernel_end(&r);
}

/* ptxas 13.0 says how many registers such kernels have. */
Test(kernel_registers, the_head_says_how_many_there_are)
{
	has(".maxnreg 64", 64);
	has(".maxntid 96 .minnctapersm 1", 40);
	has(".maxntid 1024 .minnctapersm 1", 40);
}

Test(kernel_registers, numbers_are_as_the_assembler_takes_them)
{
	fails(".maxnreg 64", GIVE(20),
		"m.ptx:14:1: 'setmaxnreg.dec.sync.aligned.u32' takes a "
		"multiple of 8 from 24 to 256");
	fails(".maxnreg 64", GIVE(28),
		"m.ptx:14:1: 'setmaxnreg.dec.sync.aligned.u32' takes a "
		"multiple of 8 from 24 to 256");
	fails(".maxnreg 64", TAKE(264),
		"m.ptx:14:1: 'setmaxnreg.inc.sync.aligned.u32' takes a "
		"multiple of 8 from 24 to 256");
}
