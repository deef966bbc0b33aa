/* Calls of what registers hold, functions that call themselves, branches
   through tables, and addresses among initial values. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_calls, .timeout = 60);

#define VERSION ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY                                                                  \
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"            \
	"ld.param.u64 %d1, [p_b];\nmov.u32 %r0, %tid.x;\n"                     \
	"mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d4, %d1, %d2;\n"

/* 64 threads each leave a word in b. */
static void leaves(const char *functions, const char *body,
	uint32_t (*expected)(uint32_t i))
{
	const struct job_wishes wishes = {.contents = true};
	char ptx[8192];
	struct ran r;
	uint32_t i, word;

	snprintf(ptx, sizeof(ptx), "%s%s%s%s%s", VERSION, functions, ENTRY,
		body, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=64", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	for (i = 0; i < 64; i++) {
		memcpy(&word, (const uint8_t *)r.result.contents[1] + 4 * i,
			sizeof(word));
		cr_assert_eq(word, expected(i),
			"thread %" PRIu32 ": %" PRIu32 ", not %" PRIu32, i,
			word, expected(i));
	}
	kernel_end(&r);
}

static void fails(const char *functions, const char *body, const char *sentence)
{
	const struct job_wishes wishes = {0};
	char ptx[8192];
	struct ran r;

	snprintf(ptx, sizeof(ptx), "%s%s%s%s%s", VERSION, functions, ENTRY,
		body, TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=64", &wishes);
	cr_assert_neq(r.code, 0);
	cr_assert_not_null(strstr(r.error.text, sentence), "%s", r.error.text);
	kernel_end(&r);
}

#define THREE                                                                  \
	".func (.param .b32 o) f0 (.param .b32 i)\n"                           \
	"{ .reg .b32 %r; ld.param.u32 %r, [i]; mul.lo.u32 %r, %r, 3;\n"        \
	"  st.param.b32 [o], %r; ret; }\n"                                     \
	".func (.param .b32 o) f1 (.param .b32 i)\n"                           \
	"{ .reg .b32 %r; ld.param.u32 %r, [i]; sub.u32 %r, %r, 7;\n"           \
	"  st.param.b32 [o], %r; ret; }\n"                                     \
	".func (.param .b32 o) f2 (.param .b32 i)\n"                           \
	"{ .reg .b32 %r; ld.param.u32 %r, [i]; add.u32 %r, %r, 100;\n"         \
	"  st.param.b32 [o], %r; ret; }\n"                                     \
	".func f3 (.param .b64 i) { ret; }\n"                                  \
	".global .align 8 .u64 table[] = {f0, f1, f2, f3};\n"

#define CALL_OF_TABLE(functions)                                               \
	"mul.wide.u32 %d5, %r1, 8; mov.u64 %d6, table;\n"                      \
	"add.u64 %d5, %d5, %d6; ld.global.u64 %d7, [%d5];\n"                   \
	"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n" functions   \
	"  ld.param.b32 %r2, [y]; }\nst.global.u32 [%d4], %r2;\n"

static uint32_t by_three(uint32_t i)
{
	return i % 3 == 0 ? 3 * i : i % 3 == 1 ? i - 7 : i + 100;
}

Test(kernel_calls, lanes_go_to_what_their_registers_hold)
{
	leaves(THREE,
		"rem.u32 %r1, %r0, 3;\n" CALL_OF_TABLE(
			"proto: .callprototype (.param .b32 _) _ "
			"(.param .b32 _);\ncall (y), %d7, (x), proto;\n"),
		by_three);
	leaves(THREE,
		"rem.u32 %r1, %r0, 3;\n" CALL_OF_TABLE(
			"some: .calltargets f2, f0, f1;\n"
			"call (y), %d7, (x), some;\n"),
		by_three);
}

Test(kernel_calls, of_what_is_none_of_its_functions_fails)
{
	fails(THREE,
		"mov.u32 %r1, 3;\n" CALL_OF_TABLE(
			"proto: .callprototype (.param .b32 _) _ "
			"(.param .b32 _);\ncall (y), %d7, (x), proto;\n"),
		"none of the functions that the call can be of");
	fails(".func (.param .b32 o) f (.param .b32 i) { ret; }\n",
		"mov.u64 %d7, %d1;\n{ .param .b64 x; st.param.b64 [x], %d1;\n"
		"proto: .callprototype _ (.param .b64 _);\n"
		"call %d7, (x), proto; }\n",
		"no function of this module whose address is taken");
}

static uint32_t odd_only(uint32_t i)
{
	return i & 1 ? 3 * i : i;
}

Test(kernel_calls, with_a_predicate_are_made_by_its_lanes)
{
	leaves(THREE,
		"and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1;\n"
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"
		"  st.param.b32 [y], %r0; @%p1 call (y), f0, (x);\n"
		"  ld.param.b32 %r2, [y]; }\nst.global.u32 [%d4], %r2;\n",
		odd_only);
}

static uint32_t less_seven(uint32_t i)
{
	return i - 7;
}

Test(kernel_calls, go_by_other_names)
{
	leaves(THREE ".func (.param .b32 o) other (.param .b32 i);\n"
		     ".alias other, f1;\n",
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"
		"  call (y), other, (x); ld.param.b32 %r2, [y]; }\n"
		"st.global.u32 [%d4], %r2;\n",
		less_seven);
	fails(".func f () { ret; }\n.alias f, f;\n", "",
		"expected a function that is declared, and one that is "
		"defined");
}

Test(kernel_calls, of_what_the_driver_has_are_refused_by_name)
{
	fails(".extern .func (.param .b64 r) malloc (.param .b64 s);\n",
		"{ .param .b64 x; .param .b64 y; st.param.b64 [x], %d1;\n"
		"  call (y), malloc, (x); }\n",
		"'malloc': memory that kernels allocate is not modelled");
}

/* ---- functions that call themselves ---- */

static uint32_t fibonacci(uint32_t i)
{
	return i < 2 ? i : fibonacci(i - 1) + fibonacci(i - 2);
}

static uint32_t fibonacci_of_seven(uint32_t i)
{
	return fibonacci(i & 7);
}

#define FIBONACCI                                                              \
	".func (.param .b32 o) fib (.param .b32 i)\n"                          \
	"{ .reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r0, [i];\n"           \
	"  setp.lt.u32 %p, %r0, 2; @%p bra END; sub.u32 %r1, %r0, 1;\n"        \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"           \
	"    call (y), fib, (x); ld.param.b32 %r2, [y]; }\n"                   \
	"  sub.u32 %r1, %r0, 2;\n"                                             \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"           \
	"    call (y), fib, (x); ld.param.b32 %r3, [y]; }\n"                   \
	"  add.u32 %r0, %r2, %r3;\n"                                           \
	"END: st.param.b32 [o], %r0; ret; }\n"

#define CALL_OF_FIBONACCI                                                      \
	"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"             \
	"  call (y), fib, (x); ld.param.b32 %r2, [y]; }\n"                     \
	"st.global.u32 [%d4], %r2;\n"

Test(kernel_calls, may_call_the_function_itself)
{
	leaves(FIBONACCI, "and.b32 %r1, %r0, 7;\n" CALL_OF_FIBONACCI,
		fibonacci_of_seven);
}

Test(kernel_calls, too_deep_are_named)
{
	fails(FIBONACCI, "mov.u32 %r1, 200;\n" CALL_OF_FIBONACCI,
		"a function calls itself more often than is modelled");
}

static uint32_t fibonacci_of_eleven(uint32_t i)
{
	return fibonacci(i % 12);
}

/* At two places: lanes go as deep as each wants, and come back apart. */
Test(kernel_calls, keep_what_their_callers_have)
{
	leaves(FIBONACCI, "rem.u32 %r1, %r0, 12;\n" CALL_OF_FIBONACCI,
		fibonacci_of_eleven);
}

#define PAIR(name, other, least)                                               \
	".func (.param .b32 o) " name " (.param .b32 i)\n"                     \
	"{ .reg .b32 %r<5>; .reg .b64 %w; .reg .pred %p;\n"                    \
	"  ld.param.u32 %r0, [i]; setp.eq.u32 %p, %r0, 0; mov.u32 %r3, " least \
	";\n  @%p bra END; sub.u32 %r1, %r0, 1; cvt.u64.u32 %w, %r0;\n"        \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"           \
	"    call (y), " name ", (x); ld.param.b32 %r2, [y]; }\n"              \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r2;\n"           \
	"    call (y), " other ", (x); ld.param.b32 %r2, [y]; }\n"             \
	"  cvt.u32.u64 %r3, %w; sub.u32 %r3, %r3, %r2;\n"                      \
	"END: st.param.b32 [o], %r3; ret; }\n"

static uint32_t male(uint32_t i);

static uint32_t female(uint32_t i)
{
	return i ? i - male(female(i - 1)) : 1;
}

static uint32_t male(uint32_t i)
{
	return i ? i - female(male(i - 1)) : 0;
}

static uint32_t female_of_ten(uint32_t i)
{
	return female(i % 11);
}

/* Two functions that call each other, and themselves. */
Test(kernel_calls, go_round_between_functions)
{
	leaves(".func (.param .b32 o) male (.param .b32 i);\n" PAIR(
		       "female", "male", "1") PAIR("male", "female", "0"),
		"rem.u32 %r1, %r0, 11;\n"
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
		"  call (y), female, (x); ld.param.b32 %r2, [y]; }\n"
		"st.global.u32 [%d4], %r2;\n",
		female_of_ten);
}

/* Whose addresses would be those of the caller's. */
Test(kernel_calls, with_memory_of_their_own_keep_nothing)
{
	fails(".func (.param .b32 o) fib (.param .b32 i)\n"
	      "{ .reg .b32 %r<4>; .reg .pred %p; .local .b32 own[4];\n"
	      "  ld.param.u32 %r0, [i]; st.local.u32 [own], %r0;\n"
	      "  setp.lt.u32 %p, %r0, 2; @%p bra END; sub.u32 %r1, %r0, 1;\n"
	      "  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
	      "    call (y), fib, (x); ld.param.b32 %r2, [y]; }\n"
	      "  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
	      "    call (y), fib, (x); ld.param.b32 %r3, [y]; }\n"
	      "  add.u32 %r0, %r2, %r3;\n"
	      "END: st.param.b32 [o], %r0; ret; }\n",
		"mov.u32 %r1, 40;\n" CALL_OF_FIBONACCI,
		"a function calls itself more often than is modelled");
}

static uint32_t twice_and_seven(uint32_t i)
{
	return 2 * (i % 4) + 7;
}

#define DOWN(name, below)                                                      \
	".func (.param .b32 o) " name " (.param .b32 i)\n"                     \
	"{ .reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r0, [i];\n"           \
	"  setp.eq.u32 %p, %r0, 0; @%p bra LAST; sub.u32 %r1, %r0, 1;\n"       \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"           \
	"    call (y), " name ", (x); ld.param.b32 %r2, [y]; }\n"              \
	"  add.u32 %r2, %r2, 2; bra END; LAST:\n"                              \
	"  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"           \
	"    call (y), " below ", (x); ld.param.b32 %r2, [y]; }\n"             \
	"END: st.param.b32 [o], %r2; ret; }\n"

/* Both expanded as often as one of them may be is deeper than calls go. */
Test(kernel_calls, of_themselves_lead_to_others_that_do_so)
{
	leaves(".func (.param .b32 o) leaf (.param .b32 i)\n"
	       "{ .reg .b32 %r0; ld.param.u32 %r0, [i];\n"
	       "  add.u32 %r0, %r0, 7; st.param.b32 [o], %r0; ret; }\n" DOWN(
		       "low", "leaf") DOWN("high", "low"),
		"and.b32 %r1, %r0, 3;\n"
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
		"  call (y), high, (x); ld.param.b32 %r2, [y]; }\n"
		"st.global.u32 [%d4], %r2;\n",
		twice_and_seven);
}

static uint32_t sum_to(uint32_t i)
{
	return i * (i + 1) / 2;
}

Test(kernel_calls, once_in_a_function_go_deep)
{
	leaves(".func (.param .b32 o) sum (.param .b32 i)\n"
	       "{ .reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r0, [i];\n"
	       "  mov.u32 %r2, 0; setp.eq.u32 %p, %r0, 0; @%p bra END;\n"
	       "  sub.u32 %r1, %r0, 1;\n"
	       "  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
	       "    call (y), sum, (x); ld.param.b32 %r2, [y]; }\n"
	       "END: add.u32 %r0, %r0, %r2; st.param.b32 [o], %r0; ret; }\n",
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"
		"  call (y), sum, (x); ld.param.b32 %r2, [y]; }\n"
		"st.global.u32 [%d4], %r2;\n",
		sum_to);
}

static uint32_t thirty_two_more(uint32_t i)
{
	return i + 32 + 5;
}

Test(kernel_calls, take_and_return_registers)
{
	leaves(".func (.reg .b32 %o) old (.reg .b32 %i, .param .b32 j)\n"
	       "{ .reg .b32 %k; ld.param.b32 %k, [j]; add.u32 %o, %i, %k;\n"
	       "  add.u32 %o, %o, WARP_SZ; ret; }\n",
		"call (%r2), old, (%r0, 5); st.global.u32 [%d4], %r2;\n",
		thirty_two_more);
}

/* clang writes so for a struct of which one member is read. */
Test(kernel_calls, parameters_have_addresses_in_functions)
{
	leaves(".func (.param .b32 o) pick (.param .align 8 .b8 s[16])\n"
	       "{ .reg .b64 %d; .reg .b32 %r; mov.b64 %d, s;\n"
	       "  ld.param.b32 %r, [%d+8]; add.u32 %r, %r, 37;\n"
	       "  st.param.b32 [o], %r; ret; }\n",
		"{ .param .align 8 .b8 x[16]; .param .b32 y;\n"
		"  st.param.b64 [x], %d1; st.param.b32 [x+8], %r0;\n"
		"  call (y), pick, (x); ld.param.b32 %r2, [y]; }\n"
		"st.global.u32 [%d4], %r2;\n",
		thirty_two_more);
}

/* ---- tables ---- */

static uint32_t switched(uint32_t i)
{
	static const uint32_t made[] = {7, 1, 13, 4, 9};
	const uint32_t number = i % 6;

	return number < 5 ? made[number] : i;
}

Test(kernel_calls, branches_through_a_table_go_to_its_labels)
{
	leaves("",
		"rem.u32 %r1, %r0, 6; mov.u32 %r2, %r0;\n"
		"setp.lt.u32 %p1, %r1, 5;\n"
		"ways: .branchtargets A, B, C, D, E;\n"
		"@%p1 brx.idx %r1, ways;\nbra.uni END;\n"
		"B: mov.u32 %r2, 1; bra END;\nA: mov.u32 %r2, 7; bra END;\n"
		"D: mov.u32 %r2, 4; bra END;\nC: mov.u32 %r2, 13; bra END;\n"
		"E: mov.u32 %r2, 9;\nEND: st.global.u32 [%d4], %r2;\n",
		switched);
}

/* ---- what variables hold at first ---- */

static uint32_t of_both(uint32_t i)
{
	return i & 1 ? 100 + (i & 3) : 200 + (i & 3);
}

Test(kernel_calls, addresses_are_initial_values)
{
	leaves(".const .align 4 .b32 some[4] = {100, 101, 102, 103};\n"
	       ".global .align 4 .b32 others[] = {0, 200, 201, 202, 203};\n"
	       ".global .align 8 .u64 where[2] = {generic(others)+4,\n"
	       "  generic(some)};\n",
		"and.b32 %r1, %r0, 1; mul.wide.u32 %d5, %r1, 8;\n"
		"mov.u64 %d6, where; add.u64 %d5, %d5, %d6;\n"
		"ld.global.u64 %d7, [%d5]; and.b32 %r2, %r0, 3;\n"
		"mul.wide.u32 %d8, %r2, 4; add.u64 %d7, %d7, %d8;\n"
		"ld.u32 %r3, [%d7]; st.global.u32 [%d4], %r3;\n",
		of_both);
}

static uint32_t same(uint32_t i)
{
	return i;
}

Test(kernel_calls, bytes_of_an_address_are_initial_values)
{
	leaves(".global .align 4 .b32 x[4];\n"
	       ".global .align 8 .u64 whole = x+8;\n"
	       ".global .align 8 .u8 parts[8] = {0xff(x+8), 0xff00(x+8),\n"
	       "  0xff0000(x+8), 0xff000000(x+8), 0xff00000000(x+8),\n"
	       "  0xff0000000000(x+8), 0xff000000000000(x+8),\n"
	       "  0xff00000000000000(x+8)};\n",
		"ld.global.u64 %d5, [whole]; ld.global.u64 %d6, [parts];\n"
		"sub.u64 %d5, %d5, %d6; cvt.u32.u64 %r1, %d5;\n"
		"add.u32 %r1, %r1, %r0; st.global.u32 [%d4], %r1;\n",
		same);
}

static uint32_t of_elements(uint32_t i)
{
	return i + 7 + 8 + 6 + 3 * 32;
}

Test(kernel_calls, addresses_are_constant_expressions)
{
	leaves(".weak .global .align 4 .b32 x[4] = {5, 6, 7, (1<<3)};\n"
	       ".common .global .b32 none;\n",
		"ld.global.u32 %r1, x[2]; ldu.global.u32 %r2, [x+4*3];\n"
		"mov.u64 %d5, x[3]; ld.global.u32 %r3, [%d5+-4-4];\n"
		"mad.lo.u32 %r4, WARP_SZ, 7-4, %r0; add.u32 %r4, %r4, %r1;\n"
		"add.u32 %r4, %r4, %r2; add.u32 %r4, %r4, %r3;\n"
		"ld.global.u32 %r5, [none]; add.u32 %r4, %r4, %r5;\n"
		"st.global.u32 [%d4], %r4;\n",
		of_elements);
}
