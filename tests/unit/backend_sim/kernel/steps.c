/* Host actions of jobs on the model, and buffers in other memories: what later
   launches find. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_steps, .timeout = 120);

/* Each thread reads a word of a, by as many sectors as there are. */
#define READS                                                                  \
	HEAD "mul.wide.u32 %d5, %r3, 32;\nadd.s64 %d5, %d0, %d5;\n"            \
	     "ld.global.cg.u32 %r5, [%d5];\nst.global.u32 [%d1], %r5;\n" TAIL
#define WRITES HEAD "add.u32 %r5, %r3, 7;\nst.global.u32 [%d4], %r5;\n" TAIL

static const struct job_wishes plain = {.contents = true};

static void run(struct ran *r, const char *ptx, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void run(struct ran *r, const char *ptx, const char *format, ...)
{
	char lines[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(lines, sizeof(lines), format, list);
	va_end(list);
	kernel_run_lines(NULL, r, ptx, lines, &plain);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
}

static double dram_reads(const struct ran *r, size_t launch)
{
	return kernel_counter_of(r, launch, "dram__sectors_read.sum");
}

/* a is 64 KiB, which stays in 256 KiB of L2, and b passes by. */
#define BESIDE "buffer a bytes=64KiB fill=iota\nbuffer b bytes=2MiB fill=iota\n"
#define A      "launch k grid=8 block=256 args=a,b\n"
#define B      "launch k grid=256 block=256 args=b,a+4\n"

Test(kernel_steps, a_flush_is_once)
{
	struct ran r;

	run(&r, READS, BESIDE A A "flush\n" A A);
	cr_expect_gt(dram_reads(&r, 0), 2000);
	cr_expect_lt(dram_reads(&r, 1), 10);
	cr_expect_eq(dram_reads(&r, 2), dram_reads(&r, 0));
	cr_expect_lt(dram_reads(&r, 3), 10);
	kernel_end(&r);
	run(&r, READS,
		BESIDE A "flush\nlaunch k grid=8 block=256 args=a,b "
			 "repeats=2 warmups=1\n");
	cr_expect_lt(dram_reads(&r, 1), 10);
	cr_expect_lt(dram_reads(&r, 2), 10);
	kernel_end(&r);
}

Test(kernel_steps, a_window_keeps_lines_until_a_reset)
{
	static const char *const keeps =
		"carveout 128KiB\nwindow a bytes=64KiB ratio=1 "
		"hit=persisting\n";
	double without, with, half, reset, none;
	struct ran r;

	run(&r, READS, BESIDE A B A);
	without = dram_reads(&r, 2);
	kernel_end(&r);
	run(&r, READS, BESIDE "%s" A B A, keeps);
	with = dram_reads(&r, 2);
	kernel_end(&r);
	run(&r, READS, BESIDE "%s" A B "reset\n" B A, keeps);
	reset = dram_reads(&r, 3);
	kernel_end(&r);
	run(&r, READS, BESIDE "%swindow none\n" A B A, keeps);
	none = dram_reads(&r, 2);
	kernel_end(&r);
	run(&r, READS,
		BESIDE "carveout 128KiB\nwindow a base=32KiB bytes=32KiB "
		       "ratio=1 hit=persisting\n" A B A);
	half = dram_reads(&r, 2);
	kernel_end(&r);
	cr_expect_gt(without, 1900, "%g", without);
	cr_expect_lt(with, 0.2 * without, "%g", with);
	cr_expect_gt(reset, 0.8 * without, "%g", reset);
	cr_expect_eq(none, without, "%g", none);
	cr_expect(half > 0.4 * without && half < 0.7 * without, "%g", half);
}

/* Of launches that overlap, each has its own; a window holds nobody up. */
Test(kernel_steps, a_window_is_of_its_launch)
{
	struct ran r;

	run(&r, READS,
		BESIDE "buffer c bytes=64KiB fill=iota\ncarveout 128KiB\n"
		       "window a bytes=64KiB ratio=1 hit=persisting\n" A
		       "window none\n"
		       "launch k grid=8 block=256 args=c,b stream=1\n"
		       "granularity 64\n" B A
		       "launch k grid=8 block=256 args=c,b\n");
	cr_expect_lt(dram_reads(&r, 3), 400, "%g", dram_reads(&r, 3));
	cr_expect_gt(dram_reads(&r, 4), 1600, "%g", dram_reads(&r, 4));
	kernel_end(&r);
}

Test(kernel_steps, copies_move_values)
{
	const uint32_t *a, *b;
	struct ran r;

	run(&r, WRITES,
		"buffer a bytes=4KiB fill=iota\nbuffer b bytes=4KiB type=u32\n"
		"buffer c bytes=2KiB\n"
		"launch k grid=4 block=256 args=a,b\ncopy b c bytes=2KiB\n"
		"copy b a bytes=8\nlaunch k grid=1 block=32 args=a,b+4\n");
	a = (const uint32_t *)r.result.contents[0];
	b = (const uint32_t *)r.result.contents[2];
	cr_expect_eq(a[0], 7);
	cr_expect_eq(a[1], 8);
	cr_expect_eq(a[2], 2);
	cr_expect_eq(b[511], 518);
	cr_expect_float_eq(r.result.copied.bytes, 2048 + 8, 0.1);
	cr_expect_gt(r.result.copied.ns, 0);
	kernel_end(&r);
}

Test(kernel_steps, granularity_bounds_what_a_miss_brings)
{
	struct ran r;

	run(&r,
		HEAD "mul.wide.u32 %d5, %r3, 128;\nadd.s64 %d5, %d0, %d5;\n"
		     "ld.global.cg.u32 %r5, [%d5];\n"
		     "st.global.u32 [%d1], %r5;\n" TAIL,
		BESIDE "granularity 32\nlaunch k grid=2 block=256 args=a,b\n"
		       "flush\ngranularity 64\n"
		       "launch k grid=2 block=256 args=a,b\n");
	cr_expect_gt(dram_reads(&r, 1), 1.8 * dram_reads(&r, 0));
	kernel_end(&r);
}

/* ---- memories ---- */

/* On a whole machine that has a peer and a host. */
static int run_far(
	struct ran *r, const char *machine, const char *ptx, const char *lines)
{
	const struct backend_config config = {.machine = machine};
	struct backend *backend;
	char text[2048];

	memset(r, 0, sizeof(*r));
	snprintf(text, sizeof(text), "nearfar-kernel 1\nmodule m.ptx\n%s",
		lines);
	cr_assert_eq(job_parse(text, "test", &r->job, &r->error), 0, "%s",
		r->error.text);
	r->job.modules[0].text = strdup(ptx);
	r->job.modules[0].bytes = strlen(ptx);
	cr_assert_eq(backend_sim.open(&backend, &config, &r->error), 0, "%s",
		r->error.text);
	r->code = backend_sim.run_job(
		backend, &r->job, &plain, &r->result, &r->error);
	/* The pages are the machine's own again. */
	if (!r->code) {
		struct job_result again = {0};

		cr_expect_eq(backend_sim.run_job(backend, &r->job, &plain,
				     &again, &r->error),
			0);
		cr_expect_eq(
			again.launches[0].cycles, r->result.launches[0].cycles);
		job_result_free(&again);
	}
	backend_sim.close(backend);
	return r->code;
}

static double far_cycles(const char *memory)
{
	char lines[512];
	double cycles;
	struct ran r;

	snprintf(lines, sizeof(lines),
		"buffer b bytes=4KiB\nbuffer a bytes=64KiB fill=iota %s\n"
		"launch k grid=8 block=256 args=a,b\n",
		memory);
	cr_assert_eq(run_far(&r, "h200-sxm-x2", READS, lines), 0, "%s",
		r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

Test(kernel_steps, far_memory_is_far)
{
	const double own = far_cycles(""), peer = far_cycles("memory=peer"),
		     host = far_cycles("memory=host");

	cr_expect_gt(peer, own + 1000, "%g %g", own, peer);
	cr_expect_gt(host, own + 1000, "%g %g", own, host);
}

/* A store to far memory has left the chip long before it is there: a fence of
   the system waits for that, one of the chip does not. */
Test(kernel_steps, fences_of_the_system_wait_for_far_writes)
{
	static const char *const fences[] = {
		"membar.gl;\n", "membar.sys;\n", "fence.acq_rel.sys;\n"};
	double cycles[3];
	char ptx[2048];
	struct ran r;
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(ptx, sizeof(ptx),
			"%sst.global.u32 [%%d3], %%r3;\n%s"
			"mov.u64 %%d6, %%clock64;\n"
			"st.global.u64 [%%d1], %%d6;\n%s",
			HEAD, fences[i], TAIL);
		cr_assert_eq(run_far(&r, "h200-sxm-x2", ptx,
				     "buffer a bytes=4KiB memory=host\n"
				     "buffer b bytes=4KiB type=u64\n"
				     "launch k grid=1 block=32 args=a,b\n"
				     "launch k grid=1 block=32 args=a,b "
				     "stream=1\n"),
			0, "%s", r.error.text);
		cycles[i] = r.result.launches[0].cycles;
		cr_expect_eq(((uint32_t *)r.result.contents[0])[31], 31);
		kernel_end(&r);
	}
	cr_expect_gt(cycles[1], cycles[0] + 100, "%g %g", cycles[0], cycles[1]);
	cr_expect_eq(cycles[2], cycles[1]);
}

Test(kernel_steps, zeros_of_compressible_memory_come_sooner)
{
	static const char *const text =
		"buffer b bytes=4KiB\nbuffer a bytes=6MiB %s\n"
		"launch k grid=768 block=256 args=a,b\n";
	static const char *const fills[] = {"", "memory=compressible",
		"memory=compressible fill=random", "fill=random"};
	double cycles[4];
	char lines[256];
	struct ran r;
	int i;

	for (i = 0; i < 4; i++) {
		snprintf(lines, sizeof(lines), text, fills[i]);
		cr_assert_eq(run_far(&r, "h200-sxm", READS, lines), 0, "%s",
			r.error.text);
		cycles[i] = r.result.launches[0].cycles;
		kernel_end(&r);
	}
	cr_expect_lt(
		cycles[1], 0.95 * cycles[0], "%g %g", cycles[0], cycles[1]);
	cr_expect_eq(cycles[2], cycles[0]);
	cr_expect_eq(cycles[3], cycles[0]);
}

Test(kernel_steps, what_the_machine_has_not_is_refused)
{
	static const struct {
		const char *lines, *says;
	} rows[] = {
		{"buffer a bytes=4KiB memory=peer\n",
			"buffer 'a' is in the memory of a peer, and the "
			"model's machine has none"},
		{"buffer a bytes=4KiB memory=host\n",
			"buffer 'a' is in the memory of the host, which the "
			"model's machine does not reach"},
		{"buffer a bytes=4KiB\ncarveout 1GiB\n",
			"'carveout' needs 1073741824 bytes for persisting "
			"lines, and the model's machine has 39321600"},
	};
	char lines[256];
	struct ran r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(lines, sizeof(lines),
			"%slaunch k grid=1 block=32 args=a,a\n", rows[i].lines);
		cr_expect_eq(
			run_far(&r, "h200-sxm", WRITES, lines), ERR_SKIPPED);
		cr_expect(
			strstr(r.error.text, rows[i].says), "%s", r.error.text);
		kernel_end(&r);
	}
}

/* ---- how SMs are divided ---- */

Test(kernel_steps, a_carveout_bounds_blocks)
{
	static const struct {
		const char *words;
		uint32_t blocks;
	} rows[] = {
		{"shared=48KiB", 4},
		{"shared=48KiB shared_carveout=0", 1},
		{"shared=48KiB shared_carveout=50", 2},
		{"shared=48KiB shared_carveout=100", 4},
		{"shared_carveout=0", 8},
	};
	char lines[256];
	struct ran r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(lines, sizeof(lines),
			BUFFERS "launch k grid=4 block=256 %s args=a,b\n",
			rows[i].words);
		kernel_run_lines(NULL, &r, WRITES, lines, &plain);
		cr_assert_eq(r.code, 0, "%s", r.error.text);
		cr_expect_eq(r.result.launches[0].blocks_per_sm, rows[i].blocks,
			"%s: %u", rows[i].words,
			r.result.launches[0].blocks_per_sm);
		kernel_end(&r);
	}
}
