#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/emit.h"
#include "harness/base/stream.h"
#include "harness/keep/journal_line.h"
#include "harness/keep/journal_read.h"

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

int journal_reading_begin(struct journal_reading *r, const char *path,
	const struct journal_work *work, struct error *error)
{
	*r = (struct journal_reading){.path = path, .work = work};
	r->header = make_header(work, &r->header_bytes);
	return r->header ? 0
			 : error_set(error, ERR_FAILED,
				   "out of memory for the journal '%s'", path);
}

void journal_reading_end(struct journal_reading *r)
{
	free(r->header);
	r->header = NULL;
}

static int take_record(struct journal_reading *r, const char *record,
	size_t bytes, struct error *error)
{
	int code;

	if (r->lines == 1)
		return bytes == r->header_bytes &&
				       !memcmp(record, r->header, bytes)
			       ? 0
			       : journal_line_refuse(r->path, record, bytes,
					 r->work->schema, r->header, error);
	if (!r->work->resume) {
		r->records++;
		return 0;
	}
	code = r->work->read(r->work->context, record, bytes, error);
	if (code == ERR_USAGE)
		return error_prefix(
			error, code, "%s:%zu: this record ", r->path, r->lines);
	r->records += !code;
	return code;
}

/* What was written when the process ended has no line feed, and is torn. */
static int refuse_line(struct journal_reading *r, const char *line,
	size_t bytes, struct error *error)
{
	if (r->lines == 1 && !journal_line_begins(line, bytes))
		return error_set(error, ERR_USAGE,
			"'%s' is no journal of nearfar, and is left alone",
			r->path);
	if (line[bytes - 1] == '\n')
		return error_set(error, ERR_USAGE,
			"%s:%zu: the journal is damaged here; it is left as it "
			"is",
			r->path, r->lines);
	r->torn = true;
	r->lines--;
	return 0;
}

static int read_lines(struct journal_reading *r, FILE *in, struct error *error)
{
	char *line = NULL;
	size_t capacity = 0, bytes;
	const char *record;
	ssize_t got = 0;
	int code = 0;

	r->torn = false;
	while (!code && !r->torn && (got = getline(&line, &capacity, in)) > 0) {
		r->lines++;
		record =
			journal_line_read(&r->check, line, (size_t)got, &bytes);
		if (!record) {
			code = refuse_line(r, line, (size_t)got, error);
			continue;
		}
		code = take_record(r, record, bytes, error);
		r->whole += got;
	}
	if (!code && got < 0 && !feof(in))
		code = error_set(error, ERR_FAILED,
			"cannot read the journal '%s': %s", r->path,
			strerror(errno));
	free(line);
	return code;
}

int journal_reading_go_on(
	struct journal_reading *r, int descriptor, struct error *error)
{
	const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
	int code;

	if (!in || fseeko(in, r->whole, SEEK_SET)) {
		code = error_set(error, ERR_FAILED,
			"cannot read the journal '%s': %s", r->path,
			strerror(errno));
		if (in)
			fclose(in);
		else if (copy >= 0)
			close(copy);
		return code;
	}
	code = read_lines(r, in, error);
	fclose(in);
	return code;
}
