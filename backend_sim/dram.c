/*
 * A channel of DRAM: banks with one open row each, activates at a limited
 * rate, a data bus, refresh. First come, first served at each station.
 */
#include "engine.h"

struct spot {
	uint32_t channel, bank, row; /* bank: of the channel */
};

/* The slice's share of memory goes round its channels by rows; rows go to
   banks by a hash. */
static struct spot locate(const struct engine *e, const struct request *r)
{
	uint32_t pairs = e->slices > 1 ? e->slices / 2 : 1;
	uint32_t local = chip_local(e, r->line);
	uint32_t index =
		(local >> 3) / pairs * 4 + ((local >> 1) & 2) + (local & 1);
	uint32_t slice = r->home * e->slices + r->slice;
	uint32_t row = index >> e->row_shift;
	uint32_t channel = (row + permute_mix(row / 2)) % e->channels_per_slice;

	return (struct spot){
		.channel = slice * e->channels_per_slice + channel,
		.bank = permute_mix(row + 0x51ed27u) % e->banks,
		.row = row,
	};
}

/* The host's caches shall have the bank. */
void dram_prefetch(const struct engine *e, const struct request *r)
{
	struct spot spot = locate(e, r);

	__builtin_prefetch(&e->bank[spot.channel * e->banks + spot.bank]);
}

/* Where in its refreshes a bank is: how many it has begun, and the end of one
   that is under way (`cycle` itself if none is). The banks of a channel take
   theirs one after the other: the others go on, so that a loaded channel does
   not fall behind. */
struct refreshes {
	uint64_t begun, over;
};

static struct refreshes refreshes_at(
	const struct engine *e, const struct spot *spot, uint64_t cycle)
{
	uint64_t interval = e->cost.refresh_interval, at;
	struct refreshes r = {0, cycle};

	if (!interval)
		return r;
	at = cycle + spot->channel * UINT64_C(977) +
	     spot->bank * interval / e->banks;
	r.begun = at / interval;
	at -= r.begun * interval;
	if (at < e->cost.refresh)
		r.over = cycle + e->cost.refresh - at;
	return r;
}

/* A request takes along where it is, for the stations that follow. */
#define BANK_BITS 10

static uint32_t channel_of(const struct request *r)
{
	return r->bank >> BANK_BITS;
}

static uint32_t bank_of(const struct engine *e, const struct request *r)
{
	return channel_of(r) * e->banks + (r->bank & ((1u << BANK_BITS) - 1));
}

/* What was written in part is read first, then written. */
static unsigned reread_of(const struct request *r)
{
	return r->kind == REQUEST_WRITEBACK ? r->fetch & ~r->whole & 15u : 0;
}

/* A bank serves one row after the other; a request for the row that its
   queue ends with need not open it again, but for one that reads and writes:
   each of these opens it for itself. A refresh closes all rows. */
void dram_bank(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct spot spot = locate(e, r);
	struct bank *bank = &e->bank[spot.channel * e->banks + spot.bank];
	uint64_t now = e->calendar.now, ready;
	struct refreshes refreshes = refreshes_at(e, &spot, now);

	if (refreshes.over > now) {
		engine_push_request(e, request, AT_BANK, refreshes.over);
		return;
	}
	r->bank = spot.channel << BANK_BITS | spot.bank;
	if (!reread_of(r) && bank->row == spot.row + 1 &&
		bank->refreshes == (uint32_t)refreshes.begun) {
		engine_push_request(e, request, AT_BUS,
			bank->open_at > now ? bank->open_at : now);
		return;
	}
	ready = bank->free_at > now ? bank->free_at : now;
	bank->free_at = ready + e->cost.dram_row_busy;
	bank->open_at = ready + e->cost.dram_row;
	bank->row = spot.row + 1;
	bank->refreshes = (uint32_t)refreshes.begun;
	engine_push_request(e, request, AT_ACTIVATE, ready);
}

/* The channel opens rows at a limited rate, and once more to write what it has
   read for that. */
void dram_activate(struct engine *e, uint32_t request)
{
	const struct request *r = &e->requests[request];
	uint64_t cycle = serve(&e->channels[channel_of(r)].activate_free,
		e->calendar.now, e->cost.activate * (reread_of(r) ? 2u : 1u));

	engine_push_request(e, request, AT_BUS, cycle + e->cost.dram_row);
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
	uint64_t line = 2 * (uint64_t)e->cost.bus_atom / e->channels_per_slice;
	uint64_t turn = now + network_latest(e, r, line);
	uint64_t common = now + (cycle - now) * e->cost.common / TICKS;
	uint64_t latest = common > turn ? common : turn;

	return cycle < latest ? cycle : latest;
}

void dram_bus(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct channel *channel = &e->channels[channel_of(r)];
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
		cycle + e->cost.dram + e->bank_extra[bank_of(e, r)]);
}
