#ifndef NEARFAR_STORES_H
#define NEARFAR_STORES_H

/*
 * The lines that an SM has stored last. Measured on an H200: a store to the
 * same bytes of one of them goes along with that store, whichever warp it is
 * of, as long as the SM's stores come without a pause and nothing else comes
 * between them.
 */
#include <stdbool.h>
#include <stdint.h>

#define STORES_MAX 64

struct stores {
	uint64_t last_at; /* cycle of the last store */
	uint32_t count, oldest;
	uint32_t written[STORES_MAX]; /* hashes; a ring */
};

/* An instruction accesses global memory; `pause` is the longest time without a
   store that leaves the lines there. */
void stores_pass(struct stores *s, bool is_store, uint64_t now, uint64_t pause);

/* A line is stored, of each sector these bytes; whether that joins. `most`
   lines stay. */
bool stores_join(struct stores *s, uint32_t line, const uint32_t bytes[4],
	uint32_t most);

#endif
