#ifndef NEARFAR_JOURNAL_H
#define NEARFAR_JOURNAL_H

/*
 * A journal: a file of what is finished, each record on the disk before the
 * next one begins. One record is one line,
 *
 *   {"check": "XXXXXXXX", "record": RECORD}
 *
 * where RECORD is JSON without line feeds, and the check is zlib's CRC-32 of
 * it, begun with the check of the line before (the first: 0), so that lines
 * that are lost, doubled or moved show. The first record is the header: a
 * schema and the facts of the work, among them the build of the program. A
 * journal goes on only with the same work.
 *
 * The last line may be torn by the end of the process: it has no line feed, and
 * is dropped. Any other line that is damaged makes the journal an error, as
 * does anything that is no journal: nothing of it is touched. While a journal
 * is open, nobody else can open it.
 *
 *   journal_open -> journal_append, by one thread at a time ->
 *   journal_close, which keeps the file, or journal_remove
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/base/error.h"
#include "harness/base/facts.h"

#define JOURNAL_WORDS_BYTES 512

struct journal {
	char *path;
	int descriptor; /* locked; -1: closed */
	uint32_t check; /* of the last line */
	off_t bytes;    /* of all whole lines */
	bool broken;    /* what is behind them could not be taken back */
	size_t records; /* without the header */
	char words[JOURNAL_WORDS_BYTES]; /* a sentence that the user should
					    read, or "" */
};

struct journal_work {
	const char *schema;        /* "nearfar-run-journal/1" */
	const struct facts *facts; /* what must be equal */
	bool resume;        /* else a journal that has records is refused */
	const char *option; /* by which the user resumes: "--resume" */
	/* Takes a record that was read; the error of a record that it does not
	   like is ERR_USAGE with the rest of a sentence, "is ...". */
	int (*read)(void *context, const char *record, size_t bytes,
		struct error *error);
	void *context;
};

/* ERR_USAGE for a file that is no journal, is damaged, belongs to other work
   or holds what `resume` would go on with; ERR_FAILED where it cannot be
   written or is being written by somebody else. */
int journal_open(struct journal *journal, const char *path,
	const struct journal_work *work, struct error *error);

/* On the disk when it returns 0. ERR_FAILED. */
int journal_append(struct journal *journal, const char *record, size_t bytes,
	struct error *error);

/* A journal without records is removed. A zeroed or closed journal is left as
   it is. */
void journal_close(struct journal *journal);
void journal_remove(struct journal *journal);

#endif
