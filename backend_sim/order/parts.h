#ifndef NEARFAR_ORDER_PARTS_H
#define NEARFAR_ORDER_PARTS_H

/* What the files of order.h share. */
#include "backend_sim/grid/order.h"

#define GRANULE       16u
#define BARRIERS_SEEN 64u /* barriers of a block, */
#define ISSUERS_SEEN  32u /* and threads that store in bulk: more are not */
#define NOBODY        UINT8_MAX

/* What products of matrices look at comes first. */
struct granule {
	uint32_t phase;         /* of the last copy that fills it */
	uint8_t barrier;        /* of that copy */
	bool flies;             /* it is under way */
	uint8_t writer, loader; /* warps, as the reader */
	uint32_t read_epoch, read_pc;
	uint8_t reader, issuer; /* issuer: of the last copy that reads it */
	uint32_t write_epoch, write_pc; /* of a thread's last write */
	uint32_t load_epoch, load_pc;   /* of the last cp.async that fills it */
	uint32_t copy_pc;               /* of the last copy that fills it, */
	uint32_t group, store_pc;       /* and of the last one that reads it */
	uint8_t load_words;             /* that cp.async fills: a bit each */
	uint8_t copy_words;             /* that the copy fills */
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
	bool strict; /* products need a fence behind cp.async, too */
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

/* ---- accesses ---- */

/* What an access lacks, in the order in which it is looked for. */
enum lack {
	LACKS_NOTHING,
	LACKS_LOAD,
	LACKS_WAIT,
	LACKS_LANDING,
	LACKS_READ,
	LACKS_ORDER,
	LACKS_FENCE,
	LACKS_READER,
};

enum who { A_THREAD, A_COPY, A_PRODUCT };

/* Who accesses: a thread, or what it issues. */
struct accessor {
	struct execution *x;
	uint32_t warp, pc;
	unsigned lane;
	uint8_t who; /* enum who */
	bool writes;
};

/* Stops the run: "block 3, thread 17: a read of shared memory at offset 64,
   which the copy of line 12 fills: ...". Returns false. */
bool order_accuse(const struct accessor *by, uint32_t offset, enum lack lack,
	uint32_t other_pc);

static inline struct granule *granule_of(
	const struct execution *x, uint32_t warp, uint64_t offset)
{
	return &block_of(x, warp)->granules[offset / GRANULE];
}

/* The bytes of the copy that fills it are known to be there. */
static inline bool has_come(
	const struct order *o, const uint32_t *clock, const struct granule *g)
{
	return g->barrier == NOBODY ||
	       (!g->flies && clock[PHASES(o, g->barrier)] > g->phase);
}

/* Those of cp.async, too. */
static inline bool has_loaded(
	const struct order *o, const uint32_t *clock, const struct granule *g)
{
	return g->loader == NOBODY ||
	       clock[LOADED(o, g->loader)] >= g->load_epoch;
}

static inline bool has_been_read(
	const struct order *o, const uint32_t *clock, const struct granule *g)
{
	return g->issuer == NOBODY || clock[GROUPS_OF(o, g->issuer)] > g->group;
}

static inline enum lack lack_of_wait(
	const struct order *o, const uint32_t *clock, const struct granule *g)
{
	return clock[PHASES(o, g->barrier)] > g->phase ? LACKS_LANDING
						       : LACKS_WAIT;
}

#endif
