#ifndef NEARFAR_STORES_H
#define NEARFAR_STORES_H

/*
 * The lines that an SM has stored last. Measured on an H200 (results/probes,
 * merge and join): a store to the same bytes of one of them goes along with
 * that store, whichever warp it is of, as long as stores go through the pipe
 * without a pause and nothing but stores comes between them. When one more line
 * comes than there is room for, all of them go. Two stores in a row of one
 * warp, of which the second is ready soon after the first, go together however
 * many other warps store.
 */
#include <stdbool.h>
#include <stdint.h>

#define STORES_MAX 64

struct stores {
	uint64_t over; /* cycle: the last store has gone through the pipe */
	uint32_t count;
	uint32_t written[STORES_MAX]; /* keys */
};

/* A line and which bytes of each of its sectors. */
uint32_t stores_key(uint64_t line, const uint32_t bytes[4]);

/* An instruction accesses global memory, and is in the pipe until cycle `over`.
   The lines stay if it is a store that comes at most `pause` cycles after the
   last one has gone through. */
void stores_pass(struct stores *s, bool is_store, uint64_t now, uint64_t over,
	uint64_t pause);

/* A line is stored; whether that joins. `most` lines stay. */
bool stores_join(struct stores *s, uint32_t key, uint32_t most);

#endif
