/* Streams: pieces of any size, what rules refuse, and where. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/json_stream.h"

TestSuite(json_stream, .timeout = 30);

#define ITEMS_MAX 16

struct found {
	double numbers[ITEMS_MAX];
	size_t number_count, objects;
	char *name;
	uint64_t count;
};

static int take_number(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct found *f = reader;

	cr_expect_eq(json_stream_index(stream), f->number_count);
	f->numbers[f->number_count++] = value->number;
	return 0;
}

static int take_name(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	return json_stream_copy(stream, value, &((struct found *)reader)->name);
}

static int take_count(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	return json_stream_count(
		stream, value, 9, &((struct found *)reader)->count);
}

static int end_object(void *reader, struct json_stream *stream)
{
	cr_expect(json_stream_has(stream, 0));
	cr_expect_str_eq(json_stream_key(stream), "");
	((struct found *)reader)->objects++;
	return 0;
}

static const struct json_rule number_rule[] = {
	{.wants = WANT_NUMBER | WANT_NULL, .take = take_number}, {0}};

static const struct json_rule rules[] = {
	{"numbers", WANT_ARRAY, true, number_rule},
	{"name", WANT_TEXT, .take = take_name},
	{"count", WANT_WHOLE, .take = take_count}, {0}};

static const struct json_rule root = {
	.wants = WANT_OBJECT, .inside = rules, .end = end_object};

/* In pieces of `step` bytes. */
static int parse(
	const char *text, size_t step, struct found *found, struct error *error)
{
	struct json_stream *stream;
	size_t left = strlen(text);
	int code = 0;

	*found = (struct found){0};
	stream = json_stream_open(&root, found, "f", error);
	cr_assert(stream);
	for (; !code && left; left -= step < left ? step : left) {
		code = json_stream_feed(
			stream, text, step < left ? step : left);
		text += step < left ? step : left;
	}
	if (!code)
		code = json_stream_end(stream);
	json_stream_free(stream);
	return code;
}

Test(json_stream, pieces_of_any_size)
{
	static const char *const text =
		" {\"skip\": {\"numbers\": [1, {\"a\": true}]},\n\"name\": "
		"\"\\u00fc\\ud83d\\ude00\\n\\\"\", \"numbers\": "
		"[0.30000000000000004, -1e300, null, 4503599627370497, "
		"1123456789012345e0 ]} ";
	struct found found;
	struct error error;
	size_t step;

	for (step = 1; step < 200; step++) {
		cr_assert_eq(0, parse(text, step, &found, &error), "%zu: %s",
			step, error.text);
		cr_expect_eq(found.objects, 1);
		cr_expect_str_eq(found.name, "\u00fc\U0001f600\n\"");
		cr_assert_eq(found.number_count, 5);
		cr_expect(found.numbers[0] == 0.1 + 0.2);
		cr_expect(found.numbers[1] == -1e300);
		cr_expect(isnan(found.numbers[2]));
		cr_expect(found.numbers[3] == 4503599627370497);
		cr_expect(found.numbers[4] == 1123456789012345);
		free(found.name);
	}
}

Test(json_stream, refusals_name_the_place)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "f:1:0: premature EOF"},
		{"{\"numbers\": [1,\n2", "f:2:1: premature EOF"},
		{"{\"numbers\": [1,\n 2,, 3]}", "f:2:"},
		{"{\"numbers\": [01]}", "f:1:"},
		{"{\"numbers\": []} 1", "f:1:17: trailing garbage"},
		{"{\"numbers\": [\"\xff\"]}", "f:1:"},
		{"[]", "f: 'the document' must be an object, not an array"},
		{"{}", "f: 'numbers' is missing"},
		{"{\"numbers\": 3}",
			"f: 'numbers' must be an array, not a number"},
		{"{\"numbers\": [1, true]}",
			"f: 'numbers[1]' must be a number, not true"},
		{"{\"numbers\": [1, 1e999]}",
			"f: 'numbers[1]' is too large a number"},
		{"{\"numbers\": [], \"numbers\": []}",
			"f: 'numbers' is there twice"},
		{"{\"skip\": [{\"a\": 1, \"b\": 2, \"a\": 3}]}",
			"f: 'skip[0].a' is there twice"},
		{"{\"name\": null}", "f: 'name' must be a string, not null"},
		{"{\"name\": \"a\\u0000b\"}", "f: 'name' holds a character 0"},
		{"{\"name\": \"\\udc00\"}", "f: 'name' is no Unicode text"},
		{"{\"count\": 1.0}", "f: 'count' must be a whole number"},
		{"{\"count\": \"1\"}",
			"f: 'count' must be a whole number, not a string"},
		{"{\"count\": -1}", "f: 'count' must be between 0 and 9"},
		{"{\"count\": 10}", "f: 'count' must be between 0 and 9"},
	};
	struct found found;
	struct error error;
	size_t i, step;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (step = 1; step < 80; step += 13) {
			cr_expect_eq(ERR_USAGE,
				parse(cases[i].text, step, &found, &error));
			cr_expect(!strncmp(error.text, cases[i].message,
					  strlen(cases[i].message)),
				"%zu: %s", i, error.text);
			free(found.name);
		}
}

Test(json_stream, depth_has_an_end)
{
	char text[2 * JSON_STREAM_DEPTH_MAX + 32] = "{\"skip\": ";
	struct found found;
	struct error error;

	memset(text + strlen(text), '[', JSON_STREAM_DEPTH_MAX - 1);
	cr_expect_eq(ERR_USAGE, parse(text, 4096, &found, &error));
	cr_expect(strstr(error.text, "premature EOF"), "%s", error.text);
	memset(text + strlen(text), '[', 1);
	cr_expect_eq(ERR_USAGE, parse(text, 4096, &found, &error));
	cr_expect(strstr(error.text, "nested too deep"), "%s", error.text);
}

/* Numbers keep no more than they need to be read. */
Test(json_stream, digits_have_an_end)
{
	char text[1024] = "{\"numbers\": [0.";
	struct found found;
	struct error error;

	memset(text + strlen(text), '1', 509);
	strcat(text, "]}");
	cr_expect_eq(0, parse(text, 100, &found, &error), "%s", error.text);
	memmove(text + 17, text + 16, strlen(text + 16) + 1);
	cr_expect_eq(ERR_USAGE, parse(text, 100, &found, &error));
	cr_expect_str_eq(
		error.text, "f: 'numbers[0]' has more than 511 digits");
}
