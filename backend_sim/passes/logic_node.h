#ifndef NEARFAR_LOGIC_NODE_H
#define NEARFAR_LOGIC_NODE_H

/* What logic makes of up to three values, as tables: for logic.c. */
#include "backend_sim/flow/flat.h"

#define LEAVES 3u

struct node {
	struct ptx_operand leaves[LEAVES]; /* of one instance */
	uint32_t versions[LEAVES];         /* of registers */
	uint8_t count;
	uint8_t table; /* bit 4a + 2b + c is the result of bits a, b and c */
	bool is_logic;
	uint8_t last; /* a bit for each operand behind the result: a register
			 that nobody else reads before it is written again */
};

/* The table of the leaf itself. */
static inline uint8_t node_leaf(uint32_t leaf)
{
	return leaf == 0 ? 0xf0 : leaf == 1 ? 0xcc : 0xaa;
}

/* Adds the leaves of `from` that `to` lacks, and gives its table over those of
   `to`. False: there is no room. */
bool node_add(struct node *to, const struct node *from, uint8_t *table);
/* The operation on tables of its operands. */
uint8_t node_apply(const struct ptx_insn *insn, const uint8_t tables[LEAVES]);
/* Leaves that make no difference go. */
void node_shed(struct node *n);

#endif
