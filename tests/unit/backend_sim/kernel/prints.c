/* What kernels print, and their assertions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/values/format.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_prints, .timeout = 60);

/* ---- the format ---- */

struct memory {
	const uint8_t *arguments;
	const char *text;
	size_t bytes;
};

static bool argument(void *context, uint64_t offset, void *to, unsigned bytes)
{
	const struct memory *m = context;

	if (offset + bytes > 64)
		return false;
	memcpy(to, m->arguments + offset, bytes);
	return true;
}

static int byte(void *context, uint64_t address)
{
	const struct memory *m = context;

	return address < m->bytes ? (unsigned char)m->text[address] : -1;
}

/* The format is at 0 of the text, behind it what %s finds. */
static void makes(const char *text, size_t bytes, const uint64_t arguments[8],
	const char *expected, uint32_t expected_count)
{
	struct memory m = {(const uint8_t *)arguments, text, bytes};
	const struct format_source from = {argument, byte, &m};
	struct printed out = {0};
	uint32_t count;
	uint64_t taken;

	cr_assert_eq(format_print(&out, &from, 0, &count, &taken), FORMAT_DONE);
	cr_expect_eq(out.bytes, strlen(expected));
	cr_expect_eq(strncmp(out.text ? out.text : "", expected, out.bytes), 0,
		"'%.*s', not '%s'", (int)out.bytes, out.text, expected);
	cr_expect_eq(count, expected_count);
	free(out.text);
}

#define MAKES(text, expected, count, ...)                                      \
	makes(text, sizeof(text), (const uint64_t[8]){__VA_ARGS__}, expected,  \
		count)

Test(kernel_prints, formats_take_arguments_by_size)
{
	MAKES("plain %%\n", "plain %\n", 0, 0);
	MAKES("%d|%5d|%-5d|%05d", "-1|   42|7    |00009", 4,
		UINT64_C(42) << 32 | 0xffffffff, UINT64_C(9) << 32 | 7);
	MAKES("%d %lld %d", "1 -2 3", 3, 1, (uint64_t)-2, 3);
	MAKES("%u %x %X %o", "4294967295 ff FF 10", 4,
		UINT64_C(0xff) << 32 | 0xffffffff, UINT64_C(8) << 32 | 0xff);
	MAKES("%hd %hhd %hu", "4464 44 65535", 3, UINT64_C(300) << 32 | 70000,
		0xffffffff);
	MAKES("%f %5.1f %g", "1.500000   2.0 1e-05", 3, 0x3ff8000000000000,
		0x4000000000000000, 0x3ee4f8b588e368f1);
	MAKES("%c%s|%.2s\0abc", "Aabc|ab", 3, 65, 10, 10);
	MAKES("%*d|%*d|", "    42|7  |", 4, UINT64_C(42) << 32 | 6,
		UINT64_C(7) << 32 | 0xfffffffd);
	/* As on an H200. */
	MAKES("%*d|%.*f", "    42|%.*f", 2, UINT64_C(42) << 32 | 6);
	MAKES("%z %d", "% 5", 1, 5);
	MAKES("%p", "0x1234", 1, 0x1234);
	MAKES("%q %d", "%q 5", 1, 5);
	MAKES("100%", "100%", 0, 0);
}

Test(kernel_prints, formats_do_not_read_beyond)
{
	static const uint64_t arguments[8] = {1, 1000};
	static const char *const texts[] = {"%s%s", "%d"};
	uint32_t count, i;
	uint64_t taken;

	for (i = 0; i < 2; i++) {
		struct memory m = {(const uint8_t *)arguments, texts[i],
			i ? strlen(texts[i]) : strlen(texts[i]) + 1};
		const struct format_source from = {argument, byte, &m};
		struct printed out = {0};

		cr_expect_eq(format_print(&out, &from, 0, &count, &taken),
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
