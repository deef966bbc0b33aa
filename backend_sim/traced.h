#ifndef NEARFAR_TRACED_H
#define NEARFAR_TRACED_H

/*
 * A run that is recorded (timeline.h): its servers have books, its requests
 * have lives (lives.h), and each event is looked at before and after it
 * happens. Warps of a kernel say themselves what they wait for
 * (grid/profile.c); those of a program are seen by their states.
 */
#include "backend_sim/lives/lives.h"
#include "backend_sim/engine.h"

/* Where a program's warp stands. */
struct traced_warp {
	uint64_t since;
	uint64_t ready; /* warp.ready: another one, when it has issued */
	uint32_t pc;
	uint8_t state; /* enum warp_state */
	bool known;
};

struct traced {
	struct books books;
	struct request_note *notes; /* of a program's requests; owned */
	struct traced_warp *warps;  /* of a program; owned */
	uint32_t warp_count;
	uint32_t warp; /* that the event is about; NONE: none */
};

/* From now on the engine's run is recorded; ERR_FAILED without memory. The
   warps of a program have been given their places by then. */
int traced_program(struct engine *e, struct traced *t,
	struct timeline *timeline, struct error *error);
int traced_kernel(struct engine *e, struct traced *t, struct timeline *timeline,
	struct error *error);
/* It is over, whether it was recorded or not. Servers must be there. */
void traced_end(struct engine *e, struct traced *t);

/* Before the next event, to whose cycle it goes, if there is one; behind it. */
void traced_next(struct engine *e);
void traced_after(struct engine *e);

#endif
