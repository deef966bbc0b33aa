#ifndef NEARFAR_COPIES_H
#define NEARFAR_COPIES_H

/*
 * The copy engine of each SM: bulk and tensor copies between global memory and
 * the shared memory of blocks, beside the warps.
 *
 * A copy is a list of runs. The engine takes copies of its SM in their order;
 * it asks for the lines of their runs, one after the other, as loads and stores
 * do that go past L1: runs that follow each other on one line are one request.
 * Bytes are copied as a whole: those that are loaded when the last line has
 * come, just before they are completed at the barrier; those that are stored
 * when the last line has been sent.
 *
 * Who makes an order has checked its addresses, sizes and alignments.
 */
#include "backend_sim/grid/grid.h"

enum copy_kind {
	COPY_LOAD,     /* global -> shared */
	COPY_STORE,    /* shared -> global */
	COPY_REDUCE,   /* shared -> global, where it is added or the like */
	COPY_PREFETCH, /* global -> L2 */
	COPY_WORDS,    /* registers -> shared: one run of up to 8 bytes, which
			  `fill` has */
	COPY_ACROSS,   /* shared -> shared; `global` of its runs is the offset
			  in the shared memory of `from` */
};

/* A run of a load that has no bytes of global memory: its bytes are `fill`. */
#define COPY_FILL UINT64_MAX

/* Bytes that lie side by side in both memories. */
struct copy_run {
	uint64_t global; /* offset in the job's memory, as space.h has it */
	uint32_t shared; /* offset in the shared memory of a block */
	uint32_t bytes;
};

/* Blocks whose shared memory one load fills: a cluster's. */
#define COPY_BLOCKS_MAX 16u

#define COPY_NO_BARRIER UINT32_MAX

struct copy_order {
	uint8_t kind; /* enum copy_kind */
	uint8_t lane; /* of the warp: the thread that issues it */
	uint32_t warp, pc;
	const struct copy_run *runs; /* the caller's; the engine copies them */
	uint32_t run_count;
	uint64_t fill; /* eight bytes that COPY_FILL repeats, from offset 0 of
			  shared memory on */
	/* slots of the blocks whose shared memory is read or written */
	uint32_t blocks[COPY_BLOCKS_MAX], block_count;
	uint32_t from; /* COPY_ACROSS: slot of the block that is read */
	/* In each of those blocks: the barrier at which the bytes of all runs,
	   fills too, are completed; COPY_NO_BARRIER: the copy joins the bulk
	   group that its thread fills. */
	uint32_t barrier;
	bool has_policy;
	uint64_t policy; /* of L2::cache_hint, as policy.h has it */
	/* COPY_REDUCE, COPY_ACROSS, COPY_WORDS: what is done with what is
	   there; no operation: it is written. */
	struct atomic reduces;
	bool rounds; /* COPY_LOAD: words become tf32 */
	/* What its requests ask, if not what the instruction does; they live as
	   long as the launch. */
	const struct asks *asks;
};

/* What a tensor copy asks if its map has the promotion. */
static inline struct asks *grid_promoted(
	const struct grid *g, const struct code_insn *c, uint32_t promotion)
{
	return &g->promoted[c->tensor * TENSOR_PROMOTION_COUNT + promotion];
}

/* An SM's engine takes the copy at this cycle. False: without memory, and the
   run has failed. */
bool copies_start(struct execution *x, const struct copy_order *order);

/* What a bulk reduction leaves. */
uint64_t copies_reduced(
	const struct atomic *of, uint64_t was, uint64_t with, bool in_global);

/* The engines of a launch, if its code has bulk copies; less than 0 without
   memory. */
int copies_make(struct grid *g, const struct execution *x);
void copies_free(struct copies *c); /* and NULL */
/* Opens a book for each of the engines; none for NULL. */
void copies_servers(struct copies *c, const struct core *core);
/* A request of a copy is answered. */
void copies_answered(struct execution *x, const struct request *r);
/* The thread's copies so far are a bulk group. */
void copies_commit(struct execution *x, uint32_t warp, uint32_t lanes);
/* The lanes of those that have more than `left` bulk groups under way, or such
   whose source is still to be read if `reads`. */
uint32_t copies_wait(const struct execution *x, uint32_t warp, uint32_t lanes,
	uint64_t left, bool reads);
/* The number of the bulk group that the thread fills now. */
uint32_t copies_group(const struct execution *x, uint32_t warp, unsigned lane);
/* How many copies have not done all that they do. */
uint32_t copies_live(const struct grid *g);
/* None has, and no engine has a turn to come. */
bool copies_are_over(const struct grid *g);

/* ---- kernel/mbarrier.c ---- */

/* Bytes have come for the barrier at an offset of the block's shared memory;
   `pc` and `warp` are of the instruction that sent them. */
void mbarrier_landed(struct execution *x, uint32_t block, uint32_t offset,
	uint32_t bytes, uint32_t warp, uint32_t pc);

/* ---- kernel/bulk.c ---- */

/* A copy of the warp's bulk groups has got further. */
void bulk_wake(struct execution *x, uint32_t warp);

#endif
