#ifndef NEARFAR_TRACE_H
#define NEARFAR_TRACE_H

/*
 * A kernel's trace as Accel-Sim's tracer writes it (kernel-N.traceg): what each
 * warp executed, in SASS, with the lanes that were active, the registers and
 * the addresses, and without values.
 *
 *   -kernel name = vectorAdd          the head: lines "-key = value"
 *   -grid dim = (196,1,1)
 *   thread block = 0,0,0              blocks, their warps, and of each warp
 *   warp = 0                          as many instructions as "insts" says
 *   insts = 2
 *   00a0 ffffffff 1 R4 LDG.E 1 R4 4 1 0x7fb0fc430e00 4 0
 *   00d0 ffffffff 1 R0 FADD 2 R4 R3 0 0
 *
 * An instruction: {its source line, where the head enables it} its PC, the
 * lanes that execute it, registers that it writes, its opcode, registers that
 * it reads, the bytes a lane accesses (0: no memory), and the addresses:
 * 0 and each lane's, 1 with the first and a stride, or 2 with the first and
 * the way from each lane to the next; then an immediate, from version 5 on.
 * Lines that begin with '#' are comments.
 *
 * Version 6, of Accel-Sim 2.0, has more: behind `thread block` the lines
 * `cluster id`, `cluster cta` (the block's place in its cluster) and `cluster
 * rank`; uniform registers and predicates (UR4, P0, UP0) among the others;
 * behind the registers of a product of a warpgroup whether it ends a group (0
 * or 1); two immediates. Values of registers, which may follow, are not used,
 * nor is what a copy of the tensor memory accelerator has behind its registers.
 *
 * Source: the files of tracer versions 3 and 5, and Accel-Sim's own reader.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

#define TRACE_LANES      32u
#define TRACE_NAME_BYTES 256
#define TRACE_REGISTERS  8u /* written or read by one instruction */
#define TRACE_IMMEDIATES 2u

/* Numbers of registers: R0 to R254, UR0 to UR62, P0 to P6, UP0 to UP6; behind
   each kind stands the one that is always 0, or true. */
#define TRACE_ZERO           255u
#define TRACE_UNIFORM        256u
#define TRACE_PREDICATE      320u
#define TRACE_UNIFORM_BRANCH 328u
#define TRACE_NUMBERS        336u
#define TRACE_ENDING         ".traceg"
#define TRACE_LIST           ".g" /* the ending of kernelslist.g */

/* Where a text is read; the text ends with a zero byte and outlives it. */
struct trace_reader {
	const char *source; /* as messages name it */
	const char *line, *at;
	uint32_t number; /* of the line, from 1 */
	struct error *error;
};

struct trace_head {
	char name[TRACE_NAME_BYTES]; /* of the kernel; blanks are '_' */
	uint32_t grid[3], block[3];
	uint32_t shared_bytes, registers;
	uint32_t version; /* of the tracer */
	bool has_source_lines;
	uint64_t shared_base, local_base; /* of the windows of addresses */
};

struct trace_insn {
	uint64_t pc;
	uint32_t mask; /* lanes that execute it */
	uint8_t written_count, read_count;
	uint8_t bytes; /* of a lane's access: 0, 1, 2, 4, 8, 16 */
	uint16_t written[TRACE_REGISTERS], read[TRACE_REGISTERS];
	bool says_group, ends_group; /* of products of a warpgroup */
	uint8_t immediate_count;
	uint64_t immediates[TRACE_IMMEDIATES];
	const char *opcode; /* in the text */
	uint32_t opcode_bytes;
	uint64_t address[TRACE_LANES]; /* of lanes in `mask`, if `bytes` */
};

/* Does the register hold something? */
static inline bool trace_holds(unsigned number)
{
	return number != TRACE_ZERO && number + 1 != TRACE_PREDICATE &&
	       number + 1 != TRACE_UNIFORM_BRANCH && number + 1 < TRACE_NUMBERS;
}

enum trace_item { TRACE_END, TRACE_BLOCK, TRACE_CLUSTER, TRACE_WARP };

/* A block, its place in its cluster or what else is said of that, or a warp of
   the last one with so many instructions, at which the reader then stands. */
struct trace_part {
	enum trace_item item;
	bool is_place; /* of a cluster's lines: the block's place */
	uint32_t block[3];
	uint32_t warp, insns;
};

/* All of them: 0, or ERR_USAGE with "SOURCE:LINE:COLUMN: what was expected". */

/* To the next line that says something; false: the text is at its end. */
bool trace_next_line(struct trace_reader *r);
/* The reader stands behind the head. */
int trace_read_head(struct trace_reader *r, struct trace_head *head);
/* The next block or warp; the instructions of the one before have been read. */
int trace_read_part(struct trace_reader *r, struct trace_part *part);
int trace_read_insn(struct trace_reader *r, const struct trace_head *head,
	struct trace_insn *insn);

/* Is it the name of a trace, by its ending? */
bool trace_is_name(const char *path);

/* What is wrong at the reader's place. */
int trace_fail(const struct trace_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline struct trace_reader trace_reader_at(
	const char *source, const char *text, struct error *error)
{
	return (struct trace_reader){.source = source,
		.line = text,
		.at = text,
		.number = 1,
		.error = error};
}

#endif
