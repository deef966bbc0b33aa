#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/keep/journal.h"
#include "harness/keep/journal_line.h"

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

/* Where a file system has no locks nothing can be done but to say so. */
static int lock(struct journal *j, struct error *error)
{
	if (!flock(j->descriptor, LOCK_EX | LOCK_NB))
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

/* ---- the header ---- */

static char *make_header(const struct journal_work *work, size_t *bytes)
{
	char *text = NULL;
	FILE *out = stream_open_text(&text, bytes);
	bool failed;

	if (!out)
		return NULL;
	fprintf(out, "{\"schema\": \"%s\", \"work\": ", work->schema);
	emit_json_facts(out, work->facts, " ");
	fputc('}', out);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

/* ---- reading ---- */

struct reading {
	struct journal *journal;
	const struct journal_work *work;
	const char *header;
	size_t header_bytes, lines;
	off_t whole; /* bytes that are whole lines */
};

static int take_record(struct reading *r, const char *record, size_t bytes,
	struct error *error)
{
	int code;

	if (r->lines == 1)
		return bytes == r->header_bytes &&
				       !memcmp(record, r->header, bytes)
			       ? 0
			       : journal_line_refuse(r->journal->path, record,
					 bytes, r->work->schema, r->header,
					 error);
	if (!r->work->resume) {
		r->journal->records++;
		return 0;
	}
	code = r->work->read(r->work->context, record, bytes, error);
	if (code == ERR_USAGE)
		return error_prefix(error, code, "%s:%zu: this record ",
			r->journal->path, r->lines);
	r->journal->records += !code;
	return code;
}

/* What was written when the process ended has no line feed, and is torn. */
static int refuse_line(
	struct reading *r, const char *line, size_t bytes, struct error *error)
{
	struct journal *j = r->journal;

	if (r->lines == 1 && !journal_line_begins(line, bytes))
		return error_set(error, ERR_USAGE,
			"'%s' is no journal of nearfar, and is left alone",
			j->path);
	if (line[bytes - 1] == '\n')
		return error_set(error, ERR_USAGE,
			"%s:%zu: the journal is damaged here; it is left as it "
			"is",
			j->path, r->lines);
	snprintf(j->words, sizeof(j->words),
		"the last line of the journal '%s' was torn when its process "
		"ended, and is dropped",
		j->path);
	return 0;
}

static int read_lines(struct reading *r, FILE *in, struct error *error)
{
	struct journal *j = r->journal;
	char *line = NULL;
	size_t capacity = 0, bytes;
	const char *record;
	ssize_t got = 0;
	int code = 0;

	while (!code && (got = getline(&line, &capacity, in)) > 0) {
		const off_t end = r->whole + got;

		r->lines++;
		record =
			journal_line_read(&j->check, line, (size_t)got, &bytes);
		if (record) {
			code = take_record(r, record, bytes, error);
			r->whole = end;
		} else {
			code = refuse_line(r, line, (size_t)got, error);
			break;
		}
	}
	if (!code && got < 0 && !feof(in))
		code = error_set(error, ERR_FAILED,
			"cannot read the journal '%s': %s", j->path,
			strerror(errno));
	free(line);
	return code;
}

static int read_journal(struct reading *r, struct error *error)
{
	struct journal *j = r->journal;
	const int copy = fcntl(j->descriptor, F_DUPFD_CLOEXEC, 0);
	FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
	int code;

	if (!in) {
		if (copy >= 0)
			close(copy);
		return fail(j, error);
	}
	code = read_lines(r, in, error);
	fclose(in);
	if (!code && j->records && !r->work->resume)
		code = error_set(error, ERR_USAGE,
			"the journal '%s' holds %zu finished points of an "
			"earlier run: --resume goes on with it; without it, "
			"remove it",
			j->path, j->records);
	return code;
}

/* The tail, and a header without records, go: what follows is appended. */
static int begin_writing(struct reading *r, struct error *error)
{
	struct journal *j = r->journal;

	if (!j->records) {
		r->whole = 0;
		j->check = 0;
	}
	if (ftruncate(j->descriptor, r->whole) ||
		lseek(j->descriptor, r->whole, SEEK_SET) < 0)
		return fail(j, error);
	j->bytes = r->whole;
	return r->whole ? 0 : put_line(j, r->header, r->header_bytes, error);
}

int journal_open(struct journal *j, const char *path,
	const struct journal_work *work, struct error *error)
{
	struct reading r = {.journal = j, .work = work};
	char *header = make_header(work, &r.header_bytes);
	int code;

	*j = (struct journal){.path = strdup(path), .descriptor = -1};
	r.header = header;
	code = header && j->path
		       ? open_locked(j, error)
		       : error_set(error, ERR_FAILED,
				 "out of memory for the journal '%s'", path);
	if (!code)
		code = read_journal(&r, error);
	if (!code)
		code = begin_writing(&r, error);
	free(header);
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
