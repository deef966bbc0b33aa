/* Constant expressions, and what variables hold at first. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/ptx/ptx.h"

TestSuite(ptx_constants, .timeout = 20);

#define VERSION ".version 8.0\n.target sm_90\n.address_size 64\n"

static int parse(const char *text, struct ptx_module *m, struct error *error)
{
	return ptx_parse("k.ptx", text, strlen(text), m, error);
}

static uint64_t value_of(const char *expression)
{
	char text[512];
	struct ptx_module m;
	struct error error;
	uint64_t bits;

	snprintf(text, sizeof(text),
		VERSION ".entry k() { .reg .b64 d; mov.b64 d, %s; ret; }",
		expression);
	cr_assert_eq(parse(text, &m, &error), 0, "%s", error.text);
	bits = m.functions[0].insns[0].operands[1].bits;
	ptx_free(&m);
	return bits;
}

static void refused(const char *text, const char *sentence)
{
	char whole[1024];
	struct ptx_module m;
	struct error error;

	snprintf(whole, sizeof(whole), VERSION "%s", text);
	cr_assert_eq(parse(whole, &m, &error), ERR_USAGE, "%s", text);
	cr_assert_not_null(strstr(error.text, sentence), "%s", error.text);
}

Test(ptx_constants, have_the_values_of_the_assembler)
{
	static const struct {
		const char *text;
		uint64_t bits;
	} rows[] = {
		{"1<<4", 16},
		{"(1<<4)|3", 19},
		{"~0", UINT64_MAX},
		{"!5+1", 1},
		{"- - 5", 5},
		{"7*6-2", 40},
		{"100/7", 14},
		{"-100/7", (uint64_t)-14},
		{"100 % 7", 2},
		{"63 % -2", 63},
		{"-(7)% 2", 1},
		{"(5 % 16) > -1", 0},
		{"WARP_SZ% 5", 2},
		{"~0/16", 0x0fffffffffffffff},
		{"(63&7)/-2", (uint64_t)-3},
		{"1|2==2", 1},
		{"2-3>0", 0},
		{"2U-3>0", 1},
		{"(.u64)2-3>0", 1},
		{"-8>>1U", (uint64_t)-4},
		{"-8U>>1", 0x7ffffffffffffffc},
		{"1<<65", 2},
		{"3>2?5:6", 5},
		{"0 ? 5 : 1 ? 7 : 8", 7},
		{"1 && 0 || 1", 1},
		{"1 != 1", 0},
		{"4 <= 4", 1},
		{"6^3&1", 7},
		{"07+010", 15},
		{"WARP_SZ*2", 64},
		{"-WARP_SZ", (uint64_t)-32},
		{"0x7fffffffffffffff+1", UINT64_C(1) << 63},
		{"0x8000000000000000/-1", 0},
		{"1.5*2.0", 0x4008000000000000},
		{"0.5e+1", 0x4014000000000000},
		{"0.5E-0", 0x3fe0000000000000},
		{"0x1e+1", 31},
		{"0X1E", 30},
		{"0B101", 5},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(value_of(rows[i].text), rows[i].bits,
			"%s is 0x%" PRIx64, rows[i].text,
			value_of(rows[i].text));
}

Test(ptx_constants, that_have_no_value_are_refused)
{
#define IN(text) ".entry k() { .reg .b64 d; mov.u64 d, " text "; ret; }"
	char deep[700], text[800];

	refused(IN("1/0"), "divides by zero");
	refused(IN("1.0*3"), "both integers and reals");
	refused(IN("~1.0"), "'~' takes an integer");
	refused(IN("1.0%2.0"), "expected");
	refused(IN("(1"), "expected ')'");
	refused(IN("1+"), "expected a number, not ';'");
	refused(IN("1 ? 2"), "expected ':'");
	refused(IN("(.u32)1"), "expected '.s64' or '.u64'");
	refused(IN("0f3f800000+1.0"), "takes no 0f number");
	refused(IN("0f3f80"), "4:38: expected 8 hexadecimal digits");
	refused(IN("0b"), "expected a number, not '0b'");
	refused(IN("1.0U"), "expected a number, not '1.0U'");
	refused(IN("0x1.8p1"), "expected a number, not '0x1.8p1'");
	refused(IN("18446744073709551616"), "expected a number of 64 bits");
	refused(IN("1.0e400"), "expected a number of 64 bits");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	snprintf(text, sizeof(text), ".entry k() { .reg .b64 d; mov.u64 d, %s",
		deep);
	refused(text, "less deep");
}

Test(ptx_constants, fill_variables_by_dimension)
{
	static const char text[] =
		VERSION ".global .b32 rows[2][2] = {{1}, {1+1}};\n"
			".global .b8 open[] = {1, 2, 3};\n"
			".global .b16 pairs[][2] = {{1, 2}, {3}};\n"
			".global .v4 .f32 vec = {1.0, -2.0, 3.0, 4.0};\n"
			".global .b32 one = 5, two = 6;\n";
	static const uint32_t rows[] = {1, 0, 2, 0};
	static const uint16_t pairs[] = {1, 2, 3, 0};
	static const float vec[] = {1, -2, 3, 4};
	struct ptx_module m;
	struct error error;

	cr_assert_eq(parse(text, &m, &error), 0, "%s", error.text);
	cr_assert_eq(memcmp(m.variables[0].initial, rows, sizeof(rows)), 0);
	cr_assert_eq(m.variables[1].bytes, 3);
	cr_assert_eq(m.variables[2].bytes, sizeof(pairs));
	cr_assert_eq(memcmp(m.variables[2].initial, pairs, sizeof(pairs)), 0);
	cr_assert_eq(m.variables[3].align, 16);
	cr_assert_eq(memcmp(m.variables[3].initial, vec, sizeof(vec)), 0);
	cr_assert_eq(m.variables[5].initial[0], 6);
	ptx_free(&m);
}

Test(ptx_constants, that_do_not_fit_variables_are_refused)
{
	refused(".global .b32 t[2] = {1, 2, 3};", "no more initial values");
	refused(".global .b32 t[2][2] = {1, 2};", "expected '{'");
	refused(".global .b8 t[];", "has no size");
	refused(".shared .b32 t = 4;", "has initial values");
	refused(".global .f32 t = 1;", "expected a real number");
	refused(".global .u64 t = nobody;",
		"expected the name of a variable or a function before");
	refused(".shared .b32 s; .global .u64 t = s;",
		"a variable of .global or .const");
	refused(".global .b32 x; .global .u16 t = x;", "in .u32 or .u64");
	refused(".global .b32 x; .global .u8 t = 0xfff(x);", "a mask of one");
}

Test(ptx_constants, and_vectors_of_registers_have_elements)
{
	static const char text[] = VERSION
		".entry k() { .reg .v4 .b32 v; .reg .v2 .b32 w; .reg .b64 d;\n"
		"mov.b64 w, d; mov.b32 v.x, w.y; mov.b32 v.a, w.r; ret; }";
	struct ptx_module m;
	struct error error;
	const struct ptx_function *f;

	cr_assert_eq(parse(text, &m, &error), 0, "%s", error.text);
	f = &m.functions[0];
	cr_assert_eq(f->insns[0].operands[0].kind, PTX_VECTOR);
	cr_assert_eq(f->insns[0].operands[0].count, 2);
	cr_assert_eq(f->insns[1].operands[0].index, 0);
	cr_assert_eq(f->insns[1].operands[1].index, 5);
	cr_assert_eq(f->insns[2].operands[0].index, 3);
	cr_assert_eq(f->insns[2].operands[1].index, 4);
	ptx_free(&m);
	refused(".entry k() { .reg .v2 .b32 w; mov.b32 w.z, 1; ret; }",
		"an element of a vector");
	refused(".entry k() { .reg .v4 .f64 w; ret; }", "at most 128 bits");
}
