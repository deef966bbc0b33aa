#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/base/emit.h"
#include "harness/base/file_name.h"

#define LINKS_MAX 40 /* as the kernel */

static char *join(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *joined;

	if (!slash || *name == '/')
		return strdup(name);
	return asprintf(&joined, "%.*s/%s", (int)(slash - path), path, name) < 0
		       ? NULL
		       : joined;
}

char *file_name_follow(const char *path)
{
	char target[PATH_MAX], *at = strdup(path), *next;
	int links = 0;
	ssize_t length;

	while (at) {
		length = readlink(at, target, sizeof(target) - 1);
		if (length < 0)
			return at;
		target[length] = '\0';
		next = ++links > LINKS_MAX ? NULL : join(at, target);
		free(at);
		at = next;
		if (!at)
			errno = links > LINKS_MAX ? ELOOP : ENOMEM;
	}
	return NULL;
}

char *file_name_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* No control characters, and UTF-8. */
static void make_plain(char *text)
{
	const bool utf8 = emit_is_utf8(text);

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f || (c > 0x7f && !utf8))
			*text = '_';
	}
}

char *file_name_label(const char *path)
{
	static const char *const endings[] = {".gz", ".json", ".csv"};
	const char *slash = strrchr(path, '/');
	char *label = strdup(slash ? slash + 1 : path);
	size_t i, length;

	for (i = 0; label && i < sizeof(endings) / sizeof(endings[0]); i++) {
		length = strlen(label);
		if (length > strlen(endings[i]) &&
			!strcmp(label + length - strlen(endings[i]),
				endings[i]))
			label[length - strlen(endings[i])] = '\0';
	}
	if (label)
		make_plain(label);
	return label;
}

char *file_name_random(const char *path)
{
	uint64_t number;
	char name[64];

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return NULL;
	snprintf(name, sizeof(name), ".nearfar-%016" PRIx64 ".tmp", number);
	return join(path, name);
}

int file_name_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	char *end;
	size_t i;
	long number;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) || !path[length])
			continue;
		number = strtol(path + length, &end, 10);
		if (!*end && number >= 0 && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}
