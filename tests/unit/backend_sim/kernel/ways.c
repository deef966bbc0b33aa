/* The way between a warp's registers and the load/store unit: registers that
   stores of a loop read, which are written again when that is over, and loads.
   The numbers are those of tests/hardware/store_reads.py on an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_ways, .timeout = 120);

/* Of a loop of so many rounds. */
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
#define ST(at) "st.global.u32 [%d4+" at "], %r0;\n"
#define NEXT   "add.u64 %d4, %d4, %d9;\n"
#define DATA   "add.u32 %r0, %r0, %r2;\n"

#define NEW(to, n)   "add.u32 %r" to ", %r4, " n ";\n"
#define ST_OF(r, at) "st.global.u32 [%d4+" at "], %r" r ";\n"

Test(kernel_ways, what_a_store_reads_is_written_when_it_is_read)
{
	cr_expect_float_eq(round_of(NULL, ST("0") DATA, ONE), 36, 4);
	cr_expect_float_eq(
		round_of("kernel_store_read_cycles=37", ST("0") DATA, ONE),
		36 + 30, 4);
	/* each register takes its time: the address is two */
	cr_expect_float_eq(
		round_of("kernel_store_register_cycles=12", ST("0") DATA, ONE),
		36 + 30, 4);
	/* nobody waits where it is not written */
	cr_expect_float_eq(
		round_of("kernel_store_read_cycles=37", ST("0"), ONE), 29, 2);
}

/* The next round waits, once for all stores of this one. */
Test(kernel_ways, what_a_round_makes_anew_has_registers_of_its_own)
{
	const char *body = NEW("5", "1") ST_OF("5", "0") NEW("6", "2")
		ST_OF("6", "512") NEW("7", "3") ST_OF("7", "1024");
	const double now = round_of(NULL, body, ONE);

	cr_expect_float_eq(
		round_of("kernel_store_read_cycles=67", body, ONE) - now, 50,
		15);
}

#define LD(to, at) "ld.global.v4.u32 {%r" to ", _, _, _}, [%d0+" at "];\n"
#define XOR(a)     "xor.b32 %r7, %r7, %r" a ";\n"

/* Four loads of one warp that hit L1, of 512 bytes each for its lanes. */
Test(kernel_ways, sixteen_bytes_of_a_lane_come_as_fast_as_fewer)
{
	const char *body = LD("11", "0") LD("12", "512") LD("13", "1024")
		LD("14", "1536") "bar.warp.sync -1;\n" XOR("11") XOR("12")
			XOR("13") XOR("14");
	const double now =
		round_of("scheduler_narrow_bytes_per_cycle=64", body, ONE);

	cr_expect_float_eq(
		round_of("scheduler_data_bytes_per_cycle=16", body, ONE), now,
		0.1);
	cr_expect_gt(round_of("scheduler_narrow_bytes_per_cycle=16", body, ONE),
		now + 8);
}
