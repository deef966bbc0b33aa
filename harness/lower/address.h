#ifndef NEARFAR_LOWER_ADDRESS_H
#define NEARFAR_LOWER_ADDRESS_H

/*
 * Addresses as PTX. A benchmark of memory must not wait for arithmetic: inside
 * a loop each access costs nothing (its copies in an iteration differ by a
 * constant), or an addition, a wrap and a multiplication that depend on nothing
 * but the iteration's first offset.
 *
 *   cursor_open      before the loop: offsets at its first iteration
 *   cursor_place     before an access: which copy of the body it belongs to
 *   address_text     the operand, "[%d7+64]"
 *   cursor_advance   after the last copy
 */
#include "harness/lower/body.h"

/* Buffer addresses plus the zero that ties them to the values of the last
   iteration; d registers. */
struct ptx_bases {
	unsigned buffer[PROGRAM_BUFFERS_MAX], shared;
};

/* Where an instruction's running offset lives while its loop runs. */
struct ptx_cursor {
	bool here;     /* an instruction of the loop itself */
	bool moving;   /* with an offset that the innermost loop advances */
	bool straight; /* no wrap within an iteration: its copies differ by a
			  constant alone, and share one address */
	bool narrow;   /* `offset` counts units, in an r register */
	bool prepared; /* the address is at hand in `address` */
	unsigned unit_bytes;
	unsigned offset; /* d, or r if narrow: of the first copy */
	unsigned stream; /* r: random ones, the draw's thread and instruction */
	unsigned slots;  /* r, one a copy: the iteration's draws, made while
			    the loads of the one before are under way */
	unsigned address; /* d */
	unsigned copy;    /* the one being written */
	unsigned repeats; /* accesses before it, in this iteration, to the same
			     address: the assembler must not know that */
	uint64_t beyond_bytes; /* of the copy, beyond `address` */
};

/* `copies`: of the loop's body in an iteration. */
void ptx_cursor_open(struct ptx_body *b, uint32_t insn, unsigned copies,
	struct ptx_cursor *cursor);

/* Turns to a copy; with `prepare` its address is computed now. */
void ptx_cursor_place(struct ptx_body *b, uint32_t insn, unsigned copy,
	bool prepare, const struct ptx_bases *bases, struct ptx_cursor *cursor);

/* Moves on by an iteration of `copies` copies, to which the counter has come;
   before the values of the last one are waited for. */
void ptx_cursor_advance(struct ptx_body *b, uint32_t insn, unsigned copies,
	const struct ptx_cursor *cursor);

/* How many accesses of instructions [first, end), all of one loop, reach the
   address of `insn` in `copy`, the same iteration, before it does. */
unsigned ptx_address_repeats(const struct ptx_body *b, uint32_t first,
	uint32_t end, uint32_t insn, unsigned copy);

/* The operand; cursor NULL: outside of loops. */
void ptx_address_text(struct ptx_body *b, uint32_t insn,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases,
	char *text, size_t bytes);

#endif
