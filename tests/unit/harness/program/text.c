#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/legality/legality.h"
#include "harness/program/permute.h"
#include "tests/support/program_random.h"
#include "harness/program/spelling.h"
#include "harness/program/text/text.h"

#define PROGRAMS  300
#define MUTATIONS 40

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Every statement and form, in canonical text. */
static const char canonical[] =
	"nearfar-program 1\n"
	"name every-statement\n"
	"seed 7\n"
	"buffer ring bytes=8MiB fill=ring slot=128 order=shuffle seed=1 "
	"rings=4 element=4\n"
	"buffer buf bytes=1GiB fill=random seed=3 memory=compressible\n"
	"buffer other bytes=1GiB memory=peer\n"
	"buffer pinned bytes=1GiB memory=host\n"
	"granularity 64\n"
	"carveout 1MiB\n"
	"window buf base=4KiB bytes=1MiB ratio=0.6 hit=persisting "
	"miss=streaming\n"
	"window none\n"
	"copy buf other bytes=1MiB\n"
	"copy pinned buf bytes=4KiB\n"
	"flush\n"
	"reset\n"
	"launch measure turns\n"
	"  role chase sms=0:1 threads=32 lanes=1\n"
	"    repeat 65536 unroll=16\n"
	"      ld.global.cg.b32 [ring chase]\n"
	"      ld.global.b32 [ring chase + 64]\n"
	"    end\n"
	"    createpolicy.fractional.L2::evict_last.b64 p0\n"
	"    createpolicy.fractional.L2::evict_last.L2::evict_first.b64 p0, "
	"0.1\n"
	"    createpolicy.range.L2::evict_last.L2::evict_first.b64 p1, [buf], "
	"1MiB, 2MiB\n"
	"    createpolicy.cvt.L2.b64 p2, persisting\n"
	"    repeat 4096 time=each region=measure\n"
	"      repeat 2\n"
	"        ld.global.L2::cache_hint.b32 [buf + 32 + lane*4 + warp*128 + "
	"block*4KiB + loop0*64 + loop1*8 wrap 8MiB], p2\n"
	"      end\n"
	"    end\n"
	"    @lane0 ld.global.v4.u32 [buf random slot=32 per=warp + lane*16 "
	"wrap 1MiB]\n"
	"    ld.global.b32 [buf random slot=32]\n"
	"    discard.global.L2 [buf + lane*128], 128\n"
	"    applypriority.global.L2::evict_normal [buf], 128\n"
	"    fence.acq_rel.gpu\n"
	"    barrier\n"
	"    delay 1000\n"
	"    @thread0 atom.shared.add.u32 [shared + lane*4]\n"
	"  role load sms=4:8:2 per_sm=2 threads=1024 shared=4KiB background\n"
	"    st.global.v2.b64 [buf + lane*16]\n"
	"  role rest sms=others threads=64\n"
	"    red.global.add.u32 [buf]\n"
	"launch again\n"
	"  role all sms=all threads=32\n"
	"    prefetch.global.L2 [buf]\n"
	"launch blocks\n"
	"  role some blocks=12 threads=32\n"
	"    prefetchu.L1 [buf]\n";

static int parse(const char *text, struct program *p, struct error *e)
{
	e->text[0] = '\0';
	return program_parse(text, "f", p, e);
}

Test(text, canonical_text_is_printed_as_it_is_read)
{
	struct program p, again;
	struct error e;
	char *text;

	cr_assert_eq(parse(canonical, &p, &e), 0, "%s", e.text);
	text = program_text(&p);
	cr_expect_str_eq(text, canonical);
	cr_assert_eq(parse(text, &again, &e), 0, "%s", e.text);
	cr_expect_eq(memcmp(&p, &again, sizeof(p)), 0);
	free(text);
}

/* Left as a user may write it, right its canonical form. */
static const char *const spellings[][2] = {
	{"ld.global.b32 [ buf+lane*4+32 ]  # words",
		"ld.global.b32 [buf + 32 + lane*4]"},
	{"  ld.nc.cg.global.b32\t[buf]", "ld.global.cg.nc.b32 [buf]"},
	{"ld.global.b32[buf]", "ld.global.b32 [buf]"},
	{"ld.L2::evict_last.L1::evict_first.v4.b64 [buf]",
		"ld.L1::evict_first.L2::evict_last.v4.b64 [buf]"},
	{"ld.b32 [buf random slot=64 per=lane]", "ld.b32 [buf random slot=64]"},
	{"ld.b32 [buf + block*4096 wrap 1024K]",
		"ld.b32 [buf + block*4KiB wrap 1MiB]"},
	{"createpolicy.fractional.L2::evict_last.b64 p0 , 1.0",
		"createpolicy.fractional.L2::evict_last.b64 p0"},
	{"createpolicy.fractional.L2::evict_last.b64 p3,5e-1",
		"createpolicy.fractional.L2::evict_last.b64 p3, 0.5"},
	{"discard.L2 [buf] , 0.125KiB", "discard.L2 [buf], 128"},
};

Test(text, free_spellings_have_one_canonical_form)
{
	struct program p;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(spellings); i++) {
		char text[512], *printed;

		snprintf(text, sizeof(text),
			"\n# a comment\r\n nearfar-program 1 \r\nname t\n"
			"buffer buf bytes=1MiB\nlaunch a\nrole r\n%s",
			spellings[i][0]);
		cr_assert_eq(parse(text, &p, &e), 0, "%s", e.text);
		printed = program_text(&p);
		cr_assert(strlen(printed) > strlen(spellings[i][1]));
		printed[strlen(printed) - 1] = '\0';
		cr_expect_str_eq(
			printed + strlen(printed) - strlen(spellings[i][1]),
			spellings[i][1]);
		free(printed);
	}
}

/* A line after the preamble, and the message without "f:LINE:". */
static const struct mistake {
	const char *line, *message;
} mistakes[] = {
	{"name", "5: expected a name"},
	{"name a b", "8: expected the end of the line"},
	{"name a-name-that-is-longer-than-a-name-can-be",
		"6: expected a name of 1 to 31 bytes"},
	{"seed x", "6: 'x' is not a whole number"},
	{"seed 4294967296",
		"6: expected a number up to 4294967295, found 4294967296"},
	{"buffer", "7: expected the buffer's name"},
	{"buffer b bytes", "10: expected 'bytes='"},
	{"buffer b bytes=1 bytes=2", "18: expected 'bytes' once"},
	{"buffer b bytes=12x",
		"10: '12x' is not a size such as 4096, 64KiB or 1.5MB"},
	{"buffer b fill=one", "10: expected fill=zero|random|ring"},
	{"buffer b size=4", "10: expected another word than 'size=4'"},
	{"buffer b element=256", "10: expected a number up to 255, found 256"},
	{"flush all", "7: expected the end of the line"},
	{"carveout", "9: expected a size"},
	{"window", "7: expected a buffer or 'none'"},
	{"window x", "8: expected a buffer or 'none', found 'x'"},
	{"window buf bytes=1 ratio=half", "20: 'half' is not a number"},
	{"window buf hit=often",
		"12: expected hit=normal|streaming|persisting"},
	{"launch", "7: expected the launch's name"},
	{"launch a b", "10: expected another word than 'b'"},
	{"role r", "1: expected a 'launch' before a role, and a 'role' "
		   "before an instruction"},
	{"launch a\nbarrier", "1: expected a 'launch' before a role, and a "
			      "'role' before an instruction"},
	{"launch a\nrole r sms=1",
		"8: expected sms=FIRST:COUNT, sms=FIRST:COUNT:STRIDE, sms=all "
		"or sms=others"},
	{"launch a\nrole r sms=1:2:3:4",
		"8: expected sms=FIRST:COUNT, sms=FIRST:COUNT:STRIDE, sms=all "
		"or sms=others"},
	{"launch a\nrole r sms=1: blocks=2", "8: '' is not a whole number"},
	{"launch a\nrole r sms=all blocks=2",
		"16: expected either blocks=, or sms= and per_sm="},
	{"launch a\nrole r per_sm=2", "16: expected sms= beside per_sm="},
	{"launch a\nrole r background=1", "8: expected 'background'"},
	{"launch a\nrole r\nld.glob.b32 [buf]",
		"1: expected an instruction: '.glob' is not a qualifier of "
		"PTX"},
	{"launch a\nrole r\nld.ca.cg.b32 [buf]",
		"1: expected an instruction: '.cg' is the second qualifier of "
		"its kind"},
	{"launch a\nrole r\nld..b32 [buf]",
		"1: expected an instruction: '.' is not a qualifier of PTX"},
	{"launch a\nrole r\nmov.b32 [buf]",
		"1: expected an instruction: 'mov' is not an instruction"},
	{"launch a\nrole r\n@lane1 ld.b32 [buf]",
		"1: expected @lane0 or @thread0"},
	{"launch a\nrole r\n@lane0", "7: expected an instruction"},
	{"launch a\nrole r\nld.b32", "7: expected '['"},
	{"launch a\nrole r\nld.b32 [", "9: expected a buffer or 'shared'"},
	{"launch a\nrole r\nld.b32 [x]",
		"9: expected a buffer or 'shared', found 'x'"},
	{"launch a\nrole r\nld.b32 [buf",
		"12: expected 'chase', 'random', '+', "
		"'wrap' or ']'"},
	{"launch a\nrole r\nld.b32 [buf + 4", "16: expected '+', 'wrap' or "
					      "']'"},
	{"launch a\nrole r\nld.b32 [buf +]",
		"14: expected a size or a stride 'lane*4'"},
	{"launch a\nrole r\nld.b32 [buf + line*4]",
		"15: expected lane, warp, block, loop0, loop1 or loop2 before "
		"'*'"},
	{"launch a\nrole r\nld.b32 [buf + 4 + 8]",
		"19: expected one term of this kind, found a second"},
	{"launch a\nrole r\nld.b32 [buf + lane*4 + lane*8]",
		"24: expected one term of this kind, found a second"},
	{"launch a\nrole r\nld.b32 [buf random]", "19: expected slot=SIZE"},
	{"launch a\nrole r\nld.b32 [buf random size=4]",
		"20: expected slot=SIZE"},
	{"launch a\nrole r\nld.b32 [buf random slot=4 per=block]",
		"27: expected per=lane|warp"},
	{"launch a\nrole r\nld.b32 [buf wrap]", "17: expected a size"},
	{"launch a\nrole r\nld.b32 [buf], p0",
		"13: expected the end of the line"},
	{"launch a\nrole r\nld.L2::cache_hint.b32 [buf]", "28: expected ','"},
	{"launch a\nrole r\nld.L2::cache_hint.b32 [buf], p4",
		"30: expected a policy p0 to p3"},
	{"launch a\nrole r\ndiscard.L2 [buf]", "17: expected ','"},
	{"launch a\nrole r\ncreatepolicy.cvt.L2.b64 p0, often",
		"29: expected normal, streaming or persisting"},
	{"launch a\nrole r\nrepeat", "7: expected an operand"},
	{"launch a\nrole r\nrepeat 2 time=now",
		"10: expected time=none|region|each"},
	{"launch a\nrole r\nrepeat 2 unroll=256",
		"10: expected a number up to 255, found 256"},
	{"launch a\nrole r\nbarrier 1", "9: expected the end of the line"},
	{"l\x01\xff"
	 "d",
		"1: expected an instruction: 'l??d' is not an "
		"instruction"},
};

Test(text, mistakes_are_told_with_their_place)
{
	size_t i;

	for (i = 0; i < COUNT(mistakes); i++) {
		char text[512], expected[512];
		unsigned line = 4;
		struct program p;
		struct error e;
		const char *at;

		for (at = mistakes[i].line; *at; at++)
			line += *at == '\n';
		snprintf(text, sizeof(text),
			"nearfar-program 1\nname t\nbuffer buf bytes=1MiB\n%s",
			mistakes[i].line);
		snprintf(expected, sizeof(expected), "f:%u:%s", line,
			mistakes[i].message);
		cr_expect_eq(parse(text, &p, &e), ERR_USAGE, "%s", text);
		cr_expect_str_eq(e.text, expected);
	}
}

Test(text, the_first_line_is_the_header)
{
	struct program p;
	struct error e;

	cr_expect_eq(parse("", &p, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "f:1:1: expected 'nearfar-program 1'");
	cr_expect_eq(parse("\n\nname a", &p, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "f:3:1: expected 'nearfar-program 1'");
	cr_expect_eq(parse("nearfar-program 2", &p, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "f:1:17: expected version 1, found '2'");
}

Test(text, too_much_of_anything_is_an_error_and_not_an_overflow)
{
	static const struct {
		const char *before, *line, *found;
		int times;
	} floods[] = {
		{"", "buffer b bytes=1\n", "no further buffer",
			PROGRAM_BUFFERS_MAX},
		{"", "flush\n", "no further step", PROGRAM_STEPS_MAX},
		{"launch a\n", "role r\n", "no further role",
			PROGRAM_ROLES_MAX},
		{"launch a\nrole r\n", "barrier\n", "no further instruction",
			PROGRAM_INSNS_MAX},
	};
	char text[8192];
	struct program p;
	struct error e;
	size_t i;
	int k;

	for (i = 0; i < COUNT(floods); i++) {
		snprintf(text, sizeof(text), "nearfar-program 1\n%s",
			floods[i].before);
		for (k = 0; k < floods[i].times; k++)
			strcat(text, floods[i].line);
		cr_expect_eq(parse(text, &p, &e), 0, "%s", e.text);
		strcat(text, floods[i].line);
		cr_expect_eq(parse(text, &p, &e), ERR_USAGE);
		cr_expect(strstr(e.text, floods[i].found), "%s", e.text);
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cr_expect_eq(parse(text, &p, &e), ERR_USAGE);
	cr_expect(strstr(e.text, "found a word of 8191 bytes"), "%s", e.text);
}

Test(text, a_failed_parse_leaves_the_program_alone)
{
	struct program p, before;
	struct error e;

	memset(&p, 0x5a, sizeof(p));
	before = p;
	cr_expect_eq(
		parse("nearfar-program 1\nname a\nfoo", &p, &e), ERR_USAGE);
	cr_expect_eq(memcmp(&p, &before, sizeof(p)), 0);
}

/* ---- properties ---- */

static void make_random(struct program *p, uint32_t seed)
{
	struct program_random knobs = program_random_default;

	knobs.seed = seed;
	knobs.insns = 10;
	program_random(p, &knobs);
}

Test(text, random_programs_are_legal_and_make_the_round_trip)
{
	struct program p, again;
	struct error e = {""};
	uint32_t seed;

	for (seed = 0; seed < PROGRAMS; seed++) {
		char *text, *twice;

		make_random(&p, seed);
		cr_assert_eq(program_check(&p, &e), 0, "%u: %s", seed, e.text);
		text = program_text(&p);
		cr_assert_eq(
			parse(text, &again, &e), 0, "%u: %s", seed, e.text);
		cr_assert_eq(memcmp(&p, &again, sizeof(p)), 0, "%s", text);
		twice = program_text(&again);
		cr_assert_str_eq(text, twice);
		free(text);
		free(twice);
	}
}

Test(text, random_programs_hold_every_operation_and_qualifier)
{
	unsigned ops[OP_COUNT] = {0}, values[QV_COUNT] = {0};
	unsigned modes[ADDRESS_SHARED + 1] = {0};
	struct program p;
	uint32_t seed, i;
	int class, k;

	for (seed = 0; seed < 4 * PROGRAMS; seed++) {
		make_random(&p, seed);
		for (i = 0; i < p.insn_count; i++) {
			ops[p.insns[i].op]++;
			modes[p.insns[i].address.mode]++;
			for (class = 0; class < Q_COUNT; class ++)
				values[p.insns[i].q[class]]++;
		}
	}
	for (k = 0; k < OP_COUNT; k++)
		cr_expect(ops[k], "no %s", op_names[k]);
	for (k = 0; k <= ADDRESS_SHARED; k++)
		cr_expect(modes[k], "no address mode %d", k);
	for (k = 1; k < QV_COUNT; k++)
		cr_expect(values[k] || k == QV_SPACE_local, "no .%s",
			qualifiers[k].text);
}

/* Whatever is read can be printed and read again, without a crash. */
static void read_anything(const char *text)
{
	struct program p, again;
	struct error e;
	char *printed;

	if (parse(text, &p, &e))
		return;
	program_check(&p, &e);
	program_requirement(&p);
	printed = program_text(&p);
	cr_assert(printed);
	if (!program_check(&p, &e))
		cr_assert_eq(parse(printed, &again, &e), 0, "%s\n%s", e.text,
			printed);
	free(printed);
}

Test(text, mutated_text_never_crashes)
{
	uint32_t seed, k, state = 1;
	struct program p;

	for (seed = 0; seed < PROGRAMS; seed++) {
		char *text, *copy;
		size_t bytes;

		make_random(&p, seed);
		text = program_text(&p);
		bytes = strlen(text);
		for (k = 0; k < MUTATIONS; k++) {
			uint32_t at = permute_draw(seed, k, 0, (uint32_t)bytes);
			uint32_t from =
				permute_draw(seed, k, 1, (uint32_t)bytes);
			uint32_t count = permute_draw(seed, k, 2, 12);

			copy = strdup(text);
			state = permute_mix(state + k);
			if (k % 3 == 0)
				copy[at] = (char)(state & 0xff);
			else if (k % 3 == 1)
				copy[at] = '\0';
			else if (at + count < bytes && from + count < bytes)
				memmove(copy + at, copy + from, count);
			read_anything(copy);
			free(copy);
		}
		free(text);
	}
}

Test(text, random_bytes_never_crash)
{
	static const char alphabet[] =
		"ld.st.b32v4 [buf]+*,=@#p0\n\t\r:_-L2::evict_last "
		"123MiB\xff\x01";
	char text[400];
	uint32_t i, k;

	for (i = 0; i < 20000; i++) {
		size_t start = i % 2 ? (size_t)snprintf(text, sizeof(text),
					       "nearfar-program 1\nlaunch a\n"
					       "role r\nbuffer buf bytes=1K\n")
				     : 0;
		uint32_t length = permute_draw(i, 0, 0, 200);

		for (k = 0; k < length; k++)
			text[start + k] = alphabet[permute_draw(
				i, 1, k, sizeof(alphabet) - 1)];
		text[start + length] = '\0';
		read_anything(text);
	}
}

Test(text, a_spelling_that_is_cut_short_ends_inside_its_buffer)
{
	char text[12];
	struct insn insn;

	cr_assert_eq(
		insn_from_spelling("ld.global.L1::evict_last.b32", &insn, NULL),
		0);
	memset(text, 'x', sizeof(text));
	insn_spelling(&insn, text, sizeof(text) - 1);
	cr_expect_str_eq(text, "ld.global.");
	cr_expect_eq(text[sizeof(text) - 1], 'x');
}
