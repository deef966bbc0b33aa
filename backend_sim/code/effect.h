#ifndef NEARFAR_CODE_EFFECT_H
#define NEARFAR_CODE_EFFECT_H

/* What keeps instructions in their order beside the registers: memory as
   others see it, and clocks. */
#include <stdbool.h>

#include "harness/ptx/ptx.h"

enum effect { NONE_AT_ALL, READS, WRITES, ORDERS };

/* What an instruction does to memory as others see it. */
enum effect effect_of(const struct ptx_insn *insn);
/* Whether both may be about the same memory. */
bool effect_may_meet(const struct ptx_insn *a, const struct ptx_insn *b);
bool effect_reads_clock(const struct ptx_insn *insn);
/* Nothing that has an effect passes it. */
bool effect_keeps_order(const struct ptx_insn *insn);

#endif
