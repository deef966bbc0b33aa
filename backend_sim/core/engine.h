#ifndef NEARFAR_ENGINE_H
#define NEARFAR_ENGINE_H

/*
 * The state of the model while it executes one program.
 *
 * Two kinds of entity move through the event queue: warps, which interpret
 * the program (warp.c), and requests, one for each line that a warp
 * instruction touches, which walk from station to station:
 *
 *   SM port -> GPC port -> near slice -> [bridge -> home slice]
 *           -> [DRAM bank -> DRAM bus -> home slice] -> [bridge -> near slice]
 *           -> crossbar -> GPC reply port -> SM reply port -> the warp
 *
 * At each station that can be busy the request books the server *when it
 * arrives there*, never earlier, so that a server is never idle while
 * something waits for it. Requests that miss on what is already being fetched
 * wait on the list of the request that fetches it. Nothing polls.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/address.h"
#include "harness/contract/backend.h"
#include "backend_sim/core/calendar.h"
#include "backend_sim/core/chip.h"
#include "backend_sim/core/request.h"
#include "backend_sim/machine/slices.h"
#include "backend_sim/sm/warp.h"

/* Where an event happens: a warp's next instruction, or a station that a
   request reaches. */
enum station {
	AT_WARP,
	AT_GPC,
	AT_SLICE,
	AT_BRIDGE,
	AT_HOME,
	AT_ATOMIC,
	AT_ATOMIC_DONE,
	AT_BANK,
	AT_ACTIVATE,
	AT_BUS,
	AT_WRITTEN,
	AT_FILL,
	AT_BRIDGE_BACK,
	AT_NEAR_FILL,
	AT_GPC_REPLY,
	AT_SM_REPLY,
	AT_DONE,
};

/* An event says where something happens and to which warp or request, and what
   the station needs to know if that is little, so that the request, which may
   be far from the host's core, need not be looked at. */
#define EVENT(station, index, datum)                                           \
	((uint64_t)(station) << 56 | (uint64_t)(index) << 32 | (datum))
#define EVENT_STATION(event) ((enum station)((event) >> 56))
#define EVENT_INDEX(event)   ((uint32_t)((event) >> 32) & 0xffffffu)
#define EVENT_DATUM(event)   ((uint32_t)(event))

/* Counters, with Nsight Compute's names where it has one. */
#define ENGINE_COUNTERS(C)                                                     \
	C(l1_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")      \
	C(l1_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")        \
	C(l1_hits,                                                             \
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")   \
	C(texture_sectors, "nearfar__texture_sectors.sum")                     \
	C(texture_hits, "nearfar__texture_sectors_hit.sum")                    \
	C(replays, "nearfar__replays.sum")                                     \
	C(l2_reads, "lts__t_sectors_op_read.sum")                              \
	C(l2_writes, "lts__t_sectors_op_write.sum")                            \
	C(l2_atomics, "lts__t_sectors_op_atom.sum")                            \
	C(l2_reductions, "lts__t_sectors_op_red.sum")                          \
	C(l2_hits, "lts__t_sectors_lookup_hit.sum")                            \
	C(l2_misses, "lts__t_sectors_lookup_miss.sum")                         \
	C(dram_reads, "dram__sectors_read.sum")                                \
	C(dram_writes, "dram__sectors_write.sum")                              \
	C(bridge_sectors, "nearfar__bridge_sectors.sum")                       \
	C(tlb_misses, "nearfar__tlb_misses.sum")                               \
	C(tlb2_misses, "nearfar__tlb2_misses.sum")                             \
	C(requests, "nearfar__requests.sum")                                   \
	C(events, "nearfar__events.sum")

struct counts {
#define ENGINE_COUNT(field, name) uint64_t field;
	ENGINE_COUNTERS(ENGINE_COUNT)
#undef ENGINE_COUNT
};

struct engine {
	const struct machine *machine;
	const struct program *p;
	struct costs cost;
	struct counts counts;
	struct calendar calendar;

	/* chip; kept from run to run */
	uint32_t sm_count, gpc_count, partitions, slices; /* per partition */
	uint32_t channels_per_slice, banks, row_shift;
	struct slices where;
	struct divider in_slice_sets, in_channels, in_banks;
	struct divider in_refreshes; /* cycles */
	struct tlb tlb2;
	struct sm *sms;
	struct remainders l1_index, texture_index;
	struct cache l2[2];
	uint16_t *route; /* [sm][slice]: cycles to a near slice and back */
	uint64_t *gpc_free, *gpc_reply_free;
	uint64_t crossbar_free;  /* ticks / TICKS */
	uint64_t bridge_free[2]; /* by direction: from side 0, from 1 */
	uint64_t *slice_free, *data_free, *write_free; /* [side][slice] */
	uint16_t *pending; /* [sm][slice]: requests between lookup and reply */
	struct atomic_unit *atomic_units; /* [side][slice] */
	struct write_queue *writes;       /* [side][slice] */
	struct channel *channels;         /* [side][slice][channel] */
	struct bank *bank;                /* [channel][bank] */
	uint16_t *bank_extra;             /* cycles, by channel and bank */
	struct fetch_bucket *table[FETCH_TABLES]; /* what is being fetched */
	uint32_t table_bits[FETCH_TABLES];  /* of the size that it has now */
	uint32_t table_count[FETCH_TABLES]; /* fetches in it */
	/* a ring, counted from the beginning: those sent last, in order */
	struct recent recent[RECENT_MAX];
	uint32_t recent_first, recent_end;

	/* device state that steps change */
	uint32_t fetch_bytes;
	uint32_t last_max; /* ways of a set for CLASS_LAST */
	uint32_t page_base[PROGRAM_BUFFERS_MAX]; /* pages handed out */
	uint32_t *page; /* virtual page -> physical page */
	uint32_t page_count;
	const struct step *window; /* access-policy window, or NULL */

	/* of each buffer: the share of its bus time that reading it takes,
	   / 256; the last is for what no buffer holds */
	uint16_t compressed[PROGRAM_BUFFERS_MAX + 1];

	/* the launch */
	const struct step *step;
	struct request *requests;
	struct links *links;                 /* of the requests */
	uint32_t request_count, request_top; /* used ones lie below */
	uint32_t *free_requests, free_count; /* the last one goes first */
	struct warp *warps;
	uint32_t warp_count, warp_capacity;
	struct block *blocks;
	uint32_t block_count, block_capacity;
	uint32_t *positions; /* of chases, by thread and ring */
	uint32_t position_count, position_capacity;
	struct permutation *permutations[PROGRAM_BUFFERS_MAX]; /* by ring */
	uint32_t foreground_live, live;
	uint32_t queue_next; /* block to start when another one ends */
	uint32_t active;     /* SMs with requests under way */

	/* regions and results */
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
	uint8_t region_of[PROGRAM_INSNS_MAX]; /* of a timed repeat */
	uint8_t making_of[PROGRAM_INSNS_MAX]; /* of the launch: addresses */
	uint32_t end_of[PROGRAM_INSNS_MAX];   /* of a repeat: its end */
	uint64_t region_first[PROGRAM_REGIONS_MAX];
	uint64_t region_last[PROGRAM_REGIONS_MAX];
	struct result *result;
	bool failed; /* out of memory: run() reports it */
};

/* May a warp of the SM send more? */
static inline bool sm_has_room(const struct engine *e, const struct sm *sm)
{
	return sm->inflight < e->cost.inflight_max && sm->held < HELD_MAX;
}

/* ---- engine.c: life cycle and the loop ---- */
int engine_init(
	struct engine *e, const struct machine *machine, struct error *error);
void engine_free(struct engine *e);
int engine_run(struct engine *e, const struct program *p, struct result *result,
	struct error *error);
void engine_push_request(struct engine *e, uint32_t request,
	enum station station, uint64_t cycle);
void engine_push_with(struct engine *e, uint32_t request, enum station station,
	uint64_t cycle, uint32_t datum);
void engine_foresee(const struct engine *e, const struct request *r);
void engine_push_warp(struct engine *e, uint32_t warp, uint64_t cycle);

/* ---- l1.c ---- */
void l1_lookup(struct engine *e, uint32_t request, const struct access *access);
void l1_fill(struct engine *e, uint32_t request);
void l1_empty(struct sm *sm);
uint32_t l1_translate(struct engine *e, struct sm *sm, uint32_t page);

/* ---- l2.c, network.c, dram.c: one function a station ---- */
void network_leave_sm(
	struct engine *e, uint32_t request, uint64_t cycle, uint32_t late);
void network_gpc(struct engine *e, uint32_t request);
/* To the bridge, on the way to its home and back. */
void network_cross(struct engine *e, uint32_t request, uint64_t cycle);
void network_cross_back(struct engine *e, uint32_t request, uint64_t cycle);
void network_bridge(struct engine *e, uint32_t request, uint32_t crossing);
void network_bridge_back(struct engine *e, uint32_t request, uint32_t crossing);
/* The longest that a request may wait, in cycles, where a turn takes
   `turn_ticks`. */
uint64_t network_latest(
	const struct engine *e, const struct request *r, uint64_t turn_ticks);
void network_reply(struct engine *e, uint32_t request, uint64_t cycle);
void network_gpc_reply(struct engine *e, uint32_t request, uint32_t crossed);
void network_sm_reply(struct engine *e, uint32_t request, uint32_t cycles);
void l2_slice(struct engine *e, uint32_t request);
void l2_home(struct engine *e, uint32_t request);
void l2_atomic(struct engine *e, uint32_t request);
void l2_atomic_done(struct engine *e, uint32_t request);
void l2_fill(struct engine *e, uint32_t request);
void l2_near_fill(struct engine *e, uint32_t request);
void l2_written(struct engine *e, uint32_t request);
/* Which channel and bank: what the stations of DRAM know of a request. */
uint32_t dram_place(const struct engine *e, const struct request *r);
/* The host's caches shall have the bank. */
void dram_prefetch(const struct engine *e, uint32_t place);
void dram_enter(struct engine *e, uint32_t request, uint64_t cycle);
void dram_bank(struct engine *e, uint32_t request, uint32_t place);
void dram_activate(struct engine *e, uint32_t request, uint32_t place);
void dram_bus(struct engine *e, uint32_t request, uint32_t place);

#endif
