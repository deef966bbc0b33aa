#ifndef NEARFAR_EFFECT_H
#define NEARFAR_EFFECT_H

/* What keeps instructions in their order beside the registers: memory as
   others see it, and clocks. */
#include <stdbool.h>

#include "harness/ptx/ptx.h"

enum effect {
	NONE_AT_ALL,
	FETCHES, /* memory that nobody writes while the kernel runs */
	READS,
	WRITES, /* an atomic, too, that orders nothing */
	TALKS,  /* to the other lanes of its warp */
	ORDERS, /* all memory before it and after it: a fence, a barrier, a
		   release or acquire */
	CLOCKS, /* reads the time */
};

enum effect effect_of(const struct ptx_insn *insn);
/* Whether it is there for its results alone. */
bool effect_is_pure(const struct ptx_insn *insn);
/* Whether lanes talk to each other there, or wait for each other. */
bool effect_gathers(const struct ptx_insn *insn);
/* Whether they wait for each other there. */
bool effect_waits(const struct ptx_insn *insn);
/* Whether `after` must stay behind `before`, registers apart. */
bool effect_keeps_order(
	const struct ptx_insn *before, const struct ptx_insn *after);
/* Whether `before` stays behind all further up that `after` must stay behind,
   so that nobody needs to look there. */
bool effect_covers(const struct ptx_insn *before, const struct ptx_insn *after);

#endif
