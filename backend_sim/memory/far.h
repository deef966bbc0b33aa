#ifndef NEARFAR_SIM_FAR_H
#define NEARFAR_SIM_FAR_H

/*
 * Far memory: a peer GPU's, and the host's, each behind a link.
 *
 *   GPC port -> FAR_OUT -> FAR_MEMORY -> FAR_BACK -> FAR_REPLY -> GPC replies
 *
 * The path to a memory is a latency, and one link or several. A link is a
 * server each way, and so much under way: requests that bring a value back,
 * and sectors of those that do not; what comes when all is under way waits in
 * line (far_turns.h). A line takes the same link each time, by a hash. What
 * passes is a packet: a header, and sectors of data. A write that has passed
 * has left the chip: only an order of the system waits until it has arrived.
 *
 * Of the peer there is what a reader sees: how far away its slices are, which
 * lines its L2 holds, and what its DRAM adds. It fetches a line in no time for
 * whoever else asks for it, and neither its slices nor its DRAM are ever busy:
 * the links are slower. The host's memory has no cache. The chip itself does
 * the host's atomics: it keeps a line until the new value has been sent.
 */
#include <stdbool.h>

#include "backend_sim/core/server.h"
#include "backend_sim/memory/cache.h"
#include "backend_sim/memory/far_turns.h"
#include "backend_sim/memory/network.h"

/* What is under way on a link, and the requests that wait for room. */
struct far_places {
	uint32_t under_way;
	struct far_turns turns;
};

enum { FAR_VALUES, FAR_WRITES, FAR_PLACES };

#define FAR_LINKS_MAX 64
#define FAR_SLICES    256 /* of a side, at most: request.slice has 8 bits */
#define FAR_LOCKS     4096u

struct far_link {
	struct server out, in;
	struct far_places places[FAR_PLACES];
};

/* What packets take one way, in ticks of one link. */
struct far_packet {
	uint32_t header, sector;
};

struct far_path {
	struct far_link links[FAR_LINKS_MAX];
	/* constants */
	struct divider count;      /* of links */
	uint32_t most[FAR_PLACES]; /* under way on a link */
	struct far_packet out, in;
	uint32_t there_cycles, back_cycles, miss_cycles, atomic_cycles;
	uint32_t mask_ticks, operation_ticks, part_ticks, lock_ticks;
};

struct far {
	struct core *core;
	struct far_path peer, host;
	struct cache l2; /* the peer's; without entries where there is none */
	uint32_t slice_cycles[2][FAR_SLICES]; /* to the peer's, by side */
	struct server locks[FAR_LOCKS]; /* the host's lines, by their last bits:
					   atomics on one follow each other */
};

/* Less than 0 without memory; far_free() then, too. */
int far_init(struct far *f, struct core *core);
void far_free(struct far *f);
void far_cold(struct far *f);
bool far_is_settled(const struct far *f);
void far_servers(struct far *f, struct books *books);

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
