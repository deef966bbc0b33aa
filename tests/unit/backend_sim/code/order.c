/* What the assembler makes of a block: the order, and loads that go by at once.
   Lines of the body count from 1. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/code_fixture.h"

TestSuite(code_order, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a)\n{\n.reg .pred %p<4>;\n"           \
	".reg .b32 %r<128>;\n.reg .b64 %d<8>;\n.reg .f32 %f<128>;\n"           \
	".shared .align 4 .b8 tile[4096];\n"                                   \
	"ld.param.u64 %d0, [p_a];\ncvta.to.global.u64 %d1, %d0;\n"             \
	"mov.u32 %r0, %tid.x;\n"
#define HEAD_LINES 13
#define TAIL       "ret;\n}\n"

static uint32_t at(const struct made_code *m, uint32_t line)
{
	return code_place(m, HEAD_LINES + line);
}

static const struct code_insn *insn(const struct made_code *m, uint32_t line)
{
	return &m->code.insns[at(m, line)];
}

/* Does line 4 come before line 3, which nothing but memory keeps? */
static bool passes(const char *third, const char *fourth)
{
	struct made_code m;
	char body[512];
	bool answer;

	snprintf(body, sizeof(body),
		"ld.global.nc.u32 %%r1, [%%d1];\nadd.u32 %%r2, %%r1, 1;\n"
		"%s\n%s\nst.global.u32 [%%d1+64], %%r3;\n",
		third, fourth);
	code_of(&m, HEAD, TAIL, body);
	answer = at(&m, 4) < at(&m, 3);
	code_end(&m);
	return answer;
}

#define PLAIN  "ld.global.u32 %r3, [%d1+32];"
#define STATIC "ld.global.nc.u32 %r3, [%d1+32];"

Test(code_order, loads_pass_what_cannot_write_their_memory)
{
	cr_assert(passes("atom.shared.add.u32 %r5, [tile], %r2;", PLAIN));
	cr_assert(passes("st.shared.u32 [tile], %r2;", PLAIN));
	cr_assert(passes("shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;", PLAIN));
	cr_assert_not(passes("st.global.u32 [%d1+4], %r2;", PLAIN));
	cr_assert_not(passes("red.global.add.u32 [%d1+4], %r2;", PLAIN));
	cr_assert_not(passes("bar.sync 0;", PLAIN));
	cr_assert_not(passes("fence.acq_rel.gpu;", PLAIN));
	cr_assert(passes("red.relaxed.cta.shared.add.u32 [tile], %r2;", PLAIN));
}

/* A release or an acquire of one space orders accesses to all others. */
Test(code_order, loads_do_not_pass_a_release_of_another_space)
{
	cr_assert_not(
		passes("red.release.gpu.shared.add.u32 [tile], %r2;", PLAIN));
	cr_assert_not(passes(
		"atom.acquire.cta.shared.add.u32 %r5, [tile], %r2;", PLAIN));
	cr_assert_not(passes(
		"atom.acq_rel.gpu.shared.cas.b32 %r5, [tile], %r2, 1;", PLAIN));
	cr_assert_not(passes("st.release.cta.shared.u32 [tile], %r2;", PLAIN));
	cr_assert_not(passes("ld.acquire.cta.shared.u32 %r5, [tile];", PLAIN));
}

Test(code_order, loads_of_what_nobody_writes_pass_all_but_clocks)
{
	cr_assert(passes("st.global.u32 [%d1+4], %r2;", STATIC));
	cr_assert(passes("@%p1 bar.sync 0;", STATIC));
	cr_assert_not(passes("mov.u32 %r5, %clock;", STATIC));
}

Test(code_order, what_talks_to_other_lanes_keeps_its_order)
{
	struct made_code m;

	code_of(&m, HEAD, TAIL,
		"ld.global.nc.u32 %r1, [%d1];\n"
		"shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
		"shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\n"
		"add.u32 %r4, %r2, %r3;\nst.global.u32 [%d1], %r4;\n");
	cr_assert_lt(at(&m, 2), at(&m, 3));
	code_end(&m);
}

/* 60 loads and their sum: as many go ahead as there are registers for. */
Test(code_order, loads_go_ahead_while_there_are_registers)
{
	struct made_code m;
	char body[8192];
	size_t used = 0;
	uint32_t i, first;

	for (i = 0; i < 60; i++)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
			"ld.global.nc.f32 %%f%u, [%%d1+%u];\n"
			"add.f32 %%f100, %%f100, %%f%u;\n",
			i, 128 * i, i);
	snprintf(body + used, sizeof(body) - used,
		"st.global.f32 [%%d1], %%f100;\n");
	code_of(&m, HEAD, TAIL, body);
	first = at(&m, 2);
	for (i = 0; at(&m, 2 * i + 1) < first; i++)
		;
	cr_assert_geq(i, 16);
	cr_assert_leq(i, 32);
	code_end(&m);
}

/* How many of 60 loads go ahead of the first sum, while 20 registers hold what
   was loaded before and are written behind all, under `guard`. */
static uint32_t loads_beside(const char *guard)
{
	struct made_code m;
	char body[8192], *end = body;
	uint32_t i, before = 0;

	for (i = 0; i < 20; i++)
		end += sprintf(end, "ld.global.nc.u32 %%r%u, [%%d1+%u];\n",
			20 + i, 4 * i);
	end += sprintf(end, "mov.u32 %%r2, %%clock;\n");
	for (i = 0; i < 60; i++)
		end += sprintf(end,
			"ld.global.nc.f32 %%f%u, [%%d1+%u];\n"
			"add.f32 %%f100, %%f100, %%f%u;\n",
			i, 128 * i, i);
	end += sprintf(end, "cvt.rzi.u32.f32 %%r1, %%f100;\n");
	for (i = 0; i < 20; i++)
		end += sprintf(end, "%smov.u32 %%r%u, %%r1;\n", guard, 20 + i);
	for (i = 0; i < 20; i++)
		end += sprintf(end, "st.global.u32 [%%d1+%u], %%r%u;\n", 4 * i,
			20 + i);
	code_of(&m, HEAD, TAIL, body);
	for (i = 0; i < 60; i++)
		before += at(&m, 22 + 2 * i) < at(&m, 23);
	code_end(&m);
	return before;
}

/* What a register holds lasts until a write under a predicate, that may leave
   it: no load has the register meanwhile. */
Test(code_order, a_write_under_a_predicate_keeps_what_was_there)
{
	cr_expect_leq(loads_beside("@%p0 "), 14);
	cr_expect_geq(loads_beside(""), 20);
}

/* Sixteen times a load, and a store that no later load may pass, each with an
   address of its own; then the values are used. Chains of addresses that all
   began at once would take the registers that the loads need. */
Test(code_order, chains_do_not_begin_that_cannot_go_on)
{
	static const char address[] =
		"add.u32 %%r%u, %%r0, %u;\nmin.u32 %%r%u, %%r%u, 9;\n"
		"mul.wide.u32 %%e%u, %%r%u, 4;\n"
		"add.s64 %%e%u, %%d1, %%e%u;\n";
	enum { ACCESSES = 32, LINES = 5, LAST_LOAD = 1 + LINES * 31 };
	char body[16384] = ".reg .b64 %e<64>;\n", *end = strchr(body, 0);
	struct made_code m;
	uint32_t k;

	for (k = 0; k < ACCESSES; k++) {
		end += sprintf(end, address, 64 + k, k * 100, 64 + k, 64 + k, k,
			64 + k, k, k);
		end += sprintf(end,
			k % 2 ? "st.global.u32 [%%e%u], %%r0;\n"
			      : "ld.global.u32 %%r%2$u, [%%e%1$u];\n",
			k, 1 + k / 2);
	}
	for (k = 1; k < ACCESSES / 4; k++)
		end += sprintf(end, "xor.b32 %%r%u, %%r%u, %%r%u;\n", 2 * k + 1,
			2 * k + 1, 2 * k + 2);
	sprintf(end, "st.global.u32 [%%d1], %%r3;\n");
	code_of(&m, HEAD, TAIL, body);
	for (k = 1; k < ACCESSES / 4; k++)
		cr_expect_gt(at(&m, 1 + LINES * ACCESSES + k),
			at(&m, LAST_LOAD), "%u", k);
	code_end(&m);
}

/* ---- loads that go by at once ---- */

#define WORDS(base)                                                            \
	"ld.shared.f32 %f1, [" base "];\nld.shared.f32 %f2, [" base "+8];\n"   \
	"ld.shared.f32 %f3, [" base "+4];\nld.shared.f32 %f4, [" base          \
	"+12];\n"
#define SUM                                                                    \
	"add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\n"                     \
	"add.f32 %f7, %f5, %f6;\nst.global.f32 [%d1], %f7;\n"

static void moves(const char *body, uint32_t leader, uint32_t bytes)
{
	struct made_code m;

	code_of(&m, HEAD, TAIL, body);
	cr_assert_eq(insn(&m, leader)->moved, bytes, "%u, not %u",
		insn(&m, leader)->moved, bytes);
	code_end(&m);
}

Test(code_order, neighbours_in_shared_memory_go_by_at_once)
{
	struct made_code m;
	uint32_t i;

	code_of(&m, HEAD, TAIL,
		"shl.b32 %r1, %r0, 4;\nmov.u32 %r2, tile;\n"
		"add.u32 %r3, %r2, %r1;\n" WORDS("%r3") SUM);
	cr_assert_eq(insn(&m, 4)->moved, 16);
	cr_assert_eq(insn(&m, 4)->slots, 1);
	for (i = 5; i < 8; i++) {
		cr_assert_eq(insn(&m, i)->moved, 0);
		cr_assert_eq(insn(&m, i)->slots, 0);
		cr_assert_lt(at(&m, i) - at(&m, 4), 4);
	}
	code_end(&m);
}

Test(code_order, alignment_that_is_not_known_keeps_loads_apart)
{
	moves("shl.b32 %r1, %r0, 2;\nmov.u32 %r2, tile;\n"
	      "add.u32 %r3, %r2, %r1;\n" WORDS("%r3") SUM,
		4, 4);
	/* A multiple of 8: two and two. */
	moves("mul.lo.u32 %r1, %r0, 24;\nmov.u32 %r2, tile;\n"
	      "add.u32 %r3, %r2, %r1;\n" WORDS("%r3") SUM,
		4, 8);
	moves(WORDS("tile") SUM, 1, 16);
	moves("and.b32 %r1, %r0, -16;\nmad.lo.u32 %r3, %r1, 3, 32;\n" WORDS(
		      "%r3") SUM,
		3, 16);
	/* A loop adds 4 to it. */
	moves("mov.u32 %r3, tile;\nLOOP: " WORDS("%r3") SUM
		"add.u32 %r3, %r3, 4;\nsetp.lt.u32 %p1, %r3, %r0;\n"
		"@%p1 bra LOOP;\n",
		2, 4);
}

Test(code_order, loads_meet_across_no_store_and_no_other_base)
{
	moves("ld.shared.f32 %f1, [tile];\nst.shared.f32 [tile+4], %f1;\n"
	      "ld.shared.f32 %f2, [tile+4];\nadd.f32 %f3, %f1, %f2;\n"
	      "st.global.f32 [%d1], %f3;\n",
		1, 4);
	moves("shl.b32 %r1, %r0, 4;\nshl.b32 %r2, %r0, 5;\n"
	      "ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r2+4];\n"
	      "add.f32 %f3, %f1, %f2;\nst.global.f32 [%d1], %f3;\n",
		3, 4);
}

/* Words of shared memory alone, one a load, of every lane. */
Test(code_order, other_loads_do_not_go_by_at_once)
{
	moves("ld.global.f32 %f1, [%d1];\nld.global.f32 %f2, [%d1+4];\n"
	      "add.f32 %f3, %f1, %f2;\nst.global.f32 [%d1], %f3;\n",
		1, 4);
	moves("setp.eq.u32 %p1, %r0, 0;\n@%p1 ld.shared.f32 %f1, [tile];\n"
	      "@%p1 ld.shared.f32 %f2, [tile+4];\nadd.f32 %f3, %f1, %f2;\n"
	      "st.global.f32 [%d1], %f3;\n",
		2, 4);
	moves("ld.shared.v2.f32 {%f1, %f2}, [tile];\n"
	      "ld.shared.v2.f32 {%f3, %f4}, [tile+8];\n" SUM,
		1, 8);
}

/* ---- atomics without a result ---- */

static bool reduces(const char *atomic, const char *after)
{
	struct made_code m;
	char body[512];
	bool answer;

	snprintf(body, sizeof(body), "%s\n%s\n", atomic, after);
	code_of(&m, HEAD, TAIL, body);
	answer = insn(&m, 1)->insn->op == PTXO_RED;
	code_end(&m);
	return answer;
}

Test(code_order, an_atomic_whose_result_is_not_read_is_a_reduction)
{
	cr_assert(reduces("atom.global.add.u32 %r1, [%d1], %r0;", ""));
	cr_assert(reduces("atom.max.u32 %r1, [%d1], %r0;", ""));
	cr_assert_not(reduces("atom.global.add.u32 %r1, [%d1], %r0;",
		"st.global.u32 [%d1+4], %r1;"));
	cr_assert_not(reduces("atom.global.exch.b32 %r1, [%d1], %r0;", ""));
	cr_assert_not(reduces("atom.global.cas.b32 %r1, [%d1], %r0, 1;", ""));
	cr_assert_not(reduces("atom.shared.add.u32 %r1, [tile], %r0;", ""));
}

/* Is what the body's second line says made by one lane for all? */
static bool gathers(const char *before, const char *atomic, const char *after)
{
	struct made_code m;
	char body[512];
	bool answer;

	snprintf(body, sizeof(body), "%s\n%s\n%s\n", before, atomic, after);
	code_of(&m, HEAD, TAIL, body);
	answer = m.code.insns[at(&m, 2)].gathered;
	code_end(&m);
	return answer;
}

/* One word for the whole warp: the assembler counts the lanes. */
Test(code_order, one_lane_adds_for_all_to_one_word)
{
	static const char read[] = "st.global.u32 [%d1+4], %r1;";
	static const char own[] = "mul.wide.u32 %d2, %r0, 4;"
				  "add.s64 %d3, %d1, %d2;";

	cr_assert(gathers("", "atom.global.add.u32 %r1, [%d1], 1;", read));
	cr_assert(gathers("", "atom.global.add.u32 %r1, [%d1+8], 1;", read));
	cr_assert(gathers("mov.u32 %r2, %ctaid.x; mul.wide.u32 %d2, %r2, 4; "
			  "add.s64 %d3, %d1, %d2;",
		"atom.global.add.u32 %r1, [%d3], 1;", read));
	cr_assert(gathers("", "red.global.add.u32 [%d1], %r0;", ""));
	cr_assert(gathers(".global .align 4 .u32 sum;",
		"red.global.add.u32 [sum], 1;", ""));
	cr_assert_not(
		gathers("", "atom.global.add.u32 %r1, [%d1], %r0;", read));
	cr_assert_not(gathers(own, "atom.global.add.u32 %r1, [%d3], 1;", read));
	cr_assert_not(gathers("ld.global.u64 %d3, [%d1];",
		"atom.global.add.u32 %r1, [%d3], 1;", read));
	cr_assert_not(gathers("setp.eq.u32 %p1, %r0, 3; mov.u64 %d3, %d1; "
			      "@%p1 add.s64 %d3, %d1, 4;",
		"atom.global.add.u32 %r1, [%d3], 1;", read));
	cr_assert_not(gathers("", "red.global.add.f32 [%d1], 0f3f800000;", ""));
	cr_assert_not(gathers("", "red.global.max.u32 [%d1], 1;", ""));
}

/* ---- registers ---- */

/* Alive beside the sum of what `first` makes, and of a load. */
static uint32_t registers(const char *first)
{
	struct made_code m;
	char body[512];
	uint32_t count;

	snprintf(body, sizeof(body),
		"%s\nld.global.u32 %%r2, [%%d1];\nadd.u32 %%r3, %%r1, %%r2;\n"
		"st.global.u32 [%%d1], %%r3;\n",
		first);
	code_of(&m, HEAD, TAIL, body);
	count = m.code.registers;
	code_end(&m);
	return count;
}

/* Parameters and numbers are read where they are used, moved or not; what is
   special of a lane is kept. */
Test(code_order, what_is_constant_takes_no_register)
{
	cr_expect_eq(registers("mov.u32 %r1, 7;"), 1);
	cr_expect_eq(registers("mov.u32 %r4, 7;\nmov.u32 %r1, %r4;"), 1);
	cr_expect_eq(registers("cvt.u32.u64 %r1, %d0;"), 2);
	cr_expect_eq(registers("mov.u32 %r1, %tid.y;"), 2);
}
