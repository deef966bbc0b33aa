#ifndef NEARFAR_ASKS_H
#define NEARFAR_ASKS_H

/*
 * What all requests of an instruction have in common, whichever warp executes
 * it: found once a launch.
 */
#include <stdbool.h>

#include "backend_sim/core/request.h"

struct asks {
	struct request form; /* without warp, SM and line */
	uint32_t sender;     /* of a kernel: which instruction */
	uint16_t line_ticks; /* that a line takes the pipe of L1 */
	uint8_t effect;      /* EFFECT_*: on the line in L1 if it goes past */
	bool atomic;
	bool adds_floats; /* an atomic that does */
	bool looks;       /* may it hit in L1? .ca .cs .nc .lu .relaxed.cta */
	bool texture;     /* goes through a texture cache, not the LSU */
	bool l2_fixed;    /* form.l2_class is right for all its lines */
};

#endif
