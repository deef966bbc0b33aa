#ifndef NEARFAR_USES_H
#define NEARFAR_USES_H

/* Which registers an instruction reads and writes, by their number among all
   of the kernel. */
#include "backend_sim/flow/flat.h"

#define USES_MAX 144

struct uses {
	uint32_t reads[USES_MAX], writes[USES_MAX];
	uint32_t read_count, write_count;
	bool partial; /* under a guard: what it writes may stay as it was */
};

void uses_of(const struct flat *f, uint32_t insn, struct uses *uses);

#endif
