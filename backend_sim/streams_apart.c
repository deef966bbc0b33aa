#include "backend_sim/streams_apart.h"

#include <stdlib.h>

#define PAGE_SHIFT 16u
#define PAGE_WORDS (1u << (PAGE_SHIFT - 2))

/* run: index + 1; 0: none. */
struct apart_seen {
	uint32_t run, line;
};

struct apart_word {
	struct apart_seen wrote, read[2];
};

_Static_assert(sizeof(struct apart_word) == 24, "as the header says");

struct apart {
	struct apart_word **pages; /* owned */
	uint64_t count;
};

struct apart *apart_make(const struct space *space)
{
	struct apart *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->count = (space->size >> PAGE_SHIFT) + 1;
	a->pages = calloc(a->count, sizeof(struct apart_word *));
	if (a->pages)
		return a;
	free(a);
	return NULL;
}

void apart_free(struct apart *a)
{
	uint64_t i;

	for (i = 0; a && i < a->count; i++)
		free(a->pages[i]);
	if (a)
		free(a->pages);
	free(a);
}

static bool is_other(const struct streams *s, const struct apart_seen *seen,
	const struct apart_access *access)
{
	return seen->run && s->runs[seen->run - 1].launch->stream !=
				    s->runs[access->run].launch->stream;
}

/* In the place of one of its stream, or of the older one. */
static void note_read(const struct streams *s, struct apart_word *word,
	const struct apart_access *access)
{
	const struct apart_seen now = {access->run + 1, access->line};

	if (!is_other(s, &word->read[0], access)) {
		word->read[0] = now;
		return;
	}
	if (is_other(s, &word->read[1], access))
		word->read[0] = word->read[1];
	word->read[1] = now;
}

/* With whom it is a race; NULL: with nobody. */
static const struct apart_seen *touch(const struct streams *s,
	struct apart_word *word, const struct apart_access *access)
{
	int i;

	if (is_other(s, &word->wrote, access))
		return &word->wrote;
	if (!access->writes) {
		note_read(s, word, access);
		return NULL;
	}
	for (i = 0; i < 2; i++)
		if (is_other(s, &word->read[i], access))
			return &word->read[i];
	word->wrote = (struct apart_seen){access->run + 1, access->line};
	return NULL;
}

enum apart_found apart_touch(struct apart *a, const struct streams *s,
	const struct apart_access *access, uint64_t offset, uint64_t bytes,
	struct apart_access *other, uint64_t *where)
{
	const uint64_t end = (offset + bytes + 3) / 4;
	uint64_t i;

	for (i = offset / 4; i < end; i++) {
		struct apart_word **page = &a->pages[i / PAGE_WORDS], *word;
		const struct apart_seen *with;

		if (!*page)
			*page = calloc(PAGE_WORDS, sizeof(**page));
		if (!*page)
			return APART_NO_MEMORY;
		word = *page + i % PAGE_WORDS;
		with = touch(s, word, access);
		if (!with)
			continue;
		*other = (struct apart_access){
			with->run - 1, with->line, with == &word->wrote};
		*where = i * 4;
		return APART_RACE;
	}
	return APART_NOTHING;
}
