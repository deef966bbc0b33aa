/* What a kernel takes at least: a fence its time, a thread its registers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(limits, .timeout = 120);

static const struct job_wishes wishes = {.max_cycles = 0};

static struct job_launch_result result_of(
	const char *set, const char *ptx, const char *launch)
{
	struct job_launch_result result;
	struct ran r;

	kernel_run(set, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	result = r.result.launches[0];
	kernel_end(&r);
	return result;
}

#define FENCED(fence)                                                          \
	HEAD "st.global.u32 [%d4], %r3;\n" fence                               \
	     "\nst.global.u32 [%d4], %r2;\n" TAIL

static double cycles_of(const char *set, const char *ptx)
{
	return result_of(set, ptx, "grid=1 block=32").cycles;
}

/* However soon its writes have arrived; one of a block does not wait. */
Test(limits, a_fence_takes_its_time_at_least)
{
	static const char chip[] = FENCED("fence.acq_rel.gpu;");
	static const char block[] = FENCED("fence.acq_rel.cta;");
	double soon = cycles_of("kernel_fence_least_cycles=0", chip);

	cr_expect_gt(
		cycles_of("kernel_fence_least_cycles=9000", chip), 9000 + 1000);
	cr_expect_lt(
		cycles_of("kernel_fence_least_cycles=9000", chip), soon + 9000);
	cr_expect_eq(cycles_of("kernel_fence_least_cycles=0", block),
		cycles_of("kernel_fence_least_cycles=9000", block));
}

/* The rest of a fence's time passes while its writes are under way. */
Test(limits, a_fence_waits_for_its_writes_and_its_time_at_once)
{
	static const char chip[] = FENCED("fence.acq_rel.gpu;");

	cr_expect_eq(cycles_of("kernel_fence_least_cycles=0", chip),
		cycles_of("kernel_fence_least_cycles=20", chip));
}

/* A kernel that loads so many words and sums them up from the last. */
static const char *alive(
	char *ptx, size_t bytes, unsigned words, const char *most)
{
	static const char entry[] = "p_b)\n{";
	const char *body = strstr(HEAD, entry) + strlen(entry) - 1;
	size_t used =
		(size_t)snprintf(ptx, bytes, "%.*s%s\n%s.reg .b32 %%w<99>;\n",
			(int)(body - HEAD), HEAD, most, body);
	unsigned i;

	for (i = 0; i < words; i++)
		used += (size_t)snprintf(ptx + used, bytes - used,
			"ld.volatile.global.u32 %%w%u, [%%d3];\n", i);
	for (i = words; i-- > 0;)
		used += (size_t)snprintf(ptx + used, bytes - used,
			"st.volatile.global.u32 [%%d4], %%w%u;\n", i);
	snprintf(ptx + used, bytes - used, "%s", TAIL);
	return ptx;
}

static struct job_launch_result registers_of(
	unsigned words, const char *most, const char *launch)
{
	char ptx[8192];

	return result_of(NULL, alive(ptx, sizeof(ptx), words, most), launch);
}

#define ONE "grid=1 block=32"

/* What is alive at once and some beside, in eights, sixteen at least. */
Test(limits, registers_are_what_is_alive_in_eights)
{
	struct job_launch_result few = registers_of(1, "", ONE);
	struct job_launch_result many = registers_of(60, "", ONE);

	cr_expect_eq(few.registers, 16);
	cr_expect(few.registers_estimated);
	cr_expect_eq(many.registers % 8, 0);
	cr_expect_geq(many.registers, 64);
	cr_expect_leq(many.registers, 80);
}

Test(limits, registers_are_those_of_the_text_or_of_the_job)
{
	struct job_launch_result given =
		registers_of(60, "", ONE " registers=128");

	cr_expect_eq(registers_of(60, ".maxnreg 40", ONE).registers, 40);
	cr_expect_eq(registers_of(1, ".maxnreg 40", ONE).registers, 16);
	cr_expect_eq(given.registers, 128);
	cr_expect_not(given.registers_estimated);
}

/* As many as leave room for a block of the size that the text says, or for so
   many of them. */
Test(limits, registers_leave_room_for_the_blocks_of_the_text)
{
	cr_expect_eq(registers_of(60, ".maxntid 1024", ONE).registers, 64);
	cr_expect_eq(
		registers_of(60, ".maxntid 512 .minnctapersm 3", ONE).registers,
		40);
	cr_expect_eq(registers_of(60, ".maxntid 1024 .minnctapersm 2", ONE)
			     .registers,
		32);
	cr_expect_geq(registers_of(60, ".minnctapersm 2", ONE).registers, 64);
}
