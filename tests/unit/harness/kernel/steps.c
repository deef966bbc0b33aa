/* Host actions of jobs, and where buffers are: as text, and what they are to
   launches. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/steps.h"

static const char canonical[] =
	"nearfar-kernel 1\n"
	"module m.ptx\n"
	"buffer a bytes=4MiB\n"
	"buffer far bytes=4MiB memory=peer peer=2\n"
	"buffer host bytes=1MiB memory=host\n"
	"buffer packed bytes=1MiB memory=compressible\n"
	"granularity 32\n"
	"carveout 3MiB\n"
	"window a base=1MiB bytes=2MiB ratio=0.25 hit=persisting "
	"miss=streaming\n"
	"launch k grid=1 block=1 warmups=1\n"
	"window packed bytes=64KiB ratio=1\n"
	"launch k grid=1 block=1 stream=1\n"
	"copy a host bytes=64KiB\n"
	"copy a packed bytes=64KiB\n"
	"window none\n"
	"launch k grid=1 block=1 shared_carveout=0\n"
	"flush\n"
	"reset\n"
	"launch k grid=1 block=1 shared_carveout=100\n"
	"copy far a bytes=1MiB\n";

static void made(struct job *job)
{
	struct error e = {""};

	cr_assert_eq(job_parse(canonical, "f", job, &e), 0, "%s", e.text);
	cr_assert_eq(job_check(job, &e), 0, "%s", e.text);
}

Test(job_steps, text_is_printed_as_it_is_read)
{
	struct job job;
	char *text;

	made(&job);
	text = job_text(&job);
	cr_expect_str_eq(text, canonical);
	cr_expect_eq(job.launches[1].carveout_plus_1, 0);
	cr_expect_eq(job.launches[2].carveout_plus_1, 1);
	free(text);
	job_free(&job);
}

Test(job_steps, a_launch_has_the_last_window_before_it)
{
	struct job job;

	made(&job);
	cr_expect_eq(job_window(&job, 0)->base_bytes, 1 << 20);
	cr_expect_eq(job_window(&job, 1)->buffer, 3);
	cr_expect_null(job_window(&job, 2));
	cr_expect_null(job_window(&job, 3));
	job_free(&job);
}

Test(job_steps, actions_stand_before_their_launch)
{
	static const size_t counts[] = {2, 0, 2, 2, 1};
	struct job job;
	size_t first, i;

	made(&job);
	for (i = 0; i < 5; i++)
		cr_expect_eq(job_steps_before(&job, (uint32_t)i, &first),
			counts[i], "%zu", i);
	job_steps_before(&job, 2, &first);
	cr_expect_eq(job_copies_together(&job, first), 2);
	cr_expect(job_has_step(&job, STEP_RESET));
	cr_expect(job_run_is_flushed(&job, &(struct job_run){3, 0}));
	cr_expect_not(job_run_is_flushed(&job, &(struct job_run){3, 1}));
	cr_expect_not(job_run_is_flushed(&job, &(struct job_run){2, 0}));
	job_free(&job);
}

/* Windows hold nobody up; all else waits until nothing runs. */
Test(job_steps, actions_part_launches_that_go_together)
{
	struct job_run *runs = NULL;
	struct error e = {""};
	struct job job;
	size_t count = 0;

	made(&job);
	cr_assert_eq(job_list_runs(&job, &runs, &count, &e), 0);
	cr_assert_eq(count, 5);
	cr_expect(job_run_is_first(&job, &runs[0]));
	cr_expect_not(job_run_is_first(&job, &runs[1]));
	cr_expect_eq(job_runs_together(&job, runs, count), 3);
	cr_expect_eq(job_runs_together(&job, runs + 3, count - 3), 1);
	free(runs);
	job_free(&job);
}

#define HEAD                                                                   \
	"nearfar-kernel 1\nmodule m\nbuffer a bytes=4KiB\n"                    \
	"buffer h bytes=8KiB memory=host\n"

Test(job_steps, errors_name_line_and_column)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"granularity 48",
			"f:5:1: 'granularity' takes 32, 64 or 128 bytes"},
		{"granularity", "f:5:12: expected a size"},
		{"  window a bytes=8KiB ratio=1",
			"f:5:3: 'window' leaves its buffer"},
		{"window a bytes=4KiB ratio=2",
			"f:5:1: 'window' takes a ratio of 0 to 1"},
		{"window a bytes=4KiB",
			"f:5:1: 'window' takes a ratio of 0 to 1"},
		{"window a ratio=1",
			"f:5:8: expected 'none', or a buffer and bytes= of 1"},
		{"window a bytes=0 ratio=7",
			"f:5:8: expected 'none', or a buffer and bytes= of 1"},
		{"window a bytes=4KiB ratio=1 miss=persisting",
			"f:5:1: 'window' takes miss=normal or miss=streaming"},
		{"window h bytes=4KiB ratio=1",
			"f:5:1: 'window' is over far memory"},
		{"window b bytes=4KiB ratio=1",
			"f:5:8: expected a buffer or 'none', found 'b'"},
		{"buffer none bytes=4KiB\nwindow a bytes=4KiB ratio=1",
			"f:6:1: 'window none' is no window, and a buffer is "
			"called so"},
		{"copy a b bytes=4",
			"f:5:8: expected the buffer to copy to, found 'b'"},
		{"copy a a bytes=4",
			"f:5:1: 'copy' is from a buffer to itself"},
		{"copy a h bytes=8KiB", "f:5:1: 'copy' takes 1 byte or more"},
		{"copy a h bytes=4\nwindow none\ncopy h a bytes=4\n"
		 "reset\ncopy a h bytes=4\n  copy h a bytes=4",
			"f:10:3: 'copy' goes at the same time as a copy"},
		{"buffer b bytes=4\ncopy a h bytes=4\ncopy a b bytes=4\n"
		 "copy h b bytes=4",
			"f:8:1: 'copy' goes at the same time as a copy"},
		{"flush now", "f:5:7: expected the end of the line"},
		{"buffer b bytes=4 memory=managed",
			"f:5:18: expected memory=plain|compressible|peer|host"},
		{"launch k grid=1 block=1 shared_carveout=101",
			"f:5:25: expected"},
	};
	struct error e;
	struct job job;
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), HEAD "%s", rows[i].text);
		e.text[0] = '\0';
		cr_expect_eq(job_parse(text, "f", &job, &e), ERR_USAGE, "%s",
			rows[i].text);
		cr_expect(!strncmp(e.text, rows[i].message,
				  strlen(rows[i].message)),
			"%s: %s", rows[i].text, e.text);
	}
}

Test(job_steps, a_job_made_in_memory_is_checked)
{
	struct error e = {""};
	struct job job;

	made(&job);
	job.steps[2].step.bytes = 8 << 20;
	cr_expect_eq(job_check(&job, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "'window' leaves its buffer");
	job.steps[2].step.bytes = 1 << 20;
	job.steps[5].step.buffer = 2;
	cr_expect_eq(job_check(&job, &e), ERR_USAGE);
	cr_expect(!strncmp(e.text, "'copy' goes at the same time", 28));
	job.steps[5].step.buffer = 0;
	job.buffers[0].peer = 1;
	cr_expect_eq(job_check(&job, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "buffer 'a': peer= belongs to memory=peer");
	job_free(&job);
}
