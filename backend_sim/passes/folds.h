#ifndef NEARFAR_FOLDS_H
#define NEARFAR_FOLDS_H

/*
 * Registers of a loop that only count and give addresses: where its rounds
 * stand one behind the other, the addresses have the sum, and the register is
 * counted once. The loop reads such a register nowhere else, and writes it once
 * a round and without a predicate; what is added to an address stays within
 * 4 MiB of it.
 */
#include "backend_sim/passes/counted.h"

#define FOLDS_MAX 32u

struct fold {
	uint32_t reg, at; /* the instruction that counts */
	int64_t step;
	uint32_t passed; /* rounds that have not counted yet */
};

struct folds {
	struct fold list[FOLDS_MAX];
	uint32_t count;
};

/* Those of a loop of which so many rounds will stand together. */
void folds_find(struct folds *folds, const struct flat *f,
	const struct counted *loop, uint32_t rounds);

/* The one that instruction `i` counts; or NULL. */
struct fold *folds_at(struct folds *folds, uint32_t i);

/* Whether operand `o` of instruction `i` is an address by the register. */
bool fold_is_address(const struct flat *f, uint32_t i,
	const struct ptx_operand *o, uint32_t reg);

#endif
