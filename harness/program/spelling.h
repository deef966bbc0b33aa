#ifndef NEARFAR_SPELLING_H
#define NEARFAR_SPELLING_H

/* An instruction as PTX spells it. */
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/program/program.h"

/* The PTX spelling of an instruction: operation and qualifiers only. */
void insn_spelling(const struct insn *insn, char *text, size_t bytes);

/* The reverse; ERR_USAGE names the qualifier that is not known. */
int insn_from_spelling(
	const char *spelling, struct insn *insn, struct error *error);

#endif
