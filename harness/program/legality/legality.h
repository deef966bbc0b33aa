#ifndef NEARFAR_LEGALITY_H
#define NEARFAR_LEGALITY_H

/*
 * What PTX allows, in one place. Rows come from two tables: qualifiers.def
 * (each qualifier: the operations that take it, minimum SM and PTX version)
 * and the exclusions in rules.c (each rule: a condition on one instruction
 * and the sentence that refuses it). What this project's format forbids beyond
 * PTX stands in format.c, chases.c and steps.c. Source: NVIDIA's PTX
 * ISA, the sections on cache operators, eviction priorities, ld,
 * ld.global.nc, st, atom, red, prefetch, applypriority, discard and
 * createpolicy.
 */
#include "harness/contract/backend.h"
#include "harness/base/error.h"
#include "harness/program/program.h"
#include "harness/program/qualifiers.h"

/* One rule on one instruction. */
struct legality_rule {
	const char *name;     /* "cop-with-order" */
	const char *sentence; /* what is refused, as in the PTX pages */
	bool (*broken)(const struct program *p, const struct insn *insn);
	/* The assembler (13.0) takes what breaks it all the same; NULL: never
	 */
	bool (*assembles)(const struct insn *insn);
};

extern const struct legality_rule legality_rules[];
extern const size_t legality_rule_count;

/*
 * ERR_USAGE with one sentence naming the instruction and the rule for a
 * program that PTX or this project's format forbids, on any device: also
 * sizes, ranges, unbalanced repeats, roles that overlap, addresses outside
 * their buffer, sample counts that do not fit.
 */
int program_check(const struct program *p, struct error *error);

/*
 * ERR_USAGE, as program_check() has it, for an instruction of a user's kernel
 * that no assembler takes in a module for `sm` and of PTX `ptx`: its spelling,
 * and of its operands the numbers that struct insn has (those of createpolicy
 * that are in registers are as program_ptx() leaves them).
 */
int legality_of_kernel(const struct insn *insn, uint32_t sm, uint32_t ptx,
	struct error *error);

/* The least SM and PTX version that the program's instructions need. */
struct requirement {
	uint16_t sm, ptx;
	const char *because; /* the qualifier or operation that needs it */
};
struct requirement program_requirement(const struct program *p);

/*
 * ERR_SKIPPED with the reason if the program is legal but `device` lacks
 * what it needs (an SM that is not there, `.L2::evict_last` before sm_100,
 * more shared memory than a block may have).
 */
int program_fits(const struct program *p, const struct device *device,
	struct error *error);

#endif
