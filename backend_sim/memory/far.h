#ifndef NEARFAR_SIM_FAR_H
#define NEARFAR_SIM_FAR_H

/*
 * Far memory: a peer GPU's, and the host's, each behind a link.
 *
 *   GPC port -> FAR_OUT -> FAR_MEMORY -> FAR_BACK -> FAR_REPLY -> GPC replies
 *
 * A link is a latency, a server each way, and so many requests under way:
 * those that bring a value back and those that do not are counted apart, and
 * what comes when all are under way waits in line. Of the peer there is what a
 * reader sees: which lines its L2 holds, and what its DRAM adds. It fetches a
 * line in no time for whoever else asks for it, and neither its slices nor its
 * DRAM are ever busy: the link is slower. The host's memory has no cache.
 */
#include <stdbool.h>

#include "backend_sim/memory/cache.h"
#include "backend_sim/memory/network.h"

/* Requests that hold a place on the link, and those that wait for one. */
struct far_places {
	uint32_t under_way, most;
	uint32_t head, tail; /* by wait_next */
};

enum { FAR_VALUES, FAR_WRITES, FAR_PLACES };

struct far_link {
	uint64_t out_free, in_free;
	struct far_places places[FAR_PLACES];
	/* constants */
	uint32_t there_cycles, back_cycles, miss_cycles, atomic_cycles;
	uint32_t out_sector, in_sector, request_ticks, operation_ticks;
};

struct far {
	struct core *core;
	struct far_link peer, host;
	struct cache l2; /* the peer's; without entries where there is none */
};

/* Less than 0 without memory; far_free() then, too. */
int far_init(struct far *f, struct core *core);
void far_free(struct far *f);
void far_cold(struct far *f);
bool far_is_settled(const struct far *f);

/* The peer's L2 is full of other memory's lines. */
void far_flush(struct far *f);

/* What the copy engine does while the SMs do nothing: `count` copies at the
   same time, each from and to a kind of memory. The cycles that all of them
   take; less than 0 where the machine has no such way. */
struct far_copy {
	unsigned from, to; /* enum memory_kind */
	double bytes;
};
double far_copies(
	const struct far *f, const struct far_copy *copies, size_t count);

/* ---- stations ----
 * Seldom used: inlined into the engine's loop they would cost each event of all
 * other stations some instructions.
 */
#define FAR_SELDOM __attribute__((cold, noinline))
FAR_SELDOM void far_out(struct far *f, uint32_t request, uint32_t datum);
FAR_SELDOM void far_memory(struct far *f, uint32_t request, uint32_t datum);
FAR_SELDOM void far_back(struct far *f, uint32_t request, uint32_t datum);
FAR_SELDOM void far_reply(struct far *f, uint32_t request, uint32_t datum);

#endif
