/* What the machine file says, in the units of the engine. */
#include <math.h>

#include "backend_sim/core/chip.h"

#define GET(m, name) ((m)->value[PARAMETER_##name])

static uint32_t ticks(double cycles)
{
	return (uint32_t)lround(cycles * TICKS);
}

/* Ticks to move `bytes` at a rate. */
static uint32_t ticks_for(double bytes, double bytes_per_cycle)
{
	return ticks(bytes / bytes_per_cycle);
}

static void set_rates(struct costs *c, const struct machine *m)
{
	double header = GET(m, reply_header_bytes);
	double channels =
		GET(m, l2_slices_used) * GET(m, dram_channels_per_slice);
	double bus = GET(m, dram_bytes_per_s) / GET(m, clock_hz) / channels;

	c->lsu = ticks(GET(m, lsu_cycles));
	c->l1_line = ticks(GET(m, l1_line_cycles));
	c->l1_pass = ticks(GET(m, l1_pass_cycles));
	c->replay = ticks(GET(m, replay_cycles));
	c->making[MAKES_WRAP] = ticks(GET(m, wrap_cycles));
	c->making[MAKES_DRAW] = ticks(GET(m, draw_cycles));
	c->lane_byte = ticks(TICKS / GET(m, scheduler_data_bytes_per_cycle));
	c->loop_issue = ticks(GET(m, loop_issue_cycles));
	c->use_issue = ticks(GET(m, use_issue_cycles));
	c->texture_line = ticks(GET(m, texture_line_cycles));
	c->shared_atomic = ticks(GET(m, shared_atomic_cycles));
	c->tlb_port = ticks(GET(m, tlb_port_cycles));
	c->sm_request = ticks(GET(m, sm_request_cycles));
	c->sm_data = ticks_for(32, GET(m, sm_request_bytes_per_cycle));
	c->gpc_request = ticks(GET(m, gpc_request_cycles));
	c->gpc_data = ticks_for(32, GET(m, gpc_request_bytes_per_cycle));
	c->sm_reply_header =
		ticks_for(header, GET(m, sm_reply_bytes_per_cycle));
	c->sm_reply_sector = ticks_for(32, GET(m, sm_reply_bytes_per_cycle));
	c->gpc_reply_header =
		ticks_for(header, GET(m, gpc_reply_bytes_per_cycle));
	c->gpc_reply_sector = ticks_for(32, GET(m, gpc_reply_bytes_per_cycle));
	c->bridge_request = ticks(GET(m, bridge_request_cycles));
	c->bridge_sector = ticks_for(32, GET(m, bridge_bytes_per_cycle));
	c->slice_request = ticks(GET(m, slice_request_cycles));
	c->slice_write = ticks_for(32, GET(m, slice_write_bytes_per_cycle));
	c->slice_sector = ticks_for(32, GET(m, slice_bytes_per_cycle));
	c->crossbar_sector = ticks(TICKS * PROGRAM_SECTOR_BYTES /
				   GET(m, crossbar_bytes_per_cycle));
	c->crossbar_turn = ticks(GET(m, crossbar_turn_cycles));
	c->atomic_sector = ticks(GET(m, atomic_sector_cycles));
	c->atomic_kept = ticks(GET(m, atomic_kept_cycles));
	c->atomic_whole = ticks(GET(m, atomic_whole_cycles));
	c->atomic_flit = ticks(GET(m, atomic_flit_cycles));
	c->atomic_lane = ticks(GET(m, atomic_lane_cycles));
	c->atomic_reply_pass = ticks(GET(m, atomic_reply_pass_cycles));
	c->atomic_reply_lane = ticks(GET(m, atomic_reply_lane_cycles));
	c->bus_atom = ticks_for(64, bus);
	c->dram_turn = 2 * (uint64_t)c->bus_atom /
		       machine_whole(GET(m, dram_channels_per_slice));
	c->common = ticks(GET(m, dram_common_share));
	c->bus_turn = ticks(GET(m, dram_turn_cycles));
	c->activate = ticks(GET(m, dram_activate_cycles));
	c->reread = ticks(GET(m, dram_reread_cycles));
}

static void set_latencies(struct costs *c, const struct machine *m)
{
	c->l1_hit = machine_whole(GET(m, l1_hit_cycles));
	c->l1_miss = machine_whole(GET(m, l1_miss_cycles));
	c->texture_hit = machine_whole(GET(m, texture_hit_cycles));
	c->texture_miss = machine_whole(GET(m, texture_miss_cycles));
	c->bridge = machine_whole(GET(m, bridge_cycles));
	c->bridge_data = machine_whole(GET(m, bridge_data_cycles));
	c->atomic_extra = machine_whole(GET(m, atomic_extra_cycles));
	c->gpc_merge = machine_whole(GET(m, gpc_merge_cycles));
	c->tlb_miss = machine_whole(GET(m, tlb_miss_cycles));
	c->tlb2_miss = machine_whole(GET(m, tlb2_miss_cycles));
	c->issue = machine_whole(GET(m, issue_cycles));
	c->store_issue = machine_whole(GET(m, store_issue_cycles));
	c->loop = machine_whole(GET(m, loop_cycles));
	c->renew = machine_whole(GET(m, renew_cycles));
	c->timing = machine_whole(GET(m, timing_cycles));
	c->delay = machine_whole(GET(m, delay_cycles));
	c->barrier = machine_whole(GET(m, barrier_cycles));
	c->shared = machine_whole(GET(m, shared_cycles));
	c->start_spread = machine_whole(GET(m, start_spread_cycles));
	c->poll = machine_whole(GET(m, poll_cycles));
	c->turn = machine_whole(GET(m, turn_cycles));
	c->dram = machine_whole(GET(m, dram_near_cycles));
	c->dram_far = machine_whole(GET(m, dram_far_cycles));
	c->dram_row = machine_whole(GET(m, dram_row_cycles));
	c->dram_row_busy = machine_whole(GET(m, dram_row_busy_cycles));
	c->drain = machine_whole(GET(m, dram_drain_cycles));
	c->refresh_interval =
		machine_whole(GET(m, dram_refresh_interval_cycles));
	c->refresh = machine_whole(GET(m, dram_refresh_cycles));
}

static void set_limits(struct costs *c, const struct machine *m)
{
	c->inflight_max = machine_whole(GET(m, sm_inflight_sectors));
	c->writebacks_max = machine_whole(GET(m, slice_writebacks));
	c->atomic_lines = machine_whole(GET(m, atomic_kept_lines));
	c->atomic_turn = machine_whole(GET(m, atomic_turn_passes));
	c->atomic_line = machine_whole(GET(m, atomic_line_passes));
}

static void set_pages(struct costs *c, const struct machine *m)
{
	c->page_shift = 0;
	while (ldexp(1, (int)c->page_shift + 1) <= GET(m, page_bytes))
		c->page_shift++;
}

static void set_rules(struct costs *c, const struct machine *m)
{
	c->schedulers = machine_whole(GET(m, schedulers));
	c->texture_caches = machine_whole(GET(m, texture_caches));
	c->l1_protects = GET(m, l1_protected_share) > 0;
	c->l1_last_max = c->l1_protects
				 ? machine_whole(GET(m, l1_protected_share) *
						 GET(m, l1_ways))
				 : machine_whole(GET(m, l1_ways));
	c->l1_promotes = GET(m, l1_promotes_lines) > 0;
	c->l1_store_evicts = GET(m, l1_store_evicts) > 0;
	c->l1_store_allocates = GET(m, l1_store_allocates) > 0;
}

void costs_init(struct costs *costs, const struct machine *machine)
{
	set_rates(costs, machine);
	set_latencies(costs, machine);
	set_limits(costs, machine);
	set_pages(costs, machine);
	set_rules(costs, machine);
}
