#ifndef NEARFAR_TRACED_H
#define NEARFAR_TRACED_H

/*
 * A run that is recorded (timeline.h): its servers have books, its requests
 * have lives (lives.h), and each event is looked at before and after it
 * happens. Warps say themselves what they wait for (grid/profile.c).
 */
#include "backend_sim/lives/lives.h"
#include "backend_sim/engine.h"

struct traced {
	struct books books;
};

/* From now on the engine's run is recorded; ERR_FAILED without memory. */
int traced_kernel(struct engine *e, struct traced *t, struct timeline *timeline,
	struct error *error);
/* It is over, whether it was recorded or not. Servers must be there. */
void traced_end(struct engine *e);

/* Before the next event, to whose cycle it goes, if there is one; behind it. */
void traced_next(struct engine *e);
void traced_after(struct engine *e);

#endif
