#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static struct ptx_module read_module(const char *text)
{
	struct ptx_module m = {0};
	struct error error = {""};

	cr_assert_eq(ptx_parse("m.ptx", text, strlen(text), &m, &error), 0,
		"%s", error.text);
	return m;
}

static void refuses(const char *text, const char *sentence)
{
	struct ptx_module m = {0};
	struct error error = {""};

	cr_assert_eq(ptx_parse("m.ptx", text, strlen(text), &m, &error),
		ERR_USAGE, "'%s' is read", text);
	cr_assert_str_eq(error.text, sentence);
}

Test(ptx, a_kernel_has_parameters_registers_labels_and_places)
{
	struct ptx_module m = read_module(
		HEAD ".file 1 \"k.cu\"\n"
		     ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
		     "	.reg .pred %p<2>;\n	.reg .b32 %r<3>;\n"
		     "	.reg .b64 %rd<2>;\n"
		     "	.loc 1 7 2\n"
		     "	ld.param.u64 %rd0, [a];\n"
		     "	ld.param.u32 %r0, [n];\n"
		     "L:	mov.u32 %r1, %tid.x;\n"
		     "	setp.lt.s32 %p0, %r1, %r0;\n"
		     "	@!%p0 bra L;\n"
		     "	ld.global.nc.v2.u32 {%r1, %r2}, [%rd0+-8];\n"
		     "	bra.uni D;\nD:\n	ret;\n}\n");
	const struct ptx_function *f = ptx_entry(&m, "k");

	cr_assert_not_null(f);
	cr_assert_eq(m.version, 80);
	cr_assert_eq(m.target, 90);
	cr_assert_eq(f->parameter_count, 2);
	cr_assert_eq(m.variables[f->parameter_first + 1].offset, 8);
	cr_assert_eq(f->register_count, 7);
	cr_assert_eq(f->insn_count, 8);
	cr_assert_eq(f->insns[0].space, PTX_PARAM);
	cr_assert_eq(f->insns[0].source_line, 7);
	cr_assert_eq(f->insns[2].operands[1].kind, PTX_SPECIAL);
	cr_assert_eq(f->insns[2].operands[1].index, PTXS_tid_x);
	cr_assert(f->insns[4].guarded && f->insns[4].guard_negated);
	cr_assert_eq(f->insns[4].operands[0].index, 2);
	cr_assert_eq(f->insns[5].vector, 2);
	cr_assert_eq(f->insns[5].qualifiers[Q_NC], QV_NC_nc);
	cr_assert_eq((int64_t)f->insns[5].operands[1].bits, -8);
	cr_assert_eq(f->insns[6].operands[0].index, 7);
	ptx_free(&m);
}

Test(ptx, variables_have_places_and_initial_values)
{
	struct ptx_module m = read_module(
		HEAD ".global .align 4 .u8 a[3] = {1, 2, 3};\n"
		     ".const .align 8 .f64 c[2] = {0d3FF0000000000000, -2.5};\n"
		     ".global .u32 b = 0x10;\n"
		     ".extern .shared .align 16 .b8 s[];\n");
	double half;

	cr_assert_eq(m.variable_count, 4);
	cr_assert_eq(m.variables[0].initial[2], 3);
	cr_assert_eq(m.variables[2].offset, 4);
	cr_assert_eq(m.global_bytes, 8);
	memcpy(&half, m.variables[1].initial + 8, sizeof(half));
	cr_assert_eq(half, -2.5);
	cr_assert_eq(m.variables[3].bytes, 0);
	cr_assert_eq(m.variables[3].linkage, PTX_EXTERN);
	ptx_free(&m);
}

Test(ptx, labels_and_registers_of_a_scope_end_with_it)
{
	struct ptx_module m =
		read_module(HEAD ".entry k()\n{\n.reg .b32 x;\n"
				 "{ .reg .b32 x; L: mov.u32 x, 1; bra L; }\n"
				 "{ L: mov.u32 x, 2; bra L; }\nret;\n}\n");
	const struct ptx_function *f = ptx_entry(&m, "k");

	cr_assert_eq(f->insns[0].operands[0].index, 1);
	cr_assert_eq(f->insns[1].operands[0].index, 0);
	cr_assert_eq(f->insns[2].operands[0].index, 0);
	cr_assert_eq(f->insns[3].operands[0].index, 2);
	ptx_free(&m);
}

Test(ptx, what_is_wrong_is_named_with_its_place)
{
	refuses(HEAD ".entry k()\n{\n	frob.u32 1;\n}\n",
		"m.ptx:6:2: 'frob.u32' is not an instruction of PTX that is "
		"known");
	refuses(HEAD ".entry k()\n{\n.reg .b32 a;\n	add.s32 a, a;\n}\n",
		"m.ptx:7:2: expected a value as operand 3 of 'add.s32'");
	refuses(HEAD ".entry k()\n{\n.reg .b32 a;\n	add.s32 a, a, a, a;"
		     "\n}\n",
		"m.ptx:7:2: expected 3 operands of 'add.s32', not 4");
	refuses(HEAD ".entry k()\n{\n	bra L;\n}\n",
		"m.ptx:6:6: there is no label 'L' in this function");
	refuses(HEAD
		".entry k()\n{\n.reg .b32 a;\n	add.u32 a, %tid.x, 1;\n}\n",
		"m.ptx:7:2: 'add.u32' cannot read the special register %tid.x: "
		"mov and "
		"cvt alone can");
	refuses(HEAD ".entry k()\n{\n.reg .b32 a;\n	mov.u32 a, %frob;\n}"
		     "\n",
		"m.ptx:7:13: '%frob' is neither a register of this function "
		"nor a special register");
	refuses(HEAD ".entry k()\n{\n.reg .b32 a;\n	ld.global.frob.u32 a, "
		     "[a];\n}\n",
		"m.ptx:7:2: '.frob' is not a modifier of 'ld'");
	refuses(HEAD ".entry k()\n{\n.reg .b32 a;\n	add.b32 a, a, a;\n}\n",
		"m.ptx:7:2: 'add.b32' is not a form of 'add' that PTX has");
	refuses(HEAD ".entry k()\n{\n", "m.ptx:6:1: expected '}', not the end "
					"of the file");
	refuses(".version 8.0\n.target sm_90\n.address_size 32\n",
		"m.ptx:3:15: addresses of 32 bits are not modelled");
	refuses("", "m.ptx:1:1: expected '.version', not the end of the file");
	refuses(HEAD "/*/ /* /", "m.ptx:4:1: expected '*/' at the end of a "
				 "comment");
	refuses(HEAD ".entry k()\n{\nL: call L;\n}\n",
		"m.ptx:6:9: there is no function 'L' in this module");
}

/* Whatever is cut off or changed in a module, the reader says so or reads it,
   and nothing else. */
Test(ptx, damage_is_refused_or_read, .timeout = 60)
{
	static const char text[] =
		HEAD ".global .u32 g[2] = {1, 2};\n.entry k(.param .u64 a)\n{\n"
		     ".reg .b32 %r<4>;\n.reg .pred p;\n.reg .f32 f;\n"
		     "L: setp.lt.u32 p, %r1, 5;\n@p bra L;\n"
		     "mov.f32 f, 0f3F800000;\n"
		     "{ .reg .b32 t; mov.b32 t, %r2; }\nret;\n}\n";
	char copy[sizeof(text)];
	uint32_t seed = 1, i;

	for (i = 0; i < 20000; i++) {
		struct ptx_module m = {0};
		struct error error = {""};
		size_t length = sizeof(text) - 1, at;
		int code;

		memcpy(copy, text, sizeof(text));
		seed = seed * 1664525u + 1013904223u;
		at = (seed >> 8) % length;
		seed = seed * 1664525u + 1013904223u;
		copy[at] = (char)(seed >> 24);
		if (i & 1)
			length = at;
		code = ptx_parse("m", copy, length, &m, &error);
		cr_assert(code == 0 || code == ERR_USAGE);
		cr_assert(code == 0 || error.text[0]);
		if (!code)
			ptx_free(&m);
	}
}

/* What is found stands in a message as it stands in the text. */
Test(ptx, what_is_not_expected_is_quoted)
{
	refuses(".version 8.0\n.target sm_90\nentry k;\n",
		"m.ptx:3:1: expected a directive, not 'entry'");
	refuses(".version 8.0\n.target sm_90\n.entry .visible;\n",
		"m.ptx:3:8: expected the name of a function, not '.visible'");
}

Test(ptx, variables_of_a_function_are_in_the_spaces_that_there_are)
{
	static const char *const spaces[] = {
		"shared", "local", "param", "global", "const"};
	struct error error = {""};
	struct ptx_module m;
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(text, sizeof(text),
			HEAD ".entry k()\n{\n.%s .align 4 .b8 x[8];\nret;\n}\n",
			spaces[i]);
		cr_assert_eq(ptx_parse("m", text, strlen(text), &m, &error), 0,
			"%s", error.text);
		cr_assert_eq(m.variable_count, 1);
		cr_expect_eq(m.variables[0].bytes, 8);
		ptx_free(&m);
	}
	refuses(".version 8.0\n.target sm_90\n.entry k()\n{\n"
		".tex .u64 x;\nret;\n}\n",
		"m.ptx:5:1: '.tex' is not a directive of a function");
}

/* One line of a kernel with registers of all kinds; its sentence. */
static void refuses_line(const char *line, const char *sentence)
{
	char text[512], wanted[256];

	snprintf(text, sizeof(text),
		HEAD ".entry k()\n{\n.reg .pred p, q;\n.reg .b32 a, b;\n"
		     ".reg .b64 d;\n%s\n}\n",
		line);
	snprintf(wanted, sizeof(wanted), "m.ptx:9:1: %s", sentence);
	refuses(text, wanted);
}

Test(ptx, predicates_stand_where_predicates_are_used)
{
	refuses_line("add.u32 a, b, p;",
		"expected a value as operand 3 of 'add.u32'");
	refuses_line("add.u32 p, a, b;",
		"expected a register that is written as operand 1 of "
		"'add.u32'");
	refuses_line("add.u32 a, !b, 1;",
		"expected a value as operand 2 of 'add.u32'");
	refuses_line("and.pred p, q, a;",
		"expected a predicate as operand 3 of 'and.pred'");
	refuses_line("mov.pred p, %tid.x;",
		"expected a predicate as operand 2 of 'mov.pred'");
	refuses_line("setp.lt.u32 a, a, b;",
		"expected a predicate as operand 1 of 'setp.lt.u32'");
	refuses_line("selp.b32 a, a, b, a;",
		"expected a predicate as operand 4 of 'selp.b32'");
	refuses_line("vote.sync.any.pred p, q, p;",
		"expected a value as operand 3 of 'vote.sync.any.pred'");
	refuses_line("vote.sync.ballot.b32 p, q, -1;",
		"expected a register that is written as operand 1 of "
		"'vote.sync.ballot.b32'");
	refuses_line("isspacep.global a, d;",
		"expected a predicate as operand 1 of 'isspacep.global'");
	refuses_line("ld.global.u32 a, [p];",
		"expected an address as operand 2 of 'ld.global.u32'");
	refuses_line("st.global.v2.u32 [d], {p, a};",
		"expected a value or a vector as operand 2 of "
		"'st.global.v2.u32'");
}

Test(ptx, pairs_and_vectors_have_what_the_spelling_says)
{
	refuses_line("setp.lt.u32 p|a, a, b;",
		"expected a predicate behind the '|' of 'setp.lt.u32'");
	refuses_line("setp.lt.u32 p|!q, a, b;",
		"expected a predicate behind the '|' of 'setp.lt.u32'");
	refuses_line("mov.pred p, {a, b};",
		"expected a predicate as operand 2 of 'mov.pred'");
	refuses(HEAD ".entry k()\n{\n.reg .pred p;\n.reg .b32 a;\n"
		     "add.u32 a, a|p, 1;\n}\n",
		"m.ptx:8:13: expected ';', not '|'");
	refuses_line("add.u32 a|p, a, b;",
		"'add.u32' writes one register, not a pair");
	refuses_line("ld.global.v2.u32 {a, 7}, [d];",
		"expected a register or a vector of registers as operand 1 of "
		"'ld.global.v2.u32'");
	refuses_line("st.global.v2.u32 [d], {a, _};",
		"expected a value or a vector as operand 2 of "
		"'st.global.v2.u32'");
	refuses_line("ld.global.v2.u32 {a}, [d];",
		"the vector of 'ld.global.v2.u32' has 2 elements, not 1");
	refuses_line("ld.global.v2.u32 a, [d];",
		"the vector of 'ld.global.v2.u32' has 2 elements, not 1");
	refuses_line("ld.global.u32 {a, b}, [d];",
		"the vector of 'ld.global.u32' has 1 elements, not 2");
}

Test(ptx, a_move_of_vectors_reads_before_it_writes)
{
	struct ptx_module m =
		read_module(HEAD ".entry k()\n{\n.reg .b32 x, y;\n"
				 "mov.v2.b32 {x, y}, {y, x};\nret;\n}\n");
	const struct ptx_insn *insns = ptx_entry(&m, "k")->insns;

	cr_assert_eq(ptx_entry(&m, "k")->insn_count, 5);
	cr_assert_eq(insns[0].operands[1].index, 1);
	cr_assert_eq(insns[1].operands[1].index, 0);
	cr_assert_eq(insns[2].operands[0].index, 0);
	cr_assert_eq(insns[2].operands[1].index, insns[0].operands[0].index);
	cr_assert_eq(insns[3].operands[0].index, 1);
	ptx_free(&m);
}

Test(ptx, a_list_of_numbered_labels_is_one_of_each)
{
	struct ptx_module m =
		read_module(HEAD ".entry k()\n{\n.reg .b32 x;\n"
				 "T: .branchtargets M, L<2>;\n"
				 "brx.idx x, T;\nM: ret;\nL0: ret;\nL1: ret;\n"
				 "}\n");
	const struct ptx_function *f = ptx_entry(&m, "k");
	const struct ptx_operand *list = &f->insns[0].operands[1];

	cr_assert_eq(list->count, 3);
	cr_assert_eq(f->items[list->index].index, 1);
	cr_assert_eq(f->items[list->index + 1].index, 2);
	cr_assert_eq(f->items[list->index + 2].index, 3);
	ptx_free(&m);
}

Test(ptx, what_is_declared_and_defined_is_one_variable)
{
	struct ptx_module m =
		read_module(HEAD ".extern .global .b32 x[];\n"
				 ".global .u64 p = x;\n"
				 ".visible .global .b32 x[2] = {3, 4};\n"
				 ".extern .global .b32 x[2];\n");

	cr_assert_eq(m.variable_count, 2);
	cr_assert_eq(m.variables[0].bytes, 8);
	cr_assert_eq(m.variables[0].initial[4], 4);
	cr_assert_eq(m.pointers[0].index, 0);
	cr_assert_eq(m.pointers[0].owner, 1);
	ptx_free(&m);
}
