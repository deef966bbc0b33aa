/*
 * The CUDA backend on a driver without a GPU (tests/support/fake_cuda.c),
 * which is compiled into a temporary folder by each test that needs it.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "harness/contract/backend.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "tests/unit/fake_driver.h"

#define GRANULARITY 5
#define CARVEOUT    6

static void refuses_to_open(const char *mode, int code, const char *text)
{
	struct backend_config config = {.device_index = 0};
	struct backend *backend = NULL;
	struct error error = {""};

	setenv("FAKE_CUDA", mode, 1);
	cr_assert_eq(backend_cuda.open(&backend, &config, &error), code);
	cr_assert_null(backend);
	cr_assert(strstr(error.text, text), "%s", error.text);
}

/* Two warps that time one loop over a zeroed buffer. */
static void make_program(struct program *p, enum memory_kind memory)
{
	struct buffer buffer = {
		.name = "data", .bytes = 1 << 16, .memory = memory};
	struct role *role;
	struct insn *insn;

	program_init(p, "probe", 1);
	program_buffer(p, &buffer);
	program_launch(p, "measure");
	role = program_role(p, "reader");
	role->place = PLACE_SMS;
	role->sm_count = 1;
	role->blocks = 1;
	role->threads = 64;
	role->lanes = 32;
	program_timed(p, 4, TIMING_REGION, "measure");
	insn = program_insn(p, OP_LD);
	insn->q[Q_SPACE] = QV_SPACE_global;
	insn->q[Q_TYPE] = QV_TYPE_u32;
	insn->address.mode = ADDRESS_AFFINE;
	program_end(p);
}

static void run_fails(const char *mode, int code, const char *text)
{
	struct program program;
	struct result result = {0};
	struct error error = {""};
	struct backend *backend;

	build_fake("");
	setenv("FAKE_CUDA", mode, 1);
	backend = open_fake();
	make_program(&program, MEMORY_COMPRESSIBLE);
	cr_assert_eq(
		backend_cuda.run(backend, &program, &result, &error), code);
	cr_assert(strstr(error.text, text), "%s", error.text);
	cr_assert_eq(result.sample_count, 0);
	backend_cuda.close(backend);
	result_free(&result);
	remove_fake();
}

Test(cuda_driver, absent_library)
{
	setenv("NEARFAR_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
	refuses_to_open("", ERR_ABSENT,
		"no CUDA driver on this machine: /nonexistent/libcuda.so.1 "
		"was not found");
}

Test(cuda_driver, broken_library)
{
	setenv("NEARFAR_LIBCUDA", FAKE_SOURCE, 1);
	refuses_to_open("", ERR_ABSENT, "no CUDA driver on this machine");
}

Test(cuda_driver, missing_symbol, .fini = remove_fake)
{
	build_fake("-DFAKE_WITHOUT_LIMITS");
	refuses_to_open("", ERR_ABSENT,
		"too old: 'libcuda.so.1' has no 'cuCtxSetLimit'");
}

Test(cuda_driver, toolkit_library, .fini = remove_fake)
{
	build_fake("");
	refuses_to_open("init34", ERR_ABSENT, "(cuInit returned 34)");
}

Test(cuda_driver, no_device, .fini = remove_fake)
{
	build_fake("");
	setenv("CUDA_VISIBLE_DEVICES", "7", 1);
	refuses_to_open("init100", ERR_ABSENT,
		"the driver finds none under CUDA_VISIBLE_DEVICES='7'");
}

Test(cuda_driver, wrong_device, .fini = remove_fake)
{
	struct backend_config config = {.device_index = 3};
	struct backend *backend = NULL;
	struct error error;

	build_fake("");
	cr_assert_eq(backend_cuda.open(&backend, &config, &error), ERR_USAGE);
	cr_assert_str_eq(error.text, "no CUDA device '3': 1 is visible");
}

Test(cuda_driver, wrong_watchdog, .fini = remove_fake)
{
	build_fake("");
	setenv("NEARFAR_WATCHDOG_SECONDS", "soon", 1);
	refuses_to_open("", ERR_USAGE, "NEARFAR_WATCHDOG_SECONDS is 'soon'");
	setenv("NEARFAR_WATCHDOG_SECONDS", "inf", 1);
	refuses_to_open("", ERR_USAGE, "NEARFAR_WATCHDOG_SECONDS is 'inf'");
	setenv("NEARFAR_WATCHDOG_SECONDS", "86401", 1);
	refuses_to_open("", ERR_USAGE, "from 0 to 86400");
	setenv("NEARFAR_WATCHDOG_SECONDS", "86400", 1);
	backend_cuda.close(open_fake());
}

Test(cuda_driver, wrong_jit_level, .fini = remove_fake)
{
	static const char *const wrong[] = {"5", "-1", "fast", "00"};
	struct backend_config config = {0};
	struct backend *backend;
	struct error error;
	size_t i;

	build_fake("");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("NEARFAR_JIT_LEVEL", wrong[i], 1);
		refuses_to_open("", ERR_USAGE, "not a level from 0 to 4");
	}
	setenv("NEARFAR_JIT_LEVEL", "0", 1);
	cr_assert_eq(backend_cuda.open(&backend, &config, &error), 0, "%s",
		error.text);
	backend_cuda.close(backend);
}

Test(cuda_driver, describes, .fini = remove_fake)
{
	struct device device;
	struct facts facts = {0};
	struct error error;
	struct backend *backend;

	build_fake("");
	backend = open_fake();
	cr_assert_eq(
		backend_cuda.describe(backend, &device, &facts, &error), 0);
	cr_assert_str_eq(device.name, "Fake GPU");
	cr_assert_eq(device.sm_arch, 90);
	cr_assert_eq(device.ptx_version, 87);
	cr_assert_eq(device.l1_bytes, 256 << 10);
	cr_assert_eq(device.warps_per_sm_max, 64);
	cr_assert_str_eq(facts_find(&facts, "device.uuid"),
		"GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
	cr_assert_str_eq(facts_find(&facts, "cuda.version"), "12.8");
	cr_assert_str_eq(facts_find(&facts, "nvml"),
		"absent: /nonexistent/libnvidia-ml.so.1 was not found");
	facts_free(&facts);
	backend_cuda.close(backend);
}

/* Of each release the newest PTX that it reads; of others the one before. */
Test(cuda_driver, versions_of_ptx_are_those_of_the_driver, .fini = remove_fake)
{
	static const struct {
		const char *cuda;
		uint32_t ptx;
	} cases[] = {
		{"11000", 70},
		{"11010", 71},
		{"11020", 72},
		{"11030", 73},
		{"11040", 74},
		{"11050", 75},
		{"11060", 76},
		{"11070", 77},
		{"11080", 78},
		{"12000", 80},
		{"12010", 81},
		{"12020", 82},
		{"12030", 83},
		{"12040", 84},
		{"12050", 85},
		{"12060", 85},
		{"12070", 86},
		{"12080", 87},
		{"12090", 88},
		{"13000", 90},
		{"13010", 91},
		{"14000", 91},
	};
	struct error error = {""};
	struct backend *backend;
	struct device device;
	size_t i;

	build_fake("");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct facts facts = {0};

		setenv("FAKE_CUDA_VERSION", cases[i].cuda, 1);
		backend = open_fake();
		cr_assert_eq(
			backend_cuda.describe(backend, &device, &facts, &error),
			0, "%s", error.text);
		cr_expect_eq(device.ptx_version, cases[i].ptx, "CUDA %s: %u",
			cases[i].cuda, device.ptx_version);
		facts_free(&facts);
		backend_cuda.close(backend);
	}
}

Test(cuda_driver, runs_and_gives_back, .fini = remove_fake)
{
	struct program program;
	struct result result = {0};
	struct error error = {""};
	struct backend *backend;
	void *keep;
	int i, compilations = 0;

	build_fake("");
	keep = dlopen(fake_library(), RTLD_NOW);
	backend = open_fake();
	make_program(&program, MEMORY_COMPRESSIBLE);
	for (i = 0; i < 3; i++) {
		cr_assert_eq(
			backend_cuda.run(backend, &program, &result, &error), 0,
			"%s", error.text);
		cr_assert_eq(result.sample_count, 2);
		cr_assert_eq(result.samples[1].warp, 1);
		cr_assert_eq(result.samples[1].sm, 2);
		cr_assert_eq(result.samples[1].cycles, 200000);
		cr_assert_eq(result.spans[0].ns, 100000);
		cr_assert_float_eq(result.clock_hz, 2e9, 1);
		if (i)
			cr_assert_eq(compilations,
				ask_fake("fake_cuda_compilations"));
		compilations = ask_fake("fake_cuda_compilations");
	}
	backend_cuda.close(backend);
	cr_assert_eq(ask_fake("fake_cuda_live"), 0);
	result_free(&result);
	dlclose(keep);
}

/* The thread that closes a device has opened another one since. */
Test(cuda_driver, two_devices_give_all_back, .fini = remove_fake)
{
	struct backend *backends[2];
	struct program program;
	struct result result = {0};
	struct error error = {""};
	void *keep;
	int i;

	build_fake("");
	setenv("FAKE_CUDA", "two", 1);
	keep = dlopen(fake_library(), RTLD_NOW);
	make_program(&program, MEMORY_COMPRESSIBLE);
	for (i = 0; i < 2; i++) {
		const struct backend_config config = {.device_index = i};

		cr_assert_eq(0,
			backend_cuda.open(&backends[i], &config, &error), "%s",
			error.text);
	}
	for (i = 0; i < 2; i++)
		cr_assert_eq(0,
			backend_cuda.run(
				backends[i], &program, &result, &error),
			"%s", error.text);
	for (i = 0; i < 2; i++)
		backend_cuda.close(backends[i]);
	cr_assert_eq(ask_fake("fake_cuda_live"), 0);
	result_free(&result);
	dlclose(keep);
}

/* The peer's memory and the host's are given back, each where it is from. */
Test(cuda_driver, far_memory_is_given_back, .fini = remove_fake)
{
	static const enum memory_kind kinds[] = {MEMORY_PEER, MEMORY_HOST};
	struct result result = {0};
	struct error error = {""};
	struct facts facts = {0};
	struct program program;
	struct device device;
	struct backend *backend;
	void *keep;
	size_t i;

	build_fake("");
	setenv("FAKE_CUDA", "two", 1);
	keep = dlopen(fake_library(), RTLD_NOW);
	backend = open_fake();
	for (i = 0; i < 2; i++) {
		make_program(&program, kinds[i]);
		cr_assert_eq(0,
			backend_cuda.run(backend, &program, &result, &error),
			"%s", error.text);
		/* larger: the block is replaced */
		program.buffers[0].bytes = 1 << 23;
		program.buffers[0].fill = FILL_RANDOM;
		cr_assert_eq(0,
			backend_cuda.run(backend, &program, &result, &error),
			"%s", error.text);
	}
	cr_assert_eq(ask_fake("fake_cuda_reached"), 1);
	cr_assert_eq(
		backend_cuda.describe(backend, &device, &facts, &error), 0);
	cr_assert_str_eq(facts_find(&facts, "peer.name"), "Fake GPU 2");
	cr_assert_str_eq(facts_find(&facts, "peer.performance_rank"), "0");
	cr_assert_str_eq(facts_find(&facts, "peer.reached"), "yes");
	backend_cuda.close(backend);
	cr_assert_eq(ask_fake("fake_cuda_live"), 0);
	facts_free(&facts);
	result_free(&result);
	dlclose(keep);
}

/* A ring through the memories of several peers: each is taken from its own
   device, from the second on in a ring, and given back there. */
Test(cuda_driver, peers_are_told_apart, .fini = remove_fake)
{
	static const char text[] =
		"nearfar-program 1\nname ring\nseed 1\n"
		"buffer a bytes=1MiB fill=ring slot=128 through=4\n"
		"buffer b bytes=1MiB fill=ring slot=128 memory=peer peer=1\n"
		"buffer c bytes=1MiB fill=ring slot=128 memory=peer peer=%d\n"
		"buffer d bytes=1MiB fill=ring slot=128 memory=peer peer=1\n"
		"flush\nlaunch chase\n"
		"  role chase sms=0:1 threads=32 lanes=1\n"
		"    repeat 4 time=region region=measure\n"
		"      ld.global.cg.b64 [a chase]\n"
		"      ld.global.cg.b64 [b chase]\n"
		"      ld.global.cg.b64 [c chase]\n"
		"      ld.global.cg.b64 [d chase]\n"
		"    end\n";
	static const struct {
		int peer, code, owners;
	} rows[] = {{1, 0, 3}, {2, 0, 7}, {3, 0, 15}, {4, ERR_SKIPPED, 15},
		{0, 0, 15}};
	struct result result = {0};
	struct error error = {""};
	struct program program;
	struct backend *backend;
	char with[sizeof(text)];
	void *keep;
	size_t i;

	build_fake("");
	setenv("FAKE_CUDA", "four", 1);
	keep = dlopen(fake_library(), RTLD_NOW);
	backend = open_fake();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(with, sizeof(with), text, rows[i].peer);
		cr_assert_eq(program_parse(with, "ring", &program, &error), 0,
			"%s", error.text);
		cr_assert_eq(
			program_check(&program, &error), 0, "%s", error.text);
		cr_assert_eq(
			backend_cuda.run(backend, &program, &result, &error),
			rows[i].code, "%s", error.text);
		cr_expect_eq(ask_fake("fake_cuda_owners"), rows[i].owners,
			"peer=%d: %d", rows[i].peer,
			ask_fake("fake_cuda_owners"));
	}
	cr_expect(strstr(error.text,
			  "buffer 'c' is in the memory of peer 4, and of 'Fake "
			  "GPU' there are 3"),
		"%s", error.text);
	backend_cuda.close(backend);
	cr_assert_eq(ask_fake("fake_cuda_live"), 0);
	result_free(&result);
	dlclose(keep);
}

/* Copies are timed by events, and need no launch. */
Test(cuda_driver, copies, .fini = remove_fake)
{
	const struct buffer near = {.name = "near", .bytes = 1 << 16};
	const struct buffer far = {
		.name = "far", .bytes = 1 << 16, .memory = MEMORY_HOST};
	struct result result = {0};
	struct error error = {""};
	struct program program;
	struct backend *backend;
	struct step *step;
	void *keep;
	int i;

	build_fake("");
	keep = dlopen(fake_library(), RTLD_NOW);
	backend = open_fake();
	program_init(&program, "copies", 1);
	program_buffer(&program, &near);
	program_buffer(&program, &far);
	for (i = 0; i < 2; i++) {
		step = program_step(&program, STEP_COPY);
		step->buffer = (uint8_t)i;
		step->target = (uint8_t)!i;
		step->bytes = 1 << 16;
	}
	cr_assert_eq(backend_cuda.run(backend, &program, &result, &error), 0,
		"%s", error.text);
	cr_expect_eq(result.copied.bytes, 2 << 16);
	cr_expect_eq(result.copied.ns, 2e6); /* as the fake's events say */
	cr_expect_eq(result.disturbances, 0);
	backend_cuda.close(backend);
	cr_assert_eq(ask_fake("fake_cuda_live"), 0);
	result_free(&result);
	dlclose(keep);
}

static void far_memory_fails(
	const char *mode, enum memory_kind memory, const char *text)
{
	struct result result = {0};
	struct error error = {""};
	struct program program;
	struct backend *backend;

	build_fake("");
	setenv("FAKE_CUDA", mode, 1);
	backend = open_fake();
	make_program(&program, memory);
	cr_assert_eq(backend_cuda.run(backend, &program, &result, &error),
		ERR_SKIPPED);
	cr_assert(strstr(error.text, text), "%s", error.text);
	backend_cuda.close(backend);
	result_free(&result);
	remove_fake();
}

Test(cuda_driver, no_peer)
{
	far_memory_fails("", MEMORY_PEER,
		"peer memory needs a second GPU, and 'Fake GPU' is the only "
		"one that is visible");
}

Test(cuda_driver, unreachable_peer)
{
	far_memory_fails("two apart", MEMORY_PEER,
		"'Fake GPU' (device 0) cannot reach the memory of 'Fake GPU 2' "
		"(device 1)");
}

/* Of a link that is not there nothing is asked. */
Test(cuda_driver, a_peer_out_of_reach_has_no_link, .fini = remove_fake)
{
	struct error error = {""};
	struct facts facts = {0};
	struct device device;
	struct backend *backend;

	build_fake("");
	setenv("FAKE_CUDA", "two apart", 1);
	setenv("FAKE_CUDA_FAULT", "cuDeviceGetP2PAttribute:1+", 1);
	backend = open_fake();
	cr_assert_eq(
		backend_cuda.describe(backend, &device, &facts, &error), 0);
	cr_expect_str_eq(facts_find(&facts, "peer.reached"), "no");
	cr_expect_null(facts_find(&facts, "peer.native_atomics"));
	backend_cuda.close(backend);
	facts_free(&facts);
}

/* Whoever closes the last device needs the driver no longer. */
Test(cuda_driver, a_closed_device_leaves_no_library, .fini = remove_fake)
{
	struct backend *backend;
	void *library;

	build_fake("");
	backend = open_fake();
	library = dlopen(fake_library(), RTLD_NOW | RTLD_NOLOAD);
	cr_assert(library);
	dlclose(library);
	backend_cuda.close(backend);
	cr_expect_null(dlopen(fake_library(), RTLD_NOW | RTLD_NOLOAD));
}

Test(cuda_driver, full_peer)
{
	far_memory_fails("two full", MEMORY_PEER,
		"the peer device has no 6.1e-05 GiB of free memory for program "
		"'probe'");
}

Test(cuda_driver, full_host)
{
	far_memory_fails("full", MEMORY_HOST,
		"the host has no 6.1e-05 GiB of free memory");
}

Test(cuda_driver, restores_limits, .fini = remove_fake)
{
	struct program program;
	struct result result = {0};
	struct error error = {""};
	struct backend *backend;

	build_fake("");
	backend = open_fake();
	make_program(&program, MEMORY_PLAIN);
	program_step(&program, STEP_GRANULARITY)->bytes = 32;
	program_step(&program, STEP_CARVEOUT)->bytes = 1 << 18;
	program_step(&program, STEP_RESET);
	cr_assert_eq(backend_cuda.run(backend, &program, &result, &error), 0,
		"%s", error.text);
	cr_assert_eq(fake_limit(GRANULARITY), 64);
	cr_assert_eq(fake_limit(CARVEOUT), 0);

	program_step(&program, STEP_CARVEOUT)->bytes = 1 << 20;
	cr_assert_eq(backend_cuda.run(backend, &program, &result, &error),
		ERR_SKIPPED);
	cr_assert(strstr(error.text, "at most 524288 B"), "%s", error.text);
	cr_assert_eq(fake_limit(CARVEOUT), 0);
	backend_cuda.close(backend);
	result_free(&result);
}

static int run_with_window(const char *flags, struct error *error)
{
	struct program program, plain;
	struct result result = {0};
	struct backend *backend;
	struct step window = {
		.kind = STEP_WINDOW, .bytes = 4096, .hit_ratio = 0.5};
	int code;

	build_fake(flags);
	backend = open_fake();
	make_program(&plain, MEMORY_PLAIN);
	program = plain;
	program.steps[0] = window;
	program.steps[1] = plain.steps[0];
	program.step_count = 2;
	code = backend_cuda.run(backend, &program, &result, error);
	if (!code)
		cr_assert_eq(ask_fake("fake_cuda_windows"), 1);
	backend_cuda.close(backend);
	result_free(&result);
	return code;
}

Test(cuda_driver, window, .fini = remove_fake)
{
	struct error error = {""};

	cr_assert_eq(run_with_window("", &error), 0, "%s", error.text);
}

Test(cuda_driver, window_on_an_old_driver, .fini = remove_fake)
{
	struct error error = {""};

	cr_assert_eq(run_with_window("-DFAKE_OLD", &error), ERR_SKIPPED);
	cr_assert(strstr(error.text, "'cuLaunchKernelEx'"), "%s", error.text);
}

Test(cuda_driver, compiler_log)
{
	run_fails("jit", ERR_FAILED,
		"cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218) in "
		"program 'probe': ptxas application ptx input, line 7; fatal "
		": wrong");
}

Test(cuda_driver, illegal_address)
{
	run_fails("fault", ERR_LOST,
		"cuLaunchKernel of launch 'measure' failed: "
		"CUDA_ERROR_ILLEGAL_ADDRESS (700) in program 'probe'");
}

Test(cuda_driver, silent_warp)
{
	run_fails("silent", ERR_FAILED,
		"warp 0 in region 'measure' of program 'probe' never ran");
}

Test(cuda_driver, full_memory)
{
	run_fails("full", ERR_SKIPPED, "of free memory for program 'probe'");
}

Test(cuda_driver, incompressible)
{
	run_fails("incompressible", ERR_SKIPPED, "gave no compressible memory");
}

Test(cuda_driver, hung_kernel)
{
	setenv("NEARFAR_WATCHDOG_SECONDS", "0.05", 1);
	run_fails("hang", ERR_LOST,
		"launch 'measure' of program 'probe' did not end within 0.05 "
		"s");
}

Test(cuda_driver, lost_device, .fini = remove_fake)
{
	struct program program;
	struct result result = {0};
	struct error error = {""};
	struct backend *backend;

	build_fake("");
	setenv("FAKE_CUDA", "fault", 1);
	backend = open_fake();
	make_program(&program, MEMORY_PLAIN);
	backend_cuda.run(backend, &program, &result, &error);
	unsetenv("FAKE_CUDA");
	cr_assert_eq(
		backend_cuda.run(backend, &program, &result, &error), ERR_LOST);
	cr_assert(
		strstr(error.text, "lost in an earlier run"), "%s", error.text);
	backend_cuda.close(backend);
	result_free(&result);
}
