#ifndef NEARFAR_GRID_ORDER_H
#define NEARFAR_GRID_ORDER_H

/*
 * Whether a kernel waits for what it must: which accesses to the shared memory
 * of a block or a cluster are ordered behind which others. What warps wait for
 * counts, not when things happened to happen.
 *
 * A warp has a vector clock. For each warp of the block, or of the cluster, it
 * has the epoch up to which the warp knows the other's accesses, and the epochs
 * up to which a fence between proxies, and one of mbarrier.init, stand in
 * between. For each barrier it has the number of phases that the warp knows to
 * be over; for each thread that stores in bulk, the number of groups that the
 * warp knows to have been read. A warp hands its clock on where it arrives at a
 * barrier, and takes the others' where it goes on. A release, or a strong
 * access behind a fence, hands it on, too. A strong access takes it: from its
 * own block at once, from other blocks when it acquires or a fence follows.
 * Which word is released is not looked at, nor whether an arrival is relaxed.
 *
 * To other warps the lanes of a warp are one. To each other each lane has the
 * epoch of the last instruction at which they met: bar.warp.sync, a barrier, or
 * any other instruction with .sync. PTX promises an order of memory by the
 * first two only, and none by convergence.
 *
 * Each 16 bytes of shared memory have their last reader and writer, and the
 * copy that fills or reads them; accesses of copies and products are checked
 * against these. Each word has the last write of a thread, and the last reads
 * of two warps; accesses of threads are checked against these. A word has four
 * bytes, or as many as the smallest access of the kernel. Two accesses by
 * different threads, of which one writes, and which are not both strong
 * (atomics, .volatile, .relaxed and so on), must have an order. No race are
 * lanes of one instruction that write the same word, of which one write is
 * done, and a write that leaves the word as it is.
 *
 * An access that is not behind what it needs stops the run with a sentence: the
 * block, the thread, the line, and what is missing. All functions do nothing
 * where the launch is not checked.
 *
 * It costs 36 bytes a word of resident shared memory that threads touch, and 52
 * for each 16 bytes where there are copies.
 */
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/access.h"

/* Sets grid.order for a launch whose code has asynchronous barriers, bulk
   copies or products of matrices in shared memory, or names other blocks'
   shared memory; less than 0 without memory. `strict`: for code with any shared
   memory or cp.async, too; and a product of what cp.async has filled needs a
   fence between proxies, as PTX says and compilers leave out. */
int order_make(struct grid *g, bool strict);
void order_free(struct order *o); /* and NULL */

/* A block begins in the slot, the first of its cluster before the others; it
   has ended, and `warp` was its last. */
void order_open(struct grid *g, uint32_t slot);
void order_close(struct execution *x, uint32_t warp);

/* ---- what warps do ---- */

/* Lanes of `a` in shared memory, of whatever block, access `bytes` each. False:
   the run has failed. */
bool order_access(struct access_of *a, uint32_t bytes, bool writes);
/* A product of matrices reads 16 bytes of shared memory for each bit, by the
   asynchronous proxy. */
#define ORDER_CHUNKS 16384u
void order_chunks(struct execution *x, uint32_t warp, uint32_t pc,
	const uint64_t chunks[ORDER_CHUNKS / 64]);
/* As order_access(), of cp.async, which fills what it writes until its group,
   one of several, has come. */
bool order_load(struct access_of *a, uint32_t bytes);
/* The warp has waited for its first so many groups of cp.async; those that it
   has filled will have come when the phase of the barrier is over. */
void order_loaded(struct execution *x, uint32_t warp, uint32_t groups);
void order_loads_at(struct execution *x, uint32_t warp, uint32_t offset);
/* Before the access of memory: a strong one may order what others do. */
void order_strong(
	struct execution *x, uint32_t warp, const struct code_insn *c);
/* A fence of memory, of the block alone or beyond. */
void order_fence(struct execution *x, uint32_t warp, bool of_block);
/* Lanes of the warp have met. */
void order_meet(struct execution *x, uint32_t warp, uint32_t lanes);
/* It arrives at the block's barrier `n`; it goes on from there. */
void order_arrive(struct execution *x, uint32_t warp, unsigned n);
void order_pass(struct execution *x, uint32_t warp, unsigned n);
/* The same of barrier.cluster; a phase of it is over for the cluster of a
   slot. */
void order_cluster_arrive(struct execution *x, uint32_t warp);
void order_cluster_pass(struct execution *x, uint32_t warp, uint32_t lanes);
void order_cluster_over(struct grid *g, uint32_t slot);
/* A fence between the generic and the asynchronous proxy in shared memory; one
   of mbarrier.init alone. */
void order_proxy(struct execution *x, uint32_t warp);
void order_initialised(struct execution *x, uint32_t warp);

/* ---- what it does to asynchronous barriers, by block and offset ---- */
void order_init(struct execution *x, uint32_t warp, uint32_t offset);
void order_inval(struct execution *x, uint32_t warp, uint32_t offset);
/* Lane `lane` uses it, be it of another block; false: it may not, and the run
   has failed. */
bool order_uses(const struct access_of *a, unsigned lane);
void order_arrive_at(
	struct execution *x, uint32_t warp, uint32_t block, uint32_t offset);
/* A phase of it is over. */
void order_phase_over(struct grid *g, uint32_t block, uint32_t offset);
/* Lanes of the warp have waited for a phase of their block's barrier;
   `of_cluster`: and acquire what other blocks did before they arrived. */
void order_waited(struct execution *x, uint32_t warp, uint32_t lanes,
	uint32_t offset, bool of_cluster);

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

/* ---- tensor maps ---- */

/* A thread reads or writes one in shared memory. False: the run has failed. */
bool order_map_touched(struct execution *x, uint32_t warp, unsigned lane,
	uint32_t pc, const uint8_t *map, bool writes);

/* In global memory, by their offset there. */

/* The thread has made one, or copied it there. */
void order_map_made(
	struct execution *x, uint32_t warp, uint32_t pc, uint64_t offset);
/* fence.proxy.tensormap::generic.acquire for it. */
void order_map_acquired(struct execution *x, uint32_t warp, uint64_t offset);
/* A copy by it. False: the run has failed. */
bool order_map_used(struct execution *x, uint32_t warp, unsigned lane,
	uint32_t pc, uint64_t offset);

#endif
