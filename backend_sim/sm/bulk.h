#ifndef NEARFAR_BULK_H
#define NEARFAR_BULK_H

/* A line of global memory that an SM's copy engine asks for: past L1. */
#include "backend_sim/sm/execution.h"

/* Whom a request of the engine comes back to: a copy, not a warp. */
#define BULK_OWNER (UINT32_C(1) << 30)
#define BULK_COPY  UINT32_C(0xffffff) /* its bits; those above: the launch */

struct bulk_line {
	const struct insn *insn; /* what the instruction asks of the caches */
	const struct asks *asks;
	uint32_t sm, copy;
	uint64_t offset;   /* of the line, in the job's memory */
	uint32_t bytes[4]; /* of each sector, as a set */
	uint64_t policy;   /* where the instruction has a hint */
};

/* Sends the request at this cycle. */
void bulk_send(struct execution *x, const struct bulk_line *b);

#endif
