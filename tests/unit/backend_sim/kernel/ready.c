/* What is refused of a job before anything runs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_ready, .timeout = 120);

#define MODULE(target) ".version 8.6\n.target " target "\n.address_size 64\n"
#define KERNEL(name, limits, body)                                             \
	".entry " name "(.param .u64 p, .param .u64 q)" limits                 \
	"\n{.reg .b32 %r; .reg .b64 "                                          \
	"%d;\n" body "ret;}\n"

static void ends(const char *ptx, const char *launch, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;

	kernel_run(NULL, &r, ptx, BUFFERS, launch, &wishes);
	if (!sentence) {
		cr_expect_eq(r.code, 0, "%s", r.error.text);
	} else {
		cr_expect_eq(r.code, ERR_USAGE);
		cr_expect_str_eq(r.error.text, sentence);
	}
	kernel_end(&r);
}

#define OF(limits) MODULE("sm_90") KERNEL("k", limits, "")

Test(kernel_ready, a_block_is_as_large_as_the_kernel_allows)
{
	ends(OF(".maxntid 128"), "grid=1 block=128", NULL);
	ends(OF(".maxntid 128"), "grid=1 block=2,64", NULL);
	ends(OF(".maxntid 128"), "grid=1 block=129",
		"launch 'k' has blocks of 129 threads, the kernel allows 128 "
		"(.maxntid)");
	ends(OF(".reqntid 64,2"), "grid=1 block=64,2", NULL);
	ends(OF(".reqntid 64,2"), "grid=1 block=128",
		"launch 'k' has block=128,1,1, the kernel requires 64,2,1 "
		"(.reqntid)");
	ends(OF(".maxnreg 32"), "grid=1 block=32 registers=33",
		"launch 'k' has registers=33, the kernel allows 32 (.maxnreg)");
}

/* The fixture passes two addresses. */
Test(kernel_ready, arguments_are_those_of_the_kernel)
{
	ends(MODULE("sm_90") ".entry k(.param .u64 p){ret;}\n",
		"grid=1 block=32",
		"launch 'k' has 2 arguments, the kernel takes 1");
	ends(MODULE("sm_90") ".entry k(.param .u64 p, .param .u32 q){ret;}\n",
		"grid=1 block=32",
		"argument 2 of launch 'k' has 8 bytes, the kernel's parameter "
		"4");
}

Test(kernel_ready, a_target_is_no_newer_than_the_machine)
{
	ends(MODULE("sm_100") KERNEL("k", "", ""), "grid=1 block=32",
		"m.ptx:2:9: '.target sm_100' is newer than the machine, which "
		"has compute capability 9.0");
	ends(MODULE("sm_80") KERNEL("k", "", ""), "grid=1 block=32", NULL);
	ends(MODULE("sm_90a") KERNEL("k", "", ""), "grid=1 block=32", NULL);
	ends(MODULE("sm_100a") KERNEL("k", "", ""), "grid=1 block=32",
		"m.ptx:2:9: '.target sm_100a' is for compute capability 10.0 "
		"alone, the machine has 9.0");
}

/* Another entry, and a function that nobody calls. */
Test(kernel_ready, who_launches_what_is_not_modelled_is_refused)
{
	static const char bad[] = "tcgen05.ld {%d};\n";
	char ptx[1024];

	snprintf(ptx, sizeof(ptx), "%s.func f(){%sret;}\n%s%s", MODULE("sm_90"),
		bad, KERNEL("other", "", "tcgen05.ld {%d};\n"),
		KERNEL("k", "", ""));
	ends(ptx, "grid=1 block=32", NULL);
	snprintf(ptx, sizeof(ptx), "%s.func f(){%sret;}\n%s", MODULE("sm_90"),
		bad, KERNEL("k", "", "call f;\n"));
	ends(ptx, "grid=1 block=32",
		"m.ptx:4:11: 'tcgen05.ld': tensor memory is not modelled");
}

#define TIMES_10(x) x x x x x x x x x x

/* Sixteen functions that each call the next one ten times hold nothing. */
Test(kernel_ready, calls_of_nothing_are_counted, .timeout = 20)
{
	char ptx[4096];
	size_t used = (size_t)snprintf(
		ptx, sizeof(ptx), "%s.func f0(){ret;}\n", MODULE("sm_90"));
	unsigned i;

	for (i = 1; i < 15; i++) {
		char call[16];
		unsigned k;

		snprintf(call, sizeof(call), "call f%u;", i - 1);
		used += (size_t)snprintf(
			ptx + used, sizeof(ptx) - used, ".func f%u(){", i);
		for (k = 0; k < 10; k++)
			used += (size_t)snprintf(
				ptx + used, sizeof(ptx) - used, "%s", call);
		used += (size_t)snprintf(ptx + used, sizeof(ptx) - used, "}\n");
	}
	snprintf(ptx + used, sizeof(ptx) - used, "%s",
		KERNEL("k", "", "call f14;\n"));
	ends(ptx, "grid=1 block=32",
		"m.ptx:5:36: expected at most 65536 calls and 1048576 "
		"registers, with all calls expanded");
}

/* A function's shared variable has one place, wherever it is called from: the
   second call finds what the first one left. */
Test(kernel_ready, a_function_s_shared_memory_is_one)
{
	static const char ptx[] = MODULE(
		"sm_90") ".func (.param .b32 r) f(.param .b32 x){\n"
			 ".shared .align 4 .b32 place; .reg .b32 a, b;\n"
			 "ld.param.b32 a, [x]; ld.shared.b32 b, [place];\n"
			 "st.shared.b32 [place], a; st.param.b32 [r], b; "
			 "ret;}\n"
			 ".entry k(.param .u64 p, .param .u64 q)\n{.reg .b32 "
			 "a; .reg .b64 d;\n"
			 ".param .b32 t; .param .b32 u;\n"
			 "st.param.b32 [t], 5; call (u), f, (t);\n"
			 "st.param.b32 [t], 6; call (u), f, (t);\n"
			 "ld.param.b32 a, [u]; ld.param.b64 d, [p];\n"
			 "st.global.b32 [d], a; ret;}\n";
	const struct job_wishes wishes = {.contents = true};
	struct ran r;
	uint32_t word;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=1", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	memcpy(&word, r.result.contents[0], sizeof(word));
	cr_expect_eq(word, 5);
	kernel_end(&r);
}
