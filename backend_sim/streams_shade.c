#include "backend_sim/streams_shade.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 16u
#define PAGE_WORDS (1u << (PAGE_SHIFT - 2))

/* Of a word, by a block that has not waited: the instruction, + 1; the run,
   modulo; whether it writes. */
#define EARLY(pc, turn, writes)                                                \
	(((pc) + 1u) << 6 | (turn) << 1 | (uint32_t)(writes))
#define EARLY_PC(early)     (((early) >> 6) - 1u)
#define EARLY_TURN(early)   ((early) >> 1 & (SHADE_RUNS - 1))
#define EARLY_WRITES(early) ((early)&1)

/* Of runs, modulo those that are kept. */
#define READS(turn)  (UINT64_C(1) << (turn)*2)
#define WRITES(turn) (UINT64_C(2) << (turn)*2)

_Static_assert(SHADE_RUNS == 32, "eight bytes have two bits for each");

struct shade_page {
	uint32_t *early;   /* [word], or NULL; owned */
	uint8_t touched[]; /* [word][shade.bytes] */
};

struct shade {
	struct shade_page **pages; /* owned */
	uint64_t count;
	uint32_t kept, bytes; /* runs, and their bits of a word */
};

static uint64_t touched(
	const struct shade *s, const struct shade_page *p, uint32_t word)
{
	uint64_t bits = 0;

	memcpy(&bits, p->touched + (size_t)word * s->bytes, s->bytes);
	return bits;
}

static void set_touched(const struct shade *s, struct shade_page *p,
	uint32_t word, uint64_t bits)
{
	memcpy(p->touched + (size_t)word * s->bytes, &bits, s->bytes);
}

struct shade *shade_make(const struct space *space, uint32_t runs)
{
	struct shade *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->kept = runs <= SHADE_FEW ? SHADE_FEW : SHADE_RUNS;
	s->bytes = s->kept / 4;
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

static void forget(const struct shade *s, struct shade_page *p, uint32_t turn)
{
	const uint64_t keep = ~(READS(turn) | WRITES(turn));
	uint32_t i;

	for (i = 0; i < PAGE_WORDS; i++)
		set_touched(s, p, i, touched(s, p, i) & keep);
	for (i = 0; p->early && i < PAGE_WORDS; i++)
		if (p->early[i] && EARLY_TURN(p->early[i]) == turn)
			p->early[i] = 0;
}

void shade_begin(struct shade *s, uint32_t turn)
{
	uint64_t i;

	for (i = 0; i < s->count; i++)
		if (s->pages[i])
			forget(s, s->pages[i], turn % s->kept);
}

static struct shade_page *page_of(struct shade *s, uint64_t word, bool early)
{
	struct shade_page **p = &s->pages[word / PAGE_WORDS];

	if (!*p)
		*p = calloc(1, sizeof(**p) + (size_t)PAGE_WORDS * s->bytes);
	if (*p && early && !(*p)->early)
		(*p)->early = calloc(PAGE_WORDS, sizeof(*(*p)->early));
	return *p && (!early || (*p)->early) ? *p : NULL;
}

/* What runs before have done with the word. */
static bool meets_earlier(const struct shade *s, const struct shade_access *a,
	uint64_t bits, struct shade_conflict *found)
{
	uint32_t i;

	for (i = 1; i <= a->before && i < s->kept; i++) {
		const uint32_t turn = (a->turn - i) % s->kept;

		if (!(bits & WRITES(turn)) &&
			!(a->writes && bits & READS(turn)))
			continue;
		found->turn = a->turn - i;
		found->pc = a->pc;
		found->writes = a->writes;
		found->other_writes = (bits & WRITES(turn)) != 0;
		return true;
	}
	return false;
}

/* And one that comes after it, too early. */
static bool meets_later(const struct shade *s, const struct shade_access *a,
	uint32_t early, struct shade_conflict *found)
{
	uint32_t i;

	if (!early || !(a->writes || EARLY_WRITES(early)))
		return false;
	for (i = 1; i <= a->after && i < s->kept; i++) {
		if ((a->turn + i) % s->kept != EARLY_TURN(early))
			continue;
		/* The last one of those that it may be of: what others of them
		   did is forgotten. */
		found->turn = a->turn + i + (a->after - i) / s->kept * s->kept;
		found->pc = EARLY_PC(early);
		found->writes = EARLY_WRITES(early);
		found->other_writes = a->writes;
		return true;
	}
	return false;
}

/* Of a word one early access is kept: of the last run, and there a write. What
   it would be in conflict with besides has been found by then. */
static bool is_kept(
	const struct shade *s, const struct shade_access *a, uint32_t early)
{
	const uint32_t ahead =
		(EARLY_TURN(early) + s->kept - a->turn % s->kept) % s->kept;

	return early &&
	       (ahead ? ahead <= a->after : EARLY_WRITES(early) && !a->writes);
}

static enum shade_found touch(const struct shade *s,
	const struct shade_access *a, struct shade_page *p, uint32_t word,
	struct shade_conflict *found)
{
	const uint32_t turn = a->turn % s->kept;
	const uint64_t bits = touched(s, p, word);

	if (a->before && meets_earlier(s, a, bits, found))
		return SHADE_EARLIER;
	if (p->early && meets_later(s, a, p->early[word], found))
		return SHADE_LATER;
	set_touched(
		s, p, word, bits | (a->writes ? WRITES(turn) : READS(turn)));
	if (a->before && !is_kept(s, a, p->early[word]))
		p->early[word] = EARLY(a->pc, turn, a->writes);
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
		what = touch(s, a, p, (uint32_t)(word % PAGE_WORDS), found);
	}
	return what;
}
