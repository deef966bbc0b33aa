#ifndef NEARFAR_ORDER_H
#define NEARFAR_ORDER_H

/*
 * Whether a kernel with bulk copies waits for what it must: which accesses to
 * the shared memory of a block are behind which others, by what its warps wait
 * for and not by when things happened to happen.
 *
 * A warp has a clock: of each warp of the block the epoch up to which it knows
 * what that one did, and the epoch up to which a fence between proxies stands
 * in between; of each barrier how many of its phases it knows to be over; of
 * each thread that stores in bulk how many of its groups it knows to have been
 * read. What a warp knows it hands on where it arrives at a barrier, and takes
 * where it goes on from one. Accesses that could order anything else (atomics,
 * volatile, acquiring and releasing ones, fences) order everything, so that
 * nobody is accused who uses them. Lanes of a warp are one.
 *
 * Each 16 bytes of shared memory know who read and wrote them last, and which
 * copy fills or reads them. Accesses of threads are held against those of
 * copies, not against each other.
 *
 * An access that is not behind what it needs stops the run with a sentence: the
 * block, the thread, the line, and what is missing. All functions do nothing
 * where the launch is not checked.
 */
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/reach.h"

/* For a launch whose code has asynchronous barriers, bulk copies or products of
   matrices in shared memory; less than 0 without memory. `strict`: or cp.async
   alone, and a product of what cp.async has filled needs a fence between
   proxies, as PTX says and compilers leave out. */
int order_make(struct grid *g, bool strict);
void order_free(struct order *o); /* and NULL */

/* A block begins in the slot; it has ended, and `warp` was its last. */
void order_open(struct grid *g, uint32_t slot);
void order_close(struct execution *x, uint32_t warp);

/* ---- what warps do ---- */

/* Lanes of `a` in shared memory access `bytes` each. */
void order_access(const struct access_of *a, uint32_t bytes, bool writes);
/* A product of matrices reads 16 bytes of shared memory for each bit, by the
   asynchronous proxy. */
#define ORDER_CHUNKS 16384u
void order_chunks(struct execution *x, uint32_t warp, uint32_t pc,
	const uint64_t chunks[ORDER_CHUNKS / 64]);
/* The same of cp.async, which fills what it writes until its group, one of
   several, has come. */
void order_load(const struct access_of *a, uint32_t bytes);
/* The warp has waited for its first so many groups of cp.async; those that it
   has filled will have come when the phase of the barrier is over. */
void order_loaded(struct execution *x, uint32_t warp, uint32_t groups);
void order_loads_at(struct execution *x, uint32_t warp, uint32_t offset);
/* The warp may hand on all that it knows, and take what others did. */
void order_sync(struct execution *x, uint32_t warp);
/* It arrives at the block's barrier `n`; it goes on from there. */
void order_arrive(struct execution *x, uint32_t warp, unsigned n);
void order_pass(struct execution *x, uint32_t warp, unsigned n);
/* A fence between the generic and the asynchronous proxy. */
void order_fence(struct execution *x, uint32_t warp);

/* ---- what it does to asynchronous barriers, by their offset ---- */
void order_init(struct execution *x, uint32_t warp, uint32_t offset);
void order_inval(struct execution *x, uint32_t warp, uint32_t offset);
/* Lane `lane` uses it; false: it may not, and the run has failed. */
bool order_uses(const struct access_of *a, unsigned lane);
void order_arrive_at(struct execution *x, uint32_t warp, uint32_t offset);
/* A phase of it is over; the warp has waited for one that is. */
void order_phase_over(struct grid *g, uint32_t block, uint32_t offset);
void order_waited(struct execution *x, uint32_t warp, uint32_t offset);

/* ---- copies ---- */

/* The copy is issued, of bulk group `group` if it has one. False: the run has
   failed. */
bool order_copy(
	struct execution *x, const struct copy_order *o, uint32_t group);
/* Its bytes are in the block's shared memory, before its barrier knows. */
void order_landed(
	struct execution *x, const struct copy_order *o, uint32_t block);
/* The thread's bulk groups before `group` have been read. */
void order_groups(
	struct execution *x, uint32_t warp, unsigned lane, uint32_t group);

#endif
