#ifndef NEARFAR_DISPATCH_H
#define NEARFAR_DISPATCH_H

/*
 * Calls of what registers hold, and branches through tables, as comparisons and
 * branches. A call goes to the functions of its list, or to those of the module
 * whose address is taken and that take and return as many bytes, each expanded
 * in place: lanes whose registers hold the same function go together. A table
 * is a tree of comparisons; a number beyond the table goes to its last label,
 * which PTX leaves open.
 */
#include "backend_sim/flow/flat.h"

int dispatch_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	unsigned depth, struct error *error);
int dispatch_table(struct flat *f, const struct ptx_insn *insn,
	uint32_t instance, struct error *error);
/* A branch whose target is set later: where it is, `*at`. A predicate of
   UINT32_MAX: it has none, and is the return of a call by register, whose
   ptx_insn.access is set. */
int dispatch_branch(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, uint32_t predicate, bool negated, uint32_t *at,
	struct error *error);
/* A trap in the place of `like`; ptx_insn.access says why. */
int dispatch_trap(struct flat *f, const struct ptx_insn *like,
	uint32_t instance, enum flat_trap why, struct error *error);

#endif
