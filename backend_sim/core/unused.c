#include <stdlib.h>

#include "backend_sim/core/request.h"
#include "backend_sim/core/unused.h"

/* Lines come in chunks; of a line the sectors that wait to be asked for. Of
   those for which there is no memory all count as asked for. */
#define CHUNK_SHIFT 12
#define CHUNK_LINES (UINT32_C(1) << CHUNK_SHIFT)
#define CHUNKS      (UINT32_C(1) << (32 - CHUNK_SHIFT))

struct unused {
	uint64_t fetched, unused; /* waiting ones are not in `unused` */
	uint64_t waiting;
	uint32_t end; /* there are no chunks from there on */
	uint8_t *chunks[CHUNKS];
};

struct unused *unused_make(void)
{
	return calloc(1, sizeof(struct unused));
}

void unused_free(struct unused *u)
{
	uint32_t i;

	for (i = 0; u && i < u->end; i++)
		free(u->chunks[i]);
	free(u);
}

static uint8_t *line_of(struct unused *u, uint32_t line)
{
	const uint32_t i = line >> CHUNK_SHIFT;
	uint8_t **chunk = &u->chunks[i];

	if (!*chunk) {
		*chunk = calloc(CHUNK_LINES, 1);
		u->end = i < u->end ? u->end : i + 1;
	}
	return *chunk ? &(*chunk)[line & (CHUNK_LINES - 1)] : NULL;
}

void unused_fetched(
	struct unused *u, uint32_t line, unsigned sectors, unsigned asked)
{
	const unsigned rest = sectors & ~asked & SECTORS_ALL;
	uint8_t *waiting = line_of(u, line);

	u->fetched += sector_count(sectors);
	if (!waiting)
		return;
	u->unused += sector_count(*waiting & sectors);
	u->waiting -= sector_count(*waiting & sectors);
	u->waiting += sector_count(rest);
	*waiting = (uint8_t)((*waiting & ~sectors) | rest);
}

void unused_asked(struct unused *u, uint32_t line, unsigned sectors)
{
	uint8_t *chunk = u->chunks[line >> CHUNK_SHIFT];
	uint8_t *waiting = chunk ? &chunk[line & (CHUNK_LINES - 1)] : NULL;

	if (!waiting || !(*waiting & sectors))
		return;
	u->waiting -= sector_count(*waiting & sectors);
	*waiting &= (uint8_t)~sectors;
}

struct unused_sectors unused_count(const struct unused *u)
{
	return (struct unused_sectors){u->fetched, u->unused + u->waiting};
}
