#ifndef NEARFAR_BULK_PARTS_H
#define NEARFAR_BULK_PARTS_H

/* Operands of a copy, as a lane has them. */
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/run_parts.h"

#define BULK_UNIT 16u

/* Of its operands: to, from, bytes, the barrier. */
enum { TO, FROM, BYTES, BARRIER };

/* A lane's copy, while its operands are looked at. */
struct bulk_issue {
	struct execution *x;
	const struct code_insn *c;
	uint32_t warp, pc;
	unsigned lane;
	uint32_t bytes;
};

/* ---- bulk_address.c ---- */

/* Address `i` of the instruction. */
uint64_t bulk_address(const struct bulk_issue *s, const struct row *row,
	uint64_t offset, unsigned i);
/* Stops the run: "a bulk copy of 16 bytes WHAT 0x...". Returns false. */
bool bulk_fails(const struct bulk_issue *s, const char *what, uint64_t address);
/* An offset in the shared memory of a block of the cluster: `*slot`; the
   address is a multiple of `unit`. */
bool bulk_find_shared(const struct bulk_issue *s, uint64_t address,
	uint32_t unit, uint32_t bytes, uint32_t *slot, uint32_t *offset);
/* The same in the thread's own block. */
bool bulk_find_own(
	const struct bulk_issue *s, uint64_t address, uint32_t *offset);
/* An offset in the job's memory. */
bool bulk_find_global(
	const struct bulk_issue *s, uint64_t address, uint64_t *offset);

/* ---- bulk.c ---- */

/* The thread's policy, if the instruction has one. */
bool bulk_take_policy(struct bulk_issue *s, struct copy_order *o);
/* A multicast goes to the same place in each block of the cluster that the
   thread's `ranks` have, a bit each. */
bool bulk_spread(const struct bulk_issue *s, const struct row *ranks,
	struct copy_order *o);

/* ---- sent.c ---- */

/* st.async, red.async. */
bool bulk_is_sent(const struct code_insn *c);
bool bulk_send_all(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);

#endif
