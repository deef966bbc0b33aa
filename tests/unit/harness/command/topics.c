/* Pages of the manual have all that users may write. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/base/stream.h"
#include "harness/command/topics/topics.h"
#include "harness/contract/counter.h"
#include "harness/kernel/words.h"
#include "harness/marks/marks.h"
#include "harness/program/qualifiers.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"
#include "harness/program/text/steps.h"
#include "harness/series/io.h"
#include "harness/series/series.h"

/* The caller frees it. */
static char *page(const char *name)
{
	const struct topic *topic = topic_find(name);
	struct error error;
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	cr_assert(topic, "%s", name);
	cr_assert(out);
	cr_assert_eq(topic_put(topic, out, &error), 0, "%s", error.text);
	cr_assert_eq(fclose(out), 0);
	return text;
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the page has the word, not as a part of another one. */
static bool has(const char *text, const char *word)
{
	const size_t length = strlen(word);
	const char *at = text;

	for (; (at = strstr(at, word)); at++)
		if ((at == text || !is_part(at[-1])) && !is_part(at[length]))
			return true;
	return false;
}

static void expect(const char *topic, const char *text, const char *word)
{
	cr_expect(has(text, word), "help %s lacks '%s'", topic, word);
}

static void expect_fields(
	const char *topic, const char *text, const struct field *field)
{
	const char *const *choice;
	char key[64];

	for (; field->name; field++) {
		snprintf(key, sizeof(key), "        %s%s", field->name,
			field->type == FIELD_FLAG ? " " : "=");
		cr_expect(strstr(text, key), "help %s lacks '%s'", topic, key);
		cr_expect(field->help && *field->help, "%s", field->name);
		for (choice = field->choices; choice && *choice; choice++)
			expect(topic, text, *choice);
	}
}

static void expect_steps(const char *topic, const char *text)
{
	int kind;

	for (kind = 0; kind < STEP_COUNT; kind++)
		if (step_word((enum step_kind)kind))
			expect(topic, text, step_word((enum step_kind)kind));
	expect_fields(topic, text, window_fields);
	expect_fields(topic, text, copy_fields);
}

Test(topics, programs_have_every_word_of_their_parser)
{
	static const char *const words[] = {"name", "seed", "buffer", "launch",
		"role", "chase", "random", "shared", "per=lane|warp", "wrap",
		"lane*SIZE", "warp*SIZE", "block*SIZE", "loop0*SIZE",
		"loop1*SIZE", "loop2*SIZE", "nearfar-program 1"};
	char *text = page("programs");
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		expect("programs", text, words[i]);
	expect_fields("programs", text, buffer_fields);
	expect_fields("programs", text, launch_fields);
	expect_fields("programs", text, role_fields);
	expect_fields("programs", text, repeat_fields);
	expect_steps("programs", text);
	for (i = 0; i < OP_COUNT; i++)
		expect("programs", text, op_names[i]);
	for (i = 1; i < QV_COUNT; i++)
		expect("programs", text, qualifiers[i].text);
	for (i = 1; i < GUARD_COUNT; i++)
		expect("programs", text, insn_guards[i]);
	free(text);
}

Test(topics, jobs_have_every_word_of_their_parser)
{
	static const char *const words[] = {"name", "module", "buffer",
		"tensormap", "launch", "map:NAME", "&map:NAME", "TYPE:NUMBER",
		"nearfar-kernel 1"};
	char *text = page("jobs");
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		expect("jobs", text, words[i]);
	expect_fields("jobs", text, job_buffer_fields);
	expect_fields("jobs", text, job_map_fields);
	expect_fields("jobs", text, job_launch_fields);
	expect_steps("jobs", text);
	for (i = 0; i < JOB_COMPARE_COUNT; i++)
		expect("jobs", text, job_compare_names[i]);
	free(text);
}

Test(topics, machines_have_every_key_and_parameter)
{
	char *text = page("machines");
	const char *const *key;
	size_t i;

	for (key = machine_keys; *key; key++)
		expect("machines", text, *key);
	for (key = machine_fields; *key; key++)
		expect("machines", text, *key);
	for (key = machine_origins; *key; key++)
		expect("machines", text, *key);
	for (i = 0; i < PARAMETER_COUNT; i++)
		expect("machines", text, parameters[i].name);
	free(text);
}

Test(topics, lists_of_names_are_whole)
{
	char *formats = page("formats"), *metrics = page("metrics");
	char *marks = page("marks");
	int i;

	for (i = 0; i < FORMAT_COUNT; i++)
		expect("formats", formats, series_format_names[i]);
	for (i = 0; i < METRIC_COUNT; i++)
		expect("metrics", metrics, metric_columns[i]);
	for (i = 0; i < COUNTER_COUNT; i++)
		expect("metrics", metrics, counter_kinds[i].name);
	for (i = 0; i < MARK_COUNT; i++)
		expect("marks", marks, mark_names[i]);
	free(formats);
	free(metrics);
	free(marks);
}

Test(topics, references_have_the_sections_of_a_manual)
{
	static const char *const names[] = {
		"programs", "jobs", "machines", "formats", "metrics", "marks"};
	static const char *const headings[] = {"\nEXAMPLES\n",
		"\nEXIT STATUS\n", "\nFILES\n", "\nSEE ALSO\n",
		"\n    $ nearfar "};
	size_t i, k;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = page(names[i]);

		cr_expect_eq(
			topic_section(topic_find(names[i])), i < 4 ? 5 : 7);
		for (k = 0; k < sizeof(headings) / sizeof(headings[0]); k++)
			cr_expect(strstr(text, headings[k]), "%s: %s", names[i],
				headings[k]);
		free(text);
	}
}

Test(topics, a_part_that_is_not_there_is_an_error)
{
	const struct topic topic = {"x", "X.\n@nothing\n", NULL};
	struct error error;
	FILE *out = fopen("/dev/null", "w");

	cr_assert(out);
	cr_expect_lt(topic_put(&topic, out, &error), 0);
	fclose(out);
	cr_expect_str_eq(error.text, "pages have no part 'nothing'");
}
