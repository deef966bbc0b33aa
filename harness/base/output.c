#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/output.h"

static int fail(struct error *error, const char *path)
{
	return error_set(error, ERR_FAILED, "cannot write '%s': %s", path,
		strerror(errno));
}

static ssize_t gz_write(void *cookie, const char *data, size_t size)
{
	return gzwrite(cookie, data, (unsigned)size);
}

static int gz_close(void *cookie)
{
	if (gzclose(cookie) == Z_OK)
		return 0;
	errno = EIO;
	return EOF;
}

/* zlib writes no name and a time of 0 unless told otherwise. */
static FILE *open_gzip(int descriptor)
{
	const cookie_io_functions_t functions = {
		.write = gz_write, .close = gz_close};
	gzFile file = gzdopen(descriptor, "wb9");
	FILE *stream;

	if (!file) {
		close(descriptor);
		errno = ENOMEM;
		return NULL;
	}
	stream = fopencookie(file, "w", functions);
	if (!stream)
		gzclose(file);
	return stream;
}

static bool ends_in_gz(const char *path)
{
	const size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

/* A stream on a duplicate of the descriptor: closing it leaves the
   descriptor for the sync. */
static int open_stream(struct output *output)
{
	const int copy = dup(output->descriptor);

	if (copy < 0)
		return -1;
	output->stream =
		ends_in_gz(output->path) ? open_gzip(copy) : fdopen(copy, "w");
	return output->stream ? 0 : -1;
}

/* What a link points to is replaced, not the link. */
static char *resolve(const char *path)
{
	char *resolved = realpath(path, NULL);

	return resolved ? resolved : strdup(path);
}

static int open_descriptor(struct output *output, const char *path)
{
	struct stat status;

	if (!strcmp(path, "-")) {
		output->path = strdup("standard output");
		output->descriptor = dup(STDOUT_FILENO);
		return output->path && output->descriptor >= 0 ? 0 : -1;
	}
	output->path = resolve(path);
	if (!output->path)
		return -1;
	if (!stat(output->path, &status) && !S_ISREG(status.st_mode)) {
		output->descriptor = open(output->path, O_WRONLY | O_CLOEXEC);
		return output->descriptor < 0 ? -1 : 0;
	}
	if (asprintf(&output->temporary, "%s.%ld.tmp", output->path,
		    (long)getpid()) < 0) {
		output->temporary = NULL;
		return -1;
	}
	output->descriptor = open(output->temporary,
		O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	return output->descriptor < 0 ? -1 : 0;
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
	if (!open_descriptor(output, path) && !open_stream(output))
		return 0;
	fail(error, path);
	if (output->temporary && output->descriptor >= 0)
		unlink(output->temporary);
	release(output);
	return ERR_FAILED;
}

int output_commit(struct output *output, struct error *error)
{
	const bool failed = ferror(output->stream);
	int result = 0;

	errno = EIO;
	if (fclose(output->stream) || failed)
		result = fail(error, output->path);
	output->stream = NULL;
	if (!result && output->temporary &&
		(fsync(output->descriptor) ||
			rename(output->temporary, output->path)))
		result = fail(error, output->path);
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
