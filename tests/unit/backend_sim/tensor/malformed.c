/* Instructions of matrices, tensors and clusters that ptxas 13.0 refuses. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(tensor_malformed, .timeout = 120);

static const struct {
	const char *insn, *sentence;
} rows[] = {
#include "tests/unit/backend_sim/tensor/malformed.inc"
};

#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

static const char head[] =
	".version 8.6\n.target sm_90a\n.address_size 64\n"
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
	".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<140>;\n"
	".reg .b64 %d<20>;\n.reg .f32 %f<140>;\n.reg .f64 %e<20>;\n"
	".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar;\n"
	"mov.u32 %r0, s;\nmov.u32 %r1, bar;\nld.param.u64 %d0, [p_a];\n";

Test(tensor_malformed, what_the_assembler_refuses_is_refused_by_one_sentence)
{
	const struct job_wishes wishes = {.max_cycles = 1000000};
	char ptx[4096];
	struct ran r;
	size_t i;

	for (i = 0; i < ROW_COUNT; i++) {
		snprintf(ptx, sizeof(ptx), "%s%s\nret;\n}\n", head,
			rows[i].insn);
		kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=128", &wishes);
		cr_expect_neq(r.code, 0, "%s", rows[i].insn);
		cr_expect(strstr(r.error.text, rows[i].sentence),
			"%s\n    expected: %s", r.error.text, rows[i].sentence);
		cr_expect(!strncmp(r.error.text, "m.ptx:17:1: ", 12), "%s",
			r.error.text);
		kernel_end(&r);
	}
}
