#ifndef NEARFAR_ORDER_PARTS_H
#define NEARFAR_ORDER_PARTS_H

/* What the two files of order.h share. */
#include "backend_sim/grid/order.h"

#define GRANULE       16u
#define BARRIERS_SEEN 64u /* barriers of a block, */
#define ISSUERS_SEEN  32u /* and threads that store in bulk: more are not */
#define NOBODY        UINT8_MAX

struct granule {
	uint32_t write_epoch, write_pc; /* of a thread's last write */
	uint32_t read_epoch, read_pc;
	uint32_t load_epoch, load_pc;   /* of the last cp.async that fills it */
	uint32_t phase, copy_pc;        /* of the last copy that fills it */
	uint32_t group, store_pc;       /* of the last one that reads it */
	uint8_t writer, reader, loader; /* warps */
	uint8_t barrier, issuer;        /* of the copies */
	bool flies; /* the copy that fills it is under way */
};

struct barrier_seen {
	uint32_t offset, phases; /* that are over */
	uint32_t init_epoch, pc;
	uint8_t init_warp;
	bool valid;
};

struct issuer_seen {
	uint32_t warp, last, pc; /* its last group that reads */
	unsigned lane;
	bool any;
};

struct block_order {
	uint32_t *clocks;   /* [warp][component]; owned, as the others */
	uint32_t *meetings; /* [barrier of the block][component] */
	uint32_t *told;     /* [asynchronous barrier, twice][component]: what
			       arrivals of its phase handed on; of those that
			       are over */
	uint32_t *rest;     /* [component]: of all other synchronisation */
	struct granule *granules;
	struct barrier_seen barriers[BARRIERS_SEEN];
	struct issuer_seen issuers[ISSUERS_SEEN];
	uint32_t barrier_count, issuer_count;
	uint32_t flying, flying_pc; /* copies that fill it */
};

struct order {
	struct block_order *blocks; /* [slot]; owned */
	uint32_t slots, warps, components, granules;
};

/* Components of a clock: what warp w did; the same behind a proxy fence; its
   cp.async that have come; phases that are over; bulk groups that were read. */
#define KNOWN(w)        (w)
#define FENCED(o, w)    ((o)->warps + (w))
#define LOADED(o, w)    (2 * (o)->warps + (w))
#define PHASES(o, b)    (3 * (o)->warps + (b))
#define GROUPS_OF(o, i) (3 * (o)->warps + BARRIERS_SEEN + (i))

static inline struct block_order *block_of(
	const struct execution *x, uint32_t warp)
{
	return &x->grid->order->blocks[x->warps[warp].block_index];
}

static inline uint32_t *clock_of(const struct execution *x, uint32_t warp)
{
	return block_of(x, warp)->clocks +
	       (size_t)x->warps[warp].index * x->grid->order->components;
}

static inline struct barrier_seen *find_barrier(
	struct block_order *b, uint32_t offset)
{
	uint32_t i;

	for (i = 0; i < b->barrier_count; i++)
		if (b->barriers[i].offset == offset)
			return &b->barriers[i];
	return NULL;
}

#endif
