#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/marks/marks.h"
#include "harness/page/pack.h"
#include "harness/page/page.h"
#include "harness/profile/profile.h"
#include "tests/unit/series_fixture.h"

TestSuite(page, .timeout = 60);

/* The page of a list of series; the caller frees it. */
static char *page_of(
	const struct series_list *list, const struct page_words *words)
{
	char *path = fixture_path("series.json"), *text = NULL;
	const char *paths[] = {path};
	struct error error = {""};
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(series_write_file(list, FORMAT_JSON, path, &error), 0);
	cr_assert_eq(
		page_write(paths, 1, words, out, &error), 0, "%s", error.text);
	fclose(out);
	fixture_remove(path);
	return text;
}

static size_t occurrences(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

static void rename_bench(struct series *series, const char *name)
{
	free(series->bench);
	series->bench = strdup(name);
}

Test(page, holds_what_it_needs_and_asks_for_nothing)
{
	const double x[] = {4096, 8192, 16384}, y[] = {30, 31, 300};
	struct series_list list = {0};
	char *text;

	fixture_curve(&list, "chase", x, y, 3);
	text = page_of(&list, &(struct page_words){0});
	cr_assert(strstr(text, "default-src 'none'; script-src 'sha256-"));
	cr_assert(strstr(text, "<svg class=\"picture\""));
	cr_assert(strstr(text, "\"x\":[4096,8192,16384]"));
	cr_assert(strstr(text, "\"y\":[30,31,300]"));
	cr_assert_eq(occurrences(text, "<script"), 2);
	cr_assert_not(strstr(text, " src="));
	cr_assert_not(strstr(text, "<link"));
	cr_assert_not(strstr(text, " style="));
	free(text);
	series_list_free(&list);
}

Test(page, texts_stay_texts)
{
	static const char bad[] = "</script><script>alert(1)</script>";
	const double x[] = {1, 2}, y[] = {30, 31};
	const char *notes[] = {bad};
	struct series_list list = {0};
	struct series *series = fixture_curve(&list, "chase", x, y, 2);
	char *text;

	rename_bench(series, bad);
	facts_add(&series->options, "a", "%s", bad);
	facts_add(&series->provenance, "warning", "%s", bad);
	text = page_of(&list, &(struct page_words){bad, notes, 1});
	cr_assert_not(strstr(text, "<script>alert"));
	cr_assert_eq(occurrences(text, "</script>"), 2);
	cr_assert(strstr(text, "&lt;script&gt;alert(1)"));
	cr_assert(strstr(text, "\\u003cscript>alert(1)"));
	free(text);
	series_list_free(&list);
}

Test(page, a_model_is_drawn_with_what_judges_it)
{
	const double x[] = {1, 2, 4}, y[] = {30, 31, 40}, z[] = {30, 32, 41};
	struct series_list list = {0};
	struct series *series = fixture_curve(&list, "chase", x, y, 3);
	char *text;

	facts_add(&series->provenance, "backend", "cuda");
	series = fixture_curve(&list, "chase", x, z, 3);
	facts_add(&series->provenance, "backend", "sim");
	text = page_of(&list, &(struct page_words){0});
	cr_assert(strstr(text, "\"residuals\":[{\"base\":0,\"new\":1}]"));
	cr_assert(strstr(text, "Model against silicon"));
	cr_assert_eq(occurrences(text, "<figure"), 1);
	cr_assert_eq(occurrences(text, "\"colour\":0"), 2);
	/* Without scripts: both curves, the errors, and what they are. */
	cr_assert_eq(occurrences(text, "<polyline class=\"c0"), 5);
	cr_assert_eq(occurrences(text, "<ul class=\"names\"><li>"), 1);
	cr_assert_eq(occurrences(text, ">error_percent</text>"), 1);
	cr_assert_eq(occurrences(text, ">latency_cycles</text>"), 1);
	free(text);
	series_list_free(&list);
}

/* Shares differ by points, which are no percent of what they were. */
Test(page, shares_have_no_agreement_in_percent)
{
	const double x[] = {1, 2, 4}, y[] = {0, 0.5, 1};
	struct series_list list = {0};
	size_t i, k;
	char *text;

	for (i = 0; i < 2; i++) {
		struct series *series = fixture_curve(&list, "shares", x, y, 3);

		series->metrics = 1u << METRIC_SHARE_L1;
		for (k = 0; k < 3; k++)
			series->points[k].metrics[0].metric = METRIC_SHARE_L1;
		facts_add(&series->provenance, "backend", "%s",
			i ? "sim" : "cuda");
	}
	text = page_of(&list, &(struct page_words){0});
	cr_assert(strstr(text, "Model against silicon"));
	cr_expect_not(strstr(text, "<th scope=\"row\">shares"));
	cr_expect_not(strstr(text, ">error_percent</text>"));
	free(text);
	series_list_free(&list);
}

Test(page, what_was_left_out_is_a_note)
{
	const double x[] = {1, 2, 4, 8}, y[] = {30, 31, 40, 41};
	struct series_list list = {0};
	struct series *series = fixture_curve(&list, "chase", x, y, 4);
	char *text;

	series->points[2].skipped = strdup("too <large>");
	series->points[3].skipped = strdup("too <large>");
	text = page_of(&list, &(struct page_words){0});
	cr_assert(strstr(
		text, "2 points left out, from 4 on: too &lt;large&gt;"));
	cr_assert(strstr(text, "\"notes\":[1]"));
	free(text);
	series_list_free(&list);
}

Test(page, packed_data_unpack)
{
	char text[5000], back[5000] = "", *packed = NULL;
	const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
			     "wxyz0123456789+/";
	unsigned char bytes[8000];
	z_stream stream = {0};
	size_t count = 0, i;
	unsigned bits = 0, held = 0;

	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)('0' + i * i % 71 % 10);
	cr_assert_eq(pack_base64(text, sizeof(text), &packed, NULL), 0);
	cr_assert_eq(strlen(packed) % 4, 0);
	for (i = 0; packed[i] && packed[i] != '='; i++) {
		bits = bits << 6 |
		       (unsigned)(strchr(digits, packed[i]) - digits);
		held += 6;
		if (held >= 8)
			bytes[count++] = (unsigned char)(bits >> (held -= 8));
	}
	stream.next_in = bytes;
	stream.avail_in = (uInt)count;
	stream.next_out = (unsigned char *)back;
	stream.avail_out = sizeof(back);
	cr_assert_eq(inflateInit2(&stream, 15 + 16), Z_OK);
	cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	inflateEnd(&stream);
	cr_assert_arr_eq(back, text, sizeof(text));
	free(packed);
}

Test(page, marks_are_notes_and_a_column)
{
	const double x[] = {4096, 8192, 16384}, y[] = {30, 31, 32};
	struct series_list list = {0};
	char *text;

	fixture_curve(&list, "chase", x, y, 3);
	list.items[0].points[1].marks = 1u << MARK_SHARED;
	list.items[0].points[2].marks =
		1u << MARK_SHARED | 1u << MARK_WIDE_INTERVAL;
	text = page_of(&list, &(struct page_words){0});
	cr_expect(strstr(text, "\"marks\":{\"1\":\"shared\",\"2\":\"shared "
			       "wide-interval\"}"));
	cr_expect(strstr(text, "shared: 2 points, the first at 8KiB: another "
			       "process computed on the GPU"));
	cr_expect(strstr(text, "wide-interval: 1 point, the first at 16KiB: "));
	free(text);
	series_list_free(&list);
}

/* A profile of one launch whose texts are all `text`. */
static char *page_of_profile(const char *text)
{
	char *path = fixture_path("profile.json"), *html = NULL;
	const char *paths[] = {path};
	struct profile_list list = {0};
	struct profile *p = profile_list_add(&list);
	struct error error = {""};
	size_t bytes;
	FILE *out = open_memstream(&html, &bytes);

	p->job = strdup(text);
	p->kernel = strdup(text);
	p->module = strdup(text);
	p->machine = strdup(text);
	p->where = calloc(1, sizeof(*p->where));
	p->where->warp_cycles = 400;
	p->where->wait_cycles[JOB_WAIT_FAR] = 300;
	p->where->wait_cycles[JOB_WAIT_ISSUE] = 100;
	p->where->sources = calloc(1, sizeof(char *));
	p->where->sources[p->where->source_count++] = strdup(text);
	p->where->lines = calloc(1, sizeof(*p->where->lines));
	p->where->lines[p->where->line_count++] = (struct job_line){.line = 31,
		.source = 1,
		.source_line = 9,
		.executions = 5,
		.requests = 5,
		.sectors = 20,
		.found = {0, 5, 15, 0},
		.answered = 5,
		.latency_cycles = 2400};
	p->where->lines[0].wait_cycles[JOB_WAIT_FAR] = 300;
	p->texts = calloc(1, sizeof(char *));
	p->texts[0] = strdup(text);
	cr_assert_eq(profile_write_file(&list, path, &error), 0);
	cr_assert_eq(page_write(paths, 1, &(struct page_words){0}, out, &error),
		0, "%s", error.text);
	fclose(out);
	profile_list_free(&list);
	fixture_remove(path);
	return html;
}

Test(page, a_profile_is_a_bar_and_tables)
{
	char *html = page_of_profile("gather"), rule[16];
	size_t i;

	cr_assert(strstr(html, "0 series, 1 launch of kernels; 1 file;"));
	cr_assert(strstr(html, "<section id=\"kernels\">"));
	cr_assert(strstr(html, "waited for: issue 25.0 %, far_l2 75.0 %,"));
	cr_assert(strstr(html, "<rect class=\"w7\" x=\"250.00\" y=\"0\" "
			       "width=\"750.00\""));
	cr_assert(strstr(html, "gather:9</th><td>75.0 %</td><td><svg "));
	cr_assert(strstr(html, "<rect class=\"w7\" x=\"0.00\" width=\"75.00\" "
			       "height=\"5\"/></svg></td><td>far_l2</td>"
			       "<td>5</td><td>4.0</td>"));
	cr_assert(strstr(html, "latency of far_l2</th><td>gather:9</td>"
			       "<td>100 %</td>"));
	cr_assert(strstr(html, "class=\"picture memory\""));
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		snprintf(rule, sizeof(rule), ".w%zu {", i);
		cr_assert(strstr(html, rule), "%s", rule);
	}
	cr_assert(strstr(html, "<code>gather</code>"));
	cr_assert_not(strstr(html, "At a glance"));
	cr_assert_not(strstr(html, " style="));
	free(html);
}

Test(page, a_profile_s_texts_stay_texts)
{
	char *html = page_of_profile("</code><script>alert(1)</script>");

	cr_assert_not(strstr(html, "<script>alert"));
	cr_assert_eq(occurrences(html, "</script>"), 2);
	free(html);
}
