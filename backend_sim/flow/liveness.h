#ifndef NEARFAR_LIVENESS_H
#define NEARFAR_LIVENESS_H

/*
 * Which registers hold a value that is still read, where a block begins and
 * where it ends. Most registers are written and read within one block; only
 * those that some block reads before it surely writes them have a place in the
 * sets.
 */
#include "backend_sim/flow/flat.h"
#include "backend_sim/flow/graph.h"

enum register_kind { KIND_PREDICATE, KIND_NARROW, KIND_WIDE, KINDS };

struct liveness {
	uint64_t *in, *out;  /* [block][place]: a bit each; owned */
	uint32_t words;      /* of a block's set */
	uint32_t *place;     /* [register]: 1 + its place; 0: none; owned */
	uint32_t *registers; /* [place]: its register; owned */
	uint32_t count;      /* places */
	uint64_t *one, *two; /* [place]: of one register of 32 bits, of two, a
				bit each; owned */
	bool *is_free;       /* [register]: read from the constant bank where it
				is used: parameters, numbers, moves of them */
	const struct flat *flat;
};

/* ERR_FAILED without memory, ERR_USAGE for what is too large for sets of
   registers; liveness_free() then, too. */
int liveness_make(struct liveness *l, const struct flat *f,
	const struct graph *g, struct error *error);
void liveness_free(struct liveness *l);

bool liveness_has(const struct liveness *l, const uint64_t *sets,
	uint32_t block, uint32_t reg);
/* Registers of 32 bits that a block's set takes. */
uint32_t liveness_words_in(
	const struct liveness *l, const uint64_t *sets, uint32_t block);
enum register_kind liveness_kind(uint8_t type);
/* Registers of 32 bits that it takes. */
uint32_t liveness_words(const struct liveness *l, uint32_t reg);

#endif
