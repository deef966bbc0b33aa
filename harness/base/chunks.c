#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/base/chunks.h"
#include "harness/base/units.h"

#define CHUNK_BYTES   ((size_t)1 << 16)
#define VALUES_LEAST  ((size_t)1 << 20)
#define VALUES_A_BYTE 64

/* What is known of the size before all is read: 0 of what comes by a pipe. */
static size_t file_bytes(const char *path)
{
	struct stat status;
	const int failed = strcmp(path, "-") ? stat(path, &status)
					     : fstat(STDIN_FILENO, &status);

	return failed || !S_ISREG(status.st_mode) ? 0 : (size_t)status.st_size;
}

int chunks_open(const char *path, size_t most_bytes, bool is_text,
	struct chunks *chunks, struct error *error)
{
	const bool is_file = strcmp(path, "-") != 0;
	struct chunks opened = {.source = is_file ? path : "standard input",
		.is_text = is_text,
		.most_bytes = most_bytes,
		.packed_bytes = file_bytes(path)};
	int descriptor;

	errno = ENOMEM;
	opened.text = malloc(CHUNK_BYTES + 1);
	if (opened.text && is_file)
		opened.file = gzopen(path, "rb");
	if (opened.text && !is_file) {
		descriptor = dup(STDIN_FILENO);
		opened.file = gzdopen(descriptor, "rb");
		if (!opened.file && descriptor >= 0)
			close(descriptor);
	}
	if (!opened.file) {
		free(opened.text);
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			opened.source, strerror(errno));
	}
	*chunks = opened;
	return 0;
}

/* How files of other packers begin, and what unpacks them. */
static const struct packer {
	const char *name, *unpack;
	size_t bytes;
	unsigned char begin[6];
} packers[] = {
	{"xz", "xz -dc", 6, {0xfd, '7', 'z', 'X', 'Z', 0}},
	{"zstd", "zstd -dc", 4, {0x28, 0xb5, 0x2f, 0xfd}},
	{"bzip2", "bzip2 -dc", 3, {'B', 'Z', 'h'}},
	{"lz4", "lz4 -dc", 4, {0x04, 0x22, 0x4d, 0x18}},
	{"zip", "unzip -p", 4, {'P', 'K', 3, 4}},
};

static int check_text(const struct chunks *chunks, struct error *error)
{
	const bool is_first = chunks->total_bytes == chunks->bytes;
	size_t i;

	/* What is not text is as a rule so from its beginning. */
	if (!memchr(chunks->text, 0, chunks->bytes))
		return 0;
	for (i = 0; is_first && i < sizeof(packers) / sizeof(packers[0]); i++)
		if (chunks->bytes >= packers[i].bytes &&
			!memcmp(chunks->text, packers[i].begin,
				packers[i].bytes))
			return error_set(error, ERR_USAGE,
				"'%s' is packed by %s, and only gzip is read: "
				"'%s' unpacks it",
				chunks->source, packers[i].name,
				packers[i].unpack);
	return error_set(error, ERR_USAGE,
		"'%s' has a byte 0, so it is no text", chunks->source);
}

static int check(struct chunks *chunks, int got, struct error *error)
{
	char limit[32];
	int code;

	gzerror(chunks->file, &code);
	if (code == Z_BUF_ERROR || code == Z_DATA_ERROR)
		return error_set(error, ERR_USAGE,
			"'%s' is damaged or cut short", chunks->source);
	if (got < 0)
		return error_set(error, ERR_FAILED, "cannot read '%s': %s",
			chunks->source, strerror(errno));
	if (chunks->total_bytes > chunks->most_bytes) {
		units_format_bytes(chunks->most_bytes, limit, sizeof(limit));
		return error_set(error, ERR_FAILED, "'%s' is larger than %s",
			chunks->source, limit);
	}
	return chunks->is_text ? check_text(chunks, error) : 0;
}

int chunks_next(struct chunks *chunks, struct error *error)
{
	const int got = gzread(chunks->file, chunks->text, CHUNK_BYTES);
	int code;

	chunks->bytes = got > 0 ? (size_t)got : 0;
	chunks->text[chunks->bytes] = '\0';
	chunks->total_bytes += chunks->bytes;
	chunks->is_packed = !gzdirect(chunks->file);
	code = check(chunks, got, error);
	return code ? code : chunks->bytes > 0;
}

int chunks_check_values(
	struct chunks *chunks, const char *separators, struct error *error)
{
	const size_t most = VALUES_LEAST + VALUES_A_BYTE * chunks->packed_bytes;
	size_t i;

	if (!chunks->is_packed)
		return 0;
	for (i = 0; i < chunks->bytes && chunks->values <= most; i++)
		chunks->values += strchr(separators, chunks->text[i]) != NULL;
	if (chunks->values <= most)
		return 0;
	return error_set(error, ERR_USAGE,
		"'%s' holds more than %zu values in %zu bytes of gzip: this is "
		"no measurement",
		chunks->source, most, chunks->packed_bytes);
}

void chunks_close(struct chunks *chunks)
{
	if (chunks->file)
		gzclose(chunks->file);
	free(chunks->text);
	*chunks = (struct chunks){0};
}
