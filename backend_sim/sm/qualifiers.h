#ifndef NEARFAR_QUALIFIERS_H
#define NEARFAR_QUALIFIERS_H

/*
 * What an instruction's qualifiers and policy ask of the caches, as measured on
 * an H200 where PTX leaves it open.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/program.h"
#include "backend_sim/core/request.h"

struct engine;
struct warp;

/* Into a request of the instruction: its kind, what it does in L1, and what a
   miss in L2 brings. */
void qualifiers_apply(const struct insn *insn, struct request *r);

/* The eviction class (CLASS_*) in L2 of what is at the offset of its buffer. */
unsigned qualifiers_l2_class(const struct engine *e, const struct warp *w,
	const struct insn *insn, uint64_t offset);

/* Which operators look in L1: .ca .cs .nc .lu and .relaxed.cta; all but .lu
   leave a line there. */
bool qualifiers_look_in_l1(const struct insn *insn);

/* What an access that goes past L1 does to the line there (EFFECT_*). */
unsigned qualifiers_l1_effect(const struct engine *e, const struct insn *insn);

/* Does it go through a texture cache, not through the load/store unit? */
bool qualifiers_texture(const struct engine *e, const struct insn *insn);

#endif
