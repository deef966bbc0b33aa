#ifndef NEARFAR_TEXT_PARTS_H
#define NEARFAR_TEXT_PARTS_H

/*
 * The parts of a statement of the text form, each written and read in one
 * file: addresses in address.c, instructions in insn.c, roles in
 * role.c.
 */
#include <stdio.h>

#include "harness/program/program.h"
#include "harness/program/text/scan.h"
#include "harness/program/text/steps.h"

/* The name of buffer `index`, or "?" if there is none. */
const char *buffer_name(const struct program *p, unsigned index);

/* The index of the buffer called `name`, or -1. */
int buffer_index(const struct program *p, const char *name);

/* Both, for host actions. */
struct step_names buffer_names(const struct program *p);

/* "[ring chase + 64]" */
void address_print(FILE *out, const struct program *p, const struct address *a);
int address_parse(
	struct scan *scan, const struct program *p, struct address *a);

/* " sms=0:1 threads=32", what follows the name of a role. */
void role_fields_print(FILE *out, const struct role *role);
int role_parse(struct scan *scan, struct role *role);

/*
 * What follows an instruction's spelling, a letter an operand:
 *   a address     p policy to use, with .L2::cache_hint   d policy to make
 *   s size        t total size   f fraction, may be missing
 *   x access property   c count   r the fields of a repeat
 */
const char *insn_operands(const struct insn *insn);

/* "", "@lane0", "@thread0" */
extern const char *const insn_guards[GUARD_COUNT + 1];

/* "@lane0 ld.global.cg.b64 [ring chase]", without indentation. */
void insn_print(FILE *out, const struct program *p, const struct insn *insn);
int insn_parse(struct scan *scan, const struct program *p, struct insn *insn);

#endif
