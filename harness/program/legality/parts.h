#ifndef NEARFAR_LEGALITY_PARTS_H
#define NEARFAR_LEGALITY_PARTS_H

/*
 * What the files behind legality.h share: rules.c holds the rules of PTX,
 * format.c those of this project's format on one instruction, chases.c those
 * on chases, steps.c those on buffers, roles and steps, check.c walks
 * a program through them, device.c compares it with a device, kernel.c has what
 * holds for an instruction of a kernel.
 */
#include "harness/program/legality/legality.h"

/* Whether an instruction breaks the rule. */
#define RULE(name)                                                             \
	static bool name(const struct program *p, const struct insn *insn)

/* Rules of the format on one instruction, like those of PTX. */
extern const struct legality_rule format_rules[];
extern const size_t format_rule_count;
extern const struct legality_rule chase_rules[];
extern const size_t chase_rule_count;

/* The i-th rule of all tables, in the order of asking; NULL past the last. */
const struct legality_rule *legality_rule_at(size_t i);

/* The buffer of a global address, or NULL. */
const struct buffer *legality_buffer_of(
	const struct program *p, const struct insn *insn);

/* A vector of 32 bytes: .v8 of 32 bits or .v4 of 64 bits. */
bool legality_is_256_bits(const struct insn *insn);

/* Buffers, host actions, launches and where their roles run. */
int check_buffers(const struct program *p, struct error *error);
int check_steps(const struct program *p, struct error *error);

/* All rules, for one instruction of a role. */
int check_insn(
	const struct program *p, const struct insn *insn, struct error *error);

/* ERR_USAGE: "'SPELLING' is illegal: " and the sentence. */
int refuse_insn(
	const struct insn *insn, const char *sentence, struct error *error);
/* Every qualifier is of its class and one that the operation takes. */
int check_qualifiers(const struct insn *insn, struct error *error);

/* What one instruction needs. */
struct requirement insn_requirement(const struct insn *insn);

/* ERR_USAGE unless `name` is a word that the text form can read back. */
int check_name(const char *name, const char *what, struct error *error);

#endif
