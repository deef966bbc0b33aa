/*
 * A channel of DRAM: banks with one open row each, activates at a limited
 * rate, a data bus, refresh. First come, first served at each station.
 */
#include "backend_sim/core/engine.h"

/* Of its slice. */
static uint32_t row_of(const struct engine *e, const struct request *r)
{
	return slices_find(&e->where, r->line).number >> e->row_shift;
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

static uint32_t bank_of(const struct engine *e, uint32_t place)
{
	return channel_of(place) * e->banks + number_of(place);
}

/* What was written in part is read first, then written. */
static unsigned reread_of(const struct request *r)
{
	return r->kind == REQUEST_WRITEBACK ? r->fetch & ~r->whole & 15u : 0;
}

/* The slice's share of memory goes round its channels by rows; rows go to
   banks by a hash. */
uint32_t dram_place(const struct engine *e, const struct request *r)
{
	uint32_t slice = r->home * e->slices + r->slice;
	uint32_t row = row_of(e, r);
	uint32_t channel =
		divider_remainder(&e->in_channels, row + permute_mix(row / 2));
	uint32_t bank =
		divider_remainder(&e->in_banks, permute_mix(row + 0x51ed27u));

	return (reread_of(r) ? REREADS : 0) |
	       (slice * e->channels_per_slice + channel) << BANK_BITS | bank;
}

void dram_prefetch(const struct engine *e, uint32_t place)
{
	memory_prefetch(&e->bank[bank_of(e, place)]);
}

void dram_enter(struct engine *e, uint32_t request, uint64_t cycle)
{
	engine_push_with(e, request, AT_BANK, cycle,
		dram_place(e, &e->requests[request]));
}

/* Where in its refreshes a bank is: how many it has begun, and the end of one
   that is under way (`cycle` itself if none is). The banks of a channel take
   theirs one after the other: the others go on, so that a loaded channel does
   not fall behind. */
struct refreshes {
	uint64_t begun, over;
};

static struct refreshes refreshes_at(
	const struct engine *e, uint32_t place, uint64_t cycle)
{
	uint64_t interval = e->cost.refresh_interval, at;
	struct refreshes r = {0, cycle};

	if (!interval)
		return r;
	at = cycle + channel_of(place) * UINT64_C(977) +
	     divider_quotient(&e->in_banks, number_of(place) * interval);
	r.begun = divider_quotient(&e->in_refreshes, at);
	at -= r.begun * interval;
	if (at < e->cost.refresh)
		r.over = cycle + e->cost.refresh - at;
	return r;
}

/* A bank serves one row after the other; a request for the row that its
   queue ends with need not open it again, but one that reads and writes opens
   it for one of them. A refresh closes the row. */
void dram_bank(struct engine *e, uint32_t request, uint32_t place)
{
	uint32_t row = row_of(e, &e->requests[request]);
	struct bank *bank = &e->bank[bank_of(e, place)];
	uint64_t now = e->calendar.now, ready;
	struct refreshes refreshes = refreshes_at(e, place, now);

	if (refreshes.over > now) {
		engine_push_with(e, request, AT_BANK, refreshes.over, place);
		return;
	}
	if (bank->row == row + 1 &&
		bank->refreshes == (uint32_t)refreshes.begun) {
		engine_push_with(e, request,
			place & REREADS ? AT_ACTIVATE : AT_BUS,
			bank->open_at > now ? bank->open_at : now,
			place & REREADS ? place | ROW_OPEN : place);
		return;
	}
	ready = bank->free_at > now ? bank->free_at : now;
	bank->free_at = ready + e->cost.dram_row_busy;
	bank->open_at = ready + e->cost.dram_row;
	bank->row = row + 1;
	bank->refreshes = (uint32_t)refreshes.begun;
	engine_push_with(e, request, AT_ACTIVATE, ready, place);
}

/* The channel opens rows at a limited rate; one that it reads and then writes
   takes longer, or, where it was open, as long as any. */
void dram_activate(struct engine *e, uint32_t request, uint32_t place)
{
	uint64_t cycle = serve(&e->channels[channel_of(place)].activate_free,
		e->calendar.now,
		(place & (REREADS | ROW_OPEN)) == REREADS ? e->cost.reread
							  : e->cost.activate);

	engine_push_with(e, request, AT_BUS, cycle + e->cost.dram_row, place);
}

/* DRAM moves 64 bytes at a time: pairs of sectors. */
static unsigned atoms(unsigned sectors)
{
	return ((sectors & 3) != 0) + ((sectors & 12) != 0);
}

/* Of its time on the bus that what is read takes, / 256. Writes are not
   quicker: measured on an H200. */
static uint32_t compressed_share(
	const struct engine *e, const struct request *r)
{
	return e->compressed[r->buffer];
}

/* A part of those in line are served as they came, the rest SM by SM: one
   line of each. So who has little in line waits for a share of it only. */
static uint64_t in_turn(
	const struct engine *e, const struct request *r, uint64_t cycle)
{
	uint64_t now = e->calendar.now;
	uint64_t turn = now + network_latest(e, r, e->cost.dram_turn);
	uint64_t common = now + (cycle - now) * e->cost.common / TICKS;
	uint64_t latest = common > turn ? common : turn;

	return cycle < latest ? cycle : latest;
}

/* From the bus to the home slice. A load of the other side has its data sent
   on, which takes longer; the data of an atomic from there follows its command,
   which has asked DRAM by then. */
static uint64_t way_back(const struct engine *e, const struct request *r)
{
	uint64_t way = e->cost.dram;

	if (r->side == r->home)
		return way;
	if (r->kind == REQUEST_LOAD)
		return way + e->cost.dram_far;
	if (r->kind != REQUEST_ATOMIC && r->kind != REQUEST_REDUCTION)
		return way;
	return way > e->cost.bridge_data ? way - e->cost.bridge_data : 0;
}

void dram_bus(struct engine *e, uint32_t request, uint32_t place)
{
	struct request *r = &e->requests[request];
	struct channel *channel = &e->channels[channel_of(place)];
	unsigned count = sector_count(r->fetch);
	bool writing = r->kind == REQUEST_WRITEBACK;
	unsigned reread = reread_of(r);
	uint64_t ticks =
		(uint64_t)(atoms(r->fetch) + atoms(reread)) * e->cost.bus_atom;
	uint64_t cycle;

	if (!writing)
		ticks = ticks * compressed_share(e, r) / TICKS;

	if (channel->writing != writing)
		ticks += e->cost.bus_turn;
	channel->writing = writing;
	cycle = serve(&channel->bus_free, e->calendar.now, ticks);
	if (writing) {
		e->counts.dram_writes += count;
		e->counts.dram_reads += 2 * atoms(reread);
		engine_push_request(e, request, AT_WRITTEN, cycle);
		return;
	}
	e->counts.dram_reads += count;
	if (r->kind == REQUEST_LOAD)
		cycle = in_turn(e, r, cycle);
	engine_push_request(e, request, AT_FILL,
		cycle + way_back(e, r) + e->bank_extra[bank_of(e, place)]);
}
