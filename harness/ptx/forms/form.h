#ifndef NEARFAR_PTX_FORM_H
#define NEARFAR_PTX_FORM_H

/* What the files that hold operands to a form share. */
#include "harness/ptx/reader.h"

/* What an operand is to be. */
struct wanted {
	char letter;
	uint8_t type;     /* PTX_UNTYPED: no type */
	bool is_at_least; /* registers may be wider */
	bool is_register; /* no number */
};

bool form_is_whole(uint8_t type);
/* As the assembler matches a register's type to an instruction's. */
bool form_agrees(const struct wanted *w, uint8_t type);
bool form_fits(const struct reader *r, const struct ptx_insn *insn,
	const struct wanted *w, const struct ptx_operand *o);
/* The sentence about operand `place`, from 1. */
int form_refuse(struct reader *r, const struct spelling *s,
	const struct wanted *w, const struct ptx_operand *o, uint32_t place);

int form_check_vector(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct wanted *w, uint32_t place);
/* Of a mov of vectors. */
int form_check_moved(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct wanted *w, uint32_t place);

#endif
