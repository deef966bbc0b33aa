/* Profiles as files: which format, and whether a file is one. */
#include <string.h>
#include <zlib.h>

#include "harness/base/output.h"
#include "harness/profile/profile.h"

#define PROFILE_FAMILY  "nearfar-profile/"
#define BEGINNING_BYTES 64

static const struct {
	const char *ending;
	int (*put)(const struct profile_list *list, FILE *out);
} formats[] = {
#define PROFILE_FORMAT_ROW(name, text, ending, put) {ending, put},
	PROFILE_FORMATS(PROFILE_FORMAT_ROW)
#undef PROFILE_FORMAT_ROW
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(*formats))

/* The row of `formats`, or FORMAT_COUNT. */
static size_t format_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name), i;

	if (length > 3 && !strcmp(name + length - 3, ".gz"))
		length -= 3;
	if (!memchr(name, '.', length))
		return 0;
	for (i = 0; i < FORMAT_COUNT; i++) {
		size_t ending = strlen(formats[i].ending);

		if (ending <= length && !strncmp(name + length - ending,
						formats[i].ending, ending))
			break;
	}
	return i;
}

int profile_check_path(const char *path, struct error *error)
{
	if (format_of(path) < FORMAT_COUNT)
		return 0;
	return error_set(error, ERR_USAGE,
		"--profile: '%s' ends in none of .txt .json .csv .md (with .gz "
		"or without)",
		path);
}

int profile_write_file(
	const struct profile_list *list, const char *path, struct error *error)
{
	struct output output;
	int code = output_open(&output, path, error);

	if (code)
		return code;
	if (!formats[format_of(path)].put(list, output.stream))
		return output_commit(&output, error);
	output_abort(&output);
	return error_set(error, ERR_FAILED, "out of memory");
}

bool profile_detect(const char *path)
{
	char text[BEGINNING_BYTES + 1];
	gzFile in = strcmp(path, "-") ? gzopen(path, "rb") : NULL;
	int length = in ? gzread(in, text, BEGINNING_BYTES) : 0;

	if (in)
		gzclose_r(in);
	text[length > 0 ? length : 0] = '\0';
	return strstr(text, "\"" PROFILE_FAMILY) != NULL;
}
