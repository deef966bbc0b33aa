#ifndef NEARFAR_PTX_INSN_H
#define NEARFAR_PTX_INSN_H

#include "ptx_body.h"

#define PTX_USES_MAX 512

/* Values in flight in one iteration, to be folded at its end. */
struct ptx_uses {
	size_t count;
	struct {
		char bank; /* 'r', 'd' or 'q' */
		unsigned number;
	} items[PTX_USES_MAX + PROGRAM_BUFFERS_MAX + 2];
};

/* Where an instruction's running offset lives while its loop runs. */
struct ptx_cursor {
	bool moving;	 /* offset advances with the innermost loop */
	unsigned offset; /* d */
};

/* The offset's value at the current counters, in a fresh register. */
unsigned ptx_offset(struct ptx_body *b, uint32_t insn);

/* Advances a cursor by the innermost loop's stride, with the wrap. */
void ptx_advance(
	struct ptx_body *b, uint32_t insn, const struct ptx_cursor *cursor);

/*
 * One instruction other than repeat and end. `waiting` is the d register to
 * add to addresses, a zero that depends on the last iteration's values.
 */
void ptx_instruction(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, unsigned waiting,
	struct ptx_uses *uses);

/* Folds the values into the accumulators. */
void ptx_fold(struct ptx_body *b, struct ptx_uses *uses);

/* Makes the warp wait for every value so far: a volatile shared store. */
void ptx_settle(struct ptx_body *b, const struct ptx_uses *uses);

#endif
