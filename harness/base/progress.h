#ifndef NEARFAR_PROGRESS_H
#define NEARFAR_PROGRESS_H

/*
 * How far a long run is: one line on standard error, redrawn in place, and a
 * last line that stays. Where standard error is no terminal (a log), a line
 * every half minute, so that what is short says nothing. Used by one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *label; /* borrowed */
	size_t total, done;
	uint64_t parts, parts_done; /* of the steps under way */
	const char *parts_name;     /* borrowed; NULL: not known */
	double begun_s, drawn_s;
	bool in_place;
};

void progress_start(struct progress *progress, const char *label, size_t total);
void progress_step(struct progress *progress);
/* How far the steps under way are: "blocks", 12 of 528. Draws where it is
   time to. */
void progress_within(struct progress *progress, const char *name, uint64_t done,
	uint64_t total);
void progress_end(struct progress *progress);

/* The line without its control characters, at `elapsed_s` after the start. */
void progress_line(const struct progress *progress, double elapsed_s,
	char *text, size_t bytes);

#endif
