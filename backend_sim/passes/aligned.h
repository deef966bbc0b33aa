#ifndef NEARFAR_ALIGNED_H
#define NEARFAR_ALIGNED_H

/* What the assembler knows of registers that hold addresses. */
#include "backend_sim/flow/flat.h"

/* For each register, how many of its low bits are zero whatever happens: a
   lower bound. `zeros` has room for all of the kernel. ERR_FAILED without
   memory. */
int aligned_find(const struct flat *f, uint8_t *zeros, struct error *error);

/* The same for an address operand of an instruction: what is added apart. */
uint8_t aligned_base(const struct flat *f, const uint8_t *zeros,
	uint32_t instance, const struct ptx_operand *o);

#endif
