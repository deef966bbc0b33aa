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
	bool here;        /* an instruction of the loop itself */
	bool moving;      /* offset advances with the innermost loop */
	bool straight;    /* no wrap within an unrolled iteration: its copies
			     differ by a constant alone */
	bool prepared;    /* the address is at hand in `address` */
	unsigned offset;  /* d */
	unsigned address; /* d */
	uint64_t beyond_bytes; /* straight: of the copy, beyond `address` */
};

/* Buffer addresses plus the zero that ties them to the values of the last
   iteration; d registers. */
struct ptx_bases {
	unsigned buffer[PROGRAM_BUFFERS_MAX], shared;
};

/* The offset's value at the current counters, in a fresh register. */
unsigned ptx_offset(struct ptx_body *b, uint32_t insn);

/* Whether `copies` copies of a loop's body can share one address. */
bool ptx_is_straight(const struct ptx_body *b, uint32_t insn, unsigned copies);

/* Advances a cursor by `count` strides of the innermost loop, with the
   wrap. */
void ptx_advance(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, unsigned count);

/* Computes an instruction's address ahead, so that a timed one need not. */
void ptx_prepare(struct ptx_body *b, uint32_t insn, struct ptx_cursor *cursor,
	const struct ptx_bases *bases);

/* One instruction other than repeat and end. */
void ptx_instruction(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases,
	struct ptx_uses *uses);

/* Folds the values into the accumulators. */
void ptx_fold(struct ptx_body *b, struct ptx_uses *uses);

/* Makes the warp wait for every value so far: a volatile shared store. */
void ptx_settle(struct ptx_body *b, const struct ptx_uses *uses);

#endif
