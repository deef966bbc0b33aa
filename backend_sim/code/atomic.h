#ifndef NEARFAR_ATOMIC_H
#define NEARFAR_ATOMIC_H

/* Atomic operations, and reductions of copies. */
#include "backend_sim/code/code.h"

/* An atomic operation: QV_ATOMIC_*, enum ptx_type, and the type's bytes. */
struct atomic {
	uint8_t op, type, bytes;
	bool flushes; /* a copy's: f32 below the least normal number is zero */
};

static inline struct atomic atomic_of(const struct code_insn *c)
{
	return (struct atomic){.op = c->insn->qualifiers[Q_ATOMIC],
		.type = c->insn->type,
		.bytes = c->bytes};
}

/* What an atomic operation leaves of `was`, which is in global memory or in
   that of the SM. */
uint64_t atomic_result(const struct atomic *of, uint64_t was, uint64_t b,
	uint64_t by, bool in_global, bool *known);

#endif
