/* What a kernel does beside its accesses: as little as can be. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lower/lower.h"
#include "harness/program/text/text.h"

#define SMS 8

/* The kernel of the program's only launch; of an SM with room for two blocks of
   1,024 threads. It names lines if `placed`. */
static struct ptx_kernel kernel_placed(const char *text, bool placed)
{
	static struct program_places places;
	static struct program p;
	const struct device device = {
		.sm_count = SMS,
		.sm_arch = 90,
		.ptx_version = 86,
		.warps_per_sm_max = 64,
		.blocks_per_sm_max = 32,
		.registers_per_sm = 65536,
		.shared_bytes_per_sm = 233472,
		.shared_reserved_bytes = 1024,
	};
	struct ptx_kernel k = {0};
	struct error error = {""};

	cr_assert_eq(program_parse_places(text, "a\"b", &p, &places, &error), 0,
		"%s", error.text);
	cr_assert_eq(
		ptx_launch(&p, 0, placed ? &places : NULL, &device, &k, &error),
		0, "%s", error.text);
	return k;
}

static struct ptx_kernel kernel(const char *text)
{
	return kernel_placed(text, false);
}

static size_t times(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word))) {
		count++;
		text += strlen(word);
	}
	return count;
}

static size_t at(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	cr_assert_not_null(found, "no %s in\n%s", word, text);
	return (size_t)(found - text);
}

#define HEAD                                                                   \
	"nearfar-program 1\nname record\nseed 1\nbuffer data bytes=1MiB "      \
	"fill=zero\nlaunch one\nrole go "
#define LOADS                                                                  \
	"repeat 4 unroll=4 time=region region=r\n"                             \
	"ld.global.cg.v2.b64 [data + lane*16 + warp*512 + loop0*16384]\nend\n"
#define RECORD "st.global.v2.u64"

/* Stores of 8 bytes a lane, or two, hold up the loads of other warps. */
Test(record, a_region_waits_by_one_store_of_4_bytes_a_lane)
{
	struct ptx_kernel k = kernel(HEAD "sms=0:1 threads=1024\n" LOADS);

	cr_assert_eq(times(k.text, "st.volatile.shared.b32"), 1);
	cr_expect_eq(times(k.text, "st.volatile.shared.b64"), 0);
	free(k.text);
}

/* A record that a warp stores holds up the loads of its block's others. */
Test(record, warps_wait_for_their_block_before_they_store_records)
{
	struct ptx_kernel k = kernel(HEAD "sms=0:1 threads=1024\n" LOADS);
	const char *end = k.text + at(k.text, "st.volatile.shared");

	cr_expect_lt(at(end, "%clock64"), at(end, "bar.sync 0"));
	cr_expect_lt(at(end, "bar.sync 0"), at(end, RECORD));
	cr_expect_eq(k.regions[0].quiet_end, 0);
	free(k.text);
}

Test(record, a_warp_alone_waits_for_none)
{
	struct ptx_kernel k = kernel(HEAD "sms=0:1 threads=32\n" LOADS);

	cr_expect_eq(
		times(k.text + at(k.text, "st.volatile.shared"), "bar.sync"),
		0);
	free(k.text);
}

/* Two blocks of an SM at once, 16 of the chip: of 80 those between the first 16
   and the last leave nothing, and none waits where others want its place. */
Test(record, blocks_of_waves_in_between_leave_no_records)
{
	struct ptx_kernel k = kernel(HEAD "blocks=80 threads=1024\n" LOADS);
	const char *end;

	cr_expect_eq(k.regions[0].quiet_first, 2 * SMS);
	cr_expect_eq(k.regions[0].quiet_end, 80 - 2 * SMS);
	cr_expect(!ptx_is_quiet(&k.regions[0], 2 * SMS - 1));
	cr_expect(ptx_is_quiet(&k.regions[0], 2 * SMS));
	cr_expect(ptx_is_quiet(&k.regions[0], 80 - 2 * SMS - 1));
	cr_expect(!ptx_is_quiet(&k.regions[0], 80 - 2 * SMS));
	cr_expect_eq(times(k.text, ", 16;\n\tsetp.lt.u32"), 2);
	end = k.text + at(k.text, "st.volatile.shared");
	cr_expect_eq(times(end, "bar.sync"), 0);
	cr_expect_lt(at(end, "setp.lt.u32"), at(end, RECORD));
	free(k.text);
}

Test(record, two_waves_and_single_iterations_leave_all)
{
	static const char each[] =
		"repeat 4 time=each region=r\n"
		"ld.global.cg.b32 [data + lane*4 + warp*128]\nend\n";
	struct ptx_kernel two = kernel(HEAD "blocks=32 threads=1024\n" LOADS);
	struct ptx_kernel three = kernel(HEAD "blocks=33 threads=1024\n" LOADS);
	char text[512];

	cr_expect_eq(two.regions[0].quiet_end, 0);
	cr_expect_eq(three.regions[0].quiet_end, 17);
	free(two.text);
	free(three.text);
	snprintf(text, sizeof(text), "%s%s%s", HEAD, "blocks=80 threads=1024\n",
		each);
	two = kernel(text);
	cr_expect_eq(two.regions[0].quiet_end, 0);
	free(two.text);
}

/* The beginning of a line of the text, from 1 on. */
static const char *line_at(const char *text, uint32_t line)
{
	while (--line)
		text = strchr(text, '\n') + 1;
	return text;
}

/* What keeps loaded values alive, or makes an iteration wait for those before
   it, is told by its lines. */
Test(record, idle_lines_keep_values_alive)
{
	static const char *const idle[] = {
		"\tand.b64 %d", "\tst.volatile.shared.b32 [", "\t@%p"};
	struct ptx_kernel k = kernel(HEAD "sms=0:1 threads=64\n" LOADS);
	size_t i;

	cr_assert_eq(k.idle_count, sizeof(idle) / sizeof(idle[0]));
	for (i = 0; i < k.idle_count; i++)
		cr_expect_eq(strncmp(line_at(k.text, k.idle_lines[i]), idle[i],
				     strlen(idle[i])),
			0, "%.40s", line_at(k.text, k.idle_lines[i]));
	ptx_kernel_free(&k);
	cr_expect_null(k.text);
}

/* Without its .file and .loc the text is the same, and so are idle lines; each
   instruction has the line of what it is made of. */
Test(record, lines_of_the_program_are_named_beside_the_instructions)
{
	static const char text[] = HEAD "sms=0:1 threads=64\n\n# loads\n" LOADS;
	struct ptx_kernel plain = kernel(text);
	struct ptx_kernel placed = kernel_placed(text, true);
	const char *a = plain.text, *b = placed.text;
	unsigned line = 0, idle = 0, number_a = 1, number_b = 1;

	for (; *a && *b; number_b++, b = strchr(b, '\n') + 1) {
		if (*b == '\t' && sscanf(b, "\t.loc 1 %u 1\n", &line) == 1)
			continue;
		if (!strncmp(b, ".file 1 \"a?b\"\n\n", 15)) {
			b = strchr(b, '\n') + 1;
			number_b++;
			continue;
		}
		cr_assert_eq(strncmp(a, b, strcspn(a, "\n") + 1), 0,
			"%.60s\n%.60s", a, b);
		if (strstr(a, "ld.global.cg.v2") &&
			strstr(a, "ld.global.cg.v2") < strchr(a, '\n'))
			cr_expect_eq(line, 10, "%u", line);
		if (idle < plain.idle_count &&
			plain.idle_lines[idle] == number_a)
			cr_expect_eq(placed.idle_lines[idle++], number_b);
		number_a++;
		a = strchr(a, '\n') + 1;
	}
	cr_expect(!*a && !*b && line == 6 && idle == plain.idle_count, "%u %u",
		line, idle);
	ptx_kernel_free(&plain);
	ptx_kernel_free(&placed);
}

/* Samples beyond the lanes of a short warp come home, too. */
Test(record, lanes_of_a_short_warp_copy_all_its_samples)
{
#define EACH                                                                   \
	"\nrepeat 2 time=each region=r\n"                                      \
	"ld.global.cg.b32 [data + lane*4]\nend\n"
	struct ptx_kernel whole = kernel(HEAD "sms=0:1 threads=64" EACH);
	struct ptx_kernel cut = kernel(HEAD "sms=0:1 threads=33" EACH);

	cr_expect_eq(times(whole.text, ", 32;\n\tbra L"), 1);
	cr_expect_eq(times(cut.text, ", 32;\n\tbra L"), 0);
	cr_expect_eq(times(cut.text, ", 1;\n\tbra L"), 1);
	ptx_kernel_free(&whole);
	ptx_kernel_free(&cut);
}
