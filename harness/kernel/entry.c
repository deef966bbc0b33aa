#include <string.h>

#include "harness/kernel/entry.h"

#define IDENTIFIER                                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%."

/* Past blanks, comments and strings, to the next token. */
static const char *skip(const char *at)
{
	const char *end;

	for (;;) {
		at += strspn(at, " \t\r\n");
		if (!strncmp(at, "//", 2)) {
			at += strcspn(at, "\n");
		} else if (!strncmp(at, "/*", 2)) {
			end = strstr(at + 2, "*/");
			at = end ? end + 2 : at + strlen(at);
		} else if (*at == '"') {
			at += 1 + strcspn(at + 1, "\"\n");
			at += *at != '\0';
		} else {
			return at;
		}
	}
}

bool entry_is_in(const char *ptx, const char *name)
{
	const size_t bytes = strlen(name);
	const char *at;
	size_t length;

	for (at = skip(ptx); *at; at = skip(at + (length ? length : 1))) {
		length = strspn(at, IDENTIFIER);
		if (length != 6 || memcmp(at, ".entry", 6))
			continue;
		at = skip(at + length);
		length = strspn(at, IDENTIFIER);
		if (length == bytes && !memcmp(at, name, bytes))
			return true;
	}
	return false;
}
