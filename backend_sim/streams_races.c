#include "backend_sim/streams_races.h"

#include <stdlib.h>

#define PAGE_SHIFT 16u
#define PAGE_WORDS (1u << (PAGE_SHIFT - 2))

/* Of a word. run: index + 1; 0: none. bytes: a bit each. */
struct races_seen {
	uint32_t run : 28, bytes : 4;
	uint32_t line;
};

/* Of two streams each. */
struct races_word {
	struct races_seen wrote[2], read[2];
};

_Static_assert(sizeof(struct races_word) == 32, "as the header says");

struct races {
	struct races_word **pages; /* owned */
	uint64_t count;
};

struct races *races_make(const struct space *space)
{
	struct races *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->count = (space->size >> PAGE_SHIFT) + 1;
	a->pages = calloc(a->count, sizeof(struct races_word *));
	if (a->pages)
		return a;
	free(a);
	return NULL;
}

void races_free(struct races *a)
{
	uint64_t i;

	for (i = 0; a && i < a->count; i++)
		free(a->pages[i]);
	if (a)
		free(a->pages);
	free(a);
}

static bool is_other(const struct streams *s, const struct races_seen *seen,
	const struct races_seen *now)
{
	return seen->run && s->runs[seen->run - 1].launch->stream !=
				    s->runs[now->run - 1].launch->stream;
}

/* Beside what its stream did, or in the place of the older one. */
static void note(const struct streams *s, struct races_seen seen[2],
	struct races_seen now)
{
	struct races_seen *to = &seen[0];

	if (is_other(s, to, &now)) {
		to = &seen[1];
		if (is_other(s, to, &now)) {
			seen[0] = *to;
			to->bytes = 0;
		}
	}
	now.bytes |= to->bytes;
	*to = now;
}

/* The one of another stream that has a byte of it, or NULL. */
static const struct races_seen *meets(const struct streams *s,
	const struct races_seen seen[2], const struct races_seen *now)
{
	int i;

	for (i = 0; i < 2; i++)
		if (seen[i].bytes & now->bytes && is_other(s, &seen[i], now))
			return &seen[i];
	return NULL;
}

/* With whom it is a race; NULL: with nobody. */
static const struct races_seen *touch(const struct streams *s,
	struct races_word *word, const struct races_seen *now, bool writes)
{
	const struct races_seen *with = meets(s, word->wrote, now);

	if (!with && writes)
		with = meets(s, word->read, now);
	if (!with)
		note(s, writes ? word->wrote : word->read, *now);
	return with;
}

/* The bytes of word `i` that are accessed, a bit each. */
static uint32_t bytes_of(uint64_t i, uint64_t offset, uint64_t bytes)
{
	uint32_t of = 0, k;

	for (k = 0; k < 4; k++)
		if (i * 4 + k >= offset && i * 4 + k < offset + bytes)
			of |= 1u << k;
	return of;
}

enum races_found races_touch(struct races *a, const struct streams *s,
	const struct races_access *access, uint64_t offset, uint64_t bytes,
	struct races_access *other, uint64_t *where)
{
	const uint64_t end = (offset + bytes + 3) / 4;
	uint64_t i;

	for (i = offset / 4; i < end; i++) {
		struct races_word **page = &a->pages[i / PAGE_WORDS], *word;
		const struct races_seen now = {access->run + 1,
			bytes_of(i, offset, bytes), access->line};
		const struct races_seen *with;

		if (!*page)
			*page = calloc(PAGE_WORDS, sizeof(**page));
		if (!*page)
			return RACES_NO_MEMORY;
		word = *page + i % PAGE_WORDS;
		with = touch(s, word, &now, access->writes);
		if (!with)
			continue;
		*other = (struct races_access){with->run - 1, with->line,
			with == &word->wrote[0] || with == &word->wrote[1]};
		*where = i * 4 +
			 (uint64_t)__builtin_ctz(with->bytes & now.bytes);
		return RACES_RACE;
	}
	return RACES_NOTHING;
}
