/* A series whose every name would steer a terminal or become markup, through
   all that prints series. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/compare.h"
#include "harness/figure/draw.h"
#include "harness/report/table.h"
#include "tests/unit/series_fixture.h"

TestSuite(hostile, .timeout = 60);

/* A key of CSV is UTF-8; all else may be anything. */
#define NASTY_KEY                                                              \
	"n\033[31m\a\b\r\n\t\177\xc2\x9b\xe2\x80\xae|<img src=x>`*c*: #\""
#define NASTY NASTY_KEY "\x9b"

static void make(struct series_list *list)
{
	static const double x[] = {1, 2, 3}, y[] = {1e308, -1e308, 5e-324};
	struct series *s;
	int i;

	for (i = 0; i < 2; i++) {
		s = fixture_curve(list, NASTY, x, y, 3);
		free(s->axis);
		s->axis = strdup(NASTY);
		cr_assert_eq(0, facts_add(&s->options, NASTY_KEY, NASTY));
		cr_assert_eq(0, facts_add(&s->options, "n", i ? "1" : NASTY));
		cr_assert_eq(0, facts_add(&s->provenance, "machine", NASTY));
		cr_assert_eq(0, facts_add(&s->provenance, "set", NASTY));
		s->points[1].skipped = strdup(NASTY);
	}
}

/* In `code` nothing is markup but its end. */
static void expect_clean(const char *text, bool md)
{
	const unsigned char *at = (const unsigned char *)text;
	bool code = false;

	for (; *at; at++) {
		cr_expect(*at >= 0x20 || *at == '\n', "\\x%02x in\n%s", *at,
			text);
		cr_expect_neq(*at, 0x7f);
		if (md && *at == '`' &&
			(at == (const unsigned char *)text || at[-1] != '\\'))
			code = !code;
		cr_expect_not(md && !code && *at == '<' && at[-1] != '\\',
			"HTML in\n%s", text);
	}
	cr_expect_not(code);
	cr_expect_not(strstr(text, "\xc2\x9b"), "CSI in\n%s", text);
	cr_expect_not(strstr(text, "\xe2\x80\xae"), "direction in\n%s", text);
}

Test(hostile, series_for_people)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = fixture_text(&list, FORMAT_TABLE);
	expect_clean(text, false);
	free(text);
	series_list_free(&list);
}

Test(hostile, plots)
{
	struct series_list list = {0};
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	make(&list);
	cr_assert_eq(0, draw_in_terminal(&list, out, &error), "%s", error.text);
	fclose(out);
	expect_clean(text, false);
	cr_expect_not(strstr(text, "inf"), "%s", text);
	cr_expect_not(strstr(text, "nan"), "%s", text);
	free(text);
	series_list_free(&list);
}

static char *tabulated(const struct series_list *list, enum series_format f)
{
	static const struct table_layout layout = {.metric = -1};
	struct table_list tables;
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(0, table_list_make(list, NULL, &layout, &tables, &error),
		"%s", error.text);
	cr_assert_eq(0, table_list_put(&tables, f, out, &error));
	table_list_free(&tables);
	fclose(out);
	return text;
}

Test(hostile, tables)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = tabulated(&list, FORMAT_TABLE);
	expect_clean(text, false);
	free(text);
	series_list_free(&list);
}

/* What CSV writes, CSV reads: keys and values of any kind. */
Test(hostile, csv_is_read_back)
{
	struct series_list list = {0}, again = {0};
	struct error error = {""};
	struct content content = {.source = "test"};
	size_t i, k;

	make(&list);
	content.text = fixture_text(&list, FORMAT_CSV);
	content.bytes = strlen(content.text);
	cr_assert_eq(0, series_parse(&content, &again, &error), "%s\n%s",
		error.text, content.text);
	cr_assert_eq(again.count, 2);
	for (i = 0; i < 2; i++) {
		const struct series *a = &list.items[i], *b = &again.items[i];

		cr_expect_str_eq(a->bench, b->bench);
		cr_expect_str_eq(a->axis, b->axis);
		cr_assert_eq(a->options.count, b->options.count);
		for (k = 0; k < a->options.count; k++) {
			cr_expect_str_eq(a->options.items[k].key,
				b->options.items[k].key);
			cr_expect_str_eq(a->options.items[k].value,
				b->options.items[k].value);
		}
		cr_expect_str_eq(facts_find(&b->provenance, "set"), NASTY);
		cr_expect_str_eq(b->points[1].skipped, NASTY);
	}
	free(content.text);
	series_list_free(&list);
	series_list_free(&again);
}

/* Columns that would have one name, or none, say whose they are, whole. */
Test(hostile, columns_of_tidy_rows)
{
	static const double x[] = {1}, y[] = {1};
	struct series_list list = {0};
	struct series *s = fixture_curve(&list, "b", x, y, 1);
	char long_key[302], *text, *end;

	memset(long_key, 'k', 300);
	strcpy(long_key + 300, "!");
	cr_assert_eq(0, facts_add(&s->options, "", "1"));
	cr_assert_eq(0, facts_add(&s->options, "x", "2"));
	cr_assert_eq(0, facts_add(&s->options, "share", "3"));
	cr_assert_eq(0, facts_add(&s->options, long_key, "4"));
	text = fixture_text(&list, FORMAT_TIDY);
	end = strchr(text, '\n');
	cr_assert_not_null(end);
	*end = '\0';
	cr_expect_not_null(
		strstr(text, ",option.,option.x,share,kkk"), "%s", text);
	cr_expect_not_null(strstr(text, "kkk!,axis,x,metric,"), "%s", text);
	free(text);
	series_list_free(&list);
}

Test(hostile, latex)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = tabulated(&list, FORMAT_TEX);
	expect_clean(text, false);
	free(text);
	text = fixture_text(&list, FORMAT_TEX);
	expect_clean(text, false);
	free(text);
	series_list_free(&list);
}

Test(hostile, markdown)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = tabulated(&list, FORMAT_MD);
	expect_clean(text, true);
	free(text);
	text = fixture_text(&list, FORMAT_MD);
	expect_clean(text, true);
	free(text);
	series_list_free(&list);
}

static char *compared(const struct series_list *list, enum series_format f)
{
	struct comparison_list made;
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(0, comparison_list_make(list, list, -1, &made, &error),
		"%s", error.text);
	cr_assert_eq(0, comparison_list_put(&made, NULL, f, out, &error));
	comparison_list_free(&made);
	fclose(out);
	return text;
}

Test(hostile, comparisons)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = compared(&list, FORMAT_TABLE);
	expect_clean(text, false);
	free(text);
	text = compared(&list, FORMAT_MD);
	expect_clean(text, true);
	free(text);
	series_list_free(&list);
}
