#ifndef NEARFAR_ORDER_PARTS_H
#define NEARFAR_ORDER_PARTS_H

/* What the files of grid/order.h share. A peer is a warp of the block, or of
   its cluster if others' memory is named there: rank * warps + warp. */
#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/order.h"

#define GRANULE       16u
#define BARRIERS_SEEN 64u /* barriers of a block, */
#define ISSUERS_SEEN  32u /* and threads that store in bulk: more are not */
#define NOBODY        UINT8_MAX
#define NO_PEER       UINT16_MAX

/* What products of matrices look at comes first. */
struct granule {
	uint32_t phase;  /* of the last copy that fills it */
	uint8_t barrier; /* of that copy */
	bool flies;      /* it is under way */
	bool by_words;   /* it is st.async or red.async, of the generic proxy */
	uint8_t copy_words;      /* that the copy fills */
	uint16_t writer, loader; /* peers, as the reader */
	uint16_t reader;
	uint8_t issuer;     /* of the last copy that reads it */
	uint8_t load_words; /* that cp.async fills: a bit each */
	uint32_t read_epoch, read_pc;
	uint32_t write_epoch, write_pc; /* of a thread's last write */
	uint32_t load_epoch, load_pc;   /* of the last cp.async that fills it */
	uint32_t copy_pc;               /* of the last copy that fills it, */
	uint32_t group, store_pc;       /* and of the last one that reads it */
};

_Static_assert(sizeof(struct granule) == 52, "grid/order.h says what it costs");

/* An access, by lanes of a warp. */
struct seen {
	uint32_t epoch; /* 0: none */
	uint32_t lanes;
	uint32_t pc : 21, peer : 10, is_strong : 1;
};

struct word {
	struct seen wrote;
	struct seen read[2]; /* since then, of two peers */
};

_Static_assert(sizeof(struct word) == 36, "grid/order.h says what it costs");

#define PAGE_WORDS 1024u

struct barrier_seen {
	uint32_t offset, phases; /* that are over */
	uint32_t init_epoch;
	uint16_t init_peer;
	bool valid;
	bool is_filled; /* copies complete there: the last one's */
	uint32_t filled_phase, filled_pc;
};

struct issuer_seen {
	uint32_t warp, last, pc; /* its last group that reads */
	unsigned lane;
	bool any;
};

/* What a warp has beside its clock. */
struct warp_order {
	uint32_t known;        /* epoch of its own accesses that all its lanes
				  know of each other; */
	uint32_t lanes[LANES]; /* the same of each lane, if it is more */
	/* of what strong accesses hand on: what it has taken, as an acquire
	   does and of its own block alone; it has a fence to hand on */
	uint32_t taken, taken_own;
	bool has_fence;
};

/* The last access of a peer to another block's memory. */
struct visit {
	uint32_t epoch, pc;
	uint8_t lane;
};

/* The last copy of the block's memory to another block that completes at a
   barrier there. */
struct given {
	uint32_t phases; /* that are over when it has; 0: there is none */
	uint32_t warp, pc;
	uint8_t lane;
};

struct block_order {
	uint32_t rank;
	uint32_t *clocks;        /* [warp][component]; owned, as the others */
	uint32_t *released;      /* the same at its last fence; */
	uint32_t *pending;       /* and of what it will know at the next one */
	struct warp_order *each; /* [warp] */
	uint32_t *meetings;      /* [barrier of the block][component] */
	uint32_t *told;          /* [asynchronous barrier, twice][component]:
				    what arrivals of its phase handed on; of
				    those that are over */
	struct granule *granules;
	struct word **pages;  /* [word / PAGE_WORDS], as they are touched */
	struct visit *visits; /* [peer]: of other blocks to its memory */
	struct given *given;  /* [rank * BARRIERS_SEEN + barrier] */
	struct barrier_seen barriers[BARRIERS_SEEN];
	struct issuer_seen issuers[ISSUERS_SEEN];
	uint32_t barrier_count, issuer_count;
	uint32_t flying, flying_pc; /* copies that fill it */
};

/* Blocks that know of each other. */
struct group_order {
	uint32_t base;     /* the epoch in which they began */
	uint32_t handed;   /* how often something was handed on to `rest` */
	uint32_t *rest;    /* [component]: what strong accesses handed on; */
	uint32_t *arrived; /* what arrivals at barrier.cluster did; */
	uint32_t *over;    /* and those of the last phase; owned */
};

#define ACQUIRES_KEPT 8u

struct map_event {
	uint64_t block; /* its number, while it has the slot */
	uint32_t slot, peer, epoch;
};

/* A tensor map in global memory that the launch has made. */
struct map_order {
	uint64_t offset;
	uint32_t pc;
	bool is_there;
	struct map_event made;
	uint32_t acquired_count; /* since then; the last ones are kept */
	struct map_event acquired[ACQUIRES_KEPT];
};

struct order {
	struct block_order *blocks; /* [slot]; owned, as the others */
	struct group_order *groups; /* [slot / ranks] */
	struct map_order *maps;     /* a table of hashes */
	uint32_t map_count, map_capacity;
	uint32_t slots, warps, ranks, peers, components, granules, pages;
	uint32_t shift;   /* a word has 1 << shift bytes */
	bool strict;      /* products need a fence behind cp.async, too */
	bool has_copies;  /* granules are looked at */
	bool has_threads; /* words are */
};

/* Components of a clock: what a peer did; where there are copies, the same
   behind a fence between proxies, and behind one of mbarrier.init; its cp.async
   that have come; phases that are over; the same behind a fence between
   proxies; bulk groups that were read. */
#define KNOWN(p)            (p)
#define FENCED(o, p)        ((o)->peers + (p))
#define INITED(o, p)        (2 * (o)->peers + (p))
#define LOADED(o, p)        (3 * (o)->peers + (p))
#define PHASES_OF(o, b)     (4 * (o)->peers + (b)->rank * BARRIERS_SEEN)
#define FENCED_PHASES(o, b) (PHASES_OF(o, b) + (o)->ranks * BARRIERS_SEEN)
#define GROUPS_OF(o, b)                                                        \
	(4 * (o)->peers + 2 * (o)->ranks * BARRIERS_SEEN +                     \
		(b)->rank * ISSUERS_SEEN)

static inline struct block_order *block_of(
	const struct execution *x, uint32_t warp)
{
	return &x->grid->order->blocks[x->warps[warp].block_index];
}

static inline struct group_order *group_of(
	const struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;

	return &o->groups[x->warps[warp].block_index / o->ranks];
}

static inline uint32_t *clock_of(const struct execution *x, uint32_t warp)
{
	return block_of(x, warp)->clocks +
	       (size_t)x->warps[warp].index * x->grid->order->components;
}

static inline uint32_t peer_of(const struct execution *x, uint32_t warp)
{
	return block_of(x, warp)->rank * x->grid->order->warps +
	       x->warps[warp].index;
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
	LACKS_FENCE_OF_WORDS,
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
/* The same where a thread of another block, or of this one, has accessed a word
   of a block's memory before. */
bool order_accuse_thread(const struct accessor *by, uint32_t slot,
	uint32_t offset, uint32_t bytes, const struct seen *other, bool wrote);
/* Of an asynchronous barrier: what is wrong with it. */
bool order_accuse_barrier(const struct accessor *by, uint32_t slot,
	uint32_t offset, const char *what);
/* "... shared memory of block 2, rank 1 of its cluster, which ...". */
bool order_accuse_block(
	const struct accessor *by, uint32_t slot, const char *what);
uint32_t order_line(const struct grid *g, uint32_t pc);

/* threads.c: of lane `lane` of the accessor's warp, at words of a block; false:
   it is a race, and the run has failed. `a`: the access whose write it is, or
   NULL. `notes`: later ones are held against it. */
struct look {
	struct accessor by;
	uint32_t slot, offset, bytes;
	const struct access_of *a;
	bool is_strong, notes;
};
bool order_look(const struct look *l);
/* All lanes of an access. */
bool order_words(struct access_of *a, uint32_t bytes, bool writes, bool notes);

/* barriers.c: a copy completes at the barrier of the block. */
bool order_completes(
	struct execution *x, const struct copy_order *c, uint32_t slot);

/* ends.c: the lane accesses another block's memory. */
bool order_visits(const struct access_of *a, unsigned lane, uint32_t slot);

/* clocks.c: what `from` knows, `to` knows; of `from`'s block alone if
   `of_block`. */
void order_join(const struct order *o, const struct block_order *b,
	uint32_t *to, const uint32_t *from, bool of_block);
/* Lanes of the warp take it; what others than the block know, at its next
   fence if `of_block`. */
void order_take(const struct execution *x, uint32_t warp, uint32_t lanes,
	const uint32_t *from, bool of_block);

/* The words of the 16 bytes at `at` that an access has: a bit each. */
static inline uint8_t order_chunk_words(
	uint64_t at, uint64_t first, uint64_t end)
{
	uint8_t words = 0;
	uint32_t i;

	for (i = 0; i < GRANULE / 4; i++)
		if (at + 4 * i < end && at + 4 * i + 4 > first)
			words |= (uint8_t)(1u << i);
	return words;
}

static inline struct granule *granule_of(
	const struct execution *x, uint32_t warp, uint64_t offset)
{
	return &block_of(x, warp)->granules[offset / GRANULE];
}

/* The bytes of the copy that fills it are known to be there; the granule is of
   block `b`. */
static inline bool has_come(const struct order *o, const struct block_order *b,
	const uint32_t *clock, const struct granule *g)
{
	return g->barrier == NOBODY ||
	       (!g->flies && clock[PHASES_OF(o, b) + g->barrier] > g->phase);
}

/* Those of cp.async, too. */
static inline bool has_loaded(
	const struct order *o, const uint32_t *clock, const struct granule *g)
{
	return g->loader == NO_PEER ||
	       clock[LOADED(o, g->loader)] >= g->load_epoch;
}

static inline bool has_been_read(const struct order *o,
	const struct block_order *b, const uint32_t *clock,
	const struct granule *g)
{
	return g->issuer == NOBODY ||
	       clock[GROUPS_OF(o, b) + g->issuer] > g->group;
}

static inline enum lack lack_of_wait(const struct order *o,
	const struct block_order *b, const uint32_t *clock,
	const struct granule *g)
{
	return clock[PHASES_OF(o, b) + g->barrier] > g->phase ? LACKS_LANDING
							      : LACKS_WAIT;
}

#endif
