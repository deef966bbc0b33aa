#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/stream.h"

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

int stream_open_output(struct output *output)
{
	const cookie_io_functions_t functions = {.write = plain_write};

	output->stream = ends_in_gz(output->path)
				 ? open_gzip(output)
				 : fopencookie(output, "w", functions);
	return output->stream ? 0 : -1;
}

/* ---- memory ---- */

#define TEXT_FIRST_BYTES 256

struct text {
	char *text, **to;
	size_t bytes, capacity, *bytes_to;
	bool failed;
};

static int make_room(struct text *t, size_t bytes)
{
	size_t capacity = t->capacity ? t->capacity : TEXT_FIRST_BYTES;
	char *larger;

	while (capacity <= bytes)
		capacity *= 2;
	if (capacity == t->capacity)
		return 0;
	larger = realloc(t->text, capacity);
	if (!larger)
		return -1;
	t->text = larger;
	t->capacity = capacity;
	return 0;
}

static ssize_t text_write(void *cookie, const char *data, size_t size)
{
	struct text *t = cookie;

	if (t->failed || make_room(t, t->bytes + size)) {
		t->failed = true;
		return 0;
	}
	memcpy(t->text + t->bytes, data, size);
	t->bytes += size;
	return (ssize_t)size;
}

static int text_close(void *cookie)
{
	struct text *t = cookie;
	bool failed;

	if (!t->failed && make_room(t, t->bytes))
		t->failed = true;
	failed = t->failed;
	if (failed)
		free(t->text);
	else
		t->text[t->bytes] = '\0';
	*t->to = failed ? NULL : t->text;
	*t->bytes_to = failed ? 0 : t->bytes;
	free(t);
	return failed ? EOF : 0;
}

FILE *stream_open_text(char **text, size_t *bytes)
{
	const cookie_io_functions_t functions = {
		.write = text_write, .close = text_close};
	struct text *t = calloc(1, sizeof(*t));
	FILE *stream;

	*text = NULL;
	*bytes = 0;
	if (!t)
		return NULL;
	t->to = text;
	t->bytes_to = bytes;
	stream = fopencookie(t, "w", functions);
	if (!stream)
		free(t);
	return stream;
}

/* Reading from a stream that is written is how POSIX lets an error be set. */
void stream_fail(FILE *out)
{
	(void)getc(out);
	errno = ENOMEM;
}
