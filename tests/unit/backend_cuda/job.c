/* Jobs on the driver without a GPU: a kernel adds one to the word that its
   first parameter points to, and takes 2 ms. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/driver/abi.h"
#include "harness/contract/backend.h"
#include "harness/trace/trace.h"
#include "tests/unit/fake_driver.h"

#define MODULE(target)                                                         \
	".version 8.0\n.target " target                                        \
	"\n.visible .entry k(.param .u64 p, .param .u32 n)\n"                  \
	"{ ret; }\n.visible .entry other(.param .u64 p)\n{ ret; }\n"
static const char *ptx = MODULE("sm_90");

static struct job job_of(const char *lines)
{
	struct error e = {""};
	struct job job;
	char text[512];
	size_t i;

	snprintf(text, sizeof(text),
		"nearfar-kernel 1\nname probe\n"
		"module m.ptx\n%s\n",
		lines);
	cr_assert_eq(job_parse(text, "f", &job, &e), 0, "%s", e.text);
	cr_assert_eq(job_check(&job, &e), 0, "%s", e.text);
	for (i = 0; i < job.module_count; i++) {
		job.modules[i].text = strdup(ptx);
		job.modules[i].is_trace = trace_is_name(job.modules[i].path);
	}
	return job;
}

static int run(const char *lines, struct job_result *result, struct error *e)
{
	const struct job_wishes wishes = {.contents = true};
	struct job job = job_of(lines);
	struct backend *backend = open_fake();
	void *keep = dlopen(fake_library(), RTLD_NOW);
	int code = backend_cuda.run_job(backend, &job, &wishes, result, e);

	backend_cuda.close(backend);
	if (!getenv("FAKE_CUDA"))
		cr_expect_eq(ask_fake("fake_cuda_live"), 0);
	dlclose(keep);
	job_free(&job);
	return code;
}

Test(cuda_job, launches_run_in_order_on_filled_buffers, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};
	uint32_t *a, *b;

	build_fake("");
	cr_assert_eq(run("buffer a bytes=4KiB fill=iota first=100\n"
			 "buffer b bytes=64MiB type=u32 fill=iota\n"
			 "launch k grid=4,2 block=8,8 args=a,u32:7 warmups=1 "
			 "repeats=2\n"
			 "launch other grid=1 block=32 args=b+4 flush",
			     &result, &e),
		0, "%s", e.text);
	cr_assert_eq(result.launch_count, 3);
	cr_expect_eq(result.launches[1].launch, 0);
	cr_expect_eq(result.launches[1].repeat, 1);
	cr_expect_eq(result.launches[2].launch, 1);
	cr_expect_float_eq(result.launches[0].ns, 2e6, 1);
	cr_expect_float_eq(
		result.launches[0].cycles, 2e-3 * result.clock_hz, 1);
	cr_expect_eq(result.launches[0].registers, 16);
	cr_expect_eq(result.launches[0].blocks_per_sm, 32);
	cr_assert_eq(result.content_count, 2);
	a = (uint32_t *)result.contents[0];
	b = (uint32_t *)result.contents[1];
	cr_expect_eq(a[0], 103); /* warm-ups run, too */
	cr_expect_eq(a[1023], 1123);
	cr_expect_eq(b[1], 2);
	cr_expect_eq(b[(16 << 20) - 1], (16 << 20) - 1);
	job_result_free(&result);
}

static void refuses(const char *lines, int code, const char *text)
{
	struct job_result result = {0};
	struct error e = {""};

	cr_expect_eq(run(lines, &result, &e), code, "%s", e.text);
	cr_expect(strstr(e.text, text), "%s", e.text);
	job_result_free(&result);
}

Test(cuda_job, the_kernels_own_parameters_are_the_rule, .fini = remove_fake)
{
	build_fake("");
	refuses("buffer a bytes=4\nlaunch k grid=1 block=1 args=a", ERR_USAGE,
		"launch 'k' has 1 arguments, but the kernel takes more");
	refuses("buffer a bytes=4\n"
		"launch k grid=1 block=1 args=a,u32:1,u32:2",
		ERR_USAGE,
		"launch 'k' has 3 arguments, but the kernel takes 2");
	refuses("buffer a bytes=4\nlaunch k grid=1 block=1 args=a,u64:1",
		ERR_USAGE,
		"launch 'k': parameter 1 of the kernel has 4 bytes, the "
		"argument 8");
	refuses("module t.traceg\nlaunch k grid=1 block=1", ERR_USAGE,
		"t.traceg: a trace is replayed by the model alone");
	refuses("buffer a bytes=4\nlaunch missing grid=1 block=1 args=a",
		ERR_FAILED, "cuModuleGetFunction failed");
	refuses("buffer a bytes=4\n"
		"launch other grid=1 block=1 args=a shared=1MiB",
		ERR_SKIPPED,
		"launch 'other' needs 1048576 B of shared memory a block");
}

/* The fake driver adds 100 for each block of a cluster, and takes one of more
   than 8 where it has been asked for. */
Test(cuda_job, clusters_are_an_attribute_of_the_launch, .fini = remove_fake)
{
	static const struct {
		const char *launch;
		uint32_t word;
	} rows[] = {
		{"grid=4 block=1 cluster=4", 401},
		{"grid=4,2 block=1 cluster=2,2", 401},
		{"grid=32 block=1 cluster=16", 1601},
		{"grid=4 block=1 cluster=1", 101},
		{"grid=4 block=1", 1},
	};
	struct job_result result;
	struct error e = {""};
	char lines[128];
	size_t i;

	build_fake("");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(lines, sizeof(lines),
			"buffer a bytes=4\nlaunch other %s args=a",
			rows[i].launch);
		result = (struct job_result){0};
		cr_assert_eq(run(lines, &result, &e), 0, "%s", e.text);
		cr_expect_eq(*(uint32_t *)result.contents[0], rows[i].word,
			"%s: %u", rows[i].launch,
			*(uint32_t *)result.contents[0]);
		job_result_free(&result);
	}
}

Test(cuda_job, an_old_driver_has_no_clusters, .fini = remove_fake)
{
	build_fake("-DFAKE_OLD");
	refuses("buffer a bytes=4\nlaunch other grid=4 block=1 cluster=2 "
		"args=a",
		ERR_SKIPPED,
		"launch 'other' has clusters, for which the driver is too old: "
		"it has no 'cuLaunchKernelEx'");
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a "
		"cooperative",
		ERR_SKIPPED,
		"launch 'other' is cooperative, for which the driver is too "
		"old: it has no 'cuLaunchKernelEx'");
}

/* The fake driver adds 10000 for a launch that need not wait for the end of the
   one before it, and 1 for each launch. */
Test(cuda_job, streams_are_the_drivers, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};
	size_t i;

	build_fake("");
	cr_assert_eq(run("buffer a bytes=4\nbuffer b bytes=4\n"
			 "launch other grid=1 block=1 args=a warmups=1\n"
			 "launch other grid=4 block=1 args=a stream=3 "
			 "cluster=4 repeats=2 after=programmatic\n"
			 "launch other grid=1 block=1 args=b stream=3\n"
			 "launch other grid=1 block=1 args=b flush\n"
			 "launch other grid=1 block=1 args=b",
			     &result, &e),
		0, "%s", e.text);
	cr_assert_eq(result.launch_count, 6);
	cr_expect_eq(*(uint32_t *)result.contents[0], 2 + 2 * (400 + 1) + 10000,
		"%u", *(uint32_t *)result.contents[0]);
	cr_expect_eq(*(uint32_t *)result.contents[1], 3);
	for (i = 0; i < 6; i++)
		cr_expect_float_eq(result.launches[i].ns, 2e6, 1);
	cr_expect_eq(result.launches[2].launch, 1);
	cr_expect_eq(result.launches[2].repeat, 1);
	job_result_free(&result);
}

/* The fake driver adds 100000 for a cooperative launch; it has 4 SMs. */
Test(cuda_job, cooperative_launches_fit_at_once, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};

	build_fake("");
	cr_assert_eq(run("buffer a bytes=4\nlaunch other grid=8 block=1024 "
			 "cluster=2 args=a cooperative",
			     &result, &e),
		0, "%s", e.text);
	cr_expect_eq(*(uint32_t *)result.contents[0], 100000 + 200 + 1);
	job_result_free(&result);
	refuses("buffer a bytes=4\nlaunch other grid=9 block=1024 args=a "
		"cooperative",
		ERR_SKIPPED,
		"launch 'other' is cooperative and has 9 blocks, of which 8 "
		"fit on the device at once");
}

/* More than stand in line before the first may begin. */
Test(cuda_job, many_launches_stand_in_line, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};

	build_fake("");
	cr_assert_eq(run("buffer a bytes=4\n"
			 "launch other grid=1 block=1 args=a repeats=400\n"
			 "launch other grid=1 block=1 args=a repeats=300 "
			 "stream=1",
			     &result, &e),
		0, "%s", e.text);
	cr_expect_eq(result.launch_count, 700);
	cr_expect_eq(*(uint32_t *)result.contents[0], 700);
	job_result_free(&result);
}

Test(cuda_job, an_old_driver_has_no_streams_that_wait, .fini = remove_fake)
{
	build_fake("-DFAKE_OLD");
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a\n"
		"launch other grid=1 block=1 args=a stream=1",
		ERR_SKIPPED,
		"job 'probe' has launches on streams, for which the driver is "
		"too old: it has no 'cuStreamWaitValue32'");
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a\n"
		"launch other grid=1 block=1 args=a after=programmatic",
		ERR_SKIPPED,
		"launch 'other' is after=programmatic, for which the driver is "
		"too old: it has no 'cuLaunchKernelEx'");
}

Test(cuda_job, what_fails_on_a_stream_lets_the_others_go, .fini = remove_fake)
{
	static const char lines[] =
		"buffer a bytes=4\nlaunch other grid=1 block=1 args=a\n"
		"launch other grid=1 block=1 args=a stream=1";

	build_fake("");
	setenv("FAKE_CUDA_FAULT", "cuStreamCreate:1", 1);
	refuses(lines, ERR_FAILED, "cuStreamCreate failed");
	setenv("FAKE_CUDA_FAULT", "cuStreamWaitValue32_v2:2", 1);
	refuses(lines, ERR_FAILED, "cuStreamWaitValue32 failed");
	setenv("FAKE_CUDA_FAULT", "cuMemHostAlloc:1", 1);
	refuses(lines, ERR_FAILED, "cuMemHostAlloc failed");
	setenv("FAKE_CUDA_FAULT", "cuStreamWaitEvent:1", 1);
	refuses(lines, ERR_FAILED, "cuStreamWaitEvent failed");
}

Test(cuda_job, an_old_driver_takes_the_job_at_its_word, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};

	build_fake("-DFAKE_OLD");
	cr_assert_eq(run("buffer a bytes=4\nlaunch k grid=1 block=1 args=a",
			     &result, &e),
		0, "%s", e.text);
	cr_expect_eq(*(uint32_t *)result.contents[0], 1);
	job_result_free(&result);
}

Test(cuda_job, code_for_debugging_is_compiled_as_it_is, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};

	build_fake("");
	ptx = MODULE("sm_90, debug");
	cr_assert_eq(run("buffer a bytes=4\nlaunch other grid=1 block=1 args=a",
			     &result, &e),
		0, "%s", e.text);
	job_result_free(&result);
}

Test(cuda_job, failures_name_the_launch, .fini = remove_fake)
{
	build_fake("");
	setenv("FAKE_CUDA", "fault", 1);
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a",
		ERR_LOST,
		"cuLaunchKernel of launch 'other' failed: "
		"CUDA_ERROR_ILLEGAL_ADDRESS (700) in program 'probe'");
	setenv("FAKE_CUDA", "jit", 1);
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a",
		ERR_FAILED, "m.ptx: cuModuleLoadDataEx failed");
}

/* Persisting lines would outlast the flush. */
Test(cuda_job, a_flush_begins_with_a_reset, .fini = remove_fake)
{
	build_fake("");
	setenv("FAKE_CUDA_FAULT", "cuCtxResetPersistingL2Cache:1+", 1);
	refuses("buffer a bytes=4\nlaunch other grid=1 block=1 args=a flush",
		ERR_FAILED, "cuCtxResetPersistingL2Cache failed");
}

/* What a job's host actions ask of the driver, which is asked while it is
 * there.
 */
static void asks(const char *lines, const char *of_the_fake, int answer)
{
	const struct job_wishes wishes = {.contents = true};
	struct job_result result = {0};
	struct error e = {""};
	struct job job = job_of(lines);
	struct backend *backend = open_fake();
	void *keep = dlopen(fake_library(), RTLD_NOW);
	const int before = ask_fake(of_the_fake);

	cr_expect_eq(backend_cuda.run_job(backend, &job, &wishes, &result, &e),
		0, "%s", e.text);
	cr_expect_eq(ask_fake(of_the_fake) - before, answer, "%s: %d",
		of_the_fake, ask_fake(of_the_fake) - before);
	backend_cuda.close(backend);
	cr_expect_eq(ask_fake("fake_cuda_live"), 0);
	cr_expect_eq(fake_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY), 64);
	cr_expect_eq(fake_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE), 0);
	dlclose(keep);
	job_result_free(&result);
	job_free(&job);
}

#define TWO "buffer a bytes=64KiB\nbuffer b bytes=64KiB type=u32 fill=iota\n"

Test(cuda_job, windows_are_attributes_of_later_launches, .fini = remove_fake)
{
	build_fake("");
	asks(TWO "launch other grid=1 block=1 args=a\n"
		 "window b bytes=8KiB ratio=1\nwindow none\n"
		 "launch other grid=1 block=1 args=a\n"
		 "window b base=4KiB bytes=8KiB ratio=0.5 hit=persisting "
		 "miss=streaming\n"
		 "launch other grid=1 block=1 args=a repeats=2\n"
		 "launch other grid=1 block=1 args=b stream=1",
		"fake_cuda_windows", 3);
	asks(TWO "window b base=4KiB bytes=8KiB ratio=0.5 hit=persisting "
		 "miss=streaming\nlaunch other grid=1 block=1 args=a",
		"fake_cuda_last_window",
		8 + 1000 * CU_ACCESS_PROPERTY_PERSISTING +
			10000 * CU_ACCESS_PROPERTY_STREAMING + 500000);
}

/* Both launches have one function: it is set before the kernels are looked at,
   and before each start. */
Test(cuda_job, carveouts_are_set_before_each_start, .fini = remove_fake)
{
	build_fake("");
	asks(TWO "launch other grid=1 block=1 args=a\n"
		 "launch other grid=1 block=1 args=a shared_carveout=30",
		"fake_cuda_carveouts", 202);
	asks(TWO "launch other grid=1 block=1 args=a", "fake_cuda_carveouts",
		0);
}

Test(cuda_job, copies_stand_between_launches, .fini = remove_fake)
{
	struct job_result result = {0};
	struct error e = {""};
	uint32_t *a, *b;

	build_fake("");
	cr_assert_eq(run("buffer a bytes=64KiB fill=iota first=5\n"
			 "buffer b bytes=64KiB type=u32 memory=host fill=iota\n"
			 "buffer c bytes=4KiB memory=compressible\n"
			 "launch other grid=1 block=1 args=a\n"
			 "copy a b bytes=32KiB\ncopy a c bytes=4\n"
			 "launch other grid=1 block=1 args=a\n"
			 "launch other grid=1 block=1 args=c\n"
			 "copy c a bytes=4",
			     &result, &e),
		0, "%s", e.text);
	a = (uint32_t *)result.contents[0];
	b = (uint32_t *)result.contents[1];
	cr_expect_eq(a[0], 7);
	cr_expect_eq(b[0], 6);
	cr_expect_eq(b[1], 6);
	cr_expect_eq(b[8192], 8192);
	cr_expect_eq(*(uint32_t *)result.contents[2], 7);
	cr_expect_float_eq(result.copied.bytes, 4, 0.1);
	cr_expect_float_eq(result.copied.ns, 2e6, 1);
	job_result_free(&result);
}

Test(cuda_job, memory_of_a_peer_is_filled_and_read, .fini = remove_fake)
{
	static const char lines[] =
		"buffer a bytes=4KiB memory=peer\n"
		"buffer b bytes=4KiB type=u32 memory=peer peer=1 fill=iota\n"
		"launch other grid=1 block=1 args=b+4";
	struct job_result result = {0};
	struct error e = {""};

	build_fake("");
	refuses(lines, ERR_SKIPPED, "peer memory needs a second GPU");
	setenv("FAKE_CUDA", "two", 1);
	cr_assert_eq(run(lines, &result, &e), 0, "%s", e.text);
	cr_expect_eq(((uint32_t *)result.contents[1])[1], 2);
	job_result_free(&result);
	setenv("FAKE_CUDA", "two incompressible", 1);
	refuses("buffer a bytes=4KiB memory=compressible\n"
		"launch other grid=1 block=1 args=a",
		ERR_SKIPPED,
		"buffer 'a': the device gave no compressible memory");
}

/* Each action is a call that can fail. */
Test(cuda_job, host_actions_are_the_drivers, .fini = remove_fake)
{
	static const struct {
		const char *action, *fault, *says;
	} rows[] = {
		{"granularity 32", "cuCtxSetLimit:1", "cuCtxSetLimit failed"},
		{"carveout 4KiB", "cuCtxSetLimit:1", "cuCtxSetLimit failed"},
		/* a flush at the begin of the job has one, too */
		{"reset", "cuCtxResetPersistingL2Cache:2",
			"cuCtxResetPersistingL2Cache failed"},
		{"flush", "cuCtxResetPersistingL2Cache:2",
			"cuCtxResetPersistingL2Cache failed"},
		{"copy a b bytes=4", "cuMemcpyAsync:1", "cuMemcpyAsync failed"},
	};
	char lines[256];
	size_t i;

	build_fake("");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(lines, sizeof(lines),
			TWO "%s\nlaunch other grid=1 block=1 args=a",
			rows[i].action);
		setenv("FAKE_CUDA_FAULT", rows[i].fault, 1);
		refuses(lines, ERR_FAILED, rows[i].says);
	}
	unsetenv("FAKE_CUDA_FAULT");
	refuses(TWO "carveout 1GiB\nlaunch other grid=1 block=1 args=a",
		ERR_SKIPPED, "the device sets aside at most");
}

Test(cuda_job, an_old_driver_has_no_windows, .fini = remove_fake)
{
	build_fake("-DFAKE_OLD");
	refuses(TWO "window a bytes=4KiB ratio=1\n"
		    "launch other grid=1 block=1 args=a",
		ERR_SKIPPED, "the driver is too old for access-policy windows");
}
