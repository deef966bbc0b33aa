#ifndef NEARFAR_QUALIFIERS_H
#define NEARFAR_QUALIFIERS_H

/*
 * What an instruction's qualifiers and policy ask of the caches, as measured on
 * an H200 where PTX leaves it open.
 */
#include "backend_sim/sm/execution.h"

/* In the launch that begins. */
void qualifiers_ask(
	const struct execution *x, const struct insn *insn, struct asks *asks);

/* The eviction class (CLASS_*) in L2 of what is at the offset of its buffer. */
unsigned qualifiers_l2_class(const struct execution *x, const struct warp *w,
	const struct insn *insn, uint64_t offset);

/* The same of a bulk copy, which has this policy if it takes one. A window is
   taken to count for copies as it does for loads. */
unsigned qualifiers_bulk_class(const struct execution *x,
	const struct insn *insn, uint64_t policy, uint64_t offset);

/* The access that the kernel's warp issues has this policy; false: createpolicy
   makes no such, and the model does not know it. */
bool qualifiers_take_policy(struct warp *w, uint64_t bits);

#endif
