/* Spans and counters within their window and limit, and as a file. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/timeline/chrome.h"
#include "harness/timeline/layout.h"
#include "harness/timeline/wanted.h"

TestSuite(timeline, .timeout = 60);

static struct timeline t;
static struct error error;

static struct timeline_span span(
	enum timeline_what what, double begin, double end)
{
	return (struct timeline_span){
		.begin = begin,
		.end = end,
		.name = "span",
		.what = what,
		.place = 3,
		.warp = TIMELINE_NONE,
		.server = TIMELINE_NONE,
	};
}

static uint32_t add(enum timeline_what what, double begin, double end)
{
	struct timeline_span s = span(what, begin, end);

	s.thread = (uint32_t)t.count; /* of a request: its own number */
	return timeline_add(&t, &s);
}

Test(timeline, spans_are_cut_at_the_window)
{
	timeline_init(&t);
	t.from = 100;
	t.until = 200;
	cr_assert_eq(add(TIMELINE_WAIT, 10, 99), TIMELINE_NONE);
	cr_assert_eq(add(TIMELINE_WAIT, 10, 100), TIMELINE_NONE);
	cr_assert_eq(add(TIMELINE_WAIT, 200, 300), TIMELINE_NONE);
	cr_assert_eq(add(TIMELINE_WAIT, 50, 150), 0);
	timeline_extend(&t, 0, 1000);
	timeline_extend(&t, TIMELINE_NONE, 1000);
	cr_assert_eq(t.count, 1);
	cr_assert_eq(t.left_out, 0);
	cr_assert_eq(t.spans[0].begin, 100);
	cr_assert_eq(t.spans[0].end, 200);
	timeline_free(&t);
}

/* Launches have places of their own, and so have counters. */
Test(timeline, what_is_beyond_the_limit_is_counted)
{
	uint32_t i;

	timeline_init(&t);
	t.limit = 6400;
	for (i = 0; i < 6400; i++)
		add(TIMELINE_WAIT, i, i + 1);
	cr_assert_eq(t.count, 6400 - 1600 - 100);
	cr_assert_eq(t.left_out, 1700);
	for (i = 0; i < 200; i++)
		add(TIMELINE_LAUNCH, i, i + 1);
	cr_assert_eq(t.count, 6400 - 1600);
	cr_assert_eq(t.left_out, 1800);
	timeline_free(&t);
}

static double sum(const float *steps)
{
	double all = 0;
	uint32_t i;

	for (i = 0; i < t.steps_max; i++)
		all += steps[i];
	return all;
}

/* Steps grow with time, and nothing is lost. */
Test(timeline, counters_have_longer_steps_as_time_goes_on)
{
	timeline_init(&t);
	t.limit = 64000; /* 250 steps */
	timeline_server(&t, 5, "slices", "slice");
	timeline_queued(&t, 5, 1, 1000, 1001.5);
	timeline_queued(&t, 5, 3, 1001, 1003);
	cr_assert_eq(t.step_cycles, 1);
	cr_assert_eq(t.origin, 1000);
	cr_assert_eq(t.servers[5].queued[0], 1);
	cr_assert_eq(t.servers[5].queued[1], 3.5f);
	timeline_served(&t, 5, 1000, 2000);
	cr_assert_eq(t.step_cycles, 4);
	cr_assert_eq(t.servers[5].queued[0], 7.5f);
	cr_assert_float_eq(sum(t.servers[5].queued), 7.5, 1e-9);
	cr_assert_float_eq(sum(t.servers[5].served), 1000, 1e-3);
	timeline_free(&t);
}

/* Two requests at once have threads of their own, the third one has the first's
   again; its parts are on the same. */
Test(timeline, requests_that_overlap_stand_side_by_side)
{
	struct layout l;
	struct timeline_span way = span(TIMELINE_WAY, 22, 23);

	timeline_init(&t);
	add(TIMELINE_REQUEST, 20, 30);
	add(TIMELINE_REQUEST, 0, 10);
	add(TIMELINE_REQUEST, 5, 25);
	way.thread = 0;
	timeline_add(&t, &way);
	cr_assert_eq(layout_make(&l, &t), 0);
	cr_assert_eq(layout_thread(&l, &t, 1), LAYOUT_REQUESTS);
	cr_assert_eq(layout_thread(&l, &t, 2), LAYOUT_REQUESTS + 1);
	cr_assert_eq(layout_thread(&l, &t, 0), LAYOUT_REQUESTS);
	cr_assert_eq(layout_thread(&l, &t, 3), LAYOUT_REQUESTS);
	cr_assert_eq(l.thread_count, 2);
	cr_assert_eq(l.order[0], 1);
	cr_assert_eq(l.order[3], 3);
	layout_free(&l);
	timeline_free(&t);
}

static char *written(void)
{
	const struct chrome_about about = {.ran = "a \"job\""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(chrome_write(&t, &about, out, &error), 0);
	fclose(out);
	return text;
}

Test(timeline, a_file_has_microseconds_and_cycles)
{
	char *text;

	timeline_init(&t);
	t.clock_hz = 2e9;
	add(TIMELINE_WAIT, 2001, 2003);
	timeline_server(&t, 5, "slices", "slice");
	timeline_queued(&t, 5, 1, 2000, 2001);
	text = written();
	cr_assert(strstr(text,
		"{\"ph\":\"X\",\"name\":\"span\",\"cat\":\"wait\",\"pid\":103,"
		"\"tid\":1,\"ts\":1.0005,\"dur\":0.0010,\"args\":{"
		"\"begin_cycle\":2001,\"cycles\":2}}"));
	cr_assert(strstr(text,
		"{\"ph\":\"C\",\"name\":\"in line, served\",\"pid\":10005,"
		"\"tid\":0,\"ts\":1.0000,\"args\":{\"in line\":1,\"served\":0}"
		"},\n{\"ph\":\"C\",\"name\":\"in line, served\",\"pid\":10005,"
		"\"tid\":0,\"ts\":1.0005,\"args\":{\"in line\":0"));
	cr_assert(strstr(text, "\"args\":{\"name\":\"SM 3\"}"));
	cr_assert(strstr(text, "\"ran\":\"a \\\"job\\\"\""));
	free(text);
	timeline_free(&t);
}

Test(timeline, a_file_that_is_not_all_is_not_written)
{
	const struct chrome_about about = {0};

	timeline_init(&t);
	t.failed = true;
	cr_assert_eq(chrome_write(&t, &about, stdout, &error), ERR_FAILED);
	timeline_free(&t);
}

/* ---- what is asked for ---- */

Test(timeline, words_say_what_is_wanted)
{
	struct wanted w = {0};

	cr_assert_eq(wanted_take(&w, WANTED_WINDOW, "10:20480", &error), 0);
	cr_assert_eq(wanted_take(&w, WANTED_SMS, "0,131", &error), 0);
	cr_assert_eq(wanted_take(&w, WANTED_WARP, "0", &error), 0);
	cr_assert_eq(wanted_take(&w, WANTED_LINE, "7", &error), 0);
	cr_assert_eq(wanted_take(&w, WANTED_LIMIT, "5000", &error), 0);
	wanted_begin(&w, &t);
	cr_assert_eq(t.from, 10);
	cr_assert_eq(t.until, 20480);
	cr_assert(timeline_has_sm(&t, 131) && timeline_has_sm(&t, 0));
	cr_assert(!timeline_has_sm(&t, 130));
	cr_assert(timeline_has_warp(&t, 0) && !timeline_has_warp(&t, 1));
	cr_assert(timeline_has_line(&t, 7) && !timeline_has_line(&t, 0));
	cr_assert_eq(t.limit, 5000);
	w = (struct wanted){0};
	wanted_begin(&w, &t);
	cr_assert(timeline_has_sm(&t, 5) && timeline_has_warp(&t, 9) &&
		  timeline_has_line(&t, 1));
	cr_assert(isinf(t.until));
}

Test(timeline, wrong_words_are_refused)
{
	static const char *const windows[] = {
		"", ":", "5", "5:", ":5", "5:5", "6:5", "a:b", "0:1e99"};
	struct wanted w = {0};
	size_t i;

	for (i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		cr_assert_eq(wanted_take(&w, WANTED_WINDOW, windows[i], &error),
			ERR_USAGE, "%s", windows[i]);
	cr_assert_eq(wanted_take(&w, WANTED_SMS, "1,,2", &error), ERR_USAGE);
	cr_assert_eq(wanted_take(&w, WANTED_SMS, "1024", &error), ERR_USAGE);
	cr_assert_eq(wanted_take(&w, WANTED_LINE, "0", &error), ERR_USAGE);
	cr_assert_eq(wanted_take(&w, WANTED_LIMIT, "999", &error), ERR_USAGE);
	cr_assert_eq(chrome_check_path("x.txt", &error), ERR_USAGE);
	cr_assert_eq(chrome_check_path("x.json.gz", &error), 0);
	cr_assert_eq(chrome_check_path("-", &error), 0);
}
