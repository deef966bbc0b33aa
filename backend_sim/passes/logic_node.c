#include <string.h>

#include "backend_sim/passes/logic_node.h"

static bool same_leaf(
	const struct node *a, uint32_t x, const struct node *b, uint32_t y)
{
	const struct ptx_operand *p = &a->leaves[x], *q = &b->leaves[y];

	if (p->kind != q->kind)
		return false;
	if (p->kind == PTX_NUMBER)
		return p->bits == q->bits;
	return p->index == q->index && a->versions[x] == b->versions[y];
}

/* The leaf's place in `to`, where it is added if it is new; LEAVES: there is no
   room. Of numbers an operation has one. */
static uint32_t add_leaf(struct node *to, const struct node *from, uint32_t x)
{
	const bool is_number = from->leaves[x].kind == PTX_NUMBER;
	uint32_t at;

	for (at = 0; at < to->count; at++) {
		if (same_leaf(to, at, from, x))
			return at;
		if (is_number && to->leaves[at].kind == PTX_NUMBER)
			return LEAVES;
	}
	if (at == LEAVES)
		return LEAVES;
	to->leaves[at] = from->leaves[x];
	to->versions[at] = from->versions[x];
	to->count++;
	return at;
}

bool node_add(struct node *to, const struct node *from, uint8_t *table)
{
	uint32_t places[LEAVES] = {0}, bits, x, index;

	for (x = 0; x < from->count; x++) {
		places[x] = add_leaf(to, from, x);
		if (places[x] == LEAVES)
			return false;
	}
	*table = 0;
	for (bits = 0; bits < 8; bits++) {
		index = 0;
		for (x = 0; x < from->count; x++)
			if (node_leaf(places[x]) >> bits & 1)
				index |= 4u >> x;
		*table |= (uint8_t)((from->table >> index & 1u) << bits);
	}
	return true;
}

uint8_t node_apply(const struct ptx_insn *insn, const uint8_t tables[LEAVES])
{
	uint32_t bits, index;
	uint8_t table = 0;

	switch (insn->op) {
	case PTXO_AND:
		return tables[0] & tables[1];
	case PTXO_OR:
		return tables[0] | tables[1];
	case PTXO_XOR:
		return tables[0] ^ tables[1];
	case PTXO_NOT:
		return (uint8_t)~tables[0];
	default:
		for (bits = 0; bits < 8; bits++) {
			index = (tables[0] >> bits & 1u) << 2 |
				(tables[1] >> bits & 1u) << 1 |
				(tables[2] >> bits & 1u);
			table |=
				(uint8_t)((insn->operands[4].bits >> index & 1u)
					  << bits);
		}
		return table;
	}
}

static bool depends_on(uint8_t table, uint32_t x)
{
	const uint8_t ones = node_leaf(x);
	const unsigned shift = 4u >> x;

	return ((table & ones) >> shift) != (table & (uint8_t)~ones);
}

void node_shed(struct node *n)
{
	uint8_t table = 0;
	uint32_t x, bits, index;

	for (x = n->count; x-- > 0;) {
		if (depends_on(n->table, x))
			continue;
		table = 0;
		for (bits = 0; bits < 8; bits++) {
			/* Those behind it move up. */
			index = bits >> (LEAVES - x) << (LEAVES - x) |
				(bits & ((1u << (LEAVES - x)) - 1)) >> 1;
			table |= (uint8_t)((n->table >> index & 1u) << bits);
		}
		n->table = table;
		n->count--;
		memmove(&n->leaves[x], &n->leaves[x + 1],
			(n->count - x) * sizeof(n->leaves[0]));
		memmove(&n->versions[x], &n->versions[x + 1],
			(n->count - x) * sizeof(n->versions[0]));
	}
}
