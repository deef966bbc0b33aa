#ifndef NEARFAR_NEEDS_PARTS_H
#define NEARFAR_NEEDS_PARTS_H

/* What an instruction is to needs.h. */
#include "backend_sim/flow/needs.h"

/* What lanes say to each other in an operation is as memory that all its
   instructions write and read: lanes may meet from several of them. */
#define NEED_SHFL  (UINT64_C(1) << 59)
#define NEED_VOTE  (UINT64_C(1) << 60)
#define NEED_MATCH (UINT64_C(1) << 61)
#define NEED_REDUX (UINT64_C(1) << 62)

struct need {
	bool always;    /* it is computed whatever becomes of its values */
	uint8_t values; /* a bit for each operand that is read and decides only
			   what is written */
	uint64_t reads, writes; /* kinds of memory, where it is computed */
	uint64_t looks;         /* that it reads whether it is or not */
};

struct need need_of(const struct origins *o, const struct flat_insn *flat,
	const struct needs *needs);

#endif
