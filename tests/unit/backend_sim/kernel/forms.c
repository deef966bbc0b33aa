/* Each operation in each form, on values that are hard: the words are those of
   an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_forms, .timeout = 120);

#define FORM_THREADS 1024u
#define FORM_BYTES   (8 * FORM_THREADS)
#define FORMS_MAX    32 /* of a kernel */

enum set {
	HALF,
	BHALF,
	HALVES,
	BHALVES,
	SINGLE,
	DOUBLE,
	WHOLE,
	EIGHTS,    /* pairs of e4m3 and e5m2 */
	TIES,      /* f32 between what tf32, e4m3 and e5m2 have, and beyond */
	HALF_TIES, /* pairs of f16, the same */
	BOUNDS,    /* f16 and bf16 pairs, some out of bounds */
};

static const uint64_t sets[][32] = {
	[HALF] = {0x0, 0x8000, 0x1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400,
		0x3c00, 0xbc00, 0x3c01, 0xbc01, 0x3bff, 0x3800, 0xb801, 0x4000,
		0x4248, 0xc248, 0x5bff, 0xdbff, 0x6400, 0x67ff, 0x77ff, 0xf7ff,
		0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe55},
	[BHALF] = {0x0, 0x8000, 0x1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x3f80,
		0xbf80, 0x3f81, 0xbf81, 0x3f7f, 0x3f00, 0xbf01, 0x4000, 0x4049,
		0xc049, 0x437f, 0xc37f, 0x4eff, 0xcf00, 0x5f00, 0xdf7f, 0x7f00,
		0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffd5},
	[HALVES] = {0x83ff0000, 0x42488000, 0x7c000001, 0x4008001, 0xc24803ff,
		0xfc0083ff, 0x84000400, 0x5bff8400, 0x7c013c00, 0x3c00bc00,
		0xdbff3c01, 0x7e00bc01, 0xbc003bff, 0x64003800, 0xfe55b801,
		0x3c014000, 0x67ff4248, 0xc248, 0xbc015bff, 0x77ffdbff,
		0x80006400, 0x3bff67ff, 0xf7ff77ff, 0x1f7ff, 0x38007800,
		0x78007bff, 0x8001fbff, 0xb8017c00, 0x7bfffc00, 0x3ff7c01,
		0x40007e00, 0xfbfffe55},
	[BHALVES] = {0x807f0000, 0x40498000, 0x7f800001, 0x808001, 0xc049007f,
		0xff80807f, 0x80800080, 0x437f8080, 0x7f813f80, 0x3f80bf80,
		0xc37f3f81, 0x7fc0bf81, 0xbf803f7f, 0x4eff3f00, 0xffd5bf01,
		0x3f814000, 0xcf004049, 0xc049, 0xbf81437f, 0x5f00c37f,
		0x80004eff, 0x3f7fcf00, 0xdf7f5f00, 0x1df7f, 0x3f007f00,
		0x7f007f7f, 0x8001ff7f, 0xbf017f80, 0x7f7fff80, 0x7f7f81,
		0x40007fc0, 0xff7fffd5},
	[SINGLE] = {0x0, 0x80000000, 0x1, 0x80000001, 0x7fffff, 0x807fffff,
		0x800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800347,
		0xbf800347, 0x3f7fffff, 0x3f000000, 0xbfc00000, 0x33000001,
		0xb3000000, 0x38800fff, 0x42fe8000, 0xc3000000, 0x477ff000,
		0x477fefff, 0xc77ff000, 0x4effffff, 0xcf000000, 0x5f000000,
		0xdf800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001,
		0xffc12345},
	[DOUBLE] = {0x0, 0x8000000000000000, 0x1, 0x8000000000000001,
		0xfffffffffffff, 0x10000000000000, 0x8010000000000000,
		0x3ff0000000000000, 0xbff0000000000000, 0x3ff0068e12345678,
		0xbff0068e12345678, 0x3fe0000000000000, 0xc004000000000000,
		0x3e60000000000001, 0xbe60000000000000, 0x380fffffffffffff,
		0x36a0000000000001, 0x405fe00000000000, 0xc060200000000000,
		0x40effdfff7ced917, 0x40effe0000000000, 0xc0effe0000000000,
		0x41dfffffffe00000, 0xc1e0000000200000, 0x43e8000000000000,
		0xc3e0000000000000, 0x47efffffefffffff, 0x7fefffffffffffff,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
		0xfff8123456789abc},
	[WHOLE] = {0x0, 0x1, 0x2, 0x3, 0x5, 0x7, 0x1f, 0x20, 0x21, 0x3f, 0x40,
		0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
		0x12345678, 0x7fffffff, 0x80000000, 0x80000001, 0xff800000,
		0xffffffff, 0x100000000, 0x123456789abcdef0, 0x7fffffffffffffff,
		0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe,
		0xffffffffffffffff},
	[EIGHTS] = {0xb800, 0x480, 0x8001, 0xfb81, 0x1007, 0x3c08, 0x8438,
		0x1b8, 0x7c3c, 0x6f7e, 0x7efe, 0x777f, 0x81ff, 0xfc7b, 0x79fb,
		0xfe7c, 0xf8fc, 0x77d, 0x7dfd, 0x8703, 0x7f04, 0x4484, 0x877,
		0xfdf8, 0xc44, 0xff5a, 0x5aa5, 0x3810, 0x36f, 0x79, 0x7b87,
		0xa50c},
	[TIES] = {0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001, 0xbf801000,
		0x7f7ff000, 0x7f7fefff, 0xff7ff000, 0x1000, 0x7ff000,
		0x43e00000, 0x43e80000, 0x43e84000, 0xc3f00000, 0x3f880000,
		0x3f980000, 0xbf880000, 0x3a800000, 0x3a800001, 0x3b400000,
		0x3b000000, 0xbc000000, 0x3c700000, 0x47600000, 0x47700000,
		0x476ffffd, 0xc7800000, 0x3f900000, 0x3fb00000, 0x37000000,
		0x37bfff9b, 0x377ba882},
	[HALF_TIES] = {0x3cc05f00, 0xfbff5f40, 0xc7b35f42, 0xbc40df80,
		0x3c803c40, 0x56403cc0, 0x1400bc40, 0x3d801400, 0x5b801401,
		0x14011a00, 0x801800, 0x7c01a000, 0x1a002380, 0x1007b00,
		0xfc007b80, 0x18007b7f, 0x180fbff, 0x5f003c80, 0xa0003d80,
		0x82000080, 0x5f400100, 0x23800180, 0x3ff8200, 0x5f4203ff,
		0x7b003400, 0x3400b4cd, 0xdf80429a, 0x7b80c7b3, 0xb4cd5640,
		0x3c405b80, 0x7b7f7c01, 0x429afc00},
	[BOUNDS] = {0x40000000, 0xfbff8000, 0x80000001, 0xfc003c00, 0x4248bc00,
		0xffff3f80, 0x7f7fbf80, 0x14000, 0x7f80ffff, 0x40497fff,
		0x7ffffffe, 0xff7f7e00, 0x3c00fe00, 0xff807c00, 0xffc0fc00,
		0xfffe7f80, 0x3800ff80, 0xbc007f81, 0x7f817c01, 0x7fc07bff,
		0x7e00fbff, 0x3f007f7f, 0x3f80ff7f, 0x7c013800, 0xffff3f00,
		0xfe00b801, 0xb801bf01, 0xbf804248, 0x7bff4049, 0xffc0,
		0x7c007fc0, 0xbf01ffff},
};

static const struct form {
	const char *sizes, *spelling;
	enum set set;
	uint32_t digest;
} forms[] = {
#define FORM(set, sizes, spelling, digest) {sizes, spelling, set, digest},
#include "tests/unit/backend_sim/kernel/forms.def"
#undef FORM
};
#define FORM_COUNT (sizeof(forms) / sizeof(*forms))

/* Thread t has values t % 32, t / 32 and one of all the others as %a, %b, %c.
 */
static void begin(FILE *out, enum set set)
{
	unsigned i;

	fprintf(out, ".version 8.8\n.target sm_90\n.address_size 64\n"
		     ".const .align 8 .b64 values[32] = {");
	for (i = 0; i < 32; i++)
		fprintf(out, "%s0x%llx", i ? ", " : "",
			(unsigned long long)sets[set][i]);
	fprintf(out,
		"};\n.visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		".shared .align 8 .b8 word[8192];\n"
		".reg .b64 %%a, %%b, %%c, %%d, %%e, %%o, %%v, %%w, %%z;\n"
		".reg .b32 %%t, %%i, %%j;\n"
		"ld.param.u64 %%o, [p_b];\nmov.u32 %%t, %%tid.x;\n"
		"mul.wide.u32 %%w, %%t, 8;\nadd.u64 %%o, %%o, %%w;\n"
		"mov.u64 %%z, word;\nadd.u64 %%z, %%z, %%w;\n"
		"mov.u64 %%v, values;\n"
		"and.b32 %%i, %%t, 31;\nmul.wide.u32 %%w, %%i, 8;\n"
		"add.u64 %%w, %%v, %%w;\nld.const.b64 %%a, [%%w];\n"
		"shr.u32 %%j, %%t, 5;\nmul.wide.u32 %%w, %%j, 8;\n"
		"add.u64 %%w, %%v, %%w;\nld.const.b64 %%b, [%%w];\n"
		"mul.lo.u32 %%i, %%t, 7;\nmad.lo.u32 %%i, %%j, 3, %%i;\n"
		"and.b32 %%i, %%i, 31;\nmul.wide.u32 %%w, %%i, 8;\n"
		"add.u64 %%w, %%v, %%w;\nld.const.b64 %%c, [%%w];\n");
}

static void take(FILE *out, char size, char source, unsigned place)
{
	if (size == '8')
		fprintf(out, ".reg .b64 s%u; mov.b64 s%u, %%%c; ", place, place,
			source);
	else
		fprintf(out, ".reg .b%u s%u; cvt.u%u.u64 s%u, %%%c; ",
			8u * (unsigned)(size - '0'), place,
			8u * (unsigned)(size - '0'), place, source);
}

static void put(FILE *out, char size)
{
	switch (size) {
	case 'p':
		fprintf(out, "selp.b64 %%d, 1, 0, p; ");
		break;
	case 'P':
		fprintf(out, "selp.b64 %%d, 1, 0, p; selp.b64 %%e, 2, 0, q; "
			     "or.b64 %%d, %%d, %%e; ");
		break;
	case '8':
		fprintf(out, "mov.b64 %%d, r; ");
		break;
	default:
		fprintf(out, "cvt.u64.u%u %%d, r; ",
			8u * (unsigned)(size - '0'));
		break;
	}
}

/* The thread's words, which are stored, changed and loaded. */
static void write_change(FILE *out, const struct form *f, unsigned number)
{
	static const char stored[] = "acba", taken[] = "bacc";
	const char *where = f->sizes[0] == 'S' ? "shared" : "global";
	unsigned at = f->sizes[0] == 'S' ? 0 : number * FORM_BYTES, i, size;
	char base = f->sizes[0] == 'S' ? 'z' : 'o';

	fprintf(out, "{ st.%s.b64 [%%%c+%u], 0; ", where, base, at);
	for (i = 1; f->sizes[i]; i++) {
		size = (unsigned)(f->sizes[i] - '0');
		take(out, f->sizes[i], stored[i - 1], 10 + i);
		take(out, f->sizes[i], taken[i - 1], i);
		fprintf(out, "st.%s.b%u [%%%c+%u], s%u; ", where, 8 * size,
			base, at + (i - 1) * size, 10 + i);
	}
	fprintf(out, "%s [%%%c+%u], %s", f->spelling, base, at,
		f->sizes[2] ? "{s1" : "s1");
	for (i = 2; f->sizes[2] && f->sizes[i]; i++)
		fprintf(out, ", s%u", i);
	fprintf(out, "%s; ld.%s.b64 %%d, [%%%c+%u]; ", f->sizes[2] ? "}" : "",
		where, base, at);
	fprintf(out, "st.global.b64 [%%o+%u], %%d; }\n", number * FORM_BYTES);
}

static void write_form(FILE *out, const struct form *f, unsigned number)
{
	static const char sources[] = "abcc";
	const unsigned count = (unsigned)strcspn(f->sizes, ",");
	char size = f->sizes[0];
	unsigned i;

	if (size == 'G' || size == 'S') {
		write_change(out, f, number);
		return;
	}
	fprintf(out, "{ .reg .pred p, q; ");
	if (size != 'p' && size != 'P')
		fprintf(out, ".reg .b%u r; ", 8u * (unsigned)(size - '0'));
	for (i = 1; i < count; i++)
		take(out, f->sizes[i], sources[i - 1], i);
	fprintf(out, "%s %s", f->spelling,
		size == 'p'   ? "p"
		: size == 'P' ? "p|q"
			      : "r");
	for (i = 1; i < count; i++)
		fprintf(out, ", s%u", i);
	fprintf(out, "%s; ", f->sizes + count);
	put(out, size);
	fprintf(out, "st.global.b64 [%%o+%u], %%d; }\n", number * FORM_BYTES);
}

static uint32_t digest_of(const uint8_t *bytes)
{
	uint32_t hash = 0x811c9dc5;
	unsigned i;

	for (i = 0; i < FORM_BYTES; i++)
		hash = (hash ^ bytes[i]) * 0x01000193;
	return hash;
}

/* So many forms from `first` on that have the same values. */
static size_t run_forms(size_t first)
{
	const struct job_wishes wishes = {.contents = true};
	char buffers[128], *ptx;
	size_t bytes, count, i;
	FILE *out = open_memstream(&ptx, &bytes);
	struct ran r;

	cr_assert_not_null(out);
	begin(out, forms[first].set);
	for (count = 0; count < FORMS_MAX && first + count < FORM_COUNT &&
			forms[first + count].set == forms[first].set;
		count++)
		write_form(out, &forms[first + count], (unsigned)count);
	fprintf(out, "ret;\n}\n");
	fclose(out);
	snprintf(buffers, sizeof(buffers),
		"buffer a bytes=64 type=u32\nbuffer b bytes=%u type=u64\n",
		FORMS_MAX * FORM_BYTES);
	kernel_run(NULL, &r, ptx, buffers, "grid=1 block=1024", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	for (i = 0; i < count; i++)
		cr_expect_eq(digest_of((const uint8_t *)r.result.contents[1] +
				       i * FORM_BYTES),
			forms[first + i].digest, "%s, %s",
			forms[first + i].spelling, forms[first + i].sizes);
	kernel_end(&r);
	free(ptx);
	return count;
}

Test(kernel_forms, have_the_words_of_silicon)
{
	size_t i;

	for (i = 0; i < FORM_COUNT; i += run_forms(i))
		continue;
}
