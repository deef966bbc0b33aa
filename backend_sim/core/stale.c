/* A table of open addressing, by SM and line; entries never go, but those of an
   SM that was emptied count no longer. */
#include "backend_sim/core/stale.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_DEGREE 10

struct entry {
	uint32_t sm, line;
	uint32_t words;
	uint32_t age; /* the SM's when it was made; 0: the place is free */
};

struct stale {
	struct entry *entries; /* 2^degree; owned */
	unsigned degree;
	uint32_t count;
	uint32_t *ages; /* [sm], from 1; owned */
	bool full;      /* there was no memory for more: they are not counted */
};

struct stale *stale_make(uint32_t sms)
{
	struct stale *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (!s)
		return NULL;
	s->degree = FIRST_DEGREE;
	s->entries = calloc((size_t)1 << s->degree, sizeof(*s->entries));
	s->ages = calloc(sms, sizeof(*s->ages));
	if (!s->entries || !s->ages) {
		stale_free(s);
		return NULL;
	}
	for (i = 0; i < sms; i++)
		s->ages[i] = 1;
	return s;
}

void stale_free(struct stale *s)
{
	if (!s)
		return;
	free(s->entries);
	free(s->ages);
	free(s);
}

/* Fibonacci hashing: the upper bits of a product. */
static struct entry *place_of(const struct stale *s, uint32_t sm, uint32_t line)
{
	const uint64_t key = (uint64_t)sm << 32 | line;
	const uint32_t mask = (UINT32_C(1) << s->degree) - 1;
	uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >>
				 (64 - s->degree));

	while (s->entries[at].age &&
		(s->entries[at].sm != sm || s->entries[at].line != line))
		at = (at + 1) & mask;
	return &s->entries[at];
}

/* Twice the places, for the entries that still count. */
static int grow(struct stale *s)
{
	struct entry *old = s->entries;
	const size_t count = (size_t)1 << s->degree;
	size_t i;

	s->entries = calloc(2 * count, sizeof(*old));
	if (!s->entries) {
		s->entries = old;
		return -1;
	}
	s->degree++;
	s->count = 0;
	for (i = 0; i < count; i++)
		if (old[i].words && old[i].age == s->ages[old[i].sm]) {
			*place_of(s, old[i].sm, old[i].line) = old[i];
			s->count++;
		}
	free(old);
	return 0;
}

void stale_add(struct stale *s, uint32_t sm, uint32_t line, uint32_t words)
{
	struct entry *e = place_of(s, sm, line);

	if (!e->age) {
		if (s->count >= (UINT32_C(1) << s->degree) / 2) {
			if (s->full || grow(s)) {
				s->full = true;
				return;
			}
			e = place_of(s, sm, line);
		}
		*e = (struct entry){.sm = sm, .line = line};
		s->count++;
	}
	if (e->age != s->ages[sm])
		e->words = 0;
	e->age = s->ages[sm];
	e->words |= words;
}

void stale_renew(struct stale *s, uint32_t sm, uint32_t line, uint32_t words)
{
	struct entry *e = place_of(s, sm, line);

	if (e->age)
		e->words &= ~words;
}

void stale_empty(struct stale *s, uint32_t sm)
{
	s->ages[sm]++;
}

uint32_t stale_words(const struct stale *s, uint32_t sm, uint32_t line)
{
	const struct entry *e = place_of(s, sm, line);

	return e->age == s->ages[sm] ? e->words : 0;
}

uint32_t stale_of_sectors(unsigned sectors)
{
	uint32_t words = 0;

	for (; sectors; sectors &= sectors - 1)
		words |= UINT32_C(255) << (8 * __builtin_ctz(sectors));
	return words;
}
