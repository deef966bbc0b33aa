#ifndef NEARFAR_EXECUTION_H
#define NEARFAR_EXECUTION_H

/*
 * The kernel that runs: its warps and blocks on the SMs.
 */
#include <stdbool.h>

#include "backend_sim/core/server.h"
#include "backend_sim/memory/l1.h"
#include "backend_sim/sm/asks.h"
#include "backend_sim/sm/stores.h"
#include "backend_sim/sm/warp.h"
#include "harness/contract/backend.h"
#include "harness/program/address.h"
#include "harness/program/launch.h"
#include "harness/program/permute.h"

#define SCHEDULERS_MAX 8

struct grid;
struct streams;

/* The pipes of an SM before L1. */
struct sm {
	struct server lsu;
	struct server issue[SCHEDULERS_MAX]; /* by scheduler: slots */
	struct server data[SCHEDULERS_MAX];  /* from and to registers */
	uint32_t held;      /* requests of its warps, hits in L1 included */
	struct server room; /* for requests */
	uint32_t credit_head, credit_tail; /* warps waiting for a credit */
	uint32_t dealt;       /* warps, to the schedulers, in this launch */
	struct server launch; /* of blocks */
	uint64_t begun;       /* its first block, in this launch */
	/* by scheduler: the launch's first instructions, as `dealt` says */
	uint64_t fetched[SCHEDULERS_MAX];
	uint32_t place_head, place_tail; /* blocks that have ended */
	struct server barrier;           /* of arrivals at barriers */
	struct stores stores;
	uint32_t stored_count;               /* lines */
	uint32_t store_turn[SCHEDULERS_MAX]; /* stores, by scheduler */
};

struct execution;

/* Who says what warps do. */
struct sequencer {
	/* The warp goes on until it must wait. */
	void (*run)(struct execution *x, uint32_t warp);
	/* A request of the warp is answered. */
	void (*answered)(struct execution *x, const struct request *r);
	/* The host's caches shall have what both look at; and then, when that
	   is there, what the warp's next instruction will look at, or NULL. */
	void (*foresee)(const struct execution *x, uint32_t warp);
	void (*foresee_next)(const struct execution *x, uint32_t warp);
	/* The next block begins in the place of `block`, not before a cycle. */
	void (*refill)(struct execution *x, uint32_t block, uint64_t earliest);
};

struct execution {
	struct core *core;
	struct l1 *l1;
	struct network *network;
	struct translation *translation;
	struct sm *sms; /* owned */
	/* a ring of lines stored by each SM; room for one store that can pair
	   of each warp; lines that such a store has; owned */
	struct store_part *stored;
	uint32_t stored_room, pair_lines;
	/* of a lane's data, ticks / TICKS_A_CYCLE: of 16 bytes, of fewer */
	uint32_t lane_byte_wide, lane_byte_narrow;

	const struct sequencer *sequencer;
	bool is_event; /* the warp that goes on is all that the event does, on
			  a chip that one launch has to itself */
	struct grid *grid; /* of the launch, or NULL */
	/* launches that share the chip, grid being the one whose turn it is; or
	   NULL */
	struct streams *streams;

	uint32_t seed;             /* of the job, for what is drawn */
	const struct step *window; /* access-policy window, or NULL */

	/* the launch */
	struct warp *warps;
	uint32_t warp_count, warp_capacity;
	struct block *blocks;
	uint32_t block_count, block_capacity;
	uint32_t live;
	struct server launch_chip;          /* of blocks, */
	struct server launch_gpc[GPCS_MAX]; /* by GPC */
	bool is_warm;    /* its code is in the chip's caches */
	uint64_t queued; /* blocks that wait for the place of another one */
	uint32_t places; /* such places that no block has been given */
};

/* ---- execution.c: life cycle ---- */

/* Time of the way from or to the registers for `bytes` of each of some lanes.
 */
static inline uint32_t execution_data_ticks(
	const struct execution *x, uint32_t lanes, uint32_t bytes)
{
	return lanes * bytes *
	       (bytes < 16 ? x->lane_byte_narrow : x->lane_byte_wide) /
	       TICKS_A_CYCLE;
}

/* Less than 0 without memory; execution_free() then, too. */
int execution_init(struct execution *x, struct core *core, struct l1 *l1,
	struct network *network, struct translation *translation);
void execution_free(struct execution *x);
void execution_cold(struct execution *x);
bool execution_is_settled(const struct execution *x);
void execution_servers(struct execution *x, struct books *books);

/* Servers work for an instruction of a warp; `line`: SENDER_OF_LIFE: of the one
   for which it stands in a queue. */
static inline struct sender warp_sender(
	const struct execution *x, uint32_t warp, uint32_t line)
{
	return (struct sender){x->core->request_count + warp, line};
}

/* ---- launch.c: room for blocks and warps ---- */
/* For any launch: no block yet, L1 empty with so many lines. */
void launch_clear(struct execution *x, uint32_t l1_lines);
/* Room for blocks, warps and their events; ERR_FAILED without memory. `keeps`:
   launches are under way, which keep what they have, and the room for events is
   there. */
int launch_reserve(struct execution *x, uint32_t blocks, uint32_t warps,
	bool keeps, struct error *error);

/* ---- answers.c: stations ---- */

/* The interpreter: the warp goes on until it must wait. */
void warp_arrive(struct execution *x, uint32_t warp, uint32_t datum);
/* A write to far memory has left the chip. */
void warp_posted(struct execution *x, uint32_t request, uint32_t datum);
/* A request is back at its SM. */
void warp_answered(struct execution *x, uint32_t request, uint32_t datum);

/* The time is over that a warp sleeps at an asynchronous barrier. */
void nap_over(struct execution *x, uint32_t warp, uint32_t nap);
/* The copy engine of an SM has its turn; a copy has got so far. */
void copies_turn(struct execution *x, uint32_t sm, uint32_t datum);
void copies_over(struct execution *x, uint32_t copy, uint32_t datum);
/* A launch of a stream begins, or places that are free get blocks. */
void streams_turn(struct execution *x, uint32_t index, uint32_t datum);

/* ---- lookahead.c: for the host's caches ---- */
void warp_foresee(const struct execution *x, uint32_t warp);
void warp_foresee_next(const struct execution *x, uint32_t warp);
void warp_foresee_answer(
	const struct execution *x, const struct request *r, uint32_t datum);

/* ---- room.c: how many requests an SM may have under way ---- */

/* The warp waits until the SM has room for a request of an instruction: in
   line. */
void warp_queue(struct execution *x, uint32_t warp, uint32_t line);
/* May a warp of the SM send more? */
bool warp_has_room(const struct execution *x, uint32_t sm);
/* The request has left: those in line go on. */
void warp_give_room(struct execution *x, uint32_t sm, uint32_t request);

/* ---- issue.c: one warp instruction -> requests ---- */

/* The lines that the instruction touches, each a request that asks so. */
struct touch;
void issue_lines(struct execution *x, uint32_t warp, const struct insn *insn,
	const struct asks *asks, uint32_t waits, const struct touch *t);

#endif
