#ifndef NEARFAR_STREAMS_APART_H
#define NEARFAR_STREAMS_APART_H

/*
 * Whether launches of different streams, between which a job has no `flush`,
 * keep to memory of their own: two accesses to the same word of four bytes by
 * two streams, of which one writes, are a race, whichever comes first. A block
 * that has executed an atomic, a volatile access or one that acquires or
 * releases may have been told, and is not looked at from then on; nor is that
 * access.
 *
 * Each word that launches touch has 24 bytes: its last write and the last reads
 * of two streams.
 */
#include "backend_sim/streams.h"

/* NULL without memory. */
struct apart *apart_make(const struct space *space);
void apart_free(struct apart *a); /* and NULL */

/* An access, by a run. */
struct apart_access {
	uint32_t run; /* index */
	uint32_t line;
	bool writes;
};

enum apart_found { APART_NOTHING, APART_RACE, APART_NO_MEMORY };

/* Notes the access of `bytes` from an offset on; a race: with whom, and at
   which offset. */
enum apart_found apart_touch(struct apart *a, const struct streams *s,
	const struct apart_access *access, uint64_t offset, uint64_t bytes,
	struct apart_access *other, uint64_t *where);

#endif
