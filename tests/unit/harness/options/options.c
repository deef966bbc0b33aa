#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/options/options.h"

struct into {
	struct options_words words;
	const char *text;
	bool flag;
	int choice;
	unsigned count;
	uint64_t large;
	char own[16];
};

static int take(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct into *i = into;

	if (!strcmp(text, "bad"))
		return error_set(error, ERR_USAGE, "--%s: bad", row->name);
	strncpy(i->own, text, sizeof(i->own) - 1);
	return 0;
}

static const struct options_row rows[] = {
	{"text", 't', "TEXT", "a text", TAKES_TEXT,
		OPTIONS_AT(struct into, text)},
	{"flag", 0, NULL, "a flag", TAKES_NOTHING,
		OPTIONS_AT(struct into, flag)},
	{"form", 'f', "FORM", "(default: one)", TAKES_CHOICE,
		OPTIONS_AT(struct into, choice), .choices = "one|two|three"},
	{"count", 0, "N", "a number", TAKES_COUNT,
		OPTIONS_AT(struct into, count), .least = 2, .most = 9,
		.was = "number"},
	{"large", 0, "N", "a large one", TAKES_COUNT,
		OPTIONS_AT(struct into, large), .most = UINT64_MAX},
	{"own", 0, "X", "its own", TAKES_OWN, .take = take},
	{0},
};

static const struct options_row more[] = {
	{"late", 'l', NULL, "of another table", TAKES_NOTHING,
		OPTIONS_AT(struct into, flag)},
	{0},
};

static const struct options_table table = {
	.name = "try",
	.operands = "FILE [FILE]\nother FILE",
	.about = "Tries.",
	.rows = rows,
	.more = more,
	.more_heading = "More:",
	.words = offsetof(struct into, words),
	.least = 1,
	.most = 2,
	.needed = "a file or two are needed",
};

static int read_words(struct into *into, options_before *before,
	struct error *error, const char *const *given)
{
	static char texts[16][32], *argv[16];
	int argc = 1;

	argv[0] = strcpy(texts[0], "try");
	for (; *given; given++, argc++)
		argv[argc] = strcpy(texts[argc], *given);
	argv[argc] = NULL;
	*into = (struct into){.choice = -1};
	return options_parse_words(&table, argc, argv, before, into, error);
}

#define READ(...)                                                              \
	read_words(                                                            \
		&into, NULL, &error, (const char *const[]){__VA_ARGS__, NULL})

Test(options, values_go_where_their_rows_say)
{
	struct into into;
	struct error error = {""};

	cr_assert_eq(READ("a", "-t", "word", "--flag", "--form=three",
			     "--count", "9", "--large", "18446744073709551615",
			     "--own", "mine", "b"),
		0, "%s", error.text);
	cr_expect_str_eq(into.text, "word");
	cr_expect(into.flag);
	cr_expect_eq(into.choice, 2);
	cr_expect_eq(into.count, 9u);
	cr_expect_eq(into.large, UINT64_MAX);
	cr_expect_str_eq(into.own, "mine");
	cr_assert_eq(into.words.count, 2u);
	cr_expect_str_eq(into.words.items[0], "a");
	cr_expect_str_eq(into.words.items[1], "b");
}

Test(options, rows_of_a_second_table_are_read_too)
{
	struct into into;
	struct error error = {""};

	cr_assert_eq(READ("a", "--late"), 0, "%s", error.text);
	cr_expect(into.flag);
	cr_assert_eq(READ("a", "-l"), 0, "%s", error.text);
	cr_expect(into.flag);
}

Test(options, an_old_name_works)
{
	struct into into;
	struct error error = {""};

	cr_assert_eq(READ("a", "--number", "3"), 0, "%s", error.text);
	cr_expect_eq(into.count, 3u);
}

Test(options, wrong_words_are_one_sentence)
{
	static const struct {
		const char *words[4];
		const char *sentence;
	} cases[] = {
		{{NULL}, "a file or two are needed: 'nearfar try FILE [FILE]'"},
		{{"a", "b", "c"},
			"a file or two are needed: 'nearfar try FILE [FILE]'"},
		{{"a", "--form", "four"},
			"the form 'four' is none of one, two, three"},
		{{"a", "--count", "1"}, "--count: 1 must lie between 2 and 9"},
		{{"a", "--count", "10"},
			"--count: 10 must lie between 2 and 9"},
		{{"a", "--own", "bad"}, "--own: bad"},
		{{"--form=x", "--count=1"},
			"the form 'x' is none of one, two, three"},
		{{"a", "--nothing"}, "'nearfar try' has no option '--nothing'"},
		{{"a", "--text"},
			"these are no words of 'nearfar try': an option is not "
			"known, or its value is missing"},
	};
	struct into into;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error error = {""};

		cr_expect_eq(read_words(&into, NULL, &error, cases[i].words),
			ERR_USAGE);
		cr_expect_str_eq(error.text, cases[i].sentence);
	}
}

static int refuses_flags(
	void *into, const struct options_row *row, struct error *error)
{
	(void)into;
	return row && row->kind == TAKES_NOTHING
		       ? error_set(error, ERR_USAGE, "no --%s", row->name)
		       : 0;
}

Test(options, what_is_refused_before_is_not_taken)
{
	static const char *const words[] = {"a", "--flag", NULL};
	struct into into;
	struct error error = {""};

	cr_assert_eq(
		read_words(&into, refuses_flags, &error, words), ERR_USAGE);
	cr_expect_str_eq(error.text, "no --flag");
	cr_expect_not(into.flag);
}

Test(options, help_of_a_choice_begins_with_its_words)
{
	char *help = options_help(&rows[2]), *plain = options_help(&rows[0]);

	cr_expect_str_eq(help, "one, two or three (default: one)");
	cr_expect_str_eq(plain, "a text");
	free(help);
	free(plain);
}
