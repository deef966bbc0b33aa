#ifndef NEARFAR_ORDER_H
#define NEARFAR_ORDER_H

/*
 * The instructions of a basic block and what depends on what: nodes and edges,
 * and the values that registers hold between them.
 */
#include "backend_sim/flow/liveness.h"

#define NOBODY UINT32_MAX

struct order_node {
	uint32_t waits;    /* instructions before it that are not placed */
	uint32_t edge;     /* first of its list; so are the next two */
	uint32_t takes;    /* of values that it reads */
	uint32_t makes;    /* of values that it writes */
	uint32_t latency;  /* cycles until its values can be used */
	uint32_t height;   /* cycles from it to the block's end, at least */
	uint32_t earliest; /* cycle at which its operands are there */
	int32_t growth;    /* registers that it takes more than it gives back */
	uint32_t before, next; /* of those that are not placed; NOBODY and
				  order.count: there is none */
	uint8_t round;         /* of an unrolled loop */
};

/* Why an instruction comes after another one. */
enum order_why { ORDER_ALONE, ORDER_VALUE, ORDER_GUARD };

/* Of a list: `to` is an instruction or a value. */
struct order_link {
	uint32_t to, next;
	uint8_t why; /* enum order_why */
};

/* What a register holds from one write to the next. */
struct order_value {
	uint32_t uses;    /* instructions that read it and are not placed */
	uint32_t readers; /* all of these, by exclusive or: one is that one */
	uint8_t words;    /* registers of 32 bits */
	bool stays;       /* it is read behind the block, too */
};

struct order_links {
	struct order_link *items; /* owned */
	uint32_t count, capacity;
};

struct order {
	struct flat *f;
	const struct liveness *live;
	uint32_t block, first, count; /* a part of the block, or all of it */
	bool is_last;                 /* nothing of the block is behind it */
	struct order_node *nodes;     /* owned, as the others */
	uint64_t *ready; /* a bit each: not placed, and waits for none */
	struct order_links links;
	struct order_value *values;
	uint32_t value_count, value_capacity;
	uint32_t words;   /* registers of 32 bits that hold values */
	uint32_t carry;   /* node + 1 that had to do with the carry last */
	uint32_t *writer; /* [register]: node + 1 that wrote it last */
	uint32_t *reader; /* [register]: 1 + its last place in `links` */
	uint32_t *value;  /* [register]: 1 + what it holds */
	struct flat_insn *result;
	bool failed;
};

/* Gives the block's instructions their new order. */
void order_place(struct order *o);

#endif
