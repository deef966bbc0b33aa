#ifndef NEARFAR_STREAMS_SHADE_H
#define NEARFAR_STREAMS_SHADE_H

/*
 * Whether launches that may begin before the end of another one wait for it: an
 * access of global memory by a block that has not executed griddepcontrol.wait
 * is held against those of the runs before it in its stream, by what the blocks
 * have executed and not by when things happened to happen: of the run directly
 * before it, and of the one before that if that one let others begin before all
 * of its blocks had waited, and so on. One of the two
 * writes, and the words are the same: the run fails with a sentence about the
 * access that lacks the wait, be it the earlier or the later one.
 *
 * A block of which a thread has waited has waited, and so has its cluster; one
 * that has executed an atomic, a volatile access or one that acquires or
 * releases may have been told otherwise, and is not looked at either.
 *
 * For each word of four bytes that such runs touch there is a bit for reads and
 * one for writes of each of the last runs of the stream: a byte where at most
 * SHADE_FEW follow each other without a wait, eight for SHADE_RUNS; and four
 * bytes more where a block that has not waited touches it: the
 * instruction. A table for each stream.
 */
#include "backend_sim/streams.h"

/* All that can be alive at a time, or fewer. */
#define SHADE_RUNS 32u
#define SHADE_FEW  4u

/* For a stream of which so many runs in a row need not wait for the one before;
   NULL without memory. */
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
