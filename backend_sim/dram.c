/*
 * A channel of DRAM: banks with one open row each, activates at a limited
 * rate, a data bus, refresh. First come, first served at each station.
 */
#include "engine.h"

struct spot {
	uint32_t channel, bank, row;
};

/* The slice's share of memory goes round its channels by rows; rows go to
   banks by a hash. */
static struct spot locate(const struct engine *e, const struct request *r)
{
	uint32_t pairs = e->slices > 1 ? e->slices / 2 : 1;
	uint32_t index = (r->line >> 3) / pairs * 4 + ((r->line >> 1) & 2) +
			 (r->line & 1);
	uint32_t slice = r->home * e->slices + r->slice;
	uint32_t row = index >> e->row_shift;
	uint32_t channel = (row + permute_mix(row / 2)) % e->channels_per_slice;
	struct spot spot = {
		.channel = slice * e->channels_per_slice + channel,
		.bank = permute_mix(row + 0x51ed27u) % e->banks,
		.row = row,
	};

	spot.bank += spot.channel * e->banks;
	return spot;
}

/* The end of a refresh that is under way at `cycle`, else `cycle`. */
static uint64_t after_refresh(
	const struct engine *e, uint32_t channel, uint64_t cycle)
{
	uint64_t at;

	if (!e->cost.refresh_interval)
		return cycle;
	at = (cycle + (uint64_t)channel * 977u) % e->cost.refresh_interval;
	return at < e->cost.refresh ? cycle + e->cost.refresh - at : cycle;
}

/* A bank serves one row after the other; a request for the row that its
   queue ends with need not open it again. */
void dram_bank(struct engine *e, uint32_t request)
{
	struct spot spot = locate(e, &e->requests[request]);
	struct bank *bank = &e->bank[spot.bank];
	uint64_t now = e->calendar.now;
	uint64_t ready = after_refresh(e, spot.channel, now);

	if (ready > now) {
		engine_push_request(e, request, AT_BANK, ready);
		return;
	}
	if (bank->row == spot.row + 1) {
		engine_push_request(e, request, AT_BUS,
			bank->open_at > now ? bank->open_at : now);
		return;
	}
	if (bank->free_at > ready)
		ready = bank->free_at;
	bank->free_at = ready + e->cost.dram_row_busy;
	bank->open_at = ready + e->cost.dram_row;
	bank->row = spot.row + 1;
	engine_push_request(e, request, AT_ACTIVATE, ready);
}

/* The channel opens rows at a limited rate. */
void dram_activate(struct engine *e, uint32_t request)
{
	struct spot spot = locate(e, &e->requests[request]);
	uint64_t cycle = serve(&e->channels[spot.channel].activate_free,
		e->calendar.now, e->cost.activate);

	engine_push_request(e, request, AT_BUS, cycle + e->cost.dram_row);
}

/* DRAM moves 64 bytes at a time: pairs of sectors. */
static unsigned atoms(unsigned sectors)
{
	return ((sectors & 3) != 0) + ((sectors & 12) != 0);
}

void dram_bus(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct spot spot = locate(e, r);
	struct channel *channel = &e->channels[spot.channel];
	unsigned count = sector_count(r->fetch);
	bool writing = r->kind == REQUEST_WRITEBACK;
	/* What was written in part is read first, then written. */
	unsigned reread = writing ? r->fetch & ~r->whole & 15u : 0;
	uint64_t ticks =
		(uint64_t)(atoms(r->fetch) + atoms(reread)) * e->cost.bus_atom;
	uint64_t cycle;

	if (channel->writing != writing)
		ticks += e->cost.bus_turn;
	if (reread)
		ticks += 2 * (uint64_t)e->cost.bus_turn;
	channel->writing = writing;
	cycle = serve(&channel->bus_free, e->calendar.now, ticks);
	if (writing) {
		e->counts.dram_writes += count;
		e->counts.dram_reads += 2 * atoms(reread);
		engine_push_request(e, request, AT_WRITTEN, cycle);
		return;
	}
	e->counts.dram_reads += count;
	engine_push_request(e, request, AT_FILL,
		cycle + e->cost.dram + e->bank_extra[spot.bank]);
}
