/* What a run of the model records. */
#include <criterion/criterion.h>
#include <string.h>

#include "harness/contract/timeline.h"
#include "tests/unit/model_fixture.h"

TestSuite(lives, .timeout = 60);

static struct timeline t;
static struct result result = {.timeline = &t};

static const struct timeline_span *find(
	enum timeline_what what, const char *name, size_t from)
{
	size_t i;

	for (i = from; i < t.count; i++)
		if (t.spans[i].what == what && !strcmp(t.spans[i].name, name))
			return &t.spans[i];
	return NULL;
}

static const char chase[] = "nearfar-program 1\nname chase\nseed 1\n"
			    "buffer ring bytes=1MiB fill=ring slot=128\n"
			    "launch measure\n"
			    "  role one blocks=1 threads=1 lanes=1\n"
			    "    repeat 4 time=each region=loads\n"
			    "      ld.global.cg.b64 [ring chase]\n"
			    "    end\n";

/* Of each load: it leaves its SM, comes to a slice and goes back, in this
   order, and its parts are all of its time. */
Test(lives, a_load_goes_from_station_to_station)
{
	static const char *const stations[] = {"l1", "sm_port_out",
		"gpc_port_out", "slice_lookup", "crossbar_to_sms",
		"sm_port_in"};
	const struct timeline_span *load, *at;
	double parts = 0, last = 0;
	size_t i;

	timeline_init(&t);
	model_run(NULL, &result, "%s", chase);
	load = find(TIMELINE_REQUEST, "load", 0);
	cr_assert_not_null(load);
	cr_assert_eq(load->place, result.samples[0].sm);
	cr_assert_eq(load->sectors, 1);
	for (i = 0; i < sizeof(stations) / sizeof(*stations); i++) {
		at = find(TIMELINE_SERVICE, stations[i],
			(size_t)(load - t.spans));
		cr_assert_not_null(at, "%s", stations[i]);
		cr_assert_geq(at->begin, last, "%s", stations[i]);
		last = at->end;
	}
	for (i = 0; i < t.count; i++)
		if ((t.spans[i].what == TIMELINE_WAY ||
			    t.spans[i].what == TIMELINE_QUEUE ||
			    t.spans[i].what == TIMELINE_SERVICE) &&
			t.spans[i].thread == load->thread)
			parts += t.spans[i].end - t.spans[i].begin;
	cr_assert_float_eq(parts, load->end - load->begin, 1e-6);
	cr_assert_not_null(find(TIMELINE_LAUNCH, "measure", 0));
	cr_assert_not_null(find(TIMELINE_WAIT, "load", 0));
	cr_assert_not_null(find(TIMELINE_WARP, "warp", 0));
	timeline_free(&t);
	result_free(&result);
}

/* Whoever records sees the times that are there without. */
Test(lives, a_trace_changes_no_time)
{
	struct result plain = {0};
	size_t i;

	timeline_init(&t);
	model_run(NULL, &result, "%s", chase);
	model_run(NULL, &plain, "%s", chase);
	cr_assert_eq(result.sample_count, plain.sample_count);
	for (i = 0; i < plain.sample_count; i++)
		cr_assert_eq(result.samples[i].cycles, plain.samples[i].cycles);
	timeline_free(&t);
	result_free(&result);
	result_free(&plain);
}

Test(lives, others_than_those_asked_for_are_left_out)
{
	size_t i;

	timeline_init(&t);
	t.some_sms = true;
	t.sms[0] = 2;
	model_run(NULL, &result, "%s", chase);
	for (i = 0; i < t.count; i++)
		cr_assert_eq(t.spans[i].what, TIMELINE_LAUNCH);
	timeline_free(&t);
	result_free(&result);
}
