/*
 * DRAM. A row of memory is in one bank of one channel. A bank has one row open
 * at a time; opening one takes the bank for a while and is limited in rate by
 * the channel. A refresh closes the row of a bank and lets no request there
 * begin; banks take theirs in turn. Data go over the bus, 64 bytes at a time.
 */
#include "tests/reference/ref.h"

struct where {
	struct ref_channel *channel;
	struct ref_bank *bank;
	uint32_t channel_number, bank_number, row;
};

/* Lines of a slice fill one row after the other; rows go round the channels,
   turned by a hash in pairs, and to a bank by a hash. */
static struct where find(struct reference *r, const struct ref_request *q)
{
	uint32_t channels = REF_CYCLES_OF(r, dram_channels_per_slice);
	uint32_t banks = REF_CYCLES_OF(r, dram_banks);
	uint32_t lines_per_row = 1, channel, bank;
	struct where w;

	while (2 * lines_per_row * PROGRAM_LINE_BYTES <=
		r->machine->value[PARAMETER_dram_row_bytes])
		lines_per_row *= 2;
	w.row = q->slot / lines_per_row;
	channel = (w.row + permute_mix(w.row / 2)) % channels;
	bank = permute_mix(w.row + 0x51ed27u) % banks;
	w.channel = &r->sides[q->home].slices[q->slice].channels[channel];
	w.bank = &w.channel->banks[bank];
	w.channel_number =
		(q->home * r->slice_count + q->slice) * channels + channel;
	w.bank_number = w.channel_number * banks + bank;
	return w;
}

/* Of what was written in part the rest is read, too, in a row that is opened
   for this line alone. */
static bool reread_of(const struct ref_request *q)
{
	return q->kind == REF_WRITEBACK &&
	       sectors_any(sectors_less(q->fetch, q->whole));
}

void ref_dram_bank(struct reference *r, struct ref_request *q)
{
	struct where w = find(r, q);
	uint64_t interval = REF_CYCLES_OF(r, dram_refresh_interval_cycles);
	uint64_t refresh = REF_CYCLES_OF(r, dram_refresh_cycles);
	uint64_t banks = REF_CYCLES_OF(r, dram_banks);
	uint64_t refreshes = 0, start;

	if (interval) {
		/* Each bank has its own time. */
		uint64_t clock = r->now +
				 (uint64_t)w.channel_number *
					 REF_CYCLES_OF(r, dram_stagger_cycles) +
				 (w.bank - w.channel->banks) * interval / banks;

		refreshes = clock / interval;
		if (clock % interval < refresh) {
			ref_send(r, q, REF_BANK,
				r->now + refresh - clock % interval);
			return;
		}
	}
	q->row_open = w.bank->open && w.bank->row == w.row &&
		      w.bank->refreshes == refreshes;
	if (q->row_open) {
		start = w.bank->open_at;
		ref_send(r, q, reread_of(q) ? REF_ACTIVATE : REF_BUS,
			start > r->now ? start : r->now);
		return;
	}
	start = w.bank->free_at > r->now ? w.bank->free_at : r->now;
	w.bank->open = true;
	w.bank->row = w.row;
	w.bank->refreshes = refreshes;
	w.bank->free_at = start + REF_CYCLES_OF(r, dram_row_busy_cycles);
	w.bank->open_at = start + REF_CYCLES_OF(r, dram_row_cycles);
	ref_send(r, q, REF_ACTIVATE, start);
}

void ref_dram_activate(struct reference *r, struct ref_request *q)
{
	/* Opened to be read, and to be written, or for one of them. */
	uint64_t over = ref_serve(&find(r, q).channel->activates, r->now,
		reread_of(q) && !q->row_open
			? REF_TICKS_OF(r, dram_reread_cycles)
			: REF_TICKS_OF(r, dram_activate_cycles));

	ref_send(r, q, REF_BUS, over + REF_CYCLES_OF(r, dram_row_cycles));
}

/* Transfers of 64 bytes: pairs of sectors. */
static uint32_t transfers(struct sectors s)
{
	return (s.at[0] || s.at[1]) + (s.at[2] || s.at[3]);
}

/* Of the loads before it nobody waits longer than for a line of each busy SM,
   or for the part of them that is served in the order of arrival. What is
   written holds it up in full. */
static uint64_t in_turn(struct reference *r, const struct ref_request *q,
	uint64_t transfer, uint64_t alone, uint64_t over)
{
	uint64_t line =
		2 * transfer / REF_CYCLES_OF(r, dram_channels_per_slice);
	uint64_t wait = alone - r->now;
	uint64_t turn = ref_net_longest(r, q, line);
	uint64_t common = wait * REF_TICKS_OF(r, dram_common_share) / REF_TICKS;
	uint64_t most = turn > common ? turn : common;

	return over - (wait < most ? 0 : wait - most);
}

/* To the home slice: for a load of the other side more, for an atomic from
   there less, by the time that its data comes behind its command. */
static uint64_t way_back(const struct reference *r, const struct ref_request *q)
{
	uint64_t way = REF_CYCLES_OF(r, dram_near_cycles);
	uint64_t data = REF_CYCLES_OF(r, bridge_data_cycles);

	if (q->side == q->home)
		return way;
	if (q->kind == REF_LOAD)
		return way + REF_CYCLES_OF(r, dram_far_cycles);
	if (q->kind != REF_ATOMIC && q->kind != REF_REDUCTION)
		return way;
	return way < data ? 0 : way - data;
}

void ref_dram_bus(struct reference *r, struct ref_request *q)
{
	struct where w = find(r, q);
	double clock_hz = r->machine->value[PARAMETER_clock_hz];
	double channels = r->machine->value[PARAMETER_l2_slices_used] *
			  r->machine->value[PARAMETER_dram_channels_per_slice];
	double bytes_per_cycle = r->machine->value[PARAMETER_dram_bytes_per_s] /
				 clock_hz / channels;
	uint64_t turn = REF_TICKS_OF(r, dram_turnaround_cycles), ticks, over;
	uint64_t transfer = ref_ticks(64 / bytes_per_cycle);
	bool writing = q->kind == REF_WRITEBACK;
	/* Sectors written in part are read, too, before they are written. */
	struct sectors reread =
		writing ? sectors_less(q->fetch, q->whole) : sectors_none();

	/* What is read and written moves sector by sector, each way half of a
	   transfer. */
	ticks = (2 * transfers(sectors_less(q->fetch, reread)) +
			2 * sectors_count(reread)) *
		transfer / 2;
	if (!writing)
		ticks = ticks * ref_ticks(ref_plan_compressed(r, q->buffer)) /
			REF_TICKS;
	if (w.channel->writing != writing)
		ticks += turn;
	w.channel->writing = writing;
	over = ref_serve(&w.channel->bus, r->now, ticks);
	if (writing) {
		r->counts.dram_writes += sectors_count(q->fetch);
		r->counts.dram_reads += sectors_count(reread);
		ref_send(r, q, REF_WRITTEN, over);
	} else {
		if (q->kind == REF_LOAD)
			over = in_turn(r, q, transfer,
				ref_serve(&w.channel->loads, r->now, ticks),
				over);
		r->counts.dram_reads += sectors_count(q->fetch);
		ref_send(r, q, REF_FILL,
			over + way_back(r, q) +
				ref_plan_bank_cycles(r, w.bank_number));
	}
}
