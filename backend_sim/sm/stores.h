#ifndef NEARFAR_STORES_H
#define NEARFAR_STORES_H

/*
 * The lines that an SM has stored last, and which further stores go along with
 * them. Measured on an H200 (results/probes, merge and join): a store to the
 * same bytes of one of them joins it, whichever warp it is of; one to a part of
 * the same sectors joins what is stored in part by the same warp; as long as
 * stores go through the pipe without a pause and nothing but stores comes
 * between them. When one more line comes than there is room for, or the pipe
 * waits for the way out of the SM, all of them go: of 32 warps that store to
 * every second sector, with three in four lines of their neighbours, L2 counts
 * 98 % of the stores (results/probes/coalesced_stores.tsv). Two stores in a row
 * of one warp, of which the second is ready soon after the first, go together
 * however many other warps store, if there is room for one of each scheduler;
 * of a scheduler with few warps all in a row do.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/request.h"

#define STORES_MAX 64

/* What of a line travels: a request, and the bytes of each of its sectors, with
   those that have joined it. */
struct store_part {
	uint32_t request; /* NONE: it has whole sectors alone */
	uint32_t bytes[4];
	uint16_t number; /* request.number: it is still that one */
};

struct stores {
	uint64_t over; /* cycle: the last store has gone through the pipe */
	uint32_t count;
	uint32_t same[STORES_MAX]; /* keys: of a line and its bytes, */
	uint32_t own[STORES_MAX];  /* of a line that is stored in part, its
				      sectors and the warp; or 0 */
	struct store_part parts[STORES_MAX];
};

/* Where a line is stored in part. */
struct store_place {
	uint32_t line, sectors, warp;
};

/* Of the lines and sectors that an instruction stores to, one after the other;
   `before` is that of those before, or the buffer + 1. Never 0. */
uint32_t stores_key(uint32_t before, uint64_t line, uint32_t sectors);
/* An instruction accesses global memory, and is in the pipe until cycle `over`.
   The lines stay if it is a store that comes at most `pause` cycles after the
   last one has gone through. */
void stores_pass(struct stores *s, bool is_store, uint64_t now, uint64_t over,
	uint64_t pause);

/* Nothing can join those that are kept now. */
static inline void stores_let_go(struct stores *s)
{
	s->count = 0;
}

/* Whole sectors of a line are stored; whether that joins. `most` lines stay. */
bool stores_join_whole(struct stores *s, uint64_t line, const uint32_t bytes[4],
	uint32_t most);
/* Any bytes, along with `with` unless that is NULL; `part` is the line's own,
   and becomes the one that travels. */
bool stores_join(struct stores *s, const struct store_place *place,
	struct store_part *part, const struct store_part *with, uint32_t most);

/* The sectors of which all bytes are stored, as a set. */
uint32_t stores_whole(const uint32_t bytes[4]);

#endif
