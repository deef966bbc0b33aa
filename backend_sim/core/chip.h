#ifndef NEARFAR_CHIP_H
#define NEARFAR_CHIP_H

/*
 * The parts of the chip, their state and what each costs.
 *
 * Servers keep the time at which they are next free in ticks, 256 to a cycle,
 * so that a rate need not be a whole number of cycles; events happen at whole
 * cycles.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/address.h"
#include "backend_sim/memory/cache.h"
#include "backend_sim/machine/divider.h"
#include "backend_sim/machine/machine.h"
#include "backend_sim/core/request.h"

struct engine;
struct error;

#define TICKS      256u
#define LINE_SHIFT 7

#define SCHEDULERS_MAX     8
#define TEXTURE_CACHES_MAX 8

/* ---- servers ---- */

/* Books `ticks` of a server at `now`; the cycle at which they are over. */
static inline uint64_t serve(uint64_t *free_at, uint64_t now, uint64_t ticks)
{
	uint64_t start = now * TICKS;

	if (*free_at > start)
		start = *free_at;
	*free_at = start + ticks;
	return (*free_at + TICKS - 1) / TICKS;
}

/* Translations, the most recent first in each set. */
struct tlb {
	uint32_t *pages; /* + 1; 0: none */
	uint32_t entries, ways;
	uint32_t shift; /* of a virtual page's number */
	struct divider in_sets;
};

struct sm {
	/* what every request looks at: a line of the host's cache */
	_Alignas(64) uint64_t lsu_free;
	uint64_t l1_free, port_free, reply_free;
	uint32_t inflight; /* sectors under way */
	uint32_t held;     /* requests of its warps, hits in L1 included */
	uint32_t credit_head, credit_tail; /* warps waiting for a credit */
	uint8_t side, gpc;
	bool l1_used;   /* or a texture cache, since they were last emptied */
	uint32_t dealt; /* warps, to the schedulers, in this launch */
	uint64_t issue_free[SCHEDULERS_MAX], data_free[SCHEDULERS_MAX];
	uint64_t texture_free[TEXTURE_CACHES_MAX];
	struct tlb tlb;
	struct cache l1, texture[TEXTURE_CACHES_MAX];
};

/* Requests that one SM may hold in the pool at once. */
#define HELD_MAX 4096u

/* ---- costs: the machine's parameters, ready for use ---- */

struct costs {
	uint32_t lsu, l1_line, l1_pass, shared_atomic; /* ticks */
	uint32_t replay, texture_line;                 /* ticks */
	uint32_t making[MAKES_DRAW + 1];               /* ticks */
	uint32_t loop_issue, use_issue;                /* ticks */
	uint32_t lane_byte;                            /* / TICKS ticks */
	uint32_t sm_request, sm_data;                  /* ticks; per sector */
	uint32_t gpc_request, gpc_data, tlb_port;
	uint32_t sm_reply_header, sm_reply_sector;
	uint32_t gpc_reply_header, gpc_reply_sector;
	uint32_t bridge_request, bridge_sector;
	uint32_t slice_request, slice_sector, slice_write;
	uint32_t crossbar_sector;                          /* / TICKS ticks */
	uint32_t crossbar_turn;                            /* ticks */
	uint32_t atomic_sector, atomic_kept, atomic_whole; /* ticks */
	uint32_t atomic_flit;
	uint32_t atomic_turn, atomic_line; /* passes */
	uint32_t atomic_lane, atomic_reply_pass, atomic_reply_lane;
	uint32_t bus_atom, bus_turn, activate, reread;
	uint32_t common;                               /* / TICKS */
	uint32_t l1_hit, l1_miss, bridge, bridge_data; /* cycles */
	uint32_t texture_hit, texture_miss, gpc_merge;
	uint32_t atomic_extra, tlb_miss, tlb2_miss;
	uint32_t issue, store_issue, loop, renew, timing, delay, barrier,
		shared, turn;
	uint32_t start_spread, poll;
	uint32_t dram, dram_far, dram_row, dram_row_busy, drain;
	uint64_t dram_turn; /* ticks: a line of an SM at its turn */
	uint32_t refresh_interval, refresh;
	uint32_t inflight_max, page_shift, writebacks_max, atomic_lines;
	uint32_t schedulers, texture_caches;
	uint32_t l1_last_max; /* ways of a set for CLASS_LAST */
	bool l1_promotes, l1_store_evicts, l1_store_allocates, l1_protects;
};

struct channel {
	uint64_t bus_free, activate_free;
	bool writing;
};

#define ATOMIC_LINES_MAX 4

/* A slice's atomic unit. */
struct atomic_unit {
	uint64_t free_at, port_free[2]; /* ports: from its side, from afar */
	uint64_t stuck_until; /* by requests for lines that it holds */
	uint32_t lines[ATOMIC_LINES_MAX]; /* + 1; that it holds, the last used
					     first; 0: none */
};

/* Write-backs under way from a slice, and the stores that wait for room. */
struct write_queue {
	uint32_t count, head, tail;
};

struct bank {
	uint64_t free_at, open_at; /* cycles: next activate, row usable */
	uint32_t row;              /* + 1; 0: closed */
	uint32_t refreshes;        /* begun when the row was opened */
};

/* ---- costs.c ---- */
void costs_init(struct costs *costs, const struct machine *machine);

/* ---- chip.c: what the machine file says, as tables ---- */
int chip_init(struct engine *e, struct error *error);
void chip_free(struct engine *e);
void chip_cold(struct engine *e);   /* everything empty and free */
void chip_flush(struct engine *e);  /* L2 full of foreign, clean lines */
void chip_launch(struct engine *e); /* L1 empty; servers keep their time */
void chip_carveout(struct engine *e, uint64_t bytes);
void chip_reset_persisting(struct engine *e);
uint32_t chip_page(const struct engine *e, uint32_t buffer, uint64_t offset);
uint32_t chip_line(const struct engine *e, uint32_t page, uint64_t offset);
/* Home, slice and set of a request's line. */
void chip_place(const struct engine *e, struct request *r);

#endif
