#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/keep/journal_follow.h"

int journal_follow_open(struct journal_follow *f, const char *path,
	const struct journal_work *work, struct error *error)
{
	*f = (struct journal_follow){.path = strdup(path)};
	if (!f->path)
		return error_set(error, ERR_FAILED,
			"out of memory for the journal '%s'", path);
	return journal_reading_begin(&f->reading, f->path, work, error);
}

/* Opened anew each time: a shared file system then shows what is there. */
int journal_follow_read(struct journal_follow *f, struct error *error)
{
	const int descriptor = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	int code = 0;

	if (descriptor < 0 && errno == ENOENT)
		return 0;
	if (descriptor < 0 || fstat(descriptor, &status))
		code = error_set(error, ERR_FAILED,
			"cannot read the journal '%s': %s", f->path,
			strerror(errno));
	else if (!S_ISREG(status.st_mode))
		code = error_set(error, ERR_USAGE,
			"'%s' is no plain file, as a journal is", f->path);
	else if (status.st_size > f->reading.whole)
		code = journal_reading_go_on(&f->reading, descriptor, error);
	if (descriptor >= 0)
		close(descriptor);
	return code;
}

bool journal_follow_is_written(const struct journal_follow *f)
{
	const int descriptor = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool written;

	if (descriptor < 0)
		return false;
	written = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
	close(descriptor); /* and the lock goes */
	return written;
}

void journal_follow_close(struct journal_follow *f)
{
	journal_reading_end(&f->reading);
	free(f->path);
	*f = (struct journal_follow){0};
}
