#include <criterion/criterion.h>
#include <string.h>

#include "harness/contract/bench.h"
#include "harness/base/choices.h"

TestSuite(choices, .timeout = 60);

Test(choices, words_are_found_in_full)
{
	cr_expect_eq(choices_find("ld|ld.ca|st", "ld"), 0);
	cr_expect_eq(choices_find("ld|ld.ca|st", "ld.ca"), 1);
	cr_expect_eq(choices_find("ld|ld.ca|st", "st"), 2);
	cr_expect_eq(choices_find("ld|ld.ca|st", "ld.c"), -1);
	cr_expect_eq(choices_find("ld|ld.ca|st", "ld|ld.ca"), -1);
	cr_expect_eq(choices_find("ld|ld.ca|st", ""), -1);
	cr_expect_eq(choices_count("ld|ld.ca|st"), 3);
}

Test(choices, every_list_is_whole_or_ends_with_a_word_and_says_so)
{
	const struct bench_option *option;
	char text[CHOICES_BYTES];
	size_t i, cut;

	for (i = 0; benches[i]; i++)
		for (option = benches[i]->options; option->name; option++) {
			if (!option->choices)
				continue;
			choices_format(option->choices, text);
			if (strlen(option->choices) <= CHOICES_SHOWN) {
				cr_expect_str_eq(text, option->choices);
				continue;
			}
			cut = strcspn(text, " ") - strlen("...");
			cr_expect_eq(0, strncmp(text, option->choices, cut));
			cr_expect_eq(text[cut - 1], '|', "%s", text);
			cr_expect(strstr(text, "list controls`)"), "%s", text);
		}
}
