#ifndef NEARFAR_JOURNAL_FOLLOW_H
#define NEARFAR_JOURNAL_FOLLOW_H

/*
 * A journal (journal.h) that another process writes, read as it grows:
 *
 *   journal_follow_open -> journal_follow_read, as often as one likes ->
 *   journal_follow_close
 *
 * A journal that is not there yet has no records. The process that writes it
 * may end and be started again; a line that it left torn is not read.
 */
#include "harness/keep/journal_read.h"

struct journal_follow {
	char *path;
	struct journal_reading reading;
};

/* `work` has `resume`, and outlives the follower. ERR_FAILED without memory. */
int journal_follow_open(struct journal_follow *f, const char *path,
	const struct journal_work *work, struct error *error);

/* Gives the records that are new to work->read. The errors of journal_open,
   but that of a lock. */
int journal_follow_read(struct journal_follow *f, struct error *error);

/* Whether a process has the journal open for writing; true where the file
   system has no locks. */
bool journal_follow_is_written(const struct journal_follow *f);

void journal_follow_close(struct journal_follow *f);

#endif
