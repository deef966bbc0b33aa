#ifndef NEARFAR_ORIGINS_H
#define NEARFAR_ORIGINS_H

/*
 * Which memory an address may be of: where the registers that make it come
 * from. A bit for each kind of memory; a set of kinds says more than what is
 * true, as long as
 *
 *   - an address comes from the launch's parameters, from a variable, or from
 *     8 bytes of memory;
 *   - what is added to an address does not lead from one buffer to another.
 *
 * Who relies on a set looks at each address when it is used (idle/needed.h).
 */
#include "backend_sim/flow/flat.h"

#define ORIGIN_SHARED UINT64_C(1)
#define ORIGIN_LOCAL  UINT64_C(2) /* parameters of calls, too */
#define ORIGIN_FIXED  UINT64_C(4) /* that no kernel writes */
#define ORIGIN_OTHER  UINT64_C(8) /* global memory that is no buffer */
/* Of a word of memory that may be an address of any kind. */
#define ORIGIN_LOADED (UINT64_C(1) << 63)
#define ORIGIN_ALL    ((UINT64_C(1) << 59) - 1)
#define ORIGIN_GLOBAL                                                          \
	(ORIGIN_ALL & ~(ORIGIN_SHARED | ORIGIN_LOCAL | ORIGIN_FIXED))

/* Buffers have a kind each, but for the last ones of many. */
#define ORIGIN_BUFFERS 55u
static inline uint64_t origin_of_buffer(size_t i)
{
	return UINT64_C(16)
	       << (i < ORIGIN_BUFFERS - 1 ? i : ORIGIN_BUFFERS - 1);
}

/* The memory of a job, and the parameters of a launch. */
struct origin_memory {
	const uint64_t *buffers; /* addresses, ascending; not owned */
	size_t buffer_count;
	uint64_t rest;             /* the address behind the last buffer */
	uint64_t end;              /* and behind all memory */
	uint64_t mapped;           /* buffers that tensor maps are of */
	const uint8_t *parameters; /* not owned */
	uint32_t parameter_bytes;
};

/* The kind of the global memory that has the address; 0: none has it. */
uint64_t origin_of_address(const struct origin_memory *m, uint64_t address);

struct origins {
	const struct flat *f;
	const struct origin_memory *space;
	uint64_t *of;   /* [register]; owned */
	uint64_t local; /* of what local memory holds */
};

/* ERR_FAILED without memory; origins_free() then, too. */
int origins_find(struct origins *o, const struct flat *f,
	const struct origin_memory *space, struct error *error);
void origins_free(struct origins *o);

/* The kinds of memory that an address operand leads to; `space`: enum
   ptx_space. */
uint64_t origins_access(const struct origins *o, const struct flat_insn *flat,
	uint8_t space, const struct ptx_operand *address);

#endif
