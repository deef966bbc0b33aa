#ifndef NEARFAR_DRAWN_WORDS_H
#define NEARFAR_DRAWN_WORDS_H

/* Parts of drawn.c: each writes a statement, and executes it for the lanes of
   the mask. */
#include "tests/unit/backend_sim/kernel/drawn.h"

#define EACH_LANE(l)                                                           \
	for (unsigned l = 0; l < DRAWN_THREADS; l++)                           \
		if (!d->mask[l]) {                                             \
		} else

/* Below `below`. */
uint32_t drawn_number(struct drawn *d, uint32_t below);
void drawn_put(struct drawn *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* One that holds a value. */
unsigned drawn_register(struct drawn *d);

void drawn_put_operation(struct drawn *d);
/* Into predicate `p`. */
void drawn_put_comparison(struct drawn *d, unsigned p);
/* What a predicate decides, with its comparison. */
void drawn_put_choice(struct drawn *d);
void drawn_put_memory(struct drawn *d);

/* ---- between lanes ---- */

/* Of the lane's warp: those that take part and for which it is so. */
uint32_t drawn_ballot(const struct drawn *d, const bool *is_so, unsigned lane);

enum talk { VOTE, SHUFFLE, SUM, MATCH, BARRIER, TALKS_COUNT };

/* What a lane that has ended would bring is not known: no such kind. */
enum talk drawn_kind(struct drawn *d);
/* What a lane brings, into %r16 and %p4. */
void drawn_put_brought(struct drawn *d);
/* The operation itself is written, and executed when all that take part are in
   the mask: what a lane gets is in %r16. */
void drawn_put_talk(struct drawn *d, enum talk kind, unsigned by);
void drawn_do_talk(struct drawn *d, enum talk kind, unsigned by);
/* Into a register. */
void drawn_put_taken(struct drawn *d);

#endif
