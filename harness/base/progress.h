#ifndef NEARFAR_PROGRESS_H
#define NEARFAR_PROGRESS_H

/*
 * How far a long run is: one line on standard error, redrawn in place, and a
 * last line that stays. Where standard error is no terminal (a log), a line
 * every half minute, so that what is short says nothing. Used by one thread.
 */
#include <stdbool.h>
#include <stddef.h>

struct progress {
	const char *label; /* borrowed */
	size_t total, done;
	double begun_s, drawn_s;
	bool in_place;
};

void progress_start(struct progress *progress, const char *label, size_t total);
void progress_step(struct progress *progress);
void progress_end(struct progress *progress);

/* The line without its control characters, at `elapsed_s` after the start. */
void progress_line(const struct progress *progress, double elapsed_s,
	char *text, size_t bytes);

#endif
