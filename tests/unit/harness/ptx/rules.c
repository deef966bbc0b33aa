/* What the assembler refuses, each as ptxas 13.0 does, and what is of no
   concern to who does not launch it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static int parse(const char *text, struct ptx_module *m, struct error *error)
{
	return ptx_parse("m.ptx", text, strlen(text), m, error);
}

static void refuses(const char *text, const char *sentence)
{
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(parse(text, &m, &error), ERR_USAGE, "'%s' is read", text);
	cr_expect_str_eq(error.text, sentence);
}

static void takes(const char *text)
{
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(parse(text, &m, &error), 0, "%s: %s", text, error.text);
	ptx_free(&m);
}

/* ---- by entry ---- */

static void has_unmodelled(const char *text, const char *sentence)
{
	const struct ptx_function *bad, *good;
	struct ptx_module m;
	struct error error = {""};

	cr_assert_eq(parse(text, &m, &error), 0, "%s: %s", text, error.text);
	bad = ptx_entry(&m, "bad");
	good = ptx_entry(&m, "good");
	cr_assert(bad && good && bad->unmodelled);
	cr_expect_str_eq(bad->unmodelled, sentence);
	cr_expect_null(good->unmodelled);
	cr_expect_eq(good->insn_count, 1);
	ptx_free(&m);
}

#define GOOD ".entry good(){ret;}\n"

Test(ptx_rules, what_is_not_modelled_is_of_its_function_alone)
{
	has_unmodelled(HEAD GOOD ".entry bad(){\n"
				 "tcgen05.mma.m8n8k4 {a},{b},{c};\nL: bra "
				 "L;\nret;}\n",
		"m.ptx:6:1: 'tcgen05.mma.m8n8k4': tensor memory is not "
		"modelled");
	has_unmodelled(HEAD ".entry bad(){\n.reg .b32 a;\nmov.u32 a, "
			    "%pm0;\nret;}\n" GOOD,
		"m.ptx:6:12: the special register '%pm0' is not modelled");
	has_unmodelled(HEAD ".entry bad(){\n{.reg .b32 q<70000>;\nmov.b32 q1, "
			    "q2;}\nret;}\n" GOOD,
		"m.ptx:5:19: more than 65536 registers of a function, and "
		"4194304 of a module, are not modelled");
	has_unmodelled(HEAD ".entry bad(.param .b32 a)\n"
			    ".reqntid 32 .reqnctapercluster 2 "
			    ".blocksareclusters {.reg .b32 x; ret;}\n" GOOD,
		"m.ptx:5:34: '.blocksareclusters' of a function is not "
		"modelled");
	has_unmodelled(HEAD ".global .texref t;\n.entry bad(){\n.reg .b64 d;\n"
			    "mov.u64 d, t;\nret;}\n" GOOD,
		"m.ptx:7:12: the variable 't' is of a kind that is not "
		"modelled");
}

/* What comes behind it is read all the same. */
Test(ptx_rules, what_is_wrong_is_refused_behind_what_is_not_modelled)
{
	refuses(HEAD GOOD ".entry bad(){\ntcgen05.st {a};\nfrob.b32;\n}\n",
		"m.ptx:7:1: 'frob.b32' is not an instruction of PTX that is "
		"known");
	refuses(HEAD GOOD ".entry bad(){\ntcgen05.ld {a};\nadd.cc.f32 a;\n}\n",
		"m.ptx:7:1: 'add.cc.f32' is not a form of 'add' that PTX has");
}

/* ---- the module ---- */

Test(ptx_rules, versions_and_targets_are_those_that_there_are)
{
	refuses(".version 99.9\n.target sm_90\n",
		"m.ptx:1:10: '99.9' is not a version of PTX that is known; the "
		"latest is 9.1");
	refuses(".version 0d7ff8000000000000\n.target sm_90\n",
		"m.ptx:1:10: '0d7ff8000000000000' is not a version of PTX that "
		"is known; the latest is 9.1");
	refuses(".version 8.0\n.target sm_91\n",
		"m.ptx:2:9: expected a target as sm_90, not 'sm_91'");
	refuses(".version 7.7\n.target sm_90\n",
		"m.ptx:2:9: 'sm_90' needs .version 7.8, this is 7.7");
	refuses(".version 8.0\n.entry k(){ret;}\n",
		"m.ptx:2:1: expected '.target', not '.entry'");
	takes(".version 8.0\n.target sm_80, texmode_independent\n");
	takes(".version 8.7\n.target sm_100\n.entry k(){ret;}\n");
}

#define ENTRY(body) HEAD ".entry k(.param .b32 p)\n{" body "}\n"

Test(ptx_rules, a_name_stands_for_one_thing_in_a_scope)
{
	refuses(ENTRY(".reg .b32 a;\n.reg .b32 a; ret;"),
		"m.ptx:6:11: 'a' stands for two things");
	refuses(ENTRY(".reg .b32 %r<5>;\n.reg .b32 %r3; ret;"),
		"m.ptx:6:11: '%r3' stands for two things");
	refuses(ENTRY("L:\nL: ret;"), "m.ptx:6:1: 'L' stands for two things");
	refuses(ENTRY(".reg .b32 L;\nL: ret;"),
		"m.ptx:6:1: 'L' stands for two things");
	refuses(ENTRY(".reg .b32 p; ret;"),
		"m.ptx:5:12: 'p' stands for two things");
	refuses(HEAD ".global .b32 a;\n.shared .b32 a;\n",
		"m.ptx:5:14: 'a' stands for two things");
	takes(ENTRY(".reg .b32 a; {.reg .b32 a; L: bra L;} L: ret;"));
	takes(HEAD ".extern .shared .b32 a[];\n.extern .shared .b32 a[];\n");
	takes(HEAD ".global .b32 a;\n.entry k(){.reg .b32 a, k; ret;}\n");
}

#define FUNCTIONS                                                              \
	HEAD ".func f(.param .b32 a){ret;}\n"                                  \
	     ".func (.param .b32 r) g(){ret;}\n.entry e(){ret;}\n"

Test(ptx_rules, a_call_passes_what_the_function_takes)
{
#define CALLER(call)                                                           \
	FUNCTIONS ".entry k(){.param .b32 x;.param .b64 z;\n" call " ret;}\n"
	refuses(CALLER("call f;"),
		"m.ptx:8:6: 'f' has 1 parameters there, the call has 0");
	refuses(CALLER("call f, (x, x);"),
		"m.ptx:8:6: 'f' has 1 parameters there, the call has 2");
	refuses(CALLER("call g;"),
		"m.ptx:8:6: 'g' has 1 parameters there, the call has 0");
	refuses(CALLER("call (x), f, (x);"),
		"m.ptx:8:11: 'f' has 0 parameters there, the call has 1");
	refuses(CALLER("call f, (z);"),
		"m.ptx:8:6: the call of 'f' passes another type for 'a'");
	refuses(CALLER("call e;"),
		"m.ptx:8:6: 'e' is an entry, which can't be called");
	refuses(CALLER("call (1), g;"),
		"m.ptx:8:11: the call of 'g' takes back what is neither a "
		"register nor a variable for 'r'");
	takes(CALLER("call f, (x); call (x), g; call (x), g, ();"));
}

Test(ptx_rules, what_a_function_takes_is_read_and_what_it_returns_written)
{
#define IN_FUNCTION(line)                                                      \
	HEAD ".func (.param .b32 r) f(.param .b32 a){.reg .b32 x;\n" line      \
	     " ret;}\n"
	refuses(IN_FUNCTION("st.param.b32 [a], x;"),
		"m.ptx:5:1: 'a', which the function takes, cannot be written");
	refuses(IN_FUNCTION("ld.param.b32 x, [r];"),
		"m.ptx:5:1: 'r', which the function returns, cannot be read");
	takes(IN_FUNCTION("ld.param.b32 x, [a]; st.param.b32 [r], x; {.param "
			  ".b32 q; st.param.b32 [q], x; ld.param.b32 x, [q];"
			  "}"));
	refuses(HEAD ".func (.param .b32 r) f() .noreturn {ret;}\n",
		"m.ptx:4:27: expected the body of a function, not "
		"'.noreturn'");
	refuses(HEAD ".entry f() .noreturn {ret;}\n",
		"m.ptx:4:12: '.noreturn' is not a directive of a function's "
		"head");
	takes(HEAD ".func f() .noreturn {exit;}\n");
}

Test(ptx_rules, a_branch_through_a_table_takes_a_number_of_32_bits)
{
#define THROUGH(number)                                                        \
	ENTRY(".reg .b32 a; .reg .s32 b; .reg .b64 c; .reg .f32 d;\n"          \
	      "t: .branchtargets L;\nbrx.idx " number ", t; L: ret;")

	refuses(THROUGH("c"), "m.ptx:7:1: expected a whole number of 32 bits "
			      "as operand 1 of 'brx.idx'");
	refuses(THROUGH("d"), "m.ptx:7:1: expected a whole number of 32 bits "
			      "as operand 1 of 'brx.idx'");
	takes(THROUGH("a"));
	takes(THROUGH("b"));
	takes(THROUGH("0"));
}

Test(ptx_rules, a_function_is_what_its_declaration_says)
{
	refuses(HEAD ".func f(.param .b32 a);\n.func f(){ret;}\n",
		"m.ptx:5:10: 'f' has been declared with other parameters");
	refuses(HEAD ".func f(.param .b32 a);\n"
		     ".func f(.param .b64 a){ret;}\n",
		"m.ptx:5:23: 'f' has been declared with other parameters");
	refuses(HEAD ".func (.param .b32 r) f();\n.func f(){ret;}\n",
		"m.ptx:5:10: 'f' has been declared with other parameters");
	takes(HEAD ".func (.param .b32 r) f(.param .b64 a);\n"
		   ".func (.param .b32 q) f(.param .b64 b){ret;}\n");
	takes(HEAD ".extern .func (.param .b32 r) f(.param .b64 a);\n"
		   ".extern .func (.param .b32 q) f(.param .b64 b);\n");
}

Test(ptx_rules, limits_and_variables_are_possible)
{
	refuses(HEAD ".entry k() .maxntid 0 {ret;}\n",
		"m.ptx:4:21: expected a number of threads");
	refuses(HEAD ".entry k() .maxntid 32 .reqntid 32 {ret;}\n",
		"m.ptx:4:24: expected .maxntid or .reqntid, not both");
	refuses(HEAD ".entry k() .maxnreg 0 {ret;}\n",
		"m.ptx:4:21: expected a number above 0");
	refuses(HEAD ".entry k() .maxntid 32 .minnctapersm 0 {ret;}\n",
		"m.ptx:4:38: expected a number above 0");
	refuses(HEAD ".const .b32 a[];\n",
		"m.ptx:4:13: 'a' has no size: it is neither .extern nor has "
		"it initial values");
	refuses(HEAD ".global .f32 a = 5;\n",
		"m.ptx:4:18: expected a real number for 'a' of .f32");
	refuses(HEAD ".global .u32 a = 5.0;\n",
		"m.ptx:4:18: expected a whole number for 'a' of .u32");
	refuses(HEAD ".global .f16 a = 5.0;\n",
		"m.ptx:4:14: 'a' of .f16 can have no initial value");
	refuses(HEAD ".global .b32 b;\n.global .f32 a = b;\n",
		"m.ptx:5:18: expected an address in .u32 or .u64, its bytes in "
		".u8, "
		"not in .f32");
	takes(HEAD ".global .b32 a = 0f3F800000;\n.global .b64 b = 1.0;\n");
	refuses(HEAD ".global .pred a;\n",
		"m.ptx:4:15: 'a' is a predicate, which registers alone hold");
	refuses(ENTRY(";;ret;"), "m.ptx:5:2: expected an instruction, not ';'");
}

/* ---- forms ---- */

/* Of the instruction in line 9. */
static void refuses_form(const char *form, const char *sentence)
{
	char text[512], wanted[256];

	snprintf(text, sizeof(text),
		HEAD ".entry k()\n{\n.reg .b32 a;.reg .b64 d;.reg .pred p;\n"
		     ".reg .f32 f;.reg .f64 g;.reg .b16 h;\n.const .b32 c;\n%s"
		     "\n}\n",
		form);
	snprintf(wanted, sizeof(wanted), "m.ptx:9:1: %s", sentence);
	refuses(text, wanted);
}

Test(ptx_rules, forms_are_those_of_ptx)
{
	refuses_form("add.cc.f32 f,f,f;",
		"'add.cc.f32' is not a form of 'add' that PTX has");
	refuses_form(
		"add.frob.f32 f,f,f;", "'.frob' is not a modifier of 'add'");
	refuses_form("div.f32 f,f,f;",
		"expected one of .rn|rz|rm|rp|approx|full in 'div.f32'");
	refuses_form("fma.f32 f,f,f,f;",
		"expected one of .rn|rz|rm|rp in 'fma.f32'");
	refuses_form("cvt.s32.f32 a,f;",
		"expected one of .rni|rzi|rmi|rpi in 'cvt.s32.f32'");
	refuses_form("cvt.rn.f64.f32 g,f;",
		"'cvt.rn.f64.f32' is not a form of 'cvt' that PTX has");
	refuses_form("atom.inc.s32 a,[d],1;",
		"'atom.inc.s32' is not a form of 'atom' that PTX has");
	refuses_form(
		"st.const.b32 [c],a;", "'.const' is not a modifier of 'st'");
	refuses_form("mul.u32.lo a,a,a;",
		"'mul.u32.lo' is not a form of 'mul' that PTX has");
	refuses_form("ld.global.v8.f32 {f,f,f,f,f,f,f,f},[d];",
		"'ld.global.v8.f32' needs .version 8.8, the module has 8.0");
	refuses_form("shfl.up.b32 a,a,1,0;",
		"'shfl.up.b32' needs .sync for sm_70 and newer, from PTX 6.4 "
		"on");
	refuses_form("fma.rn.ftz.oob.f16x2 a,a,a,a;",
		"'fma.rn.ftz.oob.f16x2' is not a form of 'fma' that PTX has");
	refuses_form("ld.weak.global.nc.b32 a,[d];",
		"'ld.weak.global.nc.b32' is either .weak or .nc");
	refuses_form("ldu.global.cs.b32 a,[d];",
		"'ldu.global.cs.b32' takes .global, a vector and a type alone");
	refuses_form("cvt.pack.u16.s32 a,a,a;",
		"'.pack' is not a modifier of 'cvt'");
	refuses_form("vote.any.pred p,p;",
		"'vote.any.pred' needs .sync for sm_70 and newer, from PTX "
		"6.4 on");
}

#define BAD(insn)                                                              \
	HEAD GOOD ".entry bad(){.reg .b32 a<4>;.reg .b64 d;\n" insn "\nret;}"  \
		  "\n"

Test(ptx_rules, odd_spellings_are_the_assemblers)
{
	takes(BAD("cvt.pack.u8.s32.sat.b32.sat a0,a1,a2,a3;"));
	takes(BAD("max.s16x2.relu a0,a1,a2;"));
	takes(BAD("ldu.v2.global.b32 {a0,a1},[d];"));
	has_unmodelled(BAD("mov.v2.u32 {a0,a1},a2;"),
		"m.ptx:6:1: one value for all elements of 'mov.v2.u32' is not "
		"modelled");
	has_unmodelled(".version 8.3\n.target sm_90\n.address_size 64\n" GOOD
		       ".entry bad(){.reg .b128 q;.reg .b64 d;\n"
		       "atom.exch.b128 q,[d],q,q;\nret;}\n",
		"m.ptx:6:1: a fourth operand of 'atom.exch.b128' is not "
		"modelled");
	takes(".version 8.3\n.target sm_90\n.address_size 64\n"
	      ".entry k(){.reg .b128 q;.reg .b64 d;\n"
	      "atom.cas.b128.global q,[d],q,q;\nret;}\n");
	refuses(HEAD ".global .texref t .func;\n",
		"m.ptx:4:19: expected ';', not '.func'");
}

Test(ptx_rules, operands_are_of_the_types_of_the_form)
{
	refuses_form("add.f32 f,f,g;",
		"operand 3 of 'add.f32' is a register of type .f64, expected "
		".f32");
	refuses_form("add.f32 f,f,1;",
		"expected a register or a number of type .f32 as operand 3 of "
		"'add.f32'");
	refuses_form("bar.sync 16;",
		"expected the number of a barrier, 0 to 15 as operand 1 of "
		"'bar.sync'");
	refuses_form("bar.sync 0,33;",
		"expected a number of threads that is a multiple of 32 as "
		"operand 2 of 'bar.sync'");
	refuses_form("bfi.b32 a,a,a,256,1;",
		"'bfi.b32' takes positions and lengths of 0 to 255");
	refuses_form("lop3.b32 a,a,a,a,a;",
		"expected a whole number as operand 5 of 'lop3.b32'");
	refuses_form("ld.global.b32 a,[c];",
		"'ld.global.b32' does not reach the space of 'c'");
	refuses_form("ld.global.b32 a,[a];",
		"expected a register of 64 bits in the address of "
		"'ld.global.b32', not .b32");
	refuses_form("ld.global.b32 a,[64];",
		"expected a register or a variable in the address of "
		"'ld.global.b32'");
	refuses_form("cp.async.cg.shared.global [a],[d],8;",
		"'cp.async.cg.shared.global' copies 16 bytes");
	refuses_form("min.s16x2 a,a,1;",
		"expected a register of type .b32 as operand 3 of "
		"'min.s16x2'");
	refuses_form("add.u16x2 a,a,f;",
		"operand 3 of 'add.u16x2' is a register of type .f32, "
		"expected .b32");
	refuses_form("and.b32 _,a,a;",
		"expected a register or a number of type .b32 as operand 1 of "
		"'and.b32'");
}

/* A few letters declare many registers, in each function anew. */
Test(ptx_rules, a_module_has_so_many_registers, .timeout = 60)
{
	char text[65 * 48 + sizeof(HEAD GOOD)];
	struct ptx_module m;
	struct error error = {""};
	size_t used = (size_t)sprintf(text, HEAD);
	unsigned i;

	for (i = 0; i < 65; i++)
		used += (size_t)sprintf(text + used,
			".func f%u(){.reg .b32 a<65536>;ret;}\n", i);
	sprintf(text + used, GOOD);
	cr_assert_eq(parse(text, &m, &error), 0, "%s", error.text);
	cr_expect_null(m.functions[63].unmodelled);
	cr_expect_str_eq(m.functions[64].unmodelled,
		"m.ptx:68:30: more than 65536 registers of a function, and "
		"4194304 of a module, are not modelled");
	cr_expect_null(m.functions[65].unmodelled);
	ptx_free(&m);
}
