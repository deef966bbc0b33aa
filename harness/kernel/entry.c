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
	const char *at = skip(ptx), *token;
	size_t length;

	while (*at) {
		token = at;
		length = strspn(token, IDENTIFIER);
		at = skip(token + (length ? length : 1));
		if (length == 6 && !memcmp(token, ".entry", 6) &&
			strspn(at, IDENTIFIER) == bytes &&
			!memcmp(at, name, bytes))
			return true;
	}
	return false;
}
