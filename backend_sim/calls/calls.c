#include <stdlib.h>
#include <string.h>

#include "backend_sim/calls/calls.h"

int calls_make(
	struct calls **calls, const struct code *code, uint32_t warp_count)
{
	struct calls *c;

	*calls = NULL;
	if (!code->kept)
		return 0;
	c = *calls = calloc(1, sizeof(*c));
	if (!c)
		return -1;
	c->warp_count = warp_count;
	c->warps = calloc(c->warp_count + 1, sizeof(*c->warps));
	c->record = (uint32_t)(sizeof(uint32_t) +
			       code->kept_count * sizeof(uint64_t) +
			       code->local_bytes - code->frame);
	return c->warps ? 0 : -1;
}

void calls_free(struct calls *c)
{
	uint32_t i;

	for (i = 0; c && c->warps && i < c->warp_count; i++)
		free(c->warps[i].records);
	if (c)
		free(c->warps);
	free(c);
}

void calls_open(struct calls *c, uint32_t warp)
{
	if (c)
		memset(c->warps[warp].depth, 0, sizeof(c->warps[warp].depth));
}
