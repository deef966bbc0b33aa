#include "backend_sim/streams_shade.h"

#include <stdlib.h>

#define PAGE_SHIFT 16u
#define PAGE_WORDS (1u << (PAGE_SHIFT - 2))

/* Of a word, by a block that has not waited: the instruction, + 1; the run,
   modulo; whether it writes. */
#define EARLY(pc, turn, writes)                                                \
	(((pc) + 1u) << 3 | (turn) % RUNS_KEPT << 1 | (uint32_t)(writes))
#define EARLY_PC(early)     (((early) >> 3) - 1u)
#define EARLY_TURN(early)   ((early) >> 1 & (RUNS_KEPT - 1))
#define EARLY_WRITES(early) ((early)&1)

#define READS(turn)  (1u << (turn) % RUNS_KEPT * 2)
#define WRITES(turn) (2u << (turn) % RUNS_KEPT * 2)

_Static_assert(RUNS_KEPT == 4, "a byte has two bits for each");

struct shade_page {
	uint8_t touched[PAGE_WORDS];
	uint32_t *early; /* [word], or NULL; owned */
};

struct shade {
	struct shade_page **pages; /* owned */
	uint64_t count;
};

struct shade *shade_make(const struct space *space)
{
	struct shade *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->count = (space->size >> PAGE_SHIFT) + 1;
	s->pages = calloc(s->count, sizeof(struct shade_page *));
	if (!s->pages) {
		free(s);
		return NULL;
	}
	return s;
}

void shade_free(struct shade *s)
{
	uint64_t i;

	for (i = 0; s && i < s->count; i++) {
		if (s->pages[i])
			free(s->pages[i]->early);
		free(s->pages[i]);
	}
	if (s)
		free(s->pages);
	free(s);
}

static void forget(struct shade_page *p, uint32_t turn)
{
	const uint8_t keep = (uint8_t) ~(READS(turn) | WRITES(turn));
	uint32_t i;

	for (i = 0; i < PAGE_WORDS; i++)
		p->touched[i] &= keep;
	for (i = 0; p->early && i < PAGE_WORDS; i++)
		if (p->early[i] && EARLY_TURN(p->early[i]) == turn % RUNS_KEPT)
			p->early[i] = 0;
}

void shade_begin(struct shade *s, uint32_t turn)
{
	uint64_t i;

	for (i = 0; i < s->count; i++)
		if (s->pages[i])
			forget(s->pages[i], turn);
}

static struct shade_page *page_of(struct shade *s, uint64_t word, bool early)
{
	struct shade_page **p = &s->pages[word / PAGE_WORDS];

	if (!*p)
		*p = calloc(1, sizeof(**p));
	if (*p && early && !(*p)->early)
		(*p)->early = calloc(PAGE_WORDS, sizeof(*(*p)->early));
	return *p && (!early || (*p)->early) ? *p : NULL;
}

/* What runs before have done with the word. */
static bool meets_earlier(const struct shade_access *a, uint8_t touched,
	struct shade_conflict *found)
{
	uint32_t i;

	for (i = 1; i <= a->before && i < RUNS_KEPT; i++) {
		const uint32_t turn = a->turn - i;

		if (!(touched & WRITES(turn)) &&
			!(a->writes && touched & READS(turn)))
			continue;
		found->turn = turn;
		found->pc = a->pc;
		found->writes = a->writes;
		found->other_writes = touched & WRITES(turn);
		return true;
	}
	return false;
}

/* And one that comes after it, too early. */
static bool meets_later(const struct shade_access *a, uint32_t early,
	struct shade_conflict *found)
{
	uint32_t i;

	if (!early || !(a->writes || EARLY_WRITES(early)))
		return false;
	for (i = 1; i <= a->after && i < RUNS_KEPT; i++) {
		if ((a->turn + i) % RUNS_KEPT != EARLY_TURN(early))
			continue;
		/* The last one of those that it may be of: what others of them
		   did is forgotten. */
		found->turn =
			a->turn + i + (a->after - i) / RUNS_KEPT * RUNS_KEPT;
		found->pc = EARLY_PC(early);
		found->writes = EARLY_WRITES(early);
		found->other_writes = a->writes;
		return true;
	}
	return false;
}

/* Of a word one early access is kept: of the last run, and there a write. What
   it would be in conflict with besides has been found by then. */
static bool is_kept(const struct shade_access *a, uint32_t early)
{
	const uint32_t ahead = (EARLY_TURN(early) - a->turn) % RUNS_KEPT;

	return early &&
	       (ahead ? ahead <= a->after : EARLY_WRITES(early) && !a->writes);
}

static enum shade_found touch(const struct shade_access *a,
	struct shade_page *p, uint32_t word, struct shade_conflict *found)
{
	if (a->before && meets_earlier(a, p->touched[word], found))
		return SHADE_EARLIER;
	if (p->early && meets_later(a, p->early[word], found))
		return SHADE_LATER;
	p->touched[word] |= a->writes ? WRITES(a->turn) : READS(a->turn);
	if (a->before && !is_kept(a, p->early[word]))
		p->early[word] = EARLY(a->pc, a->turn, a->writes);
	return SHADE_NOTHING;
}

enum shade_found shade_access(struct shade *s, const struct shade_access *a,
	uint64_t offset, uint64_t bytes, struct shade_conflict *found)
{
	const uint64_t end = (offset + bytes + 3) / 4;
	struct shade_page *p = NULL;
	enum shade_found what = SHADE_NOTHING;
	uint64_t word;

	for (word = offset / 4; word < end && !what; word++) {
		if (!p || !(word % PAGE_WORDS))
			p = page_of(s, word, a->before);
		if (!p)
			return SHADE_NO_MEMORY;
		found->offset = word * 4;
		what = touch(a, p, (uint32_t)(word % PAGE_WORDS), found);
	}
	return what;
}
