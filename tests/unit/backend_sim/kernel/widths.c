/* Registers of other sizes than the instruction's: what is refused, as the
   assembler does, and what numbers beside wide registers are. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_widths, .timeout = 120);

static void run(struct ran *r, const char *line)
{
	const struct job_wishes wishes = {.contents = true};
	char ptx[2048];

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, line, TAIL);
	kernel_run(NULL, r, ptx, BUFFERS, "grid=1 block=32", &wishes);
}

Test(kernel_widths, neighbours_are_neither_read_nor_written)
{
	static const struct {
		const char *line, *sentence;
	} cases[] = {
#define TYPE(place, op, has, wants)                                            \
	"m.ptx:22:1: operand " place " of '" op                                \
	"' is a register of type ." has ", expected ." wants
		{"add.u64 %d5, %d5, %r5;\n",
			TYPE("3", "add.u64", "b32", "u64")},
		{"mov.u64 %d5, %tid.x;\n",
			"m.ptx:22:1: expected a register or a number of type "
			".u64 as operand 2 of 'mov.u64'"},
		{"mov.u32 %d5, %clock;\n", TYPE("1", "mov.u32", "b64", "u32")},
		{"mov.b64 {%r5, %r6}, %r7;\n",
			TYPE("2", "mov.b64", "b32", "b64")},
		{"mov.b64 %r7, {%r5, %r6};\n",
			TYPE("1", "mov.b64", "b32", "b64")},
		{"cvta.global.u64 %r5, %d5;\n",
			TYPE("1", "cvta.global.u64", "b32", "u64")},
		{"shfl.sync.idx.b32 %r5, %d5, 0, 31, -1;\n",
			TYPE("2", "shfl.sync.idx.b32", "b64", "b32")},
		{"match.any.sync.b64 %r5, %r6, -1;\n",
			TYPE("2", "match.any.sync.b64", "b32", "b64")},
		{"isspacep.global %p1, %r5;\n",
			"m.ptx:22:1: operand 2 is a register of 32 bits, the "
			"instruction has 64"},
		{"nanosleep.u32 %d5;\n",
			TYPE("1", "nanosleep.u32", "b64", "u32")},
		{"bar.sync 0, %d5;\n", TYPE("2", "bar.sync", "b64", "u32")},
		{"cp.async.ca.shared.global [%d5], [%d3], 4, %d5;\n",
			"m.ptx:22:1: 'cp.async.ca.shared.global' takes bytes "
			"or a predicate as operand 4"},
		{"ld.global.u64 %r5, [%d3];\n",
			TYPE("1", "ld.global.u64", "b32", "u64 or wider")},
		{"ld.global.u32 %h1, [%d3];\n",
			TYPE("1", "ld.global.u32", "b16", "u32 or wider")},
		{"st.global.u64 [%d3], %r5;\n",
			TYPE("2", "st.global.u64", "b32", "u64 or wider")},
		{"red.global.add.u32 [%d3], %d5;\n",
			TYPE("2", "red.global.add.u32", "b64", "u32")},
		{"atom.global.cas.b32 %r5, [%d3], %r6, %d5;\n"
		 "st.global.u32 [%d4], %r5;\n",
			TYPE("4", "atom.global.cas.b32", "b64", "b32")},
#undef TYPE
		{"mov.b64 {%d5, %r5}, %d6;\n",
			"m.ptx:22:1: the elements of the vector of 'mov.b64' "
			"are not of its size"},
		{"ld.global.v2.u32 {%r5, %d5}, [%d3];\n",
			"m.ptx:22:1: the elements of the vector of "
			"'ld.global.v2.u32' are not of its size"},
		{"cp.async.wait_group %r5;\n",
			"m.ptx:22:1: expected a whole number as operand 1 of "
			"'cp.async.wait_group'"},
	};
	struct ran r;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run(&r, cases[i].line);
		cr_expect_neq(r.code, 0, "%s", cases[i].line);
		cr_expect_str_eq(r.error.text, cases[i].sentence, "%s: %s",
			cases[i].line, r.error.text);
		kernel_end(&r);
	}
}

/* A load across two words is nobody's neighbour; nobody executes it here. */
Test(kernel_widths, a_crooked_load_has_no_neighbours)
{
	struct ran r;

	run(&r, ".shared .align 16 .b8 words[64];\n"
		"setp.eq.u32 %p1, %r2, 0;\n@!%p1 bra L;\n"
		"ld.shared.u32 %r4, [words+1];\n"
		"ld.shared.u32 %r5, [words+4];\n"
		"st.global.v2.u32 [%d1], {%r4, %r5};\nL:\n");
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

/* The first two words of b. */
static void leaves(const char *line, uint32_t first, uint32_t second)
{
	const uint32_t *b;
	struct ran r;

	run(&r, line);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	cr_expect_eq(b[0], first, "%s%u, not %u", line, b[0], first);
	cr_expect_eq(b[1], second, "%s%u, not %u", line, b[1], second);
	kernel_end(&r);
}

Test(kernel_widths, numbers_beside_wide_registers)
{
	leaves("mov.u64 %d5, 0x100000007;\nst.global.v2.u32 [%d1], {5, %d5};\n",
		5, 7);
	leaves("mov.u64 %d5, 0x100000007;\nst.global.v2.u32 [%d1], {%d5, 5};\n",
		7, 5);
	leaves("mov.u64 %d5, 7;\nst.global.v2.f32 [%d1], {1.0, %d5};\n",
		0x3f800000, 7);
}

Test(kernel_widths, the_first_element_may_be_left_out)
{
	leaves("add.u64 %d5, %d0, 8;\nld.global.v2.u32 {_, %d6}, [%d5];\n"
	       "cvt.u32.u64 %r5, %d6;\nst.global.v2.u32 [%d1], {%r5, %r5};\n",
		3, 3);
}
