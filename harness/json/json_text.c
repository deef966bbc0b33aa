#include <errno.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdlib.h>

#include "harness/base/stream.h"
#include "harness/json/json_text.h"

/* Before each block of jansson's: a ring of those that a text has made until
   now, so that the jump can free them; later each is a ring of its own. */
struct block {
	alignas(max_align_t) struct block *next;
	struct block *before;
};

struct reading {
	jmp_buf no_memory;
	struct block made;
};

static _Thread_local struct reading *reading;

static void *take(size_t bytes)
{
	struct block *b = malloc(sizeof(*b) + bytes);

	if (!b && reading)
		longjmp(reading->no_memory, 1);
	if (!b)
		return NULL;
	b->next = b->before = b;
	if (reading) {
		b->next = reading->made.next;
		b->before = &reading->made;
		b->next->before = b->before->next = b;
	}
	return b + 1;
}

static void give(void *memory)
{
	struct block *b = memory;

	if (!b)
		return;
	b--;
	b->before->next = b->next;
	b->next->before = b->before;
	free(b);
}

void json_text_begin(void)
{
	json_set_alloc_funcs(take, give);
}

json_t *json_text_read(
	const char *text, size_t bytes, size_t flags, json_error_t *where)
{
	struct reading own;
	struct block *b, *next;
	json_t *value;

	own.made.next = own.made.before = &own.made;
	reading = &own;
	if (setjmp(own.no_memory)) {
		reading = NULL;
		for (b = own.made.next; b != &own.made; b = next) {
			next = b->next;
			free(b);
		}
		errno = ENOMEM;
		return NULL;
	}
	value = json_loadb(text, bytes, flags, where);
	reading = NULL;
	for (b = own.made.next; b != &own.made; b = next) {
		next = b->next;
		b->next = b->before = b;
	}
	return value;
}

char *json_text_write(const json_t *value, size_t flags)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	if (json_dumpf(value, out, flags))
		stream_fail(out);
	if (ferror(out)) {
		fclose(out);
		free(text);
		return NULL;
	}
	return fclose(out) ? NULL : text;
}
