#ifndef NEARFAR_STEP_H
#define NEARFAR_STEP_H

/* Rules of host actions, which programs and jobs have alike. */
#include "harness/program/program.h"

/* A buffer that a host action names. */
struct step_buffer {
	uint64_t bytes;
	uint8_t memory; /* enum memory_kind */
};

/* The rule that the host action breaks, or NULL. `from` is step->buffer, `to`
   step->target; NULL: there is no such buffer. */
const char *step_mistake(const struct step *step,
	const struct step_buffer *from, const struct step_buffer *to);

#endif
