#ifndef NEARFAR_LEGALITY_PARTS_H
#define NEARFAR_LEGALITY_PARTS_H

/*
 * What the files behind legality.h share: rules.c holds the rules of PTX,
 * format.c those of this project's format on one instruction,
 * steps.c those on buffers, roles and steps, check.c walks
 * a program through them, device.c compares it with a device.
 */
#include "harness/program/legality/legality.h"

/* Rules of the format on one instruction, like those of PTX. */
extern const struct legality_rule format_rules[];
extern const size_t format_rule_count;

/* A vector of 32 bytes: .v8 of 32 bits or .v4 of 64 bits. */
bool legality_is_256_bits(const struct insn *insn);

/* Buffers, host actions, launches and where their roles run. */
int check_buffers(const struct program *p, struct error *error);
int check_steps(const struct program *p, struct error *error);

/* Both tables of rules, for one instruction of a role. */
int check_insn(
	const struct program *p, const struct insn *insn, struct error *error);

/* ERR_USAGE unless `name` is a word that the text form can read back. */
int check_name(const char *name, const char *what, struct error *error);

#endif
