#ifndef NEARFAR_NAP_H
#define NEARFAR_NAP_H

/*
 * Warps that sleep at asynchronous barriers: until the phases are over for
 * which their lanes wait, or until a try_wait gives up. What they wait for in
 * vain, for ever, ends the run with a sentence.
 */
#include "backend_sim/kernel/run_parts.h"

/* No other lanes of the warp could go on meanwhile. */
bool nap_can(const struct execution *x, uint32_t warp);
/* The lanes of the instruction, which the warp is past, sleep. */
void nap_begin(struct execution *x, uint32_t warp, uint32_t pc, uint32_t lanes);
/* The lanes in `over` are told that their phase is over, the others that it is
   not. */
void nap_answer(struct execution *x, uint32_t warp, uint32_t pc, uint32_t lanes,
	uint32_t over);
/* Some lanes have waited in vain; `spins`: they do not sleep. */
void nap_in_vain(struct execution *x, uint32_t warp, uint32_t pc,
	uint32_t lanes, bool spins);
/* A phase of the barrier at an offset of the block's shared memory is over, by
   instruction `line`. */
void nap_wake(
	struct execution *x, uint32_t block, uint32_t offset, uint32_t line);

/* ---- mbarrier.c ---- */

/* The lanes whose phase is over, of those that the instruction waits for; of
   those alone whose barrier is at the offset, unless it is NONE. */
uint32_t mbarrier_over(struct execution *x, uint32_t warp, uint32_t pc,
	uint32_t lanes, uint32_t at);
/* The lanes know what is behind the phase that they have waited for. */
void mbarrier_waited(
	struct execution *x, uint32_t warp, uint32_t pc, uint32_t over);

#endif
