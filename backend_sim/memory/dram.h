#ifndef NEARFAR_DRAM_H
#define NEARFAR_DRAM_H

/*
 * DRAM: each slice has channels of its own. A channel is banks with one open
 * row each, activates at a limited rate, a data bus, refresh. First come, first
 * served at each station.
 *
 * A slice's lines, in the order of its share of memory, fill row after row. Row
 * r is of channel (r + mix(r / 2)) modulo dram_channels_per_slice and there of
 * bank mix(r + 0x51ed27) modulo dram_banks; mix is permute_mix(), and no chip's
 * own hash. A request for the row that is open goes to the bus when the row is
 * usable. Another row is opened when the bank has been busy with the last one
 * for dram_row_busy_cycles, and is usable dram_row_cycles after the channel has
 * had time for the activate.
 *
 * Bank b of channel c, counted over the chip, begins a refresh whenever the
 * cycle + c * dram_stagger_cycles + b * dram_refresh_interval_cycles /
 * dram_banks is a multiple of the interval. What comes while a refresh is under
 * way comes again when it is over. A refresh closes the row.
 */
#include <stdbool.h>

#include "backend_sim/core/core.h"
#include "backend_sim/core/server.h"
#include "backend_sim/memory/network.h"
#include "harness/program/program.h"

struct channel {
	struct server bus, activate;
	uint64_t loads_over; /* ticks: the bus would be free without writes */
	bool writing;
};

struct bank {
	struct server server; /* of rows: free for the next activate */
	uint64_t open_at;     /* cycle: the row is usable */
	uint32_t row;         /* + 1; 0: closed */
	uint32_t refreshes;   /* begun when the row was opened */
};

struct dram {
	struct core *core;
	const struct network *network; /* whose turn it is */
	uint32_t channel_count, row_shift;
	struct divider in_channels, in_banks;
	struct divider in_refreshes; /* cycles */
	struct channel *channels;    /* owned; [slice of the chip][channel] */
	struct bank *banks;          /* owned; [channel][bank] */
	uint16_t *bank_extra;        /* owned; cycles, by channel and bank */
	uint32_t atom_ticks;         /* 64 bytes on the bus */
	uint64_t turn_ticks;         /* a line of an SM at its turn */
	uint32_t common;             /* dram_common_share, / TICKS_A_CYCLE */
};

/* Less than 0 without memory; dram_free() then, too. */
int dram_init(struct dram *d, struct core *core, const struct network *network);
void dram_free(struct dram *d);
void dram_cold(struct dram *d);
bool dram_is_settled(const struct dram *d);
void dram_servers(struct dram *d, struct books *books);
void dram_close_rows(struct dram *d);

/* What zeros in the buffers' data save. */
void dram_place_buffers(struct dram *d, const struct program *p);

/* To the bank of its line. */
void dram_enter(struct dram *d, uint32_t request, uint64_t cycle);
/* Fetches the bank of a request's line into the host's caches. */
void dram_prefetch(const struct dram *d, const struct request *r);

/* ---- stations; the datum is the place (dram.c) ---- */
void dram_bank(struct dram *d, uint32_t request, uint32_t place);
void dram_activate(struct dram *d, uint32_t request, uint32_t place);
void dram_bus(struct dram *d, uint32_t request, uint32_t place);
void dram_foresee_bank(
	const struct dram *d, const struct request *r, uint32_t place);

#endif
