#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "harness/stats/stats.h"
#include "harness/base/units.h"

TestSuite(units, .timeout = 60);

static void check_bytes(const char *text, uint64_t expected)
{
	struct error error = {""};
	uint64_t bytes = 77;

	cr_assert_eq(units_parse_bytes(text, &bytes, &error), 0, "%s: %s", text,
		error.text);
	cr_assert_eq(bytes, expected, "%s: %" PRIu64, text, bytes);
}

static void check_no_bytes(const char *text, const char *part)
{
	struct error error = {""};
	uint64_t bytes = 77;

	cr_assert_eq(units_parse_bytes(text, &bytes, &error), ERR_USAGE, "'%s'",
		text);
	cr_assert_eq(bytes, 77, "'%s' was written", text);
	cr_assert(strstr(error.text, part), "'%s': %s", text, error.text);
}

Test(units, sizes)
{
	check_bytes("0", 0);
	check_bytes("100", 100);
	check_bytes("128B", 128);
	check_bytes("256KiB", 262144);
	check_bytes("8MiB", 8388608);
	check_bytes("1GiB", 1073741824);
	check_bytes("3TiB", UINT64_C(3298534883328));
	check_bytes("1kB", 1000);
	check_bytes("50MB", 50000000);
	check_bytes("2GB", 2000000000);
	check_bytes("1TB", UINT64_C(1000000000000));
	check_bytes("4K", 4096);
	check_bytes("4M", 4194304);
	check_bytes("4G", UINT64_C(4294967296));
	check_bytes("4T", UINT64_C(4398046511104));
	check_bytes("007", 7);
	check_bytes("18446744073709551615", UINT64_MAX);
}

Test(units, fractions_of_whole_bytes)
{
	check_bytes("1.5KiB", 1536);
	check_bytes("0.1kB", 100);
	check_bytes("0.123456789GB", 123456789);
	check_bytes("0.0009765625K", 1);
	check_bytes("2.500000000000000000000000000K", 2560);
	check_bytes("1.0", 1);
	check_bytes("3.000001MB", 3000001);
	/* 2^-18 of a TiB: every digit counts */
	check_bytes("0.000003814697265625TiB", 4194304);
}

Test(units, fractions_of_broken_bytes)
{
	check_no_bytes("1.5", "whole number of bytes");
	check_no_bytes("0.1KiB", "whole number of bytes");
	check_no_bytes("0.1234567891GB", "whole number of bytes");
	check_no_bytes("1.0000000000000000000000001T", "whole number of bytes");
}

Test(units, what_is_no_size)
{
	static const char *const texts[] = {"", "K", "-1", "+1", " 1", "1 ",
		"1 KiB", "1kib", "1KIB", "1k", "1m", "1Kb", "1mB", "1KB",
		"1PiB", "1.K", ".5K", "1..5K", "1.5.5K", "0x10", "1e3", "1,5K",
		"KiB1", "1KiBB", "nan", "inf"};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_no_bytes(texts[i], "is not a size");
}

Test(units, sizes_beyond_64_bits)
{
	check_no_bytes("18446744073709551616", "64 bits");
	check_no_bytes("16777216TiB", "64 bits");
	check_no_bytes("99999999999999999999999K", "64 bits");
	check_bytes("16777215TiB", UINT64_C(16777215) << 40);
	check_bytes("16777215.5TiB", (UINT64_C(33554431)) << 39);
}

Test(units, the_error_quotes_the_subject)
{
	check_no_bytes("12parsecs", "'12parsecs'");
	cr_assert_eq(units_parse_bytes("x", NULL, NULL), ERR_USAGE);
}

Test(units, formats)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0"}, {1, "1"}, {100, "100"}, {1000, "1000"},
		{1024, "1KiB"}, {1536, "1536"}, {1572864, "1536KiB"},
		{8388608, "8MiB"}, {UINT64_C(1) << 40, "1TiB"},
		{UINT64_C(1) << 60, "1048576TiB"},
		{UINT64_MAX, "18446744073709551615"}};
	char text[32];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		units_format_bytes(cases[i].bytes, text, sizeof(text));
		cr_assert_str_eq(text, cases[i].text);
	}
	memset(text, 'x', sizeof(text));
	units_format_bytes(UINT64_MAX, text, 4);
	cr_assert_str_eq(text, "184");
	cr_assert_eq(text[4], 'x');
}

Test(units, what_is_formatted_reads_back)
{
	struct random_state random;
	uint64_t bytes, read;
	char text[32];
	int i;

	random_init(&random, 3);
	for (i = 0; i < 20000; i++) {
		bytes = random_next(&random) >> random_below(&random, 64);
		bytes <<= random_below(&random, 64);
		units_format_bytes(bytes, text, sizeof(text));
		cr_assert_eq(units_parse_bytes(text, &read, NULL), 0);
		cr_assert_eq(read, bytes, "%s", text);
	}
}

Test(units, counts)
{
	static const char *const wrong[] = {
		"", "12x", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3"};
	struct error error;
	uint64_t count = 77;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_assert_eq(units_parse_count(wrong[i], &count, &error),
			ERR_USAGE, "'%s'", wrong[i]);
		cr_assert(strstr(error.text, "is not a whole number"));
	}
	cr_assert_eq(units_parse_count("18446744073709551616", &count, &error),
		ERR_USAGE);
	cr_assert_eq(count, 77);
	cr_assert_eq(
		units_parse_count("18446744073709551615", &count, NULL), 0);
	cr_assert_eq(count, UINT64_MAX);
	cr_assert_eq(units_parse_count("042", &count, NULL), 0);
	cr_assert_eq(count, 42);
}

Test(units, reals)
{
	static const char *const wrong[] = {"", "x", "1x", " 1", "1 ", "0x1p3",
		"inf", "nan", "-inf", "1e999", "-1e999", "1e", "--1", "."};
	static const struct {
		const char *text;
		double value;
	} right[] = {{"0", 0}, {"-2.5", -2.5}, {"+3", 3}, {"1e3", 1000},
		{".5", 0.5}, {"5.", 5}, {"0.1", 0.1}, {"1E-3", 1e-3}};
	double value = 77;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_eq(units_parse_real(wrong[i], &value, NULL),
			ERR_USAGE, "'%s'", wrong[i]);
	cr_assert_eq(value, 77);
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		cr_assert_eq(units_parse_real(right[i].text, &value, NULL), 0);
		cr_assert_eq(value, right[i].value, "%s", right[i].text);
	}
}
