#ifndef NEARFAR_COPIES_PARTS_H
#define NEARFAR_COPIES_PARTS_H

/* What the two files of copies.h share. */
#include "backend_sim/grid/copies.h"

/*
 * Times of the engine. Measured on an H200: from the instruction to the end of
 * the wait 394 cycles for 16 B to 1 KiB that are in L2, then 9.5 a KiB; to
 * global memory 118 cycles and 1 for every 32 B, 11 less for the wait for the
 * read alone. What the way to L2 takes is the memory system's.
 */

/* Without room for its requests it looks again after so many cycles. */
#define RETRY_CYCLES 16u

/* From one shared memory to another: as stores. */
#define ACROSS_BYTES 128u

/* What follows at AT_COPIED. */
enum { STEP_READ, STEP_WRITTEN };

struct copy {
	struct copy_order order; /* its runs are the copy's */
	struct copy_run only;    /* where there is one */
	uint64_t ready;          /* the engine takes it up from then on */
	uint64_t number;         /* of the block that issued it */
	uint64_t numbers[COPY_BLOCKS_MAX]; /* of those that it fills */
	uint32_t next;      /* of its engine, or of those that are free */
	uint32_t sibling;   /* of its warp's */
	uint32_t run, done; /* where it is: bytes of a run */
	uint32_t pending;   /* requests that are not answered */
	uint32_t group;
	uint32_t bytes; /* of all runs */
	uint16_t sm;
	bool used, sent, read, over;
};

struct engine_queue {
	uint32_t head, tail;
	struct server server;
};

/* Loads do not wait for stores. */
enum { QUEUE_LOADS, QUEUE_STORES, QUEUES };

struct sm_engine {
	struct engine_queue queues[QUEUES];
	bool has_turn[QUEUES]; /* an event */
};

struct copies {
	struct copy *all; /* owned, as the others */
	uint32_t count, capacity, free, live;
	uint32_t calls; /* turns of engines to come */
	struct sm_engine *sms;
	uint32_t *groups; /* [warp of the execution][lane]: the one that is
			     filled now */
};

static inline unsigned queue_of(const struct copy *copy)
{
	return copy->order.kind == COPY_LOAD ||
			       copy->order.kind == COPY_PREFETCH
		       ? QUEUE_LOADS
		       : QUEUE_STORES;
}

static inline bool is_of_group(const struct copy_order *o)
{
	return o->barrier == COPY_NO_BARRIER && o->kind != COPY_PREFETCH;
}

/* ---- copies.c ---- */

/* The copy is no more; it is none of its warp's. */
void copies_give(struct copies *c, struct copy *copy);
void copies_leave_group(struct execution *x, const struct copy *copy);
/* The SM's engine looks at the queue at a cycle, if it does not anyway. */
void copies_call(
	struct execution *x, uint32_t sm, unsigned queue, uint64_t cycle);

#endif
