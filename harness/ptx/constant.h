#ifndef NEARFAR_PTX_CONSTANT_H
#define NEARFAR_PTX_CONSTANT_H

/* What the operators of constant expressions make of numbers: integers of 64
   bits, with a sign or without, and doubles. Source: PTX ISA 9.0, section 4.5;
   what it leaves open, as ptxas 13.0 has it. */
#include "harness/ptx/reader.h"

struct constant {
	bool is_float, is_single, is_unsigned;
	uint64_t bits; /* of a double, unless is_single or an integer */
};

enum operation {
	OR_ELSE,
	AND_ALSO,
	OR,
	XOR,
	AND,
	EQUAL,
	DIFFERENT,
	AT_MOST,
	AT_LEAST,
	BELOW,
	ABOVE,
	LEFT,
	RIGHT,
	PLUS,
	MINUS,
	TIMES,
	DIVIDED,
	REMAINDER,
	OPERATOR_COUNT
};

struct operation_info {
	char text[3];
	uint8_t binds; /* the tighter the more */
};
extern const struct operation_info operations[OPERATOR_COUNT];

void constant_truth(struct constant *n, bool truth);
/* `a` becomes a OP b; the place is the operator's. */
int constant_apply(struct reader *r, const struct ptx_place *place,
	enum operation op, struct constant *a, const struct constant *b);
/* `n` becomes -n, ~n or !n. */
int constant_unary(struct reader *r, const struct ptx_place *place, char mark,
	struct constant *n);

#endif
