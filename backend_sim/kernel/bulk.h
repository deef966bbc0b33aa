#ifndef NEARFAR_KERNEL_BULK_H
#define NEARFAR_KERNEL_BULK_H

/* What bulk and tensor copies share: a thread's operands. */
#include "backend_sim/grid/copies.h"

/* A lane's copy, while its operands are looked at. */
struct issue {
	struct execution *x;
	const struct code_insn *c;
	uint32_t warp, pc;
	unsigned lane;
	uint32_t bytes;
};

/* Address `i` of the instruction: of its base's row, and the offset. */
uint64_t bulk_address(const struct issue *s, const struct row *row,
	uint64_t offset, unsigned i);
/* The run has failed: the copy `what` the address. False. */
bool bulk_fails(const struct issue *s, const char *what, uint64_t address);
/* An offset in the shared memory of the thread's block; `unit`: what it is a
   multiple of. */
bool bulk_find_shared(const struct issue *s, uint64_t address, uint32_t unit,
	uint32_t bytes, uint32_t *offset);
/* The thread's policy, if the instruction has one. */
bool bulk_take_policy(struct issue *s, struct copy_order *o);

#endif
