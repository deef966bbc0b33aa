#ifndef NEARFAR_BLAMED_H
#define NEARFAR_BLAMED_H

/* Who waited in line for whom (blame.h), as results have it. */
#include "backend_sim/grid/grid.h"

/* What requests took, by instruction and by answer. */
void blamed_lines(struct grid *g, const struct blame *blame);
/* The queues, once the profile has its lines and servers. ERR_FAILED without
   memory. */
int blamed_collect(
	struct grid *g, const struct blame *blame, struct error *error);

#endif
