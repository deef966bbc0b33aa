#ifndef NEARFAR_LOWER_INSN_H
#define NEARFAR_LOWER_INSN_H

#include "harness/lower/address.h"

#define PTX_USES_MAX 512

/* Values in flight in one iteration, to be folded at its end. */
struct ptx_uses {
	size_t count;
	struct {
		char bank; /* 'r', 'd' or 'q' */
		unsigned number;
		bool with_first; /* comes with another value of its load */
	} items[PTX_USES_MAX + PROGRAM_BUFFERS_MAX + 2];
};

/* One instruction other than repeat and end. */
void ptx_instruction(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases,
	struct ptx_uses *uses);

/* Folds the values into the accumulators. */
void ptx_fold(struct ptx_body *b, struct ptx_uses *uses);

/* Moves one value of each load to `firsts`: a load's values are there at once,
   so that who waits for loads need not wait for more. */
void ptx_take_firsts(struct ptx_uses *uses, struct ptx_uses *firsts);

/* Makes the warp wait for the values: one volatile shared store of 4 bytes a
   lane, which other warps' loads do not feel. One of 8 bytes and a second one
   would hold them up (results/probes/records.tsv). */
void ptx_settle(struct ptx_body *b, const struct ptx_uses *uses);

#endif
