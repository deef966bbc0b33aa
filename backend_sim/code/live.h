#ifndef NEARFAR_LIVE_H
#define NEARFAR_LIVE_H

/*
 * Rows for registers: those that are never alive at the same place share one.
 * A register is alive from the first instruction that may write it to the last
 * one that may read it, in the order of the text and round every loop.
 */
#include "backend_sim/code/code.h"
#include "backend_sim/flow/graph.h"

struct live {
	struct row *rows; /* [register of the kernel]; owned. One that no
			     instruction names has NO_SLOT */
	uint32_t slot_count, bytes;
	uint32_t registers; /* 32-bit registers that are alive at once, most */
};

/* ERR_FAILED without memory; live_free() then, too. */
int live_make(struct live *live, const struct flat *f, const struct graph *g,
	struct error *error);
void live_free(struct live *live);

#endif
