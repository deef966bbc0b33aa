#ifndef NEARFAR_PREDICATE_H
#define NEARFAR_PREDICATE_H

/*
 * The assembler has no branch around a few instructions: it puts them under
 * the branch's predicate,
 *
 *	@p bra L                  @!p A
 *	A                         @!p B
 *	B                  ->
 *   L:
 *
 * and so those of both sides of an if with an else. The instructions are of
 * one block then, with what stood before and behind them, and are ordered as
 * such. Up to which number of them, and what must not be among them, was found
 * by assembling branches that differ in one thing (ptxas 13.0 for sm_90;
 * backend_sim/kernels.md says which).
 */
#include "backend_sim/flow/graph.h"

/* Takes out the branches; `*changed` says that `g` is out of date. ERR_FAILED
   without memory. */
int predicate_branches(struct flat *f, const struct graph *g, bool *changed,
	struct error *error);

#endif
