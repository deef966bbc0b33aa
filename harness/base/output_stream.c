#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/output_stream.h"

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/* Why a write failed is known here only: the stream tells no more than that
   one did. */
static int note_failure(struct output *output)
{
	if (!output->failure)
		output->failure = errno ? errno : EIO;
	return -1;
}

static ssize_t plain_write(void *cookie, const char *data, size_t size)
{
	struct output *output = cookie;
	size_t done = 0;
	ssize_t wrote;

	while (done < size) {
		wrote = write(output->descriptor, data + done, size - done);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0) {
			note_failure(output);
			break;
		}
		done += (size_t)wrote;
	}
	return (ssize_t)done;
}

struct gzip {
	gzFile file;
	struct output *output;
};

static ssize_t gz_write(void *cookie, const char *data, size_t size)
{
	struct gzip *gzip = cookie;
	int wrote;

	errno = 0;
	wrote = gzwrite(gzip->file, data, (unsigned)size);
	if (wrote <= 0)
		note_failure(gzip->output);
	return wrote;
}

static int gz_close(void *cookie)
{
	struct gzip *gzip = cookie;
	int result;

	errno = 0;
	result = gzclose(gzip->file) == Z_OK ? 0 : note_failure(gzip->output);
	free(gzip);
	return result;
}

/* zlib writes no name and a time of 0 unless told otherwise. It closes the
   descriptor that it has, so it gets another. */
static FILE *open_gzip(struct output *output)
{
	const cookie_io_functions_t functions = {
		.write = gz_write, .close = gz_close};
	struct gzip *gzip = malloc(sizeof(*gzip));
	int copy = gzip ? fcntl(output->descriptor, F_DUPFD_CLOEXEC, 0) : -1;
	FILE *stream;

	if (copy < 0) {
		free(gzip);
		return gzip ? NULL : no_memory();
	}
	*gzip = (struct gzip){gzdopen(copy, "wb9"), output};
	if (!gzip->file) {
		close(copy);
		free(gzip);
		return no_memory();
	}
	stream = fopencookie(gzip, "w", functions);
	if (!stream) {
		gzclose(gzip->file);
		free(gzip);
	}
	return stream;
}

static bool ends_in_gz(const char *path)
{
	const size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

int output_stream_open(struct output *output)
{
	const cookie_io_functions_t functions = {.write = plain_write};

	output->stream = ends_in_gz(output->path)
				 ? open_gzip(output)
				 : fopencookie(output, "w", functions);
	return output->stream ? 0 : -1;
}
