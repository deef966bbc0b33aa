#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file_name.h"
#include "harness/base/output.h"
#include "harness/base/stream.h"

#define COPY_BYTES 65536

static int fail(struct error *error, const char *path)
{
	return error_set(error, ERR_FAILED, "cannot write '%s': %s", path,
		strerror(errno));
}

/* ---- what is written ---- */

static int take(struct output *output, int descriptor)
{
	output->descriptor = descriptor;
	return descriptor < 0 ? -1 : 0;
}

static int open_named(struct output *output)
{
	output->temporary = file_name_random(output->path);
	if (!output->temporary)
		return -1;
	if (!take(output, open(output->temporary,
				  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)))
		return 0;
	free(output->temporary);
	output->temporary = NULL;
	return -1;
}

/* A file without a name is gone if the process is. Some file systems have
   none, and it can get a name only where /proc is. */
static int open_nameless(struct output *output)
{
	char *folder = file_name_folder(output->path);

	if (!folder)
		return -1;
	if (access("/proc/self/fd", X_OK))
		errno = EOPNOTSUPP;
	else
		take(output,
			open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666));
	free(folder);
	if (output->descriptor >= 0)
		return 0;
	return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL
		       ? open_named(output)
		       : -1;
}

/* As the file that is there; without its owner, it is filled again. */
static int keep_mode(const struct output *output)
{
	if (!output->there)
		return 0;
	if (output->old.st_uid != geteuid() || output->old.st_gid != getegid())
		if (fchown(output->descriptor, output->old.st_uid,
			    output->old.st_gid))
			return fchmod(output->descriptor, 0600);
	return fchmod(output->descriptor, output->old.st_mode & 07777);
}

/* What the path stands for, and how it is written. */
static int look(struct output *output, const char *path)
{
	struct stat status;

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	output->path = stat(path, &status) || S_ISREG(status.st_mode)
			       ? file_name_follow(path)
			       : strdup(path);
	if (!output->path)
		return -1;
	output->there = !stat(output->path, &status);
	output->old = status;
	output->direct = output->there && !S_ISREG(output->old.st_mode);
	if (!output->there)
		return 0;
	if (S_ISDIR(output->old.st_mode))
		errno = EISDIR;
	else if (!faccessat(AT_FDCWD, output->path, W_OK, AT_EACCESS))
		return 0;
	return -1;
}

static int open_descriptor(struct output *output, const char *path)
{
	const int number = file_name_descriptor(path);

	if (number >= 0) {
		output->direct = true;
		output->path = strdup(
			number == STDOUT_FILENO ? "standard output" : path);
		return output->path
			       ? take(output, fcntl(number, F_DUPFD_CLOEXEC, 0))
			       : -1;
	}
	if (look(output, path))
		return -1;
	if (output->direct)
		return take(output,
			open(output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC));
	return open_nameless(output) || keep_mode(output) ? -1 : 0;
}

static void release(struct output *output)
{
	if (output->descriptor >= 0)
		close(output->descriptor);
	free(output->path);
	free(output->temporary);
	*output = (struct output){.descriptor = -1};
}

int output_open(struct output *output, const char *path, struct error *error)
{
	*output = (struct output){.descriptor = -1};
	fflush(stdout);
	if (!open_descriptor(output, path) && !stream_open_output(output))
		return 0;
	fail(error, path);
	if (output->temporary)
		unlink(output->temporary);
	release(output);
	return ERR_FAILED;
}

/* ---- the end ---- */

/* Gives what was written the random name, if it has none yet. */
static int name_it(struct output *output)
{
	char link[64];

	if (output->temporary)
		return 0;
	output->temporary = file_name_random(output->path);
	if (!output->temporary)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", output->descriptor);
	if (!linkat(AT_FDCWD, link, AT_FDCWD, output->temporary,
		    AT_SYMLINK_FOLLOW))
		return 0;
	free(output->temporary);
	output->temporary = NULL;
	return -1;
}

static int write_all(int to, const char *bytes, size_t count)
{
	ssize_t wrote;

	for (; count; bytes += wrote, count -= (size_t)wrote) {
		wrote = write(to, bytes, count);
		if (wrote < 0 && errno == EINTR)
			wrote = 0;
		else if (wrote < 0)
			return -1;
	}
	return 0;
}

static int copy(int from, int to)
{
	char bytes[COPY_BYTES];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(from, bytes, sizeof(bytes), at)) > 0) {
		if (write_all(to, bytes, (size_t)got))
			return -1;
		at += got;
	}
	return got < 0 || ftruncate(to, at) || fsync(to) ? -1 : 0;
}

/* The file stays the one that it is. */
static int refill(struct output *output, struct error *error)
{
	const int to = open(output->path, O_WRONLY | O_CLOEXEC);
	int result, reason;

	if (to < 0)
		return fail(error, output->path);
	result = copy(output->descriptor, to);
	reason = errno;
	close(to);
	if (!result) {
		unlink(output->temporary);
		return 0;
	}
	error_set(error, ERR_FAILED,
		"cannot write '%s': %s; its new content is in '%s'",
		output->path, strerror(reason), output->temporary);
	free(output->temporary);
	output->temporary = NULL;
	return ERR_FAILED;
}

/* The new name is on the disk when its folder is. Not every file system can
   be asked. */
static int sync_folder(const char *path)
{
	char *folder = file_name_folder(path);
	int descriptor, result = 0;

	if (!folder)
		return -1;
	descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (descriptor < 0)
		return 0; /* a folder need not be readable */
	if (fsync(descriptor) && errno != EINVAL && errno != EROFS)
		result = -1;
	close(descriptor);
	return result;
}

static bool keeps_file(const struct output *output)
{
	struct stat new;

	if (!output->there)
		return false;
	return output->old.st_nlink > 1 || fstat(output->descriptor, &new) ||
	       new.st_uid != output->old.st_uid ||
	       new.st_gid != output->old.st_gid;
}

static int put_in_place(struct output *output, struct error *error)
{
	if (fsync(output->descriptor) || name_it(output))
		return fail(error, output->path);
	if (keeps_file(output))
		return refill(output, error);
	if (rename(output->temporary, output->path))
		return fail(error, output->path);
	free(output->temporary);
	output->temporary = NULL;
	return sync_folder(output->path) ? fail(error, output->path) : 0;
}

int output_commit(struct output *output, struct error *error)
{
	const bool failed = ferror(output->stream);
	int result = 0;

	errno = EIO;
	if (fclose(output->stream) || failed || output->failure) {
		errno = output->failure ? output->failure : errno;
		result = fail(error, output->path);
	}
	output->stream = NULL;
	if (!result && !output->direct)
		result = put_in_place(output, error);
	if (result && output->temporary)
		unlink(output->temporary);
	release(output);
	return result;
}

void output_abort(struct output *output)
{
	if (output->stream)
		fclose(output->stream);
	if (output->temporary)
		unlink(output->temporary);
	release(output);
}

int output_probe(const char *path, struct error *error)
{
	struct output output = {.descriptor = -1};
	int result = 0;

	if (file_name_descriptor(path) >= 0)
		return 0;
	if (look(&output, path) ||
		(!output.direct &&
			(open_nameless(&output) || keep_mode(&output))))
		result = fail(error, path);
	if (output.temporary)
		unlink(output.temporary);
	release(&output);
	return result;
}
