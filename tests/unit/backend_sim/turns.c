/*
 * Where a load that asks for little waits in line with others, and where it has
 * a turn of its own: at a slice and at the crossbar, as an H200 showed it by
 * single loads beside 64 to 112 SMs, and at DRAM.
 */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/model_fixture.h"

TestSuite(turns, .timeout = 300);

/* The mean of loads of SM 0 that follow one another in `ring`, beside `sms` SMs
   from SM 2 on whose `op` goes through `data`; both have been read once. */
static double beside(
	const char *ring, const char *data, unsigned sms, const char *op)
{
	bool much = !strcmp(data, "512MiB");
	char text[1024];

	snprintf(text, sizeof(text),
		"buffer ring bytes=%s fill=ring slot=128 order=shuffle seed=1\n"
		"buffer data bytes=%s\n"
		"launch warm\nrole ring sms=0:1 threads=1024\nrepeat 8\n"
		"ld.global.cg.v4.b32 [ring + lane*16 + warp*512 + loop0*16KiB "
		"wrap 32KiB]\nend\n"
		"role data sms=2:%u threads=1024\nrepeat 8\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB "
		"+ "
		"loop0*1MiB wrap %s]\nend\n"
		"launch go\nrole chase sms=0:1 threads=1 lanes=1\n"
		"repeat 32\nld.global.cg.b64 [ring chase]\nend\n"
		"repeat 48 time=each region=measure\n"
		"ld.global.cg.b64 [ring chase]\nend\n"
		"role others sms=2:%u threads=1024 background\n"
		"repeat %u unroll=4\n%s\nend\n",
		ring, data, sms, data, sms, much ? 256 : 64, op);
	return model_mean(0, text);
}

#define READ                                                                   \
	"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + "      \
	"loop0*1MiB wrap 8MiB]"
#define READ_MUCH                                                              \
	"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + "      \
	"loop0*2MiB wrap 512MiB]"
#define WRITE                                                                  \
	"st.global.wb.v4.b32 [data + lane*16 + warp*512 + block*16KiB + "      \
	"loop0*1MiB wrap 8MiB]"
#define WRITE_MUCH                                                             \
	"st.global.wb.v4.b32 [data + lane*16 + warp*512 + block*16KiB + "      \
	"loop0*2MiB wrap 512MiB]"

/* Of 64 SMs that read, each waits for its own share of the crossbar and of its
   GPC: one load does not wait for them. */
Test(turns, sms_take_turns_at_the_crossbar)
{
	double alone, gpc, chip;

	model_set("slice_bytes_per_cycle=1000");
	alone = beside("32KiB", "8MiB", 1, READ);
	model_set("crossbar_gpc_bytes_per_cycle=150");
	model_set("crossbar_rest_bytes_per_cycle=150");
	gpc = beside("32KiB", "8MiB", 64, READ);
	cr_expect_lt(gpc, alone + 40, "%g, %g", alone, gpc);
	model_set("crossbar_gpc_bytes_per_cycle=4000");
	model_set("crossbar_rest_bytes_per_cycle=4000");
	model_set("crossbar_bytes_per_cycle=1200");
	chip = beside("32KiB", "8MiB", 64, READ);
	cr_expect_lt(chip, alone + 40, "%g, %g", alone, chip);
}

/* A slice serves all as they come: beside 64 SMs that read more than slices
   give, a load of little waits for all that is there. */
Test(turns, loads_of_a_slice_wait_in_line)
{
	double alone = beside("32KiB", "8MiB", 1, READ), beside_all;

	model_set("slice_bytes_per_cycle=20");
	beside_all = beside("32KiB", "8MiB", 64, READ);
	cr_expect_gt(beside_all, alone + 400, "%g, %g", alone, beside_all);
}

/* What is stored takes the slices' data twice as long as what is read; yet a
   load waits for one line of it. */
Test(turns, loads_take_turns_with_stores_at_a_slice)
{
	double alone = beside("32KiB", "8MiB", 1, WRITE), beside_all;

	model_set("slice_bytes_per_cycle=12");
	beside_all = beside("32KiB", "8MiB", 120, WRITE);
	cr_expect_gt(beside_all, alone + 10, "%g, %g", alone, beside_all);
	cr_expect_lt(beside_all, alone + 120, "%g, %g", alone, beside_all);
}

/* At DRAM a load waits for a share of the loads before it, and for all that is
   written. */
Test(turns, loads_share_dram_with_loads_and_wait_for_writes)
{
	double read, write, read_all, write_all;

	model_set("dram_drain_cycles=1");
	model_set("dram_bytes_per_s=4e11");
	model_set("dram_common_share=0.1");
	read = beside("1GiB", "512MiB", 12, READ_MUCH);
	write = beside("1GiB", "512MiB", 24, WRITE_MUCH);
	model_set("dram_common_share=1");
	read_all = beside("1GiB", "512MiB", 12, READ_MUCH);
	write_all = beside("1GiB", "512MiB", 24, WRITE_MUCH);
	cr_expect_lt(read, 0.7 * read_all, "%g, %g", read, read_all);
	cr_expect_gt(write_all, 900, "%g", write_all);
	cr_expect_gt(write, 0.9 * write_all, "%g, %g", write, write_all);
}
