/* What kernels print, and their assertions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/values/format.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_prints, .timeout = 60);

/* ---- the format ---- */

#define TEXT_AT 4096 /* its address */

struct memory {
	uint8_t arguments[256];
	size_t argument_bytes;
	char text[4096]; /* the format, and strings behind it */
	size_t bytes;
};

static bool argument(void *context, uint64_t offset, void *to, unsigned bytes)
{
	const struct memory *m = context;

	if (offset + bytes > m->argument_bytes)
		return false;
	memcpy(to, m->arguments + offset, bytes);
	return true;
}

static int byte(void *context, uint64_t address)
{
	const struct memory *m = context;
	const uint64_t at = address - TEXT_AT;

	return at < m->bytes ? (unsigned char)m->text[at] : -1;
}

static void add(struct memory *m, const void *value, size_t bytes)
{
	m->argument_bytes = (m->argument_bytes + bytes - 1) & ~(bytes - 1);
	memcpy(m->arguments + m->argument_bytes, value, bytes);
	m->argument_bytes += bytes;
}

/* "i:5,s:abc": the kind, and what it is. */
static void add_argument(struct memory *m, char kind, const char *value)
{
	const int32_t word = (int32_t)strtoll(value, NULL, 10);
	const double real = strtod(value, NULL);
	uint64_t wide = kind == 'l' ? (uint64_t)strtoll(value, NULL, 10) : 0;

	if (kind == 's') {
		wide = TEXT_AT + m->bytes;
		m->bytes +=
			(size_t)sprintf(m->text + m->bytes, "%s", value) + 1;
	}
	if (kind == 'i')
		add(m, &word, sizeof(word));
	else
		add(m, kind == 'f' ? (const void *)&real : &wide, sizeof(wide));
}

static void prepare(struct memory *m, const char *format, const char *arguments)
{
	char text[1024], *one, *rest = text;

	*m = (struct memory){.bytes = strlen(format) + 1};
	memcpy(m->text, format, m->bytes);
	snprintf(text, sizeof(text), "%s", arguments);
	while (*text && (one = strsep(&rest, ",")))
		add_argument(m, *one, one + 2);
}

/* What the format makes of the arguments. */
static void makes(const char *format, const char *arguments,
	const char *expected, size_t bytes, uint32_t expected_count)
{
	struct memory m;
	const struct format_source from = {argument, byte, &m};
	struct printed out = {0};
	uint32_t count;
	uint64_t taken;

	prepare(&m, format, arguments);
	cr_assert_eq(format_print(&out, &from, TEXT_AT, &count, &taken),
		FORMAT_DONE, "%s", format);
	cr_expect_eq(out.bytes, bytes, "'%s': %zu bytes", format, out.bytes);
	cr_expect(out.bytes != bytes || !bytes ||
			  !memcmp(out.text, expected, bytes),
		"'%s': '%.*s', not '%s'", format, (int)out.bytes, out.text,
		expected);
	cr_expect_eq(
		count, expected_count, "'%s': %u arguments", format, count);
	free(out.text);
}

Test(kernel_prints, formats_make_what_the_driver_makes)
{
	static const struct {
		const char *format, *arguments, *text;
		size_t bytes;
		uint32_t count;
	} rows[] = {
#define PRINTED(format, arguments, text, count)                                \
	{format, arguments, text, sizeof(text) - 1, count},
#include "tests/unit/backend_sim/kernel/prints.def"
#undef PRINTED
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		makes(rows[i].format, rows[i].arguments, rows[i].text,
			rows[i].bytes, rows[i].count);
}

/* The 33rd prints what lies behind the others: the format, "%d%d" of it. */
Test(kernel_prints, formats_take_at_most_32_arguments)
{
	char format[100] = "", arguments[200] = "", expected[64] = "";
	unsigned i;

	for (i = 0; i < 33; i++) {
		strcat(format, "%d");
		strcat(arguments, i ? ",i:7" : "i:7");
		strcat(expected, i < 32 ? "7" : "1680172069");
	}
	makes(format, arguments, expected, strlen(expected), 32);
}

Test(kernel_prints, formats_do_not_read_beyond)
{
	static const char *const formats[] = {"%s", "%d%d", "%hhs"};
	static const char *const arguments[] = {"l:99", "i:1", ""};
	uint32_t count, i;
	uint64_t taken;

	for (i = 0; i < 3; i++) {
		struct memory m;
		const struct format_source from = {argument, byte, &m};
		struct printed out = {0};

		prepare(&m, formats[i], arguments[i]);
		cr_expect_eq(format_print(&out, &from, TEXT_AT, &count, &taken),
			FORMAT_NOWHERE);
		free(out.text);
	}
}

Test(kernel_prints, text_has_a_limit)
{
	struct printed p = {0};
	char many[4096];
	unsigned i;

	memset(many, 'x', sizeof(many));
	for (i = 0; i < 300; i++)
		cr_assert(printed_add(&p, many, sizeof(many)));
	cr_expect_eq(p.bytes, PRINTED_BYTES_MAX);
	cr_expect(p.is_full);
	free(p.text);
}

/* ---- kernels ---- */

#define DECLARED                                                               \
	".version 8.0\n.target sm_90\n.address_size 64\n"                      \
	".extern .func (.param .b32 r) vprintf\n"                              \
	"(.param .b64 format, .param .b64 arguments);\n"                       \
	".extern .func __assertfail (.param .b64 m, .param .b64 f,\n"          \
	"  .param .b32 l, .param .b64 n, .param .b64 s);\n"                    \
	".global .align 1 .b8 text[12] = {37,100,32,61,32,37,46,49,102,10};\n" \
	".global .align 1 .b8 word[] = {120,62,48,0};\n"                       \
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".local .align 8 .b8 depot[16];\n.reg .pred %p;\n"                     \
	".reg .b32 %r<8>;\n.reg .b64 %d<12>;\n"                                \
	"ld.param.u64 %d1, [p_b];\nmov.u32 %r0, %tid.x;\n"                     \
	"mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d4, %d1, %d2;\n"

/* "%d = %.1f\n" by lanes 3 and 5. */
#define PRINTS                                                                 \
	"setp.ne.u32 %p, %r0, 3; @!%p bra YES; setp.ne.u32 %p, %r0, 5;\n"      \
	"@%p bra NO;\nYES: mov.u64 %d5, depot; cvta.local.u64 %d6, %d5;\n"     \
	"st.local.u32 [%d5], %r0; st.local.f64 [%d5+8], 0d3ff8000000000000;\n" \
	"mov.u64 %d7, text; cvta.global.u64 %d8, %d7;\n"                       \
	"{ .param .b64 x; .param .b64 y; .param .b32 z;\n"                     \
	"  st.param.b64 [x], %d8; st.param.b64 [y], %d6;\n"                    \
	"  call (z), vprintf, (x, y); ld.param.b32 %r2, [z]; }\n"              \
	"st.global.u32 [%d4], %r2;\nNO:\n"

#define ASSERTS                                                                \
	"mov.u64 %d7, word; cvta.global.u64 %d8, %d7; mov.u32 %r3, 17;\n"      \
	"{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"      \
	"  .param .b64 e; st.param.b64 [a], %d8; st.param.b64 [b], %d8;\n"     \
	"  st.param.b32 [c], %r3; st.param.b64 [d], %d8;\n"                    \
	"  st.param.b64 [e], %d8; call __assertfail, (a, b, c, d, e); }\n"

Test(kernel_prints, each_lane_prints_and_knows_how_much)
{
	const struct job_wishes wishes = {.contents = true};
	struct ran r;
	uint32_t words[8];

	kernel_run(NULL, &r, DECLARED PRINTS "ret;\n}\n", BUFFERS,
		"grid=1 block=32", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_assert_eq(r.result.printed_bytes, 16);
	cr_expect_eq(strncmp(r.result.printed, "3 = 1.5\n5 = 1.5\n", 16), 0);
	memcpy(words, r.result.contents[1], sizeof(words));
	cr_expect_eq(words[3], 2);
	cr_expect_eq(words[4], 0);
	/* Two records of 32 bytes. */
	cr_expect_geq(kernel_counter(&r, "lts__t_sectors_op_write.sum"), 3);
	kernel_end(&r);
}

Test(kernel_prints, what_was_printed_before_a_failure_is_kept)
{
	const struct job_wishes wishes = {0};
	struct ran r;

	kernel_run(NULL, &r, DECLARED PRINTS ASSERTS "ret;\n}\n", BUFFERS,
		"grid=1 block=32", &wishes);
	cr_assert_neq(r.code, 0);
	cr_assert_eq(r.result.printed_bytes, 16);
	cr_assert_not_null(
		strstr(r.error.text, "x>0:17: x>0: assertion 'x>0' failed"),
		"%s", r.error.text);
	kernel_end(&r);
}
