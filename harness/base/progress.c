#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/progress.h"

#define BAR_CELLS      24
#define REDRAW_SECONDS 0.1
#define LOG_SECONDS    30.0
#define LINE_BYTES     160

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void format_time(double seconds, char *text, size_t bytes)
{
	const unsigned long whole = (unsigned long)(seconds + 0.5);

	if (whole < 60)
		snprintf(text, bytes, "%lu s", whole);
	else if (whole < 3600)
		snprintf(text, bytes, "%lu:%02lu min", whole / 60, whole % 60);
	else
		snprintf(text, bytes, "%lu:%02lu h", whole / 3600,
			whole % 3600 / 60);
}

void progress_line(const struct progress *progress, double elapsed_s,
	char *text, size_t bytes)
{
	const double rate =
		elapsed_s > 0 ? (double)progress->done / elapsed_s : 0;
	const size_t left = progress->total - progress->done;
	const size_t filled =
		progress->total ? progress->done * BAR_CELLS / progress->total
				: BAR_CELLS;
	char bar[BAR_CELLS + 1], time[32] = "?", parts[64] = "";

	memset(bar, ' ', BAR_CELLS);
	memset(bar, '=', filled);
	bar[BAR_CELLS] = '\0';
	if (!left)
		format_time(elapsed_s, time, sizeof(time));
	else if (rate > 0)
		format_time((double)left / rate, time, sizeof(time));
	if (left && progress->parts)
		snprintf(parts, sizeof(parts), ", %s %" PRIu64 "/%" PRIu64,
			progress->parts_name, progress->parts_done,
			progress->parts);
	snprintf(text, bytes, "%s [%s] %zu/%zu%s, %.3g/s, %s %s",
		progress->label, bar, progress->done, progress->total, parts,
		rate, time, left ? "left" : "in all");
}

static void draw(struct progress *progress, double time_s)
{
	char line[LINE_BYTES];

	progress_line(progress, time_s - progress->begun_s, line, sizeof(line));
	fprintf(stderr, progress->in_place ? "\r\033[K%s" : "%s\n", line);
	fflush(stderr);
	progress->drawn_s = time_s;
}

void progress_start(struct progress *progress, const char *label, size_t total)
{
	const double time_s = now_s();

	*progress = (struct progress){.label = label,
		.total = total,
		.begun_s = time_s,
		.drawn_s = time_s,
		.in_place = isatty(STDERR_FILENO) == 1};
	if (progress->in_place)
		draw(progress, time_s);
}

static void draw_in_time(struct progress *progress)
{
	const double time_s = now_s();

	if (time_s - progress->drawn_s >=
		(progress->in_place ? REDRAW_SECONDS : LOG_SECONDS))
		draw(progress, time_s);
}

void progress_step(struct progress *progress)
{
	if (progress->done < progress->total)
		progress->done++;
	draw_in_time(progress);
}

void progress_within(struct progress *progress, const char *name, uint64_t done,
	uint64_t total)
{
	if (done == progress->parts_done && total == progress->parts)
		return;
	progress->parts_name = name;
	progress->parts_done = done;
	progress->parts = total;
	draw_in_time(progress);
}

void progress_end(struct progress *progress)
{
	if (!progress->in_place)
		return;
	draw(progress, now_s());
	fputc('\n', stderr);
	progress->in_place = false;
}
