/*
 * A channel of DRAM: banks with one open row each, activates at a limited
 * rate, a data bus, refresh. First come, first served at each station.
 */
#include "engine.h"

struct spot {
	uint32_t channel, bank, row;
};

/* Lines of one slice go round its channels; rows round the banks. */
static struct spot locate(const struct engine *e, const struct request *r)
{
	uint32_t index = r->line / e->slices;
	uint32_t slice = r->home * e->slices + r->slice;
	uint32_t channel = index % e->channels_per_slice;
	uint32_t row = index / e->channels_per_slice >> e->row_shift;
	struct spot spot = {
		.channel = slice * e->channels_per_slice + channel,
		.bank = permute_mix(row) % e->banks,
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
	uint64_t ticks = (uint64_t)count * e->cost.bus_sector;
	uint64_t cycle;

	if (channel->writing != writing)
		ticks += e->cost.bus_turn;
	channel->writing = writing;
	cycle = serve(&channel->bus_free, e->calendar.now, ticks);
	if (writing) {
		e->counts.dram_writes += count;
		request_free(e, request);
		return;
	}
	e->counts.dram_reads += count;
	engine_push_request(e, request, AT_FILL,
		cycle + e->cost.dram + e->bank_extra[spot.bank]);
}
