#ifndef NEARFAR_STREAMS_RACES_H
#define NEARFAR_STREAMS_RACES_H

/*
 * Whether launches of different streams, between which a job has no host
 * action, keep to memory of their own: two accesses to the same byte by two
 * streams, of which one writes, are a race, whichever comes first. A block that
 * executes an atomic, a volatile access or one that acquires or releases may
 * know what other launches do: this access and the block's later ones are not
 * checked.
 *
 * Each word of four bytes that launches touch takes 32 bytes: for the last
 * writes, and for the last reads, of two streams.
 */
#include "backend_sim/streams.h"

/* NULL without memory. */
struct races *races_make(const struct space *space);
void races_free(struct races *a); /* and NULL */

/* An access, by a run. */
struct races_access {
	uint32_t run;  /* index in struct streams */
	uint32_t line; /* of the module's text */
	bool writes;
};

enum races_found { RACES_NOTHING, RACES_RACE, RACES_NO_MEMORY };

/* Notes the access of `bytes` from an offset of the job's memory on.
   RACES_RACE: `*other` is the access of the other stream, `*where` the offset.
   RACES_NO_MEMORY: without memory of the host. */
enum races_found races_touch(struct races *a, const struct streams *s,
	const struct races_access *access, uint64_t offset, uint64_t bytes,
	struct races_access *other, uint64_t *where);

#endif
