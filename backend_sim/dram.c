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
	uint32_t index = (r->line >> 3) / pairs * 4 +
		((r->line >> 1) & 2) + (r->line & 1);
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

void dram_bank(struct engine *e, uint32_t request)
{
	struct spot spot = locate(e, &e->requests[request]);
	struct bank *bank = &e->bank[spot.bank];
	struct channel *channel = &e->channels[spot.channel];
	uint64_t ready = after_refresh(e, spot.channel, e->calendar.now);

	if (bank->row != spot.row + 1) {
		uint64_t start = ready > bank->free_at ? ready : bank->free_at;

		start = serve(&channel->activate_free, start,
				e->cost.activate) -
			(e->cost.activate + TICKS - 1) / TICKS;
		bank->free_at = start + e->cost.dram_row_busy;
		bank->open_at = start + e->cost.dram_row;
		bank->row = spot.row + 1;
	}
	if (ready < bank->open_at)
		ready = bank->open_at;
	engine_push_request(e, request, AT_BUS, ready);
}

void dram_bus(struct engine *e, uint32_t request)
{
	struct request *r = &e->requests[request];
	struct spot spot = locate(e, r);
	struct channel *channel = &e->channels[spot.channel];
	unsigned count = (unsigned)__builtin_popcount(r->fetch);
	bool writing = r->kind == REQUEST_WRITEBACK;
	/* What was written in part is read first, then written. */
	unsigned reread = writing
		? (unsigned)__builtin_popcount(r->fetch & ~r->whole)
		: 0;
	uint64_t ticks = (uint64_t)(count + reread) * e->cost.bus_sector;
	uint64_t cycle;

	if (channel->writing != writing)
		ticks += e->cost.bus_turn;
	channel->writing = writing;
	cycle = serve(&channel->bus_free, e->calendar.now, ticks);
	if (writing) {
		e->counts.dram_writes += count;
		e->counts.dram_reads += reread;
		request_free(e, request);
		return;
	}
	e->counts.dram_reads += count;
	engine_push_request(e, request, AT_FILL,
		cycle + e->cost.dram + e->bank_extra[spot.bank]);
}
