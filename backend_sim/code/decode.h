#ifndef NEARFAR_DECODE_H
#define NEARFAR_DECODE_H

/* What the files share that make the code of a kernel. */
#include "backend_sim/code/code.h"
#include "backend_sim/flow/graph.h"
#include "backend_sim/code/live.h"

/* A row of constants that is there. */
struct known_constant {
	uint64_t bits;
	uint32_t offset;
	bool is_wide, is_used;
};

struct decoder {
	const struct flat *flat;
	const struct graph *graph;
	const struct live *live;
	struct code *code;
	struct error *error;
	uint32_t constant_capacity;
	struct known_constant *known;         /* by their bits; owned */
	uint32_t known_count, known_capacity; /* a power of two, or none */
};

/* ---- bind.c: operands become rows ---- */

/* A row of a constant. */
int bind_constant(
	struct decoder *d, uint64_t bits, bool is_wide, struct row *row);
/* An operand that is read as `type`. */
int bind_operand(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, struct row *row);
/* The address of a variable, and whether it is a launch's parameter. */
uint64_t bind_variable(const struct decoder *d, const struct flat_insn *flat,
	uint32_t variable, bool *is_launch);

/* The instruction waits for the row before it starts; writes it. */
void bind_wait(struct code_insn *c, const struct row *row);
void bind_write(struct code_insn *c, const struct row *row);
/* A value or a vector of them: c->rows and c->count. Numbers lie in rows of 64
   bits if c->wide_rows. */
int bind_items(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c);

/* The values of an atomic of a vector: c->rows, c->results and c->count. */
int bind_vectors(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode_value.c: instructions on registers ---- */
int decode_value(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_mov(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_predicate(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_cvta(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_bar_warp(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_warp(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* Refuses operands of 64 bits where the instruction has fewer, and the other
   way around: neighbours of a narrower register would be read or written. */
int decode_widths(struct decoder *d, const struct flat_insn *flat);

/* ---- decode_memory.c ---- */
int decode_memory(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
int decode_copy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
/* createpolicy. */
int decode_policy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode.c ---- */

/* All instructions of `flat`, of whose registers `live` has the rows. ERR_USAGE
   where one is not modelled; ERR_FAILED without memory. */
int decode(struct decoder *d);

/* ---- timing.c ---- */

/* Pipe, slots and latency of the instruction. */
void timing_of(const struct ptx_insn *insn, struct code_insn *c);

#endif
