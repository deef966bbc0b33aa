/* What the instructions of a loop wait for beside their values: registers that
   stores have not read, cycles that the assembler counts, slots of others. The
   numbers are those of tests/hardware/store_reads.py on an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_stalls, .timeout = 120);

static double cycles_of(
	const char *set, const char *body, unsigned rounds, const char *launch)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	char ptx[16384] = HEAD, loop[4096];
	double cycles;
	struct ran r;

	snprintf(loop, sizeof(loop),
		".shared .b8 sh[4096];\n"
		"mov.u32 %%r10, sh;\nmad.lo.u32 %%r10, %%r0, 4, %%r10;\n"
		"cvt.u64.u32 %%d9, %%r2;\nmov.u32 %%r4, 0;\nL:\n"
		".pragma \"nounroll\";\n%s\nadd.u32 %%r4, %%r4, 1;\n"
		"setp.lt.u32 %%p0, %%r4, %u;\n@%%p0 bra L;\n"
		"st.global.u32 [%%d4], %%r7;\n",
		body, rounds);
	strcat(ptx, loop);
	strcat(ptx, TAIL);
	kernel_run(set, &r, ptx, "buffer a bytes=1MiB\nbuffer b bytes=1MiB\n",
		launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* Of a round. */
static double round_of(const char *set, const char *body, const char *launch)
{
	return (cycles_of(set, body, 300, launch) -
		       cycles_of(set, body, 100, launch)) /
	       200;
}

#define ONE    "grid=1 block=32"
#define TWO    "grid=1 block=256" /* warps of a scheduler */
#define ST(at) "st.global.u32 [%d4+" at "], %r0;\n"
#define NEXT   "add.u64 %d4, %d4, %d9;\n"
#define DATA   "add.u32 %r0, %r0, %r2;\n"

Test(kernel_stalls, registers_of_stores_are_read_one_after_the_other)
{
	cr_expect_float_eq(round_of(NULL, ST("0") NEXT, ONE), 29, 2);
	cr_expect_float_eq(
		round_of(NULL, ST("0") ST("512") ST("1024") ST("1536") NEXT,
			ONE),
		38, 2);
	cr_expect_float_eq(
		round_of("kernel_store_register_cycles=12",
			ST("0") ST("512") ST("1024") ST("1536") NEXT, ONE),
		38 + 4 * 30, 8);
}

Test(kernel_stalls, what_a_store_reads_is_written_when_it_is_read)
{
	cr_expect_float_eq(round_of(NULL, ST("0") DATA, ONE), 36, 4);
	cr_expect_float_eq(
		round_of("kernel_store_read_cycles=37", ST("0") DATA, ONE),
		36 + 30, 4);
	/* nobody waits where it is not written */
	cr_expect_float_eq(
		round_of("kernel_store_read_cycles=37", ST("0"), ONE), 29, 2);
}

/* What is counted goes by behind a value from memory. */
Test(kernel_stalls, cycles_are_counted_behind_what_waits)
{
	cr_expect_float_eq(round_of(NULL,
				   "ld.shared.u32 %r8, [%r10];\n"
				   "add.u32 %r10, %r10, 0;\n"
				   "xor.b32 %r7, %r7, %r8;\n",
				   ONE),
		50 - 6, 4);
}

Test(kernel_stalls, two_warps_hardly_delay_each_other)
{
	cr_expect_float_eq(round_of(NULL, DATA, ONE), 28, 2);
	cr_expect_float_eq(round_of(NULL, DATA, TWO), 28, 2);
}
