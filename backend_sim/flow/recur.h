#ifndef NEARFAR_RECUR_H
#define NEARFAR_RECUR_H

/*
 * Functions that call themselves, by calls that keep what the caller has: a
 * function is expanded once on the way from the entry, and a call of it from
 * within it keeps the thread's registers and parameters, passes the new ones,
 * and goes to its beginning. At its end a thread that such a call has brought
 * gets back what was kept, and what was returned, and goes on behind that call.
 *
 *   (enter site) p        keeps, and passes; p is true: what is alive behind
 *   @p bra first          the call is alive there, and in what is kept. To the
 *   ...                   root's first instruction; then the site's `behind`
 *
 *   (leave site) p        at the root's end, for each of its sites: p is
 *   @p bra behind         whether the thread's last call is of that site
 *
 * Passes over the code don't know that registers come back: there are none.
 */
#include "backend_sim/flow/flat.h"

/* The instance that expands the function among the instance and those that
   called it; UINT32_MAX: none does. */
uint32_t recur_root(const struct flat *f, uint32_t instance,
	const struct ptx_function *function);

/* A call of the root's function. Sets f->cannot_keep where what it takes is not
   in variables, or a function in between has local ones, whose addresses would
   be the same; ERR_USAGE without a sentence then. */
int recur_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	uint32_t root, struct error *error);

/* The end of the instance's code. */
int recur_end(struct flat *f, uint32_t instance, struct error *error);

/* What the `i`th variable of the site's call is for the caller. */
const struct ptx_operand *recur_passed(const struct flat *f,
	const struct flat_site *site, bool returns, uint32_t i);

#endif
