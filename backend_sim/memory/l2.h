#ifndef NEARFAR_L2_H
#define NEARFAR_L2_H

/*
 * The second level: two partitions of slices. A line has one home; the other
 * partition may hold a copy for the SMs of its side. Loads look on their own
 * side first. A store writes the copy of its own side on its way home;
 * whatever else changes a line at its home drops the copy.
 *
 * What DRAM brings takes the slice's way of writes as stores do; the loads that
 * it is for do not wait for that. The answer of a store has no data, and stands
 * in line with data at the ports. The operand of an atomic from the other side
 * comes bridge_data_cycles behind its request, which a miss hides. A copy of
 * the other side is taken back while the atomic unit works: over the bridge and
 * back.
 */
#include <stdbool.h>

#include "backend_sim/core/queue.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/cache.h"
#include "backend_sim/memory/dram.h"
#include "backend_sim/memory/network.h"

#define ATOMIC_LINES_MAX 4

/* A slice's atomic unit. */
struct atomic_unit {
	struct server server, ports[2]; /* ports: from its side, from afar */
	/* ticks: it is taken so long by requests for lines that it holds, and
	   would be by those for other lines */
	uint64_t stuck_until, others_over;
	uint64_t replayed; /* ticks, since the program began */
	uint32_t sms;      /* that stand in line for held lines */
	uint32_t lines[ATOMIC_LINES_MAX]; /* + 1; that it holds, the last used
					     first; 0: none */
};

/* An SM's atomics of several passes that have come to their units: they go on
   one after the other. */
struct atomic_turns {
	struct server server; /* room for one */
	uint64_t next_cycle;  /* the first may go */
	struct request_queue queue;
};

/* Write-backs under way from a slice, and the stores that wait for room. */
struct write_queue {
	struct server room;
	uint32_t count;
	struct request_queue queue;
};

/* Servers: for lookups, for data, and for what stores bring. */
struct slice {
	struct server lookup, data, write;
	uint64_t loads_over; /* ticks: data would be free without stores */
	struct write_queue writes;
	struct atomic_unit atomics;
	uint32_t staying; /* sectors of reductions that are answered */
};

struct l2 {
	struct core *core;
	struct network *network;
	struct dram *dram;
	struct slice *slices; /* owned; by slices_number() */
	uint16_t *in_line;    /* owned; [slice][sm]: atomics for held lines */
	struct atomic_turns *turns; /* owned; by SM */
	struct cache sides[PARTITIONS_MAX];

	/* device state that steps change */
	uint32_t fetch_bytes;
	uint32_t last_max; /* ways of a set for CLASS_LAST */
};

/* Less than 0 without memory; l2_free() then, too. */
int l2_init(struct l2 *l, struct core *core, struct network *network,
	struct dram *dram);
void l2_free(struct l2 *l);
void l2_cold(struct l2 *l);
bool l2_is_settled(const struct l2 *l);
void l2_servers(struct l2 *l, struct books *books);

/* ---- host actions ---- */
/* An L2 is never empty: a flush reads other memory until nothing of the
   program's is left. */
void l2_flush(struct l2 *l);
void l2_carve_out(struct l2 *l, uint64_t bytes);
void l2_reset_persisting(struct l2 *l);

/* Fetches the sets of a request's line into the host's caches. */
void l2_prefetch(const struct l2 *l, const struct request *r);

/* ---- stations ---- */
void l2_slice(struct l2 *l, uint32_t request, uint32_t datum);
void l2_home(struct l2 *l, uint32_t request, uint32_t datum);
void l2_atomic(struct l2 *l, uint32_t request, uint32_t datum);
void l2_atomic_done(struct l2 *l, uint32_t request, uint32_t datum);
void l2_fill(struct l2 *l, uint32_t request, uint32_t datum);
void l2_near_fill(struct l2 *l, uint32_t request, uint32_t datum);
void l2_written(struct l2 *l, uint32_t request, uint32_t datum);
void l2_foresee_slice(
	const struct l2 *l, const struct request *r, uint32_t datum);
void l2_foresee_home(
	const struct l2 *l, const struct request *r, uint32_t datum);
void l2_foresee_near_fill(
	const struct l2 *l, const struct request *r, uint32_t datum);

#endif
