/*
 * What is read off which points, and which series inform which parameters. A
 * parameter that the machine does not have is passed over.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/calibrate/parts.h"

/* A chase by one lane, each load a sample, or the mean of a chunk. */
#define CHASE(op, samples)                                                     \
	"pointer-chase:op=" op ":samples=" samples                             \
	":page-stride=no:warps=1:lanes=1:order=shuffle"
#define MAP "near-far"

/* In this order: each row takes what is above it as given. */
const struct readoff readoffs[] = {
	{"l1_hit_cycles", CHASE("ld.ca", "no"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"timing_cycles", CHASE("ld.ca", "yes"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"l1_cache_bytes", CHASE("ld.ca", "no"), SPOT_FIRST_KNEE,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"floor_sm_cycles", MAP, SPOT_ALL, OUTCOME_SM_TERM, OUTCOME_SM_TERM},
	{"floor_slice_cycles", MAP, SPOT_ALL, OUTCOME_LINE_TERM,
		OUTCOME_LINE_TERM},
	{"floor_product_cycles", MAP, SPOT_ALL, OUTCOME_PRODUCT_TERM,
		OUTCOME_PRODUCT_TERM},
	{"l2_near_cycles", CHASE("ld.cg", "no"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"bridge_cycles", MAP, SPOT_ALL, OUTCOME_FAR_LOAD, OUTCOME_NEAR_LOAD},
	{"atomic_extra_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		OUTCOME_LOW_MODE, OUTCOME_LOW_MODE},
	{"bridge_data_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		OUTCOME_HIGH_MODE, OUTCOME_LOW_MODE},
	{"dram_near_cycles", CHASE("ld.cg", "no"), SPOT_LAST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"sm_reply_bytes_per_cycle",
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		SPOT_FIRST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"sm_request_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_FIRST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"l1_line_cycles", "bandwidth:over=warps:cop=ca", SPOT_HIGHEST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"slice_write_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_LAST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"dram_bytes_per_s", "bandwidth:over=sms:access=read:footprint=512MiB",
		SPOT_LAST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"atomic_kept_cycles",
		"atomic-contention:form=red:pattern=word:over=sms:privatised="
		"no",
		SPOT_LAST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"shared_atomic_cycles", "atomic-contention:privatised=yes", SPOT_FIRST,
		OUTCOME_METRIC, OUTCOME_METRIC},
};
const size_t readoff_count = sizeof(readoffs) / sizeof(readoffs[0]);

#define CHASES "pointer-chase:page-stride=no:warps=1:lanes=1"

const struct group groups[] = {
	{"latency",
		"l2_near_cycles bridge_cycles bridge_data_cycles "
		"atomic_extra_cycles",
		CHASES ":op=ld.cg " CHASES ":op=atom.add " MAP, false},
	{"l1 knee", "l1_ways l1_random_share", CHASES ":op=ld.ca", true},
	{"l2 knees", "l2_ways l2_random_share",
		CHASES ":op=ld.cg " CHASES ":op=atom.add", true},
	{"dram latency",
		"dram_near_cycles dram_far_cycles dram_row_cycles "
		"dram_spread_cycles "
		"dram_refresh_interval_cycles dram_refresh_cycles",
		CHASES ":op=ld.cg " CHASES ":op=atom.add " CHASES ":op=ld.ca",
		false},
	{"tlb", "tlb_miss_cycles tlb2_miss_cycles",
		"pointer-chase:page-stride=yes tlb-reach", false},
	{"tlb reach", "tlb_entries tlb_ways tlb2_entries",
		"pointer-chase:page-stride=yes tlb-reach", true},
	{"l1 rate", "l1_line_cycles lsu_cycles",
		"bandwidth:cop=ca coalescing:op=ld.ca "
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		false},
	{"iterations",
		"renew_cycles issue_cycles loop_issue_cycles "
		"scheduler_data_bytes_per_cycle",
		"bandwidth:over=warps:footprint=16MiB:cop=cg "
		"coalescing:op=ld.cg",
		false},
	{"sm", "sm_reply_bytes_per_cycle sm_request_cycles sm_inflight_sectors",
		"bandwidth:over=warps:cop=cg bandwidth:over=sms:access=read "
		"pointer-chase:warps=[!1]* "
		"pointer-chase:warps=1?* pointer-chase:lanes=[!1]* "
		"coalescing:op=ld.cg",
		false},
	{"slices",
		"slice_bytes_per_cycle crossbar_bytes_per_cycle "
		"slice_request_cycles gpc_merge_cycles "
		"crossbar_fair_share_cycles start_spread_cycles",
		"bandwidth:over=sms:access=read:footprint=16MiB "
		"bandwidth:over=footprint:access=read "
		"bandwidth:over=footprint:access=copy "
		"stride-sweep:footprint=16MiB loaded-latency:level=l2",
		false},
	{"stores",
		"slice_write_bytes_per_cycle slice_writebacks "
		"sm_request_bytes_per_cycle dram_drain_cycles "
		"dram_turnaround_cycles dram_reread_cycles",
		"bandwidth:access=write bandwidth:access=copy "
		"stride-sweep:op=st* loaded-latency:access=write",
		false},
	{"dram",
		"dram_bytes_per_s dram_activate_cycles dram_row_busy_cycles "
		"dram_common_share",
		"bandwidth:access=read:footprint=512MiB "
		"bandwidth:over=footprint:access=read "
		"stride-sweep:op=ld*:footprint=512MiB "
		"loaded-latency:level=dram:access=read",
		false},
	{"atomics of a line",
		"atomic_sector_cycles atomic_whole_sector_cycles "
		"atomic_kept_cycles atomic_whole_cycles "
		"atomic_flit_cycles",
		"atomic-contention:form=red:privatised=no", false},
	{"atomics of an sm",
		"atomic_lane_cycles atomic_reply_pass_cycles "
		"atomic_reply_lane_cycles",
		"atomic-contention:privatised=no", false},
	{"compression", "compressed_share compressed_half_share", "compression",
		false},
};
const size_t group_count = sizeof(groups) / sizeof(groups[0]);

static bool has_word(const char *list, const char *wanted)
{
	char word[64];

	while (next_word(&list, word, sizeof(word)))
		if (!strcmp(word, wanted))
			return true;
	return false;
}

const struct group *group_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < group_count; i++)
		if (has_word(groups[i].parameters, parameter))
			return &groups[i];
	return NULL;
}

const struct readoff *readoff_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < readoff_count; i++)
		if (!strcmp(readoffs[i].parameter, parameter))
			return &readoffs[i];
	return NULL;
}
