/* What loads do not pass: divisions, and shuffles where a warp may be divided;
   and parameters that are loaded behind an early exit. Lines of the body count
   from 1. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_parts, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".reg .pred %p<4>;\n.reg .b32 %r<64>;\n.reg .b64 %d<16>;\n"            \
	".reg .f32 %f<64>;\n.reg .f64 %e<8>;\n"                                \
	"ld.param.u64 %d0, [p_a];\ncvta.to.global.u64 %d1, %d0;\n"             \
	"mov.u32 %r0, %tid.x;\n"
#define HEAD_LINES 13
#define TAIL       "ret;\n}\n"

static uint32_t at(const struct made_code *m, uint32_t line)
{
	return code_place(m, HEAD_LINES + line);
}

static bool stands_before(const char *body, uint32_t line, uint32_t other)
{
	struct made_code m;
	bool before;

	code_of(&m, HEAD, TAIL, body);
	before = at(&m, line) < at(&m, other);
	code_end(&m);
	return before;
}

/* Does a load pass the operation, which stands before it in the text? */
static bool passes(const char *operation)
{
	char body[512];

	snprintf(body, sizeof(body),
		"ld.global.nc.f32 %%f1, [%%d1];\n%s\n"
		"ld.global.nc.f32 %%f3, [%%d1+512];\n"
		"add.f32 %%f4, %%f2, %%f3;\nst.global.f32 [%%d1+64], %%f4;\n",
		operation);
	return stands_before(body, 3, 2);
}

Test(code_parts, loads_stay_behind_what_goes_around_a_call)
{
	cr_expect_not(passes("rcp.rn.f32 %f2, %f1;"));
	cr_expect_not(passes("sqrt.rn.f32 %f2, %f1;"));
	cr_expect_not(passes("div.rn.f32 %f2, %f1, %f1;"));
	cr_expect(passes("rcp.approx.ftz.f32 %f2, %f1;"));
	cr_expect(passes("div.approx.f32 %f2, %f1, %f1;"));
	cr_expect(passes("add.f32 %f2, %f1, %f1;"));
}

/* Does a load pass shuffles in what only lanes execute whose `value` is less
   than 32? `back`: behind the last shuffle of two. */
static bool passes_shuffles(const char *value, const char *way_out, bool back)
{
	char body[1024];

	snprintf(body, sizeof(body),
		"%s\nsetp.gt.u32 %%p1, %%r9, 32;\n@%%p1 bra OUT;\n"
		"ld.global.nc.u32 %%r1, [%%d1];\n"
		"shfl.sync.bfly.b32 %%r2, %%r1, 1, 31, -1;\n"
		"ld.global.nc.u32 %%r3, [%%d1+512];\n"
		"shfl.sync.bfly.b32 %%r4, %%r2, 2, 31, -1;\n"
		"ld.global.nc.u32 %%r5, [%%d1+1024];\n"
		"add.u32 %%r6, %%r3, %%r5;\nadd.u32 %%r7, %%r6, %%r4;\n"
		"st.global.u32 [%%d1+64], %%r7;\nOUT:\n%s",
		value, way_out);
	return back ? stands_before(body, 8, 7) : stands_before(body, 6, 5);
}

Test(code_parts, loads_stay_behind_shuffles_where_a_warp_may_be_divided)
{
	static const char of_lane[] = "mov.u32 %r9, %tid.x;";
	static const char of_block[] = "mov.u32 %r9, %ctaid.x;";
	static const char loaded[] = "ld.global.u32 %r9, [%d1+2048];";
	static const char store[] = "st.global.u32 [%d1+128], %r0;\n";

	cr_expect_not(passes_shuffles(of_lane, store, false));
	cr_expect_not(passes_shuffles(of_lane, store, true));
	cr_expect(passes_shuffles(of_block, store, false));
	cr_expect(passes_shuffles(of_block, store, true));
	/* The same for all lanes, as its address is. */
	cr_expect(passes_shuffles(loaded, store, false));
}

Test(code_parts, an_early_exit_divides_nothing)
{
	cr_expect(passes_shuffles("mov.u32 %r9, %tid.x;", "", false));
	cr_expect(passes_shuffles("mov.u32 %r9, %tid.x;", "", true));
}

/* What it is made of differs from lane to lane, two steps away. */
Test(code_parts, what_differs_is_found_through_registers)
{
	cr_expect_not(
		passes_shuffles("shl.b32 %r8, %r0, 2; add.u32 %r9, %r8, 5;",
			"st.global.u32 [%d1+128], %r0;\n", false));
}

Test(code_parts, what_a_warp_agrees_on_is_the_same_for_its_lanes)
{
	static const char store[] = "st.global.u32 [%d1+128], %r0;\n";

	cr_expect(passes_shuffles("setp.gt.u32 %p2, %r0, 5; "
				  "vote.sync.ballot.b32 %r9, %p2, -1;",
		store, false));
	cr_expect(passes_shuffles(
		"shfl.sync.idx.b32 %r9, %r0, 0, 31, -1;", store, false));
	cr_expect_not(passes_shuffles(
		"shfl.sync.bfly.b32 %r9, %r0, 1, 31, -1;", store, false));
}

/* Slots of the load of a second parameter. */
static unsigned slots_behind(const char *exit, const char *use)
{
	struct made_code m;
	char body[512];
	unsigned slots;

	snprintf(body, sizeof(body),
		"ld.param.u64 %%d2, [p_b];\nsetp.gt.u32 %%p1, %%r0, 5;\n%s\n"
		"%s\nst.global.u32 [%%d2], %%r0;\nOUT:\n",
		use, exit);
	code_of(&m, HEAD, TAIL, body);
	slots = m.code.insns[at(&m, 1)].slots;
	code_end(&m);
	return slots;
}

Test(code_parts, parameters_that_an_exit_does_not_need_come_behind_it)
{
	cr_expect_eq(slots_behind("@%p1 bra OUT;", ""), 1);
	cr_expect_eq(slots_behind("@%p1 exit;", ""), 1);
	cr_expect_eq(slots_behind("", ""), 0, "there is no exit");
	cr_expect_eq(slots_behind("@%p1 bra OUT;", "add.u64 %d3, %d2, 4;"), 0,
		"it is used before");
	cr_expect_eq(slots_behind("@%p1 bra OUT;", "mov.b64 %d2, 64;"), 0,
		"another value takes its place before");
}
