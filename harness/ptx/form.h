#ifndef NEARFAR_PTX_FORM_H
#define NEARFAR_PTX_FORM_H

/* What can be written, as forms.def and accesses.def say it. */
#include "harness/ptx/reader.h"

#define WORDS_MAX 16

/* The words of a spelling: the first is the operation's. */
struct spelling {
	struct ptx_name all; /* as it is written */
	struct ptx_name words[WORDS_MAX];
	uint32_t count;
	struct ptx_place place;
};

/*
 * The form of an operation that the spelling has, whose first `used` words are
 * the operation's: `*operands` are the types of its operands as forms.def has
 * them, NULL: the operation has no forms. ERR_USAGE: it is no form of PTX, or
 * not of the module's version and target.
 */
int form_find(struct reader *r, const struct spelling *s, uint8_t op,
	uint32_t used, const char **operands);

/* Whether the operands are of the form's types; ERR_USAGE. */
int form_check(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const char *operands);
/* Whether the address is one of the space that the instruction accesses. */
int form_check_address(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct ptx_operand *o);
/* What is of single operations. */
int form_check_rules(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s);

#endif
