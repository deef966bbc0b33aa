#ifndef NEARFAR_NETWORK_H
#define NEARFAR_NETWORK_H

/*
 * Ports and links between the SMs, the slices and the two partitions:
 *
 *   SM port -> GPC port -> near slice -> [bridge -> home slice -> bridge]
 *           -> crossbar -> GPC reply port -> SM reply port
 */
#include <stdbool.h>

#include "backend_sim/core/core.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/store_turns.h"

#define PARTITIONS_MAX 2

/* A load that came to its slice, for others of its GPC to wait for. */
struct recent {
	uint32_t request, sent; /* the cycle, its low bits */
	uint16_t number;        /* as in the request */
};

#define RECENT_MAX 8192u /* a power of two */

/* Of the crossbar, and of its port to the GPC, the SM has a line as if all SMs
   at work had as much in line as it has. */
struct sm_port {
	struct server request, reply;
	uint64_t crossbar_turn, gpc_turn; /* ticks / TICKS_A_CYCLE */
	uint32_t inflight;                /* sectors under way on the chip */
	uint32_t far;                     /* and in far memory */
	uint32_t reductions;              /* requests under way on the chip */
	uint8_t side, gpc;
};

struct gpc_port {
	struct server request, reply;
	struct server data[GPC_CPCS]; /* of the stores of each CPC */
	struct server crossbar;       /* ticks / TICKS_A_CYCLE */
	uint32_t crossbar_sector;     /* ticks / TICKS_A_CYCLE; a constant */
	uint32_t active;              /* SMs with requests under way */
};

struct network {
	struct core *core;
	struct sm_port *sms;                  /* owned */
	struct gpc_port *gpcs;                /* owned */
	struct server crossbar;               /* ticks / TICKS_A_CYCLE */
	struct server bridge[PARTITIONS_MAX]; /* by side that is left */
	struct store_turns store_turns[PARTITIONS_MAX]; /* by the SM's side */
	uint16_t *pending; /* owned; [sm][slice]: requests between lookup and
			      reply */
	uint32_t active;   /* SMs with requests under way */
	uint32_t crossbar_sector; /* ticks / TICKS_A_CYCLE */
	uint32_t sm_reply_header_ticks, gpc_reply_header_ticks;
	/* a ring, counted from the beginning: those sent last, in order */
	struct recent recent[RECENT_MAX];
	uint32_t recent_first, recent_end;
	uint16_t loads; /* that came to slices, low bits */
};

/* Less than 0 without memory; network_free() then, too. */
int network_init(struct network *n, struct core *core);
void network_free(struct network *n);
void network_cold(struct network *n);
bool network_is_settled(const struct network *n);
void network_servers(struct network *n, struct books *books);

/* The slice of the request's home, counted over both sides; the way from an SM
   to such a slice and back, in cycles, where nobody waits. */
uint32_t network_home(const struct network *n, const struct request *r);
uint32_t network_way(const struct network *n, uint32_t sm, uint32_t slice);

/* From an SM, `late` cycles after its port has sent it. */
void network_leave_sm(
	struct network *n, uint32_t request, uint64_t cycle, uint32_t late);
/* From its GPC's port to its slice, or away from the chip. */
void network_leave_gpc(struct network *n, uint32_t request);
/* To the bridge, on the way to its home and back. */
void network_cross(struct network *n, uint32_t request, uint64_t cycle);
void network_cross_back(struct network *n, uint32_t request, uint64_t cycle);
/* From a slice of its side towards its SM. */
void network_send_back(struct network *n, uint32_t request, uint64_t cycle);
/* From its GPC to its SM. */
void network_reply_to_sm(struct network *n, uint32_t request);
/* It is back: the SM has room for its sectors again. */
void network_arrived(struct network *n, const struct request *r);

/* It goes to far memory. */
static inline bool network_goes_far(
	const struct network *n, const struct request *r)
{
	return r->line >= n->core->far_line;
}

/* Its SM's requests between a slice's lookup and the reply. */
static inline uint16_t *network_pending(
	const struct network *n, const struct request *r)
{
	return &n->pending[r->sm * n->core->floor.slices + r->slice];
}

/* Sectors of data that travel back with it. */
static inline unsigned network_data_down(const struct request *r)
{
	return r->kind == REQUEST_LOAD || r->kind == REQUEST_ATOMIC
		       ? sector_count(r->demand)
		       : 0;
}

/* And towards it. */
static inline unsigned network_data_up(const struct request *r)
{
	return r->kind == REQUEST_STORE || request_is_atomic(r)
		       ? sector_count(r->demand)
		       : 0;
}

/* The longest that a request may wait, in cycles, where a turn takes
   `turn_ticks`. */
uint64_t network_latest(
	const struct network *n, const struct request *r, uint64_t turn_ticks);

/* ---- crossbar.c ---- */

/* The rates, once the GPCs are there. */
void crossbar_init(struct network *n);
/* Whether it has to wait for its turn to bring data to the slices. */
bool crossbar_waits(struct network *n, uint32_t request);
/* When the reply is through. */
uint64_t crossbar_time(struct network *n, const struct request *r);

/* ---- stations ---- */
void network_gpc(struct network *n, uint32_t request, uint32_t datum);
void network_store_turn(struct network *n, uint32_t request, uint32_t side);
void network_bridge(struct network *n, uint32_t request, uint32_t crossing);
void network_bridge_back(
	struct network *n, uint32_t request, uint32_t crossing);
void network_gpc_reply(struct network *n, uint32_t request, uint32_t crossed);
void network_sm_reply(struct network *n, uint32_t request, uint32_t cycles);

#endif
