#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/visible/visible.h"

TestSuite(visible, .timeout = 30);

static char *written(void (*put)(FILE *out, const char *text), const char *text)
{
	char *made = NULL;
	size_t bytes;
	FILE *out = open_memstream(&made, &bytes);

	cr_assert(out);
	put(out, text);
	fclose(out);
	return made;
}

static void shows(void (*put)(FILE *out, const char *text), const char *text,
	const char *wanted)
{
	char *made = written(put, text);

	cr_expect_str_eq(made, wanted);
	free(made);
}

Test(visible, text_stays_and_control_shows)
{
	shows(visible_put, "op=ld.cg 4KiB é 日 😀", "op=ld.cg 4KiB é 日 😀");
	shows(visible_put, "a\nb\tc\rd", "a\\nb\\tc\\rd");
	shows(visible_put, "\033[31mred\a\177", "\\x1b[31mred\\x07\\x7f");
	shows(visible_put,
		"\xc2\x9b"
		"31m",
		"\\x9b31m"); /* CSI in one */
	shows(visible_put,
		"a\xe2\x80\xae"
		"b\xe2\x81\xa6\xef\xbb\xbf",
		"a\\u202eb\\u2066\\ufeff");
}

Test(visible, bytes_that_are_no_text_show)
{
	shows(visible_put, "\xff\xc3", "\\xff\\xc3");
	shows(visible_put, "\xc0\xaf", "\\xc0\\xaf");          /* too long */
	shows(visible_put, "\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	shows(visible_put, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	cr_expect(visible_is_utf8("a\n\xc3\xa9\xf0\x9f\x98\x80"));
	cr_expect_not(visible_is_utf8("a\xff"));
	cr_expect_not(visible_is_utf8("\xe2\x82"));
	shows(visible_put, "\xe2\x82", "\\xe2\\x82");
}

Test(visible, markdown_has_no_markup)
{
	shows(visible_put_md, "a|b <img> `c` *d* [e](f) &amp; \\",
		"a\\|b \\<img\\> \\`c\\` \\*d\\* \\[e\\](f) \\&amp; \\\\");
	shows(visible_put_md, "footprint_bytes", "footprint_bytes");
	shows(visible_put_code, "a`b<c", "a\\x60b<c");
}

Test(visible, copies_are_cut_between_characters)
{
	char to[8];

	visible_copy("abcdefghij", to, sizeof(to));
	cr_expect_str_eq(to, "abcdefg");
	visible_copy("abcd\033ef", to, sizeof(to));
	cr_expect_str_eq(to, "abcd");
	visible_copy("abcdef\xc3\xa9", to, sizeof(to));
	cr_expect_str_eq(to, "abcdef");
	visible_copy("", to, sizeof(to));
	cr_expect_str_eq(to, "");
	cr_expect_eq(visible_length("a\033\n"), 7);
}

/* What is hidden, and what stands on both sides of it. */
Test(visible, marks_of_direction_and_zero_width_show)
{
	static const struct {
		const char *text;
		bool hidden;
	} cases[] = {
		{"\x1f", true},
		{" ", false},
		{"~", false},
		{"\x7f", true},
		{"\xc2\x9f", true},
		{"\u00a0", false},
		{"\u061b", false},
		{"\u061c", true},
		{"\u061d", false},
		{"\u200a", false},
		{"\u200b", true},
		{"\u200f", true},
		{"\u2010", false},
		{"\u2027", false},
		{"\u2028", true},
		{"\u202e", true},
		{"\u202f", false},
		{"\u205f", false},
		{"\u2060", true},
		{"\u206f", true},
		{"\u2070", false},
		{"\ufefe", false},
		{"\ufeff", true},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *made = written(visible_put, cases[i].text);

		cr_expect_eq(strcmp(made, cases[i].text) != 0, cases[i].hidden,
			"case %zu is shown as '%s'", i, made);
		free(made);
	}
}
