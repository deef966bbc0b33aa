/* Blocks, where their paths meet, loops, and which some lanes may be in. Lines
   of the body count from 1. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/loops.h"

TestSuite(code_graph, .timeout = 60);

#define HEAD                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
#define HEAD_LINES 7

struct made {
	struct ptx_module module;
	struct flat flat;
	struct graph graph;
	bool *marks; /* [block] */
};

static void make(struct made *m, const char *body)
{
	char text[4096];
	struct error error = {""};

	snprintf(text, sizeof(text), "%s%s}\n", HEAD, body);
	cr_assert_eq(ptx_parse("m", text, strlen(text), &m->module, &error), 0,
		"%s", error.text);
	cr_assert_eq(flat_make(&m->flat, "m", &m->module,
			     ptx_entry(&m->module, "k"), &error),
		0, "%s", error.text);
	cr_assert_eq(graph_make(&m->graph, &m->flat, &error), 0);
	m->marks = calloc(m->graph.block_count + 1, sizeof(*m->marks));
}

static void end(struct made *m)
{
	graph_free(&m->graph);
	flat_free(&m->flat);
	ptx_free(&m->module);
	free(m->marks);
}

/* The block of the line's instruction. */
static uint32_t at(const struct made *m, uint32_t line)
{
	uint32_t i;

	for (i = 0; i < m->flat.count; i++)
		if (m->flat.insns[i].insn->place.line == HEAD_LINES + line)
			return m->graph.block_of[i];
	cr_assert(false, "line %u is not there", line);
	return 0;
}

static uint32_t meets(const struct made *m, uint32_t line)
{
	return m->graph.blocks[at(m, line)].meets;
}

/* Branches into the middle of each other's arms, and a loop without an end. */
#define TANGLED                                                                \
	"@%p0 bra B;\n"                                                        \
	"A: add.u32 %r0, %r0, 1;\n"                                            \
	"@%p1 bra C;\n"                                                        \
	"B: add.u32 %r0, %r0, 2;\n"                                            \
	"@%p2 bra A;\n"                                                        \
	"C: @%p3 bra W;\n"                                                     \
	"ret;\n"                                                               \
	"W: add.u32 %r1, %r1, 1;\n"                                            \
	"bra W;\n"

Test(code_graph, paths_meet_at_the_first_block_that_all_reach)
{
	struct made m;

	make(&m, TANGLED);
	cr_expect_eq(meets(&m, 1), at(&m, 6));
	cr_expect_eq(meets(&m, 3), at(&m, 6));
	cr_expect_eq(meets(&m, 5), at(&m, 6));
	/* Of paths that end only those count that do. */
	cr_expect_eq(meets(&m, 6), at(&m, 7));
	cr_expect_eq(meets(&m, 8), NO_BLOCK);
	cr_expect_eq(m.graph.blocks[at(&m, 7)].depth, 1);
	cr_expect_eq(m.graph.blocks[at(&m, 1)].depth, 3);
	cr_expect_eq(m.graph.blocks[at(&m, 8)].depth, NO_BLOCK);
	end(&m);
}

Test(code_graph, loops_are_blocks_that_come_to_themselves)
{
	struct error error;
	struct made m;

	make(&m, TANGLED);
	cr_assert_eq(loops_find(&m.graph, m.marks, &error), 0);
	cr_expect_not(m.marks[at(&m, 1)]);
	cr_expect(m.marks[at(&m, 2)]);
	cr_expect(m.marks[at(&m, 4)]);
	cr_expect_not(m.marks[at(&m, 6)]);
	cr_expect(m.marks[at(&m, 8)]);
	end(&m);
}

/* The predicate of the outer branch differs between lanes from the second round
   on; lanes that went around wait behind line 9, not before it. */
Test(code_graph, lanes_are_apart_up_to_where_the_outer_paths_meet)
{
	struct error error;
	struct made m;

	make(&m, "L: setp.ne.u32 %p0, %r1, 0;\n"
		 "@%p0 bra OUT;\n"
		 "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 3;\n"
		 "@%p1 bra ELSE;\n"
		 "add.u32 %r3, %r3, 1;\n"
		 "bra IN;\n"
		 "ELSE: add.u32 %r3, %r3, 2;\n"
		 "IN:\n"
		 "add.u32 %r4, %r4, 1;\n"
		 "OUT: mov.u32 %r1, %r2;\n"
		 "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9;\n"
		 "@%p2 bra L;\n"
		 "ret;\n");
	cr_assert_eq(divided_find(&m.flat, &m.graph, m.marks, &error), 0);
	cr_expect_not(m.marks[at(&m, 1)]);
	cr_expect(m.marks[at(&m, 3)]);
	cr_expect(m.marks[at(&m, 5)]);
	cr_expect(m.marks[at(&m, 7)]);
	cr_expect(m.marks[at(&m, 9)]);
	cr_expect_not(m.marks[at(&m, 10)]);
	end(&m);
}

/* Lanes that never come back are apart from the others. */
Test(code_graph, lanes_without_an_end_are_apart)
{
	struct error error;
	struct made m;

	make(&m, "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 3;\n"
		 "@%p1 bra W;\n"
		 "ret;\n"
		 "W: add.u32 %r1, %r1, 1;\n"
		 "bra V;\n"
		 "V: @%p0 bra W;\n"
		 "bra V;\n");
	cr_assert_eq(divided_find(&m.flat, &m.graph, m.marks, &error), 0);
	cr_expect_not(m.marks[at(&m, 1)]);
	cr_expect(m.marks[at(&m, 4)]);
	cr_expect(m.marks[at(&m, 6)]);
	cr_expect(m.marks[at(&m, 7)]);
	end(&m);
}

static bool lives(const struct liveness *l, const struct made *m, bool in,
	uint32_t line, uint32_t reg)
{
	return liveness_has(l, in ? l->in : l->out, at(m, line), reg);
}

/* Registers of the function: %p0 to %p3, then %r0 and up. */
Test(code_graph, registers_live_from_block_to_block)
{
	const uint32_t r0 = 4;
	struct error error;
	struct liveness l;
	struct made m;

	make(&m, "mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r3, %r1;\n"
		 "L: add.u32 %r2, %r2, %r0; @%p0 bra L;\n"
		 "@%p1 mov.u32 %r4, 3;\n"
		 "@%p2 bra E;\n"
		 "st.shared.u32 [%r8], %r4;\n"
		 "E: st.shared.u32 [%r8], %r2;\n"
		 "ret;\n");
	cr_assert_eq(liveness_make(&l, &m.flat, &m.graph, &error), 0);
	cr_expect(lives(&l, &m, false, 1, r0));
	cr_expect(lives(&l, &m, true, 2, r0));
	cr_expect_not(lives(&l, &m, true, 3, r0));
	cr_expect_not(lives(&l, &m, false, 1, r0 + 1), "of one block only");
	cr_expect(lives(&l, &m, true, 1, r0 + 2));
	cr_expect(lives(&l, &m, true, 6, r0 + 2));
	cr_expect(lives(&l, &m, true, 2, r0 + 4), "written under a guard");
	cr_expect_not(lives(&l, &m, true, 6, r0 + 4));
	cr_expect_eq(liveness_words_in(&l, l.in, at(&m, 6)), 1);
	liveness_free(&l);
	end(&m);
}
