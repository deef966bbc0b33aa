#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

static int add(struct entries *e, const char *text, size_t bytes)
{
	struct entry_name *grown = e->items;

	/* Twice as many at each power of two. */
	if (!(e->count & (e->count - 1)))
		grown = realloc(grown, (e->count * 2 + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	e->items = grown;
	e->items[e->count++] = (struct entry_name){text, bytes};
	return 0;
}

static int by_name(const void *left, const void *right)
{
	const struct entry_name *a = left, *b = right;
	const size_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
	const int order = memcmp(a->text, b->text, least);

	return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

int entries_read(struct entries *e, const char *ptx)
{
	const char *at = skip(ptx), *token;
	size_t length;
	int code = 0;

	*e = (struct entries){0};
	while (!code && *at) {
		token = at;
		length = strspn(token, IDENTIFIER);
		at = skip(token + (length ? length : 1));
		if (length == 6 && !memcmp(token, ".entry", 6) &&
			strspn(at, IDENTIFIER))
			code = add(e, at, strspn(at, IDENTIFIER));
	}
	if (e->count)
		qsort(e->items, e->count, sizeof(*e->items), by_name);
	return code;
}

void entries_free(struct entries *e)
{
	free(e->items);
	*e = (struct entries){0};
}

bool entries_have(const struct entries *e, const char *name)
{
	const struct entry_name wanted = {name, strlen(name)};

	return e->count &&
	       bsearch(&wanted, e->items, e->count, sizeof(*e->items), by_name);
}

/* ---- in words ---- */

/* What is left of a mangled name, and of the room for the plain one. */
struct plain {
	const char *at, *end;
	char *name;
	size_t length, bytes;
};

static bool put(struct plain *p, const char *text, size_t length)
{
	if (p->length + length >= p->bytes)
		return false;
	memcpy(p->name + p->length, text, length);
	p->length += length;
	p->name[p->length] = '\0';
	return true;
}

/* `5triad` */
static bool put_source_name(struct plain *p)
{
	size_t length = 0;

	while (p->at < p->end && isdigit((unsigned char)*p->at) &&
		length < 4096)
		length = length * 10 + (size_t)(*p->at++ - '0');
	if (!length || (size_t)(p->end - p->at) < length)
		return false;
	p->at += length;
	/* What has no name, as a namespace, is called so by compilers. */
	if (length > 8 && !memcmp(p->at - length, "_GLOBAL_", 8))
		return put(p, "(anonymous)", 11);
	return put(p, p->at - length, length);
}

bool entry_plain_name(
	const char *mangled, size_t mangled_bytes, char *name, size_t bytes)
{
	struct plain p = {mangled + 2, mangled + mangled_bytes, name, 0, bytes};
	bool nested;

	if (mangled_bytes < 4 || memcmp(mangled, "_Z", 2) || !bytes)
		return false;
	nested = *p.at == 'N';
	p.at += nested;
	do {
		if ((p.length && !put(&p, "::", 2)) || !put_source_name(&p))
			return false;
	} while (nested && p.at < p.end && isdigit((unsigned char)*p.at));
	if (p.at == p.end || (*p.at == 'E' && nested))
		return nested;
	if (*p.at == 'I')
		return put(&p, "<...>", 5);
	return !nested;
}

void entries_words(const struct entries *e, char *words, size_t bytes)
{
	size_t length = 0, i;

	words[0] = '\0';
	for (i = 0; i < e->count; i++) {
		const struct entry_name *n = &e->items[i];
		char plain[128], one[320];
		const bool is_plain = entry_plain_name(
			n->text, n->bytes, plain, sizeof(plain));
		const int more = snprintf(one, sizeof(one), "%s'%.*s'%s%s%s",
			i ? ", " : "", n->bytes < 128 ? (int)n->bytes : 128,
			n->text, is_plain ? " (" : "", is_plain ? plain : "",
			is_plain ? ")" : "");

		/* Room for how many are left, too. */
		if (length + (size_t)more + 32 >= bytes)
			break;
		memcpy(words + length, one, (size_t)more + 1);
		length += (size_t)more;
	}
	if (i < e->count)
		snprintf(words + length, bytes - length, "%s%zu more",
			i ? " and " : "", e->count - i);
}
