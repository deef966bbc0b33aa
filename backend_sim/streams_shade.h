#ifndef NEARFAR_STREAMS_SHADE_H
#define NEARFAR_STREAMS_SHADE_H

/*
 * Whether launches that may begin before the end of another one wait for it. An
 * access of global memory by a block that has not executed griddepcontrol.wait
 * is compared with those of the run directly before it in its stream; with
 * those of the one before that, too, if that run let others begin before all of
 * its blocks had waited; and so on. What blocks have executed counts, not when.
 * If one of the two writes, and the words are the same, the run fails with a
 * sentence about the access that lacks the wait, be it the earlier or the later
 * one.
 *
 * A block of which a thread has waited has waited, and so has its cluster; one
 * that has executed an atomic, a volatile access or one that acquires or
 * releases may have been told otherwise, and is not looked at either.
 *
 * Each stream has a table. Each word of four bytes that such runs touch has a
 * bit for reads and one for writes of each of the last runs of the stream: a
 * byte if at most SHADE_FEW runs follow each other without a wait, else eight
 * bytes, for SHADE_RUNS. If a block that has not waited touches the word, it
 * has four bytes more, for the instruction.
 */
#include "backend_sim/streams.h"

/* Runs that a table knows: all that can be alive at a time; or, if so many are
   enough, fewer. */
#define SHADE_RUNS 32u
#define SHADE_FEW  4u

/* For a stream in which at most `runs` follow each other without a wait; NULL
   without memory. */
struct shade *shade_make(const struct space *space, uint32_t runs);
void shade_free(struct shade *s); /* and NULL */
/* The run, `turn` of its stream, begins: nothing is known of it. */
void shade_begin(struct shade *s, uint32_t turn);

struct shade_access {
	uint32_t turn;   /* of the run in its stream */
	uint32_t before; /* how many runs before it it may not have waited for;
			    0: for all */
	uint32_t after;  /* how many runs after it may not have waited for it */
	uint32_t pc;
	bool writes;
};

enum shade_found {
	SHADE_NOTHING,
	SHADE_EARLIER, /* it lacks a wait for the run `found->turn` */
	SHADE_LATER,   /* the run `found->turn` lacks a wait at found->pc */
	SHADE_NO_MEMORY
};

struct shade_conflict {
	uint32_t turn, pc;
	uint64_t offset;
	bool writes,
		other_writes; /* the access that lacks the wait; the other */
};

/* Notes the access of `bytes` from an offset on. */
enum shade_found shade_access(struct shade *s, const struct shade_access *a,
	uint64_t offset, uint64_t bytes, struct shade_conflict *found);

#endif
