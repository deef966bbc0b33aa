#ifndef NEARFAR_WATCH_H
#define NEARFAR_WATCH_H

/*
 * Races in the shared memory of clusters. Two accesses to a word by blocks of a
 * cluster, of which one writes, are ordered where the first one's thread
 * arrived at barrier.cluster behind it and the second one's waited there before
 * it, or acquired something at the scope of the cluster or beyond since. An
 * access to another block's memory stands between two barriers: one that says
 * that the block has begun, and one that this block waits for before it ends.
 * What is not so stops the run, with a sentence, whether the order of events
 * was good or not.
 *
 * Invariants: kernel_warp.arrivals and .waits count phases of barrier.cluster
 * that the warp has arrived at and passed; threads of a block that meet at a
 * barrier of the block have its greatest .waits and .acquired. Two accesses
 * that are both strong (atomics, .relaxed, .volatile) are no race. A relaxed
 * arrival counts as one that releases.
 *
 * It costs 36 bytes for each word of resident shared memory. Whether a launch
 * is watched: it has clusters, and its kernel maps addresses to ranks.
 */
#include "backend_sim/grid/reach.h"

struct watch;

/* NULL in grid.watch where nothing is to be watched; ERR_FAILED without memory.
   watch_free() always. */
int watch_make(struct grid *g, struct error *error);
void watch_free(struct watch *w);

/* A block has its slot. */
void watch_open(struct grid *g, uint32_t slot);
/* An access whose lanes have their places; `bytes` of each. False: the run has
   failed. */
bool watch_access(struct access_of *a, uint32_t bytes);
/* Behind watch_access(): the access reads what others may have changed, and
   acquires. What the warp reads of shared memory tells it something where
   another block wrote it last. */
void watch_reads(struct access_of *a, bool polls, bool acquires);
/* The warp has waited for a phase of an asynchronous barrier, at the scope of
   the cluster. */
void watch_told(struct execution *x, uint32_t warp, bool acquires);
/* A fence of the cluster or beyond, which acquires if the warp has been told
   something. */
void watch_fence(struct execution *x, uint32_t warp);
/* Warps of a list meet at a barrier of their block. */
void watch_meet(struct execution *x, uint32_t warp);
/* The block's last warp ends. */
void watch_ends(struct execution *x, uint32_t warp);

#endif
