#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/keep/journal.h"
#include "harness/keep/journal_line.h"
#include "harness/keep/journal_read.h"

#define LOCK_TRIES    20
#define LOCK_PAUSE_NS 5000000

static int fail(const struct journal *j, struct error *error)
{
	return error_set(error, ERR_FAILED, "cannot write the journal '%s': %s",
		j->path, strerror(errno));
}

/* ---- the file ---- */

/* Whether the path still is the file that is open: who was done with it has
   removed it. */
static bool is_at_path(const struct journal *j)
{
	struct stat open, there;

	return !fstat(j->descriptor, &open) && !stat(j->path, &there) &&
	       open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/* A follower (journal_follow.h) that looks whether the journal is being written
   has its lock for an instant. */
static int try_lock(const struct journal *j)
{
	const struct timespec pause = {0, LOCK_PAUSE_NS};
	int tries = LOCK_TRIES, failed;

	while ((failed = flock(j->descriptor, LOCK_EX | LOCK_NB)) &&
		errno == EWOULDBLOCK && --tries)
		nanosleep(&pause, NULL);
	return failed;
}

/* Where a file system has no locks nothing can be done but to say so. */
static int lock(struct journal *j, struct error *error)
{
	if (!try_lock(j))
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(error, ERR_FAILED,
			"the journal '%s' is being written by another nearfar",
			j->path);
	if (errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP)
		return fail(j, error);
	snprintf(j->words, sizeof(j->words),
		"the journal '%s' cannot be locked where it is: let no other "
		"nearfar write it",
		j->path);
	return 0;
}

static int open_locked(struct journal *j, struct error *error)
{
	struct stat status;
	int code;

	do {
		if (j->descriptor >= 0)
			close(j->descriptor);
		j->descriptor =
			open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (j->descriptor < 0 || fstat(j->descriptor, &status))
			return fail(j, error);
		if (!S_ISREG(status.st_mode))
			return error_set(error, ERR_USAGE,
				"'%s' is no plain file, as a journal is",
				j->path);
		code = lock(j, error);
	} while (!code && !is_at_path(j));
	return code;
}

static int write_all(const struct journal *j, const char *bytes, size_t count)
{
	ssize_t wrote;

	for (; count; bytes += wrote, count -= (size_t)wrote) {
		wrote = write(j->descriptor, bytes, count);
		if (wrote < 0 && errno == EINTR)
			wrote = 0;
		else if (wrote < 0)
			return -1;
	}
	return fdatasync(j->descriptor);
}

/* A line that is not on the disk goes: what follows would not follow on it. */
static void take_back(struct journal *j)
{
	j->broken = ftruncate(j->descriptor, j->bytes) ||
		    lseek(j->descriptor, j->bytes, SEEK_SET) < 0;
}

static int put_line(struct journal *j, const char *record, size_t bytes,
	struct error *error)
{
	uint32_t check = j->check;
	char *line = journal_line_make(&check, record, bytes);
	int code = 0;

	if (!line)
		return error_set(error, ERR_FAILED,
			"out of memory for the journal '%s'", j->path);
	errno = EIO;
	if (j->broken || write_all(j, line, bytes + JOURNAL_LINE_BYTES)) {
		code = fail(j, error);
		take_back(j);
	} else {
		j->check = check;
		j->bytes += (off_t)(bytes + JOURNAL_LINE_BYTES);
	}
	free(line);
	return code;
}

int journal_append(struct journal *j, const char *record, size_t bytes,
	struct error *error)
{
	int code = put_line(j, record, bytes, error);

	j->records += !code;
	return code;
}

/* ---- reading ---- */

static int read_journal(
	struct journal *j, struct journal_reading *r, struct error *error)
{
	int code = journal_reading_go_on(r, j->descriptor, error);

	j->check = r->check;
	j->records = r->records;
	if (code)
		return code;
	if (r->torn)
		snprintf(j->words, sizeof(j->words),
			"the last line of the journal '%s' was torn when its "
			"process ended, and is dropped",
			j->path);
	if (!j->records || r->work->resume)
		return 0;
	return error_set(error, ERR_USAGE,
		"the journal '%s' holds %zu finished points of an earlier run: "
		"%s goes on with it; without it, remove it",
		j->path, j->records, r->work->option);
}

/* The tail, and a header without records, go: what follows is appended. */
static int begin_writing(
	struct journal *j, const struct journal_reading *r, struct error *error)
{
	j->bytes = j->records ? r->whole : 0;
	if (!j->records)
		j->check = 0;
	if (ftruncate(j->descriptor, j->bytes) ||
		lseek(j->descriptor, j->bytes, SEEK_SET) < 0)
		return fail(j, error);
	return j->bytes ? 0 : put_line(j, r->header, r->header_bytes, error);
}

int journal_open(struct journal *j, const char *path,
	const struct journal_work *work, struct error *error)
{
	struct journal_reading r = {0};
	int code;

	*j = (struct journal){.path = strdup(path), .descriptor = -1};
	code = j->path ? journal_reading_begin(&r, j->path, work, error)
		       : error_set(error, ERR_FAILED,
				 "out of memory for the journal '%s'", path);
	if (!code)
		code = open_locked(j, error);
	if (!code)
		code = read_journal(j, &r, error);
	if (!code)
		code = begin_writing(j, &r, error);
	journal_reading_end(&r);
	if (code) {
		if (j->descriptor >= 0)
			close(j->descriptor);
		free(j->path);
		*j = (struct journal){.descriptor = -1};
	}
	return code;
}

/* ---- the end ---- */

static void end(struct journal *j, bool remove)
{
	if (!j->path)
		return;
	if (remove)
		unlink(j->path);
	close(j->descriptor);
	free(j->path);
	*j = (struct journal){.descriptor = -1};
}

void journal_close(struct journal *j)
{
	end(j, !j->records);
}

void journal_remove(struct journal *j)
{
	end(j, true);
}
