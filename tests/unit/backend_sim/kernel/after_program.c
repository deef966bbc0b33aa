/* A job on an instance that has run a program before. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/text/text.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(after_program, .timeout = 120);

static const char *const machine[] = {"sm_count=8", "gpc_count=4"};

static double job_cycles(struct backend *model)
{
	static const struct job_wishes nothing = {0};
	struct job_result result = {0};
	struct error error = {""};
	struct job job;
	double cycles;

	cr_assert_eq(
		job_parse("nearfar-kernel 1\nname test\nmodule m.ptx\n" BUFFERS
			  "launch k grid=8 block=128 args=a,b\n",
			"test", &job, &error),
		0, "%s", error.text);
	job.modules[0].text = strdup(HEAD "ld.global.u32 %r4, [%d3];\n"
					  "st.global.u32 [%d4], %r4;\n" TAIL);
	job.modules[0].bytes = strlen(job.modules[0].text);
	cr_assert_eq(
		backend_sim.run_job(model, &job, &nothing, &result, &error), 0,
		"%s", error.text);
	cycles = result.launches[0].cycles;
	job_result_free(&result);
	job_free(&job);
	return cycles;
}

static void run_on_all_sms(struct backend *model)
{
	struct program *p = malloc(sizeof(*p));
	struct result result = {0};
	struct error error = {""};

	cr_assert_eq(program_parse("nearfar-program 1\nname x\nseed 1\n"
				   "buffer a bytes=64KiB\nlaunch go\n"
				   "role r sms=0:8 threads=32\n"
				   "repeat 4 time=region region=measure\n"
				   "ld.global.cg.b32 [a + lane*4]\nend\n",
			     "test", p, &error),
		0, "%s", error.text);
	cr_assert_eq(backend_sim.run(model, p, &result, &error), 0, "%s",
		error.text);
	result_free(&result);
	free(p);
}

/* SMs that a program's roles have named are free for a kernel's blocks. */
Test(after_program, a_job_finds_all_sms_free)
{
	const struct backend_config config = {.sets = machine, .set_count = 2};
	struct error error = {""};
	struct backend *model;
	double first;

	cr_assert_eq(
		backend_sim.open(&model, &config, &error), 0, "%s", error.text);
	first = job_cycles(model);
	run_on_all_sms(model);
	cr_assert_eq(job_cycles(model), first);
	backend_sim.close(model);
}
