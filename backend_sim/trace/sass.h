#ifndef NEARFAR_SASS_H
#define NEARFAR_SASS_H

/* An instruction of SASS as the model's SM executes it: sass.def. */
#include "backend_sim/code/code.h"
#include "harness/trace/trace.h"

/* Slots of registers that an instruction waits for, by their numbers. */
#define SASS_SLOTS TRACE_NUMBERS

/* The traced instruction as the model's, and `made`, to which that points.
   False: it is not modelled. `*why`, static, says why; NULL: its opcode is not
   known. */
bool sass_code(const struct trace_insn *insn, uint32_t line,
	struct code_insn *c, struct ptx_insn *made, const char **why);

#endif
