#ifndef NEARFAR_UNUSED_H
#define NEARFAR_UNUSED_H

/*
 * Sectors that L2 has fetched from DRAM, and whether anybody has asked for them
 * since: of who profiles.
 */
#include <stdint.h>

struct unused;

/* NULL without memory; unused_free() ends it. */
struct unused *unused_make(void);
void unused_free(struct unused *u); /* and NULL */

/* Sectors of a line have come from DRAM for one who asked for some of them. */
void unused_fetched(
	struct unused *u, uint32_t line, unsigned sectors, unsigned asked);
/* Somebody asks for what L2 has of a line. */
void unused_asked(struct unused *u, uint32_t line, unsigned sectors);

/* All that were fetched, and those of them that nobody asked for before they
   were fetched again or the launch ended. */
struct unused_sectors {
	uint64_t fetched, unused;
};
struct unused_sectors unused_count(const struct unused *u);

#endif
