#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/core/unused.h"
#include "backend_sim/machine/streams.h"
#include "backend_sim/memory/dram.h"
#include "backend_sim/rules/rules.h"
#include "harness/program/permute.h"

#define ATOM_BYTES 64 /* DRAM moves so many at a time: a pair of sectors */

/* ---- life cycle ---- */

static size_t bank_count(const struct dram *d)
{
	return (size_t)d->channel_count * d->core->cost.dram_banks;
}

static void set_rates(struct dram *d)
{
	const struct costs *cost = &d->core->cost;
	double bus = cost->dram_bytes_per_s / cost->clock_hz / d->channel_count;

	d->atom_ticks = costs_ticks(ATOM_BYTES / bus);
	d->turn_ticks =
		2 * (uint64_t)d->atom_ticks / cost->dram_channels_per_slice;
	d->common = costs_ticks(cost->dram_common_share);
}

static void set_spread(struct dram *d)
{
	const struct costs *cost = &d->core->cost;
	uint32_t i;

	for (i = 0; i < bank_count(d); i++)
		d->bank_extra[i] = (uint16_t)lround(
			cost->dram_spread_cycles *
			(1 + floor_draw(
				     cost->floor_seed + FLOOR_BANKS_SEED, i)));
}

int dram_init(struct dram *d, struct core *core, const struct network *network)
{
	const struct costs *cost = &core->cost;

	d->core = core;
	d->network = network;
	d->channel_count = core->slices.partitions * core->slices.count *
			   cost->dram_channels_per_slice;
	d->row_shift = 0;
	while ((uint64_t)PROGRAM_LINE_BYTES << (d->row_shift + 1) <=
		cost->dram_row_bytes)
		d->row_shift++;
	d->in_channels = divider_of(cost->dram_channels_per_slice);
	d->in_banks = divider_of(cost->dram_banks);
	d->in_refreshes =
		divider_of(cost->dram_refresh_interval_cycles
				   ? cost->dram_refresh_interval_cycles
				   : 1);
	set_rates(d);
	d->channels = calloc(d->channel_count, sizeof(*d->channels));
	d->banks = calloc(bank_count(d), sizeof(*d->banks));
	d->bank_extra = calloc(bank_count(d), sizeof(*d->bank_extra));
	if (!d->channels || !d->banks || !d->bank_extra)
		return -1;
	set_spread(d);
	return 0;
}

void dram_free(struct dram *d)
{
	free(d->channels);
	free(d->banks);
	free(d->bank_extra);
}

/* Books stay open. */
static void close_booked(struct dram *d)
{
	size_t i;

	for (i = 0; i < bank_count(d); i++)
		d->banks[i] =
			(struct bank){.server.book = d->banks[i].server.book};
}

void dram_close_rows(struct dram *d)
{
	if (d->core->books)
		close_booked(d);
	else
		memset(d->banks, 0, bank_count(d) * sizeof(*d->banks));
}

void dram_cold(struct dram *d)
{
	dram_close_rows(d);
	memset(d->channels, 0, d->channel_count * sizeof(*d->channels));
}

bool dram_is_settled(const struct dram *d)
{
	return !d->core->fetches.count[WAIT_HOME];
}

void dram_servers(struct dram *d, struct books *books)
{
	uint32_t i;

	for (i = 0; i < d->channel_count; i++) {
		books_add(books, SERVER_ACTIVATE, i, &d->channels[i].activate);
		books_add(books, SERVER_BUS, i, &d->channels[i].bus);
	}
	for (i = 0; i < bank_count(d); i++)
		books_add(books, SERVER_BANK, i, &d->banks[i].server);
}

/* What zeros in each sector save; data that stores change keep their share. */
static double compressed(const struct costs *cost, const struct buffer *b)
{
	unsigned random = b->fill == FILL_ZERO     ? 0
			  : b->fill == FILL_RANDOM ? b->random_bytes
						   : PROGRAM_SECTOR_BYTES;

	if (b->fill == FILL_RANDOM && !b->random_bytes)
		random = PROGRAM_SECTOR_BYTES;
	if (b->memory != MEMORY_COMPRESSIBLE)
		return 1;
	if (random < PROGRAM_SECTOR_BYTES / 4)
		return cost->compressed_share;
	return random < PROGRAM_SECTOR_BYTES / 2 ? cost->compressed_half_share
						 : 1;
}

void dram_place_buffers(struct dram *d, const struct program *p)
{
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++)
		d->core->compressed[i] = (uint16_t)costs_ticks(
			compressed(&d->core->cost, &p->buffers[i]));
	d->core->compressed[PROGRAM_BUFFERS_MAX] = TICKS_A_CYCLE;
	_Static_assert(PROGRAM_BUFFERS_MAX < REQUEST_BUFFERS, "of four bits");
}

/* ---- places ---- */

/* Of its slice. */
static uint32_t row_of(const struct dram *d, const struct request *r)
{
	return slices_find(&d->core->slices, r->line).number >> d->row_shift;
}

/* A place: the channel, the bank of the channel, whether what is written is
   read first, and whether its row is open then. */
#define BANK_BITS 10
#define REREADS   (1u << 31)
#define ROW_OPEN  (1u << 30)

static uint32_t channel_of(uint32_t place)
{
	return (place & ~(REREADS | ROW_OPEN)) >> BANK_BITS;
}

/* Of its channel. */
static uint32_t number_of(uint32_t place)
{
	return place & ((1u << BANK_BITS) - 1);
}

static uint32_t bank_of(const struct dram *d, uint32_t place)
{
	return channel_of(place) * d->core->cost.dram_banks + number_of(place);
}

/* What was written in part is read first, then written. */
static unsigned reread_of(const struct request *r)
{
	return RULE(DRAM_REREADS) && r->kind == REQUEST_WRITEBACK
		       ? r->fetch & ~r->whole & SECTORS_ALL
		       : 0;
}

/* The slice's share of memory goes round its channels by rows; rows go to
   banks by a hash. */
static uint32_t place_of(const struct dram *d, const struct request *r)
{
	const struct core *core = d->core;
	uint32_t slice = slices_number(&core->slices, r->home, r->slice);
	uint32_t row = row_of(d, r);
	uint32_t channel =
		divider_remainder(&d->in_channels, row + permute_mix(row / 2));
	uint32_t bank =
		divider_remainder(&d->in_banks, permute_mix(row + 0x51ed27u));

	return (reread_of(r) ? REREADS : 0) |
	       (slice * core->cost.dram_channels_per_slice + channel)
		       << BANK_BITS |
	       bank;
}

void dram_foresee_bank(
	const struct dram *d, const struct request *r, uint32_t place)
{
	(void)r;
	memory_prefetch(&d->banks[bank_of(d, place)]);
}

void dram_prefetch(const struct dram *d, const struct request *r)
{
	dram_foresee_bank(d, r, place_of(d, r));
}

void dram_enter(struct dram *d, uint32_t request, uint64_t cycle)
{
	struct core *core = d->core;

	event_push_with(core, request, AT_BANK, cycle,
		place_of(d, &core->requests[request]));
}

/* Where in its refreshes a bank is: how many it has begun, and the end of one
   that is under way (`cycle` itself if none is). The banks of a channel take
   theirs one after the other: the others go on, so that a loaded channel does
   not fall behind. */
struct refreshes {
	uint64_t begun, over;
};

static struct refreshes refreshes_at(
	const struct dram *d, uint32_t place, uint64_t cycle)
{
	const struct core *core = d->core;
	uint64_t interval = core->cost.dram_refresh_interval_cycles, at;
	struct refreshes r = {0, cycle};

	if (!interval)
		return r;
	at = cycle +
	     (uint64_t)channel_of(place) * d->core->cost.dram_stagger_cycles +
	     divider_quotient(&d->in_banks, number_of(place) * interval);
	r.begun = divider_quotient(&d->in_refreshes, at);
	at -= r.begun * interval;
	if (at < core->cost.dram_refresh_cycles)
		r.over = cycle + core->cost.dram_refresh_cycles - at;
	return r;
}

/* A bank serves one row after the other; a request for the row that its
   queue ends with need not open it again, but one that reads and writes opens
   it for one of them. A refresh closes the row. */
void dram_bank(struct dram *d, uint32_t request, uint32_t place)
{
	struct core *core = d->core;
	uint32_t row = row_of(d, &core->requests[request]);
	struct bank *bank = &d->banks[bank_of(d, place)];
	uint64_t now = core_now(core), ready;
	struct refreshes refreshes = refreshes_at(d, place, now);

	if (refreshes.over > now) {
		server_pauses(&bank->server, sender_of_request(request), now,
			refreshes.over);
		event_push_with(core, request, AT_BANK, refreshes.over, place);
		return;
	}
	if (bank->row == row + 1 &&
		bank->refreshes == (uint32_t)refreshes.begun) {
		event_push_with(core, request,
			place & REREADS ? AT_ACTIVATE : AT_BUS,
			bank->open_at > now ? bank->open_at : now,
			place & REREADS ? place | ROW_OPEN : place);
		return;
	}
	ready = serve(&bank->server, sender_begins(request), now,
			(uint64_t)core->cost.dram_row_busy_cycles *
				TICKS_A_CYCLE) -
		core->cost.dram_row_busy_cycles;
	bank->open_at = ready + core->cost.dram_row_cycles;
	bank->row = row + 1;
	bank->refreshes = (uint32_t)refreshes.begun;
	event_push_with(core, request, AT_ACTIVATE, ready, place);
}

/* The channel opens rows at a limited rate; one that it reads and then writes
   takes longer, or, where it was open, as long as any. */
void dram_activate(struct dram *d, uint32_t request, uint32_t place)
{
	struct core *core = d->core;
	uint64_t cycle = serve(&d->channels[channel_of(place)].activate,
		sender_of_request(request), core_now(core),
		(place & (REREADS | ROW_OPEN)) == REREADS
			? core->cost.dram_reread_ticks
			: core->cost.dram_activate_ticks);

	event_push_with(core, request, AT_BUS,
		cycle + core->cost.dram_row_cycles, place);
}

/* DRAM moves 64 bytes at a time: pairs of sectors. A sector that it reads and
   writes moves alone, each way: an H200 does so with 24 a cycle, one of each
   pair, which is half of its rate. */
static unsigned atoms(unsigned sectors)
{
	if (!RULE(DRAM_PAIRS))
		return sector_count(sectors);
	return ((sectors & 3) != 0) + ((sectors & 12) != 0);
}

/* Of the loads in line a part are served as they came, the rest SM by SM: one
   line of each. So who has little in line waits for a share of them only, and
   for all that is written. */
static uint64_t in_turn(const struct dram *d, const struct request *r,
	struct channel *channel, uint64_t cycle, uint64_t ticks)
{
	uint64_t now = core_now(d->core);
	uint64_t loads = line_serve(&channel->loads_over, now, ticks) - now;
	uint64_t turn = network_latest(d->network, r, d->turn_ticks);
	uint64_t common = loads * d->common / TICKS_A_CYCLE;
	uint64_t longest = common > turn ? common : turn;

	return loads > longest ? cycle - (loads - longest) : cycle;
}

/* From the bus to the home slice. A load of the other side has its data sent
   on, which takes longer; the data of an atomic from there follows its command,
   which has asked DRAM by then. */
static uint64_t way_back(const struct dram *d, const struct request *r)
{
	const struct core *core = d->core;
	uint64_t way = core->cost.dram_near_cycles;

	if (r->side == r->home)
		return way;
	if (r->kind == REQUEST_LOAD)
		return way + core->cost.dram_far_cycles;
	if (!request_is_atomic(r))
		return way;
	return way > core->cost.bridge_data_cycles
		       ? way - core->cost.bridge_data_cycles
		       : 0;
}

void dram_bus(struct dram *d, uint32_t request, uint32_t place)
{
	struct core *core = d->core;
	struct request *r = &core->requests[request];
	struct channel *channel = &d->channels[channel_of(place)];
	unsigned count = sector_count(r->fetch);
	bool writing = r->kind == REQUEST_WRITEBACK;
	unsigned reread = reread_of(r);
	uint64_t ticks = (uint64_t)atoms(r->fetch & ~reread) * d->atom_ticks +
			 (uint64_t)sector_count(reread) * d->atom_ticks;
	uint64_t cycle;

	/* Writes are not quicker: measured on an H200. */
	if (!writing)
		ticks = ticks * core->compressed[r->buffer] / TICKS_A_CYCLE;

	if (channel->writing != writing)
		ticks += core->cost.dram_turnaround_ticks;
	channel->writing = writing;
	cycle = serve_untold(&channel->bus, core_now(core), ticks);
	if (r->kind == REQUEST_LOAD)
		cycle = in_turn(d, r, channel, cycle, ticks);
	server_told(&channel->bus, sender_of_request(request), core_now(core),
		cycle, ticks);
	if (writing) {
		core->counts.dram_writes += count;
		core->counts.dram_reads += sector_count(reread);
		event_push(core, request, AT_WRITTEN, cycle);
		return;
	}
	core->counts.dram_reads += count;
	if (core->unused)
		unused_fetched(core->unused, r->line, r->fetch,
			r->kind == REQUEST_PREFETCH ? 0 : r->demand);
	event_push(core, request, AT_FILL,
		cycle + way_back(d, r) + d->bank_extra[bank_of(d, place)]);
}
