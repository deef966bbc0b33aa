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

/* ---- stalls.c ---- */

/* Sets code_insn.stall of all; ERR_FAILED without memory. */
int stalls_find(struct code *code, const struct graph *g, struct error *error);

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

/* Does an address of the variable have the block's rank in it? Then it has a
   row for such: of what `bits` are for rank 0. */
bool bind_is_home(const struct decoder *d, uint32_t variable);
int bind_home(struct decoder *d, uint64_t bits, bool is_wide, struct row *row);

/* The instruction waits for the row before it starts; writes it. */
void bind_wait(struct code_insn *c, const struct row *row);
void bind_write(struct code_insn *c, const struct row *row);
/* A value or a vector of them: c->rows and c->count. Numbers lie in rows of 64
   bits if c->wide_rows. */
int bind_items(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c);

/* The registers of a matrix, up to 128, behind code.fragments; `*count`: how
   many. `c`: the instruction waits for them, or writes them; or NULL. */
int bind_fragment(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c, uint8_t *count);

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
/* An address as the base's row, if it has one, and what is added; whether it is
   in a launch's parameters; whether a register of 32 bits holds it. */
int decode_address(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, struct row *base, bool *has_base,
	uint64_t *offset, bool *is_launch);
bool decode_is_narrow(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o);

/* ---- decode_async.c: asynchronous barriers, bulk copies, proxies ---- */
int decode_async(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
/* Address `i` of the instruction: its base in `row`, which has a slot if there
   is one; bit i of c->count says whether it has 64 bits. */
int bind_place(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, const struct ptx_operand *o, unsigned i,
	struct row *row, uint64_t *offset);
/* A value that the instruction waits for; the policy that is operand `at`. */
int bind_value(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, const struct ptx_operand *o, uint8_t type,
	struct row *row);
int bind_hint(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, uint32_t at);
/* The ranks of blocks that get a multicast, a bit each, as operand `at`. */
int bind_ranks(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, uint32_t at, struct row *row);

/* ---- decode_call.c: calls of functions by themselves ---- */
int decode_call(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode_tensor.c: tensor maps and copies ---- */
int decode_tensor(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode_matrix.c ---- */

/* Products of matrices, and a move of one. */
int decode_matrix(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
/* wgmma: of a product the descriptors in s[0] and s[1], whether D is added to
   in `p`, and what choices there are in `offset`. */
int decode_group_product(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
/* Fragments from and to memory, whose rows or columns are s[1] elements apart.
 */
int decode_fragment(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);
/* Matrices from and to shared memory. */
int decode_tiles(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode_cluster.c ---- */
int decode_cluster(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c);

/* ---- decode.c ---- */

/* All instructions of `flat`, of whose registers `live` has the rows. ERR_USAGE
   where one is not modelled; ERR_FAILED without memory. */
int decode(struct decoder *d);

/* ---- timing.c ---- */

/* Pipe, slots and latency of the instruction. */
void timing_of(const struct ptx_insn *insn, struct code_insn *c);

#endif
