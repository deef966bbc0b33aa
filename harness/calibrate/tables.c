/*
 * What is read off which points, and which series inform which parameters. A
 * parameter that the machine does not have is passed over.
 */
#include <string.h>

#include "harness/calibrate/parts.h"

/* A chase by one lane, each load a sample, or the mean of a chunk. */
#define CHASE(op, samples)                                                     \
	"pointer-chase:op=" op ":samples=" samples                             \
	":page-stride=no:warps=1:lanes=1:order=shuffle"
#define MAP "near-far"

/* The same in the order of addresses, as mt4g does. */
#define SEQUENTIAL(op) "pointer-chase:op=" op ":samples=yes:order=sequential"

/* What gpu-benches streams: it names no operator. */
#define STREAM "bandwidth:over=footprint:access=read:sms=0:cop="

#define READ_OFF     OUTCOME_METRIC, OUTCOME_METRIC
#define RATE         (enum outcome_field)(OUTCOME_METRIC + 1)
#define SECOND       RATE, RATE /* of a series with latency and rate */
#define ALONE(field) field, field

/* In this order: each row takes what is above it as given. Of several rows for
   a parameter the first one counts whose series are there. "@NAME" are the
   rows of the suite of `nearfar fit`, each made for what it is read for. */
const struct readoff readoffs[] = {
	{"l1_hit_cycles", CHASE("ld.ca", "no"), SPOT_FIRST_PLATEAU, READ_OFF},
	{"l1_cache_bytes", CHASE("ld.ca", "no"), SPOT_FIRST_KNEE, READ_OFF},
	{"l1_cache_bytes", SEQUENTIAL("ld.ca"), SPOT_FIRST_KNEE, READ_OFF},
	{"floor_sm_cycles", MAP, SPOT_ALL, ALONE(OUTCOME_SM_TERM)},
	{"floor_slice_cycles", MAP, SPOT_ALL, ALONE(OUTCOME_LINE_TERM)},
	{"floor_product_cycles", MAP, SPOT_ALL, ALONE(OUTCOME_PRODUCT_TERM)},
	{"l2_near_cycles", "@near-far", SPOT_ALL, ALONE(OUTCOME_NEAR_CELLS)},
	{"l2_near_cycles", CHASE("ld.cg", "no"), SPOT_FIRST_PLATEAU, READ_OFF},
	{"l2_near_cycles", CHASE("ld.ca", "no"), SPOT_SECOND_PLATEAU, READ_OFF},
	{"bridge_cycles", MAP, SPOT_ALL, OUTCOME_FAR_LOAD, OUTCOME_NEAR_LOAD},
	{"atomic_extra_cycles", "@chase-atom-each", SPOT_FIRST,
		ALONE(OUTCOME_LOW_MODE), SPOT_FIRST, "@chase-cg-each"},
	{"atomic_extra_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		ALONE(OUTCOME_LOW_MODE)},
	{"bridge_data_cycles", "@near-far", SPOT_ALL, OUTCOME_FAR_CELLS,
		OUTCOME_NEAR_CELLS},
	{"bridge_data_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		OUTCOME_HIGH_MODE, OUTCOME_LOW_MODE},
	{"tlb_miss_cycles", "@tlb-all", SPOT_LAST, READ_OFF, SPOT_FIRST,
		"@tlb-few"},
	{"tlb_miss_cycles", "@tlb-many", SPOT_LAST, READ_OFF, SPOT_FIRST,
		"@tlb-few"},
	{"tlb2_miss_cycles", "@tlb2-many", SPOT_LAST, READ_OFF, SPOT_LAST,
		"@tlb-many"},
	{"dram_row_cycles", "@chase-cg-each", SPOT_LAST, READ_OFF, SPOT_LAST,
		"@chase-near"},
	{"dram_near_cycles", "@chase-cg-each", SPOT_LAST, READ_OFF, SPOT_FIRST,
		"@chase-cg-each"},
	{"dram_near_cycles", CHASE("ld.cg", "no"), SPOT_LAST_PLATEAU, READ_OFF},
	{"dram_near_cycles", CHASE("ld.ca", "no"), SPOT_LAST_PLATEAU, READ_OFF},
	/* one SM */
	{"l1_line_cycles", "@one-ca", SPOT_LAST, SECOND},
	{"l1_line_cycles", "bandwidth:over=warps:cop=ca", SPOT_HIGHEST,
		READ_OFF},
	{"l1_pass_cycles", "@one-ca", SPOT_LAST, READ_OFF},
	{"scheduler_data_bytes_per_cycle", "@one-l1", SPOT_FIRST, READ_OFF},
	{"sm_request_bytes_per_cycle", "@one-write", SPOT_FIRST, READ_OFF},
	{"sm_request_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_FIRST,
		READ_OFF},
	{"sm_request_cycles", "@atomics-warp", SPOT_FIRST, READ_OFF},
	{"sm_reply_bytes_per_cycle", "@one-read", SPOT_ALL, READ_OFF},
	{"sm_reply_bytes_per_cycle",
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		SPOT_FIRST, READ_OFF},
	{"sm_inflight_sectors", "@dram-some", SPOT_FIRST, READ_OFF},
	/* the chip's L2 */
	{"slice_bytes_per_cycle", "@slice", SPOT_FIRST, READ_OFF},
	{"slice_request_cycles", "@slice-sectors", SPOT_FIRST, READ_OFF},
	{"crossbar_bytes_per_cycle", "@chip-read", SPOT_LAST, READ_OFF},
	{"crossbar_bytes_per_cycle",
		"bandwidth:over=sms:access=read:cop=cg:shared=no:sm-stride=1:"
		"footprint=16MiB",
		SPOT_LAST, READ_OFF},
	{"crossbar_bytes_per_cycle", STREAM, SPOT_PLATEAU_BEFORE, READ_OFF},
	{"side_store_bytes_per_cycle", "@chip-store", SPOT_LAST, READ_OFF},
	{"side_store_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_LAST,
		READ_OFF},
	/* DRAM */
	{"dram_bytes_per_s", "@dram-read", SPOT_FIRST, READ_OFF},
	{"dram_bytes_per_s", "bandwidth:over=sms:access=read:footprint=512MiB",
		SPOT_LAST, READ_OFF},
	{"dram_bytes_per_s", STREAM, SPOT_LAST_PLATEAU, READ_OFF},
	{"dram_activate_cycles", "@dram-read", SPOT_LAST, READ_OFF},
	{"dram_reread_cycles", "@chip-write", SPOT_LAST, READ_OFF},
	/* atomics */
	{"atomic_kept_cycles", "@atomics-word", SPOT_LAST, READ_OFF},
	{"atomic_kept_cycles",
		"atomic-contention:form=red:pattern=word:over=sms:privatised="
		"no",
		SPOT_LAST, READ_OFF},
	{"atomic_whole_cycles", "@atomics-line", SPOT_LAST, READ_OFF},
	{"atomic_flit_cycles", "@atomics-sector", SPOT_FIRST, READ_OFF},
	{"atomic_port_flit_cycles", "@atomics-words", SPOT_FIRST, READ_OFF},
	{"atomic_reply_pass_cycles", "@atomics-word-back", SPOT_FIRST,
		READ_OFF},
	{"atomic_reply_lane_cycles", "@atomics-words-back", SPOT_FIRST,
		READ_OFF},
	{"atomic_sector_cycles", "@atomics-lines", SPOT_FIRST, READ_OFF},
	{"atomic_whole_sector_cycles", "@atomics-fresh", SPOT_FIRST, READ_OFF},
	{"shared_atomic_cycles", "atomic-contention:privatised=yes", SPOT_FIRST,
		READ_OFF},
	/* compression */
	{"compressed_share", "@compression", SPOT_FIRST, READ_OFF},
	{"compressed_half_share", "@compression", SPOT_LAST, READ_OFF},
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
		"pointer-chase:page-stride=yes tlb-reach @tlb*", false},
	{"tlb reach", "tlb_entries tlb_ways tlb2_entries",
		"pointer-chase:page-stride=yes tlb-reach @tlb*", true},
	{"l1 rate", "l1_line_cycles lsu_cycles",
		"bandwidth:cop=ca coalescing:op=ld.ca "
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		false},
	{"iterations", "scheduler_data_bytes_per_cycle",
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
		"slice_request_cycles gpc_merge_cycles",
		"bandwidth:over=sms:access=read:footprint=16MiB "
		"bandwidth:over=footprint:access=read "
		"bandwidth:over=footprint:access=copy "
		"stride-sweep:footprint=16MiB loaded-latency:level=l2 "
		"@chip-read @chip-sectors @chip-shared @side @slice*",
		false},
	{"stores",
		"side_store_bytes_per_cycle slice_writebacks slice_store_lines "
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
		"loaded-latency:level=dram:access=read @dram-read",
		false},
	{"atomics of a line",
		"atomic_sector_cycles atomic_whole_sector_cycles "
		"atomic_kept_cycles atomic_whole_cycles "
		"atomic_flit_cycles",
		"atomic-contention:form=red:privatised=no @atomics-fresh",
		false},
	{"atomics of an sm",
		"atomic_port_flit_cycles atomic_reply_pass_cycles "
		"atomic_reply_lane_cycles",
		"atomic-contention:privatised=no", false},
	{"compression", "compressed_share compressed_half_share", "compression",
		false},
};
const size_t group_count = sizeof(groups) / sizeof(groups[0]);

/* ---- choices ---- */

const struct choice choices[] = {
	{"floor_seed",
		"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 "
		"24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39",
		NULL, NULL, 0, "@chase-cg", SPOT_FIRST, true},
	/* the reach first: it counts the entries that a page takes */
	{"tlb_reach_bytes", "2MiB 4MiB 8MiB 16MiB 32MiB 64MiB", NULL, NULL, 0,
		"@tlb-stride", SPOT_ALL, false, true},
	{"tlb_ways", "2 4 8 16 32", "tlb_entries",
		"8 12 16 20 24 28 32 36 40 48 56 64 80 96 128", 0,
		"@tlb-entries @tlb-few @tlb-all", SPOT_ALL, false, true},
	{"tlb2_entries", "1024 1536 2048 3072 4096 6144 8192", NULL, NULL, 0,
		"@tlb2-reach @tlb2-many", SPOT_ALL, false, true},
	{"l1_cache_bytes", NULL, NULL, NULL, 1024, "@chase-ca", SPOT_ALL},
	{"l2_fetch_bytes", "32 64 128", NULL, NULL, 0, "@fetch", SPOT_ALL},
	{"l1_store_allocates", "0 1", NULL, NULL, 0, "@store-l1", SPOT_ALL},
	{"l1_store_evicts", "0 1", NULL, NULL, 0, "@store-l1-held", SPOT_ALL},
	{"l2_ways", "8 16 32", NULL, NULL, 0, "@chase-cg", SPOT_ALL, true},
};
const size_t choice_count = sizeof(choices) / sizeof(choices[0]);

const struct choice *choice_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].parameter, parameter) ||
			(choices[i].other &&
				!strcmp(choices[i].other, parameter)))
			return &choices[i];
	return NULL;
}

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
