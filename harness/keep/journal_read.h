#ifndef NEARFAR_JOURNAL_READ_H
#define NEARFAR_JOURNAL_READ_H

/* The lines of a journal (journal.h), read one after the other. */
#include "harness/keep/journal.h"

struct journal_reading {
	const char *path;
	const struct journal_work *work;
	char *header; /* of that work; owned */
	size_t header_bytes;
	uint32_t check;        /* of the last whole line */
	off_t whole;           /* bytes that are whole lines */
	size_t lines, records; /* whole ones; records without the header */
	bool torn;             /* what is behind them has no line feed */
};

/* Without memory, ERR_FAILED. */
int journal_reading_begin(struct journal_reading *r, const char *path,
	const struct journal_work *work, struct error *error);
void journal_reading_end(struct journal_reading *r);

/* Takes the whole lines from where the last call ended. ERR_USAGE for a line
   that is damaged, a header of other work, and a record that work->read does
   not like. */
int journal_reading_go_on(
	struct journal_reading *r, int descriptor, struct error *error);

#endif
